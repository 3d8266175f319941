#include "assay/policies/dueling/rucb.hpp"

#include <algorithm>
#include <numeric>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

Result<Rucb> Rucb::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return Rucb(config);
}

Guarantee Rucb::guarantee() const {
  return {kNotPrivate, Relation::kReplaceOnePreferences, View::kActions,
          "RUCB is not private: its duels are a function of the outcomes"};
}

Duel Rucb::choose(ReplayStream& random) {
  const double confidence = config_.alpha * portable_log(static_cast<double>(round_ + 1));
  duel_.first = choose_first(confidence, random);
  duel_.second = choose_second(duel_.first, confidence, random);
  return duel_;
}

int Rucb::choose_first(double confidence, ReplayStream& random) {
  std::vector<int> champions;  // C
  for (int i = 0; i < counts_.arms(); ++i) {
    bool may_beat_all = true;
    for (int j = 0; j < counts_.arms() && may_beat_all; ++j) {
      may_beat_all = counts_.upper(i, j, confidence) >= 0.5;
    }
    if (may_beat_all) champions.push_back(i);
  }
  if (std::find(champions.begin(), champions.end(), best_) == champions.end()) best_ = -1;
  if (champions.empty()) {
    champions.resize(static_cast<std::size_t>(counts_.arms()));
    std::iota(champions.begin(), champions.end(), 0);
    return detail::one_of(champions, random);  // (1)
  }
  if (champions.size() == 1) return best_ = champions[0];
  if (best_ >= 0) {
    if (random.next() >> 63 == 0) return best_;
    std::erase(champions, best_);
  }
  return detail::one_of(champions, random);
}

int Rucb::choose_second(int first, double confidence, ReplayStream& random) {
  detail::Largest rivals;
  for (int j = 0; j < counts_.arms(); ++j) rivals.offer(j, counts_.upper(j, first, confidence));
  if (rivals.arms.size() > 1) std::erase(rivals.arms, first);
  return detail::one_of(rivals.arms, random);  // (2)
}

}  // namespace assay
