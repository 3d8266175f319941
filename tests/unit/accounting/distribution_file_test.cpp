// Pairs and losses from files, against the same numbers given in words.
#include "assay/mechanisms/accounting/account/distribution_file.hpp"

#include <cmath>
#include <fstream>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

class DistributionFile : public ::testing::Test {
 protected:
  std::string written(const std::string& text) {
    const std::string path = folder_.file("table.csv");
    std::ofstream(path) << text;
    return path;
  }
  Result<StepMechanism> step(const char* kind, const char* parameter, const std::string& text) {
    return make_step(kind, std::vector<KeyValue>{{parameter, written(text)}});
  }
  Result<StepMechanism> pair(const std::string& text) { return step("finite-pair", "pair", text); }
  Result<StepMechanism> losses(const std::string& text) {
    return step("loss-distribution", "losses", text);
  }

 private:
  TemporaryFolder folder_;
};

AccountAnswer at(const StepMechanism& step, std::int64_t count, AccountTarget target) {
  return must(account_for(std::vector<ChainStep>{{step, count, ""}}, std::vector{target})).front();
}

constexpr AccountTarget kAtDelta{AccountTarget::Asked::kEpsilonAtDelta, 1e-3};
constexpr AccountTarget kAtZero{AccountTarget::Asked::kEpsilonAtDelta, 0.0};
constexpr AccountTarget kAtEpsilon{AccountTarget::Asked::kDeltaAtEpsilon, 0.5};

TEST_F(DistributionFile, APairIsTheSameAsInWords) {
  const auto words = must(make_step(
      "finite-pair", std::vector<KeyValue>{{"p", "0.6,0.3,0.1"}, {"q", "0.5,0.25,0.25"}}));
  for (const char* text : {"0.6,0.5\n0.3,0.25\n0.1,0.25\n", "p,q\n0.6,0.5\n0.3,0.25\n0.1,0.25",
                           "# a pair\r\n q , p \r\n0.5, 0.6\r\n\r\n0.25,0.3\r\n0.25,0.1\r\n"}) {
    const auto read = must(pair(text));
    for (const auto& target : {kAtDelta, kAtEpsilon, kAtZero}) {
      const auto first = at(read, 7, target), second = at(words, 7, target);
      EXPECT_EQ(first.upper, second.upper);
      EXPECT_EQ(first.lower, second.lower);
    }
  }
}

TEST_F(DistributionFile, LossesAreThoseOfTheirPair) {
  // P = (0.4, 0.35, 0.25), Q = (0.2, 0.7, 0, 0.1).
  const auto words = must(make_step(
      "finite-pair", std::vector<KeyValue>{{"p", "0.4,0.35,0.25,0"}, {"q", "0.2,0.7,0,0.1"}}));
  const auto read =
      must(losses("loss,mass\n0.6931471805599453,0.4\n-0.6931471805599453,0.35\ninf,0.25\n"));
  for (const std::int64_t count : {1, 3}) {
    EXPECT_TRUE(std::isinf(*at(read, count, kAtZero).lower));
    const AccountTarget likely{AccountTarget::Asked::kEpsilonAtDelta, 0.7};
    for (const auto& target : {likely, kAtEpsilon}) {
      const auto first = at(read, count, target), second = at(words, count, target);
      EXPECT_NEAR(first.upper, second.upper, 1e-12);
      EXPECT_NEAR(*first.lower, *second.lower, 1e-12);
    }
  }
  // Without infinite losses there is an eps at delta = 0, the largest loss of either order.
  const auto finite = must(losses("0.4054651081081644,0.6\n-0.6931471805599453,0.2\n0,0.2\n"));
  EXPECT_DOUBLE_EQ(at(finite, 2, kAtZero).upper, 2.0 * 0.6931471805599453);
}

TEST_F(DistributionFile, ErrorsNameTheFileTheLineAndTheColumn) {
  EXPECT_THAT(pair("p,q\n0.5,0.5\n0.5,x\n"), IsRefused("table.csv, line 3: q"));
  EXPECT_THAT(pair("0.5,0.5\n-0.5,0.5\n"), IsRefused("line 2: p must be 0 to 1"));
  EXPECT_THAT(pair("0.5,0.5,1\n"), IsRefused("line 1: must have two columns, p and q, not 3"));
  EXPECT_THAT(pair("0.5\n"), IsRefused("two columns"));
  EXPECT_THAT(pair("0.5,0.5\n0.4,0.5\n"), IsRefused("p must sum to 1 within 1e-12"));
  EXPECT_THAT(pair("inf,0.5\n"), IsRefused("line 1: p"));
  EXPECT_THAT(pair("p,q\n"), IsRefused("has no numbers"));
  EXPECT_THAT(losses("0.5,0.5\nnan,0.5\n"), IsRefused("line 2: loss"));
  EXPECT_THAT(losses("800,1\n"), IsRefused("loss must be -700 to 700"));
  EXPECT_THAT(losses("-inf,1\n"), IsRefused("line 1: loss"));
  EXPECT_THAT(losses("-1,1\n"), IsRefused("must sum to at most 1"));
  EXPECT_THAT(losses("1,0.9\n"), IsRefused("mass must sum to 1"));
  EXPECT_THAT(
      make_step("finite-pair", std::vector<KeyValue>{{"pair", "/nonexistent.csv"}, {"p", "1"}}),
      IsRefused("pair takes the place of p and q"));
  EXPECT_THAT(make_step("finite-pair", std::vector<KeyValue>{{"pair", "/nonexistent.csv"}}),
              IsRefused("nonexistent"));
  EXPECT_THAT(make_step("finite-pair", std::vector<KeyValue>{{"p", "1"}}), IsRefused("needs q"));
}

}  // namespace
}  // namespace assay
