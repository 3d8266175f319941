// What a claim means, and what is said about one that means nothing.
#include "assay/auditors/engine/claimed_level.hpp"

#include <variant>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

const std::vector<Variable> kVariables = {
    {"arms", "N", 5.0}, {"horizon", "T", 100.0}, {"pre_pulls", "b", 0.0}, {"variance", "c", 2.0}};

PrivacyLevel claim(std::string_view text) { return must(parse_claim(text, kVariables)); }

std::string message(std::string_view text) {
  return error_of(parse_claim(text, kVariables)).message;
}

ErrorCode code(std::string_view text) { return error_of(parse_claim(text, kVariables)).code; }

double claimed_epsilon(const std::string& arithmetic) {
  return std::get<PureDp>(claim("eps=" + arithmetic)).epsilon.value;
}

TEST(Claim, ReadsTheThreeLevels) {
  EXPECT_EQ(claim("eps=1"), PrivacyLevel(PureDp{Epsilon{1.0}}));
  EXPECT_EQ(claim("eps=0.5,delta=1e-6"), PrivacyLevel(ApproximateDp{Epsilon{0.5}, Delta{1e-6}}));
  EXPECT_EQ(claim("mu=sqrt(T/2)"), PrivacyLevel(GaussianDp{Mu{std::sqrt(50.0)}}));
}

TEST(Claim, TakesTheLongNameAnyOrderAndSpaces) {
  EXPECT_EQ(claim(" delta = 0.1 ,\tepsilon = 2 "),
            PrivacyLevel(ApproximateDp{Epsilon{2.0}, Delta{0.1}}));
}

TEST(Claim, ReadsADeltaOfZeroAsPure) {
  EXPECT_EQ(claim("eps=1,delta=0"), PrivacyLevel(PureDp{Epsilon{1.0}}));
  EXPECT_EQ(claim("eps=1,delta=-0"), PrivacyLevel(PureDp{Epsilon{1.0}}));
}

TEST(Claim, KeepsCommasInsideParenthesesTogether) {
  EXPECT_EQ(claim("eps=min(N, T),delta=max(1e-6,1/T)"),
            PrivacyLevel(ApproximateDp{Epsilon{5.0}, Delta{0.01}}));
}

TEST(Claim, AllowsZeroPromises) {
  EXPECT_EQ(claim("eps=0"), PrivacyLevel(PureDp{Epsilon{0.0}}));
  EXPECT_EQ(claim("mu=0"), PrivacyLevel(GaussianDp{Mu{0.0}}));
}

TEST(ClaimArithmetic, FollowsTheUsualPrecedence) {
  EXPECT_EQ(claimed_epsilon("1+2*3"), 7.0);
  EXPECT_EQ(claimed_epsilon("(1+2)*3"), 9.0);
  EXPECT_EQ(claimed_epsilon("10-4-3"), 3.0);
  EXPECT_EQ(claimed_epsilon("12/3/2"), 2.0);
  EXPECT_EQ(claimed_epsilon("2^3^2"), 512.0);
  EXPECT_EQ(claimed_epsilon("5+-2^2"), 1.0);
  EXPECT_EQ(claimed_epsilon("2^-1"), 0.5);
  EXPECT_EQ(claimed_epsilon("2*-3+7"), 1.0);
  EXPECT_EQ(claimed_epsilon("--2"), 2.0);
  EXPECT_EQ(claimed_epsilon("+2"), 2.0);
  EXPECT_EQ(claimed_epsilon(".5 + 1.e1"), 10.5);
}

TEST(ClaimArithmetic, ReadsParametersByNameAndBySymbol) {
  EXPECT_EQ(claimed_epsilon("horizon"), 100.0);
  EXPECT_EQ(claimed_epsilon("T"), 100.0);
  EXPECT_EQ(claimed_epsilon("sqrt(horizon/(variance*(pre_pulls+2)))"), 5.0);
  EXPECT_EQ(claimed_epsilon("sqrt(T/(c*(b+2)))"), 5.0);
}

