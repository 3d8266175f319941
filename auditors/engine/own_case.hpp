// An audit case of a class of the caller's own: what satisfies Policy (policies/concepts.hpp) is audited in
// this process, by every rule that a shipped case is.
//
//     auto own = make_own_case<MyPolicy>({.id = "my-policy"});
//     AuditJob job;
//     job.claim = "eps=1";
//     const auto outcome = (*prepare(job, *own))(Session{});
//
// cli/audit_main.hpp makes a program of it, with the options of `assay audit`.
//
// The types of the class say what it is and what is private (policies/inputs/input_table.hpp):
//   Context       Action           Feedback                  kind
//   NoContext     a whole number   double                    bandit; best-arm with recommendation()
//   NoContext     a whole number   std::span<const double>   experts
//   NoContext     Duel             bool                      dueling
//   ContextSet    a whole number   double                    contextual
// Sizes are the fields arms (or actions), horizon (or budget) and dimension of the Config; those that it does
// not have become parameters of the case. A play of one seed draws from one ReplayStream alone.
//
// Methods. A TransparentPolicy of a bandit or of experts whose observe() draws nothing: exact or likelihood,
// with a search of the worst pair; everything else, and what one input can play and its neighbour never: by
// events, over structural pairs. The likelihood is what the class says of itself, taken as exact to 1e-14;
// every run holds draws against it. Nothing is taken as proved.
// Threads: copies of the policy play on several threads at once, so what copies share must not change.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/dueling/duels.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/policies/sparse/contexts.hpp"

namespace assay {

struct OwnCaseWords {
  std::string id = "own-policy";
  std::string title = {};  // default: the id
  std::string about = {};  // a paragraph
  std::string program =
      {};  // how the auditing program is started, for the line that repeats a report
};

template <Policy P>
std::unique_ptr<AuditCase> make_own_case(OwnCaseWords words);

namespace detail {

template <class P>
constexpr InputKind own_kind() {
  using Feedback = std::remove_cvref_t<typename P::Feedback>;
  if constexpr (std::same_as<typename P::Action, Duel>) {
    static_assert(std::same_as<Feedback, bool>, "the Feedback of a Duel is a bool: did first win");
    return InputKind::kDueling;
  } else {
    static_assert(std::integral<typename P::Action>, "an Action is a whole number, or a Duel");
    if constexpr (std::same_as<typename P::Context, ContextSet>) {
      static_assert(std::same_as<Feedback, double>, "the Feedback of an arm is a double");
      return InputKind::kContextual;
    } else {
      static_assert(std::same_as<typename P::Context, NoContext>,
                    "a Context is NoContext or ContextSet (policies/sparse/contexts.hpp)");
      if constexpr (std::same_as<Feedback, std::span<const double>>) return InputKind::kExperts;
      static_assert(
          std::same_as<Feedback, std::span<const double>> || std::same_as<Feedback, double>,
          "a Feedback is a double, or the losses of all experts as a std::span");
      if constexpr (requires(const P& policy) { policy.recommendation(); }) {
        return InputKind::kBestArm;
      }
      return InputKind::kBandit;
    }
  }
}

// Its likelihood is that of the actions: what observe() draws would be averaged over.
template <class P>
concept HasOwnLikelihood = TransparentPolicy<P> &&(own_kind<P>() == InputKind::kBandit ||
                                                   own_kind<P>() == InputKind::kExperts) &&
                           requires(P policy, const typename P::Feedback& feedback) {
  policy.observe(feedback);
};

// One play, its numbers appended; after an action that there is not, that action to the end.
template <class P>
void play_own(P policy, const InputShape& shape, std::span<const double> input,
              ReplayStream& random, std::vector<double>& out) {
  const auto columns = static_cast<std::size_t>(shape.columns());
  const auto arms = static_cast<std::size_t>(shape.arms);
  const std::size_t end = out.size() + static_cast<std::size_t>(shape.width());
  // As an index; false where it is no arm.
  const auto index_of = [&](auto action, std::size_t& index) {
    out.push_back(static_cast<double>(action));
    index = static_cast<std::size_t>(action);
    return action >= 0 && index < arms;
  };
  std::size_t first = 0;
  std::size_t second = 0;
  for (std::size_t at = 0; at < input.size(); at += columns) {
    const auto row = input.subspan(at, columns);
    if constexpr (own_kind<P>() == InputKind::kDueling) {
      const Duel duel = policy.choose(random);
      const bool known = index_of(duel.first, first) && index_of(duel.second, second);
      if (!known) return out.resize(end, out.back());
      observe(policy, row[first * arms + second] == 1.0, random);
    } else if constexpr (own_kind<P>() == InputKind::kContextual) {
      const ContextSet context{shape.arms, shape.dimension, row.subspan(arms)};
      if (!index_of(policy.choose(context, random), first)) return out.resize(end, out.back());
      observe(policy, row[first], random);
    } else {
      if (!index_of(policy.choose(random), first)) return out.resize(end, out.back());
      if constexpr (own_kind<P>() == InputKind::kExperts) {
        observe(policy, row, random);
      } else {
        observe(policy, row[own_kind<P>() == InputKind::kBestArm ? first : 0], random);
      }
    }
  }
  if constexpr (own_kind<P>() == InputKind::kBestArm) index_of(policy.recommendation(), first);
}

// Two copies of a policy on neighbours, each fed the rows of its own input.
template <class P>
class OwnPair final : public CopiedPairProcess<OwnPair<P>> {
 public:
  using Action = typename P::Action;

  OwnPair(const P& fresh, const InputShape& shape, std::shared_ptr<const InputPair> pair)
      : fresh_(fresh), old_(fresh), new_(fresh), shape_(shape), pair_(std::move(pair)) {}

