#include "assay/auditors/methods/black_box/first_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr std::size_t kPairs = 3;           // that run first
constexpr std::int64_t kWithoutThem = 300;  // runs of pairs alone
constexpr std::chrono::milliseconds kClockMoves{1100}, kNap{20};

// Inputs on which a target with little noise varies: two with all values alike, so that everything is tied, and one
// with no two alike.
std::vector<InputTable> telling_inputs(const InputShape& shape) {
  const bool bounded = shape.domain && shape.domain->bounded();
  const bool whole = shape.domain && shape.domain->integers;
  const double low = bounded ? shape.domain->low : 0.0, high = bounded ? shape.domain->high : 1.0;
  std::vector<InputTable> inputs;
  for (int k = 0; k < 3; ++k) {
    InputTable input = InputTable::zeros(shape.rows(), shape.columns());
    ReplayStream random({1, hash_purpose("telling inputs"), 0, 0, Phase::kCheck});
    for (double& value : input.values) {
      const double share = k == 0 ? 0.0 : k == 1 ? 0.5 : random.uniform();
      value = low + share * (high - low);
      if (whole) value = std::floor(k == 2 ? 10.0 * share : value);
    }
    if (check_input(shape, input)) inputs.push_back(std::move(input));
  }
  return inputs;
}

class Look {
 public:
  Look(const PlayedSubject& subject, const BlackBoxPlan& plan, double alpha, std::int64_t most,
       const RunControl& control)
      : players_(*subject.players),
        plan_(plan),
        asked_(asked_of(subject.claim, plan.delta0)),
        alpha_(alpha),
        most_(most),
        control_(control) {}

  Status run(Target& target) {
    const bool still = ASSAY_TRY(find_pairs(target));
    if (failed_ == look_.runs) return never_works(target);
    if (!still || found_.empty()) return {};
    const double of_one = never_varies_p_value(asked_, 1);
    if (!(of_one < 1.0)) return {};
    const double needed = std::ceil(portable_log(alpha_) / portable_log(of_one) * (1.0 + 1e-9));
    if (!(needed <= static_cast<double>(most_))) return {};
    // Without runs on telling inputs, more runs have to suffice.
    const std::int64_t least = plan_.boundaries ? 0 : std::min(most_, kWithoutThem);
    const auto runs = std::max(static_cast<std::int64_t>(needed), least);
    if (!ASSAY_TRY(stays(target, 0, runs / 2)) || !wait_for_the_clock()) return {};
    const auto fresh = ASSAY_TRY(target.clone());
    if (!ASSAY_TRY(stays(*fresh, runs / 2, runs))) return {};
    look_.pair = found_.front().pair;
    look_.repeated = runs;
    look_.p_value = never_varies_p_value(asked_, runs);
    return {};
  }

  FirstLook found() const { return look_; }

 private:
  // A pair whose inputs give different outputs, and these outputs.
  struct Found {
    std::size_t pair = 0;
    std::array<std::uint64_t, 2> outputs{};
  };

  // Digest of one run, as the adversary sees it.
  Result<std::uint64_t> play(Target& target, const InputTable& input, std::int64_t changed_row,
                             const PlayStream& stream, std::int64_t i) {
    auto batch = ASSAY_TRY(target.play(input, play_seeds(stream, i, 1)));
    ++look_.runs;
    failed_ += batch.failed();
    keep_view(players_.shape(), changed_row, plan_, batch);
    return digest_of(batch.play(0));
  }
  Result<std::uint64_t> play(Target& target, std::size_t pair, bool on_neighbour,
                             const char* purpose, std::int64_t i) {
    const InputPair& inputs = plan_.pairs[pair];
    return play(target, on_neighbour ? inputs.neighbour_input() : inputs.base_input(),
                inputs.changed_row(),
                {plan_.seed, purpose, static_cast<std::uint64_t>(pair), Phase::kCheck}, i);
  }

  // Returns false if an input varies.
  Result<bool> find_pairs(Target& target) {
    std::set<std::size_t> some;
    for (std::size_t k = 0; k < kPairs; ++k) some.insert(k * plan_.pairs.size() / kPairs);
    for (const std::size_t pair : some) {
      const auto stays_here = look_at(target, pair);
      if (!stays_here && note_refusal(stays_here.error())) continue;
      if (!ASSAY_TRY(stays_here)) return false;
    }
    if (!plan_.boundaries) return true;  // a user who gives inputs wants no runs of others
    std::uint64_t lane = plan_.pairs.size();
    for (const InputTable& input : telling_inputs(players_.shape())) {
      const PlayStream stream{plan_.seed, "first look", lane++, Phase::kCheck};
      const auto first = play(target, input, plan_.pairs.front().changed_row(), stream, 0);
      if (!first && note_refusal(first.error())) continue;
      const auto digest = ASSAY_TRY(first);
      if (most_ == 0 && failed_ < look_.runs) return false;
      const auto again =
          ASSAY_TRY(play(target, input, plan_.pairs.front().changed_row(), stream, 1));
      if (again != digest) return false;
    }
    return true;
  }

  // Runs the base input of the first pair twice, because most targets vary there.
  Result<bool> look_at(Target& target, std::size_t pair) {
    Found seen{pair, {}};
    for (const bool on_neighbour : {false, true}) {
      const auto digest =
          ASSAY_TRY(play(target, pair, on_neighbour, "first look", on_neighbour ? 1 : 0));
      if (most_ == 0 && failed_ < look_.runs) return false;
      if (!on_neighbour && pair == 0) {
        const auto again = ASSAY_TRY(play(target, pair, false, "first look", 2));
        if (again != digest) return false;
      }
      seen.outputs[on_neighbour ? 1 : 0] = digest;
    }
    if (seen.outputs[0] != seen.outputs[1]) found_.push_back(seen);
    return true;
  }

