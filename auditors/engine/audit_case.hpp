// One audit: what a caller asks for, and the cases that can answer by name.
//
// AuditCase is the one virtual seam of the auditors: a policy (or mechanism) with its input space,
// neighbouring relation, view and claimed guarantee. Below it everything is a template over the
// pair process, so the compiler sees through.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class Method { kAuto, kExact, kLikelihood, kEvents };
constexpr std::array<std::pair<Method, std::string_view>, 4> enum_names(Method) {
  return {{{Method::kAuto, "auto"},
           {Method::kExact, "exact"},
           {Method::kLikelihood, "likelihood"},
           {Method::kEvents, "events"}}};
}

// A fixed private input, read from a file.
struct AuditInput {
  InputSource source;
  InputPair inputs;  // an edit of values says which neighbour; without any one is searched

  // The digest is of all values, the neighbour's last.
  static AuditInput of(std::string file, std::string column, InputPair inputs);
  bool has_neighbour() const { return !inputs.edit().values.empty(); }
};

struct AuditRequest {
  std::vector<KeyValue> parameters;  // as given with -p; the rest are defaults
  std::string claim;                 // empty: the guarantee that the policy itself states
  std::optional<AuditInput> input;
  Method method = Method::kAuto;
  double confidence = 0.999;
  double delta0 = 1e-6;
  std::optional<std::uint64_t> seed;       // default: a hash of case, parameters, input and method
  std::optional<std::int64_t> samples;     // transcripts a side; default from the size of the case
  std::optional<double> seconds;           // time budget, of the run; samples are chosen to fit
  std::optional<std::int64_t> stop_after;  // end after this many of `samples`
  std::optional<std::int64_t> search;      // pairs to score; default from the size of the case
  bool stop_when_decided = false;
};

// The ranges of what every request has: confidence, delta0, samples and seconds.
Status check_request(const AuditRequest& request);

// What the confidence leaves to be spent.
double alpha_of(const AuditRequest& request);

// Errors: unknown or unreadable parameters, values outside their ranges.
template <class Config>
Result<Config> read_config(const std::vector<KeyValue>& parameters) {
  Config config;
  for (const auto& [key, value] : parameters) {
    ASSAY_TRY(set_field(config, key, value));
  }
  ASSAY_TRY(validate(config));
  return config;
}

// How `explain` and `list` describe a case.
struct CaseDescription {
  std::string id;
  std::string title;
  std::string about;  // a paragraph
  Relation relation = Relation::kReplaceOneReward;
  View view = View::kActions;
  std::string input;                          // what --input takes
  InputKind input_kind = InputKind::kBandit;  // of a mechanism the file holds both neighbours
  std::vector<std::string> methods;
  std::vector<FieldDescription> parameters;
  std::vector<std::string> claims;  // published claims, as `--claim` takes them, with their source
  std::string reference;
};

// What a request comes to before anything is sampled.
struct ResolvedRequest {
  Method method = Method::kExact;  // never auto
  PrivacyLevel claim = PureDp{};
};

class AuditCase {
 public:
  virtual ~AuditCase() = default;
  virtual CaseDescription describe() const = 0;
  // Errors: as those of run(), of parameters, claim, input and method.
  virtual Result<ResolvedRequest> resolve(const AuditRequest& request) const = 0;
  // Errors: parameters, claim or input that do not fit, named by field; a method whose limit the
  // case exceeds. An interrupted run still returns a report.
  virtual Result<AuditReport> run(const AuditRequest& request, const RunControl& control) const = 0;
};

// Every case, in the order that `assay list cases` prints.
const std::vector<std::unique_ptr<AuditCase>>& audit_cases();

// Errors: an unknown id, with the nearest known one.
Result<const AuditCase*> find_audit_case(std::string_view id);

}  // namespace assay