  std::int64_t horizon() const override { return shape_.horizon; }
  int action_count() const override { return static_cast<int>(shape_.arms); }
  std::int64_t round() const override { return round_; }
  bool agrees() const override { return round_ <= pair_->changed_row(); }
  bool forced() const override {
    int possible = 0;
    for (int action = 0; action < action_count() && possible < 2; ++action) {
      const auto log = log_probability(action, ArgmaxPrecision::kExact);
      constexpr double kNever = -std::numeric_limits<double>::infinity();
      if (log.p != kNever || log.q != kNever) ++possible;
    }
    return possible == 1;
  }
  void restart() override {
    old_ = fresh_;
    new_ = fresh_;
    round_ = 0;
  }
  int draw(Side side, ReplayStream& random) override {
    P policy = side == Side::kOld ? old_ : new_;  // choosing may change it
    return static_cast<int>(policy.choose(random));
  }
  PairLogProbability log_probability(int action, ArgmaxPrecision) const override {
    const double log_p = old_.log_probability(static_cast<Action>(action));
    return {log_p, agrees() ? log_p : new_.log_probability(static_cast<Action>(action))};
  }
  void log_probabilities(ArgmaxPrecision precision, std::span<double> log_p,
                         std::span<double> log_q) const override {
    for (int action = 0; action < action_count(); ++action) {
      const auto log = log_probability(action, precision);
      log_p[static_cast<std::size_t>(action)] = log.p;
      log_q[static_cast<std::size_t>(action)] = log.q;
    }
  }
  void advance(int action) override {
    feed(old_, action, pair_->old_input().row(round_));
    feed(new_, action, pair_->new_row(round_));
    ++round_;
  }

 private:
  static void feed(P& policy, int action, std::span<const double> row) {
    policy.advance(static_cast<Action>(action));
    if constexpr (own_kind<P>() == InputKind::kExperts) {
      policy.observe(row);
    } else {
      policy.observe(row[0]);
    }
  }

  P fresh_;
  P old_;
  P new_;
  InputShape shape_;
  std::shared_ptr<const InputPair> pair_;
  std::int64_t round_ = 0;
};

// The sizes that a Config has; the others are named.
template <class Config>
std::vector<std::string_view> take_sizes(const Config& config, InputShape& shape) {
  std::vector<std::string_view> missing;
  if constexpr (requires { config.arms; }) {
    shape.arms = config.arms;
  } else if constexpr (requires { config.actions; }) {
    shape.arms = config.actions;
  } else {
    missing.push_back("arms");
  }
  if constexpr (requires { config.horizon; }) {
    shape.horizon = config.horizon;
  } else if constexpr (requires { config.budget; }) {
    shape.horizon = config.budget;
  } else {
    missing.push_back("horizon");
  }
  if constexpr (requires { config.dimension; }) {
    shape.dimension = config.dimension;
  } else if (shape.kind == InputKind::kContextual) {
    missing.push_back("dimension");
  }
  return missing;
}

CaseDescription describe_own(const OwnCaseWords& words, InputKind kind, bool has_likelihood,
                             std::vector<FieldDescription> fields,
                             const std::vector<std::string_view>& missing);
// Those sizes as they were given, taken out of the parameters.
Status read_sizes(const std::vector<std::string_view>& missing, std::vector<KeyValue>& given,
                  InputShape& shape);
// What follows from the shape, and the judgement of the process, where there is one. Errors: a size out of
// range, a guarantee for other neighbours than those of the kind, probabilities that are none.
Result<AuditedSubject> finished_own(AuditedSubject subject, const OwnCaseWords& words,
                                    const std::vector<std::string_view>& missing);

template <class P>
class OwnCase final : public AuditCase {
 public:
  explicit OwnCase(OwnCaseWords words) : words_(std::move(words)) {
    if (words_.title.empty()) words_.title = words_.id;
  }
  std::string_view id() const override { return words_.id; }

  CaseDescription describe() const override {
    InputShape shape{.kind = own_kind<P>()};
    return describe_own(words_, shape.kind, HasOwnLikelihood<P>,
                        describe_fields<typename P::Config>(),
                        take_sizes(typename P::Config{}, shape));
  }

  Result<AuditedSubject> subject(const std::vector<KeyValue>& parameters) const override {
    auto given = parameters;
    InputShape shape{.kind = own_kind<P>()};
    const auto missing = take_sizes(typename P::Config{}, shape);
    ASSAY_TRY(read_sizes(missing, given, shape));
    const auto config = ASSAY_TRY(read_configuration<typename P::Config>(given));
    take_sizes(config, shape);
    const P policy = ASSAY_TRY(P::create(config));
    AuditedSubject subject = subject_of(words_.id, words_.title, policy);
    subject.shape = shape;
    subject.play = [policy, shape](std::span<const double> input, ReplayStream& random,
                                   std::vector<double>& out) {
      play_own(policy, shape, input, random, out);
    };
    if constexpr (HasOwnLikelihood<P>) {
      subject.process = [policy, shape](const InputPair& pair) -> std::unique_ptr<PairProcess> {
        return std::make_unique<OwnPair<P>>(policy, shape, std::make_shared<const InputPair>(pair));
      };
    }
    return finished_own(std::move(subject), words_, missing);
  }

 private:
  OwnCaseWords words_;
};

}  // namespace detail

template <Policy P>
std::unique_ptr<AuditCase> make_own_case(OwnCaseWords words) {
  return std::make_unique<detail::OwnCase<P>>(std::move(words));
}

}  // namespace assay
