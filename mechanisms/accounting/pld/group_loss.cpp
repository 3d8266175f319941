#include "assay/mechanisms/accounting/pld/group_loss.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::loss_of {
namespace {

constexpr double kMostWork = 4e7;
constexpr double kMostGroupLoss = 650.0;  // masses under Q stay above 1e-300
constexpr double kLeastLogMass = -690.0;

// g as its slopes: atoms by decreasing losses, after the mass of infinite ones.
struct PowerCurve {
  std::vector<LossAtom> atoms;
  double at_infinity = 0.0;
  double above = 0.0;      // taken for infinite from above, and for nothing from below
  double inflation = 0.0;  // true masses of P and Q may be this part of them larger or smaller
  double largest = 0.0;    // of the magnitudes of losses and log masses
};

// (1) of two curves: `first` after `second`.
PowerCurve composed(const PowerCurve& first, const PowerCurve& second) {
  const double steepest = first.atoms.empty() ? 1.0 : portable_exp(first.atoms.front().loss);
  PowerCurve both{{}, first.at_infinity, first.above, 0.0, 0.0};
  if (second.above > 0.0) both.above += second.above * std::max(1.0, steepest) * (1.0 + 1e-9);
  both.atoms.reserve(first.atoms.size() + second.atoms.size() + 1);
  const auto middle_of_first = [&](std::size_t i) {
    return portable_exp(first.atoms[i].log_mass - first.atoms[i].loss);
  };
  std::size_t i = 0, j = 0, pieces_of_first = 0, pieces_of_second = 0, most_pieces = 1;
  bool is_infinite = second.at_infinity > 0.0;
  double left_of_first = first.atoms.empty() ? 0.0 : middle_of_first(0);
  double left_of_second = is_infinite            ? second.at_infinity
                          : second.atoms.empty() ? 0.0
                                                 : portable_exp(second.atoms[0].log_mass);
  while (i < first.atoms.size() && (is_infinite || j < second.atoms.size())) {
    const double mass = std::min(left_of_first, left_of_second);
    const double loss = first.atoms[i].loss;
    most_pieces = std::max({most_pieces, ++pieces_of_first, ++pieces_of_second});
    if (mass > 0.0 && is_infinite) {
      both.at_infinity += mass * portable_exp(loss);
    } else if (mass > 0.0) {
      const double log_mass = portable_log(mass);
      const LossAtom atom{loss + second.atoms[j].loss, log_mass + loss};  // (2)
      if (log_mass - second.atoms[j].loss < kLeastLogMass || atom.log_mass < kLeastLogMass) {
        both.above += portable_exp(atom.log_mass) + 1e-300;
      } else {
        both.atoms.push_back(atom);
        both.largest = std::max({both.largest, std::fabs(atom.loss), std::fabs(atom.log_mass)});
      }
    }
    const bool ends_first = left_of_first <= mass, ends_second = left_of_second <= mass;
    left_of_first -= mass;
    left_of_second -= mass;
    if (ends_first) {
      pieces_of_first = 0;
      if (++i < first.atoms.size()) left_of_first = middle_of_first(i);
    }
    if (ends_second) {
      pieces_of_second = 0;
      if (!std::exchange(is_infinite, false)) ++j;
      if (j < second.atoms.size()) left_of_second = portable_exp(second.atoms[j].log_mass);
    }
  }
  // docs/proofs/groups.md, (4): the errors of both, and of the pieces of one atom.
  const double rounding =
      kUnitRoundoff * (static_cast<double>(most_pieces) +
                       4.0 * (1.0 + first.largest + second.largest + both.largest));
  both.inflation = 2.0 * first.inflation + second.inflation + 4.0 * rounding;
  return both;
}

}  // namespace

Result<PrivacyLoss> group(const PrivacyLoss& one, std::int64_t size) {
  ASSAY_TRY(detail::check_count("group", size, 1000));
  if (!one.pieces.empty()) {
    return fail(ErrorCode::kInvalidArgument, "group needs a loss of finitely many values");
  }
  if (size == 1) return one;
  const auto k = static_cast<double>(size);
  const double work = k * k * static_cast<double>(one.atoms.size());
  if (work > kMostWork) {
    return fail(ErrorCode::kLimit,
                "group times itself and the number of outputs must be at most 4e+07, not " +
                    number_text(work),
                "/group");
  }
  PowerCurve single{{one.atoms.rbegin(), one.atoms.rend()}, one.mass_at_infinity, 0.0, 0.0, 0.0};
  for (const LossAtom& atom : single.atoms) {
    single.largest = std::max({single.largest, std::fabs(atom.loss), std::fabs(atom.log_mass)});
    if (std::fabs(atom.loss) * k <= kMostGroupLoss) continue;
    return fail(ErrorCode::kInvalidArgument,
                "group times the largest loss must be at most 650, not " +
                    number_text(std::fabs(atom.loss) * k),
                "/group");
  }
  // What may be infinite besides is a part of what is.
  const double beside = one.mass_above + one.mass_below;
  if (beside > 1e-3 * one.mass_at_infinity) {
    return fail(ErrorCode::kInvalidArgument, "group needs a loss whose infinite part is known");
  }
  single.inflation = one.weight_error + one.loss_error +
                     8.0 * kUnitRoundoff * (1.0 + 2.0 * single.largest) +
                     (beside > 0.0 ? beside / one.mass_at_infinity : 0.0);
  PowerCurve all = single;
  for (std::int64_t i = 1; i < size; ++i) all = composed(single, all);  // (1)
  PrivacyLoss loss;
  loss.atoms.assign(all.atoms.rbegin(), all.atoms.rend());
  loss.mass_at_infinity = all.at_infinity * (1.0 - 2.0 * all.inflation);
  loss.mass_above = 4.0 * all.inflation * all.at_infinity + all.above * (1.0 + 1e-9);
  loss.weight_error = 2.0 * all.inflation;
  loss.loss_error = 4.0 * all.inflation + 4.0 * k * kUnitRoundoff * all.largest;
  if (!loss.atoms.empty()) loss.lattice = one.lattice;
  return loss;
}

}  // namespace assay::loss_of
