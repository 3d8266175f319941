#include "assay/auditors/claims/certificates/certificate_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/claims/certificates/internal/counterexample_kind.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

Status detail::whole_in_range(std::int64_t value, double low, double high,
                              const std::string& path) {
  if (static_cast<double>(value) >= low && static_cast<double>(value) <= high) return {};
  return out_of_range(
      path, fmt::format("must be a whole number {} to {}, not {}", static_cast<std::int64_t>(low),
                        static_cast<std::int64_t>(high), value));
}

Status detail::number_in_range(double value, const Limits& limits, const std::string& path) {
  if (value >= limits.low && value <= limits.high) return {};  // false for NaN
  if (limits.high == Limits().high) return out_of_range(path, "must be a finite number");
  return out_of_range(path,
                      fmt::format("must be a number from {} to {}, not {}", number_text(limits.low),
                                  number_text(limits.high), number_text(value)));
}

tl::unexpected<Error> out_of_range(std::string path, std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message), std::move(path));
}

Status counted_in(std::int64_t index, std::size_t size, const std::string& path) {
  return detail::whole_in_range(index + 1, 1.0, static_cast<double>(size), path);
}

Status check_rules(const Certificate& certificate, const CounterexampleKinds& kinds) {
  std::vector<std::string> known;
  std::string_view wanted;  // the kind that the claim asks for
  for (const auto* kind : kinds) {
    const auto refutes = kind->refutes();
    known.insert(known.end(), refutes.begin(), refutes.end());
    if (std::count(refutes.begin(), refutes.end(), certificate.claim) > 0) wanted = kind->name();
  }
  if (wanted.empty()) {
    return fail(ErrorCode::kUnknownKey,
                fmt::format("must be a claim that a certificate can refute, {}, not '{}'{}",
                            fmt::join(known, " or "), plain_text(certificate.claim),
                            nearest_hint(certificate.claim, known)),
                "/claim");
  }
  const Counterexample& counterexample = certificate.counterexample;
  if (wanted != counterexample.kind_name()) {
    return out_of_range("/counterexample/kind",
                        fmt::format("must be {} to refute {}, not {}", wanted, certificate.claim,
                                    counterexample.kind_name()));
  }
  return counterexample.kind()->check(counterexample.found());
}

}  // namespace assay
