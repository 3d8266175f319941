#include "assay/auditors/suite/suite_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
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
constexpr std::size_t kMostNames = 12;
constexpr int kDigits = 5;

// Whether an undecided account or regret misses the bound that it requires.
bool falls_short(const EntryResult& entry) {
  return (entry.kind == EntryKind::kAccount || entry.kind == EntryKind::kRegret) &&
         std::any_of(entry.figures.begin(), entry.figures.end(), [](const EntryFigure& figure) {
           return figure.allowed && figure.upper > *figure.allowed;
         });
}

// Whether the change only repeats the entry's own status.
bool repeats_status(ChangeKind kind) {
  return kind == ChangeKind::kNewViolation || kind == ChangeKind::kStillViolated ||
         kind == ChangeKind::kCouldNotRun || kind == ChangeKind::kLostPower;
}

// Errors have a line for each thing to do, and the indented lines of a program.
std::string on_one_line(const std::string& text) {
  std::string out;
  bool begins = false;  // a line
  for (const char c : text) {
    if (c == '\n') {
      if (!begins) out += out.ends_with(':') ? " " : "; ";
      begins = true;
    } else if (!begins || c != ' ') {
      out += c;
      begins = false;
    }
  }
  return out;
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

// The findings that share a key, in the order in which the keys come.
template <class Key>
std::vector<SuiteFindings> grouped_by(const SuiteFindings& findings, const Key& key) {
  std::vector<SuiteFindings> out;
  std::unordered_map<std::string, std::size_t> at;
  for (const SuiteFinding& finding : findings) {
    const auto [place, is_new] = at.emplace(key(finding), out.size());
    if (is_new) out.emplace_back();
    out[place->second].push_back(finding);
  }
  return out;
}

// Whether the finding is not about a figure, or about one that may be above 0, as those in the units of the claim.
bool limits_more_than_zero(const SuiteFinding& finding) {
  if (finding.change == nullptr || finding.entry == nullptr) return true;
  for (const EntryFigure& figure : finding.entry->figures) {
    if (figure.name == finding.change->figure) return figure.allowed.value_or(0.0) > 0.0;
  }
  return true;
}

// What is certified of whom: "thompson-sampling violates its claim eps = 1".
std::string status_opening(const EntryResult& entry, const std::string& subject) {
  const std::string claim = claim_text(entry);
  const bool is_of_one = entry.kind == EntryKind::kAudit || entry.kind == EntryKind::kAccount ||
                         entry.kind == EntryKind::kRegret;
  switch (entry.status) {
    case EntryStatus::kViolated:
      return is_of_one && !claim.empty() ? subject + " violates its claim " + claim : subject;
    case EntryStatus::kWeak:
      return "The audit of " + subject + " is too weak for its claim" +
             (claim.empty() ? "" : " " + claim);
    case EntryStatus::kCouldNotRun:
      return subject + " could not run";
    case EntryStatus::kMisconfigured:
      return "The entry is misconfigured";
    case EntryStatus::kInconclusive:
      return subject + " is not decided";
    case EntryStatus::kHeld:
      break;
  }
  return subject;
}

std::string change_opening(const SuiteFinding& finding, const std::string& subject) {
  if (finding.entry == nullptr) return "The entry has vanished";
  switch (finding.change->kind) {
    case ChangeKind::kWeakerBound:
      return subject + " guarantees less than in the baseline";
    case ChangeKind::kLostPower:
      return "The audit of " + subject + " would see less than in the baseline";
    case ChangeKind::kSlower:
      return subject + " is slower than in the baseline";
    default:
      return subject + " differs from the baseline";
  }
}

// A path below the working folder, or empty.
std::string path_below(const std::string& file) {
  const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  const std::string text = path.generic_string();
  return text.empty() || text == "." || path.is_absolute() || text.compare(0, 2, "..") == 0 ? ""
                                                                                            : text;
}

std::string names_text(const std::vector<std::string>& names) {
  if (names.size() <= kMostNames) return joined(names);
  const std::vector<std::string> first(names.begin(), names.begin() + kMostNames);
  return fmt::format("{} and {} more", joined(first),
                     grouped(static_cast<long long>(names.size() - kMostNames)));
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

std::vector<SuiteFindings> by_entry(const SuiteFindings& findings) {
  return grouped_by(findings, [](const SuiteFinding& finding) { return finding.id; });
}

std::vector<SuiteFindings> by_rule(const SuiteFindings& of_entry) {
  auto rules =
      grouped_by(of_entry, [](const SuiteFinding& finding) { return std::string(finding.rule()); });
  for (SuiteFindings& of_rule : rules) {
    std::stable_partition(of_rule.begin(), of_rule.end(), limits_more_than_zero);
  }
  return rules;
}

std::vector<SuiteFindings> failures_of(const SuiteReport& report) {
  return by_entry(findings_of(report));
}

std::string suite_headline(const SuiteReport& report) {
  std::vector<std::pair<std::string_view, long long>> failing, statuses;
  long long suppressed = 0, lenient = 0;
  for (const SuiteFindings& of_entry : failures_of(report)) {
    const SuiteFinding& finding = of_entry.front();
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
  const std::string found = shortened(on_one_line(entry.headline), kMostOfText);
  if (!entry.error) return found;
  const std::string error = shortened(on_one_line(entry.error->to_string()), kMostOfText);
  if (error.find(found) != std::string::npos) return error;
  return found.find(error) != std::string::npos ? found : found + ": " + error;
}

std::string found_beside_status(const EntryResult& entry) {
  std::string found = found_text(entry);
  const std::string status = spaced(enum_name(entry.status)) + ": ";
  const auto alike = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  };
  const bool repeats =
      found.size() > status.size() && std::equal(status.begin(), status.end(), found.begin(),
                                                 [&](char a, char b) { return alike(b, a); });
  return repeats ? found.substr(status.size()) : found;
}

std::string claim_text(const EntryResult& entry) {
  return shortened(entry.claim.substr(0, entry.claim.find(", that is ")), kMostOfName);
}

std::string rules_text(const SuiteFindings& of_entry) {
  return joined(by_rule(of_entry), [](const SuiteFindings& of_rule) {
    const std::string rule = spaced(of_rule.front().rule());
    return of_rule.size() == 1 ? rule : fmt::format("{} ({})", rule, of_rule.size());
  });
}

std::string entry_title(const SuiteFindings& of_entry) {
  return shortened(of_entry.front().id, kMostOfName) + ": " + rules_text(of_entry);
}

std::string finding_message(const SuiteFinding& finding) {
  const bool has_subject = finding.entry != nullptr && !finding.entry->subject.empty();
  const std::string subject =
      has_subject ? shortened(finding.entry->subject, kMostOfName) : "The entry";
  if (finding.change != nullptr) {
    return sentence_end(change_opening(finding, subject) + ": " +
                        shortened(finding.change->statement, kMostOfText));
  }
  if (finding.entry == nullptr) return {};
  const std::string found = found_beside_status(*finding.entry);
  return sentence_end(status_opening(*finding.entry, subject) +
                      (found.empty() ? "" : ": " + found));
}

std::string rule_message(const SuiteFindings& of_rule) {
  std::string text = finding_message(of_rule.front());
  if (of_rule.size() == 1) return text;
  if (!text.empty() && text.back() == '.') text.pop_back();
  return text + fmt::format("; and {} more.", of_rule.size() - 1);
}

std::string finding_command(const SuiteFinding& finding, const SuiteReport& report) {
  const bool own = finding.entry != nullptr && !finding.entry->reproduce.empty();
  return plain_text(own ? finding.entry->reproduce : report.reproduce);
}

std::string excuse_text(const SuiteFinding& finding) {
  if (finding.fails || finding.entry == nullptr) return {};
  if (finding.entry->suppressed_by) {
    return "suppressed by '" + shortened(*finding.entry->suppressed_by, kMostOfName) + "'";
  }
  return fmt::format("severity {}", enum_name(finding.entry->severity));
}

SourcePlace place_below(const SuiteFinding& finding, const SuiteReport& report) {
  const auto positive = [](std::int64_t n) { return std::max<std::int64_t>(1, n); };
  if (const std::string own = path_below(finding.place.file); !own.empty())
    return {own, positive(finding.place.line), positive(finding.place.column)};
  const bool is_suite = finding.place.file == report.file;
  std::string suite = path_below(report.file);
  if (suite.empty()) suite = std::filesystem::path(report.file).filename().string();
  if (suite.empty() || suite == "." || suite == "..") suite = "assay.toml";
  return is_suite ? SourcePlace{suite, positive(finding.place.line), positive(finding.place.column)}
                  : SourcePlace{suite, 1, 1};
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

TextFacts run_facts(const SuiteReport& report) {
  TextFacts facts;
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) facts.emplace_back(key, shortened(text, kMostOfText));
  };
  add("Suite", report.name + (report.file.empty() ? "" : " (" + report.file + ")") +
                   (report.tier.empty() ? "" : ", tier " + report.tier) +
                   (report.revision.empty() ? "" : ", revision " + report.revision));
  add("Run", fmt::format("{}, with alpha = {} and seed {}", report.run, rounded_up(report.alpha, 4),
                         report.seed) +
                 (report.baseline.empty() ? "" : ", compared with " + report.baseline));
  add("Confidence", percent(report.confidence) + " that everything certified holds simultaneously");
  return facts;
}

TextFacts failing_facts(const SuiteReport& report) {
  std::vector<std::string> failing, excused;
  for (const SuiteFindings& of_entry : failures_of(report)) {
    const SuiteFinding& first = of_entry.front();
    const std::string name =
        fmt::format("{} ({}", shortened(first.id, kMostOfName), rules_text(of_entry));
    if (first.fails) {
      failing.push_back(name + ")");
    } else {
      excused.push_back(name + ", " + excuse_text(first) + ")");
    }
  }
  TextFacts facts;
  if (!failing.empty()) facts.emplace_back("Failing", names_text(failing));
  if (!excused.empty()) facts.emplace_back("Excused", names_text(excused));
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
