// The report of `assay try`, as values. The writers in this folder turn it into text and JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/run_meta.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

struct TriedPlay {
  Side side = Side::kBase;
  std::uint64_t seed = 0;      // the seed that was sent to the target
  std::vector<double> output;  // the output that came back
};

enum class NoteKind {
  kHint,
  kWarning,  // may be a mistake: correct it, or be sure that it is meant
  kMistake,  // to be corrected before an audit
};

// A finding of the dry run.
struct TryNote {
  NoteKind kind = NoteKind::kHint;
  std::string text;
};

// The largest cost of an audit with these options.
struct AuditCost {
  std::int64_t learning = 0;   // runs for the search, for learning and for checks
  std::int64_t certified = 0;  // runs for the certification, on both inputs together
  std::int64_t starts = 0;     // of the target
  double seconds = 0.0;        // an estimate from the measured times
  double start_seconds = 0.0;  // of these, while the target starts
};

struct TryReport {
  std::string command;  // the command of a program, or the file of a plug-in
  bool is_plugin = false;
  std::string greeting;         // the line that was sent; empty for a plug-in
  std::string greeting_answer;  // the line that came back
  std::string name;
  bool seeded = false;
  bool deterministic = false;
  InputShape shape;
  InputPair pair;
  std::string neighbours;        // in words
  std::string other_neighbours;  // how --neighbours would change them; may be empty
  std::vector<TriedPlay> runs;   // ten, or those before the error
  std::vector<TryNote> notes;
  std::string standard_error;  // of the process that made the ten runs
  // Places in a Python program that draw from what no seed reaches, as its adapter names them.
  std::vector<std::string> unseeded;
  std::optional<AuditCost> cost;
  std::string next;     // the command of the audit; empty if there is something to correct first
  bool claims = false;  // whether its claim was given
  double start_seconds = 0.0;  // from the start until the greeting was answered
  double play_seconds = 0.0;   // of a run in a message of its own: the median of the ten
  double batch_seconds = 0.0;  // of a run in a message that asks for many runs
  double crowding = 1.0;       // so many times longer if all threads run a process
  std::optional<Error> error;
  std::string containment;  // what held the target back, as a phrase
  RunMeta meta;

  bool has(NoteKind kind) const;
  std::string slow_start() const;  // what a slow start costs an audit; empty for a fast one
};

std::string to_text(const TryReport& report, TextStyle style = {});

// Times are in `meta`. Ends with a newline.
std::string to_json(const TryReport& report);
std::string try_report_schema();

}  // namespace assay
