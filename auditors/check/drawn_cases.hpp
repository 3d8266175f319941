// Random configurations, inputs and neighbouring pairs for property tests, and simpler ones of each. check.hpp makes
// RapidCheck generators of them.
//
// What is drawn begins small, so that a check can be exact, and is often extreme, because leaks are:
//   whole numbers   from the low end of the range to 2 above it at size 0 and 51 above it at size 99: the horizon
//                   evenly, the others half of the time by ratio; arms, actions, dimension, inputs and answers to 2 to 5 above it
//   numbers         by ratio within 0.1 to 8, a third of the time 0 where 0 is allowed; three digits
//   pairs           half of the time one of those in which leaks are common (structural_pairs()), otherwise a
//                   neighbour of a random input
// A simpler value comes strictly earlier in one order, so every chain of them ends: parameters go towards their low
// end or their default; then entries go to 0, to the end of their domain, to whole numbers; then the change moves to
// an earlier row. Fewer rounds, arms or values cut the inputs.
// Threads: pure functions. The same stream gives the same draw.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/regret/regret_environment.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// A configuration and a pair of its neighbouring inputs. The pair is unknown if the configuration has none.
struct DrawnCase {
  std::vector<KeyValue> parameters;
  InputPair pair = {};
};

// An environment and a configuration of a policy that earns regret in it.
struct DrawnRegret {
  std::vector<KeyValue> parameters;
  RegretSetting setting;
};

namespace detail {

using Parameters = std::vector<KeyValue>;

// `size` is 0 to 100, as RapidCheck counts. The `kept` parameters keep their values.
Parameters draw_parameters(const std::vector<FieldDescription>& fields, const Parameters& kept,
                           int size, ReplayStream& random);
std::vector<Parameters> simpler_parameters(const std::vector<FieldDescription>& fields,
                                           const Parameters& kept, const Parameters& parameters);

InputTable draw_input(const InputShape& shape, ReplayStream& random);
std::vector<InputTable> simpler_inputs(const InputShape& shape, const InputTable& input);

// Whether two inputs are neighbours.
using PairCheck = std::function<bool(const InputPair&)>;
// Of the kind of the shape alone.
PairCheck neighbours_of_shape(const InputShape& shape);
InputPair draw_pair(const InputShape& shape, const PairCheck& check, ReplayStream& random);
std::vector<InputPair> simpler_pairs(const InputShape& shape, const PairCheck& check,
                                     const InputPair& pair);
// The pair with fewer rows, arms or values: the changed row stays. Unknown if none differ then.
InputPair cut_pair(const InputShape& from, const InputShape& to, const InputPair& pair);
// The same without one row or one value; none if that is not possible.
std::vector<InputPair> shorter_pairs(const InputShape& shape, const InputPair& pair);

// The subject of a case; what a class throws is an error, too.
Result<AuditedSubject> made_subject(const AuditCase& audited, const Parameters& parameters);
// A configuration at which the class itself fails is drawn without a pair.
DrawnCase draw_case(const AuditCase& audited, const Parameters& kept, int size,
                    ReplayStream& random);
std::vector<DrawnCase> simpler_cases(const AuditCase& audited, const Parameters& kept,
                                     const DrawnCase& drawn);

template <class Config>
inline constexpr bool kHasArms = requires(Config config) {
  config.arms;
}
|| requires(Config config) { config.actions; };
// Without arms, rounds and dimension, which an environment determines.
std::vector<FieldDescription> without_sizes(std::vector<FieldDescription> fields);

// What a regret check may draw.
struct RegretSpace {
  std::vector<FieldDescription> fields;  // of the policy, without its sizes
  Parameters kept;
  RegretEnvironment environment = RegretEnvironment::kBernoulliArms;
  std::int64_t most_rounds = 200;
  bool fixed_arms = false;  // the policy has two arms and no field that says so
};
DrawnRegret draw_regret(const RegretSpace& space, int size, ReplayStream& random);
std::vector<DrawnRegret> simpler_regrets(const RegretSpace& space, const DrawnRegret& drawn);

}  // namespace detail

// "horizon = 4, epsilon = 1"; "the defaults".
std::string parameters_text(const std::vector<KeyValue>& parameters);
// The environment and the parameters.
std::string regret_text(const DrawnRegret& drawn);
// Rows between semicolons; both inputs of a pair, a line each; nothing for an unknown pair.
std::string table_text(const InputTable& input);
std::string pair_text(const InputPair& pair);

}  // namespace assay
