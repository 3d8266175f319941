#include "assay/auditors/methods/black_box/pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFirstRound = 2 * kPlayChunk;  // plays a side of each candidate
constexpr std::size_t kFewestPairs = 3;               // of each subject
constexpr std::int64_t kMostSearched = 1 << 23;       // numbers of the outputs of a candidate,
constexpr std::int64_t kMostLearnt = 1 << 25;         // of the last one,
constexpr std::int64_t kMostKept = 1 << 24;           // and of those that are kept for later rounds
constexpr std::int64_t kFewestLearnt = 32;            // plays a side, however long
constexpr double kDoubt = 0.5;

// For bounds from `runs` plays of each side: by standard errors of p, and of q by the upper limit that as
// many hits as are expected allow,
//     log((x + z^2/2 + z sqrt(x (1 - q) + z^2/4))/x),  x = q runs,
// which for a handful of them is less than their standard error says. For a claim in mu: events near
// the middle, not at delta0.
Outlook independent_sides(const Asked& asked, double alpha, std::int64_t runs, double doubt) {
  const double z = std::max(normal_ccdf_quantile(alpha), 0.1);
  const auto n = static_cast<double>(runs);
  const double delta = asked.gaussian ? 0.0 : asked.delta.value;
  return {delta, doubt, [z, n, delta](double p, double q, double) {
            const double of_p = z * std::sqrt(p * (1.0 - p) / n) / (p - delta);
            const double x = q * n;
            const double most = x + 0.5 * z * z + z * std::sqrt(x * (1.0 - q) + 0.25 * z * z);
            const double of_q = portable_log(most / x);
            return std::sqrt(of_p * of_p + of_q * of_q);
          }};
}

void append(const SidePlays& more, SidePlays& plays) {
  append(more.old_side, plays.old_side);
  append(more.new_side, plays.new_side);
}

std::int64_t numbers_of(const SidePlays& plays) {
  return static_cast<std::int64_t>(plays.old_side.values.size() + plays.new_side.values.size());
}

class TargetPlays final : public PlaySource {
 public:
  TargetPlays(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan, double alpha,
              const std::function<Status(Candidate)>& found)
      : subjects_(subjects),
        plan_(plan),
        alpha_(alpha),
        found_(found),
        all_(candidates_of(subjects.size(), plan.pairs.size())),
        kept_(all_.size()) {}

  std::vector<SearchRound> rounds() const {
    std::vector<SearchRound> rounds;
    std::int64_t plays = kFirstRound;
    std::size_t alive = all_.size();
    for (; alive > 1; plays *= 2) {
      alive = (alive + 1) / 2;
      rounds.push_back({rounds.size(), false, plays, alive, kDoubt});
    }
    plays = 2 * std::max<std::int64_t>(plan_.samples / 3, 4 * kPlayChunk);
    rounds.push_back({rounds.size(), true, plays, 1, kDoubt});
    return rounds;
  }

  std::size_t candidates() const override { return all_.size(); }
  OutputView view(std::size_t candidate) const override {
    return {subject(candidate).players->shape(), inputs(candidate).changed_row()};
  }
  Outlook outlook(std::size_t candidate, double doubt) const override {
    return independent_sides(asked(candidate), alpha_, plan_.samples, doubt);
  }
  Epsilon claim(std::size_t candidate) const override {
    return asked(candidate).gaussian ? Epsilon{0.0} : asked(candidate).epsilon;
  }

