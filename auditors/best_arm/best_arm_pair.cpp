#include "assay/auditors/best_arm/best_arm_pair.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "assay/auditors/best_arm/phase_tilt.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr int kPhaseMark = -1;

void append_pulled(std::vector<int>& seen, const PhasePlan& plan) {
  seen.push_back(kPhaseMark);
  for (std::size_t j = 0; j < plan.pulled.size(); ++j) {
    seen.push_back(plan.pulled[j]);
    seen.push_back(static_cast<int>(plan.pulls[j]));
  }
}

// A partial run, with every state that shows the same actions. It keeps the sums of all rewards for
// faulty policies, which read them again.
struct Walk {
  explicit Walk(std::int64_t arms)
      : active(all_arms(arms)),
        pulled_before(active.size(), 0),
        paid{std::vector<double>(active.size(), 0.0), std::vector<double>(active.size(), 0.0)} {}

  std::vector<int> active;
  std::vector<int> seen;
  std::vector<std::int64_t> pulled_before;
  std::array<std::vector<double>, 2> paid;
  std::int64_t round = 0;
  double log_p = 0.0;
  double log_q = 0.0;
};

// The exact values of a phase on both tables. The walk then continues after its pulls.
std::array<std::vector<double>, 2> read_phase(const PhasePlan& plan, TableIndex index,
                                              const std::array<const RewardTable*, 2>& tables,
                                              Walk& walk) {
  std::array<std::vector<double>, 2> sums;
  std::vector<std::int64_t> counts;
  for (std::size_t j = 0; j < plan.pulled.size(); ++j) {
    const int arm = plan.pulled[j];
    const auto a = static_cast<std::size_t>(arm);
    const std::int64_t first = index == TableIndex::kTime ? walk.round : walk.pulled_before[a];
    for (std::size_t side = 0; side < 2; ++side) {
      double sum = 0.0;
      for (std::int64_t n = 0; n < plan.pulls[j]; ++n) {
        sum += tables[side]->reward(first + n, arm);
      }
      walk.paid[side][a] += sum;
      sums[side].push_back(plan.faults.reuses_data ? walk.paid[side][a] : sum);
    }
    walk.round += plan.pulls[j];
    walk.pulled_before[a] += plan.pulls[j];
    counts.push_back(plan.faults.reuses_data ? walk.pulled_before[a] : plan.pulls[j]);
  }
  return {plan.exact_values(sums[0], counts), plan.exact_values(sums[1], counts)};
}

class Enumeration {
 public:
  Enumeration(const PhasedSubject& subject, const RewardTable& before, const RewardTable& after,
              std::int64_t most, TopSetMemo& memo)
      : subject_(subject), tables_{&before, &after}, most_(most), memo_(memo) {}

  Result<TranscriptDistributions> run() {
    std::vector<Walk> open{Walk(subject_.arms)};
    for (std::int64_t phase = 0; phase < subject_.planner->phases(); ++phase) {
      std::vector<Walk> next;
      for (const Walk& walk : open) ASSAY_TRY(play_phase(phase, walk, next));
      open = std::move(next);
    }
    TranscriptDistributions out;
    for (Walk& walk : open) {
      walk.seen.push_back(kPhaseMark);
      walk.seen.push_back(walk.active.front());
      const auto [at, is_new] =
          out.index.emplace(std::move(walk.seen), static_cast<int>(out.distributions.log_p.size()));
      if (is_new) {
        out.distributions.log_p.push_back(walk.log_p);
        out.distributions.log_q.push_back(walk.log_q);
        out.transcripts.push_back(at->first);
        continue;
      }
      const auto i = static_cast<std::size_t>(at->second);
      add(out.distributions.log_p[i], walk.log_p);
      add(out.distributions.log_q[i], walk.log_q);
    }
    out.distributions.relative_error =
        kPhaseRelativeError * static_cast<double>(subject_.planner->phases());
    return out;
  }

