#include "assay/auditors/methods/black_box/certify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <tuple>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/auditors/methods/black_box/pair_runs.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kStep = 1024;

// What is kept of a run.
struct RecordedRun {
  SidePlay run;
  double score = 0.0;
  std::uint64_t digest = 0;
  std::uint8_t failed = 0;
  std::vector<double> bet_scores;

  static auto byte_fields(auto& self) {
    return std::tie(self.run.on_p, self.run.hit, self.run.output_class, self.run.keyed, self.score,
                    self.digest, self.failed, self.bet_scores);
  }
};

class RunRecorder {
 public:
  RunRecorder(const PairRuns& coins, const CertifiedEvent& event, CertifiedRuns& out)
      : coins_(coins), event_(event), out_(out) {}

  void resize(std::int64_t count) {
    const auto runs = static_cast<std::size_t>(count);
    out_.runs.resize(runs);
    out_.scores.resize(runs);
    out_.digests.resize(runs);
    out_.failed.resize(runs);
    if (event_.bets != nullptr) out_.bet_scores.resize(runs * event_.bets->scores());
  }

  // Run i of the pair.
  RecordedRun record(std::int64_t i, std::span<const double> output) const {
    const bool neighbour_is_p = event_.event.orientation == EventOrientation::kNeighbourAboveBase;
    RecordedRun made;
    made.score = event_.score->score(output);
    made.failed = is_failed(output) ? 1 : 0;
    made.digest = digest_of(output);
    made.run = {
        coins_.is_on_neighbour(i) == neighbour_is_p, event_.event.event.contains(made.score),
        static_cast<std::uint8_t>(bin_of(event_.class_cuts, made.score)), coins_.is_keyed(i)};
    if (event_.bets == nullptr) return made;
    made.bet_scores.resize(event_.bets->scores());
    event_.bets->score(output, made.bet_scores);
    return made;
  }
  void keep(const RecordedRun& made, std::size_t at) const {
    out_.runs[at] = made.run;
    out_.scores[at] = made.score;
    out_.digests[at] = made.digest;
    out_.failed[at] = made.failed;
    std::copy(made.bet_scores.begin(), made.bet_scores.end(),
              out_.bet_scores.begin() + static_cast<std::ptrdiff_t>(at * made.bet_scores.size()));
  }

 private:
  const PairRuns& coins_;
  const CertifiedEvent& event_;
  CertifiedRuns& out_;
};

double density(double x) { return portable_exp(normal_log_pdf(x)); }

}  // namespace

EventCounts CertifiedRuns::counts() const {
  EventCounts counts;
  for (const SidePlay& play : runs) {
    (play.on_p ? counts.n : counts.m) += 1;
    if (play.hit) (play.on_p ? counts.x : counts.y) += 1;
  }
  return counts;
}

CertifiedRuns CertifiedRuns::of_seeding(bool keyed) const {
  CertifiedRuns of;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(of.runs),
               [&](const SidePlay& play) { return play.keyed == keyed; });
  return of;
}

std::array<std::int64_t, 2> CertifiedRuns::failures() const {
  std::array<std::int64_t, 2> of_sides{};
  for (std::size_t i = 0; i < runs.size(); ++i) of_sides[runs[i].on_p ? 0 : 1] += failed[i];
  return of_sides;
}

namespace {

std::string seen_so_far(const EventCounts& counts) {
  return fmt::format("the event in {} of {} and {} of {} runs", counts.x, counts.n, counts.y,
                     counts.m);
}

}  // namespace

CertifiedRuns play_certified(const PlayedSubject& subject, const BlackBoxPlan& plan,
                             Candidate candidate, const CertifiedEvent& event,
                             const RunControl& control,
                             const std::function<bool(const CertifiedRuns&)>& enough) {
  const std::int64_t wanted = 2 * plan.samples;
  const PairRuns coins(subject, plan, candidate);
  CertifiedRuns out;
  out.first = event.bets == nullptr ? 0 : event.bets->runs();
  RunRecorder recorder(coins, event, out);
  // A step has work for every instance. Its end depends on their number, so a run that may stop
  // early takes the same steps with any number.
  const std::int64_t step = enough ? kStep : std::max<std::int64_t>(kStep, wanted / 50);
  std::int64_t done = 0;
  while (done < wanted && !out.error && !(enough && enough(out))) {
    const std::int64_t count = std::min(step, wanted - done);
    auto made = coins.make_all(
        out.first + done, count, control,
        [&](std::int64_t i, const OutputBatch& run) { return recorder.record(i, run.play(0)); });
    out.error = made.error;
    if (out.failure.empty()) out.failure = std::move(made.failure);
    recorder.resize(done + static_cast<std::int64_t>(made.runs.size()));
    for (const RecordedRun& run : made.runs) recorder.keep(run, static_cast<std::size_t>(done++));
    control.report("certifying", static_cast<double>(done) / static_cast<double>(wanted),
                   seen_so_far(out.counts()));
  }
  recorder.resize(done);
  return out;
}