  // Notes an input that the target refuses, and leaves it out.
  bool note_refusal(const Error& error) {
    if (error.code != ErrorCode::kRefusedInput) return false;
    refusal_ = error;
    return true;
  }

  Status never_works(const Target& target) const {
    if (look_.runs == 0 && refusal_) return tl::make_unexpected(*refusal_);
    if (look_.runs == 0) return {};
    return tl::make_unexpected(target.first_failure().value_or(
        Error{ErrorCode::kTarget, "the target fails in every run", "", 0}));
  }

  // Whether runs [first, last), of the pairs in turn and each on the input of its coin, repeat that input's output.
  Result<bool> stays(Target& target, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      ReplayStream coin({plan_.seed, hash_purpose("side of a first look"),
                         static_cast<std::uint64_t>(i), 0, Phase::kCheck});
      const bool on_neighbour = coin.next() >> 63 != 0;
      const Found& known = found_[static_cast<std::size_t>(i) % found_.size()];
      const auto digest = ASSAY_TRY(play(target, known.pair, on_neighbour, "never varies", i));
      if (digest != known.outputs[on_neighbour ? 1 : 0]) return false;
    }
    return true;
  }

  bool wait_for_the_clock() const {
    const auto end = RunControl::Clock::now() + kClockMoves;
    while (RunControl::Clock::now() < end) {
      if (control_.stopped()) return false;
      std::this_thread::sleep_for(kNap);
    }
    return true;
  }

  const Players& players_;
  const BlackBoxPlan& plan_;
  Asked asked_;
  double alpha_;
  std::int64_t most_;
  const RunControl& control_;
  std::vector<Found> found_;
  std::int64_t failed_ = 0;       // of the runs so far
  std::optional<Error> refusal_;  // of an input
  FirstLook look_;
};

}  // namespace

double never_varies_p_value(const Asked& asked, std::int64_t runs) {
  const double of_one = 0.5 * (1.0 + allowed_variation(asked));                       // (1)
  const double all = portable_exp(static_cast<double>(runs) * portable_log(of_one));  // (2)
  return std::min(1.0, all * (1.0 + 1e-9));
}

FirstLook look_first(const PlayedSubject& subject, const BlackBoxPlan& plan, double alpha,
                     std::int64_t most, const RunControl& control) {
  const auto look = [&](Target& target, std::size_t) -> Result<FirstLook> {
    Look here(subject, plan, alpha, most, control);
    const Status ended = here.run(target);
    FirstLook found = here.found();
    if (!ended) found.error = ended.error();
    return found;
  };
  auto ran = subject.players->run(1, "a first look", control, look);
  FirstLook found = ran.error ? FirstLook() : std::move(ran.values.front());
  if (ran.error) found.error = std::move(ran.error);
  const bool is_late = found.error && found.error->code == ErrorCode::kInterrupted &&
                       control.out_of_time() && !control.interrupted();
  if (is_late) found.error.reset();
  if (!found.error && control.interrupted()) {
    found.error = Error{ErrorCode::kInterrupted, "interrupted", "", 0};
  }
  return found;
}

std::string no_noise_text(std::int64_t runs, bool promises_seeds) {
  return fmt::format(
      "the target adds no noise on this input: {}given {} different seeds, its runs were all alike "
      "on each of the two inputs, but differ between the two. If it is meant to add noise, a seed "
      "is fixed or the computed scale is 0: draw from the seed that comes with each run. If it is "
      "meant to add none, say so: --deterministic, or \"deterministic\": true in its greeting. "
      "Noise far smaller than the claim needs looks the same",
      promises_seeds ? "it promises that seeds decide its outputs, and " : "", grouped(runs));
}

void add_no_noise(double p_value, double alpha, PairEvidence& evidence) {
  evidence.no_noise = true;
  evidence.checks.push_back(CheckResult::by_p_value(
      "randomness",
      "runs with different seeds never varied on either of two neighbouring inputs, but differ "
      "between the two; the p-value is for the claim",
      p_value, alpha));
}

BlackBoxOutcome outcome_of(const FirstLook& look, const PlayedSubject& subject,
                           const BlackBoxPlan& plan, double alpha) {
  const InputShape& shape = subject.players->shape();
  const InputPair& inputs = plan.pairs[*look.pair];
  const Asked asked = asked_of(subject.claim, plan.delta0);
  BlackBoxOutcome outcome;
  outcome.relation = relation_of(shape, inputs);
  outcome.view = view_of(shape);
  outcome.pair.inputs = inputs;
  outcome.pair.found_by = plan.pairs_text + ", at a first look";
  outcome.pair.shape = shape;
  outcome.pair.shows_both =
      inputs.differing() > 1 || inputs.base_row().size() != inputs.neighbour_row().size();
  PairEvidence& evidence = outcome.evidence;
  evidence.method = "events";
  for (const bool gaussian : {asked.gaussian, !asked.gaussian}) {
    evidence.quantities.push_back(
        gaussian ? unbounded(QuantityKind::kMu, 0.0)
                 : unbounded(QuantityKind::kEpsilonAtDelta, asked.delta.value));
  }
  evidence.ledger.push_back({kLookPurpose, kLookShare * alpha_of(plan.confidence)});
  add_no_noise(look.p_value, alpha, evidence);
  evidence.limits = {
      "The audit searched and certified nothing: runs that never vary do not show the intended noise."};
  evidence.runs = plan.played;
  evidence.runs->budget = plan.runs;
  evidence.runs->checks += look.runs;
  outcome.decision = Decision{Verdict::kInconclusive, Scope::kThisPair,
                              no_noise_text(look.repeated, subject.promises_seeds)};
  return outcome;
}

}  // namespace assay
