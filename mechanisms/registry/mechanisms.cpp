#include "assay/mechanisms/registry/mechanisms.hpp"

namespace assay {
namespace {

template <class M>
MechanismDescription describe() {
  static_assert(Mechanism<M>);
  static_assert(!kNameOf<M>.id.empty(), "a mechanism needs a name");
  const char* distribution = FiniteMechanism<M>    ? "every output's probability"
                             : DensityMechanism<M> ? "density"
                                                   : "sampled only";
  return {kNameOf<M>, distribution, describe_fields<typename M::Config>(),
          M::create(typename M::Config{}).value().guarantee()};
}

template <class... M>
std::vector<MechanismDescription> describe_all(TypeList<M...>) {
  return {describe<M>()...};
}

}  // namespace

const std::vector<MechanismDescription>& mechanism_descriptions() {
  static const std::vector<MechanismDescription> all = describe_all(Mechanisms{});
  return all;
}

}  // namespace assay