 private:
  static void add(double& sum, double term) {
    if (std::max(sum, term) == -kInfinity) return;
    sum = log_add_exp(std::max(sum, term), std::min(sum, term));
  }

  Status play_phase(std::int64_t phase, const Walk& walk, std::vector<Walk>& next) {
    const auto plan = subject_.planner->plan(phase, walk.active);
    Walk after = walk;
    if (phase > 0) append_pulled(after.seen, *plan);
    const auto exact = read_phase(*plan, subject_.index, tables_, after);
    const std::int64_t left = most_ - static_cast<std::int64_t>(next.size());
    const auto base_distribution = ASSAY_TRY(phase_distribution(*plan, exact[0], left, memo_));
    const auto neighbour_distribution =
        exact[0] == exact[1] ? base_distribution
                             : ASSAY_TRY(phase_distribution(*plan, exact[1], left, memo_));
    // Both are in the order of their sets.
    std::size_t i = 0, k = 0;
    while (i < base_distribution.size() || k < neighbour_distribution.size()) {
      const bool has_base =
          i < base_distribution.size() &&
          (k == neighbour_distribution.size() ||
           !(neighbour_distribution[k].survivors < base_distribution[i].survivors));
      const bool has_neighbour =
          k < neighbour_distribution.size() &&
          (i == base_distribution.size() ||
           !(base_distribution[i].survivors < neighbour_distribution[k].survivors));
      Walk to = after;
      to.active = has_base ? base_distribution[i].survivors : neighbour_distribution[k].survivors;
      to.log_p = walk.log_p + (has_base ? base_distribution[i++].log_p : -kInfinity);
      to.log_q = walk.log_q + (has_neighbour ? neighbour_distribution[k++].log_p : -kInfinity);
      next.push_back(std::move(to));
    }
    if (static_cast<std::int64_t>(next.size()) <= most_) return {};
    return fail(ErrorCode::kLimit,
                "the phases have more than " + std::to_string(most_) + " outcomes");
  }

  const PhasedSubject& subject_;
  std::array<const RewardTable*, 2> tables_;
  std::int64_t most_;
  TopSetMemo& memo_;
};

