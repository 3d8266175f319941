// A witness: two runs with the same random bits on neighbouring inputs, and the first round at which they diverge.
// It shows where the input enters. The search makes the inputs as short and simple as it can, in three steps:
//
//   seed    take the seed with the earliest divergence, of those that it tries, since it allows the shortest input
//   rows    cut the horizon after that round, if the subject has other horizons; then remove rows, by delta
//           debugging
//   values  make rows, then numbers, as simple as possible (0; a tournament in falling order). In the changed
//           row make numbers of D and D' equal, and those that still differ 0 and 1
// A step is kept if the inputs stay neighbours of the same relation and the runs of the seed diverge at the same
// round or earlier. At the end, unless something stopped the search, no single row and no single number can be
// left out or simplified without a later divergence.
//
// A witness certifies nothing, since runs of a private policy diverge as well. Only the audit certifies.
// If two runs of a subject with the same seed differ, it cannot be replayed; the search repeats runs to find out.
// Reference: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (IEEE TSE 2002).
// Determinism: subject, pair and seed determine the result, unless something stops the search. Cost: at most `runs`
// runs.
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

// A subject that can be run with a seed.
struct WitnessSubject {
  InputShape shape;
  // The output of one run on D or D'. Errors: a failure of the target; the next run is a fresh start.
  std::function<Result<std::vector<double>>(const InputPair&, Side, std::uint64_t seed)> play;
  // Errors: inputs that do not fit, or are not neighbours by the relation.
  std::function<Status(const InputPair&)> check;
  // The same subject with another horizon; empty if there is none. Errors: it does not accept that horizon.
  std::function<Result<WitnessSubject>(std::int64_t horizon)> of_horizon;
  std::int64_t horizon_runs = 1;  // runs that the start of its process counts as
};

struct WitnessPlan {
  std::uint64_t seed = 1;    // the seeds to try are drawn from it
  std::int64_t seeds = 64;   // the largest number of seeds to try
  std::int64_t runs = 2000;  // runs in all, with those that other horizons count as
};

struct Witness {
  InputShape shape;
  InputPair pair;
  std::uint64_t seed = 0;
  std::int64_t round =
      0;  // the first at which the outputs differ, from 1; for a mechanism the number
  std::vector<double> base_output;
  std::vector<double> neighbour_output;
  std::int64_t runs = 0;    // runs that the search took
  bool is_minimal = false;  // as described above; otherwise something stopped the search
};

struct WitnessFinding {
  std::optional<Witness> witness;
  std::string why_none;  // the reason if there is none
};

// `pair` has neighbouring inputs of the subject. If a budget or `control` stops the search, it returns the best
// witness so far.
WitnessFinding find_witness(const WitnessSubject& subject, const InputPair& pair,
                            const WitnessPlan& plan, const RunControl& control);

// The first round, from 1, at which two outputs differ in the adversary's view. That of a contextual policy lacks
// the changed row. NaN equals NaN. None if they are alike.
std::optional<std::int64_t> parting_round(const InputShape& shape, std::int64_t changed_row,
                                          std::span<const double> base_output,
                                          std::span<const double> neighbour_output);

// "with the same randomness (seed 17), the runs diverge at round 7: 1 on D, 0 on D'"
std::string witness_text(const Witness& witness);

// One line for each row, with its values separated by commas, as --input reads them.
std::string input_text(const InputTable& input);

// The witness of an entry, without the command.
EntryWitness entry_witness(const Witness& witness);

}  // namespace assay
