#include "assay/auditors/methods/black_box/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "assay/auditors/methods/black_box/logistic.hpp"
#include "assay/auditors/methods/black_box/low_bits.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// Standard errors of the comparison part by which a half-line is marked down. (Intervals: events.hpp.)
constexpr double kHalfLineDoubt = 2.0;

// The number of runs whose standard error covers that of `left` runs and the doubt.
std::int64_t doubtful_runs(EventClass events, double alpha, std::int64_t seen, std::int64_t left) {
  if (events == EventClass::kIntervals) return left;
  const double z = std::max(normal_ccdf_quantile(alpha), 0.1);
  const double root = z / std::sqrt(static_cast<double>(left)) +
                      kHalfLineDoubt / std::sqrt(static_cast<double>(seen));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>((z / root) * (z / root)));
}

using Features = std::shared_ptr<const OutputFeatures>;

// Row-major features of every play.
std::vector<double> feature_rows(const OutputFeatures& features, const OutputBatch& plays) {
  std::vector<double> rows(static_cast<std::size_t>(plays.count) * features.size());
  for (std::int64_t i = 0; i < plays.count; ++i) {
    features.write(
        plays.play(i),
        std::span(rows).subspan(static_cast<std::size_t>(i) * features.size(), features.size()));
  }
  return rows;
}

double log_ratio(double old_count, double old_total, double new_count, double new_total,
                 double cells) {
  return portable_log((old_count + 0.5) / (old_total + 0.5 * cells)) -
         portable_log((new_count + 0.5) / (new_total + 0.5 * cells));
}

// A score of an output's features alone.
class FeaturesScore : public OutputScore {
 public:
  explicit FeaturesScore(Features features) : features_(std::move(features)) {}
  double score(std::span<const double> output) const final {
    std::vector<double> row(features_->size());
    features_->write(output, row);
    return of_features(row);
  }
  virtual double of_features(std::span<const double> row) const = 0;

 protected:
  const OutputFeatures& features() const { return *features_; }

 private:
  Features features_;
};

class FeatureScore final : public FeaturesScore {
 public:
  FeatureScore(Features features, std::size_t feature)
      : FeaturesScore(std::move(features)), feature_(feature) {}
  std::string name() const override { return features().name(feature_); }
  EventClass events() const override { return EventClass::kIntervals; }
  double of_features(std::span<const double> row) const override { return row[feature_]; }

 private:
  std::size_t feature_;
};

// One feature cut at quantiles of both sides together, with the log ratio of each bin.
class Bins {
 public:
  Bins(const std::vector<double>& old_values, const std::vector<double>& new_values) {
    constexpr std::size_t kMost = 16;
    std::vector<double> all(old_values);
    all.insert(all.end(), new_values.begin(), new_values.end());
    for (double& value : all) value = ordered(value);
    std::sort(all.begin(), all.end());
    for (std::size_t k = 1; k < kMost; ++k) {
      const double edge = all[k * all.size() / kMost];
      if (edges_.empty() || edge > edges_.back()) edges_.push_back(edge);
    }
    std::vector<double> old_counts(edges_.size() + 1, 0.0);
    std::vector<double> new_counts(edges_.size() + 1, 0.0);
    for (const double value : old_values) old_counts[bin_of(value)] += 1.0;
    for (const double value : new_values) new_counts[bin_of(value)] += 1.0;
    for (std::size_t b = 0; b <= edges_.size(); ++b) {
      ratios_.push_back(log_ratio(old_counts[b], static_cast<double>(old_values.size()),
                                  new_counts[b], static_cast<double>(new_values.size()),
                                  static_cast<double>(edges_.size() + 1)));
    }
  }
  double ratio(double value) const { return ratios_[bin_of(value)]; }

 private:
  static double ordered(double value) { return std::isnan(value) ? HUGE_VAL : value; }
  std::size_t bin_of(double value) const {
    return static_cast<std::size_t>(std::upper_bound(edges_.begin(), edges_.end(), ordered(value)) -
                                    edges_.begin());
  }
  std::vector<double> edges_;
  std::vector<double> ratios_;
};

