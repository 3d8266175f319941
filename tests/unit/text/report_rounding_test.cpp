#include "assay/auditors/text/rounding.hpp"

#include <bit>
#include <boost/multiprecision/cpp_dec_float.hpp>

#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

using Decimal = boost::multiprecision::cpp_dec_float_100;

// A normal double of any sign and of any size but the most extreme.
double any_double() {
  const auto fraction = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  const auto exponent = static_cast<std::uint64_t>(*rc::gen::inRange(60, 1980));
  constexpr std::uint64_t kFractionMask = (std::uint64_t{1} << 52) - 1;
  const double size = std::bit_cast<double>((exponent << 52) | (fraction & kFractionMask));
  return *rc::gen::arbitrary<bool>() ? -size : size;
}

TEST(Rounding, IsToNearestByDefault) {
  EXPECT_EQ(rounded(7.0710678, 5), "7.0711");
  EXPECT_EQ(rounded(0.5, 5), "0.5");
  EXPECT_EQ(rounded(-2.25, 5), "-2.25");
  EXPECT_EQ(rounded(200000.0, 5), "200000");
  EXPECT_EQ(rounded(0.0, 5), "0");
  EXPECT_EQ(rounded(-0.0, 5), "0");
}

TEST(Rounding, OfBoundsGoesOutward) {
  EXPECT_EQ(rounded_down(7.07119, 5), "7.0711");
  EXPECT_EQ(rounded_up(7.07111, 5), "7.0712");
  EXPECT_EQ(rounded_down(-7.07111, 5), "-7.0712");
  EXPECT_EQ(rounded_up(-7.07119, 5), "-7.0711");
  EXPECT_EQ(rounded_down(0.99999, 3), "0.999");
  EXPECT_EQ(rounded_up(0.99999, 3), "1");
  EXPECT_EQ(rounded_down(0.9999999, 4), "0.9999");
  EXPECT_EQ(rounded_up(9.99999e-10, 3), "1e-9");
}

TEST(Rounding, LeavesExactDecimalsAlone) {
  for (const double value : {0.5, 0.25, 1.0, 3.0, 100.0, 1e-6, 0.001}) {
    EXPECT_EQ(rounded_down(value, 5), rounded_up(value, 5));
  }
}

TEST(Rounding, WritesSmallAndLargeNumbersWithAnExponent) {
  EXPECT_EQ(rounded(1e-6, 5), "1e-6");
  EXPECT_EQ(rounded(0.00025, 5), "0.00025");
  EXPECT_EQ(rounded(2.4567e-31, 3), "2.46e-31");
  EXPECT_EQ(rounded(1.5e9, 5), "1.5e9");
}

TEST(Rounding, CoversTheSmallestAndTheLargestDouble) {
  EXPECT_EQ(rounded_down(5e-324, 2), "4.9e-324");
  EXPECT_EQ(rounded_up(5e-324, 1), "5e-324");
  EXPECT_EQ(rounded_down(std::numeric_limits<double>::max(), 5), "1.7976e308");
  EXPECT_EQ(rounded_up(std::numeric_limits<double>::max(), 5), "1.7977e308");
}

TEST(Rounding, NamesInfinities) {
  EXPECT_EQ(rounded_up(kInfinity, 5), "inf");
  EXPECT_EQ(rounded_down(-kInfinity, 5), "-inf");
}

TEST(Rounding, NeverPrintsABoundOnTheOtherSideOfTheClaim) {
  const double claim = 7.0710678118654755;
  EXPECT_EQ(rounded_down(7.07107, 5), "7.071");
  EXPECT_EQ(rounded_down_beside(7.07107, claim, 5), "7.07107");
  EXPECT_EQ(rounded_up_beside(7.07106, claim, 5), "7.07106");
  EXPECT_EQ(rounded_down_beside(8.12345, claim, 5), "8.1234");
  EXPECT_EQ(rounded_up_beside(kInfinity, claim, 5), "inf");
}

RC_GTEST_PROP(Rounding, DownAndUpEncloseEveryDoubleAtEveryNumberOfDigits, ()) {
  const double value = any_double();
  const int digits = *rc::gen::inRange(1, 15);
  const Decimal low(rounded_down(value, digits));
  const Decimal high(rounded_up(value, digits));
  const Decimal exact(value);
  // Texts read back as doubles; a decimal and its double differ by half a unit in the last place.
  const Decimal slack = abs(exact) * Decimal("1.2e-16") + Decimal("3e-324");
  RC_ASSERT(low <= exact + slack);
  RC_ASSERT(exact <= high + slack);
  RC_ASSERT(high - low <= abs(exact) * pow(Decimal(10), 1 - digits) + 4 * slack);
}

