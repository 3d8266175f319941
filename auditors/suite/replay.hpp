// The job of `assay replay`: runs the subject on two neighbouring inputs with the same randomness, and reports the
// round at which the runs diverge. It repeats a witness (witness.hpp) from one line of a report, without files:
//
//     assay replay --exec "python3 policy.py" --horizon 3 --old "0;1;1" --new "0;0;1" --seed 17
//
// The seed is the number that a target gets with its input. A case draws all its random numbers from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/audit/audit.hpp"
#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/auditors/suite/witness.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/options.hpp"

namespace assay {

struct ReplayFacts {
  SubjectKind subject = SubjectKind::kCase;
  InputKind kind = InputKind::kBandit;
  bool tells_numbers = false;
};

struct ReplayJob : JobOptions {
  using Facts = ReplayFacts;

  std::string case_id;
  std::vector<KeyValue> parameters;
  std::string exec;
  std::string plugin;
  InputShape shape;    // of a target
  std::string domain;  // of its inputs
  std::string base_input;
  std::string neighbour_input;
  std::int64_t seed = 1;
  std::optional<Number> round_outputs;
  std::optional<double> answer_time;
  std::vector<std::string> env;
  std::string memory;
  bool sandbox = false;
  RunOptions run;

  static void fields(const VisitOption<ReplayJob>& visit);
};

// If the runs do not diverge, the witness has round 0. Errors: inputs that cannot be read, do not fit or are not
// neighbours; a target that fails (kTarget), or that gives another output for the same seed.
Result<PreparedJob<Witness>> prepare(const ReplayJob& job);

std::string to_text(const Witness& witness, const TextStyle& style);
std::string to_json(const Witness& witness);
std::string replay_report_schema();

// The witness of an audit's pair, and one line that describes it or says why there is none.
struct AuditWitness {
  std::optional<EntryWitness> entry;
  std::string text;
  std::string cut;  // how the horizon of the replay differs from that of the audit; or empty
};

// Runs the target of `job` again on the pair of `report`. There is no witness for recorded runs, or for inputs that
// stay too long to be written out. A deadline of `control` bounds it.
AuditWitness audit_witness(const AuditJob& job, const AuditReport& report, const WitnessPlan& plan,
                           const RunControl& control);

}  // namespace assay
