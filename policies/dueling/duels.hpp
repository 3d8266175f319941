// The duels of a dueling policy (its actions and their feedback), and the environments that answer them.
//
// In round t the policy names a pair (a, b). The feedback is one bit, whether a won. `first` and
// `second` may be the same arm. In an exact audit the number K a + b stands for the duel (a, b).
//
// PreferenceDuels draws the bit with probability P(a,b). RecordedOutcomes reads it from a private
// input (inputs/input_table.hpp, kind dueling), whose row t holds the user's answer to every pair.
//
// Threads: values. Cost: a duel of PreferenceDuels takes a quarter of a Philox block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/dueling/preference_matrix.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

struct Duel {
  static constexpr InputKind kInput = InputKind::kDueling;  // the kind of input that answers a duel

  int first = 0;
  int second = 0;
  friend bool operator==(const Duel&, const Duel&) = default;
};

// The action is a duel, and the feedback is whether its first arm won.
template <class C>
using DuelingPolicy = PolicyOf<C, NoContext, Duel, bool>;

// The shape of an input that holds the outcomes of all rounds.
inline InputShape duel_shape(std::int64_t arms, std::int64_t horizon) {
  return {.kind = Duel::kInput, .arms = arms, .horizon = horizon};
}

// Draws the outcome: P(first wins) = floor(P 2^63)/2^63 for first < second, and the complement for first > second.
class PreferenceDuels {
 public:
  // Errors: those of check_preferences.
  static Result<PreferenceDuels> create(PreferenceMatrix preferences);

  bool feedback(std::int64_t, const Duel& duel, ReplayStream& random) const {
    const auto place = static_cast<std::size_t>(duel.first * preferences_.arms + duel.second);
    ASSAY_CHECK(place < thresholds_.size(), "both must be arms");
    return (random.next() >> 1) < thresholds_[place];
  }
  const PreferenceMatrix& preferences() const { return preferences_; }

 private:
  explicit PreferenceDuels(PreferenceMatrix preferences);

  PreferenceMatrix preferences_;
  std::vector<std::uint64_t> thresholds_;
};

// Reads the outcome from a private input, and draws no random numbers.
class RecordedOutcomes {
 public:
  // Errors: those of check_input.
  static Result<RecordedOutcomes> create(std::int64_t arms, InputTable outcomes);

  bool feedback(std::int64_t round, const Duel& duel, ReplayStream&) const {
    return outcomes_.row(round)[static_cast<std::size_t>(duel.first * arms_ + duel.second)] == 1.0;
  }

 private:
  RecordedOutcomes(std::int64_t arms, InputTable outcomes)
      : arms_(arms), outcomes_(std::move(outcomes)) {}

  std::int64_t arms_;
  InputTable outcomes_;
};

}  // namespace assay
