// Property tests of your own policies and mechanisms, with RapidCheck: generators, and four checks.
//
//     #include <assay/check.hpp>
//     TEST(MyPolicy, KeepsItsLevel) { EXPECT_TRUE(assay::check_privacy_level<MyPolicy>()); }
//     int main() { const auto outcome = assay::check_privacy_level<MyPolicy>({.seed = 7, .cases = 50});
//                  std::cout << outcome.message; return outcome ? 0 : 1; }
//
//   check_privacy_level   a policy or mechanism keeps the level that it states, on random configurations and
//                         neighbours; exactly where its probabilities are known
//   check_sensitivity     a statistic moves by at most its stated sensitivity between neighbours
//   check_composition     an accounting of levels is never below the exact composition of mechanisms with these levels
//   check_regret_bound    the expected regret of a policy stays within a stated bound in random environments
//
// A check judges `cases` random cases with one alpha for all of them together, and shows the simplest counterexample
// that it finds. The seed determines the result. auditors/check/property_checks.hpp has the plan, and the proof that a
// property that holds fails with probability at most alpha, shrinking included. check_sensitivity and check_composition
// compute exactly and have no alpha.
// In a property of RapidCheck the generators are drawn as others are: const auto pair = *neighbouring_pairs(shape).
//
// This header is the only one that needs RapidCheck (Debian's librapidcheck-dev); link assay::check.
// Threads: a check runs on one thread. Cost: 1 to 80 ms for an exact case, 50 to 350 ms for a
// sampled one of up to 64 rounds and 1000 runs if log_probability() is cheap, and the steps of shrinking.
#pragma once

#include <cassert>  // rapidcheck.h leaves it out

#if !__has_include(<rapidcheck.h>)
#error "assay/check.hpp needs RapidCheck (Debian's librapidcheck-dev); link assay::check"
#endif
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/auditors/check/drawn_cases.hpp"
#include "assay/auditors/check/own_mechanism.hpp"
#include "assay/auditors/check/property_checks.hpp"
#include "assay/auditors/engine/custom_case.hpp"
#include "assay/auditors/regret/simulate_policy.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {
namespace detail {

// Draws from a stream that RapidCheck's random numbers identify; shrinks to the simpler values.
template <class T, class Draw, class Simpler>
rc::Gen<T> generator(Draw draw, Simpler simpler) {
  return [draw, simpler](const rc::Random& random, int size) {
    rc::Random words = random;
    ReplayStream stream({words.next(), hash_purpose("check/draw"), 0, 0, Phase::kSearch});
    return rc::shrinkable::shrinkRecur(T(draw(size, stream)), [simpler](const T& value) {
      return rc::seq::fromContainer(simpler(value));
    });
  };
}

}  // namespace detail

// ---- generators ---------------------------------------------------------------------------------

// Valid configurations. The `kept` fields have these values; the others are drawn as drawn_cases.hpp says. A
// configuration for which no draw is valid is the default with the kept fields.
template <class Config>
rc::Gen<Config> configurations(const std::vector<KeyValue>& kept = {}) {
  const auto fields = describe_fields<Config>();
  return detail::generator<Config>(
      [=](int size, ReplayStream& random) {
        for (int i = 0; i < 20; ++i) {
          const auto config =
              read_configuration<Config>(detail::draw_parameters(fields, kept, size, random));
          if (config) return *config;
        }
        return read_configuration<Config>(kept).value_or(Config{});
      },
      [=](const Config& config) {
        std::vector<Config> simpler;
        for (const auto& one : detail::simpler_parameters(fields, kept, field_values(config))) {
          if (const auto next = read_configuration<Config>(one)) simpler.push_back(*next);
        }
        return simpler;
      });
}

// Private inputs of this shape: rewards, losses, duels, contexts or values.
inline rc::Gen<InputTable> inputs(const InputShape& shape) {
  return detail::generator<InputTable>(
      [=](int, ReplayStream& random) { return detail::draw_input(shape, random); },
      [=](const InputTable& input) { return detail::simpler_inputs(shape, input); });
}

