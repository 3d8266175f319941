#include "assay/auditors/detection/event_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "assay/auditors/detection/adaptive_bins.hpp"
#include "assay/auditors/detection/output_scores.hpp"
#include "assay/auditors/detection/row_samples.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::SampleStage;
using faulty::DetectionRow;

using SampleCounts = std::map<std::size_t, std::int64_t>;  // by input

constexpr double kClear = 3.0;         // of (3)
constexpr double kStep = 0.3;          // of (2)
constexpr double kLeftShare = 0.65;    // of the samples, about: 0.58 to 0.8
constexpr double kBettingWidth = 1.1;  // of the bets, in z_alpha standard errors
// For each input in play: its share of all samples, round by round, and the part of the pairs that
// goes on.
constexpr std::array<double, 4> kShares{0.01, 0.01, 0.02, 0.05};
constexpr std::array<double, 4> kDoubts{0.0, 0.5, 1.0, 1.0};  // of (1)
constexpr std::array<std::size_t, 4> kParts{1, 2, 8, 8};

// One score of a pair with its candidate events: how many samples of either side fall between cuts.
struct ComparedScore {
  std::shared_ptr<const OutputScore> score;
  std::vector<std::int64_t> cuts;  // ranks
  std::array<std::vector<std::int64_t>, 2> counts;
  // Of coupled pairs: how many have the smaller, or the larger, of their two bins here.
  std::vector<std::int64_t> smaller, larger;
};

struct ComparedPair {
  std::size_t pair;
  std::vector<ComparedScore> scores;
};

// As many samples of each input in play.
SampleCounts shared_out(const DetectionRow& row, const std::vector<std::size_t>& pairs,
                        double per_input) {
  SampleCounts out;
  for (const std::size_t pair : pairs) {
    for (const std::size_t input : row.pairs[pair]) {
      out[input] = static_cast<std::int64_t>(per_input);
    }
  }
  return out;
}

ComparedPair learnt_pair(std::size_t pair, const SidePlays& plays) {
  constexpr std::int64_t kMostForCuts = 1 << 17;
  constexpr std::size_t kFewestOutside = 8;
  ComparedPair out{pair, {}};
  const auto some = [](const OutputScore& score, const OutputBatch& batch) {
    const std::int64_t step = batch.count / kMostForCuts + 1;
    std::vector<double> scores;
    for (std::int64_t i = 0; i < batch.count; i += step)
      scores.push_back(score.score(batch.play(i)));
    return scores;
  };
  for (auto& score : learn_output_scores(plays)) {
    ComparedScore made;
    made.cuts = quantile_cuts(some(*score, plays.old_side), some(*score, plays.new_side),
                              kFewestOutside, std::sqrt(2.0));
    if (made.cuts.empty()) continue;
    for (auto& side : made.counts) side.assign(made.cuts.size() + 1, 0);
    made.smaller = made.larger = made.counts.front();
    made.score = std::move(score);
    out.scores.push_back(std::move(made));
  }
  return out;
}

// Adds one chunk of coupled samples of both sides to the counts of a score.
void count_pairs(const std::array<const std::vector<double>*, 2>& outputs, std::size_t width,
                 ComparedScore& score, std::mutex& merging) {
  ComparedScore here;
  for (auto& side : here.counts) side.assign(score.cuts.size() + 1, 0);
  here.smaller = here.larger = here.counts.front();
  for (std::size_t i = 0; i < outputs[0]->size(); i += width) {
    std::array<std::size_t, 2> bins{};
    for (const std::size_t side : {0u, 1u}) {
      bins[side] =
          bin_of(score.cuts, score.score->score(std::span(*outputs[side]).subspan(i, width)));
      ++here.counts[side][bins[side]];
    }
    ++here.smaller[std::min(bins[0], bins[1])];
    ++here.larger[std::max(bins[0], bins[1])];
  }
  const std::lock_guard lock(merging);
  for (std::size_t b = 0; b < here.smaller.size(); ++b) {
    for (const std::size_t side : {0u, 1u}) score.counts[side][b] += here.counts[side][b];
    score.smaller[b] += here.smaller[b];
    score.larger[b] += here.larger[b];
  }
}

