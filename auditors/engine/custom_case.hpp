// Makes an audit case of a custom policy, a class of yours that satisfies Policy (policies/concepts.hpp). The audit
// runs the class in this process, by the same rules as the cases that come with Assay.
//
//     auto own = make_custom_case<MyPolicy>({.id = "my-policy"});
//     AuditJob job;
//     job.claim = "eps=1";
//     const auto outcome = (*prepare(job, *own))(Session{});
//
// AuditJob and prepare() are in auditors/audit/audit.hpp. cli/audit_main.hpp turns the class into a program that has
// the options of `assay audit`.
//
// The types of the class determine the kind of its input, and which sizes (arms, rounds, dimension) that input has
// (custom_run.hpp). A size that is not a field of the Config becomes a parameter of the case. Each run draws all its
// random numbers from one ReplayStream.
//
// Methods. A TransparentPolicy of the kind bandit or experts is audited exactly or by likelihood, with a search for
// the worst pair, if its observe() draws no random numbers. Any other class is audited by events: the audit compares
// how often sets of outputs occur on D and on D', for a fixed list of pairs. So is a class that can choose an action
// on one input that it never chooses on the neighbouring input. The audit takes the likelihood that the class
// reports as exact to 1e-14, and always tests sampled actions against it. It never counts the class's own guarantee()
// as proved.
// Threads: copies of the policy run on several threads at once. State that the copies share must not change.
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
#include "assay/auditors/engine/custom_run.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

struct CustomCaseWords {
  std::string id = "own-policy";
  std::string title = {};  // default: the id
  std::string about = {};  // a paragraph
  // The command that starts your audit program. The report's line "Reproduce" begins with it.
  std::string program = {};
};

// Errors come later, from AuditCase::subject() or prepare(): parameters that do not fit, a size out of range, a
// guarantee() for neighbours other than those of the kind, probabilities that do not sum to 1.
template <Policy P>
std::unique_ptr<AuditCase> make_custom_case(CustomCaseWords words);

namespace detail {

// Whether log_probability() gives the likelihood of the actions. If observe() draws random numbers, the likelihood is
// an average over them, which the class does not report.
template <class P>
concept HasOwnLikelihood = TransparentPolicy<P> &&(own_kind<P>() == InputKind::kBandit ||
                                                   own_kind<P>() == InputKind::kExperts) &&
                           requires(P policy, const typename P::Feedback& feedback) {
  policy.observe(feedback);
};

// Two copies of a policy on neighbouring inputs. Each reads the rows of its own input.
template <class P>
class OwnPair final : public CopiedPairProcess<OwnPair<P>> {
 public:
  using Action = typename P::Action;

  OwnPair(const P& fresh, const InputShape& shape, std::shared_ptr<const InputPair> pair)
      : fresh_(fresh), base_(fresh), neighbour_(fresh), shape_(shape), pair_(std::move(pair)) {}

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
    base_ = fresh_;
    neighbour_ = fresh_;
    round_ = 0;
    played_.reset();
    chosen_.reset();
  }
  // Runs the class as a user would, by choose() and observe() alone. choose() may not change any state on which
  // later probabilities depend, unless advance() changes it alike. Throws if the probabilities after choose() differ
  // from those after advance().
  int draw(Side side, ReplayStream& random) override {
    const P& led = side == Side::kBase ? base_ : neighbour_;
    const bool follows = played_ && side_ == side;
    chosen_ = follows ? played_ : std::optional<P>(led);
    side_ = side;
    for (int i = 0; i < action_count(); ++i) {
      const auto action = static_cast<Action>(i);
      if (chosen_->log_probability(action) == led.log_probability(action)) continue;
      failed("log_probability() gives other numbers after advance() than after choose()");
    }
    drawn_ = static_cast<int>(chosen_->choose(random));
    return drawn_;
  }
  PairLogProbability log_probability(int action, ArgmaxPrecision) const override {
    const double log_p = checked(base_.log_probability(static_cast<Action>(action)), action);
    return {log_p, agrees()
                       ? log_p
                       : checked(neighbour_.log_probability(static_cast<Action>(action)), action)};
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
        failed("log_probability() gives every action the probability 0");
      }
    }
  }
  void advance(int action) override {
    played_.reset();
    if (chosen_ && drawn_ == action) {
      learn(*chosen_, side_ == Side::kNeighbour ? pair_->neighbour_row(round_)
                                                : pair_->base_input().row(round_));
      played_ = std::move(chosen_);
    }
    chosen_.reset();
    feed(base_, action, pair_->base_input().row(round_));
    feed(neighbour_, action, pair_->neighbour_row(round_));
    last_action_ = action;
    ++round_;
  }
  // For a bandit only the reward of the chosen arm is known (the others are 0); for experts all losses are.
  void lagged_rewards(Side side, std::vector<double>& out) const override {
    out.assign(static_cast<std::size_t>(action_count()), 0.0);
    if (round_ == 0) return;
    const auto row = side == Side::kNeighbour ? pair_->neighbour_row(round_ - 1)
                                              : pair_->base_input().row(round_ - 1);
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

  // Checks every log-probability that is read. A search would mistake NaN for the score of a pair that it has not
  // scored yet.
  double checked(double log_probability, int action) const {
    if (log_probability <= 1e-9) return log_probability;
    return failed("log_probability(" + std::to_string(action) + ") is " +
                  number_text(log_probability) + ", which is not the logarithm of a probability");
  }
  double failed(const std::string& what) const {
    throw std::runtime_error("round " + std::to_string(round_ + 1) + ": " + what);
  }

  P fresh_;
  P base_;
  P neighbour_;
  InputShape shape_;
  std::shared_ptr<const InputPair> pair_;
  std::int64_t round_ = 0;
  int last_action_ = 0;
  // The policy after the rounds so far on side_, if draw() chose all actions.
  std::optional<P> played_;
  std::optional<P> chosen_;  // the same policy after choose() in this round
  Side side_ = Side::kBase;
  int drawn_ = 0;
};

CaseDescription describe_own(const CustomCaseWords& words, InputKind kind, bool has_likelihood,
                             std::vector<FieldDescription> fields,
                             const std::vector<std::string_view>& missing);
// Moves the values given for the sizes named by `missing` from the parameters to the shape.
Status read_sizes(const std::vector<std::string_view>& missing, std::vector<KeyValue>& given,
                  InputShape& shape);
// Completes the subject from its shape. If it has a process, checks the reported probabilities along a few runs.
// Errors: a size out of range, a guarantee for neighbours other than those of the kind, values that are not
// probabilities.
Result<AuditedSubject> finished_own(AuditedSubject subject, const CustomCaseWords& words,
                                    const std::vector<std::string_view>& missing);

template <class P>
class CustomCase final : public AuditCase {
 public:
  explicit CustomCase(CustomCaseWords words) : words_(std::move(words)) {
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
  CustomCaseWords words_;
};

}  // namespace detail

template <Policy P>
std::unique_ptr<AuditCase> make_custom_case(CustomCaseWords words) {
  return std::make_unique<detail::CustomCase<P>>(std::move(words));
}

}  // namespace assay
