#include "assay/auditors/suite/internal/suite_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "assay/auditors/suite/internal/suite_rules.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay::detail {
namespace {

constexpr std::size_t kMostOfFact = 2000;  // bytes
constexpr std::size_t kMostNotes = 50;
constexpr std::string_view kReplay = "Replay";

constexpr std::string_view kWitnessLabel = "witness: ";

// The details of an entry that begin with a label. All others are notes.
struct LabelledDetail {
  std::string_view label, key;
  BlockPart part;
};
constexpr std::array<LabelledDetail, 8> kLabelledDetails = {
    {{"why: ", "Why", BlockPart::kBoth},
     {"if rounded: ", "If rounded", BlockPart::kBoth},
     {"pair: ", "Pair", BlockPart::kBoth},
     {"found by: ", "Found by", BlockPart::kFull},
     {"neighbours: ", "Neighbours", BlockPart::kFull},
     {"method: ", "Method", BlockPart::kFull},
     {kWitnessLabel, "Witness", BlockPart::kBoth},
     {"next: ", "Next", BlockPart::kBoth}}};

std::string sentence_of(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

// The excess of the lower bound over the allowed value, rounded down; empty if there is none.
std::string excess_text(const EntryFigure& figure) {
  if (!figure.allowed || !(figure.lower > *figure.allowed)) return "";
  if (std::isinf(figure.lower)) return " without bound";
  const double allowed = *figure.allowed;
  // Doubles within a factor of 2 of each other have an exact difference (Sterbenz).
  const double excess = figure.lower <= 2.0 * allowed
                            ? figure.lower - allowed
                            : (detail::Enclosure(figure.lower) - detail::Enclosure(allowed)).low;
  return excess > 0.0 ? " by at least " + rounded_down(excess, 4) : "";
}

// The excess of one figure; the others say the same in other units. A value that is allowed to be 0 comes last.
std::string exceeded_text(const EntryResult& entry) {
  std::string last;
  for (const EntryFigure& figure : entry.figures) {
    if (figure.kind == FigureKind::kPower) continue;
    const std::string excess = excess_text(figure);
    if (excess.empty()) continue;
    const std::string text = shortened(figure.name, 200) + excess;
    if (*figure.allowed > 0.0) return text;
    if (last.empty()) last = text;
  }
  return last;
}

class BlockFacts {
 public:
  explicit BlockFacts(const SuiteFindings& of_entry) : findings_(of_entry) {}

  std::vector<BlockFact> all() {
    const EntryResult* entry = findings_.front().entry;
    const std::string excuse = excuse_text(findings_.front());
    if (!excuse.empty()) add(BlockPart::kBoth, "Excused", excuse + "; it does not fail the run");
    if (entry != nullptr) found(*entry);
    changes();
    if (entry != nullptr) {
      labelled(*entry, "Pair");
      labelled(*entry, "Found by");
      labelled(*entry, "Neighbours");
      labelled(*entry, "Method");
      figures(*entry);
      notes(*entry);
      witness(*entry);
    }
    next();
    if (entry != nullptr) {
      // The short report has the runs already, and the command that runs the audit again.
      const bool is_short = entry->reproduce.empty();
      if (entry->witness) {
        add(is_short ? BlockPart::kBoth : BlockPart::kFull, kReplay, entry->witness->command);
      }
      provenance(*entry);
    }
    return std::move(facts_);
  }

 private:
  void add(BlockPart part, std::string_view key, const std::string& text) {
    if (!text.empty()) facts_.push_back({part, std::string(key), shortened(text, kMostOfFact)});
  }

  bool labelled(const EntryResult& entry, std::string_view key) {
    bool any = false;
    // A change for the worse is no matter of the pair.
    const bool explains_held = entry.status == EntryStatus::kHeld;
    for (const auto& [label, own, part] : kLabelledDetails) {
      if (own != key) continue;
      for (const std::string& text : entry.details) {
        if (text.rfind(label, 0) != 0) continue;
        const std::string value = text.substr(label.size());
        if (key == "Why" && found_.find(value) != std::string::npos) {
          any = true;
          continue;
        }
        // Of several reasons the first is that of the present status.
        const bool is_earlier = any && key == "Why";
        add(is_earlier || explains_held ? BlockPart::kFull : part, is_earlier ? "Note" : key,
            key == "Next" ? sentence_of(value) : value);
        any = true;
      }
    }
    return any;
  }

  void found(const EntryResult& entry) {
    const std::string claim = claim_text(entry);
    if (claim.empty()) {
      add(BlockPart::kBoth, "Subject", entry.subject);
    } else {
      add(BlockPart::kBoth, "Claim",
          claim + (entry.subject.empty() ? "" : ", for " + shortened(entry.subject, 200)));
    }
    // What standing_of() adds to the headline is a fact of its own.
    const std::string found = found_beside_status(entry);
    const std::size_t since = found.find("; violated since run ");
    const bool stands = entry.reused_from && entry.status == EntryStatus::kViolated;
    found_ = stands ? found.substr(0, since) : found;
    add(BlockPart::kBoth, "Found", found_);
    if (stands && since != std::string::npos) {
      std::string standing = found.substr(since + 2) + "; no later run withdraws it";
      if (!entry.reproduce.empty()) {
        standing += fmt::format(
            ". Reproduce repeats run {} only with the files as they were then; with changed files it is an audit "
            "of these",
            *entry.reused_from);
      }
      add(BlockPart::kBoth, "Standing", standing);
    }
    add(BlockPart::kFull, "Exceeded", exceeded_text(entry));
    labelled(entry, "Why");
    labelled(entry, "If rounded");
  }

  void changes() {
    std::vector<const EntryChange*> changed;
    for (const SuiteFindings& of_rule : by_rule(findings_)) {
      for (const SuiteFinding& finding : of_rule) {
        if (finding.change != nullptr) changed.push_back(finding.change);
      }
    }
    if (changed.empty()) return;
    const auto part = changed.size() == 1 ? BlockPart::kBoth : BlockPart::kFull;
    for (const EntryChange* change : changed) add(part, "Baseline", change->statement);
    if (changed.size() == 1) return;
    add(BlockPart::kShort, "Baseline",
        fmt::format("{}; and {} more", changed.front()->statement, changed.size() - 1));
  }

  void figures(const EntryResult& entry) {
    std::string bounds;
    for (const EntryFigure& figure : entry.figures) {
      bounds += (bounds.empty() ? "" : "; ") + figure_line(figure);
    }
    add(BlockPart::kFull, "Bounds", bounds);
  }

  void notes(const EntryResult& entry) {
    std::size_t count = 0;
    for (const std::string& text : entry.details) {
      const bool is_labelled =
          std::any_of(kLabelledDetails.begin(), kLabelledDetails.end(),
                      [&](const LabelledDetail& one) { return text.rfind(one.label, 0) == 0; });
      if (is_labelled || ++count > kMostNotes) continue;
      add(BlockPart::kFull, "Note", text);
    }
    if (count <= kMostNotes) return;
    add(BlockPart::kFull, "Note",
        fmt::format("{} more are in the JSON report",
                    grouped(static_cast<long long>(count - kMostNotes))));
  }

  void witness(const EntryResult& entry) {
    if (!entry.witness) return;
    const EntryWitness& witness = *entry.witness;
    std::string text = fmt::format("with seed {} the runs diverge in round {}: {} on D, {} on D'",
                                   witness.seed, witness.round, shortened(witness.base_action, 60),
                                   shortened(witness.neighbour_action, 60));
    for (const std::string& detail : entry.details) {
      if (detail.starts_with(kWitnessLabel)) text += "; " + detail.substr(kWitnessLabel.size());
    }
    add(BlockPart::kBoth, "Witness", text);
    add(BlockPart::kFull, "Input D", witness.base_input);
    add(BlockPart::kFull, "Input D'", witness.neighbour_input);
  }

  // That of the gravest finding. What an audit says about itself is more specific than the rule.
  void next() {
    const SuiteFinding& first = findings_.front();
    const bool is_own = first.change == nullptr && first.entry != nullptr;
    if (is_own && labelled(*first.entry, "Next")) return;
    add(BlockPart::kBoth, "Next", std::string(kSuiteRules[suite_rule_of(first.rule())].next));
  }

  void provenance(const EntryResult& entry) {
    if (entry.reused_from && entry.status != EntryStatus::kViolated) {
      add(BlockPart::kFull, "Reused",
          fmt::format("the result of run {}: nothing that decides it has changed",
                      *entry.reused_from));
    }
    add(BlockPart::kFull, "Tags", joined(entry.tags));
  }

  const SuiteFindings& findings_;
  std::string found_;  // which need not be said again
  std::vector<BlockFact> facts_;
};

}  // namespace

std::vector<BlockFact> block_facts(const SuiteFindings& of_entry) {
  return BlockFacts(of_entry).all();
}

std::string block_aside(const SuiteFindings& of_entry) {
  const SuiteFinding& first = of_entry.front();
  std::string text;
  if (!first.place.file.empty()) {
    text = shortened(first.place.file, 200) + ":" + std::to_string(first.place.line);
  }
  return text.empty() ? "" : "(" + text + ")";
}

doc::Document entry_block(const SuiteFindings& of_entry, bool is_full) {
  doc::Document block;
  block.heading(doc::exact(entry_title(of_entry)), block_aside(of_entry), 3);
  doc::Facts facts;
  std::string replay;  // a command, which is set so that it can be pasted
  for (const auto& [part, key, text] : block_facts(of_entry)) {
    if (part == (is_full ? BlockPart::kShort : BlockPart::kFull)) continue;
    if (key == kReplay) {
      replay = text;
    } else {
      facts.add(key, text);
    }
  }
  block.add(facts);
  block.add_close(doc::Command{replay, std::string(kReplay)});
  const EntryResult* entry = of_entry.front().entry;
  if (entry != nullptr) block.add_close(doc::Command{entry->reproduce});
  return block;
}

}  // namespace assay::detail