CertifiedRuns certified_before(const PlayedSubject& subject, const BlackBoxPlan& plan,
                               Candidate candidate, const CertifiedEvent& event) {
  const PairRuns coins(subject, plan, candidate);
  const SideRuns& stored = event.bets->stored();
  CertifiedEvent alone = event;
  alone.bets = nullptr;
  CertifiedRuns out;
  RunRecorder recorder(coins, alone, out);
  recorder.resize(event.bets->runs());
  std::array at = {event.bets->earlier(), event.bets->earlier()};
  for (std::int64_t i = 0; i < event.bets->runs(); ++i) {
    const bool on_neighbour = coins.is_on_neighbour(i);
    const OutputBatch& side = on_neighbour ? stored.neighbour_side : stored.base_side;
    const auto output = side.play(at[on_neighbour ? 1 : 0]++);
    if (out.failure.empty() && is_failed(output)) out.failure = side.failure;
    recorder.keep(recorder.record(i, output), static_cast<std::size_t>(i));
  }
  return out;
}

Result<CertifiedRuns> play_again(const PlayedSubject& subject, const BlackBoxPlan& plan,
                                 Candidate candidate, const CertifiedEvent& event,
                                 const CertifiedRuns& runs, std::span<const std::int64_t> which,
                                 const RunControl& control) {
  const PairRuns coins(subject, plan, candidate);
  CertifiedRuns out;
  RunRecorder recorder(coins, event, out);
  recorder.resize(static_cast<std::int64_t>(which.size()));
  const auto play = [&](Target& fresh, std::size_t) -> Result<std::vector<RecordedRun>> {
    std::vector<RecordedRun> made;
    for (const std::int64_t at : which) {
      const auto run = ASSAY_TRY(coins.make(fresh, runs.first + at));
      made.push_back(recorder.record(runs.first + at, run.play(0)));
    }
    return made;
  };
  const auto ran = subject.players->run_fresh(1, control, play);
  if (ran.error) return tl::make_unexpected(*ran.error);
  for (std::size_t at = 0; at < which.size(); ++at) recorder.keep(ran.values.front()[at], at);
  return out;
}

SideClaim BoundPlan::claim(double level) const {
  return gaussian ? SideClaim::gaussian(Mu{level}, p, q)
                  : SideClaim::approximate(Epsilon{level}, delta);
}

SideBettingPlan BoundPlan::bets() const {
  return {classes == nullptr ? alpha : kEventShare * alpha, 2 * samples, online_share, p, q, false};
}

BoundPlan BoundPlan::of_one_seeding() const {
  BoundPlan half = *this;
  half.samples = std::max<std::int64_t>(samples / 2, 1);
  half.alpha = seeding_alpha;
  half.divided = false;
  return half;
}

LevelTest::LevelTest(const BoundPlan& plan, double level) : all_(plan, level) {
  if (plan.divided) of_.assign(2, LevelBets(plan.of_one_seeding(), level));
}

LevelBets::LevelBets(const BoundPlan& plan, double level) : event_(plan.claim(level), plan.bets()) {
  if (plan.classes == nullptr) return;
  SideBettingPlan rest = plan.bets();
  rest.alpha = (1.0 - kEventShare) * plan.alpha;
  classes_.emplace(plan.claim(level), rest, *plan.classes);
}

bool is_certified(const BoundPlan& plan, double level, std::span<const SidePlay> runs) {
  LevelTest test(plan, level);
  for (std::size_t i = 0; i < runs.size() && !test.certified(); ++i) test.observe(runs[i]);
  return test.certified();
}

std::vector<double> levels_of(const BoundPlan& plan) {
  constexpr double kPerError = 12.0;  // levels per standard error, near the prediction
  constexpr double kLearning = 6.0;   // standard errors by which the prediction may be wrong
  constexpr int kElsewhere = 16;
  const double n = static_cast<double>(plan.samples);
  const double p = std::clamp(plan.p, 1e-12, 1.0 - 1e-12);
  const double q = std::clamp(plan.q, 1e-12, 1.0 - 1e-12);
  // The largest level for which all runs on one input can hit and none on the other.
  double most = portable_log(2.0 * n) + 1.0, centre = 0.0, error = 0.25;
  if (plan.gaussian) {
    const double of_p = normal_quantile(p), of_q = normal_quantile(q);
    most = 2.0 * std::sqrt(2.0 * most);
    centre = of_p - of_q;
    error = std::sqrt(p * (1.0 - p) / (n * density(of_p) * density(of_p)) +
                      q * (1.0 - q) / (n * density(of_q) * density(of_q)));
  } else if (p > plan.delta.value) {
    const double excess = p - plan.delta.value;
    centre = portable_log(excess) - portable_log(q);
    error = std::sqrt((1.0 - p) * p / (n * excess * excess) + (1.0 - q) / (n * q));
  }
  error = std::clamp(error, 1e-4, 1.0);
  const double doubt = -normal_quantile(plan.alpha);
  const double from = std::clamp(centre - (doubt + kLearning) * error, 0.0, most);
  const double to = std::clamp(centre + kLearning * error, from, most);
  std::vector<double> levels;
  const auto add = [&](double first, double last, int count) {
    for (int k = 1; k <= count; ++k) levels.push_back(first + (last - first) * k / count);
  };
  if (from > 0.0) add(0.0, from, kElsewhere);
  if (to > from) add(from, to, static_cast<int>(std::ceil((to - from) / error * kPerError)));
  if (most > to) add(to, most, 2 * kElsewhere);
  return levels;
}

double certified_level(const BoundPlan& plan, std::span<const double> levels,
                       std::span<const SidePlay> runs) {
  double certified = 0.0;
  for (const double level : levels) {
    if (!is_certified(plan, level, runs)) break;
    certified = level;
  }
  return certified;
}

}  // namespace assay
