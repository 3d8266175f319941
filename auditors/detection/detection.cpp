#include "assay/auditors/detection/detection.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "assay/auditors/detection/output_scores.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/faulty/output_cells.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using faulty::DetectionRow;

constexpr std::int64_t kChunk = 4096;  // samples of one stream
constexpr double kSearchShare = 0.08;
constexpr double kPilotShare = 0.17;
constexpr std::size_t kPairsKept = 2;
constexpr double kLeastProbability = 1e-3;
// Standard errors of the selection part by which an event is marked down: the best of a hundred
// thousand half-lines looks better than it is. Intervals have one of theirs (events.hpp).
constexpr double kHalfLineDoubt = 2.5;
constexpr double kIntervalDoubt = 1.5;

// Calls visit(chunk, outputs) for each chunk of `count` samples, from several threads.
template <class Visit>
void sample_chunks(const DetectionRow& row, std::size_t input, std::uint64_t seed, Phase phase,
                   std::int64_t count, const RunControl& control, const Visit& visit) {
  const auto chunks = static_cast<std::size_t>((count + kChunk - 1) / kChunk);
  parallel_for(control.threads, chunks, [&](std::size_t chunk) {
    if (control.cancelled()) return;
    const std::int64_t first = static_cast<std::int64_t>(chunk) * kChunk;
    const auto size = static_cast<std::size_t>(std::min(kChunk, count - first));
    ReplayStream random({seed, hash_purpose("detect/" + row.name), chunk, input, phase});
    std::vector<double> outputs(size * row.output_size);
    row.sample(input, random, outputs);
    visit(chunk, outputs);
  });
}

OutputBatch stored_samples(const DetectionRow& row, std::size_t input, std::uint64_t seed,
                           Phase phase, std::int64_t count, const RunControl& control) {
  OutputBatch batch{count, static_cast<std::int64_t>(row.output_size), {}};
  batch.values.resize(static_cast<std::size_t>(count) * row.output_size);
  sample_chunks(row, input, seed, phase, count, control,
                [&](std::size_t chunk, const std::vector<double>& outputs) {
                  std::copy(outputs.begin(), outputs.end(),
                            batch.values.begin() +
                                static_cast<std::ptrdiff_t>(
                                    chunk * static_cast<std::size_t>(kChunk) * row.output_size));
                });
  return batch;
}

// The first or second half of the plays.
OutputBatch half_of(const OutputBatch& plays, bool second) {
  const std::int64_t middle = plays.count / 2;
  const std::int64_t from = second ? middle : 0;
  const std::int64_t to = second ? plays.count : middle;
  return {to - from,
          plays.width,
          {plays.values.begin() + from * plays.width, plays.values.begin() + to * plays.width}};
}

struct Candidate {
  std::size_t pair = 0;
  std::shared_ptr<const OutputScore> score;
  SelectedEvent selected;
};

// The number of runs whose standard error covers both what `left` runs will have and the doubt
// about an event chosen on `seen`.
std::int64_t doubtful_runs(double alpha, double doubt, std::int64_t seen, std::int64_t left) {
  const double z = std::max(normal_ccdf_quantile(alpha), 0.1);
  const double root =
      z / std::sqrt(static_cast<double>(left)) + doubt / std::sqrt(static_cast<double>(seen));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>((z / root) * (z / root)));
}

Candidate best_candidate(std::size_t pair, const OutputBatch& old_side, const OutputBatch& new_side,
                         double alpha, std::int64_t left) {
  const SidePlays learn{half_of(old_side, false), half_of(new_side, false)};
  const SidePlays compare{half_of(old_side, true), half_of(new_side, true)};
  EventPlan plan;
  plan.alpha = alpha;
  Candidate best;
  for (const auto& score : learn_output_scores(learn)) {
    plan.events = score->events();
    const double doubt = plan.events == EventClass::kHalfLines ? kHalfLineDoubt : kIntervalDoubt;
    const std::int64_t runs = doubtful_runs(alpha, doubt, compare.old_side.count, left);
    const auto selected = select_event(scores_of(*score, compare.old_side),
                                       scores_of(*score, compare.new_side), plan, runs, runs);
    if (best.score == nullptr || selected.predicted > best.selected.predicted) {
      best = {pair, score, selected};
    }
  }
  return best;
}

