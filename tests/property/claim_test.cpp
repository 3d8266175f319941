// Random claims: no text breaks the parser, and what it prints means what it read.
#include "assay/auditors/engine/claimed_level.hpp"

#include <bit>

#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

const std::vector<Variable> kVariables = {{"arms", "N", 5.0}, {"horizon", "T", 100.0}};

std::string pick(const std::vector<std::string>& choices) { return *rc::gen::elementOf(choices); }

// Every outcome is either a level in range or an error with a message and a path.
void check_outcome(const std::string& text) {
  const auto level = parse_claim(text, kVariables);
  if (!level) {
    RC_ASSERT(!level.error().message.empty());
    RC_ASSERT(level.error().path == "/claim");
    return;
  }
  if (const auto* both = std::get_if<ApproximateDp>(&*level)) {
    RC_ASSERT(both->epsilon.value >= 0.0 && std::isfinite(both->epsilon.value));
    RC_ASSERT(both->delta.value > 0.0 && both->delta.value < 1.0);
  } else if (const auto* pure = std::get_if<PureDp>(&*level)) {
    RC_ASSERT(pure->epsilon.value >= 0.0 && std::isfinite(pure->epsilon.value));
  } else {
    const double mu = std::get<GaussianDp>(*level).mu.value;
    RC_ASSERT(mu >= 0.0 && std::isfinite(mu));
  }
}

RC_GTEST_PROP(ClaimText, OfAnyBytesNeverBreaksTheParser, (const std::vector<char>& bytes)) {
  check_outcome(std::string(bytes.begin(), bytes.end()));
}

RC_GTEST_PROP(ClaimText, OfShuffledTokensNeverBreaksTheParser, ()) {
  static const std::vector<std::string> kTokens = {
      "eps", "delta", "mu", "epsilon", "=",    ",",    "(",    ")",   "+",  "-",    "*",
      "/",   "^",     " ",  "T",       "arms", "sqrt", "log(", "min", "1",  "1e-6", "0.5",
      "1e",  ".",     "e",  "1e308",   "nan",  "\t",   "\x01", "é",   "0x", "max("};
  for (int repeat = 0; repeat < 30; ++repeat) {
    std::string text = *rc::gen::arbitrary<bool>() ? "eps=" : "";
    const int count = *rc::gen::inRange(0, 40);
    for (int i = 0; i < count; ++i) text += pick(kTokens);
    check_outcome(text);
  }
}

// A random expression: its text with as few parentheses as possible, built beside its value.
struct Sample {
  std::string text;
  double value = 0.0;
  int strength = 3;  // 0 sum, 1 product, 2 sign, 3 atom
};

std::string guarded(const Sample& sample, int least) {
  return sample.strength >= least ? sample.text : "(" + sample.text + ")";
}

Sample atom() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return {"T", 100.0, 3};
    case 1:
      return {"arms", 5.0, 3};
    default: {
      const int sixteenths = *rc::gen::inRange(0, 160);
      return {number_text(sixteenths / 16.0), sixteenths / 16.0, 3};
    }
  }
}

Sample expression(int depth) {
  if (depth == 0) return atom();
  const Sample x = expression(depth - 1);
  const std::string space = *rc::gen::arbitrary<bool>() ? " " : "";
  const auto joined = [&](const char* symbol, const Sample& other, int left, int right) {
    return guarded(x, left) + space + symbol + space + guarded(other, right);
  };
  const int kind = *rc::gen::inRange(0, 9);
  const Sample y = kind < 4 ? expression(depth - 1) : Sample{};
  switch (kind) {
    case 0:
      return {joined("+", y, 0, 1), x.value + y.value, 0};
    case 1:
      return {joined("-", y, 0, 1), x.value - y.value, 0};
    case 2:
      return {joined("*", y, 1, 2), x.value * y.value, 1};
    case 3:
      return {joined("/", y, 1, 2), x.value / y.value, 1};
    case 4:
      return {"-" + guarded(x, 2), -x.value, 2};
    case 5:
      return {guarded(x, 3) + "^2", x.value * x.value, 2};
    case 6:
      return {"sqrt(" + x.text + ")", std::sqrt(x.value), 3};
    case 7: {
      const Sample z = atom();
      return {"min(" + x.text + "," + z.text + ")", std::min(x.value, z.value), 3};
    }
    default:
      return x;
  }
}

Result<double> read(const std::string& text, std::string* printed) {
  TextCursor cursor(text);
  const auto tree = parse_expression(cursor);
  if (!tree) return tl::make_unexpected(tree.error());
  RC_ASSERT(cursor.at_end());
  if (printed != nullptr) *printed = to_text(*tree);
  return evaluate(*tree, kVariables, text);
}

void check_sample(const Sample& sample) {
  std::string printed;
  const auto value = read(sample.text, &printed);
  // A subexpression without a value is an error even where min or a division would hide it.
  if (!value) {
    RC_ASSERT(value.error().code == ErrorCode::kInvalidArgument);
    RC_ASSERT(sample.text.find('/') != std::string::npos ||
              sample.text.find("sqrt") != std::string::npos);
    return;
  }
  RC_ASSERT(*value == sample.value);
  std::string again;
  const auto reread = read(printed, &again);
  RC_ASSERT(reread.has_value());
  RC_ASSERT(std::bit_cast<std::uint64_t>(*reread) == std::bit_cast<std::uint64_t>(*value));
  RC_ASSERT(again == printed);
}

RC_GTEST_PROP(ClaimArithmetic, AgreesWithDirectEvaluationAndSurvivesPrinting, ()) {
  for (int repeat = 0; repeat < 30; ++repeat) check_sample(expression(repeat % 5));
}

}  // namespace
}  // namespace assay
