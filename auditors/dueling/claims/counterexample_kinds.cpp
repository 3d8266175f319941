#include "assay/auditors/claims/certificates/internal/counterexample_kind.hpp"
#include "assay/auditors/dueling/claims/claims.hpp"
#include "assay/auditors/dueling/claims/counterexamples.hpp"

namespace assay {

template const CounterexampleKind& kind_of<BordaCounterexample>();
template const CounterexampleKind& kind_of<ScoreGapCounterexample>();
template const CounterexampleKind& kind_of<PhaseCounterexample>();
template const CounterexampleKind& kind_of<PullsCounterexample>();
template const CounterexampleKind& kind_of<DuelRegretCounterexample>();
template const CounterexampleKind& kind_of<ConfidenceCounterexample>();

CounterexampleKinds dueling_counterexamples() {
  return {&kind_of<BordaCounterexample>(),      &kind_of<ScoreGapCounterexample>(),
          &kind_of<PhaseCounterexample>(),      &kind_of<PullsCounterexample>(),
          &kind_of<DuelRegretCounterexample>(), &kind_of<ConfidenceCounterexample>()};
}

}  // namespace assay
