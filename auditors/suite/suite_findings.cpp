#include "assay/auditors/suite/suite_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostOfName = 200;  // bytes
constexpr std::size_t kMostOfText = 2000;
constexpr std::size_t kMostDetails = 50;
constexpr int kDigits = 5;

// Whether an undecided account misses the bound that it requires.
bool falls_short(const EntryResult& entry) {
  return entry.kind == EntryKind::kAccount &&
         std::any_of(entry.figures.begin(), entry.figures.end(), [](const EntryFigure& figure) {
           return figure.allowed && figure.upper > *figure.allowed;
         });
}

// Whether the change only repeats the entry's own status.
bool repeats_status(ChangeKind kind) {
  return kind == ChangeKind::kNewViolation || kind == ChangeKind::kStillViolated ||
         kind == ChangeKind::kCouldNotRun || kind == ChangeKind::kLostPower;
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

// The excess of the first figure that has one. Later figures say the same in other units.
std::string exceeded_text(const EntryResult& entry) {
  for (const EntryFigure& figure : entry.figures) {
    const std::string excess = excess_text(figure);
    if (!excess.empty()) return shortened(figure.name, kMostOfName) + excess;
  }
  return "";
}

std::string sentence_end(const std::string& text) {
  return text.empty() || text.back() == '.' ? text : text + ".";
}

// "1 violated, 2 could not run", by rule, in the order of `counts`.
std::string counts_text(const std::vector<std::pair<std::string_view, long long>>& counts) {
  return joined(counts,
                [](const auto& item) { return grouped(item.second) + " " + spaced(item.first); });
}

void count_one(std::vector<std::pair<std::string_view, long long>>& counts, std::string_view name) {
  const auto at = std::find_if(counts.begin(), counts.end(),
                               [&](const auto& item) { return item.first == name; });
  if (at == counts.end()) {
    counts.emplace_back(name, 1);
  } else {
    ++at->second;
  }
}

}  // namespace

std::string_view SuiteFinding::rule() const {
  return change != nullptr ? enum_name(change->kind) : enum_name(entry->status);
}

bool is_failure(const EntryResult& entry, const SuiteReport& report) {
  if (entry.status == EntryStatus::kInconclusive)
    return report.fails_on_inconclusive || falls_short(entry);
  return entry.status != EntryStatus::kHeld;
}

bool fails_run(const EntryResult& entry, const SuiteReport& report) {
  if (entry.status == EntryStatus::kMisconfigured) return true;
  return is_failure(entry, report) && entry.severity == Severity::kDeny && !entry.suppressed_by;
}

std::vector<SuiteFinding> findings_of(const SuiteReport& report) {
  std::vector<SuiteFinding> findings;
  std::unordered_map<std::string, const EntryResult*> known;
  std::unordered_set<std::string> failed;
  for (const EntryResult& entry : report.entries) {
    known.emplace(entry.id, &entry);
    if (!is_failure(entry, report)) continue;
    failed.insert(entry.id);
    const bool fails = fails_run(entry, report);
    findings.push_back(
        {&entry, nullptr, entry.id, entry.place, fails ? Severity::kDeny : entry.severity, fails});
  }
  for (const EntryChange& change : report.changes) {
    if (!change.regresses || (repeats_status(change.kind) && failed.count(change.id) > 0)) continue;
    const auto at = known.find(change.id);
    const EntryResult* entry = at == known.end() ? nullptr : at->second;
    findings.push_back({entry, &change, change.id,
                        entry == nullptr ? SourcePlace{report.file, 1, 1} : entry->place,
                        Severity::kDeny, true});
  }
  std::stable_sort(findings.begin(), findings.end(), [](const auto& a, const auto& b) {
    return a.fails != b.fails ? a.fails : a.severity < b.severity;
  });
  return findings;
}

std::string suite_headline(const SuiteReport& report) {
  std::vector<std::pair<std::string_view, long long>> failing, statuses;
  long long suppressed = 0, lenient = 0;
  for (const SuiteFinding& finding : findings_of(report)) {
    if (finding.fails) {
      count_one(failing, finding.rule());
    } else {
      ++(finding.entry->suppressed_by ? suppressed : lenient);
    }
  }
  for (const auto& [status, name] : enum_names(EntryStatus{})) {
    const auto count =
        std::count_if(report.entries.begin(), report.entries.end(),
                      [&, wanted = status](const EntryResult& e) { return e.status == wanted; });
    if (count > 0) statuses.emplace_back(name, count);
  }
  std::string text = report.interrupted ? "Interrupted. " : "";
  text += failing.empty() ? "Nothing fails." : "Fails: " + counts_text(failing) + ".";
  if (report.entries.empty()) return text + " No entry was run.";
  const auto entries = static_cast<long long>(report.entries.size());
  text += fmt::format(" Of {} {} {}.", grouped(entries), entries == 1 ? "entry" : "entries",
                      counts_text(statuses));
  if (suppressed + lenient == 0) return text;
  return text + fmt::format(" {} {} not fail the run: {} suppressed, {} by severity.",
                            grouped(suppressed + lenient),
                            suppressed + lenient == 1 ? "failure does" : "failures do",
                            grouped(suppressed), grouped(lenient));
}

std::string spaced(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', ' ');
  return text;
}

std::string status_text(const EntryResult& entry, const SuiteReport& report) {
  std::string text = spaced(enum_name(entry.status));
  const bool excused = is_failure(entry, report) && !fails_run(entry, report);
  if (excused && entry.suppressed_by) {
    text += ", suppressed by '" + shortened(*entry.suppressed_by, kMostOfName) + "'";
  } else if (excused) {
    text += fmt::format(", severity {}", enum_name(entry.severity));
  }
  if (entry.reused_from) text += fmt::format(", result of run {}", *entry.reused_from);
  return text;
}

