#include "assay/auditors/audit/try_findings.hpp"

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

RunOutputs coins(const std::string& bits) {
  RunOutputs runs;
  for (const char bit : bits) runs.push_back({bit == '1' ? 1.0 : 0.0});
  return runs;
}

TEST(TryFindings, TheChanceToRepeatIsThatOfTheMostLikelyDistribution) {
  const RunOutputs one[] = {coins("0110")};
  EXPECT_NEAR(chance_to_repeat(one), 1.0 / 16.0, 1e-12);
  const RunOutputs both[] = {coins("0001"), coins("1111")};
  EXPECT_NEAR(chance_to_repeat(both), 27.0 / 256.0, 1e-12);
}

TEST(TryFindings, ExtremeInputsLieInTheDomainAndReachItsEnds) {
  for (const auto& [kind, name] : enum_names(InputKind{})) {
    for (const char* domain : {"", "-5:5", "-0.3:0.4", "integers"}) {
      SCOPED_TRACE(std::string(name) + " " + domain);
      InputShape shape{.kind = kind, .arms = 3, .horizon = 7, .dimension = 2, .inputs = 5};
      if (*domain != '\0') shape.domain = parse_domain(domain).value();
      if (!validate(shape)) continue;
      const auto inputs = extreme_inputs(shape);
      ASSERT_EQ(inputs.size(), shape.traits().has_duels() ? 2U : 4U);
      for (const auto& one : inputs) must(check_input(shape, one.input));
      if (shape.traits().has_duels() || shape.traits().has_contexts()) continue;
      const Domain of = shape.domain && shape.domain->bounded() ? *shape.domain : Domain{0.0, 1.0};
      EXPECT_EQ(inputs[0].input.values.front(), of.low);
      EXPECT_EQ(inputs[1].input.values.front(), of.high);
      EXPECT_NE(inputs[2].input, inputs[3].input);
    }
  }
  const InputShape losses{.kind = InputKind::kExperts};
  EXPECT_EQ(extreme_inputs(losses)[1].name, "all losses 1");
  EXPECT_EQ(extreme_inputs(losses)[2].name, "losses spread over 0:1");
}

// What is found of two arms: five runs on each input.
class FindingsOfRuns : public ::testing::Test {
 protected:
  static PairOutputs pair(const std::string& on_base, const std::string& on_neighbour) {
    return {coins(on_base), coins(on_neighbour)};
  }
  std::string texts() const {
    std::string out;
    for (const TryNote& note : findings_of(tried_, report_)) {
      out += std::string(note.kind == NoteKind::kMistake   ? "mistake"
                         : note.kind == NoteKind::kWarning ? "warning"
                                                           : "hint") +
             ": " + note.text + "\n";
    }
    return out;
  }
  FindingsOfRuns() {
    report_.shape = {.kind = InputKind::kBandit, .arms = 2, .horizon = 1};
    tried_.first = tried_.again = pair("01101", "11100");
    tried_.other = pair("10010", "00111");
    tried_.batch = {2, 1, {0.0, 1.0}};
    tried_.turned = tried_.first;
  }
  TriedRuns tried_;
  TryReport report_;
};

TEST_F(FindingsOfRuns, SeedsThatDecideAreAHint) {
  EXPECT_THAT(texts(), StartsWith("hint: the same seeds gave the same outputs: it may say"));
  report_.seeded = true;
  EXPECT_EQ(texts(), "");
}

TEST_F(FindingsOfRuns, RandomnessThatNoSeedReachesIsNamedWithWhatItCosts) {
  tried_.again = pair("11010", "00110");
  EXPECT_THAT(
      texts(),
      AllOf(StartsWith("hint: the same seeds gave other outputs in a fresh process. It draws from "
                       "something that no seed reaches"),
            HasSubstr("The bounds of an audit hold all the same")));
  report_.unseeded = {"os.urandom (policy.py:3, in choose)", "secrets (policy.py:9, in update)"};
  EXPECT_THAT(
      texts(),
      StartsWith(
          "warning: the same seeds gave other outputs in a fresh process. Probably because it "
          "draws from os.urandom (policy.py:3, in choose) and secrets (policy.py:9, in update), "
          "which no seed reaches."));
  report_.seeded = true;
  EXPECT_THAT(texts(),
              AllOf(StartsWith("mistake: its greeting says \"seeded\": true, but the same"),
                    HasSubstr("Probably because it draws from os.urandom")));
  tried_.again = tried_.first;  // it draws, and shows nothing of it
  EXPECT_EQ(texts(), "");
}

TEST_F(FindingsOfRuns, LinesOfTheAdapterAreTakenFromStandardError) {
  std::string said =
      "one\nassay_target: no seed reaches a (f:1)\ntwo\nassay_target: no seed reaches b";
  EXPECT_THAT(take_unseeded(said), ElementsAre("a (f:1)", "b"));
  EXPECT_EQ(said, "one\ntwo\n");
  EXPECT_THAT(take_unseeded(said), IsEmpty());
  EXPECT_EQ(said, "one\ntwo\n");
}

TEST_F(FindingsOfRuns, FewOutputsThatRepeatByChanceAreAWarningAndThoseThatDoNotAreNone) {
  tried_.other = tried_.first;
  EXPECT_THAT(texts(), AllOf(StartsWith("warning: a fresh process gave the same outputs"),
                             HasSubstr("This may be chance")));
  const auto many = coins("0110100110010110100101100110100101101001100101101001011001101001");
  tried_.longer = {many, many};
  EXPECT_THAT(texts(), AllOf(StartsWith("mistake: a fresh process gave the same outputs"),
                             Not(HasSubstr("chance"))));
  (*tried_.longer)[1].front() = {1.0};
  EXPECT_EQ(texts(), "");
}

TEST_F(FindingsOfRuns, AGeneratorIsToldFromAnObjectThatRunsShare) {
  tried_.turned = pair("10110", "00101");
  tried_.later = tried_.first;  // the seeds after the first have no effect
  EXPECT_THAT(texts(), StartsWith("hint: one generator serves all runs"));
  report_.seeded = true;
  EXPECT_THAT(texts(),
              StartsWith("mistake: its greeting says \"seeded\": true, but one generator"));
  report_.seeded = false;
  tried_.later = pair("00011", "11011");
  EXPECT_THAT(texts(), StartsWith("warning: a run depends on the runs before it: the same seed"));
  tried_.after = pair("01101", "11101");
  EXPECT_THAT(texts(), StartsWith("mistake: a run depends on the inputs of the runs before it"));
}

TEST_F(FindingsOfRuns, InputsMayFailOrBeRefused) {
  tried_.extremes = {{"all rewards 0", {}, 5, "no zeros", {}}, {"all rewards 1", {}, 0, "", "no"}};
  EXPECT_THAT(
      texts(),
      AllOf(StartsWith("mistake: 5 of 5 runs on inputs with all rewards 0 failed: no zeros."),
            HasSubstr("hint: the program refuses inputs with all rewards 1.")));
  tried_.extremes[0].failed = 2;
  EXPECT_THAT(texts(), StartsWith("warning: 2 of 5 runs on inputs with all rewards 0 failed"));
}

}  // namespace
}  // namespace assay
