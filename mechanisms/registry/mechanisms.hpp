// The list of all mechanisms, by name. `assay list mechanisms`, `assay explain` and the conformance
// tests read this one list. To add a mechanism, add an entry to `kNamedMechanisms`. The mechanisms
// "idealized-..." draw noise in doubles, so they are for simulation and audits and not for release.
// Mechanisms that are known to be wrong are not in this list but in mechanisms/faulty/.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/type_list.hpp"
#include "assay/mechanisms/idealized/gaussian_mechanism.hpp"
#include "assay/mechanisms/idealized/laplace_mechanism.hpp"
#include "assay/mechanisms/idealized/noisy_histogram.hpp"
#include "assay/mechanisms/idealized/numerical_sparse_vector.hpp"
#include "assay/mechanisms/idealized/peeling.hpp"
#include "assay/mechanisms/release/above_threshold.hpp"
#include "assay/mechanisms/release/counters/honaker_counter.hpp"
#include "assay/mechanisms/release/counters/hybrid_counter.hpp"
#include "assay/mechanisms/release/counters/square_root_counter.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/mechanisms/release/discrete_noise_mechanisms.hpp"
#include "assay/mechanisms/release/exponential_mechanism.hpp"
#include "assay/mechanisms/release/gaussian_mechanism.hpp"
#include "assay/mechanisms/release/laplace_mechanism.hpp"
#include "assay/mechanisms/release/randomized_response.hpp"
#include "assay/mechanisms/release/rappor.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/mechanisms/release/snapped_laplace.hpp"
#include "assay/mechanisms/release/top_k.hpp"
#include "assay/mechanisms/release/truncated_geometric.hpp"
#include "assay/mechanisms/release/unary_encoding.hpp"

namespace assay {

struct MechanismName {
  std::string_view id;
  std::string_view title;
};

namespace detail {

template <class M>
struct NamedMechanism : MechanismName {};
template <class M>
constexpr NamedMechanism<M> named(std::string_view id, std::string_view title) {
  return {{id, title}};
}

}  // namespace detail

inline constexpr std::tuple kNamedMechanisms{
    detail::named<LaplaceMechanism>("laplace",
                                    "answers on a grid plus exact discrete Laplace noise"),
    detail::named<GaussianMechanism>("gaussian",
                                     "answers on a grid plus exact discrete Gaussian noise"),
    detail::named<SnappedLaplace>(
        "snapped-laplace",
        "an answer plus Laplace noise in doubles, clamped and snapped to a grid"),
    detail::named<DiscreteLaplaceMechanism>("discrete-laplace",
                                            "integer answers plus discrete Laplace noise"),
    detail::named<DiscreteGaussianMechanism>("discrete-gaussian",
                                             "an integer answer plus discrete Gaussian noise"),
    detail::named<ExponentialMechanism>(
        "exponential", "a candidate of high score, by weights exponential in the score"),
    detail::named<PermuteAndFlip>("permute-and-flip",
                                  "a candidate of high score, never worse than exponential"),
    detail::named<ReportNoisyMax>(
        "report-noisy-max", "the index of the largest noisy answer, with a choice of five noises"),
    detail::named<TopK>("top-k", "the k candidates of largest noisy score, in order or as a set"),
    detail::named<idealized::PeelingMechanism>(
        "idealized-peeling",
        "the coordinates of largest noisy absolute value, one by one, with noisy values, not for release"),
    detail::named<AboveThreshold>("above-threshold",
                                  "which answers lie above a noisy threshold (sparse vector)"),
    detail::named<ResettingAboveThreshold>(
        "resetting-above-threshold",
        "sparse vector with a new threshold after each answer above it"),
    detail::named<idealized::NumericalSparseVector>(
        "idealized-numerical-sparse-vector",
        "the answers above a noisy threshold, each with its own noise"),
    detail::named<idealized::NoisyHistogram>("idealized-noisy-histogram",
                                             "Laplace noise on disjoint cells"),
    detail::named<idealized::PrefixSum>("idealized-prefix-sum", "the prefix sums of noisy answers"),
    detail::named<idealized::ParallelLaplace>("idealized-parallel-laplace",
                                              "many Laplace releases of one answer"),
    detail::named<TruncatedGeometric>("truncated-geometric",
                                      "a count with geometric noise, folded onto its range"),
    detail::named<RandomizedResponse>("randomized-response",
                                      "the truth with some probability, else another value"),
    detail::named<UnaryEncoding>("unary-encoding", "a value as bits, each by randomised response"),
    detail::named<Rappor>("rappor", "a Bloom filter's bits by randomised response, twice"),
    detail::named<OneTimeRappor>("one-time-rappor",
                                 "a Bloom filter's bits by randomised response, once"),
    detail::named<TreeCounterMechanism>("tree-counter",
                                        "running sums of a stream by a binary tree"),
    detail::named<HonakerCounterMechanism>(
        "honaker-counter", "all sums of a binary tree, for running sums of least variance"),
    detail::named<HybridCounterMechanism>("hybrid-counter",
                                          "running sums of a stream of unknown length"),
    detail::named<idealized::LaplaceMechanism>(
        "idealized-laplace", "answers plus Laplace noise in doubles, not for release"),
    detail::named<idealized::GaussianMechanism>(
        "idealized-gaussian", "answers plus Gaussian noise in doubles, not for release"),
    detail::named<idealized::SquareRootCounterMechanism>(
        "idealized-square-root-counter",
        "running sums with noise correlated by a matrix square root")};

namespace detail {

template <class... M>
TypeList<M...> types_of(const std::tuple<NamedMechanism<M>...>&);

template <class M>
constexpr MechanismName name_of() {
  MechanismName found;
  const auto look = [&]<class N>(const NamedMechanism<N>& one) {
    if constexpr (std::is_same_v<M, N>) found = one;
  };
  std::apply([&](const auto&... one) { (look(one), ...); }, kNamedMechanisms);
  return found;
}

}  // namespace detail

using Mechanisms = decltype(detail::types_of(kNamedMechanisms));

template <class M>
inline constexpr MechanismName kNameOf = detail::name_of<M>();

struct MechanismDescription {
  MechanismName name;
  std::string distribution;  // "every output's probability", "density" or "sampled only"
  std::vector<FieldDescription> parameters;
  Guarantee at_defaults;  // at the default parameters
};

// One description for each mechanism, in the order of the list.
const std::vector<MechanismDescription>& mechanism_descriptions();

}  // namespace assay