  Status play(const SearchRound& round, std::span<const std::size_t> candidates,
              RoundLearner& learner, const RunControl& control) override {
    std::size_t done = 0;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (std::find(candidates.begin(), candidates.end(), i) == candidates.end()) kept_[i] = {};
    }
    for (const std::size_t candidate : candidates) {
      if (round.last) ASSAY_TRY(found_(all_[candidate]));
      auto fresh = ASSAY_TRY(play_one(round, candidate, control));
      if (round.last) look_alike(fresh);
      SidePlays& kept = kept_[candidate];
      const std::int64_t learnt = learning_part(fresh.old_side.count, kept.old_side.count);
      append(cut(fresh, 0, learnt), kept);
      learner.learn(candidate, kept);
      count_rest(candidate, fresh, learnt, learner, control);
      append(cut(fresh, learnt, fresh.old_side.count - learnt), kept);
      std::int64_t all = 0;
      for (const SidePlays& plays : kept_) all += numbers_of(plays);
      if (all > kMostKept || round.last) kept = {};
      if (!round.last) report(round, ++done, candidates.size(), control);
    }
    return {};
  }

  ChosenEvent chosen(SearchedEvent event) const {
    return {all_[event.candidate], std::move(event), alike_, only_output_};
  }

 private:
  const PlayedSubject& subject(std::size_t candidate) const {
    return subjects_[all_[candidate].subject];
  }
  const InputPair& inputs(std::size_t candidate) const { return plan_.pairs[all_[candidate].pair]; }
  Asked asked(std::size_t candidate) const {
    return asked_of(subject(candidate).claim, plan_.delta0);
  }

  // In random order, as keep_view leaves them; fewer where outputs are so long that they would not fit.
  Result<SidePlays> play_one(const SearchRound& round, std::size_t candidate,
                             const RunControl& control) const {
    const InputShape& shape = subject(candidate).players->shape();
    const std::int64_t numbers = round.last ? kMostLearnt : kMostSearched;
    const std::int64_t count =
        std::min(round.plays, std::max(kFewestLearnt, numbers / (2 * shape.width())));
    RunControl said = control;
    if (!round.last) said.progress = nullptr;
    const std::string purpose =
        round.last ? "learning a score" : "search/" + std::to_string(round.number);
    auto plays = subject(candidate).players->play_both(
        inputs(candidate).old_input(), inputs(candidate).new_input(), count,
        {plan_.seed, purpose, lane_of(plan_, all_[candidate]),
         round.last ? Phase::kPilot : Phase::kSearch},
        said);
    if (plays.error) return tl::make_unexpected(*plays.error);
    for (auto& side : plays.of) keep_view(shape, inputs(candidate).changed_row(), plan_, side);
    return SidePlays{std::move(plays.of[0]), std::move(plays.of[1])};
  }

  void look_alike(const SidePlays& plays) {
    const OutputBatch* sides[] = {&plays.old_side, &plays.new_side};
    for (std::size_t side = 0; side < 2; ++side) {
      only_output_[side] = digest_of(sides[side]->play(0));
      for (std::int64_t i = 1; i < sides[side]->count; ++i) {
        if (digest_of(sides[side]->play(i)) != only_output_[side]) return;
      }
    }
    alike_ = only_output_[0] != only_output_[1];
  }

  void report(const SearchRound& round, std::size_t done, std::size_t of,
              const RunControl& control) const {
    const double all = std::max(1.0, std::ceil(std::log2(static_cast<double>(all_.size()))));
    const double part = static_cast<double>(done) / static_cast<double>(of);
    control.report("searching pairs", (static_cast<double>(round.number) + part) / all);
  }

  std::span<const PlayedSubject> subjects_;
  const BlackBoxPlan& plan_;
  double alpha_;
  const std::function<Status(Candidate)>& found_;
  std::vector<Candidate> all_;
  std::vector<SidePlays> kept_;  // of earlier rounds
  bool alike_ = false;
  std::array<std::uint64_t, 2> only_output_{};
};

class RecordedSource final : public PlaySource {
 public:
  RecordedSource(const OutputView& view, const SidePlays& plays, const Asked& asked, double alpha,
                 std::int64_t runs_left)
      : view_(view), plays_(plays), asked_(asked), alpha_(alpha), runs_left_(runs_left) {}
  std::size_t candidates() const override { return 1; }
  OutputView view(std::size_t) const override { return view_; }
  Outlook outlook(std::size_t, double doubt) const override {
    return independent_sides(asked_, alpha_, runs_left_, doubt);
  }
  Epsilon claim(std::size_t) const override {
    return asked_.gaussian ? Epsilon{0.0} : asked_.epsilon;
  }
  Status play(const SearchRound&, std::span<const std::size_t>, RoundLearner& learner,
              const RunControl& control) override {
    const std::int64_t learnt = learning_part(plays_.old_side.count, 0);
    learner.learn(0, cut(plays_, 0, learnt));
    count_rest(0, plays_, learnt, learner, control);
    return {};
  }

 private:
  const OutputView& view_;
  const SidePlays& plays_;
  const Asked& asked_;
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
               OutputBatch& plays) {
  const OutputLayout layout(shape);
  const bool hides_round = view_of(shape) == View::kOtherActions;
  const bool rounds_numbers = plan.output_grid > 0.0 && layout.tells_numbers();
  if (!hides_round && !rounds_numbers) return;
  const auto entries = rounds_numbers ? layout.number_entries() : std::vector<std::size_t>();
  const auto width = static_cast<std::size_t>(plays.width);
  const auto stride = static_cast<std::size_t>(layout.stride());
  for (std::size_t first = 0; first < plays.values.size(); first += width) {
    const auto output = std::span(plays.values).subspan(first, width);
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

Result<ChosenEvent> choose_event(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan,
                                 double alpha, const std::function<Status(Candidate)>& found,
                                 const RunControl& control) {
  TargetPlays source(subjects, plan, alpha, found);
  const auto rounds = source.rounds();
  return source.chosen(ASSAY_TRY(search_event(source, rounds, control)));
}

Result<SearchedEvent> choose_event(const OutputView& view, const SidePlays& plays,
                                   const Asked& asked, double alpha, std::int64_t runs_left,
                                   const RunControl& control) {
  RecordedSource source(view, plays, asked, alpha, runs_left);
  const SearchRound only{0, true, plays.old_side.count, 1, kDoubt};
  return search_event(source, std::span(&only, 1), control);
}

}  // namespace assay
