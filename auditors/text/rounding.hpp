// Writes numbers for people, with a few significant digits, rounded so that a bound remains a bound.
//
// A certified lower bound is rounded down and an upper bound up, so that the printed interval still
// contains the certified one. The texts read back as doubles: `rounded_down(v, d)` reads as at most
// v, `rounded_up(v, d)` as at least v. Trailing zeros are dropped, and infinities are "inf" and "-inf".
// Numbers between 1e-4 and 1e6 are written out; others have an exponent ("2.4e-31").
#pragma once

#include <string>
#include <string_view>

namespace assay {

std::string rounded(double value, int digits);  // rounded to nearest
std::string rounded_down(double value, int digits);
std::string rounded_up(double value, int digits);

// As above, with as many more digits as it takes for the text to be on the same side of `claim` as the value, so
// that a bound above the claim never prints as the claim.
std::string rounded_down_beside(double value, double claim, int digits);
std::string rounded_up_beside(double value, double claim, int digits);

// As rounded_up, with as many more digits as it takes not to read as more than `whole`, which is at least `value`.
// So a part never prints as more than its whole.
std::string rounded_up_within(double value, double whole, int digits);

std::string percent(double fraction);  // 0.999 -> "99.9%"
std::string grouped(long long count);  // 200000 -> "200,000"
std::string plural(long long count,
                   std::string_view noun);  // 2: "run" -> "runs"; 1: "run"

// "1.2 s", below a tenth "0.05 s".
std::string seconds_text(double seconds);

// Of a wait, in its largest unit: "12 s", "3 min" or "2.5 h"; "1 s" for less.
std::string duration_text(double seconds);

}  // namespace assay
