#include "assay/policies/experts/hedge.hpp"

#include <cmath>
#include <limits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/numerics/argmax.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

Result<Hedge> Hedge::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return Hedge(config);
}

Hedge::Hedge(const Config& config)
    : PolicyOf(config), sums_(static_cast<std::size_t>(config.actions), 0.0) {}

double Hedge::learning_rate() const {
  const double t = static_cast<double>(round_ + 1);
  return config_.rate * std::sqrt(portable_log(static_cast<double>(config_.actions)) / t);  // (1)
}

int Hedge::choose(ReplayStream& random) {
  ASSAY_CHECK(round_ < config_.horizon, "all rounds of the horizon are done");
  static const Gumbel noise = Gumbel::create(0.0, 1.0).value();
  const double eta = learning_rate();
  return static_cast<int>(detail::argmax(sums_.size(), [&](std::size_t j) {
    return noise.sample(random) - eta * sums_[j];  // (2)
  }));
}

void Hedge::observe(std::span<const double> losses, ReplayStream&) {
  ASSAY_CHECK(losses.size() == sums_.size(), "one loss per expert");
  for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += losses[j];
  ++round_;
}

std::vector<double> Hedge::log_probabilities() const {
  const double eta = learning_rate();
  double total = -std::numeric_limits<double>::infinity();
  for (const double sum : sums_) {
    const double term = -eta * sum;
    total = total < term ? log_add_exp(term, total) : log_add_exp(total, term);
  }
  std::vector<double> out;
  for (const double sum : sums_) out.push_back(-eta * sum - total);  // (1)
  return out;
}

Guarantee Hedge::guarantee() const {
  using detail::Enclosure;
  const Enclosure root_log = sqrt(log(Enclosure(static_cast<double>(config_.actions))));
  const Enclosure rounds = sqrt(Enclosure(static_cast<double>(config_.horizon))) - Enclosure(1.0);
  const Enclosure epsilon = Enclosure(4.0 * config_.rate) * root_log * rounds;  // (3)
  return {PureDp{Epsilon{config_.horizon == 1 ? 0.0 : epsilon.high}},
          Relation::kReplaceOneLossVector, View::kActions,
          "the exponential mechanism in each round, composed"};
}

}  // namespace assay
