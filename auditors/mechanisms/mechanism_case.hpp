// The audit case of a mechanism, from its type and its `AuditTraits`.
//
// A mechanism of registry/mechanisms.hpp has one specialisation of AuditTraits, in the file of its family:
//   kAbout, kInput, kReference  text of `assay explain`
//   kProved                     whether a proof in that file's header, or in the mechanism's, covers all pairs
//   check(m, pair)              Status: the two rows are neighbours under guarantee().relation
//   hard_pairs(m)               the worst known pairs of neighbours, the best guess first
// and optionally
//   random_pairs(m, random)     more pairs to search
//   distributions(m, pair)      both distributions of an output, or of a statistic sufficient for the pair
//   profile(m, pair, claim, delta0)  bounds of delta(eps) for every eps
//   log_density(m, output, row) if M has another name for it
//   losses(m, pair)             if two evaluations of the density for each release are too slow
//   check_listed(m, pair)       Status: outputs(input) are few enough to list with their distribution
//   numbers(m, output)          the output as numbers, if it does not consist of numbers
// The id and the title come from kNameOf<M>, so a mechanism and its case cannot differ in them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/mechanisms/row_pair.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/registry/mechanisms.hpp"
#include "assay/mechanisms/release/concepts.hpp"

namespace assay {

template <class M>
struct AuditTraits;

namespace detail {

// Both rows as inputs of M: M accepts them, and they are neighbours.
template <class M>
struct PairInputs {
  RowInput<typename M::Input> base_input;
  RowInput<typename M::Input> neighbour_input;
  const RowInput<typename M::Input>& of(Side side) const {
    return side == Side::kBase ? base_input : neighbour_input;
  }
};

template <class M>
Result<RowInput<typename M::Input>> row_input(const M& mechanism, std::span<const double> row,
                                              std::string_view which) {
  auto input = RowInput<typename M::Input>::create(row);
  Status status = input ? mechanism.check_input(input->view()) : tl::make_unexpected(input.error());
  if (status) return input;
  Error error = status.error();
  error.message = std::string(which) + ": " + error.message;
  return tl::make_unexpected(error);
}

template <class M>
Result<PairInputs<M>> pair_inputs(const M& mechanism, const InputPair& pair) {
  auto base_input = ASSAY_TRY(row_input(mechanism, pair.base_row(), "the first row"));
  auto neighbour_input = ASSAY_TRY(row_input(mechanism, pair.neighbour_row(), "the second row"));
  ASSAY_TRY(AuditTraits<M>::check(mechanism, pair));
  return PairInputs<M>{std::move(base_input), std::move(neighbour_input)};
}

// An output as numbers: the output itself, or its entries.
template <class Output>
void append_numbers(const Output& output, std::vector<double>& out) {
  if constexpr (std::is_arithmetic_v<Output>) {
    out.push_back(static_cast<double>(output));
  } else if constexpr (std::is_same_v<Output, Answer>) {
    out.push_back(as_double(output));
  } else {
    for (const auto x : output) append_numbers(x, out);
  }
}

// `log_floor` is the least log-probability that the mechanism's accuracy covers. Errors: an output below it on D or D'.
Result<EnumeratedDistributions> certified_distributions(EnumeratedDistributions distributions,
                                                        double log_floor);

// Certified log_pmf of both rows.
template <FiniteMechanism M>
Result<EnumeratedDistributions> listed_distributions(const M& mechanism, const InputPair& pair,
                                                     double relative_error, double log_floor) {
  const auto inputs = ASSAY_TRY(pair_inputs(mechanism, pair));
  return certified_distributions({mechanism.log_pmf(inputs.base_input.view()),
                                  mechanism.log_pmf(inputs.neighbour_input.view()), relative_error},
                                 log_floor);
}

template <class M>
concept HasDistributions = requires(const M& m, const InputPair& pair) {
  AuditTraits<M>::distributions(m, pair);
};
template <class M>
concept HasProfile = requires(const M& m, const InputPair& pair, PrivacyLevel claim, Delta delta0) {
  AuditTraits<M>::profile(m, pair, claim, delta0);
};
template <class M>
concept HasPairedDensity = requires(const M& m, const typename M::Output& out,
                                    const typename M::Input& in) {
  AuditTraits<M>::log_density(m, out, in);
};
template <class M>
concept HasRandomPairs = requires(const M& m, ReplayStream& random) {
  AuditTraits<M>::random_pairs(m, random);
};
template <class M>
concept HasLosses = HasPairedDensity<M> || DensityMechanism<M> || FiniteMechanism<M>;

inline constexpr std::size_t kMostListed = 4096;  // outputs of a lookup table
// Errors: too many steps, of about 15 ns each. The computation of a distribution cannot be interrupted.
Status check_distribution_work(double steps);

// The log-probabilities of both rows, and the place of a release among them.
template <FiniteMechanism M>
Result<ListedDistribution> listed_distribution(const M& mechanism, const InputPair& pair) {
  auto inputs = ASSAY_TRY(pair_inputs(mechanism, pair));
  if constexpr (requires { AuditTraits<M>::check_listed(mechanism, pair); }) {
    ASSAY_TRY(AuditTraits<M>::check_listed(mechanism, pair));
  }
  const auto outputs = mechanism.outputs(inputs.base_input.view());
  if (outputs.size() > kMostListed) {
    return fail(ErrorCode::kLimit, "more than 4096 outputs are not listed");
  }
  return ListedDistribution{
      mechanism.log_pmf(inputs.base_input.view()), mechanism.log_pmf(inputs.neighbour_input.view()),
      [mechanism, inputs = std::move(inputs), outputs](Side side, ReplayStream random) {
        const auto output = mechanism.release(inputs.of(side).view(), random);
        const auto at = std::find(outputs.begin(), outputs.end(), output);
        return at == outputs.end() ? -1 : static_cast<int>(at - outputs.begin());
      }};
}

// log P - log Q; NaN where `own` excludes the output.
double loss_of_logs(double log_p, double log_q, Side side);

template <class M>
Result<ReleaseLoss> loss_from_density(const M& mechanism, const InputPair& pair) {
  auto inputs = ASSAY_TRY(pair_inputs(mechanism, pair));
  if constexpr (HasPairedDensity<M> || DensityMechanism<M>) {
    return ReleaseLoss([mechanism, inputs = std::move(inputs)](Side side, ReplayStream random) {
      const auto log_density = [&](const auto& output, const auto& input) {
        if constexpr (HasPairedDensity<M>)
          return AuditTraits<M>::log_density(mechanism, output, input);
        else
          return mechanism.log_density(output, input);
      };
      const auto output = mechanism.release(inputs.of(side).view(), random);
      return loss_of_logs(log_density(output, inputs.base_input.view()),
                          log_density(output, inputs.neighbour_input.view()), side);
    });
  } else {
    auto distribution = ASSAY_TRY(listed_distribution(mechanism, pair));
    return ReleaseLoss([distribution = std::move(distribution)](Side side, ReplayStream random) {
      const int output = distribution.draw(side, random);
      if (output < 0) return std::numeric_limits<double>::quiet_NaN();
      const auto i = static_cast<std::size_t>(output);
      return loss_of_logs(distribution.log_p[i], distribution.log_q[i], side);
    });
  }
}

template <class M>
Result<ReleaseLoss> release_loss(const M& mechanism, const InputPair& pair) {
  if constexpr (requires { AuditTraits<M>::losses(mechanism, pair); }) {
    return AuditTraits<M>::losses(mechanism, pair);
  } else {
    return loss_from_density(mechanism, pair);
  }
}

// The largest sizes of an input. An audit holds dozens of inputs and computes their distributions, which it cannot
// interrupt, so inputs that would take seconds each are errors.
inline constexpr std::int64_t kMostEntries = std::int64_t{1} << 17;
inline constexpr std::int64_t kMostChoices = std::int64_t{1} << 20;  // answers times count

// Checks the number of entries, called `of`, and the number chosen from them, called `chosen`, which is 0 if nothing is
// chosen.
Status check_entries(std::string_view of, std::int64_t entries, std::string_view chosen = {},
                     std::int64_t choices = 0);

template <class M>
Status check_size([[maybe_unused]] const typename M::Config& config) {
  if constexpr (requires { config.coordinates; }) {
    ASSAY_TRY(check_entries("coordinates", config.coordinates, "rounds", config.rounds));
  } else if constexpr (requires { config.answers, config.count; }) {
    ASSAY_TRY(check_entries("answers", config.answers, "count", config.count));
  } else if constexpr (requires { config.answers; }) {
    ASSAY_TRY(check_entries("answers", config.answers));
  }
  if constexpr (requires { AuditTraits<M>::kMostRounds; }) {
    if (config.horizon > AuditTraits<M>::kMostRounds) {
      return fail(ErrorCode::kLimit,
                  "horizon must be at most " + std::to_string(AuditTraits<M>::kMostRounds) +
                      " to be audited, not " + std::to_string(config.horizon),
                  "/horizon");
    }
  }
  return {};
}

}  // namespace detail

// The mechanism as the subject of an audit.
template <Mechanism M>
AuditedSubject audited(const M& mechanism) {
  AuditedSubject out = subject_of(kNameOf<M>.id, kNameOf<M>.title, mechanism);
  if (AuditTraits<M>::kProved) out.proved = out.stated;
  out.shape.kind = InputKind::kMechanism;
  out.hard_pairs = AuditTraits<M>::hard_pairs(mechanism);
  if constexpr (detail::HasRandomPairs<M>) {
    ReplayStream random({0, hash_purpose("mechanism/random pairs"), 0, 0, Phase::kSearch});
    out.random_pairs = AuditTraits<M>::random_pairs(mechanism, random);
  }
  out.check = [mechanism](const InputPair& pair) -> Status {
    ASSAY_TRY(detail::pair_inputs(mechanism, pair));
    return {};
  };
  out.play = [mechanism](std::span<const double> row, ReplayStream& random,
                         std::vector<double>& numbers) {
    const auto input = RowInput<typename M::Input>::create(row);
    const auto output = mechanism.release(input->view(), random);
    if constexpr (requires { AuditTraits<M>::numbers(mechanism, output); }) {
      detail::append_numbers(AuditTraits<M>::numbers(mechanism, output), numbers);
    } else {
      detail::append_numbers(output, numbers);
    }
  };
  if constexpr (detail::HasDistributions<M>) {
    out.distributions = [mechanism](const InputPair& pair) {
      return AuditTraits<M>::distributions(mechanism, pair);
    };
  }
  if constexpr (detail::HasProfile<M>) {
    out.profile = [mechanism](const InputPair& pair, const PrivacyLevel& claim, Delta delta0) {
      return AuditTraits<M>::profile(mechanism, pair, claim, delta0);
    };
  }
  if constexpr (detail::HasLosses<M>) {
    out.losses = [mechanism](const InputPair& pair) {
      return detail::release_loss(mechanism, pair);
    };
  }
  if constexpr (FiniteMechanism<M>) {
    out.listed = [mechanism](const InputPair& pair) {
      return detail::listed_distribution(mechanism, pair);
    };
  }
  return out;
}

template <Mechanism M>
class MechanismCase final : public AuditCase {
 public:
  std::string_view id() const override { return kNameOf<M>.id; }
  CaseDescription describe() const override {
    const Guarantee guarantee = M::create(typename M::Config{}).value().guarantee();
    CaseDescription d;
    d.id = kNameOf<M>.id;
    d.title = kNameOf<M>.title;
    d.about = AuditTraits<M>::kAbout;
    d.relation = guarantee.relation;
    d.view = guarantee.view;
    d.input = "two lines, the neighbouring inputs: " + std::string(AuditTraits<M>::kInput);
    d.input_kind = InputKind::kMechanism;
    if constexpr (detail::HasDistributions<M> || detail::HasProfile<M>)
      d.methods.emplace_back("exact");
    if constexpr (detail::HasLosses<M>) d.methods.emplace_back("likelihood");
    d.methods.emplace_back("events");
    d.parameters = describe_fields<typename M::Config>();
    d.claims = {to_string(guarantee.level) + " at the defaults  (" + guarantee.source + ")"};
    d.reference = AuditTraits<M>::kReference;
    return d;
  }

  Result<AuditedSubject> subject(const std::vector<KeyValue>& parameters) const override {
    const auto config = ASSAY_TRY(read_configuration<typename M::Config>(parameters));
    ASSAY_TRY(detail::check_size<M>(config));
    const auto mechanism = ASSAY_TRY(M::create(config));
    return audited(mechanism);
  }
};

// Instantiated once for each mechanism, in the file of its family. The list of cases only declares it and so compiles
// none of them.
template <class M>
std::unique_ptr<AuditCase> make_mechanism_case() {
  return std::make_unique<MechanismCase<M>>();
}

}  // namespace assay
