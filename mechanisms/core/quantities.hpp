// Strong types for the quantities of privacy, and for bounds on them with their direction.
//
// Epsilon, Delta, Mu and Rho are doubles that do not convert into each other. LowerBound<Q> and
// UpperBound<Q> do not convert into each other either, so a lower bound can never be passed where a
// guarantee is needed.
#pragma once

#include <compare>

namespace assay {

template <class Tag>
struct Quantity {
  double value = 0.0;
  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
};

using Epsilon = Quantity<struct EpsilonTag>;  // natural-log units, in [0, inf]
using Delta = Quantity<struct DeltaTag>;      // a probability, in [0, 1]
using Mu = Quantity<struct MuTag>;            // Gaussian DP parameter, in [0, inf]
using Rho = Quantity<struct RhoTag>;          // zero-concentrated DP parameter, in [0, inf]

template <class Q>
struct LowerBound {
  Q value{};
};

template <class Q>
struct UpperBound {
  Q value{};
};

// A certified interval: the true value is in [lower, upper], with the confidence that its producer states.
template <class Q>
struct Interval {
  LowerBound<Q> lower{};
  UpperBound<Q> upper{};
};

}  // namespace assay
