// Reports of a suite, drawn from a seed: every status, kind of figure and awkward text.
#pragma once

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay::testing {

class RandomSuite {
 public:
  explicit RandomSuite(std::uint64_t seed) : words_({seed, hash_purpose("random-suite"), 0, 0}) {}

  std::uint64_t below(std::uint64_t n) { return words_.next() % n; }
  bool chance(double p) { return words_.uniform() < p; }
  double number() {
    if (chance(0.1)) return 0.0;
    return std::ldexp(words_.uniform(), static_cast<int>(below(60)) - 40);
  }

  template <class Enum>
  Enum any() {
    constexpr auto kNames = enum_names(Enum{});
    return kNames[below(kNames.size())].first;
  }

  std::string text() {
    static const std::vector<std::string> kPieces = {"eps at delta = 1e-06",
                                                     "\"",
                                                     "\\",
                                                     "\n",
                                                     "\t",
                                                     "\x01",
                                                     "\x7f",
                                                     "µ(√T)",
                                                     "]}",
                                                     "# x",
                                                     "'''",
                                                     " ",
                                                     "a.b",
                                                     ""};
    std::string out;
    for (std::uint64_t i = below(4); i > 0; --i) out += kPieces[below(kPieces.size())];
    return out;
  }

  EntryFigure figure(std::size_t index) {
    EntryFigure figure{
        .name = std::to_string(index) + text(), .kind = any<FigureKind>(), .lower = number()};
    figure.upper = chance(0.1) ? HUGE_VAL : (chance(0.2) ? figure.lower : figure.lower + number());
    if (chance(0.5)) figure.allowed = number();
    if (figure.kind == FigureKind::kTime) {
      for (std::uint64_t i = below(14); i > 0; --i)
        figure.repetitions.push_back(1e-3 + 1e-5 * number());
    }
    return figure;
  }

  EntryResult entry(const std::string& id) {
    EntryResult entry{.id = id, .kind = any<EntryKind>(), .severity = any<Severity>()};
    if (chance(0.5)) entry.tags = {"a", "smoke"};
    entry.place = {"sub/" + text(), static_cast<std::int64_t>(1 + below(99)), 3};
    entry.subject = text();
    entry.status = any<EntryStatus>();
    entry.verdict = text();
    entry.claim = text();
    entry.headline = text();
    if (chance(0.5)) entry.details = {text(), text()};
    for (std::uint64_t i = below(4); i > 0; --i) entry.figures.push_back(figure(i));
    if (chance(0.3)) {
      entry.witness = EntryWitness{text(), text(), words_.next(), 7, text(), text(), text()};
    }
    if (chance(0.3)) entry.error = Error{static_cast<ErrorCode>(below(9)), text(), text(), 12};
    entry.reproduce = text();
    entry.alpha = number();
    entry.content = text();
    if (chance(0.3)) entry.reused_from = static_cast<std::int64_t>(below(100));
    if (chance(0.3)) entry.suppressed_by = text();
    entry.seconds = number();
    return entry;
  }

  SuiteReport report() {
    SuiteReport report{.name = text()};
    for (std::uint64_t i = below(6); i > 0; --i) {
      report.entries.push_back(entry(text() + std::to_string(i)));
    }
    return report;
  }

 private:
  ReplayStream words_;
};

// The order that its JSON gives an entry's figures.
inline EntryResult with_times_last(EntryResult entry) {
  std::vector<EntryFigure> times;
  std::vector<EntryFigure> others;
  for (auto& one : entry.figures) (one.kind == FigureKind::kTime ? times : others).push_back(one);
  others.insert(others.end(), times.begin(), times.end());
  entry.figures = others;
  return entry;
}

}  // namespace assay::testing
