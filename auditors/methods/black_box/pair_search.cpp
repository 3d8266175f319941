#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/mechanisms/core/result.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace assay {
namespace {

constexpr std::int64_t kFirstRound = 2 * kPlayChunk;  // plays a side of each candidate
constexpr std::size_t kFewestPairs = 3;               // of each subject
constexpr std::int64_t kMostSearched = 1 << 23;       // numbers of the outputs of a candidate,
constexpr std::int64_t kMostLearnt = 1 << 25;         // and of those that are learnt from
constexpr std::int64_t kFewestLearnt = 32;            // plays a side, however long

// For a claim in mu: events near the middle, not at delta0.
EventPlan event_plan(const Asked& asked, double alpha) {
  EventPlan plan;
  plan.alpha = alpha;
  plan.delta = asked.gaussian ? Delta{0.0} : asked.delta;
  return plan;
}

}  // namespace

std::vector<Candidate> candidates_of(std::size_t subjects, std::size_t pairs) {
  const std::size_t shared =
      subjects == 1 ? pairs : std::max(kFewestPairs, kMostCandidates / subjects);
  std::vector<Candidate> out;
  for (std::size_t s = 0; s < subjects; ++s) {
    for (std::size_t p = 0; p < std::min(pairs, shared); ++p) out.push_back({s, p});
  }
  return out;
}

void keep_view(const InputShape& shape, std::int64_t changed_row, const BlackBoxPlan& plan,
               OutputBatch& plays) {
  if (plan.output_grid > 0.0 && shape.kind == InputKind::kMechanism) {
    for (double& y : plays.values) y = std::round(y / plan.output_grid) * plan.output_grid;
  }
  if (view_of(shape) != View::kOtherActions) return;
  for (std::int64_t i = 0; i < plays.count; ++i) {
    plays.values[static_cast<std::size_t>(i * plays.width + changed_row)] = 0.0;
  }
}

std::uint64_t lane_of(const BlackBoxPlan& plan, Candidate candidate) {
  return 2 * static_cast<std::uint64_t>(candidate.subject * plan.pairs.size() + candidate.pair);
}

Result<SidePlays> play_both(const AuditSubject& subject, const BlackBoxPlan& plan,
                            Candidate candidate, std::int64_t count, std::string_view purpose,
                            Phase phase, const RunControl& control) {
  const InputPair& inputs = plan.pairs[candidate.pair];
  const InputShape& shape = subject.players->shape();
  const std::int64_t numbers = phase == Phase::kSearch ? kMostSearched : kMostLearnt;
  const std::int64_t fit = std::max(kFewestLearnt, numbers / (2 * shape.width()));
  auto plays =
      subject.players->play_both(inputs.old_input(), inputs.new_input(), std::min(count, fit),
                                 {plan.seed, purpose, lane_of(plan, candidate), phase}, control);
  if (plays.error) return tl::make_unexpected(*plays.error);
  for (auto& side : plays.of) keep_view(shape, inputs.changed_row(), plan, side);
  return SidePlays{std::move(plays.of[0]), std::move(plays.of[1])};
}

OutputBatch cut(const OutputBatch& plays, std::int64_t first, std::int64_t count) {
  OutputBatch out{count, plays.width, {}};
  out.values.assign(plays.values.begin() + first * plays.width,
                    plays.values.begin() + (first + count) * plays.width);
  return out;
}

SidePlays cut(const SidePlays& plays, std::int64_t first, std::int64_t count) {
  return {cut(plays.old_side, first, count), cut(plays.new_side, first, count)};
}

LearntScore learn_on_halves(const InputShape& shape, std::int64_t changed_row,
                            const SidePlays& plays, const Asked& asked, double alpha,
                            std::int64_t runs_left) {
  const std::int64_t count = plays.old_side.count;
  const std::int64_t learning = count / 2;
  return learn_score(shape, changed_row, cut(plays, 0, learning),
                     cut(plays, learning, count - learning), event_plan(asked, alpha), runs_left,
                     asked.gaussian ? Epsilon{0.0} : asked.epsilon);
}

Result<Candidate> search_pairs(std::span<const AuditSubject> subjects, const BlackBoxPlan& plan,
                               double alpha, const RunControl& control) {
  std::vector<Candidate> alive = candidates_of(subjects.size(), plan.pairs.size());
  RunControl quiet = control;
  quiet.progress = nullptr;
  const double rounds = std::max(1.0, std::ceil(std::log2(static_cast<double>(alive.size()))));
  std::int64_t count = kFirstRound;
  for (int round = 0; alive.size() > 1; ++round, count *= 2) {
    const std::string purpose = "search/" + std::to_string(round);
    std::vector<std::pair<double, Candidate>> ranked;
    for (const Candidate candidate : alive) {
      const AuditSubject& subject = subjects[candidate.subject];
      const auto plays =
          ASSAY_TRY(play_both(subject, plan, candidate, count, purpose, Phase::kSearch, quiet));
      const Asked asked = asked_of(subject.claim, plan.delta0);
      const auto learnt =
          learn_on_halves(subject.players->shape(), plan.pairs[candidate.pair].changed_row(), plays,
                          asked, alpha, plan.samples);
      ranked.push_back({learnt.predicted - asked.epsilon.value, candidate});
      control.report("searching pairs", (round + static_cast<double>(ranked.size()) /
                                                     static_cast<double>(alive.size())) /
                                            rounds);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    alive.clear();
    for (std::size_t i = 0; i < (ranked.size() + 1) / 2; ++i) alive.push_back(ranked[i].second);
  }
  return alive.front();
}

}  // namespace assay
