// Numbers of 50 digits as the checks of certificates share them. It takes seconds to compile: for
// the sources that compute in them.
#pragma once

#include <fmt/format.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <limits>
#include <string>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::precise {

using Float = boost::multiprecision::cpp_bin_float_50;

// Boost 1.74 makes the limits that log() and pow() stop at when they are first asked for, unguarded:
// a thread that comes second may read 0. They are asked for here, before main starts threads.
[[maybe_unused]] inline const bool kLimitsMade = [] {
  using Limits = std::numeric_limits<
      boost::multiprecision::number<Float::backend_type, boost::multiprecision::et_on>>;
  const auto made = {Limits::epsilon(), Limits::round_error(), Limits::min(),
                     Limits::max(),     Limits::infinity(),    Limits::quiet_NaN()};
  return made.size() > 0;
}();

inline std::string shown(const Float& value) {
  return fmt::format("{:.10g}", static_cast<double>(value));
}
inline std::string shown(double value) { return fmt::format("{:.10g}", value); }

inline const Float kSlack("1e-20");  // of numbers that are near 1

// A number that a certificate carries, beside the one that its inputs give.
inline Status carried(double stated, const Float& computed, const Float& slack, const char* name) {
  const Float tolerance = abs(computed) / 1'000'000'000 + slack;
  if (abs(Float(stated) - computed) <= tolerance) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("states {}, but the inputs give {}", shown(stated), shown(computed)),
              fmt::format("/numbers/{}", name));
}

// What is compared where no probabilities are, as a report on certificates shows it.
inline void compare(CertificateCheck& check, const Float& found, const Float& claimed) {
  check.refutes = found - claimed > kSlack;
  check.p = static_cast<double>(found);
  check.q = static_cast<double>(claimed);
  check.true_delta = static_cast<double>(Float(found - claimed));
}

inline std::string no_refutation(const Float& found, const Float& claimed) {
  return fmt::format("Not refuted by this: {} does not exceed {}.", shown(found), shown(claimed));
}

}  // namespace assay::precise