class BinScore final : public FeaturesScore {
 public:
  BinScore(Features features, std::span<const double> old_rows, std::span<const double> new_rows)
      : FeaturesScore(std::move(features)) {
    for (std::size_t f = 0; f < this->features().size(); ++f) {
      bins_.emplace_back(column(old_rows, f), column(new_rows, f));
    }
  }
  std::string name() const override { return "bins of all features"; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_features(std::span<const double> row) const override {
    double sum = 0.0;
    for (std::size_t f = 0; f < row.size(); ++f) sum += bins_[f].ratio(row[f]);
    return sum;
  }

 private:
  std::vector<double> column(std::span<const double> rows, std::size_t f) const {
    std::vector<double> out;
    for (std::size_t i = f; i < rows.size(); i += features().size()) out.push_back(rows[i]);
    return out;
  }
  std::vector<Bins> bins_;
};

class LogisticScore final : public FeaturesScore {
 public:
  LogisticScore(Features features, LogisticModel model)
      : FeaturesScore(std::move(features)), model_(std::move(model)) {}
  std::string name() const override { return "logistic regression on all features"; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_features(std::span<const double> row) const override { return model_.log_odds(row); }

 private:
  LogisticModel model_;
};

// Transitions from action to action after the change, early and late apart.
class PairScore final : public OutputScore {
 public:
  PairScore(const InputShape& shape, std::size_t first, const SidePlays& plays)
      : arms_(static_cast<std::size_t>(shape.arms)), first_(first) {
    const std::size_t cells = arms_ * arms_;
    std::vector<double> old_counts(2 * cells, 0.0);
    std::vector<double> new_counts(2 * cells, 0.0);
    for (auto [batch, counts] :
         {std::pair{&plays.old_side, &old_counts}, std::pair{&plays.new_side, &new_counts}}) {
      for (std::int64_t i = 0; i < batch->count; ++i) {
        visit(batch->play(i), [&, c = counts](std::size_t cell) { (*c)[cell] += 1.0; });
      }
    }
    for (std::size_t from = 0; from < 2 * arms_; ++from) {
      double old_total = 0.0;
      double new_total = 0.0;
      for (std::size_t to = 0; to < arms_; ++to) {
        old_total += old_counts[from * arms_ + to];
        new_total += new_counts[from * arms_ + to];
      }
      for (std::size_t to = 0; to < arms_; ++to) {
        ratios_.push_back(log_ratio(old_counts[from * arms_ + to], old_total,
                                    new_counts[from * arms_ + to], new_total,
                                    static_cast<double>(arms_)));
      }
    }
  }
  std::string name() const override { return "log ratio of successive actions"; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(std::span<const double> output) const override {
    double sum = 0.0;
    visit(output, [&](std::size_t cell) { sum += ratios_[cell]; });
    return sum;
  }

 private:
  template <class Visit>
  void visit(std::span<const double> output, const Visit& see) const {
    const std::size_t start = std::max<std::size_t>(first_, 1);
    const std::size_t early = start + 4;
    for (std::size_t i = start; i < output.size(); ++i) {
      const std::size_t from = static_cast<std::size_t>(output[i - 1]) + (i < early ? 0 : arms_);
      see(from * arms_ + static_cast<std::size_t>(output[i]));
    }
  }
  std::size_t arms_;
  std::size_t first_;
  std::vector<double> ratios_;
};

class OutputCellScore final : public OutputScore {
 public:
  // Null where the outputs are too many to count.
  static std::shared_ptr<const OutputScore> learn(const SidePlays& plays) {
    OutputIndex cells(static_cast<std::size_t>(plays.old_side.width));
    const auto numbers = [&](const OutputBatch& batch) {
      std::vector<std::int64_t> out;
      for (std::int64_t i = 0; i < batch.count; ++i) {
        out.push_back(static_cast<std::int64_t>(cells.find_or_add(batch.play(i))));
      }
      return out;
    };
    const auto old_cells = numbers(plays.old_side);
    const auto new_cells = numbers(plays.new_side);
    if (cells.size() * 4 > old_cells.size() + new_cells.size()) return nullptr;
    const CellScore score(old_cells, new_cells);
    std::vector<double> scores;
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      scores.push_back(score(static_cast<std::int64_t>(cell)));
    }
    return std::shared_ptr<const OutputScore>(
        new OutputCellScore(std::move(cells), std::move(scores)));
  }
  std::string name() const override {
    return "log ratio of whole outputs, " + std::to_string(cells_.size()) + " different";
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(std::span<const double> output) const override {
    const auto cell = cells_.find(output);
    return cell ? scores_[*cell] : 0.0;
  }

 private:
  OutputCellScore(OutputIndex cells, std::vector<double> scores)
      : cells_(std::move(cells)), scores_(std::move(scores)) {}
  OutputIndex cells_;
  std::vector<double> scores_;  // by cell
};

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

std::vector<double> scores_of(const OutputScore& score, const OutputBatch& plays) {
  std::vector<double> scores(static_cast<std::size_t>(plays.count));
  for (std::int64_t i = 0; i < plays.count; ++i) {
    scores[static_cast<std::size_t>(i)] = score.score(plays.play(i));
  }
  return scores;
}

LearntScore learn_score(const InputShape& shape, std::int64_t changed_row, const SidePlays& learn,
                        const SidePlays& compare, const EventPlan& plan, std::int64_t runs_left,
                        Epsilon claim) {
  const auto features = std::make_shared<const OutputFeatures>(shape, changed_row);
  const auto old_rows = feature_rows(*features, learn.old_side);
  const auto new_rows = feature_rows(*features, learn.new_side);
  std::vector<std::shared_ptr<const OutputScore>> candidates;
  for (std::size_t f = 0; f < features->size(); ++f) {
    candidates.push_back(std::make_shared<FeatureScore>(features, f));
  }
  if (features->size() > 1) {
    candidates.push_back(std::make_shared<BinScore>(features, old_rows, new_rows));
    if (all_finite(old_rows) && all_finite(new_rows)) {
      candidates.push_back(std::make_shared<LogisticScore>(
          features, LogisticModel::fit(old_rows, new_rows, features->size())));
    }
  }
  if (shape.kind != InputKind::kMechanism && shape.arms <= 64) {
    const std::size_t per_row = shape.kind == InputKind::kDueling ? 2 : 1;
    candidates.push_back(std::make_shared<PairScore>(
        shape, (static_cast<std::size_t>(changed_row) + 1) * per_row, learn));
  }
  if (auto cells = OutputCellScore::learn(learn)) candidates.push_back(std::move(cells));
  if (shape.kind == InputKind::kMechanism) {
    if (auto bits = learn_low_bits(learn)) candidates.push_back(std::move(bits));
  }

  // Features once for all candidates.
  const auto old_compared = feature_rows(*features, compare.old_side);
  const auto new_compared = feature_rows(*features, compare.new_side);
  const auto scored = [&](const OutputScore& score, const OutputBatch& plays,
                          const std::vector<double>& rows) {
    const auto* of_features = dynamic_cast<const FeaturesScore*>(&score);
    if (of_features == nullptr) return scores_of(score, plays);
    std::vector<double> scores(static_cast<std::size_t>(plays.count));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] =
          of_features->of_features(std::span(rows).subspan(i * features->size(), features->size()));
    }
    return scores;
  };
  LearntScore promising;
  LearntScore doubted;
  for (const auto& candidate : candidates) {
    EventPlan comparing = plan;
    comparing.events = candidate->events();
    const auto old_scores = scored(*candidate, compare.old_side, old_compared);
    const auto new_scores = scored(*candidate, compare.new_side, new_compared);
    const auto consider = [&](LearntScore& best, const SelectedEvent& event) {
      if (best.score != nullptr && event.predicted <= best.event.predicted) return;
      best.score = candidate;
      best.event = event;
    };
    const auto select = [&](std::int64_t runs) {
      return select_event(old_scores, new_scores, comparing, runs, runs);
    };
    const SelectedEvent event = select(runs_left);
    const std::int64_t doubtful =
        doubtful_runs(comparing.events, plan.alpha, compare.old_side.count, runs_left);
    consider(promising, event);
    consider(doubted, doubtful == runs_left ? event : select(doubtful));
  }
  LearntScore best = doubted.event.predicted > claim.value ? doubted : promising;
  best.predicted = promising.event.predicted;
  best.candidates = std::to_string(candidates.size()) + " scores compared";
  return best;
}

}  // namespace assay
