// Two plays that draw the same random words, on inputs that are neighbours, and the first round at which
// they part: where the input enters, on as short and plain an input as is found.
//
//   seed    of those tried the one whose plays part first, so that the input can be cut the shortest
//   rows    the horizon is cut behind that round, where the subject plays another one; then rows go, by
//           delta debugging
//   values  rows, then numbers, become the plainest there are (0; a tournament in falling order); in the
//           changed row numbers become equal on both sides, and what still differs 0 and 1
// A step is kept where the inputs stay neighbours of the same relation and the plays of the seed part at
// the same round or before. At the end, unless something stopped it, no single row can be left out or made
// plain, and no single number, with the plays still parting as early.
//
// It certifies nothing: plays of a private policy part as well. What is certified is the audit's.
// A subject whose plays of one seed differ cannot be replayed; plays are repeated to find out.
// Reference: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (IEEE TSE 2002).
// Determinism: a function of subject, pair and seed, but for what stops it. Cost: `plays` plays at most.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// What can be played with a seed.
struct WitnessSubject {
  InputShape shape;
  // One output of one side. Errors: what a target did; the next play is a fresh start.
  std::function<Result<std::vector<double>>(const InputPair&, Side, std::uint64_t seed)> play;
  // Errors: inputs that do not fit, or are no neighbours of the relation.
  std::function<Status(const InputPair&)> check;
  // The same with another horizon; empty where there is none. Errors: it does not play that one.
  std::function<Result<WitnessSubject>(std::int64_t horizon)> of_horizon;
  std::int64_t horizon_plays = 1;  // what making one counts as: a process starts
};

struct WitnessPlan {
  std::uint64_t seed = 1;     // that the seeds tried are drawn from
  std::int64_t seeds = 64;    // tried at most
  std::int64_t plays = 2000;  // in all, with those that other horizons count as
};

struct Witness {
  InputShape shape;
  InputPair pair;
  std::uint64_t seed = 0;
  std::int64_t round =
      0;  // the first at which the outputs differ, from 1; of a mechanism the number
  std::vector<double> old_output;
  std::vector<double> new_output;
  std::int64_t plays = 0;   // that it took
  bool is_minimal = false;  // as above; otherwise something stopped it
};

struct WitnessFinding {
  std::optional<Witness> witness;
  std::string why_none;  // in words, where there is none
};

// `pair`: neighbours of the subject. A budget or `control` that stops it leaves what was found by then.
WitnessFinding find_witness(const WitnessSubject& subject, const InputPair& pair,
                            const WitnessPlan& plan, const RunControl& control);

// The first round at which two outputs differ, from 1, in what the adversary sees: of a contextual policy
// not in the changed row. NaN equals NaN. None: alike.
std::optional<std::int64_t> parting_round(const InputShape& shape, std::int64_t changed_row,
                                          std::span<const double> old_output,
                                          std::span<const double> new_output);

// "with the same randomness (seed 17), the plays part at round 7: 1 on the old input, 0 on the new"
std::string witness_text(const Witness& witness);

// A row a line, its values separated by commas, as --input reads them.
std::string input_text(const InputTable& input);

// Without the command.
EntryWitness entry_witness(const Witness& witness);

}  // namespace assay
