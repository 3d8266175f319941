#include "assay/auditors/best_arm/claims/claims.hpp"
#include "assay/auditors/best_arm/claims/counterexamples.hpp"
#include "assay/auditors/claims/certificates/internal/counterexample_kind.hpp"

namespace assay {

template const CounterexampleKind& kind_of<GaussianCounterexample>();
template const CounterexampleKind& kind_of<MomentsCounterexample>();
template const CounterexampleKind& kind_of<LaterBasisCounterexample>();
template const CounterexampleKind& kind_of<MeasureCounterexample>();
template const CounterexampleKind& kind_of<BudgetCounterexample>();

CounterexampleKinds best_arm_counterexamples() {
  return {&kind_of<GaussianCounterexample>(), &kind_of<MomentsCounterexample>(),
          &kind_of<LaterBasisCounterexample>(), &kind_of<MeasureCounterexample>(),
          &kind_of<BudgetCounterexample>()};
}

}  // namespace assay