class TableRelease final : public PairRelease {
 public:
  TableRelease(PhasedSubject subject, RewardPair pair, double largest)
      : subject_(std::move(subject)),
        pair_(std::move(pair)),
        largest_(largest),
        arm_(changed_arm()),
        first_plan_(subject_.planner->plan(0, all_arms(subject_.arms))) {
    const std::array tables{pair_.table(Side::kBase), pair_.table(Side::kNeighbour)};
    Walk walk(subject_.arms);
    const auto exact = read_phase(*first_plan_, subject_.index, {&tables[0], &tables[1]}, walk);
    for (const PhaseFate fate : {PhaseFate::kSurvives, PhaseFate::kIsDropped}) {
      first_tilts_.push_back(tilts_of(*first_plan_, exact, fate));
    }
  }

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    const BestArmRun run = subject_.play(pair_.table(side), random).value();
    return {told_first(run), release_loss(run, pair_).value()};
  }
  double largest_loss() const override { return largest_; }
  // Whether the arm with the changed reward survives the phase that reads it.
  int tilts() const override {
    return first_plan_->noise == PhaseNoise::kGaussian && first_plan_->faults == PhaseFaults{} ? 2
                                                                                               : 0;
  }
  ReleasedPlay sample_tilted(int tilt, Side side, ReplayStream random) const override {
    const auto fate = tilt == 0 ? PhaseFate::kSurvives : PhaseFate::kIsDropped;
    const std::array tables{pair_.table(Side::kBase), pair_.table(Side::kNeighbour)};
    const auto own = static_cast<std::size_t>(side == Side::kBase ? 0 : 1);
    Walk walk(subject_.arms);
    BestArmRun run;
    double loss = 0.0;
    std::optional<TiltedPhase> tilted;
    bool is_read = false;
    for (std::int64_t phase = 0; phase < subject_.planner->phases(); ++phase) {
      const auto plan = subject_.planner->plan(phase, walk.active);
      const auto exact = read_phase(*plan, subject_.index, {&tables[0], &tables[1]}, walk);
      PlayedPhase played{plan, {}, {}, {}, exact[own], {}, {}};
      TiltsOfSides tilts;
      if (exact[0] != exact[1]) {
        is_read = true;
        tilts = phase == 0 ? first_tilts_[static_cast<std::size_t>(tilt)]
                           : tilts_of(*plan, exact, fate);
      }
      const bool is_tilted = tilts[0] && tilts[1];
      played.released = is_tilted ? tilts[own]->release(random) : plan->release(exact[own], random);
      played.survivors = plan->survivors(played.released);
      loss += played.loss(exact[0], exact[1]);
      if (is_tilted) {
        tilted = {static_cast<std::size_t>(phase),
                  {tilts[0]->log_ratio(played.released), tilts[1]->log_ratio(played.released)},
                  {tilts[0]->log_bound(), tilts[1]->log_bound()}};
      }
      walk.active = played.survivors;
      run.phases.push_back(std::move(played));
    }
    run.transcript = {walk.active.front()};
    // The actions determine whether the run reads the change.
    const bool is_bounded = !is_read || (tilted && shows(run, tilted->phase, fate));
    ReleasedPlay play{told_first(run), loss};
    if (!is_bounded) play.most_base = play.most_neighbour = kInfinity;
    if (!tilted) return play;
    // (4) of auditors/methods/release.hpp.
    const double scale = std::max(tilted->log_ratio[0] + loss, tilted->log_ratio[1]);
    const double sum = portable_exp(tilted->log_ratio[0] + loss - scale) +
                       portable_exp(tilted->log_ratio[1] - scale);
    play.weight = (portable_exp(loss - scale) + portable_exp(-scale)) / sum;
    constexpr double kRounding = 1e-9;
    if (is_bounded) {
      play.most_base = portable_exp(tilted->log_bound[0]) * (1.0 + kRounding);
      play.most_neighbour = portable_exp(tilted->log_bound[1]) * (1.0 + kRounding);
    }
    return play;
  }

 private:
  // For the phase that reads the change, on D and D'.
  struct TiltedPhase {
    std::size_t phase = 0;
    std::array<double, 2> log_ratio;
    std::array<double, 2> log_bound;
  };

  using TiltsOfSides = std::array<std::optional<PhaseTilt>, 2>;
  TiltsOfSides tilts_of(const PhasePlan& plan, const std::array<std::vector<double>, 2>& exact,
                        PhaseFate fate) const {
    return {PhaseTilt::create(plan, exact[0], arm_, fate),
            PhaseTilt::create(plan, exact[1], arm_, fate)};
  }

  // Whether the actions alone show which arms were active in the phase, and that the arm survived
  // or left there.
  bool shows(const BestArmRun& run, std::size_t phase, PhaseFate fate) const {
    if (phase > 0 && !run.phases[phase].plan->weights.empty()) return false;
    const bool is_last = phase + 1 == run.phases.size();
    bool survived = run.recommendation() == arm_;
    for (std::size_t p = phase + 1; p < run.phases.size(); ++p) {
      const auto& pulled = run.phases[p].plan->pulled;
      survived = survived || std::binary_search(pulled.begin(), pulled.end(), arm_);
    }
    if (fate == PhaseFate::kSurvives) return survived;
    return !survived && (is_last || run.phases[phase + 1].plan->weights.empty());
  }

  // The arm with the changed reward; by time, the arm in phase 1, where all rounds are known.
  int changed_arm() const {
    if (subject_.index == TableIndex::kPull) return static_cast<int>(pair_.input().first_changed());
    const auto plan = subject_.planner->plan(0, all_arms(subject_.arms));
    std::int64_t round = pair_.input().changed_row();
    for (std::size_t j = 0; j < plan->pulled.size(); ++j) {
      round -= plan->pulls[j];
      if (round < 0) return plan->pulled[j];
    }
    return static_cast<int>(pair_.input().first_changed());
  }

  // The view, with the changed arm first, because the auditor learns events from how actions begin.
  std::vector<int> told_first(const BestArmRun& run) const {
    std::vector<int> out;
    for (std::size_t p = 1; p < run.phases.size(); ++p) {
      const auto& pulled = run.phases[p].plan->pulled;
      out.push_back(std::binary_search(pulled.begin(), pulled.end(), arm_) ? 1 : 0);
    }
    out.push_back(run.recommendation() == arm_ ? 1 : 0);
    out.push_back(run.recommendation());
    const auto seen = seen_actions(run);
    out.insert(out.end(), seen.begin(), seen.end());
    return out;
  }

  PhasedSubject subject_;
  RewardPair pair_;
  double largest_;
  int arm_;
  std::shared_ptr<const PhasePlan> first_plan_;
  std::vector<TiltsOfSides> first_tilts_;  // by tilt, if phase 1 reads the change
};

