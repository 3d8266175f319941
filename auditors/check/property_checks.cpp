#include "assay/auditors/check/property_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/paths.hpp"
#include "assay/auditors/regret/regret_job.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/philox.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay {
namespace {

using detail::LevelChain;

constexpr double kTolerance = 1e-9;  // of comparisons of exact numbers
constexpr double kNever = -std::numeric_limits<double>::infinity();

// ---- privacy ------------------------------------------------------------------------------------

std::string path_words(const std::vector<int>& actions, double log_p, double log_q) {
  return fmt::format("the actions {} have probability {} on D and {} on D', a loss of {}",
                     actions_text(actions), rounded(portable_exp(log_p), 6),
                     rounded(portable_exp(log_q), 6), rounded(std::fabs(log_p - log_q), 6));
}

PathSearchResult likeliest_paths(const PreparedAudit& audit, const AuditReport& report) {
  constexpr int kWidth = 8;
  return search_paths(*audit.subject.process(report.pair.inputs), kWidth, 1);
}

// The event by which the pair differs: the likeliest actions to tell it, or what was counted.
std::string event_words(const PreparedAudit& audit, const AuditReport& report) {
  if (audit.subject.process) {
    if (std::holds_alternative<GaussianDp>(audit.claim)) {
      const auto& witness = report.evidence.witness;
      if (!witness) return "";
      return path_words(witness->actions, witness->log_probability_base,
                        witness->log_probability_neighbour);
    }
    const auto found = likeliest_paths(audit, report).largest_loss;
    return path_words(found.actions, found.log_p, found.log_q);
  }
  if (const auto& event = report.evidence.event) {
    return fmt::format("the event \"{}\", of {}, {} on D and {} on D'", event->event, event->score,
                       seen_text(event->base_hits, event->base_runs),
                       seen_text(event->neighbour_hits, event->neighbour_runs));
  }
  return report.evidence.refutation;
}

// ---- composition --------------------------------------------------------------------------------

// The logarithms of all products of one probability from each factor.
std::vector<double> product(const std::vector<std::vector<double>>& factors) {
  std::vector<double> all{0.0};
  for (const auto& factor : factors) {
    std::vector<double> next;
    next.reserve(all.size() * factor.size());
    for (const double log : all) {
      for (const double one : factor) next.push_back(log + one);
    }
    all = std::move(next);
  }
  return all;
}

// All outputs of randomised responses of these eps; each gives away its input with probability delta
// (mechanisms/accounting/account/step.hpp, (1)).
EnumeratedDistributions responses(const LevelChain& chain) {
  std::vector<std::vector<double>> p, q;
  for (const double eps : chain.strengths) {
    const double keep = portable_log1p(-chain.delta);
    const double high = keep - portable_log1p(portable_exp(-eps));
    const double low = high - eps;
    if (chain.delta > 0.0) {
      const double told = portable_log(chain.delta);
      p.push_back({told, high, low, kNever});
      q.push_back({kNever, low, high, told});
    } else {
      p.push_back({high, low});
      q.push_back({low, high});
    }
  }
  return {product(p), product(q), 1e-12};
}

Judgement judged(bool fails, std::string words) {
  return {.fails = fails, .words = fails ? std::move(words) : std::string()};
}

// D_order(P || Q) of distributions that are each other's mirror image.
double renyi_divergence(const EnumeratedDistributions& pair, double order) {
  double sum = kNever;
  for (std::size_t i = 0; i < pair.log_p.size(); ++i) {
    const double term = order * pair.log_p[i] + (1.0 - order) * pair.log_q[i];
    sum = sum < term ? log_add_exp(term, sum) : log_add_exp(sum, term);
  }
  return sum / (order - 1.0);
}

// Fails if the divergence at some order exceeds its stated bound. Just above order 1 the logarithm of (1) in renyi.hpp
// is divided by a small number, and its rounding with it.
Judgement judge_divergence(const LevelChain& chain, const std::function<double(double)>& stated,
                           const std::string& level) {
  const auto pair = responses(chain);
  for (const double order : {1.001, 1.1, 1.5, 2.0, 4.0, 8.0, 32.0}) {
    const double exact = renyi_divergence(pair, order);
    const double allowed = stated(order) * (1.0 + kTolerance) + 1e-12 / (order - 1.0);
    if (exact <= allowed) continue;
    return judged(
        true,
        fmt::format(
            "the level {}that the accounting returned allows a Renyi divergence of {} at order "
            "{}; that of the composed randomised responses is {}",
            level, rounded(stated(order), 6), number_text(order), rounded(exact, 6)));
  }
  return {};
}

// ---- the plan -----------------------------------------------------------------------------------

Status check_plan(const CheckPlan& plan) {
  const auto refuse = [](const std::string& what) {
    return fail(ErrorCode::kInvalidArgument, what);
  };
  if (plan.cases < 1 || plan.cases > 1'000'000) {
    return refuse(fmt::format("cases must be 1 to 1000000, not {}", plan.cases));
  }
  if (!(plan.alpha > 0.0 && plan.alpha <= 0.5)) {
    return refuse("alpha must be above 0 and at most 0.5, not " + number_text(plan.alpha));
  }
  if (plan.alpha / static_cast<double>(plan.cases) < 1e-9) {
    return refuse("alpha must be at least 1e-9 times cases, not " + number_text(plan.alpha));
  }
  if (plan.runs < 100 || plan.runs > kMostRegretRuns) {
    return refuse(fmt::format("runs must be 100 to {}, not {}", kMostRegretRuns, plan.runs));
  }
  if (plan.most_rounds < 1 || plan.most_rounds > 1'000'000) {
    return refuse(fmt::format("most_rounds must be 1 to 1000000, not {}", plan.most_rounds));
  }
  return {};
}

std::uint64_t seed_of(const CheckPlan& plan, std::string_view stage, std::int64_t index) {
  return philox4x64({static_cast<std::uint64_t>(index), hash_purpose(stage), 0, 0},
                    {plan.seed, hash_purpose("property check")})[0];
}

// ---- the check ----------------------------------------------------------------------------------

struct FailedCheck {
  std::string_view name;
  std::int64_t at = 1;  // the number of the drawn case
  std::string drawn = {}, drawn_words = {}, simplest = {}, simplest_words = {};
  bool has_simpler = false;
  bool is_exact = true;
  bool is_illustration = false;
};

std::string failure_text(const FailedCheck& failed, const CheckPlan& plan) {
  const auto shown = [](std::string_view title, const std::string& one, const std::string& words) {
    return fmt::format("{}:\n    {}\n    {}\n", title, one, words);
  };
  const std::string confidence = "at confidence " + number_text(1.0 - plan.alpha);
  const std::string text = fmt::format("{} failed at case {} of {}, seed {}.\n", failed.name,
                                       failed.at, plan.cases, plan.seed);
  if (failed.is_illustration) {
    return text +
           shown("Counterexample (certified " + confidence + ")", failed.drawn,
                 failed.drawn_words) +
           shown("A simpler case (an illustration: fresh runs did not confirm it)", failed.simplest,
                 failed.simplest_words);
  }
  if (!failed.has_simpler) {
    const std::string certainty = failed.is_exact ? "exact" : "certified " + confidence;
    return text + shown("Counterexample (" + certainty + ")", failed.drawn, failed.drawn_words);
  }
  const std::string certainty =
      failed.is_exact ? "exact" : "certified, with the case below, " + confidence;
  return text +
         shown("Simplest counterexample (" + certainty + ")", failed.simplest,
               failed.simplest_words) +
         shown("Drawn", failed.drawn, failed.drawn_words);
}

// What the cases of a check that passed were.
class Coverage {
 public:
  void add(const detail::CaseTree& drawn, const Judgement& found) {
    ++(found.is_exact ? exact_ : sampled_);
    if (found.differs) {
      ++(*found.differs ? differ_ : equal_);
    }
    if (!drawn.sizes) return;
    for (const CaseSize& size : drawn.sizes()) {
      const auto seen = std::find_if(ranges_.begin(), ranges_.end(),
                                     [&](const auto& one) { return one.name == size.name; });
      if (seen == ranges_.end()) {
        ranges_.push_back({size.name, size.value, size.value});
      } else {
        seen->low = std::min(seen->low, size.value);
        seen->high = std::max(seen->high, size.value);
      }
    }
  }
  // ": 78 judged exactly, 22 by samples.\n    horizon 1 to 47; the outputs differed in 93 cases".
  std::string text() const {
    std::string text = fmt::format(": {} judged exactly, {} by samples\n", exact_, sampled_);
    std::string drawn;
    for (const auto& [name, low, high] : ranges_) {
      drawn += (drawn.empty() ? "" : ", ") + name +
               (low == high ? " = " + number_text(low)
                            : " " + number_text(low) + " to " + number_text(high));
    }
    if (!drawn.empty()) text += "    " + drawn + "\n";
    if (differ_ + equal_ == 0) return text;
    const std::int64_t all = exact_ + sampled_;
    text += fmt::format("    the outputs on D and D' were seen to differ in {} of {} cases\n",
                        differ_, all);
    if (10 * (all - equal_) < all) {
      text +=
          "    Fewer than a tenth of the cases could have failed: in the others both inputs give "
          "the same outputs.\n    Set the sizes that decide it together, in CheckPlan::parameters "
          "or by check() of the configuration.\n";
    }
    return text;
  }