// The pairs' candidates from `per_input` samples of each input they need, best first.
std::vector<Candidate> compare_pairs(const DetectionRow& row, const std::vector<std::size_t>& pairs,
                                     const DetectionPlan& plan, Phase phase, std::int64_t budget,
                                     std::int64_t left, const RunControl& control,
                                     std::int64_t& spent) {
  std::map<std::size_t, OutputBatch> plays;
  for (const std::size_t pair : pairs) {
    for (const std::size_t input : row.pairs[pair]) plays[input];
  }
  const std::int64_t per_input = budget / static_cast<std::int64_t>(plays.size());
  for (auto& [input, batch] : plays) {
    batch = stored_samples(row, input, plan.seed, phase, per_input, control);
    spent += per_input;
  }
  std::vector<Candidate> found(pairs.size());
  if (control.cancelled()) return found;
  parallel_for(control.threads, pairs.size(), [&](std::size_t i) {
    const auto& [a, b] = row.pairs[pairs[i]];
    found[i] = best_candidate(pairs[i], plays.at(a), plays.at(b), 1.0 - plan.confidence, left);
  });
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return a.selected.predicted > b.selected.predicted;
  });
  return found;
}

std::int64_t count_hits(const DetectionRow& row, const Candidate& candidate, std::size_t input,
                        const DetectionPlan& plan, std::int64_t count, const RunControl& control) {
  std::vector<std::int64_t> hits(static_cast<std::size_t>((count + kChunk - 1) / kChunk), 0);
  sample_chunks(row, input, plan.seed, Phase::kCertify, count, control,
                [&](std::size_t chunk, const std::vector<double>& outputs) {
                  std::int64_t here = 0;
                  for (std::size_t i = 0; i < outputs.size(); i += row.output_size) {
                    const auto output = std::span(outputs).subspan(i, row.output_size);
                    here += candidate.selected.event.contains(candidate.score->score(output));
                  }
                  hits[chunk] = here;
                });
  std::int64_t sum = 0;
  for (const std::int64_t here : hits) sum += here;
  return sum;
}

}  // namespace

bool Detection::as_expected() const {
  return complete() && std::all_of(results.begin(), results.end(),
                                   [](const DetectionResult& r) { return r.as_expected(); });
}

std::int64_t sniper_samples(const DetectionRow& row) {
  return 2 * static_cast<std::int64_t>(row.pairs.size()) * 5'000'000 + 20'000'000;
}

double best_event_of(const DetectionRow& row, double least, int threads) {
  std::vector<double> best(row.pairs.size());
  parallel_for(threads, row.pairs.size(), [&](std::size_t pair) {
    const auto cells = row.cells(pair);
    best[pair] = std::max(
        faulty::best_event_epsilon(cells, least, faulty::LeastOf::kLarger),
        faulty::best_event_epsilon(faulty::exchanged(cells), least, faulty::LeastOf::kLarger));
  });
  return *std::max_element(best.begin(), best.end());
}

Result<std::vector<const DetectionRow*>> select_rows(const std::vector<DetectionRow>& table,
                                                     const std::vector<std::string>& patterns) {
  std::vector<std::string> known;
  for (const auto& row : table) known.push_back(row.name);
  std::vector<bool> chosen(table.size(), patterns.empty());
  for (const auto& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!glob_match(pattern, table[i].name)) continue;
      chosen[i] = true;
      any = true;
    }
    if (!any) {
      return fail(ErrorCode::kUnknownKey,
                  is_glob(pattern)
                      ? "no mechanism matches '" + pattern + "'; `assay list detect` names them"
                      : "unknown mechanism '" + pattern + "'" + nearest_hint(pattern, known));
    }
  }
  std::vector<const DetectionRow*> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (chosen[i]) rows.push_back(&table[i]);
  }
  return rows;
}

