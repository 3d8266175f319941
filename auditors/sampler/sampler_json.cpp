#include "assay/auditors/sampler/sampler_report.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {

void fields(const AlphaLedger::Entry& entry, Fields visit);  // of reports with a ledger

namespace {

struct EventRecord {
  const CountedEvent& one = none<CountedEvent>();
  std::int64_t samples = 1;
};
void fields(const EventRecord& record, Fields visit) {
  const CountedEvent& one = record.one;
  visit(
      "kind",
      [&] {
        using Kind = FitEvent::Kind;
        const Kind kind = one.event.kind;
        return std::string(kind == Kind::kCell        ? "cell"
                           : kind == Kind::kLowerTail ? "lower tail"
                           : kind == Kind::kUpperTail ? "upper tail"
                                                      : "both tails");
      },
      "A cell is low < sample <= high; a lower tail is sample <= low, an upper tail sample > high.");
  visit(
      "low",
      [&] { return one.event.kind == FitEvent::Kind::kUpperTail ? -kInfinity : one.event.low; },
      kAny);
  visit(
      "high",
      [&] { return one.event.kind == FitEvent::Kind::kLowerTail ? kInfinity : one.event.high; },
      kAny);
  visit("stated", one.event.probability, kProbability, "The stated probability.");
  visit("count", one.count, kCount, "The samples in it.");
  visit("lower", one.lower, kProbability, "Certified: the true probability is at least this.");
  visit("upper", one.upper, kProbability, "Certified: the true probability is at most this.");
  visit(
      "log_ratio", [&] { return one.log_ratio_bound(); }, from(0.0),
      "Certified: |log(true/stated)| is at most this.");
  visit.or_null(
      "seen_below", one.seen_below,
      "A true probability of at most this is seen with probability 0.9; null if none is.");
  visit.or_null("seen_above", one.seen_above,
                "A true probability of at least this is seen with probability 0.9.");
}

std::vector<EventRecord> event_records(const std::vector<CountedEvent>& events, std::int64_t n) {
  std::vector<EventRecord> out;
  for (const auto& one : events) out.push_back({one, n});
  return out;
}

void interval_fields(Fields visit, const DistanceBounds& bounds) {
  visit("lower", bounds.lower, kProbability);
  visit("upper", bounds.upper, kProbability);
}

}  // namespace

void fields(const FitTest& test, Fields visit) {
  visit("name", test.name, "The test.");
  visit("compares", test.what, "What it compares.");
  visit("p_value", test.p_value, kProbability,
        "The probability of evidence at least as strong if the samples follow the distribution.");
  visit("alpha", test.alpha, kProbability, "The test rejects if p_value is at most this.");
  visit("rejects", [&] { return test.rejects(); });
  visit.or_null("finding", test.finding, "The strongest deviation, of a test that rejects.");
}

void fields(const SamplerReport& report, Fields visit) {
  const SamplerFit& fit = report.fit;
  report_head(
      visit, kSamplerReportSchema,
      "The result of `assay sampler`. The samples and the options determine everything outside "
      "`meta`, byte for byte. Infinities are the texts \"inf\" and \"-inf\". Within one version, "
      "no key changes its meaning or goes away.");
  visit("headline", report.headline, "The verdict with its reason.");
  visit("verdict", report.verdict,
        "Differs: a test rejects. NoDifferenceSeen: none does, and the test sees what it should. "
        "Weak: none does, and it may miss what it should see. Inconclusive: it ended early.");
  visit("reason", report.reason, "The reason in a sentence.");
  visit("subject", report.subject, "The command or the file.");
  visit("starts", report.starts, kCount, "How often the program was started; 0 for a file.");
  visit.or_null("containment", report.containment, "Of a program: what held it back.");
  visit.group("distribution", "The stated distribution.", [&] {
    visit("name", [&] { return report.stated->name(); });
    visit("parameters", [&] { return report.stated->parameters(); });
    visit("rounded_to", fit.events.rounded_to, from(0.0),
          "A sample is within this of an exact draw.");
  });
  report_confidence(visit, report.confidence);
  visit.or_null(
      "seed", [&] { return report.seed ? std::to_string(*report.seed) : std::string(); },
      "The seed of a program that takes one, a 64-bit number in decimal; null for others.");
  visit("samples", fit.samples, kCount, "The number of samples.");
  visit("interrupted", report.interrupted, "Whether the test ended early.");
  visit.group("bounds",
              "Certified: how far the distribution of the samples may be from the stated one.",
              [&] {
                visit.group("thresholds", "The largest |P(X <= t) - stated| over all t.",
                            [&] { interval_fields(visit, fit.threshold); });
                visit.group("distance", "The total variation on the cells.",
                            [&] { interval_fields(visit, fit.distance); });
                visit("log_ratio", fit.log_ratio, from(0.0),
                      "At most: the largest |log(true/stated)| of a union of cells of the body.");
                visit("body_cells", fit.body_cells, kCount,
                      "The number of cells of the body: of stated probability at least 1/150.");
              });
  visit.group("visible", "Faults that the test sees with probability 0.9.", [&] {
    visit("distance", fit.strength.distance, kProbability, "A total variation on the cells.");
    visit("log_ratio", fit.strength.log_ratio, from(0.0),
          "A |log(true/stated)| of one cell of the body.");
    visit("scale_up", fit.strength.scale_up, from(1.0),
          "A factor of the scale; null for a distribution without one.");
    visit("scale_down", fit.strength.scale_down, kProbability, "The same below 1.");
  });
  visit.group("aims", "What the test should see; null for what was not asked.", [&] {
    visit("distance", report.aims.distance);
    visit("log_ratio", report.aims.log_ratio);
    visit("scale", report.aims.scale);
    visit("samples_needed", report.needed,
          "Of a verdict Weak: the samples that it takes; null if they are more than 1e9.");
  });
  visit("tests", fit.tests, "The tests.");
  visit(
      "cells", [&] { return event_records(fit.cells, fit.samples); },
      "Disjoint, over the whole line.");
  visit("tails", [&] { return event_records(fit.tails, fit.samples); });
  visit("alpha", fit.alpha, "The division of the error probability.");
  report_reproduce(visit, report.reproduce);
  report_meta(visit, report.meta);
}

std::string to_json(const SamplerReport& report) { return json_text_of(report); }
std::string sampler_report_schema() { return schema_of<SamplerReport>(); }

}  // namespace assay
