// The groups of `assay bench`. Candidates of a group solve the same problem, so they can be compared.
//
//   additive   k integer answers, each with noise
//   selection  one of n candidates, of high score
//   counters   the running sums of a stream
//   bandits    arms with rewards in [0, 1]; relation: replace one reward
//   experts    losses of all experts each round; relation: replace one loss vector
//   best-arm   the best of 30 arms with a budget of pulls
//   duels      duels of arms that have scores
// A group has a configuration, which is its setting, and a function that makes a BenchComparison (candidate.hpp) from
// the setting and the target. Its candidates are calibrated by the library's calibrators.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/bench/candidate.hpp"

namespace assay {

struct BenchGroup {
  std::string id;
  std::string title;
  std::vector<FieldDescription> parameters;
  std::vector<std::string> candidates;  // ids
  // Errors: a setting that does not fit. The message names the field.
  std::function<Result<BenchComparison>(const std::vector<KeyValue>& given,
                                        const ApproximateDp& target, std::uint64_t seed)>
      compare;
};

const std::vector<BenchGroup>& bench_groups();

namespace detail {

BenchGroup additive_group();
BenchGroup selection_group();
BenchGroup counters_group();
BenchGroup bandits_group();
BenchGroup experts_group();
BenchGroup best_arm_group();
BenchGroup duels_group();

// The group of a setting: `compare` reads the setting, `fill` adds the candidates.
template <class Setting>
BenchGroup group_of(std::string id, std::string title,
                    BenchComparison (*fill)(const Setting&, const ApproximateDp&, std::uint64_t)) {
  BenchGroup group{std::move(id), std::move(title), describe_fields<Setting>(), {}, {}};
  for (const auto& one : fill(Setting{}, {Epsilon{1.0}, Delta{0.0}}, 1).candidates) {
    group.candidates.push_back(one.id);
  }
  group.compare = [fill, name = group.id, text = group.title](
                      const std::vector<KeyValue>& given, const ApproximateDp& target,
                      std::uint64_t seed) -> Result<BenchComparison> {
    const auto setting = ASSAY_TRY(read_configuration<Setting>(given));
    BenchComparison comparison = fill(setting, target, seed);
    comparison.group = name;
    comparison.title = text;
    comparison.parameters = field_values(setting);
    comparison.target = target;
    return comparison;
  };
  return group;
}

// The purpose of the random streams of a candidate's repetitions at a size.
std::uint64_t bench_purpose(const std::string& candidate, std::int64_t size,
                            const std::string& role);

// The parameter of groups that calibrate several releases to the target together. `--compose` sets it.
inline constexpr const char* kComposeField = "compose";
template <class Setting>
auto compose_field(std::int64_t Setting::*member) {
  return field(kComposeField, member, Range{1, 100'000}, "k",
               "how many releases, each of all answers or one selection, share the level");
}

// The root, rounded up.
double root_up(std::int64_t count);

// Error: a delta of 0, which Gaussian noise cannot reach.
Status check_delta(const ApproximateDp& target);
// Sets epsilon and delta of Gaussian noise to the target. Error: that of check_delta.
template <class Config>
Status set_gaussian_level(Config& config, const ApproximateDp& target) {
  ASSAY_TRY(check_delta(target));
  config.epsilon = target.epsilon.value;
  config.delta = target.delta.value;
  return {};
}

}  // namespace detail
}  // namespace assay