std::string found_text(const EntryResult& entry) {
  std::string found = shortened(entry.headline, kMostOfText);
  if (!entry.error) return found;
  const std::string error = shortened(entry.error->to_string(), kMostOfText);
  if (error.find(found) != std::string::npos) return error;
  return found.find(error) != std::string::npos ? found : found + ": " + error;
}

std::string finding_title(const SuiteFinding& finding) {
  return shortened(finding.id, kMostOfName) + ": " + spaced(finding.rule());
}

std::string finding_message(const SuiteFinding& finding) {
  std::string text;
  if (finding.entry != nullptr) {
    text = shortened(finding.entry->subject, kMostOfName);
    if (!finding.entry->claim.empty()) {
      text += (text.empty() ? "claim " : ", claim ") + shortened(finding.entry->claim, kMostOfName);
    }
    if (!text.empty()) text += ": ";
  }
  if (finding.change != nullptr) {
    text += sentence_end(shortened(finding.change->statement, kMostOfText));
    return text;
  }
  if (finding.entry == nullptr) return text;
  const EntryResult& entry = *finding.entry;
  std::string found = found_text(entry);
  if (found.empty()) found = spaced(finding.rule());
  text += sentence_end(found);
  const std::string exceeded = exceeded_text(entry);
  if (!exceeded.empty()) text += " Exceeded: " + exceeded + ".";
  return text;
}

std::string finding_command(const SuiteFinding& finding, const SuiteReport& report) {
  const bool own = finding.entry != nullptr && !finding.entry->reproduce.empty();
  return plain_text(own ? finding.entry->reproduce : report.reproduce);
}

SuiteFigureTexts figure_texts(const EntryFigure& figure) {
  if (!figure.allowed) {
    return {rounded_down(figure.lower, kDigits), rounded_up(figure.upper, kDigits), ""};
  }
  const double allowed = *figure.allowed;
  const std::string lower = rounded_down_beside(figure.lower, allowed, kDigits);
  const std::string upper = rounded_up_beside(figure.upper, allowed, kDigits);
  const std::string text = rounded(allowed, kDigits);
  const bool looks_equal =
      (text == lower && figure.lower != allowed) || (text == upper && figure.upper != allowed);
  return {lower, upper, looks_equal ? number_text(allowed) : text};
}

std::string figure_line(const EntryFigure& figure) {
  const SuiteFigureTexts texts = figure_texts(figure);
  const std::string unit = figure.kind == FigureKind::kTime ? " s" : "";
  std::string text = shortened(figure.name, kMostOfName) + ": ";
  text += figure.lower == figure.upper ? rounded(figure.lower, kDigits)
          : std::isinf(figure.upper)   ? "at least " + texts.lower
                                       : texts.lower + " to " + texts.upper;
  return text + unit + (texts.allowed.empty() ? "" : ", allowed " + texts.allowed + unit);
}

TextFacts entry_facts(const EntryResult& entry) {
  TextFacts facts;
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) facts.emplace_back(key, shortened(text, kMostOfText));
  };
  add("Subject", entry.subject);
  add("Claim", entry.claim);
  add("Found", found_text(entry));
  add("Exceeded", exceeded_text(entry));
  for (const EntryFigure& figure : entry.figures) add("Figure", figure_line(figure));
  for (std::size_t i = 0; i < std::min(entry.details.size(), kMostDetails); ++i)
    add("Detail", entry.details[i]);
  if (entry.details.size() > kMostDetails) {
    add("Detail",
        fmt::format("{} more are in the JSON report",
                    grouped(static_cast<long long>(entry.details.size() - kMostDetails))));
  }
  if (entry.witness) {
    const EntryWitness& witness = *entry.witness;
    add("Witness", fmt::format("with seed {} the runs on D and D' diverge in round {}",
                               witness.seed, witness.round));
    add("Input D", witness.base_input);
    add("Input D'", witness.neighbour_input);
    add("Output D", witness.base_action);
    add("Output D'", witness.neighbour_action);
    add("Replay", witness.command);
  }
  if (entry.suppressed_by) add("Suppressed", "by '" + *entry.suppressed_by + "'");
  if (entry.reused_from) {
    const bool stands = entry.status == EntryStatus::kViolated;
    add(stands ? "Standing" : "Reused",
        fmt::format("the result of run {}: {}", *entry.reused_from,
                    stands ? "no later run withdraws it" : "nothing that decides it has changed"));
  }
  add("Tags", joined(entry.tags));
  if (!entry.place.file.empty())
    add("Defined at", fmt::format("{}:{}", entry.place.file, entry.place.line));
  return facts;
}

TextFacts run_facts(const SuiteReport& report) {
  TextFacts facts;
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) facts.emplace_back(key, shortened(text, kMostOfText));
  };
  add("Suite", report.name + (report.file.empty() ? "" : " (" + report.file + ")"));
  add("Tier", report.tier);
  add("Confidence", percent(report.confidence) + " that everything certified holds simultaneously");
  add("Run", fmt::format("{}, with alpha = {}", report.run, rounded_up(report.alpha, 4)));
  add("Revision", report.revision);
  add("Baseline", report.baseline);
  add("Seed", std::to_string(report.seed));
  return facts;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string plain = plain_text(text);
  if (plain.size() <= most) return plain;
  std::size_t end = 0;
  while (end + utf8_length(plain, end) <= most) end += utf8_length(plain, end);
  return plain.substr(0, end) +
         fmt::format("... ({} bytes more)", grouped(static_cast<long long>(plain.size() - end)));
}

}  // namespace assay
