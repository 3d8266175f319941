// Steps as text: reading, names and descriptions.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "assay/mechanisms/accounting/account/distribution_file.hpp"
#include "assay/mechanisms/accounting/account/internal/selected_run.hpp"
#include "assay/mechanisms/accounting/account/step.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

// Calls visit(kind) with a default value of each alternative of the variant, in order; a SampledStep is no kind of its
// own but a mechanism with a sampler, and a GroupStep one with a group.
template <class Variant, class Visit, std::size_t... I>
void for_each_kind(const Visit& visit, std::index_sequence<I...>) {
  const auto call = [&]<class Kind>(const Kind& kind) {
    if constexpr (!std::is_same_v<Kind, SampledStep> && !std::is_same_v<Kind, GroupStep>) {
      visit(kind);
    }
  };
  (call(std::variant_alternative_t<I, Variant>{}), ...);
}
template <class Variant, class Visit>
void for_each_kind(const Visit& visit) {
  for_each_kind<Variant>(visit, std::make_index_sequence<std::variant_size_v<Variant>>{});
}

// The names of all parameters, and of those without a usable default.
struct Parameters {
  std::vector<std::string> all;
  std::vector<std::string> required;
};

template <class Step>
concept HasFields = requires {
  Step::fields([](const auto&) {});
};
template <class Step>
concept HasTexts = requires {
  Step::texts([](const auto&) {});
};

template <class Step>
Parameters parameters_of() {
  Parameters names;
  if constexpr (HasFields<Step>) {
    const Step defaults{};
    Step::fields([&]<class T>(const Field<Step, T>& f) {
      names.all.emplace_back(f.name);
      const double value = static_cast<double>(defaults.*f.member);
      if (!(value >= f.range.low && value <= f.range.high)) names.required.emplace_back(f.name);
    });
  }
  if constexpr (HasTexts<Step>) {
    Step::texts([&](const auto& text) {
      names.all.emplace_back(text.name);
      if (text.is_required) names.required.emplace_back(text.name);
    });
  }
  return names;
}

Status check_names(std::string_view step, const Parameters& names,
                   std::span<const KeyValue> given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& key = given[i].key;
    if (std::find(names.all.begin(), names.all.end(), key) == names.all.end()) {
      return fail(ErrorCode::kUnknownKey,
                  std::string(step) + " has no parameter '" + key + "', only " + joined(names.all),
                  "/" + key);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (given[j].key == key) {
        return fail(ErrorCode::kInvalidArgument, key + " is given twice", "/" + key);
      }
    }
  }
  for (const auto& name : names.required) {
    const bool has = std::any_of(given.begin(), given.end(),
                                 [&](const KeyValue& value) { return value.key == name; });
    if (!has) {
      return fail(ErrorCode::kInvalidArgument, std::string(step) + " needs " + name, "/" + name);
    }
  }
  return {};
}

// "0.5,0.25,0.25".
Result<std::vector<double>> parse_numbers(const std::string& name, const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const auto value = parse_number(std::string_view(text).substr(from, comma - from));
    if (!value) {
      return fail(ErrorCode::kParse,
                  name + "[" + std::to_string(numbers.size()) + "] " + value.error().message,
                  "/" + name);
    }
    numbers.push_back(*value);
    from = comma + 1;
  }
  return numbers;
}

std::string text_of(const std::vector<double>& numbers) {
  std::string out;
  for (const double x : numbers) out += (out.empty() ? "" : ",") + number_text(x);
  return out;
}
std::string text_of(const std::string& text) { return text; }

Status set_text(const KeyValue& parameter, std::vector<double>& value) {
  value = ASSAY_TRY(parse_numbers(parameter.key, parameter.value));
  return {};
}
Status set_text(const KeyValue& parameter, std::string& value) {
  value = parameter.value;
  return {};
}

template <class Step>
Status set_parameter(Step& step, const KeyValue& parameter) {
  if constexpr (HasTexts<Step>) {
    std::optional<Status> set;
    Step::texts([&](const auto& text) {
      if (text.name == parameter.key) set = set_text(parameter, step.*text.member);
    });
    if (set) return *set;
  }
  if constexpr (HasFields<Step>) return set_field(step, parameter.key, parameter.value);
  return {};  // check_names() has refused all others
}

