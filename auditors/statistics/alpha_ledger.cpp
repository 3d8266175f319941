#include "assay/auditors/statistics/alpha_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

namespace {

// Shares such as ten times 0.1 add up to 1 only up to rounding, so this part of a share may be missing.
constexpr double kRounding = 1e-9;

}  // namespace

Result<AlphaLedger> AlphaLedger::create(double total) {
  if (!(total > 0.0 && total <= 0.5)) {
    return fail(ErrorCode::kInvalidArgument,
                "alpha must lie in (0, 0.5], not " + number_text(total), "/alpha");
  }
  return AlphaLedger(total);
}

Result<double> AlphaLedger::spend(std::string purpose, double fraction) {
  if (!(fraction > 0.0 && fraction <= 1.0)) {
    return fail(ErrorCode::kInvalidArgument, "the share of alpha for '" + purpose +
                                                 "' must lie in (0, 1], not " +
                                                 number_text(fraction));
  }
  const double left_fraction = 1.0 - spent_fraction_;
  if (fraction > left_fraction + kRounding * fraction) {
    return fail(ErrorCode::kInvalidArgument,
                "the share of alpha for '" + purpose + "' is " + number_text(fraction) +
                    ", but only " + number_text(std::max(left_fraction, 0.0)) + " is left");
  }
  // A last share that rounding pushed beyond the total gets the rest and no more.
  const double granted = std::min(fraction, left_fraction);
  spent_fraction_ = std::min(1.0, spent_fraction_ + granted);
  entries_.push_back({std::move(purpose), granted * total_});
  return entries_.back().alpha;
}

double AlphaLedger::left() const { return std::max(0.0, (1.0 - spent_fraction_) * total_); }

double alpha_of(double confidence) { return std::round((1.0 - confidence) * 1e15) / 1e15; }

Status check_confidence(double confidence) {
  if (confidence >= 0.5 && confidence < 1.0) return {};
  return fail(ErrorCode::kInvalidArgument,
              "confidence must be at least 0.5 and below 1, not " + number_text(confidence),
              "/confidence");
}

}  // namespace assay
