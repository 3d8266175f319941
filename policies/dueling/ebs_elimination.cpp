#include "assay/policies/dueling/ebs_elimination.hpp"

#include <algorithm>

#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/binomial_count.hpp"

namespace assay {

detail::CountedEbs::CountedEbs(std::int64_t arms, std::int64_t horizon, double delta, double lie)
    : rounds_(arms), horizon_(horizon), lie_(lie), block_(1.0 / (1.0 - 2.0 * lie)) {
  const auto rounds = static_cast<double>(horizon);
  log_cases_ = portable_log(static_cast<double>(arms)) + portable_log(rounds) -
               portable_log(delta > 0.0 ? delta : std::min(0.5, 1.0 / rounds));
}

Result<EbsElimination> EbsElimination::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return EbsElimination(config);
}

Guarantee EbsElimination::guarantee() const {
  return {kNotPrivate, Relation::kReplaceOnePreferences, View::kActions,
          "EBS elimination without noise is not private: eliminations are a function of outcomes"};
}

Result<LocalEbsElimination> LocalEbsElimination::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const detail::Enclosure odds = detail::exp(detail::Enclosure(config.epsilon));
  const double lie = (detail::Enclosure(1.0) / (odds + 1.0)).high;
  return LocalEbsElimination(config, probability_threshold(lie) + 1);  // (3)
}

Guarantee LocalEbsElimination::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOnePreferences, View::kActions,
          "DP-Dueling, Remark 3: randomised response of each user, the local model"};
}

}  // namespace assay
