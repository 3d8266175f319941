// Finds the value of one parameter of a chain at which the chain just meets a target (eps, delta), between two
// certified ends.
//
// Any mechanism, level and sampler of step.hpp can be solved for a number that makes a release more or less private:
// its noise, its level, its sampling, how many releases there are. With c(v) the certified bounds on the cost of the
// chain at the value v (account.hpp),
//   c_upper(v) <= target        certifies v                                                       (1)
//   c_lower(v) >  target        refutes v: some data sets lose more                               (2)
// (1) needs no monotonicity. (2) refutes every less private value too where the chain at v is a post-processing of the
// chain at that value, or a special case of it, for the same data sets:
//   compose, moves, passes,     fewer releases are a part of more
//   run_compose
//   sigma, scale                Gaussian noise, and by (3) of composed_calibration.hpp Laplace noise, with more of it
//                               is noise with independent noise added, whatever the sampler. Laplace noise on integers
//                               too: with p = e^(-1/b) < p' its generating functions are in the ratio
//                               r + (1 - r) D_p'(z), r = (1 - p')^2 p/((1 - p)^2 p'), the noise 0 with probability r
//   sensitivity, distance       records that move the answer less are among those that may move it more
//   epsilon, own_delta, mu, rho a mechanism of a smaller level has the larger one. Responses among k answers with
//                               a smaller eps are responses at the larger one, kept or replaced by any of the k
//   sampling                    poisson: release the sampled output with probability t, else one without the record:
//                               (1 - q) R + q P turns into (1 - t q) R + t q P, and R stays R
//   those of a run              a post-processing of a run is a part of the run, of which repeat-and-select takes any
// For other parameters, and for the sigma of Gaussian noise on integers, this is not proved: the value is enough by (1), a
// neighbouring one is not by (2), and nothing is said of those beyond.
//
// Errors: a parameter without a direction, one that the step has not, no value that is allowed and enough; those of
// account_for(). Threads: pure functions. Cost: about 15 compositions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// A step with one open parameter: "compose", "moves", or one of its mechanism or sampler.
struct OpenStep {
  std::string mechanism;             // as for make_step()
  std::vector<KeyValue> parameters;  // without the open one; a group of records among them
  std::int64_t count = 1;
  std::int64_t moves = 1;
  std::string label;
  std::string open;
  std::optional<double> start;  // where the search starts
};

struct SolvedParameter {
  double value = 0.0;             // certified: enough
  std::optional<double> refuted;  // certified: not enough
  bool is_whole = false;          // a whole number, as compose is
  bool more_is_safer = false;     // whether larger values cost less
  std::string monotone;  // why no value beyond `refuted` is enough; empty if that is not proved
  ChainStep step;        // with the value
  AccountAnswer
      achieved;  // delta at the target's eps with this value; eps at delta = 0 if that is the target
};

// The parameters of a step that can be solved for, in the order of step_descriptions(), and compose. Of the given ones
// only the sampler and the run count.
std::vector<std::string> solvable_parameters(const std::string& mechanism,
                                             std::span<const KeyValue> parameters);

// `others` are the other steps of the chain; the order of steps does not matter.
Result<SolvedParameter> solve_parameter(const OpenStep& open, std::span<const ChainStep> others,
                                        const ApproximateDp& target,
                                        const RunControl& control = {});

}  // namespace assay
