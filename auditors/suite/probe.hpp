// What a word names that someone wants audited, and a suite file to begin with.
//
//   a case              by its name in `assay list cases`
//   recorded plays      a file whose first line says {"assay_transcripts": 1, ..}
//   a shared library    an ELF file whose dynamic symbols have assay_policy_v1_get: they are read, nothing is
//                       run for that; then it is loaded as an audit loads it, in a process of its own
//   a program           anything else: started as --exec starts it, and greeted (docs/protocol.md)
// in this order. Libraries and programs are offered every kind, larger ones where they take none, and play
// once. Cost: a start for each kind and size, at most `answer` each and four times that in all.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

enum class ProbedKind { kCase, kRecorded, kPlugin, kProgram };
constexpr std::array<std::pair<ProbedKind, std::string_view>, 4> enum_names(ProbedKind) {
  return {{{ProbedKind::kCase, "case"},
           {ProbedKind::kRecorded, "transcripts"},
           {ProbedKind::kPlugin, "plugin"},
           {ProbedKind::kProgram, "exec"}}};
}

struct ProbeResult {
  ProbedKind kind = ProbedKind::kCase;
  std::string word;  // as it was given
  std::string name;  // as it calls itself; of a case its title
  std::vector<InputShape>
      shapes;           // that it plays, of each kind one; of recorded plays that of the file
  bool seeded = false;  // it promises that a seed decides a play
  bool deterministic = false;
};

struct ProbeLimits {
  std::chrono::milliseconds answer{3'000};  // to a greeting
  const std::atomic<bool>* cancel = nullptr;
};

// Errors: nothing of the above; the message says what was tried and what it answered.
Result<ProbeResult> probe(const std::string& word, const ProbeLimits& limits = {});
// The same of a command, as --exec takes it.
Result<ProbeResult> probe_program(const std::string& command, const ProbeLimits& limits = {});

// A commented assay.toml with entries tagged "smoke". A case is held against what it promises itself; what a
// stranger's policy promises is for its owner to state: the line of its claim waits as a comment, and
// without it the entry is misconfigured.
std::string starter_suite(const ProbeResult& probed);

// Whether the dynamic symbols of an ELF file (64 bits, little-endian) define this name. Nothing: no such file.
std::optional<bool> defines_symbol(const std::string& file, std::string_view name);

}  // namespace assay