 private:
  struct SizeRange {
    std::string name;
    double low, high;
  };
  std::vector<SizeRange> ranges_;
  std::int64_t exact_ = 0, sampled_ = 0, differ_ = 0, equal_ = 0;
};

// Makes a case that fails simpler while the simpler ones fail, and certifies the last.
FailedCheck simplified(FailedCheck failed, std::shared_ptr<const detail::CaseTree> simplest,
                       Judgement found, const CheckPlan& plan) {
  constexpr std::int64_t kMostTried = 1000, kMostSampled = 60;
  // At the share of a drawn case, so that fresh runs, which have more alpha, will probably confirm.
  const double share = plan.alpha / 2.0 / static_cast<double>(plan.cases);
  auto ahead = simplest->simpler();
  std::int64_t sampled = 0;
  for (std::int64_t tried = 0; tried < kMostTried && sampled < kMostSampled; ++tried) {
    auto next = ahead();
    if (!next) break;
    auto judged = next->judge({seed_of(plan, "simpler", tried), share});
    if (judged && !judged->is_exact) ++sampled;
    if (!judged || !judged->fails) continue;
    failed.has_simpler = true;
    found = std::move(*judged);
    simplest = std::move(next);
    ahead = simplest->simpler();
  }
  if (failed.has_simpler && !found.is_exact) {
    auto again = simplest->judge({seed_of(plan, "fresh", 0), plan.alpha / 2.0});
    failed.is_illustration = !again || !again->fails;
    if (!failed.is_illustration) found = std::move(*again);
  }
  failed.simplest = simplest->words();
  failed.simplest_words = found.words;
  failed.is_exact = found.is_exact;
  return failed;
}

}  // namespace

