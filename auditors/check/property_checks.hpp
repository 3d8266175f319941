// What the four property checks of check.hpp decide about one case, and their plan and result.
//
// A check draws n cases. Each is judged with error probability alpha/(2n): exactly where that is possible, otherwise by
// statements that hold with this confidence. The first case that fails is then made simpler while the simpler ones
// still fail, on random numbers of their own.
//
// Claim: if every case satisfies the property, the check fails with probability at most alpha/2.              (1)
// Proof: a case whose property holds is judged to fail with probability at most alpha/(2n), whatever the earlier
// judgements were, because its random numbers are its own; there are at most n; union bound.
//
// Simpler cases are chosen because they fail, so the judgements that chose them prove nothing about them: among
// many correct cases some fail by chance. They decide neither whether the check fails, which (1) has settled, nor what
// it certifies. The last of them is judged once more, on fresh random numbers and with the remaining alpha/2:
//   if it fails again, or was judged exactly, it is certified. Claim: the certified statements of a check, the drawn
//   case's and the simplest one's, are all true with probability at least 1 - alpha.                          (2)
//   otherwise the drawn case is what is certified and is shown first, and the simplest one as an illustration.
// Proof of (2): given the simplest case, which does not depend on the fresh numbers, its judgement errs with
// probability at most alpha/2; add (1).
// Shrinking tries 1000 simpler cases at most, of which 60 may be judged by samples.
// A case that is discarded is so before it is judged; a check that discards ten times n gives up, and has not passed.
// Threads: pure functions; the same plan gives the same result.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/check/drawn_cases.hpp"
#include "assay/auditors/regret/simulated_policies.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct CheckPlan {
  std::uint64_t seed = 1;
  std::int64_t cases = 100;
  double alpha = 1e-3;       // of the whole check, in (0, 1/2]
  std::int64_t runs = 1000;  // of a case that is sampled: on each input, or in each environment
  std::vector<KeyValue> parameters = {};  // fields of the configuration that keep this value
  std::string claim = {};  // of check_privacy_level, as --claim; if empty, what guarantee() states
  std::optional<Domain> domain = {};                  // of the values of a mechanism's input
  std::int64_t most_rounds = 200;                     // of check_regret_bound
  std::optional<RegretEnvironment> environment = {};  // of check_regret_bound
};

// The result of a check, true if it passed. A test of GoogleTest says EXPECT_TRUE(check_...(...)), which shows the
// message. In a program, print it.
struct CheckOutcome {
  bool passed = false;
  std::int64_t cases = 0;  // judged, the failing one included
  std::int64_t discarded = 0;
  std::string message;  // what was checked, and the counterexample
  // The simplest counterexample is only an illustration: the drawn one is certified.
  bool is_illustration = false;

  explicit operator bool() const { return passed; }
  // To what takes a bool and then a message by <<: testing::AssertionResult.
  template <class Assertion>
  requires requires(Assertion assertion, const std::string& text) {
    Assertion(true);
    { assertion << text } -> std::same_as<Assertion&>;
    assertion.failure_message();
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator Assertion() const { return Assertion(passed) << message; }
};

// The random numbers and the error probability of one judgement.
struct Trial {
  std::uint64_t seed = 0;
  double alpha = 0.0;
};

struct Judgement {
  bool fails = false;
  bool is_exact = true;    // whether it holds without any error probability
  std::string words = {};  // what was found
  // Whether the outputs on the two inputs were seen to differ, without which nothing can fail; unknown if runs saw none.
  std::optional<bool> differs = {};
};

// A number of a case whose range a check that passes states: a field of its configuration, the length of its input.
struct CaseSize {
  std::string name;
  double value = 0.0;
};

// How a case is shown, and its sizes.
template <class Case>
using CaseText = std::function<std::string(const Case&)>;
template <class Case>
using CaseSizes = std::function<std::vector<CaseSize>(const Case&)>;
// The reason why a case is discarded is an Error.
template <class Case>
using Judge = std::function<Result<Judgement>(const Case&, const Trial&)>;

namespace detail {

// A case of any type, and the simpler ones: simpler() gives them one after another, then null.
struct CaseTree {
  using Next = std::function<std::shared_ptr<const CaseTree>()>;
  std::function<Result<Judgement>(const Trial&)> judge;
  std::function<std::string()> words;
  std::function<Next()> simpler;
  std::function<std::vector<CaseSize>()> sizes = {};
};
// The parameters that are numbers.
std::vector<CaseSize> number_sizes(const Parameters& parameters);
// What a check that cannot begin returns.
CheckOutcome refused_check(std::string_view name, const Error& why);
// The check that the comment at the top describes. `draw(size)` draws a case; its size is 0 to 99.
CheckOutcome run_check(std::string_view name, const CheckPlan& plan,
                       const std::function<std::shared_ptr<const CaseTree>(int size)>& draw);

// Errors: parameters with which no configuration can be drawn, a claim that cannot be read, a guarantee() of neighbours
// other than those of the class. A class that fails is no error here: it fails its first case.
Status check_privacy_plan(const AuditCase& audited, const CheckPlan& plan);

// By the audit of the case on the drawn pair alone: exactly up to 2^14 sequences of actions, and for a mechanism where
// `assay audit` would be exact. A class that fails, or whose actions do not follow its own probabilities, fails its case.
Result<Judgement> judge_privacy(const AuditCase& audited, const CheckPlan& plan,
                                const DrawnCase& drawn, const Trial& trial);

// By the certified bounds of the regret: fails if the lower one is above the bound.
Result<Judgement> judge_regret(SimulatedPolicy policy, double bound, const CheckPlan& plan,
                               const DrawnRegret& drawn, const Trial& trial);

// The kinds of level that compose. A chain of releases has a strength each: eps, mu, or for zCDP and RDP the eps of
// randomised response, whose rho and curve are known exactly; and for (eps, delta) also a delta.
struct LevelChain {
  std::vector<double> strengths;
  double delta = 0.0;  // of each release
};
// `each` names a strength: "eps = 1, eps = 1".
std::string chain_text(const LevelChain& chain, std::string_view each);
// Composes mechanisms that attain the levels, all 2^n outputs of n randomised responses (4^n with a delta), or
// privacy-loss distributions for GDP, and compares. The tolerance is the arithmetic's, 1e-9.
Judgement judge_composed(const PureDp& stated, const LevelChain& chain);
Judgement judge_composed(const ApproximateDp& stated, const LevelChain& chain);
Judgement judge_composed(const GaussianDp& stated, const LevelChain& chain);
Judgement judge_composed(const ZeroConcentratedDp& stated, const LevelChain& chain);
Judgement judge_composed(const RenyiDp& stated, const LevelChain& chain);
// The level of one release of the chain.
template <class Level>
Result<Level> level_of(const LevelChain& chain, std::size_t at);

LevelChain draw_chain(bool has_delta, int size, ReplayStream& random);
std::vector<LevelChain> simpler_chains(const LevelChain& chain);

}  // namespace detail

enum class StatisticNorm { kL1, kL2, kMax };

namespace detail {

// How far the statistic moves, against its stated sensitivity.
Judgement judge_sensitivity(std::span<const double> base, std::span<const double> neighbour,
                            StatisticNorm norm, double stated);

}  // namespace detail
}  // namespace assay
