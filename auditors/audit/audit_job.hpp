// The options of `assay audit`, which audits a case, a program, a shared library or recorded runs. `assay audit --help`
// describes each; the member functions of audit.hpp run it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/mechanisms/core/options.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

enum class SubjectKind { kCase, kProgram, kPlugin, kRecorded };

// The facts that decide which options have an effect on an audit.
struct AuditFacts {
  SubjectKind subject = SubjectKind::kCase;
  bool reads_stream = false;    // a case whose input is a stream of rewards
  bool draws_pairs = false;     // a case audited by release that can draw more pairs than it lists
  bool reads_pair = false;      // a case whose --input holds both inputs
  bool reads_features = false;  // a case that reads the features of its arms
  InputKind kind = InputKind::kBandit;  // of an external target
  bool tells_numbers = false;           // an external target whose outputs are not actions alone
  std::string method;                   // "exact", "likelihood", "release", "events" or "one-run"
  bool claims_mu = false;
  bool has_input = false;
  bool has_samples = false;
  bool varies = false;
  bool stops_when_decided = false;

  bool is_case() const { return subject == SubjectKind::kCase; }
  bool is_recorded() const { return subject == SubjectKind::kRecorded; }
  bool is_played() const { return !is_case() && !is_recorded(); }
  bool is_program() const { return subject == SubjectKind::kProgram; }
  bool is_mechanism() const { return !traits_of(kind).has_rounds(); }
  bool by_likelihood() const { return method == "likelihood"; }
  bool by_release() const { return method == "release"; }
  bool by_events() const { return method == "events"; }
  // Whether it is an external target whose upper bounds rest on the probabilities that it reports.
  bool by_reported() const { return !is_case() && (by_likelihood() || method == "exact"); }
  // Whether runs of a target are searched for an event.
  bool by_runs() const { return is_played() && (by_events() || by_reported()); }
};

struct AuditJob : JobOptions {
  using Facts = AuditFacts;

  std::string case_id;
  std::vector<KeyValue> parameters;
  std::string claim;
  std::string input;
  std::string column;
  std::string features;
  std::string method = "auto";
  Number confidence = {0.999, {}};
  Number delta0 = {1e-6, "1e-6"};
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> samples;
  std::optional<double> seconds;
  std::optional<std::int64_t> runs;
  bool stop_when_decided = false;
  std::optional<std::int64_t> stop_after;
  std::optional<std::int64_t> search;
  RunOptions run;

  // An external target is named by one of the next three members.
  std::string exec;
  std::string plugin;
  std::vector<std::string> transcripts;  // two files
  InputShape shape;
  std::string neighbour;
  std::string domain;
  std::string neighbours;
  std::optional<std::int64_t> changed_row;
  std::vector<std::string> vary;
  std::optional<std::int64_t> settings;
  std::optional<Number> see;
  std::optional<Number> round_outputs;
  std::optional<std::int64_t> canaries;
  std::optional<std::int64_t> training;
  bool deterministic = false;
  std::optional<double> answer_time;
  // Further environment variables (policies/external/child_environment.hpp).
  std::vector<std::string> env;
  std::string memory;  // a size (policies/external/containment.hpp)
  bool sandbox = false;
  std::string failures;  // the further events that count as the failure of a run

  bool is_outside() const { return !exec.empty() || !plugin.empty() || !transcripts.empty(); }

  static void fields(const VisitOption<AuditJob>& visit);
};

}  // namespace assay
