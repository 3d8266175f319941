// Every mechanism for release, by name: the one list that `assay list mechanisms`, `assay explain`
// and the conformance tests read. A new mechanism is a new line in `Mechanisms` and its name below.
// Those known to be wrong are not here; they live in mechanisms/faulty/.
#pragma once

#include <string>
#include <string_view>
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

using Mechanisms =
    TypeList<LaplaceMechanism, GaussianMechanism, SnappedLaplace, DiscreteLaplaceMechanism,
             DiscreteGaussianMechanism, ExponentialMechanism, PermuteAndFlip, ReportNoisyMax, TopK,
             idealized::PeelingMechanism, AboveThreshold, ResettingAboveThreshold,
             idealized::NumericalSparseVector, idealized::NoisyHistogram, idealized::PrefixSum,
             idealized::ParallelLaplace, TruncatedGeometric, RandomizedResponse, UnaryEncoding,
             Rappor, OneTimeRappor, TreeCounterMechanism, HonakerCounterMechanism,
             HybridCounterMechanism, idealized::LaplaceMechanism, idealized::GaussianMechanism,
             idealized::SquareRootCounterMechanism>;

struct MechanismName {
  std::string_view id;
  std::string_view title;
};

template <class M>
inline constexpr MechanismName kNameOf{};
template <>
inline constexpr MechanismName kNameOf<LaplaceMechanism>{
    "laplace", "answers on a grid plus discrete Laplace noise, exact in law"};
template <>
inline constexpr MechanismName kNameOf<SnappedLaplace>{
    "snapped-laplace", "an answer plus Laplace noise in doubles, clamped and snapped to a grid"};
template <>
inline constexpr MechanismName kNameOf<idealized::LaplaceMechanism>{
    "idealized-laplace", "answers plus Laplace noise in doubles, not for release"};
template <>
inline constexpr MechanismName kNameOf<GaussianMechanism>{
    "gaussian", "answers on a grid plus discrete Gaussian noise, exact in law"};
template <>
inline constexpr MechanismName kNameOf<idealized::GaussianMechanism>{
    "idealized-gaussian", "answers plus Gaussian noise in doubles, not for release"};
template <>
inline constexpr MechanismName kNameOf<DiscreteLaplaceMechanism>{
    "discrete-laplace", "integer answers plus discrete Laplace noise"};
template <>
inline constexpr MechanismName kNameOf<DiscreteGaussianMechanism>{
    "discrete-gaussian", "an integer answer plus discrete Gaussian noise"};
template <>
inline constexpr MechanismName kNameOf<ExponentialMechanism>{
    "exponential", "a candidate of high score, by weights exponential in it"};
template <>
inline constexpr MechanismName kNameOf<PermuteAndFlip>{
    "permute-and-flip", "a candidate of high score, never worse than exponential"};
template <>
inline constexpr MechanismName kNameOf<ReportNoisyMax>{
    "report-noisy-max", "the index of the largest noisy answer, five noises"};
template <>
inline constexpr MechanismName kNameOf<TopK>{
    "top-k", "the k candidates of largest noisy score, in order or as a set"};
template <>
inline constexpr MechanismName kNameOf<idealized::PeelingMechanism>{
    "idealized-peeling",
    "the coordinates of largest noisy size, one by one, with noisy values, not for release"};
template <>
inline constexpr MechanismName kNameOf<AboveThreshold>{
    "above-threshold", "which answers lie above a noisy threshold (sparse vector)"};
template <>
inline constexpr MechanismName kNameOf<ResettingAboveThreshold>{
    "resetting-above-threshold", "sparse vector with a new threshold after each answer above it"};
template <>
inline constexpr MechanismName kNameOf<idealized::NumericalSparseVector>{
    "idealized-numerical-sparse-vector",
    "the answers above a noisy threshold, with noise of their own"};
template <>
inline constexpr MechanismName kNameOf<idealized::NoisyHistogram>{
    "idealized-noisy-histogram", "Laplace noise on disjoint cells"};
template <>
inline constexpr MechanismName kNameOf<idealized::PrefixSum>{
    "idealized-prefix-sum", "the sums of noisy answers from the first on"};
template <>
inline constexpr MechanismName kNameOf<idealized::ParallelLaplace>{
    "idealized-parallel-laplace", "many Laplace releases of one answer"};
template <>
inline constexpr MechanismName kNameOf<TruncatedGeometric>{
    "truncated-geometric", "a count with geometric noise, folded onto its range"};
template <>
inline constexpr MechanismName kNameOf<RandomizedResponse>{
    "randomized-response", "the truth with some probability, else another value"};
template <>
inline constexpr MechanismName kNameOf<UnaryEncoding>{
    "unary-encoding", "a value as bits, each by randomised response"};
template <>
inline constexpr MechanismName kNameOf<Rappor>{
    "rappor", "a Bloom filter's bits by randomised response, twice"};
template <>
inline constexpr MechanismName kNameOf<OneTimeRappor>{
    "one-time-rappor", "a Bloom filter's bits by randomised response, once"};

template <>
inline constexpr MechanismName kNameOf<TreeCounterMechanism>{
    "tree-counter", "running sums of a stream by a binary tree"};
template <>
inline constexpr MechanismName kNameOf<HonakerCounterMechanism>{
    "honaker-counter", "all sums of a binary tree, for running sums of least variance"};
template <>
inline constexpr MechanismName kNameOf<HybridCounterMechanism>{
    "hybrid-counter", "running sums of a stream of unknown length"};
template <>
inline constexpr MechanismName kNameOf<idealized::SquareRootCounterMechanism>{
    "idealized-square-root-counter", "running sums with noise correlated by a matrix square root"};

struct MechanismDescription {
  MechanismName name;
  std::string law;  // "every output's probability", "density" or "sampled only"
  std::vector<FieldDescription> parameters;
  Guarantee at_defaults;
};

// In the order of the list.
const std::vector<MechanismDescription>& mechanism_descriptions();

}  // namespace assay