template <class Step>
std::vector<KeyValue> parameters_of_step(const Step& step) {
  std::vector<KeyValue> all;
  if constexpr (requires { step.file; }) {  // the file takes the place of its numbers
    if (!step.file.empty()) return {{std::string(Step::kFile), step.file}};
  }
  if constexpr (HasFields<Step>) all = field_values(step);
  if constexpr (requires { step.shows(""); }) {
    std::erase_if(all, [&](const KeyValue& one) { return !step.shows(one.key); });
  }
  if constexpr (HasTexts<Step>) {
    Step::texts([&](const auto& text) {
      const std::string value = text_of(step.*text.member);
      if (text.is_required || !value.empty()) all.push_back({std::string(text.name), value});
    });
  }
  return all;
}

Status check_ratio(const char* name, double scale, double sensitivity, double least = 1e-2) {
  const double ratio = scale / sensitivity;
  if (ratio >= least && ratio <= 1e6) return {};
  return detail::out_of_range(name, number_text(least) + " to 1e+06 times the sensitivity",
                              number_text(ratio) + " times");
}

Status check_step(const GaussianStep& s) { return check_ratio("sigma", s.sigma, s.sensitivity); }
Status check_step(const LaplaceStep& s) { return check_ratio("scale", s.scale, s.sensitivity); }
Status check_step(FinitePairStep& s) {
  s = ASSAY_TRY(with_file(std::move(s)));
  for (const auto& [name, numbers] : {std::pair{"p", &s.p}, std::pair{"q", &s.q}}) {
    if (!numbers->empty()) continue;
    return fail(ErrorCode::kInvalidArgument,
                std::string("finite-pair needs ") + name + ", or pair in place of p and q",
                std::string("/") + name);
  }
  for (const auto& distribution :
       {loss_of::finite_pair(s.p, s.q), loss_of::finite_pair(s.q, s.p)}) {
    if (!distribution) return tl::make_unexpected(distribution.error());
  }
  return {};
}
Status check_step(LossDistributionStep& s) {
  s = ASSAY_TRY(with_file(std::move(s)));
  return {};
}
Status check_step(const GaussianMixtureStep& s) {
  const auto losses = mixture_losses(s);
  return losses ? Status{} : tl::make_unexpected(losses.error());
}
Status check_step(MatrixStep& s) {
  s = ASSAY_TRY(make_matrix_step(s));
  return {};
}
template <class Step>
Status check_step(const Step&) {
  return {};
}

template <class Step>
Result<Step> read_step(std::span<const KeyValue> given) {
  ASSAY_TRY(check_names(Step::kName, parameters_of<Step>(), given));
  Step step;
  for (const KeyValue& parameter : given) {
    ASSAY_TRY(set_parameter(step, parameter));
  }
  Status status;
  if constexpr (HasFields<Step>) status = validate(step);
  if (status) status = check_step(step);
  if (!status) return tl::make_unexpected(status.error());
  return step;
}

template <class Step>
StepDescription description_of(const Step&) {
  StepDescription description{std::string(Step::kName), std::string(Step::kTitle), {}};
  if constexpr (HasFields<Step>) {
    description.parameters = describe_fields<Step>();
    const auto required = parameters_of<Step>().required;
    for (auto& parameter : description.parameters) {
      if (std::find(required.begin(), required.end(), parameter.name) != required.end()) {
        parameter.default_value.clear();
      }
    }
  }
  if constexpr (HasTexts<Step>) {
    Step::texts([&](const auto& text) {
      const bool is_text = std::is_same_v<std::decay_t<decltype(Step{}.*text.member)>, std::string>;
      description.parameters.push_back({std::string(text.name), "", is_text ? "text" : "numbers",
                                        "", std::string(text.allowed), std::string(text.help)});
    });
  }
  return description;
}

// ---- sampled steps --------------------------------------------------------------------------------

