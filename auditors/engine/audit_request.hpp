// The request of an audit, and the checks that every request has to pass.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class Method { kAuto, kExact, kLikelihood, kRelease, kEvents };
constexpr std::array<std::pair<Method, std::string_view>, 5> enum_names(Method) {
  return {{{Method::kAuto, "auto"},
           {Method::kExact, "exact"},
           {Method::kLikelihood, "likelihood"},
           {Method::kRelease, "release"},
           {Method::kEvents, "events"}}};
}

// A fixed private input, read from a file.
struct AuditInput {
  InputSource source;
  InputPair inputs;  // if its edit has no values, the audit searches for a neighbour

  // The digest covers all values; those of the neighbouring input come last.
  static AuditInput of(std::string file, std::string column, InputPair inputs);
  bool has_neighbour() const { return !inputs.edit().values.empty(); }
};

// The parameter that names the file with the features of a case's arms; the option --features sets it.
inline constexpr std::string_view kFeatureFile = "feature_file";

// Removes a parameter that is not a field of a configuration from the list, and returns its value.
std::optional<std::string> take_parameter(std::vector<KeyValue>& parameters, std::string_view key);

// Checks that every given value is the value used, because a file may determine some values. `asked` and `used` are
// the values of the same fields.
Status check_kept(const std::vector<KeyValue>& given, const std::vector<KeyValue>& asked,
                  const std::vector<KeyValue>& used);

struct AuditRequest {
  std::vector<KeyValue> parameters;  // as given with -p; the rest are defaults
  std::string claim;                 // if empty, the claim is the guarantee that the policy states
  std::optional<AuditInput> input;
  Method method = Method::kAuto;
  std::optional<double> see;  // the leak that the audit should see (strength.hpp)
  double confidence = 0.999;
  double delta0 = 1e-6;
  std::optional<std::uint64_t> seed;  // default: a hash of the case, parameters, input and method
  std::optional<std::int64_t>
      samples;                    // transcripts on each input; default from the size of the case
  std::optional<double> seconds;  // time budget of the audit, which chooses `samples` to fit
  std::optional<std::int64_t> stop_after;  // the audit ends after this many of `samples`
  std::optional<std::int64_t> search;      // pairs to score; default from the size of the case
  bool stop_when_decided = false;
  // Bounds the claimed quantity and hardly anything else, ten times as fast: for the checks of many cases.
  bool only_claim = false;
};

// Checks the ranges of the fields that every request has: confidence, delta0, samples and seconds.
Status check_request(const AuditRequest& request);

}  // namespace assay