std::vector<CaseSize> detail::number_sizes(const Parameters& parameters) {
  std::vector<CaseSize> sizes;
  for (const auto& [key, value] : parameters) {
    if (const auto number = parse_number(value)) sizes.push_back({key, *number});
  }
  return sizes;
}

CheckOutcome detail::refused_check(std::string_view name, const Error& why) {
  CheckOutcome outcome;
  outcome.message = fmt::format("{}: {}\n", name, why.to_string());
  return outcome;
}

CheckOutcome detail::run_check(
    std::string_view name, const CheckPlan& plan,
    const std::function<std::shared_ptr<const CaseTree>(int size)>& draw) {
  CheckOutcome outcome;
  const auto refused = [&](const std::string& why) {
    outcome.message = fmt::format("{}: {}\n", name, why);
    return outcome;
  };
  if (const auto status = check_plan(plan); !status) return refused_check(name, status.error());
  const double share = plan.alpha / 2.0 / static_cast<double>(plan.cases);
  Coverage covered;
  while (outcome.cases < plan.cases) {
    const auto drawn = draw(static_cast<int>(100 * outcome.cases / plan.cases));
    const auto found =
        drawn->judge({seed_of(plan, "drawn", outcome.cases + outcome.discarded), share});
    if (!found && ++outcome.discarded >= 10 * plan.cases) {
      return refused(fmt::format("gave up after {} discarded cases; the last: {}",
                                 outcome.discarded, found.error().to_string()));
    }
    if (!found) continue;
    ++outcome.cases;
    covered.add(*drawn, *found);
    if (!found->fails) continue;
    const auto failed = simplified(
        {.name = name, .at = outcome.cases, .drawn = drawn->words(), .drawn_words = found->words},
        drawn, *found, plan);
    outcome.is_illustration = failed.is_illustration;
    outcome.message = failure_text(failed, plan);
    return outcome;
  }
  outcome.passed = true;
  outcome.message =
      fmt::format("{}: passed {} cases, seed {}{}", name, outcome.cases, plan.seed, covered.text());
  return outcome;
}

