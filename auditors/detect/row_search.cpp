#include "assay/auditors/detect/row_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "assay/auditors/detect/row_samples.hpp"
#include "assay/auditors/methods/black_box/event_search.hpp"
#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/normal.hpp"

namespace assay {
namespace {

using detail::SampleStage;
using faulty::DetectionRow;

constexpr double kLeftShare = 0.65;    // of the samples, about: 0.58 to 0.8
constexpr double kBettingWidth = 1.1;  // of the bets, in z_alpha standard errors
// For each input that is still searched: its share of all samples, round by round, and the part of the pairs
// that goes on.
constexpr std::array<double, 4> kShares{0.01, 0.01, 0.02, 0.05};
constexpr std::array<double, 4> kDoubts{0.0, 0.5, 1.0, 1.0};
constexpr std::array<std::size_t, 4> kParts{1, 2, 8, 8};

double error_of(double probability, double runs) {
  return std::sqrt((1.0 - probability) / (probability * runs));
}

class RowRuns final : public PlaySource {
 public:
  RowRuns(const DetectionRow& row, const RowSearch& search) : row_(row), search_(search) {}

  std::vector<SearchRound> rounds() const {
    std::vector<SearchRound> rounds;
    for (std::size_t i = 0; i < kShares.size(); ++i) {
      rounds.push_back({i, i + 1 == kShares.size(),
                        static_cast<std::int64_t>(static_cast<double>(search_.budget) * kShares[i]),
                        std::max<std::size_t>(1, row_.pairs.size() / kParts[i]), kDoubts[i]});
    }
    return rounds;
  }
  std::int64_t samples() const { return samples_; }

  std::size_t candidates() const override { return row_.pairs.size(); }
  OutputView view(std::size_t) const override {
    OutputView view;
    view.shape.kind = InputKind::kMechanism;
    view.shape.outputs = static_cast<std::int64_t>(row_.output_size);
    view.cheap = true;
    return view;
  }
  Outlook outlook(std::size_t, double doubt) const override {
    const double z = std::max(normal_ccdf_quantile(search_.alpha), 0.1);
    const double left = kLeftShare * static_cast<double>(search_.budget);
    return {0.0, doubt, [z, left](double p, double q, double both) {
              const double error =
                  certified_coupled(q, left)
                      ? kBettingWidth *
                            std::sqrt(pair_variance(p, q, std::min(both, q)) / (0.5 * left))
                      : error_of(p, left) + error_of(q, left);
              return z * error;
            }};
  }
  double claim(std::size_t) const override { return 0.0; }

  Status play(const SearchRound& round, std::span<const std::size_t> pairs, RoundLearner& learner,
              const RunControl& control) override {
    const SampleStage stage{search_.seed, round.last ? Phase::kPilot : Phase::kSearch, round.number,
                            true};
    std::map<std::size_t, OutputBatch> earlier;  // by input
    for (const std::size_t pair : pairs) {
      for (const std::size_t input : row_.pairs[pair]) earlier[input] = {};
    }
    samples_ += round.runs * static_cast<std::int64_t>(earlier.size());
    if (!stages_.empty()) {
      for (auto& [input, samples] : earlier) samples = seen(input, control);
      parallel_for(control.threads, pairs.size(), [&](std::size_t i) {
        if (control.cancelled()) return;
        const auto& [base_input, neighbour_input] = row_.pairs[pairs[i]];
        learner.learn(pairs[i], {earlier.at(base_input), earlier.at(neighbour_input)});
      });
      count_fresh(stage, round.runs, pairs, earlier, learner, control);
    }
    stages_.emplace_back(stage, round.runs);
    return {};
  }

 private:
  // The samples of all rounds so far, as many as memory should hold. An input that is still searched has been
  // searched in all of them.
  OutputBatch seen(std::size_t input, const RunControl& control) const {
    constexpr std::int64_t kMostNumbers = 2'500'000;
    const auto most = kMostNumbers / static_cast<std::int64_t>(row_.output_size);
    OutputBatch all{0, static_cast<std::int64_t>(row_.output_size), {}};
    for (const auto& [stage, count] : stages_) {
      const auto more =
          detail::stored_samples(row_, input, stage, std::min(count, most - all.count), control);
      append(more, all);
    }
    return all;
  }

  // Gives fresh samples of the inputs to all pairs. Each sample is drawn once.
  void count_fresh(const SampleStage& stage, std::int64_t count, std::span<const std::size_t> pairs,
                   const std::map<std::size_t, OutputBatch>& inputs, RoundLearner& learner,
                   const RunControl& control) const {
    const auto sample = [&](std::size_t chunk) {
      std::vector<OutputBatch> fresh;
      if (control.cancelled()) return fresh;
      for (const auto& [input, unused] : inputs) {
        OutputBatch& batch = fresh.emplace_back();
        batch.width = static_cast<std::int64_t>(row_.output_size);
        batch.values = detail::sample_chunk(row_, input, stage, count, chunk);
        batch.count = static_cast<std::int64_t>(batch.values.size() / row_.output_size);
      }
      return fresh;
    };
    const auto take = [&](const std::vector<OutputBatch>& fresh) {
      if (fresh.empty()) return;
      const auto of = [&](std::size_t input) -> const OutputBatch& {
        return fresh[static_cast<std::size_t>(std::distance(inputs.begin(), inputs.find(input)))];
      };
      for (const std::size_t pair : pairs) {
        const auto& [base_input, neighbour_input] = row_.pairs[pair];
        learner.count(pair, {of(base_input), of(neighbour_input)});
      }
    };
    const std::size_t chunks = detail::chunks_of(count);
    if (!is_shared(control)) {
      parallel_for(control.threads, chunks, [&](std::size_t chunk) { take(sample(chunk)); });
      return;
    }
    // Every process counts all samples, a part of them at a time.
    const auto part = 8 * static_cast<std::size_t>(control.workers());
    for (std::size_t first = 0; first < chunks; first += part) {
      const auto fresh = map_chunks(control, std::min(part, chunks - first),
                                    [&](std::size_t i) { return sample(first + i); });
      parallel_for(control.threads, fresh.size(), [&](std::size_t i) { take(fresh[i]); });
    }
  }

  const DetectionRow& row_;
  const RowSearch& search_;
  std::vector<std::pair<SampleStage, std::int64_t>> stages_;  // of the rounds so far
  std::int64_t samples_ = 0;
};

}  // namespace

RowEvent search_row(const DetectionRow& row, const RowSearch& search, const RunControl& control) {
  RowRuns runs(row, search);
  auto found = search_event(runs, runs.rounds(), control);
  if (!found) return {};  // cancelled
  ASSAY_CHECK(found->found.score != nullptr, "the outputs of the table's rows vary");
  return {found->candidate, std::move(found->found), runs.samples()};
}

}  // namespace assay