Status check_plan(const DetectionPlan& plan) {
  if (!(plan.confidence >= 0.5 && plan.confidence <= 1.0 - 1e-9)) {
    return fail(ErrorCode::kInvalidArgument, "confidence must lie in [0.5, 1 - 1e-9]",
                "/confidence");
  }
  if (!(plan.sample_share >= 0.001 && plan.sample_share <= 0.1)) {
    return fail(ErrorCode::kInvalidArgument, "sample_share must lie in [0.001, 0.1]",
                "/sample_share");
  }
  return {};
}

DetectionResult detect_row(const DetectionRow& row, const DetectionPlan& plan,
                           const RunControl& control) {
  const auto started = std::chrono::steady_clock::now();
  DetectionResult result;
  result.row = &row;
  result.sniper_samples = sniper_samples(row);
  const double budget = plan.sample_share * static_cast<double>(result.sniper_samples);
  const auto part = [&](double share) { return static_cast<std::int64_t>(budget * share); };
  const std::int64_t left = part(1.0 - kSearchShare - kPilotShare);

  std::vector<std::size_t> pairs(row.pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = i;
  const auto searched = compare_pairs(row, pairs, plan, Phase::kSearch, part(kSearchShare),
                                      left / 2, control, result.samples);
  if (control.cancelled()) return result;
  pairs.clear();
  for (std::size_t i = 0; i < std::min(kPairsKept, searched.size()); ++i) {
    pairs.push_back(searched[i].pair);
  }
  const Candidate best = compare_pairs(row, pairs, plan, Phase::kPilot, part(kPilotShare), left / 2,
                                       control, result.samples)
                             .front();
  if (control.cancelled()) return result;

  result.pair = best.pair;
  result.score = best.score->name();
  result.selected = best.selected;
  const double p = best.selected.p;
  const double q = best.selected.q;
  const double ratio =
      p > q && p < 1.0 ? std::clamp(best_ratio(Epsilon{portable_log(p / q)}, p, q), 1.0 / 16, 16.0)
                       : 1.0;
  const auto of_p = static_cast<std::int64_t>(static_cast<double>(left) / (1.0 + ratio));
  const bool old_is_p = best.selected.orientation == EventOrientation::kOldAboveNew;
  const auto& [old_input, new_input] = row.pairs[best.pair];
  result.counts.n = of_p;
  result.counts.m = left - of_p;
  result.counts.x = count_hits(row, best, old_is_p ? old_input : new_input, plan, of_p, control);
  result.counts.y =
      count_hits(row, best, old_is_p ? new_input : old_input, plan, left - of_p, control);
  result.samples += left;
  if (control.cancelled()) return result;
  const auto test = ExactTest::create(result.counts, 1.0 - plan.confidence);
  ASSAY_CHECK(test.has_value(), "the budget and the confidence were checked");
  result.lower = test->epsilon_lower_bound(Delta{0.0}).value.value;
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

Result<Detection> detect(const std::vector<const DetectionRow*>& rows, const DetectionPlan& plan,
                         const RunControl& control,
                         const std::function<void(const DetectionResult&)>& done) {
  if (const auto status = check_plan(plan); !status) return tl::make_unexpected(status.error());
  Detection detection;
  detection.plan = plan;
  detection.selected = static_cast<std::int64_t>(rows.size());
  for (const DetectionRow* row : rows) {
    control.report(row->name, static_cast<double>(detection.results.size()) /
                                  static_cast<double>(rows.size()));
    DetectionResult result = detect_row(*row, plan, control);
    if (control.cancelled()) break;
    result.best_event = best_event_of(*row, kLeastProbability, control.threads);
    detection.results.push_back(std::move(result));
    if (done) done(detection.results.back());
  }
  return detection;
}

}  // namespace assay