// Rows of rewards that the run reads of arm `pulled[j]`: the first row of phase 1, and of phase 2
// if there is one.
std::vector<std::int64_t> first_rows(const PhasedSubject& subject, const PhasePlan& plan,
                                     std::size_t j) {
  std::vector<std::int64_t> rows{0, plan.pulls[j]};
  if (subject.index == TableIndex::kTime) {
    const auto first = plan.pulls.begin();
    const auto arm = first + static_cast<std::ptrdiff_t>(j);
    rows = {std::accumulate(first, arm, std::int64_t{0}),
            std::accumulate(first, plan.pulls.end(), std::int64_t{0})};
  }
  if (subject.planner->phases() == 1) rows.pop_back();
  std::erase_if(rows, [&](std::int64_t row) { return row >= subject.rows; });
  return rows;
}

// Changes the reward, or all rewards of the round, to the farther extreme.
Edit farthest(const PhasedSubject& subject, const InputTable& base, std::int64_t row, int arm) {
  const auto base_row = base.row(row);
  Edit edit{row, {base_row.begin(), base_row.end()}};
  for (std::size_t i = 0; i < edit.values.size(); ++i) {
    if (subject.index == TableIndex::kTime || static_cast<int>(i) == arm) {
      edit.values[i] = edit.values[i] < 0.5 ? 1.0 : 0.0;
    }
  }
  return edit;
}

}  // namespace

std::vector<int> seen_actions(const BestArmRun& run) {
  std::vector<int> seen;
  for (std::size_t p = 1; p < run.phases.size(); ++p) append_pulled(seen, *run.phases[p].plan);
  seen.push_back(kPhaseMark);
  seen.push_back(run.recommendation());
  return seen;
}

Result<RewardTable> table_of(const PhasedSubject& subject, const InputPair& pair, Side side) {
  auto table = side == Side::kBase ? pair.base()
                                   : std::make_shared<const InputTable>(pair.neighbour_input());
  auto rewards = ASSAY_TRY(RewardTable::create(std::move(table), subject.index,
                                               subject.rows < subject.budget ? subject.budget : 0));
  ASSAY_TRY(detail::check_table(rewards, subject.arms, subject.budget));
  return rewards;
}

Result<TranscriptDistributions> transcript_distributions(const PhasedSubject& subject,
                                                         const InputPair& pair, std::int64_t most) {
  TopSetMemo memo;
  return transcript_distributions(subject, pair, memo, most);
}

Result<TranscriptDistributions> transcript_distributions(const PhasedSubject& subject,
                                                         const InputPair& pair, TopSetMemo& memo,
                                                         std::int64_t most) {
  const auto before = ASSAY_TRY(table_of(subject, pair, Side::kBase));
  const auto after = ASSAY_TRY(table_of(subject, pair, Side::kNeighbour));
  return Enumeration(subject, before, after, most, memo).run();
}