RC_GTEST_PROP(Rounding, KeepsTheOrderOfABoundAndAClaim, ()) {
  const double claim = std::fabs(any_double());
  const double nearby = claim * (1.0 + 1e-9 * *rc::gen::inRange(-1000, 1000));
  for (const std::string& text :
       {rounded_down_beside(nearby, claim, 5), rounded_up_beside(nearby, claim, 5)}) {
    const double back = std::stod(text);
    RC_ASSERT((back > claim) == (nearby > claim));
    RC_ASSERT((back < claim) == (nearby < claim));
  }
}

TEST(Rounding, WritesPercentagesAndGroupsOfThreeDigits) {
  EXPECT_EQ(percent(0.999), "99.9%");
  EXPECT_EQ(percent(0.95), "95%");
  EXPECT_EQ(grouped(200000), "200,000");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(Rounding, OfAPartNeverReadsAsMoreThanItsWhole) {
  EXPECT_EQ(rounded_up_within(260.06, 260.1, 2), "260.1");
  EXPECT_EQ(rounded_up_within(1.8372, 1.838, 2), "1.838");
  EXPECT_EQ(rounded_up_within(0.0123456, 3.0, 2), "0.013");
  EXPECT_EQ(rounded_up_within(0.375, 0.375, 2), "0.375");
  const IntervalText from_zero = interval_text(0.0, 260.06);
  EXPECT_EQ(from_zero.upper, "260.1");
  EXPECT_EQ(from_zero.gap, "260.1");
  for (const double lower : {0.0, 1e-9, 0.3, 0.99}) {
    for (double upper = 1.0; upper < 1e4; upper *= 1.37) {
      const IntervalText text = interval_text(lower, upper);
      EXPECT_LE(*parse_number(text.gap), *parse_number(text.upper)) << lower << " " << upper;
      EXPECT_GE(*parse_number(text.gap), upper - lower);
    }
  }
}

TEST(Rounding, CountsOneThingInTheSingular) {
  EXPECT_EQ(plural(0, "transcript"), "transcripts");
  EXPECT_EQ(plural(1, "transcript"), "transcript");
  EXPECT_EQ(plural(2, "transcript"), "transcripts");
}

TEST(SafeText, ReplacesControlCharactersAndBrokenUtf8) {
  EXPECT_EQ(plain_text("a\x1b[31mb\nc"), "a [31mb c");
  EXPECT_EQ(plain_text("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(plain_text("\xFF"), "\xEF\xBF\xBD");
  EXPECT_EQ(plain_text("x\xC3"), "x\xEF\xBF\xBD");                // cut off
  EXPECT_EQ(plain_text("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong
  EXPECT_EQ(plain_text("\xC2\x9B"), " ");                         // a control sequence introducer
  EXPECT_EQ(plain_text("\xF0\x9F\x99\x82"), "\xF0\x9F\x99\x82");
}

TEST(SafeText, NamesWhatIsInvisibleOrTurnsTheDirectionOfText) {
  const std::pair<const char*, const char*> named[] = {
      {"\xC2\xAD", "<U+00AD>"},     {"\xD8\x9C", "<U+061C>"},         {"\xE2\x80\x8B", "<U+200B>"},
      {"\xE2\x80\x8E", "<U+200E>"}, {"\xE2\x80\x8F", "<U+200F>"},     {"\xE2\x80\xA8", "<U+2028>"},
      {"\xE2\x80\xA9", "<U+2029>"}, {"\xE2\x80\xAA", "<U+202A>"},     {"\xE2\x80\xAE", "<U+202E>"},
      {"\xE2\x81\xA0", "<U+2060>"}, {"\xE2\x81\xA6", "<U+2066>"},     {"\xE2\x81\xA9", "<U+2069>"},
      {"\xEF\xBB\xBF", "<U+FEFF>"}, {"\xF3\xA0\x81\x81", "<U+E0041>"}};
  for (const auto& [text, name] : named) {
    EXPECT_EQ(plain_text(text), name);
    EXPECT_EQ(plain_text(plain_text(text)), name);
  }
  EXPECT_EQ(markup_text("a\xE2\x80\xAE"
                        "b"),
            "a&lt;U+202E&gt;b");
  for (const char* seen :
       {"\xE2\x80\xA7", "\xE2\x80\xAF", "\xE2\x80\x90", "\xC2\xA0", "\xC2\xAE"}) {
    EXPECT_EQ(plain_text(seen), seen);  // the neighbours of those above
  }
}

TEST(SafeText, JsonEscapesTheSameCharactersAndKeepsItsValues) {
  EXPECT_EQ(escaped_json("[\"a\xE2\x80\xAE\xC2\x9B\x7F\xC3\xA9\xF3\xA0\x81\x81\"]"),
            "[\"a\\u202e\\u009b\\u007f\xC3\xA9\\udb40\\udc41\"]");
}

TEST(SafeText, EscapesWhatMarkupGivesAMeaning) {
  EXPECT_EQ(markup_text("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

TEST(SafeText, CountsColumnsByCodePoint) { EXPECT_EQ(column_count("caf\xC3\xA9"), 4U); }

}  // namespace
}  // namespace assay