// Counts fresh coupled samples of the inputs in all scores of the pairs.
void count_samples(const DetectionRow& row, const SampleStage& stage, const SampleCounts& samples,
                   std::vector<ComparedPair>& pairs, const RunControl& control) {
  std::mutex merging;
  const std::int64_t all = samples.begin()->second;
  parallel_for(control.threads, detail::chunks_of(all), [&](std::size_t chunk) {
    if (control.cancelled()) return;
    std::map<std::size_t, std::vector<double>> outputs;
    for (const auto& [input, count] : samples) {
      outputs[input] = detail::sample_chunk(row, input, stage, all, chunk);
    }
    for (auto& compared : pairs) {
      const auto& sides = row.pairs[compared.pair];
      for (auto& score : compared.scores) {
        count_pairs({&outputs.at(sides[0]), &outputs.at(sides[1])}, row.output_size, score,
                    merging);
      }
    }
  });
}

double error_of(double probability, double runs) {
  return std::sqrt((1.0 - probability) / (probability * runs));
}

// The log ratio of nested half-lines, each inside the one before, as they are counted: its steps
// are nearly independent, and each is shrunk by how much of it may be noise.
class NestedRatio {
 public:
  void observe(double p, double q, double variance) {
    const double counted = portable_log(p / q);
    if (p > 0.5 || !started_) {
      mean_ = counted;
      variance_ = variance;
    } else {
      const double of_step = std::max(variance - last_variance_, 0.0);
      const double prior = kStep * kStep * (mean_ * mean_ + variance_) *
                           std::max(0.0, portable_log(last_p_ / p) / kLog2);
      const double step = counted - last_;
      const double by_prior = prior > 0.0 ? prior / (prior + of_step) : 0.0;
      // (3)
      const double clear = step == 0.0 ? 0.0 : 1.0 - kClear * kClear * of_step / (step * step);
      const double kept = std::max(by_prior, clear);
      mean_ += kept * step;  // (2)
      variance_ += kept * of_step;
    }
    started_ = true;
    last_ = counted;
    last_variance_ = variance;
    last_p_ = p;
  }
  double mean() const { return mean_; }  // r
  double error() const { return std::sqrt(variance_); }

 private:
  bool started_ = false;
  double mean_ = 0.0, variance_ = 0.0;
  double last_ = 0.0, last_variance_ = 0.0, last_p_ = 1.0;
};

// What an event will be certified with, and how it is marked down until then.
struct Outlook {
  double z;
  double left;
  double doubt;
};

double worth(const NestedRatio& ratio, double p, double both, const Outlook& outlook) {  // (1)
  if (!(ratio.mean() > 0.0)) return -std::numeric_limits<double>::infinity();
  const double q = p * portable_exp(-ratio.mean());
  const double error =
      certified_coupled(q, outlook.left)
          ? kBettingWidth * std::sqrt(pair_variance(p, q, std::min(both, q)) / (0.5 * outlook.left))
          : error_of(p, outlook.left) + error_of(q, outlook.left);
  return ratio.mean() - outlook.z * error - outlook.doubt * ratio.error();
}

// The half-line of one score that is worth most.
FoundEvent best_half_line(const ComparedScore& score, const Outlook& outlook) {
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  double runs = 0.0;
  for (const std::int64_t count : score.smaller) runs += static_cast<double>(count);
  FoundEvent best;
  best.selected.event = {score.cuts.front(), kHighest, true};
  best.selected.p = best.selected.q = best.both = 1.0;
  best.selected.predicted = -std::numeric_limits<double>::infinity();
  for (const bool above : {true, false}) {
    for (const std::size_t on_p : {0u, 1u}) {
      NestedRatio ratio;
      std::array<double, 2> inside{runs, runs};
      double inside_both = runs;
      const std::size_t cuts = score.cuts.size();
      for (std::size_t i = 0; i < cuts; ++i) {
        const std::size_t left_out = above ? i : cuts - i;
        const std::size_t cut = above ? i : cuts - 1 - i;
        for (const std::size_t side : {0u, 1u}) {
          inside[side] -= static_cast<double>(score.counts[side][left_out]);
        }
        inside_both -= static_cast<double>((above ? score.smaller : score.larger)[left_out]);
        const double p = (inside[on_p] + 0.5) / (runs + 1.0);
        const double q = (inside[1 - on_p] + 1.0) / (runs + 1.5);
        if (!(p < 1.0 && q < 1.0)) continue;
        const double both = std::clamp(inside_both / runs, 0.0, std::min(p, q) - 0.5 / runs);
        ratio.observe(p, q, pair_variance(p, q, both) / runs);
        const double value = worth(ratio, p, both, outlook);
        if (value <= best.selected.predicted) continue;
        best.selected = {
            {score.cuts[cut], kHighest, above},
            on_p == 0 ? EventOrientation::kOldAboveNew : EventOrientation::kNewAboveOld,
            p,
            p * portable_exp(-ratio.mean()),
            value};
        best.both = std::min(both, best.selected.q);
      }
    }
  }
  return best;
}