// Pairs of neighbouring inputs, by the kind and, for a mechanism, by shape.neighbours: of this shape, or with as many
// rounds (values, of a mechanism) or fewer.
enum class PairLength { kOfShape, kUpToShape };
inline rc::Gen<InputPair> neighbouring_pairs(const InputShape& most,
                                             PairLength length = PairLength::kOfShape) {
  const auto check = detail::neighbours_of_shape(most);
  return detail::generator<InputPair>(
      [=](int, ReplayStream& random) {
        InputShape shape = most;
        auto& rows = most.traits().has_rounds() ? shape.horizon : shape.inputs;
        const double part = length == PairLength::kUpToShape ? random.uniform() : 1.0;
        rows = std::max<std::int64_t>(1, std::llround(part * static_cast<double>(rows)));
        return detail::draw_pair(shape, detail::neighbours_of_shape(shape), random);
      },
      [=](const InputPair& pair) {
        auto simpler = detail::simpler_pairs(most, check, pair);
        if (length == PairLength::kOfShape) return simpler;
        const auto shorter = detail::shorter_pairs(most, pair);
        simpler.insert(simpler.begin(), shorter.begin(), shorter.end());
        return simpler;
      });
}

// Configurations of a policy or mechanism, each with neighbouring inputs of its sizes.
inline rc::Gen<DrawnCase> drawn_cases(std::shared_ptr<const AuditCase> audited,
                                      const std::vector<KeyValue>& kept = {}) {
  return detail::generator<DrawnCase>(
      [=](int size, ReplayStream& random) {
        return detail::draw_case(*audited, kept, size, random);
      },
      [=](const DrawnCase& drawn) { return detail::simpler_cases(*audited, kept, drawn); });
}

// How RapidCheck shows them.
inline void showValue(const InputTable& input, std::ostream& out) { out << table_text(input); }
inline void showValue(const InputPair& pair, std::ostream& out) { out << pair_text(pair); }
inline void showValue(const DrawnCase& drawn, std::ostream& out) {
  out << parameters_text(drawn.parameters);
  if (drawn.pair.is_known()) out << "\n    " << pair_text(drawn.pair);
}

// ---- one check ----------------------------------------------------------------------------------

namespace detail {

// A value of RapidCheck with its shrinks, as run_check() sees them.
template <class Case>
std::shared_ptr<const CaseTree> tree_of(const rc::Shrinkable<Case>& one, const Judge<Case>& judge,
                                        const CaseText<Case>& words, const CaseSizes<Case>& sizes) {
  return std::make_shared<const CaseTree>(
      CaseTree{[one, judge](const Trial& trial) { return judge(one.value(), trial); },
               [one, words] { return words(one.value()); },
               [one, judge, words, sizes] {
                 const auto ahead = std::make_shared<rc::Seq<rc::Shrinkable<Case>>>(one.shrinks());
                 return [ahead, judge, words, sizes]() -> std::shared_ptr<const CaseTree> {
                   const auto next = ahead->next();
                   return next ? tree_of(*next, judge, words, sizes) : nullptr;
                 };
               },
               [one, sizes] { return sizes(one.value()); }});
}

template <class Case>
CheckOutcome run_check(std::string_view name, const rc::Gen<Case>& cases, const CheckPlan& plan,
                       const Judge<Case>& judge, const CaseText<Case>& words,
                       const CaseSizes<Case>& sizes) {
  rc::Random random(plan.seed);
  return run_check(name, plan, [&](int size) {
    return tree_of(cases(random.split(), size), judge, words, sizes);
  });
}

// `hidden` names a parameter that the reader's class does not have.
inline CheckOutcome check_privacy(const AuditCase& audited, const rc::Gen<DrawnCase>& cases,
                                  const CheckPlan& plan, std::string_view hidden) {
  const auto shown = [hidden](DrawnCase drawn) {
    std::erase_if(drawn.parameters, [&](const KeyValue& one) { return one.key == hidden; });
    return drawn;
  };
  return run_check<DrawnCase>(
      "check_privacy_level", cases, plan,
      [&](const DrawnCase& drawn, const Trial& trial) {
        return judge_privacy(audited, plan, drawn, trial);
      },
      [shown](const DrawnCase& drawn) { return rc::toString(shown(drawn)); },
      [shown](const DrawnCase& drawn) { return number_sizes(shown(drawn).parameters); });
}

// Both inputs of a pair, and how they are shown.
template <class Pair>
auto inputs_of(const Pair& pair) {
  if constexpr (std::is_same_v<Pair, InputPair>) {
    return std::pair(pair.base_input(), pair.neighbour_input());
  } else {
    return pair;
  }
}

}  // namespace detail