TEST(ClaimArithmetic, HasTheFiveFunctions) {
  EXPECT_EQ(claimed_epsilon("sqrt(2)"), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(claimed_epsilon("log(T)"), std::log(100.0));
  EXPECT_DOUBLE_EQ(claimed_epsilon("exp(1)"), std::exp(1.0));
  EXPECT_EQ(claimed_epsilon("min(3, 2)"), 2.0);
  EXPECT_EQ(claimed_epsilon("max(3, 2)"), 3.0);
}

TEST(ClaimArithmetic, HasExactWholePowersAndCloseFractionalOnes) {
  EXPECT_EQ(claimed_epsilon("10^-6"), 1e-6);
  EXPECT_EQ(claimed_epsilon("0^0"), 1.0);
  EXPECT_EQ(claimed_epsilon("0^0.5"), 0.0);
  EXPECT_EQ(claimed_epsilon("(-2)^4"), 16.0);
  EXPECT_EQ(claimed_epsilon("8+(-2)^3"), 0.0);
  EXPECT_EQ(claimed_epsilon("(-1)^2000"), 1.0);
  EXPECT_EQ(claimed_epsilon("2+(-1)^2001"), 1.0);
  EXPECT_NEAR(claimed_epsilon("T^0.5"), 10.0, 1e-13);
  EXPECT_NEAR(claimed_epsilon("2^0.1"), std::pow(2.0, 0.1), 1e-15);
}

TEST(ClaimError, PointsAtTheCharacter) {
  EXPECT_EQ(message("mu=sqrt(horizn/2)"),
            "unknown name 'horizn'; did you mean 'horizon'? (character 9)\n"
            "    mu=sqrt(horizn/2)\n"
            "            ^");
  EXPECT_EQ(message("eps=1/(T-100)"),
            "(1 / (T - 100)) is a division by zero (character 6)\n"
            "    eps=1/(T-100)\n"
            "         ^");
}

TEST(ClaimError, ShowsAWindowOfALongClaimAndNoControlCharacters) {
  const std::string text = message("eps=" + std::string(200, '1') + "\x1b[31m\n");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 400u);
}

TEST(ClaimError, RefusesAnEmptyClaim) {
  EXPECT_THAT(message(""), AllOf(HasSubstr("the claim is empty"), HasSubstr("eps=1,delta=1e-6")));
  EXPECT_THAT(message(" \t "), HasSubstr("the claim is empty"));
}

// What it says where it does not read a claim.
using Messages = std::vector<std::pair<std::string_view, std::string>>;
void expect_messages(const Messages& rows) {
  for (const auto& [text, part] : rows) EXPECT_THAT(message(text), HasSubstr(part)) << text;
}

TEST(ClaimError, RefusesContradictionsAndSaysWhy) {
  expect_messages({{"mu=1,eps=2", "mu and eps exclude each other"},
                   {"delta=0.1,mu=1", "mu and delta exclude each other"},
                   {"delta=0.1", "delta needs an eps beside it"},
                   {"eps=1,eps=1", "eps is given twice (character 7)"},
                   {"eps=1,epsilon=1", "eps is given twice"},
                   {"mu=1,mu=1", "mu is given twice"}});
  EXPECT_EQ(code("mu=1,eps=2"), ErrorCode::kInvalidArgument);
}

TEST(ClaimError, RefusesValuesOutOfRange) {
  expect_messages({{"eps=-1", "eps must be at least 0, not -1"},
                   {"mu=b-1", "mu must be at least 0, not -1"},
                   {"eps=1,delta=1", "delta must be in [0, 1), not 1"},
                   {"eps=1,delta=1.5", "delta must be in [0, 1), not 1.5"},
                   {"eps=1,delta=-1e-9", "delta must be in [0, 1), not -1e-09"}});
}

TEST(ClaimError, RefusesArithmeticWithoutAFiniteValue) {
  expect_messages({{"eps=1/b", "(1 / b) is a division by zero"},
                   {"eps=b^-1", "is a division by zero"},
                   {"eps=log(b)", "log(b) is the log of 0"},
                   {"eps=log(b-1)", "is the log of a negative number"},
                   {"eps=sqrt(-T)", "is the square root of a negative number"},
                   {"eps=(-8)^(1/3)", "is a fractional power of a negative number"},
                   {"eps=exp(exp(T))", "is too large for a number"},
                   {"eps=10^400", "is too large for a number"},
                   {"eps=1e308*10", "is too large for a number"},
                   {"eps=1e308+1e308", "is too large for a number"},
                   {"eps=1e999", "1e999 is too large or too small for a number"},
                   {"eps=1,delta=1e-999", "too large or too small"}});
}