// The best event of each pair, best pair first.
std::vector<FoundEvent> ranked(const std::vector<ComparedPair>& pairs, const Outlook& outlook) {
  std::vector<FoundEvent> out;
  for (const auto& compared : pairs) {
    FoundEvent best;
    for (const auto& score : compared.scores) {
      FoundEvent found = best_half_line(score, outlook);
      if (best.score != nullptr && found.selected.predicted <= best.selected.predicted) continue;
      best = std::move(found);
      best.pair = compared.pair;
      best.score = score.score;
    }
    if (best.score != nullptr) out.push_back(std::move(best));
  }
  std::stable_sort(out.begin(), out.end(), [](const FoundEvent& a, const FoundEvent& b) {
    return a.selected.predicted > b.selected.predicted;
  });
  return out;
}

// The samples of all rounds so far, input by input, as many as memory should hold.
class Store {
 public:
  Store(const DetectionRow& row, const RunControl& control) : row_(row), control_(control) {}
  void add(const SampleStage& stage, const SampleCounts& samples, const SampleCounts& wanted) {
    const auto most = kMostNumbers / static_cast<std::int64_t>(row_.output_size);
    for (const auto& [input, unused] : wanted) {
      const auto found = samples.find(input);
      if (found == samples.end()) continue;
      OutputBatch& batch = plays_[input];
      const auto more = detail::stored_samples(
          row_, input, stage, std::min(found->second, most - batch.count), control_);
      batch.width = more.width;
      batch.count += more.count;
      batch.values.insert(batch.values.end(), more.values.begin(), more.values.end());
    }
  }
  SidePlays sides(std::size_t pair) const {
    return {plays_.at(row_.pairs[pair][0]), plays_.at(row_.pairs[pair][1])};
  }

 private:
  static constexpr std::int64_t kMostNumbers = 2'500'000;
  const DetectionRow& row_;
  const RunControl& control_;
  std::map<std::size_t, OutputBatch> plays_;
};

std::vector<ComparedPair> learnt(const Store& store, const std::vector<std::size_t>& pairs,
                                 const RunControl& control) {
  std::vector<ComparedPair> out(pairs.size());
  parallel_for(control.threads, pairs.size(), [&](std::size_t i) {
    if (!control.cancelled()) out[i] = learnt_pair(pairs[i], store.sides(pairs[i]));
  });
  return out;
}

}  // namespace

FoundEvent search_event(const DetectionRow& row, const EventSearch& search,
                        const RunControl& control) {
  std::vector<std::size_t> pairs(row.pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = i;
  std::vector<std::pair<SampleStage, SampleCounts>> seen;
  const double z = std::max(normal_ccdf_quantile(search.alpha), 0.1);
  const double left = kLeftShare * static_cast<double>(search.budget);
  FoundEvent best;
  std::int64_t spent = 0;
  for (std::size_t round = 0; round < kShares.size(); ++round) {
    const bool last = round + 1 == kShares.size();
    const SampleStage stage{search.seed, last ? Phase::kPilot : Phase::kSearch, round, true};
    const auto samples =
        shared_out(row, pairs, static_cast<double>(search.budget) * kShares[round]);
    for (const auto& [input, count] : samples) spent += count;
    if (round > 0) {
      Store store(row, control);
      for (const auto& [earlier, drawn] : seen) store.add(earlier, drawn, samples);
      auto compared = learnt(store, pairs, control);
      count_samples(row, stage, samples, compared, control);
      if (control.cancelled()) return {};
      const auto found = ranked(compared, {z, left, kDoubts[round]});
      ASSAY_CHECK(!found.empty(), "the outputs of the table's rows vary");
      best = found.front();
      const std::size_t kept = std::max<std::size_t>(1, row.pairs.size() / kParts[round]);
      pairs.clear();
      for (std::size_t i = 0; i < std::min(kept, found.size()); ++i) pairs.push_back(found[i].pair);
    }
    seen.emplace_back(stage, samples);
  }
  best.samples = spent;
  return best;
}

}  // namespace assay
