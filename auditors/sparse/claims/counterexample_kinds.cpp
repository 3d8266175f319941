#include "assay/auditors/claims/certificates/internal/counterexample_kind.hpp"
#include "assay/auditors/sparse/claims/claims.hpp"
#include "assay/auditors/sparse/claims/counterexamples.hpp"
#include "assay/auditors/sparse/claims/joint_dp_counterexamples.hpp"

namespace assay {

template const CounterexampleKind& kind_of<GradientCounterexample>();
template const CounterexampleKind& kind_of<ClippingCounterexample>();
template const CounterexampleKind& kind_of<PeelingCounterexample>();
template const CounterexampleKind& kind_of<LowerCounterexample>();
template const CounterexampleKind& kind_of<GreedySignCounterexample>();
template const CounterexampleKind& kind_of<NormalizedContextsCounterexample>();
template const CounterexampleKind& kind_of<ExperimentsCounterexample>();

CounterexampleKinds sparse_counterexamples() {
  return {&kind_of<GradientCounterexample>(),   &kind_of<ClippingCounterexample>(),
          &kind_of<PeelingCounterexample>(),    &kind_of<LowerCounterexample>(),
          &kind_of<GreedySignCounterexample>(), &kind_of<NormalizedContextsCounterexample>(),
          &kind_of<ExperimentsCounterexample>()};
}

}  // namespace assay