TEST(ClaimError, RefusesADeltaThatVanishesInRounding) {
  expect_messages({{"eps=1,delta=exp(-8*T)", "is too small for a number, and not 0"},
                   {"eps=1,delta=1e-200*1e-200", "is too small"},
                   {"eps=1,delta=1e-200/1e200", "is too small"},
                   {"eps=1,delta=T^-200", "is too small"}});
}

TEST(ClaimError, RefusesNaNAndInfinityByName) {
  expect_messages({{"eps=nan", "unknown name 'nan'"},
                   {"eps=inf", "unknown name 'inf'"},
                   {"mu=-infinity", "unknown name 'infinity'"}});
}

TEST(ClaimError, RefusesUnknownKeysAndFunctions) {
  expect_messages({{"epsilom=1", "a claim has no 'epsilom'; did you mean 'epsilon'?"},
                   {"rho=1", "a claim has no 'rho'; known: eps, epsilon, delta, mu"},
                   {"mu=sqr(T)", "'sqr' is not a function; did you mean 'sqrt'?"},
                   {"mu=T(2)", "'T' is not a function"},
                   {"mu=sqrt", "'sqrt' is a function: write sqrt(...)"}});
  EXPECT_EQ(code("rho=1"), ErrorCode::kUnknownKey);
}

TEST(ClaimError, RefusesBrokenGrammar) {
  expect_messages({{"1", "expected eps, delta or mu, not '1'"},
                   {"eps", "expected '=' after eps, not the end"},
                   {"eps:1", "expected '=' after eps, not ':'"},
                   {"eps=", "expected a number, a name or '(', not the end"},
                   {"eps=1,", "expected eps, delta or mu, not the end"},
                   {"eps=1,,delta=0", "expected eps, delta or mu, not ','"},
                   {"eps=(1", "expected ')', not the end"},
                   {"eps=1)", "expected an operator, ',' or the end of the claim, not ')'"},
                   {"eps=2T", "expected an operator, ',' or the end of the claim, not 'T'"},
                   {"eps=1*/2", "expected a number, a name or '(', not '/'"},
                   {"eps=min(1)", "min takes 2 arguments, not 1"},
                   {"eps=sqrt(1,2)", "sqrt takes 1 argument, not 2"},
                   {"eps=sqrt(1", "expected ',' or ')', not the end"},
                   {"eps=.", "expected a number, not '.'"},
                   {"eps=1;delta=0", "not ';'"}});
  EXPECT_EQ(code("eps=(1"), ErrorCode::kParse);
}

TEST(ClaimError, LimitsLengthAndNesting) {
  EXPECT_THAT(message("eps=" + std::string(2000, '1')),
              HasSubstr("a claim has at most 1000 characters, not 2004"));
  EXPECT_THAT(message("eps=" + std::string(400, '(')), HasSubstr("more than 100 levels"));
  EXPECT_THAT(message("eps=" + std::string(900, '-') + "1"), HasSubstr("more than 100 levels"));
  EXPECT_EQ(code("eps=" + std::string(400, '(')), ErrorCode::kLimit);
  EXPECT_EQ(claimed_epsilon(std::string(90, '(') + "1" + std::string(90, ')')), 1.0);
  std::string ones = "1";
  while (ones.size() < 900) ones += "+1";
  EXPECT_EQ(claimed_epsilon(ones), static_cast<double>(ones.size() / 2 + 1));
}

TEST(ClaimError, NamesTheFieldInItsPath) {
  EXPECT_EQ(parse_claim("eps=", kVariables).error().path, "/claim");
  EXPECT_EQ(parse_claim("", kVariables).error().path, "/claim");
}

struct Settings {
  std::int64_t horizon = 40;
  double variance = 2.5;
  bool replay = true;
  static void fields(auto&& visit) {
    visit(field("horizon", &Settings::horizon, Range{1, 100}, "T", "rounds"));
    visit(field("variance", &Settings::variance, Range{1, 100}, "c", "multiplier"));
    visit(field("replay", &Settings::replay, Range{}, "", "not a number"));
  }
};

TEST(ClaimVariables, AreTheNumericFieldsOfAConfiguration) {
  const auto variables = claim_variables(Settings{});
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(*parse_claim("eps=T*variance", variables), PrivacyLevel(PureDp{Epsilon{100.0}}));
}

}  // namespace
}  // namespace assay