// Mechanisms and samplers that no theorem covers, each with the reason and the nearest that has one.
struct Refusal {
  std::string_view name;
  std::string_view why;
};
constexpr Refusal kUnsampled[] = {
    {ZcdpStep::kName, "a zCDP level has no pair. Nearest: the mechanism itself, such as gaussian"},
    {ApproximateStep::kName,
     "a level with a delta of its own is not covered. Nearest: the mechanism itself, or pure"},
    {FinitePairStep::kName,
     "two distributions do not say what a sample without the record gives. Nearest: finite-pair without a "
     "sampler, with the sampled distributions as p and q"},
    {GaussianMixtureStep::kName,
     "its weights state how often the records are in the sample. Nearest: gaussian with a sampler"},
    {IntegerVectorStep::kName,
     "samples are covered for one number with this noise. Nearest: gaussian with this sigma, for noise that is not "
     "rounded, or discrete-gaussian for one number"},
    {RepeatAndSelectStep::kName,
     "a sample that all runs share is not covered. Nearest: run, a mechanism with a sampler of its own in each run"},
    {MatrixStep::kName,
     "the samples of steps that share noise are covered for bands alone. Nearest: gaussian with the sampler "
     "cyclic-poisson and as many bands"}};
constexpr Refusal kUnknownSamplers[] = {
    {"permutation",
     "no bound below that of one release without a sampler is proved for batches cut from a permutation, and "
     "Poisson sampling can leak less. Nearest: fixed-size, if every batch is drawn afresh"},
    {"min-separation",
     "records that wait a least number of steps between samples have no certified bound. Nearest: cyclic-poisson, "
     "if every record is of a fixed part that has the turn in every b-th step"},
    {"balls-in-bins",
     "batches that each record chooses at random, with a matrix that mixes the steps, have no certified bound "
     "where the columns of two batches overlap. Nearest: random-allocation without a matrix, or cyclic-poisson with "
     "a matrix of at most as many bands as parts"}};

constexpr Refusal kOtherMechanisms[] = {
    {"snapped-laplace", "no pair below its level is proved. Nearest: pure with its epsilon"},
    {"top-k",
     "the choices depend on each other. Nearest, from above: exponential with epsilon = "
     "2 sensitivity/scale and compose = k; its lower bound is for k choices that may repeat"},
    {"response-bits",
     "its bits are releases of their own. Nearest: finite-pair with p and q of one bit, and compose = bits"},
    {"sparse-vector",
     "only its correct variants have a level. Nearest: above-threshold, or gaussian for answers that are released"}};

template <std::size_t N>
const Refusal* find_refusal(const Refusal (&refusals)[N], std::string_view name) {
  const auto* found = std::find_if(std::begin(refusals), std::end(refusals),
                                   [&](const Refusal& refusal) { return refusal.name == name; });
  return found == std::end(refusals) ? nullptr : found;
}

tl::unexpected<Error> refused(const std::string& what, std::string_view why, const char* field) {
  return fail(ErrorCode::kInvalidArgument, what + ": " + std::string(why),
              std::string("/") + field);
}

Result<SampledNoise> read_noise(const std::string& name, std::span<const KeyValue> given) {
  std::optional<Result<SampledNoise>> noise;
  std::vector<std::string> names;
  for_each_kind<SampledNoise>([&]<class Noise>(const Noise&) {
    names.emplace_back(Noise::kName);
    if (Noise::kName != name) return;
    noise = [&]() -> Result<SampledNoise> {
      auto read = ASSAY_TRY(read_step<Noise>(given));
      return SampledNoise(std::move(read));
    }();
  });
  if (noise) return *noise;
  if (const Refusal* refusal = find_refusal(kUnsampled, name); refusal != nullptr) {
    return refused(name + " takes no sampler", refusal->why, "sampler");
  }
  return fail(ErrorCode::kUnknownKey,
              "no mechanism with a sampler is called '" + name + "', only " + joined(names),
              "/mechanism");
}

// The sampler of this name, from its own parameters; it moves these out of `given`.
Result<Sampler> read_sampler(const std::string& name, std::vector<KeyValue>& given) {
  std::optional<Result<Sampler>> sampler;
  std::vector<std::string> names;
  for_each_kind<Sampler>([&]<class Kind>(const Kind&) {
    names.emplace_back(Kind::kName);
    if (Kind::kName != name) return;
    const auto known = parameters_of<Kind>().all;
    const auto own = std::stable_partition(given.begin(), given.end(), [&](const KeyValue& one) {
      return std::find(known.begin(), known.end(), one.key) == known.end();
    });
    const std::vector<KeyValue> parameters(own, given.end());
    given.erase(own, given.end());
    sampler = [&]() -> Result<Sampler> {
      auto read = ASSAY_TRY(read_step<Kind>(parameters));
      return Sampler(std::move(read));
    }();
  });
  if (sampler) return *sampler;
  if (const Refusal* refusal = find_refusal(kUnknownSamplers, name); refusal != nullptr) {
    return refused("sampler " + name + " is refused", refusal->why, "sampler");
  }
  return fail(ErrorCode::kUnknownKey,
              "no sampler is called '" + name + "'" + nearest_hint(name, names) +
                  "; the samplers are " + joined(names),
              "/sampler");
}

