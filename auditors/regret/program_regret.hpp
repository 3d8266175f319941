// Independent runs of a program or plug-in in an environment, and the regret of each.
//
// A program of kind experts, dueling or best-arm reads what each action earns, so its input is a table that the
// environment draws before the run. A bandit program reads one reward a round. With
//   x_{t,a}   the reward that arm a would earn in round t, drawn before the run
//   a_t(r)    the arm that the program chooses in round t on the rewards r, for the seed of the run
// its input is the solution of
//   r_t = x_{t, a_t(r)}   for all rounds t                                                     (1)
// If the program draws all its random numbers from the seed and does not look ahead, a_t(r) depends on r_1..r_{t-1}
// alone. Then (1) has exactly one solution, the run in which every reward is that of the chosen arm. Assay finds it by
// executing the program again and again: it replaces the rewards from the first round m that breaks (1) on by those of
// the arms just chosen. The rewards before m stay the same, hence the actions up to m, and (1) holds up to m. A last
// execution repeats all actions. So T + 1 executions suffice; usually it takes a few. A settled action that changes refutes
// the assumption, and is an error.
//
// The regret of a run is its pseudo-regret, the sum over rounds of the gaps of the chosen actions' means (a duel has
// two). Of a best-arm program it is the simple regret: the gap of the recommended arm.
// Only the distribution of x_{t,a} for each arm matters, so that the arms of a round share one random number. They then
// earn the same as often as possible, and fewer executions suffice.
// Determinism: run i has the stream of run i of a simulated policy, and a seed of its own. Threads: those of the players.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/auditors/regret/regret_environment.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/child_process.hpp"
#include "assay/policies/external/target.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// What a target runs in. `shape` has the kind of the target; arms and horizon are those of the setting.
struct RegretTable {
  InputShape shape;
  AnyEnvironment environment;
  double most_regret = 0.0;  // of a run; 0 if all actions are equally good

  bool is_simple() const {
    return shape.traits().recommends;
  }  // whether the regret is the simple one
};

// `kind` is empty for the kind that the environment determines; `shape` has what else the target was told. Errors begin
// with the name of an option: a kind without a regret, an environment of another kind, means or rates out of range, a
// domain that does not contain all rewards, sizes out of range.
Result<RegretTable> regret_table(InputShape shape, std::optional<InputKind> kind,
                                 const RegretSetting& setting);

struct TargetRegrets {
  std::vector<double>
      regrets;  // of the runs from the first on, fewer than asked for if there is an error
  std::int64_t executions = 0;  // of the target
  std::optional<Error> error;   // kInterrupted, also at the deadline, or what the target did
};

// The runs [first, end). `purpose` tells apart the seeds of several targets.
TargetRegrets play_regrets(Players& players, const RegretTable& table, std::uint64_t seed,
                           std::string_view purpose, std::int64_t first, std::int64_t end,
                           const RunControl& control);

// A program or plug-in, as a job names it.
struct RegretProgram {
  std::string option;                // that names it, as errors say
  std::string word;                  // the command or the file
  std::vector<std::string> command;  // the words of a command; empty for a plug-in
  ChildLimits limits;
  RegretTable table;
};

Result<std::unique_ptr<Target>> start(const RegretProgram& program, const RunControl& control);

}  // namespace assay
