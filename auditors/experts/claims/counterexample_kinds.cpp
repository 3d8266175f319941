#include "assay/auditors/claims/certificates/internal/counterexample_kind.hpp"
#include "assay/auditors/experts/claims/claims.hpp"
#include "assay/auditors/experts/claims/counterexamples.hpp"

namespace assay {

template const CounterexampleKind& kind_of<EpochCounterexample>();
template const CounterexampleKind& kind_of<RegretCounterexample>();
template const CounterexampleKind& kind_of<IntegralMismatch>();
template const CounterexampleKind& kind_of<GrowthCounterexample>();

CounterexampleKinds expert_counterexamples() {
  return {&kind_of<EpochCounterexample>(), &kind_of<RegretCounterexample>(),
          &kind_of<IntegralMismatch>(), &kind_of<GrowthCounterexample>()};
}

}  // namespace assay