std::vector<int> whole_transcript(const PhasedSubject& subject, const std::vector<int>& seen) {
  std::vector<int> out;
  const auto pull = [&](int arm, std::int64_t times) {
    out.insert(out.end(), static_cast<std::size_t>(times), arm);
  };
  const auto first = subject.planner->plan(0, all_arms(subject.arms));
  for (std::size_t j = 0; j < first->pulled.size(); ++j) pull(first->pulled[j], first->pulls[j]);
  for (std::size_t at = 0; at + 2 < seen.size(); ++at) {
    if (seen[at] == kPhaseMark) continue;
    pull(seen[at], seen[at + 1]);
    ++at;
  }
  out.push_back(seen.back());
  return out;
}

Result<std::unique_ptr<PairRelease>> best_arm_release(const PhasedSubject& subject,
                                                      const InputPair& pair, double largest) {
  const auto base = ASSAY_TRY(table_of(subject, pair, Side::kBase));
  const auto row = pair.neighbour_row();
  const int arm = static_cast<int>(pair.first_changed());
  auto rewards =
      subject.index == TableIndex::kPull
          ? RewardPair::replace_cell(base, pair.changed_row(), arm,
                                     row[static_cast<std::size_t>(arm)])
          : RewardPair::replace_column(base, pair.changed_row(), {row.begin(), row.end()});
  if (!rewards) return tl::make_unexpected(rewards.error());
  return std::unique_ptr<PairRelease>(
      std::make_unique<TableRelease>(subject, std::move(*rewards), largest));
}

std::vector<InputPair> hard_reward_pairs(const PhasedSubject& subject, std::size_t most,
                                         std::span<const double> first) {
  const auto plan = subject.planner->plan(0, all_arms(subject.arms));
  std::vector<InputPair> out;
  // In scales. Beyond 3000 the probabilities are too small for the exact method.
  std::vector<double> shifts(first.begin(), first.end());
  shifts.insert(shifts.end(),
                {0.0,  1.0,  2.0,  3.0,  4.0,  5.0,  6.0,  7.0,  8.0,   9.0,   10.0,
                 11.0, 12.0, 12.5, 13.0, 14.0, 16.0, 20.0, 32.0, 100.0, 400.0, 3000.0});
  for (const double own : {0.0, 1.0}) {
    for (const double shift : shifts) {
      for (std::size_t k = 0; k < plan->pulled.size() && k < 3; ++k) {
        // The last arm loses all ties, and they decide for a policy without noise.
        const std::size_t j = k == 0 ? plan->pulled.size() - 1 : k - 1;
        const double n = static_cast<double>(plan->pulls[j]);
        const double one = plan->scales.empty()    ? 1.0 / n
                           : plan->moments.empty() ? plan->scales[j]
                                                   : plan->scales[0] / n;
        const double others = std::clamp(own == 0.0 ? shift * one : 1.0 - shift * one, 0.0, 1.0);
        InputTable table = InputTable::zeros(subject.rows, subject.arms);
        for (std::int64_t r = 0; r < table.rows; ++r) {
          auto row = table.row(r);
          std::fill(row.begin(), row.end(), others);
          row[static_cast<std::size_t>(plan->pulled[j])] = own;
        }
        const auto base = std::make_shared<const InputTable>(std::move(table));
        for (const std::int64_t row : first_rows(subject, *plan, j)) {
          InputPair pair(base, farthest(subject, *base, row, plan->pulled[j]));
          if (!contains(out, pair)) out.push_back(std::move(pair));
          if (out.size() >= most) return out;
        }
      }
    }
  }
  return out;
}

std::vector<InputPair> reward_pairs_beside(const PhasedSubject& subject,
                                           const std::shared_ptr<const InputTable>& base,
                                           std::size_t most) {
  const auto plan = subject.planner->plan(0, all_arms(subject.arms));
  std::vector<InputPair> out;
  for (std::size_t j = 0; j < plan->pulled.size(); ++j) {
    for (const std::int64_t row : first_rows(subject, *plan, j)) {
      if (out.size() >= most) return out;
      out.emplace_back(base, farthest(subject, *base, row, plan->pulled[j]));
    }
  }
  return out;
}

}  // namespace assay
