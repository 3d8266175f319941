#include "assay/auditors/bandits/claims/claims.hpp"
#include "assay/auditors/bandits/claims/counterexamples.hpp"
#include "assay/auditors/claims/certificates/internal/counterexample_kind.hpp"

namespace assay {

template const CounterexampleKind& kind_of<RoundCounterexample>();
template const CounterexampleKind& kind_of<NoisyMaxCounterexample>();
template const CounterexampleKind& kind_of<LawMismatch>();

CounterexampleKinds thompson_sampling_counterexamples() {
  return {&kind_of<RoundCounterexample>(), &kind_of<NoisyMaxCounterexample>(),
          &kind_of<LawMismatch>()};
}

}  // namespace assay
