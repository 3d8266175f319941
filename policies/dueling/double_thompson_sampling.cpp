#include "assay/policies/dueling/double_thompson_sampling.hpp"

#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// Gamma(shape, 1), shape >= 1.
double sample_gamma(double shape, ReplayStream& random) {
  const Gaussian normal = Gaussian::create(0.0, 1.0).value();
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal.sample(random);
    const double root = 1.0 + c * x;
    const double u = random.uniform();
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (portable_log(u) < 0.5 * x * x + d * (1.0 - v + portable_log(v))) return d * v;
  }
}

}  // namespace

double detail::sample_beta(double a, double b, ReplayStream& random) {
  const double x = sample_gamma(a, random);
  const double y = sample_gamma(b, random);
  return x / (x + y);
}

Result<DoubleThompsonSampling> DoubleThompsonSampling::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return DoubleThompsonSampling(config);
}

Guarantee DoubleThompsonSampling::guarantee() const {
  return {kNotPrivate, Relation::kReplaceOnePreferences, View::kActions,
          "Double Thompson sampling is not private: its bounds are a function of the outcomes"};
}

Duel DoubleThompsonSampling::choose(ReplayStream& random) {
  const double confidence = config_.alpha * portable_log(static_cast<double>(round_ + 1));
  duel_.first = choose_first(confidence, random);
  duel_.second = choose_second(duel_.first, confidence, random);
  return duel_;
}

int DoubleThompsonSampling::choose_first(double confidence, ReplayStream& random) const {
  detail::Largest candidates;
  for (int i = 0; i < counts_.arms(); ++i) {
    int beaten = 0;
    for (int j = 0; j < counts_.arms(); ++j) {
      beaten += i != j && counts_.upper(i, j, confidence) > 0.5 ? 1 : 0;
    }
    candidates.offer(i, beaten);  // (1)
  }
  std::vector<int> votes(static_cast<std::size_t>(counts_.arms()), 0);
  for (int i = 0; i < counts_.arms(); ++i) {
    for (int j = i + 1; j < counts_.arms(); ++j) {
      const double theta =
          detail::sample_beta(static_cast<double>(counts_.wins(i, j)) + 1.0,
                              static_cast<double>(counts_.wins(j, i)) + 1.0, random);
      if (theta != 0.5) ++votes[static_cast<std::size_t>(theta > 0.5 ? i : j)];
    }
  }
  detail::Largest firsts;
  for (const int i : candidates.arms) firsts.offer(i, votes[static_cast<std::size_t>(i)]);  // (2)
  return detail::one_of(firsts.arms, random);
}

int DoubleThompsonSampling::choose_second(int first, double confidence,
                                          ReplayStream& random) const {
  detail::Largest seconds;
  for (int i = 0; i < counts_.arms(); ++i) {
    const double phi =
        i == first ? 0.5
                   : detail::sample_beta(static_cast<double>(counts_.wins(i, first)) + 1.0,
                                         static_cast<double>(counts_.wins(first, i)) + 1.0, random);
    if (counts_.lower(i, first, confidence) <= 0.5) seconds.offer(i, phi);  // (3)
  }
  return detail::one_of(seconds.arms, random);
}

}  // namespace assay
