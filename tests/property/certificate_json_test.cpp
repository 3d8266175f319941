// Random certificates within the rules: what is written reads back as it was.
#include "assay/auditors/claims/certificates/certificate_json.hpp"

#include "assay/auditors/registry/certificates.hpp"
#include "assay/tests/support/every_counterexample.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

int whole_number(int low, int high) { return *rc::gen::inRange(low, high + 1); }

// Bits of every kind: small, round and 53 random ones.
double between(double low, double high) {
  const auto part = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, (1LL << 53) + 1));
  switch (whole_number(0, 3)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return std::clamp(std::ldexp(part, -53 - whole_number(0, 40)), low, high);
    default:
      return std::clamp(low + (high - low) * std::ldexp(part, -53), low, high);
  }
}

// Draws every field within its own limits; lists are short enough to be fast.
struct DrawFields {
  template <class T>
  void operator()(std::string_view, T& value, const Limits& limits = {},
                  std::string_view = {}) const {
    draw(value, limits);
  }

  template <class T>
  static void draw(T& value, const Limits& limits) {
    if constexpr (std::is_enum_v<T>) {
      const auto names = enum_names(value);
      value = names[static_cast<std::size_t>(whole_number(0, static_cast<int>(names.size()) - 1))]
                  .first;
    } else if constexpr (std::is_floating_point_v<T>) {
      value = between(std::max(limits.low, -1e12), std::min(limits.high, 1e12));
    } else if constexpr (std::is_integral_v<T>) {
      value =
          static_cast<T>(whole_number(static_cast<int>(limits.low), static_cast<int>(limits.high)));
    } else {
      T::fields(value, DrawFields{});
    }
  }
  template <class T>
  static void draw(std::vector<T>& list, const Limits& limits) {
    list.resize(static_cast<std::size_t>(whole_number(
        static_cast<int>(limits.least), static_cast<int>(std::min<std::size_t>(limits.most, 16)))));
    for (T& entry : list) draw(entry, limits);
  }
};

// ---- the rules between fields -------------------------------------------------------------------

void mend(auto&) {}

void index_below(auto& index, std::size_t size) {
  index = static_cast<std::remove_reference_t<decltype(index)>>(
      whole_number(0, static_cast<int>(size) - 1));
}

void mend_history(std::vector<ArmPlays>& history, int arms) {
  for (auto& plays : history) index_below(plays.arm, static_cast<std::size_t>(arms));
}

void mend_numbers(EventNumbers& numbers, std::size_t arms) {
  numbers.event.resize(arms);
  std::iota(numbers.event.begin(), numbers.event.end(), 0);
  numbers.event.resize(static_cast<std::size_t>(whole_number(1, static_cast<int>(arms))));
  numbers.delta = between(1e-300, 0.5);
}

void mend(RoundCounterexample& found) {
  mend_history(found.history, found.arms);
  index_below(found.changed, found.history.size());
  found.history[found.changed].times = 1;
  mend_numbers(found.numbers, static_cast<std::size_t>(found.arms));
}
void mend(NoisyMaxCounterexample& found) {
  found.deviations.resize(found.values.size(), 1.0);
  found.sensitivities.resize(found.values.size());
  index_below(found.changed, found.values.size());
  mend_numbers(found.numbers, found.values.size());
}
void mend(DistributionMismatch& found) {
  mend_history(found.history, found.arms);
  index_below(found.arm, static_cast<std::size_t>(found.arms));
}
void mend(EpochCounterexample& found) {
  found.before.resize(found.others.size());
  found.after.resize(found.others.size());
  index_below(found.action, found.others.size());
}
void mend(RegretCounterexample& found) {
  for (auto& group : found.gaps) group.times = std::floor(between(1, 1e15));
}
void mend(IntegralMismatch& found) {
  for (double& level : found.levels) level = std::max(level, 1e-300);
  found.levels[0] = 0.0;
  std::sort(found.levels.begin(), found.levels.end());
}
void mend(GrowthCounterexample& found) {
  found.epsilon = between(1e-3, 0.4);
  found.gap = between(0.5, 0.999);
}
void mend(GaussianCounterexample& found) {
  found.others = between(0, static_cast<double>(found.pulls - 1));
}
void mend(MomentsCounterexample& found) {  // third below second/first
  found.third = between(0.001, std::min(0.999, 0.99 * found.second / found.first));
}
void mend(LaterBasisCounterexample& found) {  // neither short nor dependent
  found.x1 = between(0.1, 1);
  found.x2 = between(-1, -0.1) * found.y1;
  found.y2 = between(0.1, 1);
}
void mend(BudgetCounterexample& found) {
  found.arms = whole_number(static_cast<int>(found.dimension * found.dimension), 10'000);
}
void mend(BordaCounterexample& found) {
  for (std::size_t i = 0; i < found.scores.size(); ++i) {  // ascending
    found.scores[i] = found.scores[i] / 50 + 6.0 * static_cast<double>(i);
  }
  found.scores[0] = -100;
  index_below(found.arm, found.scores.size() - 1);
}
void mend(PhaseCounterexample& found) { found.horizon = whole_number(20'000, 1'000'000'000); }
void mend(DuelRegretCounterexample& found) { found.horizon = 2 * whole_number(2, 500'000'000); }
void mend(GradientCounterexample& found) {
  for (auto* context : {&found.context, &found.other_context}) {
    context->resize(found.estimate.size());
    for (double& entry : *context) entry = between(-found.x_max, found.x_max);
  }
}
void mend(ClippingCounterexample& found) { found.records = std::int64_t{1} << whole_number(0, 29); }
void mend(PeelingCounterexample& found) {
  found.least = whole_number(1, static_cast<int>(found.entries));
}
void mend(LowerCounterexample& found) {
  found.sparsity = whole_number(1, 100'000'000);
  found.dimension = whole_number(static_cast<int>(10 * found.sparsity), 1'000'000'000);
}
void mend(LeftOutCounterexample& found) {
  found.support = whole_number(1, 1000);
  found.sparsity = found.support + whole_number(1, 1000);
  found.kept = whole_number(0, static_cast<int>(found.support) - 1);
}
void mend(SampledDuelCounterexample& found) {
  found.epsilon = between(1e-3, 1.0);
  found.horizon = whole_number(20'000, 1'000'000'000);
  found.duels = whole_number(1, 20'000 - 1);
}
void mend(NormalizedContextsCounterexample& found) {
  found.records = std::int64_t{1} << whole_number(8, 24);
  found.sparsity = whole_number(10, static_cast<int>(std::min<std::int64_t>(60, 2 * found.group)));
}
void mend(ExperimentsCounterexample& found) {
  found.records = std::int64_t{1} << whole_number(8, 13);
}

template <class C>
Certificate drawn() {
  C found;
  C::fields(found, DrawFields{}, DrawFields{});
  mend(found);
  return {std::string(C::kRefutes[static_cast<std::size_t>(
              whole_number(0, static_cast<int>(C::kRefutes.size()) - 1))]),
          found};
}

RC_GTEST_PROP(CertificateJson, ReadsBackWhatItWrote, ()) {
  std::vector<Certificate (*)()> kinds;
  testing::each_counterexample([&]<class C>() { kinds.push_back(&drawn<C>); });
  RC_ASSERT(kinds.size() == counterexample_kinds().size());
  const Certificate certificate = (*rc::gen::elementOf(kinds))();
  const std::string text = to_json(certificate);
  const auto read = read_certificate(text);
  if (!read) RC_LOG() << read.error().to_string() << "\n" << text;
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == certificate);
  RC_ASSERT(to_json(*read) == text);
}

}  // namespace
}  // namespace assay
