// What a dry run has seen of a target (try_job.cpp), and the mistakes that follow from it.
//
// Only mistakes that nothing else explains are called mistakes. A warning names a mistake and what else looks like it.
//
//   the same outputs in a fresh process  with the same seeds: `again`; with other seeds: `other`. Independent runs give n
//                                        outputs of counts c in one order with probability at most prod (c/n)^c (1)
//   the same seeds in another order      `turned`: a run must not depend on the runs before it
//   other seeds after the first          `later`: the same outputs, if one generator takes the first seed and no other
//   the same runs after other inputs     `after`: other outputs, if all runs share an object that learns
//   inputs at the ends of the domain     `extremes`: outputs that never change, runs that fail
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/audit/try_report.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

using RunOutputs = std::vector<std::vector<double>>;  // one for each run
using PairOutputs = std::array<RunOutputs, 2>;        // on D and D', in the order of the seeds

// An input with values at the ends of the domain, or spread over it.
struct ExtremeInput {
  std::string name;  // "all rewards 0"
  InputTable input;
};
// An input with failed runs, or with an output for each seed of `first`, or one that the target refuses.
struct TriedInput {
  std::string name;
  RunOutputs outputs;
  std::int64_t failed = 0;
  std::string failure;  // of the first failed run
  std::string refusal;
};

// Two high in the domain, two spread over it in opposite directions; for duels, two orders of the arms.
std::vector<ExtremeInput> extreme_inputs(const InputShape& shape);

struct TriedRuns {
  PairOutputs first, again, other;
  OutputBatch batch;  // of one message, on D
  std::optional<PairOutputs> turned, later, after;
  std::optional<std::array<RunOutputs, 2>>
      longer;  // more runs on D, with other seeds in a fresh process
  std::vector<TriedInput> extremes;
  bool moved_by_input = false;  // in more runs of these
  // Outputs with rewards spread beyond [0, 1], in the opposite order, and with these rewards limited to [0, 1].
  std::optional<std::array<RunOutputs, 3>> limited;

  bool same_again() const { return again == first; }
  bool same_other() const { return other == first; }
  bool alike() const;          // all runs on one input, in every process
  bool alike_in_each() const;  // all runs on one input in one process, but not in all
  // Whether `turned`, `after` and `longer` have something to say.
  bool repeats() const { return same_again() && !alike() && !alike_in_each(); }
  bool repeats_whatever_the_seeds() const { return repeats() && same_other(); }
  bool depends_on_order() const { return repeats() && turned && *turned != first; }
  bool seeds_decide() const;  // so that outputs with equal seeds may be compared over inputs
  bool reads_input() const;   // whether an input gave another output than D, with the same seeds
};

inline constexpr double kNoChance = 1e-6;  // a chance below it is none
// (1), rounded to nearest.
double chance_to_repeat(std::span<const RunOutputs> runs);

// Takes the lines in which assay_target.py names what no seed reaches from standard error, and returns their ends.
std::vector<std::string> take_unseeded(std::string& standard_error);

// The findings, in order. Reads the shape, `seeded`, `deterministic`, `is_plugin` and `unseeded` of the report.
std::vector<TryNote> findings_of(const TriedRuns& tried, const TryReport& report);

// For the error of a Python program with an undefined name: the name, and its place. Else empty.
std::string advice_on_name(const std::string& said);

// The line to change, for an error of the target; may be empty. `failing` and `working` name inputs on which runs
// failed, and on which they did not.
std::string advice_on(const Error& error, const InputShape& shape, bool is_failed_run,
                      const std::vector<std::string>& failing,
                      const std::vector<std::string>& working);

}  // namespace assay
