#include "assay/auditors/methods/black_box/certify.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kGroup = 64;  // runs of one instance in a row
constexpr std::int64_t kStep = 1024;

PlayStream stream_of(const PlayedSubject& subject, const BlackBoxPlan& plan, Candidate candidate) {
  return {plan.seed, "certify", lane_of(plan, candidate), Phase::kCertify, is_divided(subject)};
}

// The certified runs of one candidate, with everything that is the same for all of them.
class RunMaker {
 public:
  RunMaker(const PlayedSubject& subject, const BlackBoxPlan& plan, Candidate candidate,
           const CertifiedEvent& event)
      : subject_(subject),
        plan_(plan),
        candidate_(candidate),
        event_(event),
        stream_(stream_of(subject, plan, candidate)),
        base_(plan.pairs[candidate.pair].base_input()),
        neighbour_(plan.pairs[candidate.pair].neighbour_input()),
        changed_row_(plan.pairs[candidate.pair].changed_row()) {}

  // Makes run i and writes it to place `at` of the vectors. Returns the message of a failure, or nothing.
  Result<std::string> make(Target& target, std::int64_t i, std::size_t at,
                           CertifiedRuns& out) const {
    const bool on_neighbour = is_on_neighbour(plan_, candidate_, i);
    auto batch = ASSAY_TRY(play_run(target, on_neighbour ? neighbour_ : base_, stream_, i));
    keep_view(subject_.players->shape(), changed_row_, plan_, batch);
    const bool neighbour_is_p = event_.event.orientation == EventOrientation::kNeighbourAboveBase;
    out.scores[at] = event_.score->score(batch.play(0));
    out.failed[at] = is_failed(batch.play(0)) ? 1 : 0;
    out.digests[at] = digest_of(batch.play(0));
    out.runs[at] = {on_neighbour == neighbour_is_p, event_.event.event.contains(out.scores[at]),
                    static_cast<std::uint8_t>(bin_of(event_.class_cuts, out.scores[at])),
                    is_keyed(stream_, i)};
    return std::move(batch.failure);
  }

 private:
  const PlayedSubject& subject_;
  const BlackBoxPlan& plan_;
  Candidate candidate_;
  const CertifiedEvent& event_;
  PlayStream stream_;
  const InputTable& base_;
  InputTable neighbour_;
  std::int64_t changed_row_;
};

double density(double x) { return portable_exp(normal_log_pdf(x)); }

void resize(CertifiedRuns& runs, std::size_t count) {
  runs.runs.resize(count);
  runs.scores.resize(count);
  runs.digests.resize(count);
  runs.failed.resize(count);
}

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

std::uint64_t digest_of(std::span<const double> output) {
  if (is_failed(output)) return hash_purpose("failed");
  std::uint64_t digest = hash_purpose("output");
  for (const double y : output) {
    const double one = y != y ? HUGE_VAL : y == 0.0 ? 0.0 : y;
    const std::uint64_t word = std::bit_cast<std::uint64_t>(one) + (y != y ? 1U : 0U);
    digest = (digest ^ word) * 0x9e3779b97f4a7c15U;
    digest ^= digest >> 29;
  }
  return digest;
}

bool is_divided(const PlayedSubject& subject) {
  return subject.players->first().takes_keys() == TakesKeys::kTaken;
}

bool is_on_neighbour(const BlackBoxPlan& plan, Candidate candidate, std::int64_t i) {
  ReplayStream words({plan.seed, hash_purpose("side of a certified play"),
                      static_cast<std::uint64_t>(i), lane_of(plan, candidate), Phase::kCertify});
  return words.next() >> 63 != 0;
}

CertifiedRuns play_certified(const PlayedSubject& subject, const BlackBoxPlan& plan,
                             Candidate candidate, const CertifiedEvent& event,
                             const RunControl& control,
                             const std::function<bool(const CertifiedRuns&)>& enough) {
  const std::int64_t wanted = 2 * plan.samples;
  const RunMaker maker(subject, plan, candidate, event);
  CertifiedRuns out;
  RunControl quiet = control;
  quiet.progress = nullptr;
  // A step has work for every instance. Its end depends on their number, so a run that may stop
  // early takes the same steps with any number.
  const std::int64_t step = enough ? kStep : std::max<std::int64_t>(kStep, wanted / 50);
  std::int64_t done = 0;
  while (done < wanted && !out.error && !(enough && enough(out))) {
    const std::int64_t count = std::min(step, wanted - done);
    const auto groups = static_cast<std::size_t>((count + kGroup - 1) / kGroup);
    resize(out, static_cast<std::size_t>(done + count));
    std::vector<std::int64_t> played(groups, 0);
    std::vector<std::string> failures(groups);  // the first of each
    const auto ran = subject.players->run(
        groups, "certifying", quiet, [&](Target& target, std::size_t group) -> Status {
          const std::int64_t first = done + static_cast<std::int64_t>(group) * kGroup;
          const std::int64_t last = std::min(first + kGroup, done + count);
          for (std::int64_t i = first; i < last; ++i) {
            if (control.cancelled()) {
              return fail(ErrorCode::kInterrupted, "interrupted");
            }
            auto failure = ASSAY_TRY(maker.make(target, i, static_cast<std::size_t>(i), out));
            if (failures[group].empty()) failures[group] = std::move(failure);
            ++played[group];
          }
          return {};
        });
    out.error = ran.error;
    for (std::size_t group = 0; out.failure.empty() && group < groups; ++group) {
      if (group <= ran.chunks) out.failure = failures[group];
    }
    done += ran.error ? static_cast<std::int64_t>(ran.chunks) * kGroup + played[ran.chunks] : count;
    control.report("certifying", static_cast<double>(done) / static_cast<double>(wanted));
  }
  resize(out, static_cast<std::size_t>(done));
  return out;
}

Result<CertifiedRuns> play_again(const PlayedSubject& subject, const BlackBoxPlan& plan,
                                 Candidate candidate, const CertifiedEvent& event,
                                 std::span<const std::int64_t> which) {
  auto fresh = ASSAY_TRY(subject.players->first().clone());
  const RunMaker maker(subject, plan, candidate, event);
  CertifiedRuns out;
  resize(out, which.size());
  for (std::size_t at = 0; at < which.size(); ++at) {
    ASSAY_TRY(maker.make(*fresh, which[at], at, out));
  }
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
  half.alpha = kSeedingAlpha;
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
