// What a plug-in's process may answer, and what only a plug-in that writes there itself would.
#include "assay/policies/external/internal/answers.hpp"

#include "assay/policies/external/internal/plugin_server.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using detail::PluginAnswer;

constexpr const char* kForged = "the plug-in wrote into Assay's answers";

std::string answer(PluginAnswer kind, const std::string& rest) {
  return std::string(1, static_cast<char>(kind)) + rest;
}

InputShape two_rounds() { return InputShape{.horizon = 2}; }

// Of one play.
const std::string kOutputs(2 * sizeof(double), '\0');

TEST(PluginAnswers, AreReadAsTheyAreMeant) {
  const auto ready = must(detail::read_plugin_ready(answer(PluginAnswer::kReady, "\1its name")));
  EXPECT_EQ(ready.name, "its name");
  EXPECT_TRUE(ready.seeded);
  const auto runs = answer(PluginAnswer::kRuns, kOutputs);
  EXPECT_TRUE(detail::read_plugin_runs(two_rounds(), runs, 1));
  EXPECT_TRUE(detail::plugin_goes_on(two_rounds(), runs, 1));
  const auto refused = answer(PluginAnswer::kRefused, "no");
  EXPECT_EQ(detail::read_plugin_runs(two_rounds(), refused, 1).error().message, "no");
  EXPECT_TRUE(detail::plugin_goes_on(two_rounds(), refused, 1));
  const auto threw = answer(PluginAnswer::kThrew, "threw");
  EXPECT_EQ(detail::read_plugin_ready(threw).error().message, "the plug-in threw");
  EXPECT_FALSE(detail::plugin_goes_on(two_rounds(), threw, 1));
}

// Whatever is wrong, there is a reason, and nobody knows where the next answer begins.
TEST(PluginAnswers, ThatAssayDoesNotWriteAreForged) {
  for (const std::string& forged :
       {std::string(), answer(PluginAnswer::kReady, ""), answer(PluginAnswer::kRuns, ""),
        answer(PluginAnswer::kRefused, ""), answer(PluginAnswer::kThrew, ""),
        answer(PluginAnswer{77}, ""), answer(PluginAnswer{77}, "words")}) {
    for (const auto& error : {detail::read_plugin_ready(forged).error(),
                              detail::read_plugin_runs(two_rounds(), forged, 1).error()}) {
      EXPECT_THAT(error.message, HasSubstr(kForged)) << forged;
    }
    EXPECT_FALSE(detail::plugin_goes_on(two_rounds(), forged, 1)) << forged;
  }
  // Each is an answer, to the other question.
  EXPECT_THAT(detail::read_plugin_ready(answer(PluginAnswer::kRuns, kOutputs)).error().message,
              HasSubstr(kForged));
  EXPECT_THAT(detail::read_plugin_runs(two_rounds(), answer(PluginAnswer::kReady, kOutputs), 1)
                  .error()
                  .message,
              HasSubstr(kForged));
}

}  // namespace
}  // namespace assay