Status detail::check_privacy_plan(const AuditCase& audited, const CheckPlan& plan) {
  ASSAY_TRY(check_plan(plan));
  const auto fields = audited.describe().parameters;
  const auto settles = [](const Result<AuditedSubject>& made) {
    return made || made.error().code == ErrorCode::kTarget;
  };
  // The defaults may contradict each other, or what is kept; then something else must be possible.
  auto subject = made_subject(audited, plan.parameters);
  ReplayStream random({plan.seed, hash_purpose("check/plan")});
  for (int size = 0; size < 100 && !settles(subject); ++size) {
    auto drawn = made_subject(audited, draw_parameters(fields, plan.parameters, size, random));
    if (settles(drawn)) subject = std::move(drawn);
  }
  if (!settles(subject)) return tl::make_unexpected(subject.error());
  if (subject && !plan.claim.empty()) ASSAY_TRY(parse_claim(plan.claim, subject->variables));
  return {};
}

namespace {

// Few enough sequences of actions for a case of many to list them.
bool is_listed(const InputShape& shape) {
  constexpr std::int64_t kMostListed = std::int64_t{1} << 14;
  const auto count = detail::count_transcripts(static_cast<int>(shape.arms), shape.horizon);
  return count && *count <= kMostListed;
}

// By a certified bound or a sequence of actions. Where an exact audit finds no loss at all, they do not differ.
std::optional<bool> outputs_differ(const PreparedAudit& audit, const AuditReport& report) {
  bool is_all = false;
  for (const ReportedQuantity& quantity : report.evidence.quantities) {
    if (quantity.lower.value > 0.0) return true;
    is_all |= quantity.kind == QuantityKind::kMu ||
              (quantity.kind == QuantityKind::kEpsilonAtDelta && quantity.at == 0.0);
  }
  if (audit.subject.process) {
    const auto loss = likeliest_paths(audit, report).largest_loss;
    if (std::fabs(loss.log_p - loss.log_q) > kTolerance) return true;
  }
  return is_all && report.evidence.method == "exact" ? std::optional(false) : std::nullopt;
}

Result<Judgement> judge_by_audit(const AuditCase& audited, const CheckPlan& plan,
                                 const DrawnCase& drawn, const Trial& trial) {
  auto subject = ASSAY_TRY(detail::made_subject(audited, drawn.parameters));
  if (!drawn.pair.is_known()) {
    return fail(ErrorCode::kInvalidArgument, "no pair of neighbouring inputs was found");
  }
  AuditRequest request;
  request.parameters = drawn.parameters;
  request.claim = plan.claim;
  request.input = AuditInput::of("the drawn pair", "", drawn.pair);
  // A part less, so that no rounding of 1 - alpha makes it more.
  request.confidence = 1.0 - trial.alpha * (1.0 - 1e-5);
  request.seed = trial.seed;
  request.samples = plan.runs;
  request.only_claim = true;
  if (subject.process && !is_listed(subject.shape)) request.method = Method::kLikelihood;
  const auto audit = prepare_audit(std::move(subject), request);
  if (!audit) return tl::make_unexpected(audit.error());
  const auto report = run_audit(*audit, RunControl{});
  if (!report) return tl::make_unexpected(report.error());
  if (report->verdict == Verdict::kViolated) {
    Judgement found{.fails = true, .is_exact = report->evidence.method == "exact"};
    const auto event = event_words(*audit, *report);
    const auto difference = difference_text(*report);
    found.words = headline(*report) + "\n    " + change_text(*report);
    if (!event.empty()) found.words += "\n    " + event;
    if (!difference.empty() && !audit->subject.process) found.words += "\n    " + difference;
    return found;
  }
  // An alarm is within the alpha of the report.
  const auto& checks = report->evidence.checks;
  const auto alarm = std::find_if(checks.begin(), checks.end(),
                                  [](const CheckResult& check) { return !check.passed; });
  if (report->verdict != Verdict::kInconclusive || alarm == checks.end()) {
    const bool is_exact = report->evidence.method == "exact";
    return Judgement{.is_exact = is_exact, .differs = outputs_differ(*audit, *report)};
  }
  return Judgement{.fails = true,
                   .is_exact = false,
                   .words = "the outputs do not follow the probabilities that the class states: " +
                            alarm->name + ", " + alarm->value_text()};
}

}  // namespace