// ---- the checks ---------------------------------------------------------------------------------

// Of any audit case, on cases that the caller draws.
inline CheckOutcome check_privacy_level(const AuditCase& audited, const rc::Gen<DrawnCase>& cases,
                                        const CheckPlan& plan = {}) {
  return detail::check_privacy(audited, cases, plan, "");
}
// Errors of the plan (detail::check_privacy_plan()) fail the check before it draws. `hidden` names a
// parameter that messages leave out.
inline CheckOutcome check_privacy_level(std::shared_ptr<const AuditCase> audited,
                                        const CheckPlan& plan = {}, std::string_view hidden = "") {
  if (const auto status = detail::check_privacy_plan(*audited, plan); !status) {
    return detail::refused_check("check_privacy_level", status.error());
  }
  return detail::check_privacy(*audited, drawn_cases(audited, plan.parameters), plan, hidden);
}
// Of a class of your own. A policy whose Config has no field for the arms has two, unless plan.parameters say more.
template <class Audited>
CheckOutcome check_privacy_level(CheckPlan plan = {}) {
  if constexpr (Policy<Audited>) {
    if (!detail::kHasArms<typename Audited::Config> && !detail::is_given(plan.parameters, "arms")) {
      plan.parameters.push_back({"arms", "2"});
      return check_privacy_level(std::shared_ptr(make_custom_case<Audited>({})), plan, "arms");
    }
    return check_privacy_level(std::shared_ptr(make_custom_case<Audited>({})), plan);
  } else if constexpr (Mechanism<Audited>) {
    return check_privacy_level(
        std::shared_ptr(make_mechanism_case_of<Audited>({.id = "own-mechanism"}, plan.domain)),
        plan);
  } else {
    static_assert(Policy<Audited> || Mechanism<Audited>,
                  "the class is neither a Policy nor a Mechanism; static_assert(assay::Policy<C>) "
                  "of the class C names what it lacks");
    return {};
  }
}

// `statistic(input)` is a number or a range of numbers; `stated` is a number or a function of the input D. The pairs
// are those of a generator: neighbouring_pairs(), or any of your own of std::pair<T, T>.
template <class Pair, class Statistic, class Stated>
CheckOutcome check_sensitivity(const rc::Gen<Pair>& pairs, Statistic statistic, StatisticNorm norm,
                               Stated stated, const CheckPlan& plan = {}) {
  const auto numbers = [&](const auto& input) {
    std::vector<double> out;
    detail::append_output(statistic(input), out);
    return out;
  };
  return detail::run_check<Pair>(
      "check_sensitivity", pairs, plan,
      [&](const Pair& pair, const Trial&) -> Result<Judgement> {
        if constexpr (std::is_same_v<Pair, InputPair>) {
          if (!pair.is_known()) return fail(ErrorCode::kInvalidArgument, "no pair of inputs");
        }
        const auto both = detail::inputs_of(pair);
        const auto judged = [&](double limit) {
          return detail::judge_sensitivity(numbers(both.first), numbers(both.second), norm, limit);
        };
        if constexpr (std::is_arithmetic_v<Stated>)
          return judged(static_cast<double>(stated));
        else
          return judged(stated(both.first));
      },
      [](const Pair& pair) {
        const auto both = detail::inputs_of(pair);
        return "D   " + rc::toString(both.first) + "\n    D'  " + rc::toString(both.second);
      },
      [](const Pair& pair) {
        std::vector<CaseSize> sizes;
        if constexpr (std::is_same_v<Pair, InputPair>) {
          if (pair.is_known()) {
            const auto values = static_cast<double>(pair.base_input().values.size());
            sizes.push_back({"numbers in the input", values});
          }
        }
        return sizes;
      });
}

