// Finds out what kind of policy an argument names, and writes a first suite file for it. The kinds, in this order:
//
//   a case              by its name in `assay list cases`
//   recorded runs       a file that has {"assay_transcripts": 1, ..} in its first line
//   a shared library    an ELF file with assay_policy_v1_get among its dynamic symbols. The symbols are read
//                       without running anything. Then it is loaded as an audit loads it, in its own process
//   a program           anything else. It is started as --exec starts it, and greeted (docs/protocol.md)
//
// It offers a library or program every kind of input, and larger shapes if none is accepted, and runs it once. What the
// user states of the shape is in every offer. Cost: a start for each kind and size, each at most `answer` long, and at
// most four times that in all.
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
  std::string word;  // the argument as it was given
  std::string name;  // the name that the policy gives itself; of a case its title
  // The accepted shapes, one of each kind; for recorded runs, the one of the file.
  std::vector<InputShape> shapes;
  bool seeded = false;  // whether it guarantees that the seed determines a run
  bool deterministic = false;
};

struct ProbeLimits {
  std::chrono::milliseconds answer{3'000};  // the time limit for the answer to a greeting
  const std::atomic<bool>* cancel = nullptr;
  // What the user states of the shape: its domain, and the fields of these names.
  InputShape stated = {};
  std::vector<std::string> stated_fields = {};
};

// Errors: an argument that names none of these, or one that is no program or library although a shape is stated; a shape
// that no kind has. The message says which kinds were tried and how the program answered.
Result<ProbeResult> probe(const std::string& word, const ProbeLimits& limits = {});
// The same for a command, as --exec takes it.
Result<ProbeResult> probe_program(const std::string& command, const ProbeLimits& limits = {});

// The runs of the audit in a first suite, by the times of a dry run (starter_budget.hpp).
struct StarterBudget {
  std::string for_claim;  // the claim that the numbers are for
  std::int64_t runs = 0;
  double seconds = 0.0;  // that they take on this machine
  int threads = 1;
  std::optional<double> see;  // the leak that they show; none if they show none
  // The default leak to see, if the runs for it would take too long, and their time, infinite if no number is enough.
  std::optional<double> too_small;
  double too_long = 0.0;  // seconds
};

// What `suite init` knows beside the kind of the policy.
struct StarterTerms {
  std::string claim;  // empty if the owner has to state it
  std::optional<StarterBudget> budget;
  std::string failure;                     // of the dry run
  std::vector<std::string> mistakes = {};  // that the dry run found
  std::vector<std::string> depends = {};   // the files of a program's command
};

// The text of a commented assay.toml with entries tagged "smoke". A case is checked against its own guarantee. The
// owner of another policy has to state its guarantee: the line with the claim is a comment, and the entry is
// misconfigured until the owner fills in that line.
std::string starter_suite(const ProbeResult& probed, const StarterTerms& terms = {});

// Whether the dynamic symbols of an ELF file (64 bits, little-endian) define this name. Empty if it is not such a file.
std::optional<bool> defines_symbol(const std::string& file, std::string_view name);

}  // namespace assay
