// The result of one audit as a plain value. The writers print it and nothing else.
//
// The request (case, parameters, input, method, seed, sample budget) determines everything outside `meta`, byte
// for byte: every run, number of threads and shard layout gives the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

struct InputSource {
  std::string file;
  std::string column;  // empty for a file with one number per line
  std::string digest;  // hash of the values read
  std::int64_t rows = 0;
};

struct AuditReport : AuditTerms, Decision {
  std::string case_id = {};
  std::string case_title = {};
  std::vector<KeyValue> parameters = {};
  std::vector<std::string> notes = {};  // on the case at these parameters
  Relation relation = Relation::kReplaceOneReward;
  View view = View::kActions;
  std::string neighbours = {};  // of an external target: the relation in a phrase, with its domain
  std::optional<InputSource> input = {};

  std::string reproduce = {};  // the command that makes this report again
  WorstPair pair = {};
  std::optional<CanaryEvidence> canaries = {};  // if set, `pair` is one input, with every coin at 0
  PairEvidence evidence = {};
  RunMeta meta = {};
};

// The report of the gathered evidence. The caller fills the members up to `reproduce`.
AuditReport make_report(const AuditTerms& terms, Gathered gathered);

}  // namespace assay
