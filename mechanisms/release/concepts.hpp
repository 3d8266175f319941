// The requirements on a mechanism, and the further ones on a mechanism whose distribution is known.
//
// A Mechanism is a value made from a configuration. `release` maps an input and random numbers to an
// output. It reads nothing else, so the same numbers give the same output on every machine. It takes
// any source of random numbers: ReplayStream for audits and simulations, which must be reproducible,
// SecureStream for data, whose noise nobody may predict. (The mechanism's .cpp instantiates both.) A
// DensityMechanism also gives the log-density of an output. The measure is the same for every input:
// Lebesgue measure for real outputs, counting measure for integers and other outputs that are
// points, and the sum of the two for a mixture. A FiniteMechanism lists its outputs and their
// log-probabilities, as an exact audit needs.
//
// Errors: `create` returns an error for a configuration that is out of range. `check_input` returns
// the reason why an input is invalid (empty, wrong length, NaN, out of range), with a JSON pointer
// to the entry. The other functions require that it succeeds. `guarantee` states the privacy level
// with its relation and view.
// Threads: mechanisms are immutable values.
#pragma once

#include <concepts>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/random_source.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/secure_stream.hpp"

namespace assay {

template <class M, class R>
concept ReleasesFrom = RandomSource<R> &&
    requires(const M& mechanism, R& random, const typename M::Input& input) {
  { mechanism.release(input, random) } -> std::same_as<typename M::Output>;
};

template <class M>
concept Mechanism = std::copyable<M> && ReleasesFrom<M, ReplayStream> &&
    ReleasesFrom<M, SecureStream> &&
    requires(const M& mechanism, const typename M::Config& config, const typename M::Input& input) {
  { M::create(config) } -> std::same_as<Result<M>>;
  { mechanism.check_input(input) } -> std::same_as<Status>;
  { mechanism.guarantee() } -> std::same_as<Guarantee>;
  { mechanism.config() } -> std::same_as<const typename M::Config&>;
};

template <class M>
concept DensityMechanism = Mechanism<M> &&
    requires(const M& mechanism, const typename M::Output& output, const typename M::Input& input) {
  { mechanism.log_density(output, input) } -> std::same_as<double>;
};

// log_pmf(input)[i] is the log-probability of outputs(input)[i], or -inf if that output cannot occur.
template <class M>
concept FiniteMechanism = Mechanism<M> && std::equality_comparable<typename M::Output> &&
    requires(const M& mechanism, const typename M::Input& input) {
  { mechanism.outputs(input) } -> std::same_as<std::vector<typename M::Output>>;
  { mechanism.log_pmf(input) } -> std::same_as<std::vector<double>>;
};

}  // namespace assay
