#include "assay/policies/dueling/rmed1.hpp"

#include <algorithm>
#include <numeric>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

double x_log_x(double x) { return x == 0.0 ? 0.0 : x * portable_log(x); }

}  // namespace

Result<Rmed1> Rmed1::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return Rmed1(config);
}

Rmed1::Rmed1(const Config& config)
    : CountsDuels(config),
      terms_(static_cast<std::size_t>(config.arms * config.arms), 0.0),
      divergence_(static_cast<std::size_t>(config.arms), 0.0),
      list_(static_cast<std::size_t>(config.arms)),
      next_(static_cast<std::size_t>(config.arms), false),
      waits_(static_cast<std::size_t>(config.arms), true),
      raised_(config.slack * portable_exp(1.01 * portable_log(static_cast<double>(config.arms)))) {
  std::iota(list_.begin(), list_.end(), 0);
}

Guarantee Rmed1::guarantee() const {
  return {kNotPrivate, Relation::kReplaceOnePreferences, View::kActions,
          "RMED1 is not private: its duels are a function of the outcomes"};
}

Duel Rmed1::choose(ReplayStream&) {
  const bool begins = initial_.first + 1 < counts_.arms();
  return duel_ = begins ? initial_ : Duel{list_[slot_], rival(list_[slot_])};
}

void Rmed1::observe(bool won) {
  CountsDuels::observe(won);
  refresh(duel_.first);
  refresh(duel_.second);
  if (initial_.first + 1 < counts_.arms()) {
    if (++initial_.second == counts_.arms()) {
      ++initial_.first;
      initial_.second = initial_.first + 1;
    }
    return;
  }
  waits_[static_cast<std::size_t>(duel_.first)] = false;
  const double most =
      divergence(likely_best()) + portable_log(static_cast<double>(round_)) + raised_;
  for (std::size_t j = 0; j < next_.size(); ++j) {
    if (!waits_[j] && divergence_[j] <= most) next_[j] = true;  // (3)
  }
  if (++slot_ < list_.size()) return;
  list_.clear();
  for (std::size_t j = 0; j < next_.size(); ++j) {
    if (next_[j]) list_.push_back(static_cast<int>(j));
  }
  waits_ = next_;
  next_.assign(next_.size(), false);
  slot_ = 0;
}

int Rmed1::likely_best() const {
  return static_cast<int>(std::min_element(divergence_.begin(), divergence_.end()) -
                          divergence_.begin());
}

bool Rmed1::is_opponent(int i, int j) const {
  return i != j && 2 * counts_.wins(i, j) <= counts_.duels(i, j);
}

int Rmed1::rival(int arm) const {
  const int best = likely_best();
  bool has_opponent = false;
  int strongest = -1;
  double least = HUGE_VAL;
  for (int j = 0; j < counts_.arms(); ++j) {
    if (j == arm) continue;
    has_opponent = has_opponent || is_opponent(arm, j);
    const double mean =
        static_cast<double>(counts_.wins(arm, j)) / static_cast<double>(counts_.duels(arm, j));
    if (mean < least) {
      least = mean;
      strongest = j;
    }
  }
  return !has_opponent || is_opponent(arm, best) ? best : strongest;  // (2)
}

// Computes I of the arm after its duels with one other have changed.
void Rmed1::refresh(int arm) {
  const int other = duel_.first == arm ? duel_.second : duel_.first;
  const auto at = [this](int i, int j) -> double& {
    return terms_[static_cast<std::size_t>(i) * next_.size() + static_cast<std::size_t>(j)];
  };
  if (other != arm) {
    const auto n = static_cast<double>(counts_.duels(arm, other));
    const double p = static_cast<double>(counts_.wins(arm, other)) / n;
    const double divergence = portable_log(2.0) + x_log_x(p) + x_log_x(1.0 - p);
    at(arm, other) = n * std::max(0.0, divergence);
  }
  double sum = 0.0;
  for (int j = 0; j < counts_.arms(); ++j) {
    if (is_opponent(arm, j)) sum += at(arm, j);  // (1)
  }
  divergence_[static_cast<std::size_t>(arm)] = sum;
}

}  // namespace assay
