// Profiles of random allocation by enumeration, and of loss distributions term by term, in extended precision.
#pragma once

#include <cmath>
#include <vector>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"

namespace assay {

struct TablePair {
  std::vector<double> p, r;
};

// delta(eps) of atoms, with all their errors carried down, and up.
inline long double profile_below(const PrivacyLoss& loss, double eps) {
  long double sum = loss.mass_at_infinity;
  for (const LossAtom& atom : loss.atoms) {
    const long double l = static_cast<long double>(atom.loss) - loss.loss_error;
    const long double mass =
        std::exp(static_cast<long double>(atom.log_mass)) * (1.0L - loss.weight_error);
    if (l > eps) sum += mass * -std::expm1(eps - l);
  }
  return sum;
}
inline long double profile_above(const PrivacyLoss& loss, double eps) {
  long double sum = static_cast<long double>(loss.mass_at_infinity) + loss.mass_above;
  for (const LossAtom& atom : loss.atoms) {
    const long double l = static_cast<long double>(atom.loss) + loss.loss_error;
    const long double mass =
        std::exp(static_cast<long double>(atom.log_mass)) * (1.0L + loss.weight_error);
    if (l > eps) sum += mass * -std::expm1(eps - l);
  }
  return sum;
}

// All outcomes of `batches` steps: P is the average of the products with p in one place and r in all others.
inline void visit_allocation(const TablePair& table, int batches, const auto& visit,
                             long double with = 0.0L, long double without = 1.0L) {
  if (batches == 0) return visit(with, without);
  for (std::size_t i = 0; i < table.p.size(); ++i) {
    const long double p = table.p[i], r = table.r[i];
    visit_allocation(table, batches - 1, visit, with * r + without * p, without * r);
  }
}

inline long double allocated_profile(const TablePair& table, int batches,
                                     SamplingDirection direction, double eps) {
  const long double factor = std::exp(static_cast<long double>(eps));
  long double sum = 0.0L;
  visit_allocation(table, batches, [&](long double with, long double without) {
    const long double p = with / batches;
    const bool is_add = direction == SamplingDirection::kAdd;
    sum += std::max(is_add ? without - factor * p : p - factor * without, 0.0L);
  });
  return sum;
}

}  // namespace assay