// A class that fails, by an error or an exception, fails its case.
Result<Judgement> detail::judge_privacy(const AuditCase& audited, const CheckPlan& plan,
                                        const DrawnCase& drawn, const Trial& trial) {
  Result<Judgement> found;
  try {
    found = judge_by_audit(audited, plan, drawn, trial);
  } catch (const std::exception& failed) {
    found = fail(ErrorCode::kTarget, failed.what());
  }
  if (found || found.error().code != ErrorCode::kTarget) return found;
  return Judgement{.fails = true, .words = "the class failed: " + found.error().to_string()};
}

Result<Judgement> detail::judge_regret(SimulatedPolicy policy, double bound, const CheckPlan& plan,
                                       const DrawnRegret& drawn, const Trial& trial) {
  if (std::isnan(bound))
    return fail(ErrorCode::kNumerical, "the bound of the regret is not a number");
  const RegretTerms terms{drawn.setting.horizon, plan.runs, bound, trial.seed, trial.alpha};
  const auto report = ASSAY_TRY(measure_regret(std::move(policy), terms, RunControl{}));
  if (report.verdict() != RegretVerdict::kAbove) return Judgement{.is_exact = false};
  return Judgement{
      .fails = true,
      .is_exact = false,
      .words = fmt::format("the {} is at least {} ({} on average over {} runs); the bound is {}",
                           report.is_simple ? "simple regret" : "expected regret",
                           rounded(report.regret.lower, 6), rounded(report.regret.value, 6),
                           report.runs, rounded(bound, 6))};
}

// ---- composition --------------------------------------------------------------------------------

std::string detail::chain_text(const LevelChain& chain, std::string_view each) {
  std::string text;
  for (const double one : chain.strengths) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", each, number_text(one));
  }
  if (chain.delta > 0.0) text += ", each with delta = " + number_text(chain.delta);
  return text;
}

template <>
Result<PureDp> detail::level_of(const LevelChain& chain, std::size_t at) {
  return PureDp{Epsilon{chain.strengths[at]}};
}
template <>
Result<ApproximateDp> detail::level_of(const LevelChain& chain, std::size_t at) {
  return ApproximateDp{Epsilon{chain.strengths[at]}, Delta{chain.delta}};
}
template <>
Result<GaussianDp> detail::level_of(const LevelChain& chain, std::size_t at) {
  return GaussianDp{Mu{chain.strengths[at]}};
}
template <>
Result<ZeroConcentratedDp> detail::level_of(const LevelChain& chain, std::size_t at) {
  const auto rho = ASSAY_TRY(zcdp_rho(PureDp{Epsilon{chain.strengths[at]}}));
  return ZeroConcentratedDp{rho.value};
}
template <>
Result<RenyiDp> detail::level_of(const LevelChain& chain, std::size_t at) {
  return to_renyi(PureDp{Epsilon{chain.strengths[at]}});
}

Judgement detail::judge_composed(const PureDp& stated, const LevelChain& chain) {
  const auto pair = responses({chain.strengths});
  double largest = 0.0;
  for (std::size_t i = 0; i < pair.log_p.size(); ++i) {
    largest = std::max(largest, std::fabs(pair.log_p[i] - pair.log_q[i]));
  }
  return judged(
      !(largest <= stated.epsilon.value * (1.0 + kTolerance)),
      fmt::format("the accounting returned eps = {}; one output of the composed randomised "
                  "responses loses {}",
                  rounded(stated.epsilon.value, 6), rounded(largest, 6)));
}

Judgement detail::judge_composed(const ApproximateDp& stated, const LevelChain& chain) {
  const auto pair = responses(chain);
  double delta = 0.0;
  for (std::size_t i = 0; i < pair.log_p.size(); ++i) {
    delta += std::max(
        0.0, portable_exp(pair.log_p[i]) - portable_exp(pair.log_q[i] + stated.epsilon.value));
  }
  return judged(
      !(delta <= stated.delta.value * (1.0 + kTolerance)),
      fmt::format("the accounting returned eps = {}, delta = {}; at this eps the composed "
                  "responses have a delta of {}",
                  rounded(stated.epsilon.value, 6), rounded(stated.delta.value, 6),
                  rounded(delta, 6)));
}