// `accounting(std::span<const Level>)` returns the level of the releases together, as a Level or a Result<Level>. Level
// is PureDp, ApproximateDp, GaussianDp, ZeroConcentratedDp or RenyiDp.
template <class Level, class Accounting>
CheckOutcome check_composition(Accounting accounting, const CheckPlan& plan = {}) {
  using detail::LevelChain;
  const auto chains = detail::generator<LevelChain>(
      [](int size, ReplayStream& random) {
        return detail::draw_chain(std::is_same_v<Level, ApproximateDp>, size, random);
      },
      [](const LevelChain& chain) { return detail::simpler_chains(chain); });
  return detail::run_check<LevelChain>(
      "check_composition", chains, plan,
      [&](const LevelChain& chain, const Trial&) -> Result<Judgement> {
        std::vector<Level> levels;
        for (std::size_t i = 0; i < chain.strengths.size(); ++i) {
          levels.push_back(ASSAY_TRY(detail::level_of<Level>(chain, i)));
        }
        const Result<Level> stated = accounting(std::span<const Level>(levels));
        if (!stated) return tl::make_unexpected(stated.error());
        return detail::judge_composed(*stated, chain);
      },
      [](const LevelChain& chain) {
        if constexpr (std::is_same_v<Level, GaussianDp>) {
          return "levels of the releases: " + detail::chain_text(chain, "mu");
        } else if constexpr (std::is_same_v<Level, PureDp> ||
                             std::is_same_v<Level, ApproximateDp>) {
          return "levels of the releases: " + detail::chain_text(chain, "eps");
        } else {
          return "levels of the releases: those of randomised responses with " +
                 detail::chain_text(chain, "eps");
        }
      },
      [](const LevelChain& chain) {
        return std::vector<CaseSize>{{"releases", static_cast<double>(chain.strengths.size())}};
      });
}

// `bound(config, setting)` is the stated bound of the expected regret after setting.horizon rounds in the environment of
// the setting (of a best-arm policy: of the simple regret); setting.values are the means of its arms, or their rates. The sizes of the configuration are the setting's.
template <Policy P, class Bound>
CheckOutcome check_regret_bound(Bound bound, const CheckPlan& plan = {}) {
  using Config = typename P::Config;
  const auto fitting = detail::fitting_environments<P>();
  const auto first = std::find(fitting.begin(), fitting.end(), true) - fitting.begin();
  detail::RegretSpace space{detail::without_sizes(describe_fields<Config>()), plan.parameters,
                            plan.environment.value_or(static_cast<RegretEnvironment>(first)),
                            plan.most_rounds};
  space.fixed_arms = !detail::kHasArms<Config>;
  const auto made = [](const DrawnRegret& drawn) -> Status {
    ASSAY_TRY(detail::sized_configuration<Config>(drawn.parameters, drawn.setting));
    ASSAY_TRY(detail::simulate<P>({"own-policy", drawn.parameters}, drawn.setting));
    return {};
  };
  // A plan with which nothing can be drawn is an error of the plan.
  ReplayStream tries({plan.seed, hash_purpose("check/plan")});
  Status possible = made(detail::draw_regret(space, 0, tries));
  for (int size = 0; size < 100 && !possible; ++size) {
    if (const auto next = made(detail::draw_regret(space, size, tries)); next) possible = next;
  }
  if (!possible) return detail::refused_check("check_regret_bound", possible.error());
  const auto regrets = detail::generator<DrawnRegret>(
      [=](int size, ReplayStream& random) { return detail::draw_regret(space, size, random); },
      [=](const DrawnRegret& drawn) { return detail::simpler_regrets(space, drawn); });
  return detail::run_check<DrawnRegret>(
      "check_regret_bound", regrets, plan,
      [&](const DrawnRegret& drawn, const Trial& trial) -> Result<Judgement> {
        const auto config =
            ASSAY_TRY(detail::sized_configuration<Config>(drawn.parameters, drawn.setting));
        auto policy =
            ASSAY_TRY(detail::simulate<P>({"own-policy", drawn.parameters}, drawn.setting));
        return detail::judge_regret(std::move(policy), bound(config, drawn.setting), plan, drawn,
                                    trial);
      },
      [](const DrawnRegret& drawn) { return regret_text(drawn); },
      [](const DrawnRegret& drawn) {
        auto sizes = detail::number_sizes(drawn.parameters);
        sizes.insert(sizes.begin(), {{"arms", static_cast<double>(drawn.setting.values.size())},
                                     {"rounds", static_cast<double>(drawn.setting.horizon)}});
        return sizes;
      });
}

}  // namespace assay

// Any configuration that lists its fields is an argument of a property: RC_GTEST_PROP(A, B, (const MyConfig& config)).
namespace rc {
template <class Config>
requires requires {
  Config::fields([](const auto&) {});
}
struct Arbitrary<Config> {
  static Gen<Config> arbitrary() { return assay::configurations<Config>(); }
};
}  // namespace rc
