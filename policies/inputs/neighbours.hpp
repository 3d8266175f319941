// The values that an input may hold (its domain), and the definition of neighbours, if the user states them. The
// target gets both together with its shape.
//
//   domain       0:1, LOW:HIGH    numbers of an interval: rewards and losses, contexts, or a mechanism's values
//                integers         whole numbers in the range of the kind
//   neighbours   one              one row differs. For a mechanism one value differs: it becomes any other value of
//                                 a bounded domain, or moves by at most 1 if the domain is not bounded
//                all              every value moves by at most 1, in any direction
//                l2:S             all values move together, by at most S in Euclidean norm
//                add-remove       one value is added or removed: an input holds `inputs` values, or one fewer
//
// Only a mechanism can have neighbours other than `one`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct Domain {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool integers = false;

  bool bounded() const { return std::isfinite(low) && std::isfinite(high); }
  bool contains(double value) const {
    return value >= low && value <= high && (!integers || value == std::floor(value));
  }
  // Of a bounded domain: the value at a part of it, from 0 to 1, and the value as far from the other end. The ends are
  // exact in both.
  double at(double part) const {
    return part >= 1.0 ? high : std::clamp(low + part * (high - low), low, high);
  }
  double opposite(double value) const {
    if (value == low || value == high) return value == low ? high : low;
    return std::clamp(low + high - value, low, high);
  }
  std::string text() const;   // in the form that parse_domain() reads
  std::string range() const;  // "in [0, 1]", "an integer"
  friend bool operator==(const Domain&, const Domain&) = default;
};

enum class NeighbourKind { kOne, kAll, kL2, kAddRemove };
constexpr std::array<std::pair<NeighbourKind, std::string_view>, 4> enum_names(NeighbourKind) {
  return {{{NeighbourKind::kOne, "one"},
           {NeighbourKind::kAll, "all"},
           {NeighbourKind::kL2, "l2"},
           {NeighbourKind::kAddRemove, "add-remove"}}};
}

struct Neighbours {
  NeighbourKind kind = NeighbourKind::kOne;
  double distance = 1.0;  // S of l2:S

  std::string text() const;  // in the form that parse_neighbours() reads
  friend bool operator==(const Neighbours&, const Neighbours&) = default;
};

// Errors: any other text. The message says what is allowed.
Result<Domain> parse_domain(std::string_view text);
Result<Neighbours> parse_neighbours(std::string_view text);

}  // namespace assay