Judgement detail::judge_composed(const GaussianDp& stated, const LevelChain& chain) {
  std::vector<ChainStep> steps;
  for (const double mu : chain.strengths) steps.push_back({GdpStep{mu}, 1, {}, 1});
  std::vector<AccountTarget> targets;
  for (const double delta : {1e-8, 1e-4, 0.05}) {
    targets.push_back({AccountTarget::Asked::kEpsilonAtDelta, delta});
  }
  const auto answers = account_for(steps, targets);
  if (!answers) return judged(true, answers.error().to_string());
  for (const AccountAnswer& answer : *answers) {
    const double allowed =
        gdp_epsilon_upper(stated.mu, portable_log(answer.target.given)).value.value;
    if (answer.lower.value_or(0.0) <= allowed) continue;
    return judged(true,
                  fmt::format("the accounting returned mu = {}, which allows eps = {} at delta "
                              "= {}; the composed losses have an eps of at least {}",
                              rounded(stated.mu.value, 6), rounded(allowed, 6),
                              number_text(answer.target.given), rounded(*answer.lower, 6)));
  }
  return {};
}

Judgement detail::judge_composed(const ZeroConcentratedDp& stated, const LevelChain& chain) {
  return judge_divergence(
      chain, [&](double order) { return stated.rho.value * order; },
      "rho = " + rounded(stated.rho.value, 6) + " ");
}

Judgement detail::judge_composed(const RenyiDp& stated, const LevelChain& chain) {
  return judge_divergence(
      chain, [&](double order) { return stated.at(order).value.value; }, "");
}

LevelChain detail::draw_chain(bool has_delta, int size, ReplayStream& random) {
  constexpr std::uint64_t kMost = 5;  // 4^5 outputs
  LevelChain chain;
  const auto count = 1 + uniform_below(random, 1 + kMost * static_cast<std::uint64_t>(size) / 125);
  for (std::uint64_t i = 0; i < count; ++i) {
    chain.strengths.push_back(static_cast<double>(1 + uniform_below(random, 40)) / 20.0);
  }
  if (has_delta) chain.delta = static_cast<double>(1 + uniform_below(random, 20)) / 1000.0;
  return chain;
}

std::vector<LevelChain> detail::simpler_chains(const LevelChain& chain) {
  std::vector<LevelChain> simpler;
  for (std::size_t i = 0; i < chain.strengths.size() && chain.strengths.size() > 1; ++i) {
    simpler.push_back(chain);
    simpler.back().strengths.erase(simpler.back().strengths.begin() +
                                   static_cast<std::ptrdiff_t>(i));
  }
  for (std::size_t i = 0; i < chain.strengths.size(); ++i) {
    const double now = chain.strengths[i];
    for (const double next : {1.0, std::round(now * 2.0) / 2.0}) {
      const auto rank = [](double x) {
        return x == 1.0 ? 0 : x * 2.0 == std::round(x * 2.0) ? 1 : 2;
      };
      if (next <= 0.0 || rank(next) >= rank(now)) continue;
      simpler.push_back(chain);
      simpler.back().strengths[i] = next;
    }
  }
  if (chain.delta > 0.0 && chain.delta != 0.01) {
    simpler.push_back(chain);
    simpler.back().delta = 0.01;
  }
  return simpler;
}

// ---- sensitivity --------------------------------------------------------------------------------

Judgement detail::judge_sensitivity(std::span<const double> base, std::span<const double> neighbour,
                                    StatisticNorm norm, double stated) {
  if (base.size() != neighbour.size()) {
    return judged(true, fmt::format("the statistic has {} numbers on D and {} on D'", base.size(),
                                    neighbour.size()));
  }
  double sum = 0.0, squares = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double move = std::fabs(base[i] - neighbour[i]);
    sum += move;
    squares += move * move;
    largest = std::max(largest, move);
  }
  const double moved = norm == StatisticNorm::kL1   ? sum
                       : norm == StatisticNorm::kL2 ? std::sqrt(squares)
                       : std::isnan(sum)            ? sum
                                                    : largest;
  const std::string_view name = norm == StatisticNorm::kL1   ? "L1"
                                : norm == StatisticNorm::kL2 ? "L2"
                                                             : "the largest entry";
  auto found = judged(!(moved <= stated * (1.0 + kTolerance)),
                      fmt::format("the statistic moves by {} in {}; the stated sensitivity is {}",
                                  rounded(moved, 6), name, rounded(stated, 6)));
  found.differs = moved > 0.0;
  return found;
}

}  // namespace assay
