#include "assay/auditors/text/rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace assay {
namespace {

enum class Towards { kNearest, kDown, kUp };

constexpr int kMostDigits = 17;

// sign * mantissa * 10^exponent with exactly `digits` digits in the mantissa.
struct Decimal {
  bool negative = false;
  std::int64_t mantissa = 0;
  int exponent = 0;
};

// A decimal beyond the largest double reads as infinity, as everywhere.
double read(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
  return value;
}

std::string scientific(const Decimal& d) {
  return fmt::format("{}{}e{}", d.negative ? "-" : "", d.mantissa, d.exponent);
}

Decimal nearest_decimal(double value, int digits) {
  std::string text = fmt::format("{:.{}e}", std::fabs(value), digits - 1);
  const auto e = text.find('e');
  Decimal d;
  d.negative = value < 0.0;
  d.exponent = std::stoi(text.substr(e + 1)) - (digits - 1);
  text.resize(e);
  text.erase(std::remove(text.begin(), text.end(), '.'), text.end());
  d.mantissa = std::stoll(text);
  return d;
}

bool is_power_of_ten(std::int64_t n) {
  while (n >= 10 && n % 10 == 0) n /= 10;
  return n == 1;
}

// One unit in the last digit; 1000 steps down to 999.9, so that no digit is lost.
void step_mantissa(Decimal& d, int by) {
  if (by < 0 && is_power_of_ten(d.mantissa)) {
    d.mantissa *= 10;
    --d.exponent;
  }
  d.mantissa += by;
}

std::string with_exponent(std::string digits, int leading_exponent) {
  if (digits.size() > 1) digits.insert(1, ".");
  return fmt::format("{}e{}", digits, leading_exponent);
}

std::string written_out(std::string digits, int leading_exponent) {
  if (leading_exponent < 0) {
    return "0." + std::string(static_cast<std::size_t>(-leading_exponent - 1), '0') + digits;
  }
  const auto whole = static_cast<std::size_t>(leading_exponent) + 1;
  if (digits.size() <= whole) return digits + std::string(whole - digits.size(), '0');
  return digits.insert(whole, ".");
}

std::string decimal_text(const Decimal& d) {
  std::string digits = std::to_string(d.mantissa);
  const int leading_exponent = d.exponent + static_cast<int>(digits.size()) - 1;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.empty()) return "0";
  const bool plain = leading_exponent >= -4 && leading_exponent < 6;
  return (d.negative ? "-" : "") + (plain ? written_out(std::move(digits), leading_exponent)
                                          : with_exponent(std::move(digits), leading_exponent));
}

std::string rounded_towards(double value, int digits, Towards towards) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0.0) return "0";
  Decimal d = nearest_decimal(value, std::clamp(digits, 1, kMostDigits));
  const double back = read(scientific(d));
  const bool too_high = towards == Towards::kDown && back > value;
  const bool too_low = towards == Towards::kUp && back < value;
  if (too_high || too_low) step_mantissa(d, too_high == d.negative ? 1 : -1);
  return decimal_text(d);
}

bool same_side(const std::string& text, double value, double claim) {
  const double back = read(text);  // read() knows "inf"
  return (value > claim) == (back > claim) && (value < claim) == (back < claim);
}

std::string rounded_beside(double value, double claim, int digits, Towards towards) {
  std::string text = rounded_towards(value, digits, towards);
  while (digits < kMostDigits && !same_side(text, value, claim)) {
    text = rounded_towards(value, ++digits, towards);
  }
  return text;
}

}  // namespace

std::string rounded(double value, int digits) {
  return rounded_towards(value, digits, Towards::kNearest);
}
std::string rounded_down(double value, int digits) {
  return rounded_towards(value, digits, Towards::kDown);
}
std::string rounded_up(double value, int digits) {
  return rounded_towards(value, digits, Towards::kUp);
}
std::string rounded_down_beside(double value, double claim, int digits) {
  return rounded_beside(value, claim, digits, Towards::kDown);
}
std::string rounded_up_beside(double value, double claim, int digits) {
  return rounded_beside(value, claim, digits, Towards::kUp);
}

std::string rounded_up_within(double value, double whole, int digits) {
  std::string text = rounded_up(value, digits);
  while (digits < kMostDigits && read(text) > whole) text = rounded_up(value, ++digits);
  return text;
}

std::string percent(double fraction) { return rounded(100.0 * fraction, 8) + "%"; }

std::string grouped(long long count) {
  std::string text = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t i = text.size(); i > first + 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string plural(long long count, std::string_view noun) {
  return std::string(noun) + (count == 1 ? "" : "s");
}

std::string duration_text(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

std::string seconds_text(double seconds) {
  return seconds < 0.095 ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.1f} s", seconds);
}

}  // namespace assay
