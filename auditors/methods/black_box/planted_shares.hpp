// The share of planted leaks that an audit with the default budget (40,000 runs) finds, by the kind of its input, as
// measured.
//
// benchmarks/compare/planted_leaks.py plants several hundred leaks of known levels and audits each. `--shares` prints
// the rows of the table; docs/benchmarks.md has the same numbers ("What the search finds"), and a test compares them.
// Threads: constants.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "assay/policies/inputs/input_kind.hpp"

namespace assay {

struct PlantedShare {
  InputKind kind;
  std::string_view inputs;  // "bandits"
  std::int64_t found = 0;   // of the audits, one for each leak and seed
  std::int64_t audits = 0;
  std::int64_t leaks = 0;
};

// Of leaks of at least twice the claim; a row for each kind, in the order of the enumeration.
extern const std::array<PlantedShare, enum_names(InputKind{}).size()> kPlantedShares;

// The sentence of a report: "Of 76 planted leaks of at least twice the claim in bandits, ... find 76%".
std::string planted_share_text(InputKind kind);

}  // namespace assay