// Takes the parameter out of `given`.
Result<std::optional<std::string>> take(const std::string& key, std::vector<KeyValue>& given) {
  std::optional<std::string> value;
  for (auto one = given.begin(); one != given.end();) {
    if (one->key != key) {
      ++one;
      continue;
    }
    if (value) return fail(ErrorCode::kInvalidArgument, key + " is given twice", "/" + key);
    value = one->value;
    one = given.erase(one);
  }
  return value;
}

Result<StepMechanism> read_sampled(const std::string& name, const std::string& sampler_name,
                                   std::vector<KeyValue> given) {
  const bool has_group = std::any_of(given.begin(), given.end(),
                                     [](const KeyValue& one) { return one.key == "group"; });
  if (has_group && sampler_name != PoissonSampler::kName) {
    return refused("group with the sampler " + sampler_name,
                   sampler_name == ShuffleSampler::kName
                       ? "no bound for several users is proved. Nearest: group without a sampler"
                       : "no pair for several records is proved. Nearest: the sampler poisson with "
                         "gaussian or gdp, or group without a sampler",
                   "group");
  }
  std::optional<SampledRelation> stated;
  if (const auto word = ASSAY_TRY(take("relation", given))) {
    SampledRelation relation{};
    if (const auto ok =
            detail::read_choice(detail::ChoicesOf<SampledRelation>::kChoices, *word, &relation);
        !ok) {
      return fail(ErrorCode::kInvalidArgument, "relation " + ok.error().message, "/relation");
    }
    stated = relation;
  }
  auto sampler = ASSAY_TRY(read_sampler(sampler_name, given));
  auto noise = ASSAY_TRY(read_noise(name, given));
  const SampledRelation relation = stated.value_or(default_relation(sampler));
  auto step = ASSAY_TRY(make_sampled(noise, std::move(sampler), relation));
  return StepMechanism(std::move(step));
}

// A search whose run is a mechanism: its parameters are beside those of the search, which has no level.
Result<StepMechanism> read_selection(const std::string& run, std::vector<KeyValue> given) {
  auto known = parameters_of<RepeatAndSelectStep>().all;
  std::erase_if(known, [](const std::string& name) {
    return name == "epsilon" || name == "mu" || name == "rho";
  });
  if (run == RepeatAndSelectStep::kName) {
    return refused(
        "run " + run + " is refused",
        "the runs of a search are of one mechanism. Nearest: epsilon of one run, which is the "
        "largest loss of the inner search",
        "run");
  }
  const auto own = std::stable_partition(
      given.begin(), given.end(), [&](const KeyValue& one) { return !contains(known, one.key); });
  const std::vector<KeyValue> of_run(given.begin(), own);
  auto step = ASSAY_TRY(read_step<RepeatAndSelectStep>(std::span(own, given.end())));
  auto mechanism = ASSAY_TRY(make_step(run, of_run));
  step.mechanism = ASSAY_TRY(detail::selected_run({std::move(mechanism), step.run_compose, ""}));
  return StepMechanism(std::move(step));
}

std::vector<KeyValue> parameters_of_selection(const RepeatAndSelectStep& step) {
  auto all = parameters_of_step(step);
  if (step.mechanism == nullptr) return all;
  const auto of_run = step_parameters(step.mechanism->step().mechanism);
  all.insert(all.end(), of_run.begin(), of_run.end());
  return all;
}

std::vector<KeyValue> parameters_of_sampled(const SampledStep& step) {
  auto all = std::visit([](const auto& noise) { return field_values(noise); }, step.noise);
  std::visit(
      [&]<class Kind>(const Kind& sampler) {
        all.push_back({"sampler", std::string(Kind::kName)});
        for (auto& one : field_values(sampler)) {
          if (one.key != "group" || one.value != "1") all.push_back(std::move(one));
        }
      },
      step.sampler);
  all.push_back({"relation", step_relation(step)});
  return all;
}

}  // namespace

std::vector<StepDescription> step_descriptions() {
  std::vector<StepDescription> all;
  for_each_kind<StepMechanism>([&](const auto& step) { all.push_back(description_of(step)); });
  return all;
}

