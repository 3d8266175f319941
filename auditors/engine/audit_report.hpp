// The result of one audit, as a plain value: what the writers print and nothing else.
//
// Everything outside `meta` is determined by the request (case, parameters, input, method, seed,
// sample budget): the same on every run, thread count and shard layout, byte for byte.
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
  std::vector<std::string> notes = {};  // of the case at these parameters
  Relation relation = Relation::kReplaceOneReward;
  View view = View::kActions;
  std::string neighbours = {};  // of an external target: the relation in words, with its domain
  std::optional<InputSource> input = {};

  std::string reproduce = {};  // the command that makes this report again
  WorstPair pair = {};
  std::optional<CanaryEvidence> canaries = {};  // then `pair` is one input, with every coin at 0
  PairEvidence evidence = {};
  RunMeta meta = {};
};

// Of what was gathered and decided. Left to the caller: the members up to `reproduce`.
AuditReport make_report(const AuditTerms& terms, Gathered gathered);

}  // namespace assay
