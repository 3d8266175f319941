// What a plug-in's process may answer, and what only a plug-in that writes there itself would; numbers in lines of JSON.
#include "assay/policies/external/internal/answers.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <optional>

#include "assay/mechanisms/random/replay_stream.hpp"
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

// The bits of one number in an answer. Without a blank before the line it has a reader of its own; a tab leaves it to
// the JSON library.
std::optional<std::uint64_t> bits_of(const std::string& number, const std::string& before) {
  const InputShape shape{.kind = InputKind::kMechanism};
  const std::string line = before + R"({"type": "plays", "id": 7, "outputs": [[)" + number + "]]}";
  const auto batch = detail::read_runs(shape, line, 7, 1);
  if (!batch) return std::nullopt;
  return std::bit_cast<std::uint64_t>(batch->values.at(0));
}

TEST(Answers, ANumberHasTheBitsThatTheJsonLibraryReads) {
  std::vector<std::string> numbers = {
      "0", "-0", "-0.0", "0e5", "-0e0", "1", "-1", "1e5", "1E+5", "1e-5", "0.1", "123.456e-7",
      "9007199254740993", "18446744073709551615", "18446744073709551616", "-9223372036854775808",
      "-9223372036854775809", "123456789012345678901234567890", "1.7976931348623157e308",
      "1.7976931348623159e308", "1e400", "-1e400", "1e-400", "5e-324", "2.4703282292062328e-324",
      "2.4703282292062327e-324", "2.2250738585072011e-308", "0." + std::string(400, '3'), "\"inf\"",
      "\"-inf\"", "\"nan\"",
      // none of these is a number
      "", "-", "+1", ".5", "1.", "1.e5", "1e", "1e+", "01", "-01", "00", "--1", "0x10", "1_0",
      "inf", "nan", "NaN", "Infinity", "\"INF\"", "\"+inf\"", "\"1\"", "true", "null", "1 2", "1,2",
      "[1]"};
  ReplayStream random({5, hash_purpose("numbers of answers"), 0, 0, Phase::kCheck});
  for (int i = 0; i < 20'000; ++i) {
    const auto any = std::bit_cast<double>(random.next());
    std::array<char, 64> text;
    const int digits = 1 + static_cast<int>(random.next() % 20);
    std::snprintf(text.data(), text.size(), "%.*g", digits, i % 2 == 0 ? any : random.uniform());
    numbers.emplace_back(text.data());
  }
  int read = 0;
  for (const std::string& number : numbers) {
    const auto bits = bits_of(number, "");
    EXPECT_EQ(bits, bits_of(number, "\t")) << number;
    EXPECT_EQ(bits, bits_of(" " + number + " ", "")) << number;
    read += bits ? 1 : 0;
  }
  EXPECT_GT(read, 19'000);
}

TEST(Probabilities, AreReadToTheBit) {
  const PathShape shape{5, 2};
  const std::string line =
      R"({"type":"probabilities","id":7,"probabilities":[[0.1,0.9],[0.30000000000000004,0.7]]})";
  const auto values = must(detail::read_probabilities(shape, line, 7, 2, 2));
  EXPECT_THAT(values, ElementsAre(0.1, 0.9, 0.1 + 0.2, 0.7));
  std::string numbers(4 * sizeof(double), '\0');
  std::memcpy(numbers.data(), values.data(), numbers.size());
  EXPECT_EQ(
      must(detail::read_plugin_probabilities(shape, answer(PluginAnswer::kRuns, numbers), 2, 2)),
      values);
  EXPECT_TRUE(must(detail::read_ready({InputKind::kBandit, 3, 4},
                                      R"({"type":"ready","name":"it","probabilities":true})"))
                  .probabilities);
  EXPECT_TRUE(must(detail::read_plugin_ready(answer(PluginAnswer::kReady, "\3it"))).probabilities);
  EXPECT_FALSE(must(detail::read_plugin_ready(answer(PluginAnswer::kReady, "\1it"))).probabilities);
}

TEST(Probabilities, AreCheckedByRoundAndRange) {
  const auto said = [](const std::string& rounds) {
    const std::string line = R"({"type":"probabilities","id":7,"probabilities":)" + rounds + "}";
    return error_of(detail::read_probabilities({5, 2}, line, 7, 2, 2)).message;
  };
  EXPECT_THAT(
      said("[[0.1,0.9],[0.3,0.6]]"),
      HasSubstr("in round 4 probabilities that sum to 1 within 1e-09, not to 0.8999999999999999"));
  EXPECT_THAT(said("[[1.1,-0.1],[0.3,0.7]]"),
              HasSubstr("in round 3 a probability in [0, 1] of action 0, not 1.1"));
  EXPECT_THAT(said(R"([["nan",1],[0.3,0.7]])"), HasSubstr("of action 0, not nan"));
  EXPECT_THAT(said("[[0.1,0.9]]"), HasSubstr("has 1 rounds, not 2"));
  EXPECT_THAT(said("[[1],[0.3,0.7]]"), HasSubstr("round 1 "));
  EXPECT_THAT(said("true"), HasSubstr("must carry the array \"probabilities\""));
  const std::string other =
      R"({"type":"probabilities","id":8,"probabilities":[[0.1,0.9],[0.3,0.7]]})";
  EXPECT_THAT(error_of(detail::read_probabilities({5, 2}, other, 7, 2, 2)).message,
              HasSubstr("must carry the id 7"));
}

}  // namespace
}  // namespace assay
