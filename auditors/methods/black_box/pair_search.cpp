#include "assay/auditors/methods/black_box/pair_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/auditors/methods/black_box/pair_runs.hpp"
#include "assay/auditors/methods/black_box/sensitive_entries.hpp"
#include "assay/auditors/methods/strength.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFewestSearched = 16;     // runs on each input of each candidate
constexpr std::size_t kKept = 3;                 // one in so many stays
constexpr std::size_t kFewestPairs = 3;          // of each subject
constexpr std::int64_t kMostSearched = 1 << 23;  // numbers in the outputs of a candidate,
constexpr std::int64_t kMostLearnt = 1 << 25;    // of the last one,
constexpr std::int64_t kMostKept = 1 << 24;      // and of those stored for later rounds
constexpr std::int64_t kFewestLearnt = 32;       // runs on each input, however long
constexpr double kDoubt = 0.5;
constexpr double kRefining = 0.25;  // of the runs of a search
constexpr double kChallenge = 2.0;  // least doubt of a candidate that may replace the best
constexpr double kSearching = 0.5;  // of a time budget,
constexpr double kLearning = 0.4;   // of the rest of it
constexpr double kSettling = 1e-4;  // level of the test that ends a search

double delta_of(const Asked& asked) { return asked.gaussian ? 0.0 : asked.delta.value; }

Outlook independent_sides(const Asked& asked, double alpha, std::int64_t runs, double doubt) {
  if (asked.gaussian) {
    const auto width = [alpha, runs](double p, double q, double) {
      return independent_width_of_mu(p, q, alpha, runs);
    };
    return {0.0, doubt, width, true};
  }
  const double delta = delta_of(asked);
  return {delta, doubt, [delta, alpha, runs](double p, double q, double) {
            return independent_width(p, q, delta, alpha, runs);
          }};
}

// Without a copy of them in between, because outputs may fill much of the memory.
void append_some(const SideRuns& more, std::int64_t first, std::int64_t count, SideRuns& runs) {
  const auto append_side = [&](const OutputBatch& from, OutputBatch& to) {
    to.width = from.width;
    to.count += count;
    to.values.insert(to.values.end(), from.values.begin() + first * from.width,
                     from.values.begin() + (first + count) * from.width);
    if (to.failure.empty()) to.failure = from.failure;
  };
  append_side(more.base_side, runs.base_side);
  append_side(more.neighbour_side, runs.neighbour_side);
}

std::int64_t numbers_of(const SideRuns& runs) {
  return static_cast<std::int64_t>(runs.base_side.values.size() +
                                   runs.neighbour_side.values.size());
}

