// Makes an audit case of a mechanism of your own, a class that satisfies Mechanism (mechanisms/release/concepts.hpp).
// custom_case.hpp does the same for a policy.
//
// The relation of guarantee() says which inputs are neighbours; a mechanism whose relation is about answers reads one
// number or a std::span of them:
//   one-answer               one value moves by at most 1
//   all-answers              every value moves by at most 1
//   answers-together         all values move, by at most `sensitivity` of the Config (or 1) in Euclidean norm
//   add-or-remove-one-record one value more or fewer
//   replace-one-record       one value becomes any other of a bounded domain, or moves by at most 1
// The number of values is the field `inputs` or `answers` of the Config, or one for a mechanism of one number, or a
// parameter `inputs` of the case.
// Methods. A FiniteMechanism is audited exactly; the audit takes its log_pmf() as exact to 1e-12 and tests sampled
// outputs against it. A DensityMechanism is audited by likelihood; any other by events.
// Threads: as custom_case.hpp.
#pragma once

#include <memory>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/auditors/check/drawn_cases.hpp"
#include "assay/auditors/engine/custom_case.hpp"
#include "assay/auditors/mechanisms/row_pair.hpp"
#include "assay/mechanisms/release/concepts.hpp"

namespace assay {

// `domain` limits the values that are drawn; check_input() of the class rejects others in any case.
template <Mechanism M>
std::unique_ptr<AuditCase> make_mechanism_case_of(CustomCaseWords words,
                                                  std::optional<Domain> domain = {});

namespace detail {

// The neighbours by a mechanism's relation. Errors: a relation of policies.
Result<Neighbours> neighbours_by(Relation relation, double sensitivity);
CaseDescription describe_own_mechanism(const CustomCaseWords& words, const Guarantee& guarantee,
                                       bool is_finite, bool has_density,
                                       std::vector<FieldDescription> fields, bool needs_inputs);
// Fills in what does not depend on the class. `accepts` is its check_input().
Result<AuditedSubject> finished_mechanism(AuditedSubject subject, const CustomCaseWords& words,
                                          std::function<Status(std::span<const double>)> accepts);

template <class Output>
void append_output(const Output& output, std::vector<double>& out) {
  if constexpr (std::is_arithmetic_v<Output>) {
    out.push_back(static_cast<double>(output));
  } else {
    static_assert(std::ranges::range<Output>, "an Output must be a number or a range of numbers");
    for (const auto& one : output) append_output(one, out);
  }
}

template <Mechanism M>
class OwnMechanismCase final : public AuditCase {
  using Input = RowInput<typename M::Input>;
  using Config = typename M::Config;
  static constexpr bool kHasInputs = requires(Config config) { config.inputs; };
  static constexpr bool kHasAnswers = requires(Config config) { config.answers; };
  static constexpr bool kIsOneNumber = std::is_arithmetic_v<std::remove_cvref_t<typename M::Input>>;
  static constexpr bool kNeedsInputs = !kHasInputs && !kHasAnswers && !kIsOneNumber;

 public:
  OwnMechanismCase(CustomCaseWords words, std::optional<Domain> domain)
      : words_(std::move(words)), domain_(domain) {
    if (words_.title.empty()) words_.title = words_.id;
  }
  std::string_view id() const override { return words_.id; }
  CaseDescription describe() const override {
    const auto mechanism = M::create(Config{});
    return describe_own_mechanism(words_, mechanism ? mechanism->guarantee() : Guarantee{},
                                  FiniteMechanism<M>, DensityMechanism<M>,
                                  describe_fields<Config>(), kNeedsInputs);
  }
  Result<AuditedSubject> subject(const std::vector<KeyValue>& parameters) const override {
    auto given = parameters;
    InputShape shape{.kind = InputKind::kMechanism, .domain = domain_};
    if (kNeedsInputs) ASSAY_TRY(read_sizes({"inputs"}, given, shape));
    const auto config = ASSAY_TRY(read_configuration<Config>(given));
    if constexpr (kHasInputs) shape.inputs = config.inputs;
    if constexpr (kHasAnswers) shape.inputs = config.answers;
    double sensitivity = 1.0;
    if constexpr (requires { config.sensitivity; }) sensitivity = config.sensitivity;
    const M mechanism = ASSAY_TRY(M::create(config));
    AuditedSubject subject = subject_of(words_.id, words_.title, mechanism);
    shape.neighbours = ASSAY_TRY(neighbours_by(subject.stated.relation, sensitivity));
    subject.shape = shape;
    if (kNeedsInputs) subject.parameters.push_back({"inputs", std::to_string(shape.inputs)});
    const auto release = [mechanism](const Input& input, ReplayStream& random) {
      return mechanism.release(input.view(), random);
    };
    subject.play = [release](std::span<const double> row, ReplayStream& random,
                             std::vector<double>& out) {
      append_output(release(*Input::create(row), random), out);
    };
    if constexpr (FiniteMechanism<M>) {
      subject.is_told = true;
      subject.distributions = [mechanism](const InputPair& pair) {
        return Result<EnumeratedDistributions>(EnumeratedDistributions{
            mechanism.log_pmf(Input::create(pair.base_row())->view()),
            mechanism.log_pmf(Input::create(pair.neighbour_row())->view()), kTold});
      };
      subject.listed = [mechanism, release](const InputPair& pair) {
        const auto base = *Input::create(pair.base_row());
        const auto neighbour = *Input::create(pair.neighbour_row());
        return Result<ListedDistribution>(ListedDistribution{
            mechanism.log_pmf(base.view()), mechanism.log_pmf(neighbour.view()),
            [base, neighbour, release, outputs = mechanism.outputs(base.view())](
                Side side, ReplayStream random) {
              const auto output = release(side == Side::kBase ? base : neighbour, random);
              const auto at = std::find(outputs.begin(), outputs.end(), output);
              return at == outputs.end() ? -1 : static_cast<int>(at - outputs.begin());
            }});
      };
    } else if constexpr (DensityMechanism<M>) {
      subject.losses = [mechanism, release](const InputPair& pair) {
        const auto base = *Input::create(pair.base_row());
        const auto neighbour = *Input::create(pair.neighbour_row());
        return Result<ReleaseLoss>([=](Side side, ReplayStream random) {
          const auto output = release(side == Side::kBase ? base : neighbour, random);
          return log_ratio(mechanism.log_density(output, base.view()),
                           mechanism.log_density(output, neighbour.view()), side);
        });
      };
    }
    return finished_mechanism(std::move(subject), words_,
                              [mechanism](std::span<const double> row) -> Status {
                                const auto input = ASSAY_TRY(Input::create(row));
                                return mechanism.check_input(input.view());
                              });
  }

 private:
  static constexpr double kTold = 1e-12;  // the relative error of the class's probabilities
  // log P - log Q, or NaN where the input itself excludes the output.
  static double log_ratio(double log_p, double log_q, Side side) {
    const double own = side == Side::kBase ? log_p : log_q;
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    return own == kNever ? std::numeric_limits<double>::quiet_NaN() : log_p - log_q;
  }

  CustomCaseWords words_;
  std::optional<Domain> domain_;
};

}  // namespace detail

template <Mechanism M>
std::unique_ptr<AuditCase> make_mechanism_case_of(CustomCaseWords words,
                                                  std::optional<Domain> domain) {
  return std::make_unique<detail::OwnMechanismCase<M>>(std::move(words), domain);
}

}  // namespace assay
