// The block that a report shows for an entry that fails, however many findings it has: what was claimed and found,
// why, on which pair, and what to do next.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay::detail {

enum class BlockPart {
  kShort,  // in the short report
  kBoth,   // in the short and the full report
  kFull,   // in the full report alone; a page folds it
};
struct BlockFact {
  BlockPart part = BlockPart::kBoth;
  std::string key, text;
};
std::vector<BlockFact> block_facts(const SuiteFindings& of_entry);

// "(assay.toml:12)".
std::string block_aside(const SuiteFindings& of_entry);

// "counts: violated", the facts, and the command that runs the entry alone, if there is one.
doc::Document entry_block(const SuiteFindings& of_entry, bool is_full);

}  // namespace assay::detail
