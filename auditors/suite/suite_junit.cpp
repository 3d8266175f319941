#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assay/auditors/suite/internal/suite_blocks.hpp"
#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostOfJunitText = 8000;

std::string junit_text(std::string_view text) {
  return markup_text(shortened(text, kMostOfJunitText));
}

constexpr int kJunitWidth = 100;  // of the block of a failure

// The block of the entry that the text report shows, line by line.
std::string junit_block(const SuiteFindings& of_entry) {
  std::string out;
  for (const std::string& line :
       doc::lines_of({to_terminal(detail::entry_block(of_entry, true), {false, kJunitWidth})})) {
    out += junit_text(line) + "\n";
  }
  return out;
}

// A sentence of the gravest finding, and the other rules.
std::string junit_message(const SuiteFindings& of_entry) {
  const std::vector<SuiteFindings> rules = by_rule(of_entry);
  std::string text = rule_message(rules.front());
  if (rules.size() == 1) return text;
  const SuiteFindings others(of_entry.begin() + static_cast<std::ptrdiff_t>(rules.front().size()),
                             of_entry.end());
  return text + " Also: " + rules_text(others) + ".";
}

std::string junit_seconds(double seconds) { return fmt::format("{:.3f}", std::max(0.0, seconds)); }

std::string junit_element(std::string_view name, const std::string& message, std::string_view type,
                          const std::string& body) {
  return fmt::format("<{0} message=\"{1}\"{2}>{3}</{0}>\n", name, junit_text(message),
                     type.empty() ? "" : fmt::format(" type=\"{}\"", type), body);
}

class JunitSuite {
 public:
  explicit JunitSuite(std::string name) : name_(std::move(name)) {}

  void add_property(const std::string& name, const std::string& value) {
    properties_ +=
        fmt::format("<property name=\"{}\" value=\"{}\"/>\n", junit_text(name), junit_text(value));
  }

  // `outcome`: the child that says how it ended, by its name; empty for a test that did not fail.
  void add_case(const std::string& name, double seconds, std::string_view outcome,
                const std::string& child, const std::string& command) {
    ++tests_;
    failures_ += outcome == "failure" ? 1 : 0;
    errors_ += outcome == "error" ? 1 : 0;
    skipped_ += outcome == "skipped" ? 1 : 0;
    seconds_ += seconds;
    cases_ += fmt::format("<testcase name=\"{}\" classname=\"{}\" time=\"{}\">\n", junit_text(name),
                          junit_text(name_), junit_seconds(seconds)) +
              child +
              (command.empty()
                   ? ""
                   : "<system-out>" + junit_text("Reproduce: " + command) + "</system-out>\n") +
              "</testcase>\n";
  }

  std::string text(const std::string& started) const {
    return fmt::format(
               "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
               "time=\"{}\"{}>\n",
               junit_text(name_), tests_, failures_, errors_, skipped_, junit_seconds(seconds_),
               started.empty() ? "" : fmt::format(" timestamp=\"{}\"", junit_text(started))) +
           "<properties>\n" + properties_ + "</properties>\n" + cases_ + "</testsuite>\n";
  }

  long long tests() const { return tests_; }
  long long failures() const { return failures_; }
  long long errors() const { return errors_; }

 private:
  std::string name_, properties_, cases_;
  long long tests_ = 0, failures_ = 0, errors_ = 0, skipped_ = 0;
  double seconds_ = 0.0;
};

// The outcome of an entry: a failure or an error if it fails the run, and skipped if it decided nothing or
// does not fail the run.
std::string_view junit_outcome(const EntryResult& entry, const SuiteFindings& of_entry) {
  if (of_entry.empty() || !of_entry.front().fails) {
    return entry.status == EntryStatus::kHeld ? "" : "skipped";
  }
  const bool did_not_run =
      entry.status == EntryStatus::kCouldNotRun || entry.status == EntryStatus::kMisconfigured;
  return did_not_run && of_entry.front().change == nullptr ? "error" : "failure";
}

void add_junit_entry(JunitSuite& suite, const EntryResult& entry, const SuiteFindings& of_entry) {
  for (const EntryFigure& figure : entry.figures) {
    const SuiteFigureTexts texts = figure_texts(figure);
    const std::string name = entry.id + ": " + figure.name;
    suite.add_property(name + ", at least", texts.lower);
    suite.add_property(name + ", at most", texts.upper);
    if (!texts.allowed.empty()) suite.add_property(name + ", allowed", texts.allowed);
  }
  const std::string_view outcome = junit_outcome(entry, of_entry);
  std::string child;
  if (outcome == "skipped") {
    const SuiteFinding itself{&entry, nullptr, entry.id, entry.place, entry.severity, false};
    const std::string excuse = of_entry.empty() ? "" : excuse_text(of_entry.front());
    child = junit_element(outcome,
                          (of_entry.empty() ? "inconclusive" : excuse) + ": " +
                              finding_message(of_entry.empty() ? itself : of_entry.front()),
                          "", "");
  } else if (!outcome.empty()) {
    child = junit_element(outcome, junit_message(of_entry), of_entry.front().rule(),
                          junit_block(of_entry));
  }
  // The block has the command already.
  const bool has_block = outcome == "failure" || outcome == "error";
  suite.add_case(entry.id, entry.seconds, outcome, child,
                 has_block ? "" : plain_text(entry.reproduce));
}

// "2026-11-23T15:04:05Z" without the zone, since readers do not expect one.
std::string junit_time(const std::string& started) {
  return started.substr(0, std::min<std::size_t>(started.find_first_of("Z+."), started.size()));
}

}  // namespace

std::string to_junit(const SuiteReport& report) {
  std::vector<JunitSuite> suites;
  std::unordered_map<std::string, SuiteFindings> of_entries;
  JunitSuite vanished(shortened(report.name, 200) + ".baseline");
  for (SuiteFindings& of_entry : failures_of(report)) {
    const SuiteFinding& first = of_entry.front();
    if (first.entry == nullptr) {
      vanished.add_case(
          first.id, 0.0, "failure",
          junit_element("failure", junit_message(of_entry), first.rule(), junit_block(of_entry)),
          "");
    }
    const std::string id = first.id;
    of_entries.emplace(id, std::move(of_entry));
  }
  for (const auto& [kind, name] : enum_names(EntryKind{})) {
    JunitSuite suite(shortened(report.name, 200) + "." + std::string(name));
    for (const EntryResult& entry : report.entries) {
      if (entry.kind == kind) add_junit_entry(suite, entry, of_entries[entry.id]);
    }
    if (suite.tests() > 0) suites.push_back(std::move(suite));
  }
  if (vanished.tests() > 0) suites.push_back(std::move(vanished));
  if (report.interrupted) {
    JunitSuite suite(shortened(report.name, 200) + ".run");
    suite.add_case("ran to its end", 0.0, "error",
                   junit_element("error", suite_headline(report), "interrupted", ""), "");
    suites.push_back(std::move(suite));
  }
  long long tests = 0, failures = 0, errors = 0;
  std::string body;
  for (const JunitSuite& suite : suites) {
    tests += suite.tests();
    failures += suite.failures();
    errors += suite.errors();
    body += suite.text(junit_time(report.meta.started));
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" "
             "failures=\"{}\" errors=\"{}\" time=\"{}\">\n",
             junit_text(report.name), tests, failures, errors, junit_seconds(report.meta.seconds)) +
         body + "</testsuites>\n";
}

}  // namespace assay
