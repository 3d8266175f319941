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
// The types of the class say what it is and which sizes it has (own_play.hpp); sizes that its Config does not
// have become parameters of the case. A play of one seed draws from one ReplayStream alone.
//
// Methods. A TransparentPolicy of a bandit or of experts whose observe() draws nothing: exact or likelihood,
// with a search of the worst pair; everything else, and what one input can play and its neighbour never: by
// events, over structural pairs. The likelihood is what the class says of itself, taken as exact to 1e-14;
// every run holds draws against it. Nothing is taken as proved.
// Threads: copies of the policy play on several threads at once, so what copies share must not change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/engine/own_play.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

struct OwnCaseWords {
  std::string id = "own-policy";
  std::string title = {};  // default: the id
  std::string about = {};  // a paragraph
  // How the program that audits it is started, for the line that repeats a report.
  std::string program = {};
};

template <Policy P>
std::unique_ptr<AuditCase> make_own_case(OwnCaseWords words);

namespace detail {

// Its likelihood is that of the actions: what observe() draws would be averaged over.
template <class P>
concept HasOwnLikelihood = TransparentPolicy<P> &&(own_kind<P>() == InputKind::kBandit ||
                                                   own_kind<P>() == InputKind::kExperts) &&
                           requires(P policy, const typename P::Feedback& feedback) {
  policy.observe(feedback);
};

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
    played_.reset();
    chosen_.reset();
  }
  // As it plays outside, by choose() and observe() alone: what choose() leaves behind and advance() forgets is
  // what the probabilities would not say. Errors: a class whose probabilities differ after either.
  int draw(Side side, ReplayStream& random) override {
    const P& led = side == Side::kOld ? old_ : new_;
    const bool follows = played_ && side_ == side;
    chosen_ = follows ? played_ : std::optional<P>(led);
    side_ = side;
    for (int i = 0; i < action_count(); ++i) {
      const auto action = static_cast<Action>(i);
      if (chosen_->log_probability(action) == led.log_probability(action)) continue;
      failed("after advance() log_probability() says other numbers than after choose()");
    }
    drawn_ = static_cast<int>(chosen_->choose(random));
    return drawn_;
  }
  PairLogProbability log_probability(int action, ArgmaxPrecision) const override {
    const double log_p = checked(old_.log_probability(static_cast<Action>(action)), action);
    return {log_p,
            agrees() ? log_p : checked(new_.log_probability(static_cast<Action>(action)), action)};
  }
  void log_probabilities(ArgmaxPrecision precision, std::span<double> log_p,
                         std::span<double> log_q) const override {
    for (int action = 0; action < action_count(); ++action) {
      const auto log = log_probability(action, precision);
      log_p[static_cast<std::size_t>(action)] = log.p;
      log_q[static_cast<std::size_t>(action)] = log.q;
    }
    for (const auto& side : {log_p, log_q}) {
      const auto never = [](double log) { return log == -std::numeric_limits<double>::infinity(); };
      if (std::all_of(side.begin(), side.end(), never)) {
        failed("no action is possible, by log_probability()");
      }
    }
  }
  void advance(int action) override {
    played_.reset();
    if (chosen_ && drawn_ == action) {
      learn(*chosen_,
            side_ == Side::kNew ? pair_->new_row(round_) : pair_->old_input().row(round_));
      played_ = std::move(chosen_);
    }
    chosen_.reset();
    feed(old_, action, pair_->old_input().row(round_));
    feed(new_, action, pair_->new_row(round_));
    last_action_ = action;
    ++round_;
  }
  // Of a bandit at the arm that earned it; of experts what each lost.
  void lagged_rewards(Side side, std::vector<double>& out) const override {
    out.assign(static_cast<std::size_t>(action_count()), 0.0);
    if (round_ == 0) return;
    const auto row =
        side == Side::kNew ? pair_->new_row(round_ - 1) : pair_->old_input().row(round_ - 1);
    if constexpr (own_kind<P>() == InputKind::kExperts) {
      out.assign(row.begin(), row.end());
    } else {
      out[static_cast<std::size_t>(last_action_)] = row[0];
    }
  }

 private:
  static void feed(P& policy, int action, std::span<const double> row) {
    policy.advance(static_cast<Action>(action));
    learn(policy, row);
  }
  static void learn(P& policy, std::span<const double> row) {
    if constexpr (own_kind<P>() == InputKind::kExperts) {
      policy.observe(row);
    } else {
      policy.observe(row[0]);
    }
  }

  // Wherever it is read: a search would take NaN for a pair that nobody scored.
  double checked(double log_probability, int action) const {
    if (log_probability <= 1e-9) return log_probability;
    return failed("log_probability(" + std::to_string(action) + ") is " +
                  number_text(log_probability) + ", the logarithm of no probability");
  }
  double failed(const std::string& what) const {
    throw std::runtime_error("round " + std::to_string(round_ + 1) + ": " + what);
  }

  P fresh_;
  P old_;
  P new_;
  InputShape shape_;
  std::shared_ptr<const InputPair> pair_;
  std::int64_t round_ = 0;
  int last_action_ = 0;
  std::optional<P> played_;  // as side_ played the rounds so far, where it drew all of them
  std::optional<P> chosen_;  // that, after this round's choice
  Side side_ = Side::kOld;
  int drawn_ = 0;
};

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