// The numbers of one row that the other does not hold, sorted.
std::vector<double> numbers_without(std::span<const double> row, std::span<const double> other) {
  std::vector<double> numbers;
  for (const double value : row) {
    if (!contains(other, value)) numbers.push_back(value);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// What the search knows of a candidate.
struct Tried {
  SideRuns kept;             // of earlier rounds
  std::int64_t counted = 0;  // runs on each input in its last round
  double differing = 0.0;    // share of its pairs of runs
  double moved = 0.0;        // mean distance of its pairs of runs
};

class TargetRuns final : public PlaySource {
 public:
  TargetRuns(std::span<const PlayedSubject> subjects, BlackBoxPlan& plan, const RunBudget& budget,
             const BetsLevel& bets, double alpha,
             const std::function<Result<bool>(Candidate)>& found, RunsSpent& spent,
             std::optional<BestSoFar>& best, const RunControl& control)
      : subjects_(subjects),
        plan_(plan),
        budget_(budget),
        bets_(bets),
        alpha_(alpha),
        found_(found),
        spent_(spent),
        best_(best),
        all_(candidates_of(subjects.size(), plan.pairs.size())),
        clock_(plan.is_timed() ? control.within(kSearching) : RunControl{}),
        started_(control.now()) {
    const std::size_t asked_for = all_.size();
    while (all_.size() > 1 && fewest_of(all_.size()) > budget.search) {
      reserve_.push_back(all_.back());
      all_.pop_back();
    }
    if (all_.size() < asked_for) {
      spent_.left_undone =
          fmt::format("{} of {} pairs were not run", asked_for - all_.size(), asked_for);
    }
    tried_.resize(all_.size());
  }

  std::vector<SearchRound> rounds() {
    const auto search = static_cast<double>(budget_.search);
    std::size_t alive = all_.size();
    const auto some = static_cast<std::int64_t>(kRefining * search / (2.0 * (kMostRefined + 1)));
    const bool refines = plan_.refine && alive > 1 && some >= kFewestSearched && !budget_.is_quick;
    const double share = refines ? 1.0 - kRefining : 1.0;
    std::vector<SearchRound> rounds;
    auto runs =
        alive > 1
            ? static_cast<std::int64_t>(share * search / static_cast<double>(2 * units_of(alive)))
            : 0;
    if (budget_.is_quick && alive > 1) {
      rounds.push_back({0, false, kQuickRuns, std::min(alive, kQuickly), kDoubt});
      rounds.push_back({1, false, kQuickRunsOfBest, 1, kDoubt});
      alive = 1;
    }
    for (; alive > 1; runs *= static_cast<std::int64_t>(kKept)) {
      alive = stay(alive);
      rounds.push_back({rounds.size(), false, std::max(runs, kFewestSearched), alive, kDoubt});
    }
    if (refines) rounds.push_back({rounds.size(), false, some, 1, kDoubt, true});
    rounds_ = rounds.size();
    rounds.push_back({rounds_, true, budget_.learning / 2, 1, kDoubt});
    return rounds;
  }

  std::size_t candidates() const override { return all_.size(); }
  OutputView view(std::size_t candidate) const override {
    const InputPair& pair = inputs(candidate);
    OutputView view{subject(candidate).players->shape(), pair.changed_row()};
    view.only_base = numbers_without(pair.base_row(), pair.neighbour_row());
    view.only_neighbour = numbers_without(pair.neighbour_row(), pair.base_row());
    return view;
  }
  Outlook outlook(std::size_t candidate, double doubt) const override {
    const bool challenges = challenged_ && candidate >= *challenged_;
    return independent_sides(asked(candidate), alpha_, budget_.samples,
                             challenges ? std::max(doubt, kChallenge) : doubt);
  }
  double claim(std::size_t candidate) const override { return asked(candidate).claimed(); }
  double frequency_to_see(std::size_t candidate) const override {
    const PlayedSubject& of = subject(candidate);
    return assay::frequency_to_see(asked(candidate), level_to_see(of.claim, plan_.see), alpha_,
                                   is_divided(of), budget_.samples);
  }

  // Candidates without an event follow by how often the same seeds gave different outputs on their two
  // inputs: for a target that honours seeds, by how much the input matters.
  double promise(const SearchedEvent& event) const override {
    const double claimed = claim(event.candidate);
    if (event.found.score == nullptr) return -HUGE_VAL;
    if (event.found.selected.predicted > 0.0) return event.found.selected.predicted - claimed;
    return tried_[event.candidate].differing - 1.0 - claimed;
  }

  double moved(std::size_t candidate) const override { return tried_[candidate].moved; }

  bool settles(const SearchedEvent& best) const override {
    if (clock_.out_of_time()) return true;
    return best.found.score != nullptr && refutes_by_itself(best);
  }

  std::vector<std::size_t> refine(const SearchedEvent& best) override {
    const Candidate around = all_[best.candidate];
    challenged_ = all_.size();
    std::vector<std::size_t> added;
    for (auto& pair : plan_.refine(plan_.pairs[around.pair], kMostRefined)) {
      added.push_back(all_.size());
      all_.push_back({around.subject, plan_.pairs.size()});
      plan_.pairs.push_back(std::move(pair));
    }
    chosen_.refined = added.size();
    tried_.resize(all_.size());
    return added;
  }

  Status play(const SearchRound& round, std::span<const std::size_t> candidates,
              RoundLearner& learner, const RunControl& control) override {
    std::size_t done = 0;
    if (!round.refines) challenged_.reset();
    for (std::size_t i = 0; i < tried_.size(); ++i) {
      if (!contains(candidates, i)) tried_[i].kept = {};
    }
    for (const std::size_t candidate : candidates) {
      if (!round.last && done > 0 && clock_.out_of_time()) break;
      if (!round.last && left_out_.count(candidate) > 0) continue;
      take_turn(candidate);
      if (round.last && budget_.is_early_try) return bet_on(candidate, learner, control);
      if (round.last) ASSAY_TRY(found_(all_[candidate]));
      auto played = play_one(round, candidate, control);
      // The behaviour on a refused input is no evidence, so another pair replaces it.
      while (!round.last && is_refused(played)) {
        ++refused_;
        if (reserve_.empty()) break;
        all_[candidate] = reserve_.back();
        reserve_.pop_back();
        take_turn(candidate);
        played = play_one(round, candidate, control);
      }
      if (!round.last && is_refused(played)) {
        left_out_.insert(candidate);
        continue;
      }
      auto fresh = ASSAY_TRY(std::move(played));
      if (round.last) look_at(candidate, fresh);
      (round.last ? spent_.learning : spent_.search) += 2 * fresh.base_side.count;
      if (round.number == 0 || round.refines) ++chosen_.searched;
      Tried& tried = tried_[candidate];
      SideRuns& kept = tried.kept;
      const std::int64_t learnt = learning_part(fresh.base_side.count, kept.base_side.count);
      tried.counted = fresh.base_side.count - learnt;
      tried.differing = differing(fresh);
      if (subject(candidate).promises_seeds) tried.moved = moved_by(candidate, fresh);
      append_some(fresh, 0, learnt, kept);
      learner.learn(candidate, kept);
      count_rest(candidate, fresh, learnt, learner, control);
      if (round.last) {
        kept = {};
        prepare_bets(candidate, learner);
        break;  // it has one candidate
      }
      append_some(fresh, learnt, tried.counted, kept);
      std::int64_t all = 0;
      for (const Tried& one : tried_) all += numbers_of(one.kept);
      if (all > kMostKept) kept = {};
      const SearchedEvent found = learner.best(candidate);
      keep_best(found, done == 0);
      report(round, ++done, candidates.size(), control);
      if (!clock_.out_of_time() && settles(found)) {
        settled_ = true;
        break;
      }
    }
    if (!round.last && clock_.out_of_time() && spent_.left_undone.empty()) {
      spent_.left_undone = "the time ended the search before its last round";
    }
    return {};
  }

  ChosenEvent chosen(SearchedEvent event) {
    chosen_.candidate = all_[event.candidate];
    chosen_.event = std::move(event);
    chosen_.settled = settled_;
    if (refused_ > 0) {
      spent_.left_undone += fmt::format("{}{} of the pairs have inputs that the target refuses",
                                        spent_.left_undone.empty() ? "" : "; ", refused_);
    }
    return std::move(chosen_);
  }

 private:
  const PlayedSubject& subject(std::size_t candidate) const {
    return subjects_[all_[candidate].subject];
  }
  const InputPair& inputs(std::size_t candidate) const { return plan_.pairs[all_[candidate].pair]; }
  static std::size_t stay(std::size_t alive) { return (alive + kKept - 1) / kKept; }

  bool refutes_by_itself(const SearchedEvent& best) const {
    const SelectedEvent& event = best.found.selected;
    const Asked of = asked(best.candidate);
    const std::int64_t runs = tried_[best.candidate].counted;
    const double delta = delta_of(of);
    if (runs == 0 || !(event.p > delta && event.q > 0.0)) return false;
    if (of.gaussian) {
      const double least =
          event.p * portable_exp(-independent_width(event.p, 1.0, 0.0, kSettling, runs));
      const double most =
          event.q * portable_exp(independent_width(1.0, event.q, 0.0, kSettling, runs));
      return most < 1.0 && normal_quantile(least) - normal_quantile(most) > of.mu.value;
    }
    const double level = portable_log((event.p - delta) / event.q);
    return level - independent_width(event.p, event.q, delta, kSettling, runs) > of.epsilon.value &&
           event.predicted > of.epsilon.value;
  }

  // Runs of a search of so many candidates, at least.
  std::int64_t fewest_of(std::size_t alive) const {
    if (budget_.is_quick) return quick_search_runs(alive);
    return 2 * kFewestSearched * units_of(alive);
  }

  // Runs on each input in all rounds of halving, if the first has one for each candidate.
  static std::int64_t units_of(std::size_t alive) {
    std::int64_t units = 0, each = 1;
    for (; alive > 1; alive = stay(alive), each *= static_cast<std::int64_t>(kKept)) {
      units += static_cast<std::int64_t>(alive) * each;
    }
    return units;
  }

  // One subject runs at a time.
  void take_turn(std::size_t candidate) {
    Players* players = subject(candidate).players;
    if (playing_ != nullptr && playing_ != players) playing_->rest();
    playing_ = players;
  }

  // Over runs with the same seeds.
  static double differing(const SideRuns& runs) {
    std::int64_t differ = 0;
    for (std::int64_t i = 0; i < runs.base_side.count; ++i) {
      if (digest_of(runs.base_side.play(i)) != digest_of(runs.neighbour_side.play(i))) ++differ;
    }
    return static_cast<double>(differ) / static_cast<double>(runs.base_side.count);
  }

  double moved_by(std::size_t candidate, const SideRuns& runs) const {
    const OutputLayout layout(subject(candidate).players->shape());
    double sum = 0.0;
    for (std::int64_t i = 0; i < runs.base_side.count; ++i) {
      sum += output_distance(layout, runs.base_side.play(i), runs.neighbour_side.play(i));
    }
    return sum / static_cast<double>(runs.base_side.count);
  }

  // Runs on each input in the last round: fewer if the search has settled, or the time is short.
  std::int64_t to_learn(const SearchRound& round, const RunControl& control) {
    std::int64_t runs = settled_ ? budget_.least_learning / 2 : round.runs;
    if (!plan_.is_timed() || !control.deadline) return runs;
    const double pace = spent_.search == 0
                            ? plan_.seconds_a_run / control.workers()
                            : std::chrono::duration<double>(control.now() - started_).count() /
                                  static_cast<double>(spent_.search);
    const auto affordable = static_cast<std::int64_t>(
        std::min(kLearning * control.seconds_left() / (2.0 * pace), 1e12));
    if (affordable < runs) {
      spent_.left_undone += std::string(spent_.left_undone.empty() ? "" : "; ") +
                            "learning used fewer runs than planned";
    }
    return std::min(runs, std::max(affordable, kFewestLearnt));
  }

  // The last round of an early try: runs on inputs that coins choose, with bets on each.
  Status bet_on(std::size_t candidate, RoundLearner& learner, const RunControl& control) {
    const bool may_end = ASSAY_TRY(found_(all_[candidate]));
    const PlayedSubject& of = subject(candidate);
    const std::int64_t wanted = std::min(
        budget_.learning, std::max(2 * kFewestLearnt, kMostLearnt / of.players->shape().width()));
    chosen_.bets = std::make_shared<PairBets>(view(candidate), outlook(candidate, kDoubt),
                                              asked(candidate).forecast_claim(), is_divided(of),
                                              std::move(tried_[candidate].kept));
    PairBets& bets = *chosen_.bets;
    const PairRuns coins(of, plan_, all_[candidate]);
    const auto convicts = [&] {
      return may_end && (of.deterministic || !bets.only_outputs()) &&
             bets.bets().reached(bets_.alpha, bets_.seeding_alpha);
    };
    while (bets.runs() < wanted && !chosen_.convicted) {
      const std::int64_t first = bets.runs();
      const std::int64_t count = std::min(bets.next_block(control), wanted - first);
      if (control.stopped()) return fail(ErrorCode::kInterrupted, "interrupted");
      const auto made = coins.make_all(first, count, control,
                                       [](std::int64_t, const OutputBatch& run) { return run; });
      if (made.error) return tl::make_unexpected(*made.error);
      spent_.learning += count;
      for (std::int64_t i = 0; i < count && !chosen_.convicted; ++i) {
        const OutputBatch& run = made.runs[static_cast<std::size_t>(i)];
        const bool on_neighbour = coins.is_on_neighbour(first + i);
        count_failures(run, on_neighbour);
        bets.observe(run, {!on_neighbour, coins.is_keyed(first + i)});
        chosen_.convicted = convicts();
      }
      control.stage(search_share(), 1.0)
          .report("betting on runs", static_cast<double>(bets.runs()) / static_cast<double>(wanted),
                  best_text());
    }
    if (!chosen_.convicted) return {};
    // The event only describes what the bets have shown.
    const SideRuns& stored = bets.stored();
    chosen_.frequencies = frequencies_in(candidate, stored);
    const std::int64_t all = std::min(stored.base_side.count, stored.neighbour_side.count);
    learner.learn(candidate, cut(stored, 0, all));
    count_rest(candidate, stored, bets.earlier(), learner, control);
    return {};
  }

  // Bets on the certified runs that follow, by the scores that were learned.
  void prepare_bets(std::size_t candidate, const RoundLearner& learner) {
    chosen_.bets = std::make_shared<PairBets>(view(candidate), outlook(candidate, kDoubt),
                                              asked(candidate).forecast_claim(),
                                              is_divided(subject(candidate)), SideRuns{});
    chosen_.bets->take_scores(learner.ranked(candidate));
  }

  Asked asked(std::size_t candidate) const {
    return asked_of(subject(candidate).claim, plan_.delta0);
  }

  // Returns runs in random order, after keep_view; fewer if outputs are so long that they would not fit.
  Result<SideRuns> play_one(const SearchRound& round, std::size_t candidate,
                            const RunControl& control) {
    const InputShape& shape = subject(candidate).players->shape();
    const std::int64_t numbers = round.last ? kMostLearnt : kMostSearched;
    const std::int64_t wanted = round.last ? to_learn(round, control) : round.runs;
    const std::int64_t count =
        std::min(wanted, std::max(kFewestLearnt, numbers / (2 * shape.width())));
    RunControl said = control.stage(search_share(), 1.0);
    if (!round.last) said.progress = nullptr;
    const std::string purpose =
        round.last ? "learning a score" : "search/" + std::to_string(round.number);
    auto runs = subject(candidate).players->play_both(
        inputs(candidate).base_input(), inputs(candidate).neighbour_input(), count,
        {plan_.seed, purpose, lane_of(plan_, all_[candidate]),
         round.last ? Phase::kPilot : Phase::kSearch},
        said);
    if (runs.error) return tl::make_unexpected(*runs.error);
    count_failures(runs.of[0], false);
    count_failures(runs.of[1], true);
    for (auto& side : runs.of) keep_view(shape, inputs(candidate).changed_row(), plan_, side);
    return SideRuns{std::move(runs.of[0]), std::move(runs.of[1])};
  }

  static bool is_refused(const Result<SideRuns>& played) {
    return !played && played.error().code == ErrorCode::kRefusedInput;
  }

  void count_failures(const OutputBatch& runs, bool on_neighbour) {
    FailureEvidence& seen = chosen_.failures;
    (on_neighbour ? seen.neighbour_runs : seen.base_runs) += runs.count;
    (on_neighbour ? seen.neighbour_failed : seen.base_failed) += runs.failed();
    if (seen.said.empty()) seen.said = plain_text(runs.failure);
  }

  OutputFrequencies frequencies_in(std::size_t candidate, const SideRuns& runs) const {
    return output_frequencies(subject(candidate).players->shape(), inputs(candidate).changed_row(),
                              runs.base_side, runs.neighbour_side);
  }

  void look_at(std::size_t candidate, const SideRuns& runs) {
    chosen_.frequencies = frequencies_in(candidate, runs);
    const OutputBatch* sides[] = {&runs.base_side, &runs.neighbour_side};
    for (std::size_t side = 0; side < 2; ++side) {
      chosen_.only_output[side] = digest_of(sides[side]->play(0));
      for (std::int64_t i = 1; i < sides[side]->count; ++i) {
        if (digest_of(sides[side]->play(i)) != chosen_.only_output[side]) return;
      }
    }
    chosen_.alike = chosen_.only_output[0] != chosen_.only_output[1];
  }

  void report(const SearchRound& round, std::size_t done, std::size_t of,
              const RunControl& control) const {
    const double all = static_cast<double>(rounds_);
    const double part = static_cast<double>(done) / static_cast<double>(of);
    control.stage(0.0, search_share())
        .report("searching pairs", (static_cast<double>(round.number) + part) / all, best_text());
  }

  // Of the runs of this search and of the learning after it.
  double search_share() const {
    const double search = static_cast<double>(rounds_ == 0 ? 0 : budget_.search);
    return search / std::max(1.0, search + static_cast<double>(budget_.learning));
  }

  // A later round has more runs, so its first candidate replaces whatever an earlier round has found.
  void keep_best(const SearchedEvent& found, bool is_first) {
    if (found.found.score == nullptr) return;
    const double promised = promise(found);
    if (!is_first && best_ && promised <= best_promise_) return;
    best_promise_ = promised;
    const bool fails = chosen_.failures.base_failed + chosen_.failures.neighbour_failed > 0;
    best_ = BestSoFar{all_[found.candidate],
                      inputs(found.candidate),
                      {found.found.selected.predicted,
                       found.found.score->words(found.found.selected.event, fails)}};
  }

  std::string best_text() const {
    if (!best_ || best_->estimate.level <= 0.0) return "";
    const bool gaussian =
        asked_of(subjects_[best_->candidate.subject].claim, plan_.delta0).gaussian;
    return fmt::format("{} looks like {}", gaussian ? "mu" : "eps",
                       rounded(best_->estimate.level, 3));
  }

  std::span<const PlayedSubject> subjects_;
  BlackBoxPlan& plan_;
  const RunBudget& budget_;
  BetsLevel bets_;
  double alpha_;  // of the event
  const std::function<Result<bool>(Candidate)>& found_;
  RunsSpent& spent_;
  std::optional<BestSoFar>& best_;
  double best_promise_ = 0.0;
  std::vector<Candidate> all_;
  std::vector<Tried> tried_;  // by candidate
  RunControl clock_;          // of the search
  RunControl::Clock::time_point started_;
  Players* playing_ = nullptr;
  std::optional<std::size_t> challenged_;  // the first candidate around the best, in their round
  bool settled_ = false;
  std::vector<Candidate> reserve_;  // without runs in the budget, the next one last
  std::set<std::size_t> left_out_;  // candidates whose inputs are refused
  std::int64_t refused_ = 0;        // pairs of them, and of those that others replaced
  std::size_t rounds_ = 0;          // before the last
  ChosenEvent chosen_;
};

class RecordedSource final : public PlaySource {
 public:
  RecordedSource(const OutputView& view, const SideRuns& runs, const Asked& asked, double to_see,
                 double alpha, std::int64_t runs_left)
      : view_(view),
        runs_(runs),
        asked_(asked),
        to_see_(to_see),
        alpha_(alpha),
        runs_left_(runs_left) {}
  std::size_t candidates() const override { return 1; }
  OutputView view(std::size_t) const override { return view_; }
  Outlook outlook(std::size_t, double doubt) const override {
    return independent_sides(asked_, alpha_, runs_left_, doubt);
  }
  double claim(std::size_t) const override { return asked_.claimed(); }
  double frequency_to_see(std::size_t) const override {
    return assay::frequency_to_see(asked_, to_see_, alpha_, false, runs_left_);
  }
  Status play(const SearchRound&, std::span<const std::size_t>, RoundLearner& learner,
              const RunControl& control) override {
    const std::int64_t learnt = learning_part(runs_.base_side.count, 0);
    learner.learn(0, cut(runs_, 0, learnt));
    count_rest(0, runs_, learnt, learner, control);
    return {};
  }

 private:
  const OutputView& view_;
  const SideRuns& runs_;
  const Asked& asked_;
  double to_see_;
  double alpha_;
  std::int64_t runs_left_;
};

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
               OutputBatch& runs) {
  const OutputLayout layout(shape);
  const bool hides_round = view_of(shape) == View::kOtherActions;
  const bool rounds_numbers = plan.output_grid > 0.0 && layout.tells_numbers();
  if (!hides_round && !rounds_numbers) return;
  const auto entries = rounds_numbers ? layout.number_entries() : std::vector<std::size_t>();
  const auto width = static_cast<std::size_t>(runs.width);
  const auto stride = static_cast<std::size_t>(layout.stride());
  for (std::size_t first = 0; first < runs.values.size(); first += width) {
    const auto output = std::span(runs.values).subspan(first, width);
    if (is_failed(output)) continue;
    for (const std::size_t entry : entries) {
      output[entry] = std::round(output[entry] / plan.output_grid) * plan.output_grid;
    }
    if (!hides_round || layout.played(output) <= changed_row) continue;
    const auto round = output.subspan(static_cast<std::size_t>(changed_row) * stride, stride);
    std::fill(round.begin(), round.end(), 0.0);
  }
}

std::uint64_t lane_of(const BlackBoxPlan& plan, Candidate candidate) {
  return 2 * static_cast<std::uint64_t>(candidate.subject * plan.pairs.size() + candidate.pair);
}

Result<ChosenEvent> choose_event(std::span<const PlayedSubject> subjects, BlackBoxPlan& plan,
                                 const RunBudget& budget, const BetsLevel& bets, double alpha,
                                 const std::function<Result<bool>(Candidate)>& found,
                                 RunsSpent& spent, std::optional<BestSoFar>& best,
                                 const RunControl& control) {
  TargetRuns source(subjects, plan, budget, bets, alpha, found, spent, best, control);
  const auto rounds = source.rounds();
  return source.chosen(ASSAY_TRY(search_event(source, rounds, control)));
}

Result<SearchedEvent> choose_event(const OutputView& view, const SideRuns& runs, const Asked& asked,
                                   double to_see, double alpha, std::int64_t runs_left,
                                   const RunControl& control) {
  RecordedSource source(view, runs, asked, to_see, alpha, runs_left);
  const SearchRound only{0, true, runs.base_side.count, 1, kDoubt};
  return search_event(source, std::span(&only, 1), control);
}

}  // namespace assay