bool takes_relation(const std::string& name, bool has_sampler) {
  bool takes = has_sampler || name == kSubsampledGaussian;
  for_each_kind<StepMechanism>([&]<class Step>(const Step&) {
    takes = takes || (Step::kName == name && contains(parameters_of<Step>().all, "relation"));
  });
  return takes;
}

std::vector<StepDescription> sampler_descriptions() {
  std::vector<StepDescription> all;
  for_each_kind<Sampler>([&](const auto& sampler) { all.push_back(description_of(sampler)); });
  return all;
}

Result<StepMechanism> make_step(const std::string& name, std::span<const KeyValue> parameters) {
  std::vector<KeyValue> given(parameters.begin(), parameters.end());
  if (name == RepeatAndSelectStep::kName) {
    const auto run = std::find_if(given.begin(), given.end(),
                                  [](const KeyValue& one) { return one.key == "run"; });
    if (run != given.end()) return read_selection(std::string(run->value), given);
  }
  const auto sampler = ASSAY_TRY(take("sampler", given));
  if (sampler || name == kSubsampledGaussian) {
    const std::string noise(name == kSubsampledGaussian ? GaussianStep::kName
                                                        : std::string_view(name));
    return read_sampled(noise, sampler.value_or(std::string(PoissonSampler::kName)), given);
  }
  std::optional<Result<StepMechanism>> step;
  std::vector<std::string> names{std::string(kSubsampledGaussian)};
  for_each_kind<StepMechanism>([&]<class Step>(const Step&) {
    names.emplace_back(Step::kName);
    if (Step::kName != name) return;
    step = [&]() -> Result<StepMechanism> {
      auto read = ASSAY_TRY(read_step<Step>(parameters));
      return StepMechanism(std::move(read));
    }();
  });
  if (step) return *step;
  if (const Refusal* refusal = find_refusal(kOtherMechanisms, name); refusal != nullptr) {
    return refused(name + " is refused", refusal->why, "mechanism");
  }
  return fail(ErrorCode::kUnknownKey,
              "no mechanism is called '" + name + "'" + nearest_hint(name, names), "/mechanism");
}

Result<std::int64_t> take_group(const std::string& name, std::vector<KeyValue>& parameters) {
  const bool has_sampler = name == kSubsampledGaussian ||
                           std::any_of(parameters.begin(), parameters.end(),
                                       [](const KeyValue& one) { return one.key == "sampler"; });
  if (has_sampler) return 1;
  const auto text = ASSAY_TRY(take("group", parameters));
  if (!text) return 1;
  const auto size = parse_integer(*text);
  const auto most = static_cast<std::int64_t>(kGroup.high);
  if (size && *size >= 1 && *size <= most) return *size;
  ASSAY_TRY(detail::out_of_range("group", "a whole number, 1 to " + std::to_string(most),
                                 "'" + *text + "'"));
  return 1;
}

std::string step_name(const StepMechanism& step) {
  return std::visit(
      []<class Step>(const Step& s) -> std::string {
        if constexpr (std::is_same_v<Step, SampledStep>) {
          return std::visit([]<class Noise>(const Noise&) { return std::string(Noise::kName); },
                            s.noise);
        } else if constexpr (std::is_same_v<Step, GroupStep>) {
          return std::visit([]<class One>(const One&) { return std::string(One::kName); },
                            s.mechanism);
        } else {
          return std::string(Step::kName);
        }
      },
      step);
}

std::vector<KeyValue> step_parameters(const StepMechanism& step) {
  return std::visit(
      []<class Step>(const Step& s) -> std::vector<KeyValue> {
        if constexpr (std::is_same_v<Step, SampledStep>) {
          return parameters_of_sampled(s);
        } else if constexpr (std::is_same_v<Step, RepeatAndSelectStep>) {
          return parameters_of_selection(s);
        } else if constexpr (std::is_same_v<Step, GroupStep>) {
          return std::visit([](const auto& one) { return parameters_of_step(one); }, s.mechanism);
        } else {
          return parameters_of_step(s);
        }
      },
      step);
}

std::string to_string(const StepMechanism& step) {
  std::string text = step_name(step);
  for (const auto& [key, value] : step_parameters(step)) text += ", " + key + " " + value;
  return text;
}

}  // namespace assay
