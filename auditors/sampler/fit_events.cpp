#include "assay/auditors/sampler/fit_events.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {
namespace {

constexpr int kQuantiles = 64;
constexpr double kOwnCell =
    1.0 / 128.0;                         // a whole number of this probability has a cell of its own
constexpr double kMostNumbers = 1000.0;  // that are looked at for this

void sort_ends(std::vector<double>& ends) {
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
}

// An end at which both sides can occur.
bool divides(const StatedDistribution& stated, double end) {
  return std::isfinite(end) && stated.at_most(end) > 0.0 && stated.above(end) > 0.0;
}

std::vector<double> ends_of_cells(const StatedDistribution& stated) {
  std::vector<double> ends;
  const auto add_both = [&](double q) {
    ends.push_back(stated.lower_cut(q));
    ends.push_back(stated.upper_cut(q));
  };
  for (double q = 1e-6; q < 0.011; q *= 10.0) add_both(q);
  for (int j = 1; j <= kQuantiles / 2; ++j) add_both(j / static_cast<double>(kQuantiles));
  if (stated.is_whole()) {
    const double first = stated.lower_cut(0.5 * kOwnCell), last = stated.upper_cut(0.5 * kOwnCell);
    if (last - first <= kMostNumbers) {
      for (double k = first; k <= last; k += 1.0) {
        if (stated.between(k - 1.0, k) >= kOwnCell) ends.insert(ends.end(), {k - 1.0, k});
      }
    }
  }
  std::erase_if(ends, [&](double end) { return !divides(stated, end); });
  sort_ends(ends);
  return ends;
}

void set_probability(const StatedDistribution& stated, double s, FitEvent& event) {
  event.probability = probability_of(event, stated);
  FitEvent inner = event, outer = event;
  const double direction = event.kind == FitEvent::Kind::kCell ? 1.0 : -1.0;
  inner.low += direction * s;
  inner.high -= direction * s;
  outer.low -= direction * s;
  outer.high += direction * s;
  event.least = std::max(0.0, probability_of(inner, stated) * (1.0 - kStatedError));
  event.most = std::min(1.0, probability_of(outer, stated) * (1.0 + kStatedError));
}

void add_tails(const StatedDistribution& stated, double q, std::vector<FitEvent>& tails) {
  using Kind = FitEvent::Kind;
  FitEvent event;
  event.low = stated.lower_cut(q);
  event.high = stated.upper_cut(q);
  const bool has_lower = divides(stated, event.low) && stated.at_most(event.low) <= 0.5;
  const bool has_upper = divides(stated, event.high) && stated.above(event.high) <= 0.5;
  for (const Kind kind : {Kind::kLowerTail, Kind::kUpperTail, Kind::kBothTails}) {
    event.kind = kind;
    const bool exists = kind == Kind::kLowerTail ? has_lower
                        : kind == Kind::kUpperTail
                            ? has_upper
                            : has_lower && has_upper && event.low < event.high;
    const bool is_new = std::none_of(tails.begin(), tails.end(), [&](const FitEvent& other) {
      return other.kind == kind && (kind == Kind::kUpperTail || other.low == event.low) &&
             (kind == Kind::kLowerTail || other.high == event.high);
    });
    if (exists && is_new) tails.push_back(event);
  }
}

}  // namespace

double probability_of(const FitEvent& event, const StatedDistribution& other) {
  switch (event.kind) {
    case FitEvent::Kind::kLowerTail:
      return other.at_most(event.low);
    case FitEvent::Kind::kUpperTail:
      return other.above(event.high);
    case FitEvent::Kind::kBothTails:
      return event.low < event.high ? other.at_most(event.low) + other.above(event.high) : 1.0;
    case FitEvent::Kind::kCell:
      break;
  }
  return other.between(event.low, event.high);
}

FitEvents fit_events(const StatedDistribution& stated, double rounded_to) {
  FitEvents events;
  events.rounded_to = rounded_to;
  double low = -kInfinity;
  auto ends = ends_of_cells(stated);
  ends.push_back(kInfinity);
  for (const double end : ends) {
    FitEvent cell;
    cell.low = low;
    cell.high = end;
    events.cells.push_back(cell);
    low = end;
  }
  for (const double q :
       {0.25, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
    add_tails(stated, q, events.tails);
  }
  for (auto* list : {&events.cells, &events.tails}) {
    for (auto& event : *list) set_probability(stated, rounded_to, event);
  }
  for (const double end : {stated.lower_cut(0.25), stated.lower_cut(0.5), stated.upper_cut(0.25)}) {
    if (divides(stated, end)) events.classes.push_back(end);
  }
  sort_ends(events.classes);
  return events;
}

}  // namespace assay
