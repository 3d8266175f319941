// Numbers for people: a few significant digits, rounded the way that keeps a bound a bound.
//
// A certified lower bound is rounded down and an upper bound up, so that the printed interval still
// contains the certified one. The texts read back as doubles: `rounded_down(v, d)` reads as at most
// v, `rounded_up(v, d)` as at least v. Trailing zeros are dropped; infinities read "inf" and
// "-inf". Written out between 1e-4 and 1e6, with an exponent otherwise ("2.4e-31").
#pragma once

#include <string>
#include <string_view>

namespace assay {

std::string rounded(double value, int digits);  // to nearest
std::string rounded_down(double value, int digits);
std::string rounded_up(double value, int digits);

// As above, with as many digits more as it takes for the text to lie on the same side of `claim`
// as the value does: a bound above the claim never prints as the claim.
std::string rounded_down_beside(double value, double claim, int digits);
std::string rounded_up_beside(double value, double claim, int digits);

// As rounded_up, with as many digits more as it takes not to read as more than `whole`, which is at
// least `value`: a part never prints as more than what it is a part of.
std::string rounded_up_within(double value, double whole, int digits);

std::string percent(double fraction);  // 0.999 -> "99.9%"
std::string grouped(long long count);  // 200000 -> "200,000"
std::string plural(long long count,
                   std::string_view noun);  // of 2, "play" -> "plays"; of 1, "play"

// "1.2 s", below a tenth "0.05 s".
std::string seconds_text(double seconds);

}  // namespace assay
