// The result of one audit as a plain value. The writers print this value and nothing else.
//
// The request (case, parameters, input, method, seed, sample budget) determines everything outside `meta`, byte
// for byte, on any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/strength.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

struct InputSource {
  std::string file;
  std::string column;  // empty for a file with one number per line
  std::string digest;  // a hash of the values in the file
  std::int64_t rows = 0;
};

// A second audit of a mechanism that the lowest bits of its outputs convict, with the outputs rounded, and with a
// confidence of its own.
struct RoundedVerdict {
  double grid = 0.0;  // of --round-outputs
  Verdict verdict = Verdict::kInconclusive;
  std::string headline = {};
};

struct AuditReport : AuditTerms, Decision {
  std::string case_id = {};
  std::string case_title = {};
  std::vector<KeyValue> parameters = {};
  std::vector<std::string> notes = {};  // remarks on the case at these parameters
  Relation relation = Relation::kReplaceOneReward;
  View view = View::kActions;
  std::string neighbours = {};  // of an external target: the relation as a phrase, with the domain
  std::optional<InputSource> input = {};

  std::string reproduce = {};  // the command that reproduces this report
  std::string replay = {};     // of a target: the command that shows where runs on the pair diverge
  WorstPair pair = {};
  std::optional<CanaryEvidence> canaries = {};  // if set, `pair` holds one input, with every coin 0
  PairEvidence evidence = {};
  std::optional<Strength> strength = {};  // if nothing was refuted or verified
  std::optional<RoundedVerdict> if_rounded = {};
  // Of a target that reports its probabilities: bounds of the distributions that it reports.
  std::vector<ReportedQuantity> if_reported = {};
  std::string containment = {};  // of an external target: what held it back, as a phrase
  RunMeta meta = {};
};

// Makes the report from the gathered evidence: NotRefuted becomes Weak if the audit was not strong enough. The caller
// fills the members up to `replay`.
AuditReport make_report(const AuditTerms& terms, Gathered gathered);

}  // namespace assay
