#include "assay/policies/dueling/dp_ebs_elimination.hpp"

#include <algorithm>

#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/dueling/laplace_sum.hpp"

namespace assay {
namespace {

std::int64_t longest_counter(const DpEbsEliminationConfig& config) {
  return config.horizon + config.arms - 2;  // H
}

std::int64_t levels(std::int64_t entries) {
  return std::bit_width(static_cast<std::uint64_t>(entries));  // h
}

std::int64_t nodes_moved(const DpEbsEliminationConfig& config) {
  const std::int64_t entries = longest_counter(config);
  return config.arms == 2 ? levels(entries) : detail::tree_nodes_moved_twice(entries);  // (4)
}

double log_failures(const DpEbsEliminationConfig& config) {  // log(1/delta)
  const double delta =
      config.delta > 0.0 ? config.delta : std::min(0.5, 1.0 / static_cast<double>(config.horizon));
  return -portable_log(delta);
}

std::vector<double> radii(const DpEbsEliminationConfig& config, double scale) {
  const std::int64_t entries = longest_counter(config);
  if (config.radius == Radius::kNone) {
    return std::vector<double>(static_cast<std::size_t>(levels(entries)) + 1, 0.0);
  }
  const double log_arms = portable_log(static_cast<double>(config.arms)) + log_failures(config);
  const double log_horizon = portable_log(static_cast<double>(config.horizon));
  const double paper =
      16.0 * log_arms * log_horizon * log_horizon * std::sqrt(log_horizon) / config.epsilon;  // (2)
  std::vector<double> out{0.0};
  for (int nodes = 1; nodes <= levels(entries); ++nodes) {
    out.push_back(
        config.radius == Radius::kPaper
            ? paper
            : scale * laplace_sum_quantile(
                          nodes, -log_arms - portable_log(static_cast<double>(entries))));  // (3)
  }
  return out;
}

}  // namespace

std::int64_t detail::tree_nodes_moved_twice(std::int64_t entries) {
  const std::int64_t h = levels(entries);
  const auto highest = std::bit_floor(static_cast<std::uint64_t>(entries));
  const std::int64_t rest = entries - static_cast<std::int64_t>(highest);
  return std::max({h, 2 * h - 3, h + levels(rest)});  // (4); levels(rest) is k + 1
}

Result<DpEbsElimination> DpEbsElimination::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const bool paper = config.calibration == Calibration::kPaper;
  const double level = paper ? config.epsilon / 4.0 : config.epsilon;
  const std::int64_t nodes = paper ? levels(longest_counter(config)) : nodes_moved(config);
  const double scale = ASSAY_TRY(counter_scale(
      CounterNoise::kIdealizedLaplace, {Epsilon{level}, Delta{0.0}}, 1.0, nodes));  // (5), (6)
  const auto noise = ASSAY_TRY(NodeNoise::create(CounterNoise::kIdealizedLaplace, scale));
  return DpEbsElimination(config, noise);
}

DpEbsElimination::DpEbsElimination(const Config& config, const NodeNoise& node)
    : PolicyOf(config),
      rounds_(config.arms),
      counters_(static_cast<std::size_t>(config.arms), TreeCounter(node, longest_counter(config))),
      noise_(Laplace::create(0.0, node.scale()).value()),
      log_cases_(portable_log(static_cast<double>(config.arms)) +
                 portable_log(static_cast<double>(config.horizon)) + log_failures(config)),
      radii_(std::make_shared<const std::vector<double>>(radii(config, node.scale()))) {}

double DpEbsElimination::spent_epsilon() const {
  return (detail::Enclosure(static_cast<double>(nodes_moved(config_))) / noise_scale()).high;
}

Guarantee DpEbsElimination::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOnePreferences, View::kActions,
          config_.calibration == Calibration::kPaper
              ? "DP-Dueling, Lemma 2: tree counters of level eps/4"
              : "DP-Dueling, Algorithm 1, with the noise that the nodes moved by one bit require"};
}

}  // namespace assay
