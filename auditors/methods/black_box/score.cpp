#include "assay/auditors/methods/black_box/score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/auditors/methods/black_box/event_evidence.hpp"
#include "assay/auditors/methods/black_box/logistic.hpp"
#include "assay/auditors/methods/black_box/low_bits.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/auditors/methods/black_box/partition_tree.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using Output = std::span<const double>;
using Scores = std::vector<std::shared_ptr<const OutputScore>>;
using SharedFeatures = std::shared_ptr<const Features>;

// The deviance that a step of one function has to explain: a 1% and a 0.1% test of one step.
constexpr double kLeastGain = 6.6;
constexpr double kLeastTreeGain = 10.8;
constexpr std::size_t kWide = 16;           // entries that may be two outputs next to each other
constexpr std::size_t kMostEntries = 2048;  // that are examined one by one
constexpr std::int64_t kMostNumbers = 1 << 24;  // of the features on an input

// The number of runs whose features fit.
std::int64_t most_rows(const Features& features) {
  return kMostNumbers / static_cast<std::int64_t>(features.size());
}

class FeatureScore final : public FeaturesScore {
 public:
  FeatureScore(SharedFeatures features, std::size_t feature, EventClass events)
      : FeaturesScore(std::move(features)), feature_(feature), events_(events) {}
  std::string name() const override { return features().name(feature_); }
  std::optional<EventRounds> rounds() const override { return features().rounds(feature_); }
  EventClass events() const override { return events_; }
  double of_features(Output row) const override { return row[feature_]; }

 private:
  std::size_t feature_;
  EventClass events_;
};

class BinScore final : public FeaturesScore {
 public:
  BinScore(SharedFeatures features, std::vector<AdaptiveBins> bins)
      : FeaturesScore(std::move(features)), bins_(std::move(bins)) {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      if (bins_[i].size() > 1) used_.push_back(i);
    }
  }
  std::string name() const override { return "bins of " + features().title(); }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_features(Output row) const override {
    double sum = 0.0;
    for (const std::size_t i : used_) sum += bins_[i].ratio(row[i]);
    return sum;
  }

 private:
  std::vector<AdaptiveBins> bins_;
  std::vector<std::size_t> used_;  // those of more than one bin
};

class CommonScore final : public FeaturesScore {
 public:
  CommonScore(SharedFeatures features, AdaptiveBins bins)
      : FeaturesScore(std::move(features)), bins_(std::move(bins)) {}
  std::string name() const override { return "common bins of " + features().title(); }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_features(Output row) const override {
    double sum = 0.0;
    for (const double value : row) sum += bins_.ratio(value);
    return sum;
  }

 private:
  AdaptiveBins bins_;
};

class LogisticScore final : public FeaturesScore {
 public:
  LogisticScore(SharedFeatures features, LogisticModel model)
      : FeaturesScore(std::move(features)), model_(std::move(model)) {}
  std::string name() const override { return "logistic on " + features().title(); }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_features(Output row) const override { return model_.log_odds(row); }

  // Null if features are not finite.
  static std::shared_ptr<const OutputScore> learn(const SharedFeatures& features,
                                                  const SideRuns& runs, const RunControl& control) {
    constexpr std::int64_t kMostRows = 40'000;
    constexpr std::int64_t kMostProducts = 400'000'000;  // of two features, a step
    const auto size = static_cast<std::int64_t>(features->size());
    const auto rows =
        rows_of(*features, runs, std::min(kMostRows, 1 + kMostProducts / (size * size)), control);
    for (const auto& side : rows) {
      if (!std::all_of(side.begin(), side.end(), [](double v) { return std::isfinite(v); })) {
        return nullptr;
      }
    }
    return std::make_shared<LogisticScore>(
        features, LogisticModel::fit(rows[0], rows[1], features->size(), StopPoll(control)));
  }

 private:
  LogisticModel model_;
};

// The sum of a tree for each of some features.
class TreeScore final : public OutputScore {
 public:
  TreeScore(std::vector<SharedFeatures> parts, const SideRuns& runs, const RunControl& control)
      : parts_(std::move(parts)) {
    for (const auto& part : parts_) {
      const auto rows = rows_of(*part, runs, most_rows(*part), control);
      trees_.emplace_back(rows[0], rows[1], part->size(), kLeastTreeGain, control);
    }
  }
  std::string name() const override {
    return trees_.size() > 1 ? "trees of the halves' summaries"
                             : "tree of " + parts_.front()->title();
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_output(Output output) const override {
    std::vector<double> row;
    double sum = 0.0;
    for (std::size_t k = 0; k < trees_.size(); ++k) {
      row.resize(parts_[k]->size());
      parts_[k]->write(output, row);
      sum += trees_[k].ratio(row);
    }
    return sum;
  }

 private:
  std::vector<SharedFeatures> parts_;
  std::vector<PartitionTree> trees_;
};

// Transitions from action to action after the change, separately for early and late ones.
class PairScore final : public OutputScore {
 public:
  PairScore(const InputShape& shape, std::int64_t changed_row, const SideRuns& runs)
      : arms_(static_cast<std::size_t>(shape.arms)),
        actions_(OutputLayout(shape).action_entries()),
        first_(static_cast<std::size_t>((changed_row + 1) * OutputLayout(shape).actions)) {
    const std::size_t cells = arms_ * arms_;
    std::vector<double> base_counts(2 * cells, 0.0);
    std::vector<double> neighbour_counts(2 * cells, 0.0);
    for (auto [batch, counts] : {std::pair{&runs.base_side, &base_counts},
                                 std::pair{&runs.neighbour_side, &neighbour_counts}}) {
      for (std::int64_t i = 0; i < batch->count; ++i) {
        visit(batch->play(i), [&, c = counts](std::size_t cell) { (*c)[cell] += 1.0; });
      }
    }
    for (std::size_t from = 0; from < 2 * arms_; ++from) {
      double base_total = 0.0;
      double neighbour_total = 0.0;
      for (std::size_t to = 0; to < arms_; ++to) {
        base_total += base_counts[from * arms_ + to];
        neighbour_total += neighbour_counts[from * arms_ + to];
      }
      const double prior = 0.5 * static_cast<double>(arms_);
      for (std::size_t to = 0; to < arms_; ++to) {
        ratios_.push_back(
            portable_log((base_counts[from * arms_ + to] + 0.5) / (base_total + prior)) -
            portable_log((neighbour_counts[from * arms_ + to] + 0.5) / (neighbour_total + prior)));
      }
    }
  }
  std::string name() const override { return "log ratio of successive actions"; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_output(Output output) const override {
    double sum = 0.0;
    visit(output, [&](std::size_t cell) { sum += ratios_[cell]; });
    return sum;
  }

 private:
  template <class Visit>
  void visit(Output output, const Visit& see) const {
    const std::size_t start = std::max<std::size_t>(first_, 1);
    const std::size_t early = start + 4;
    for (std::size_t i = start; i < actions_.size(); ++i) {
      const double before = output[actions_[i - 1]];
      const double action = output[actions_[i]];
      if (before < 0.0 || action < 0.0) continue;  // of a round that did not take place
      const std::size_t from = static_cast<std::size_t>(before) + (i < early ? 0 : arms_);
      see(from * arms_ + static_cast<std::size_t>(action));
    }
  }
  std::size_t arms_;
  std::vector<std::size_t> actions_;  // entries
  std::size_t first_;
  std::vector<double> ratios_;
};

class CellsScore final : public OutputScore {
 public:
  // Null if the outputs are too many to count.
  static std::shared_ptr<const OutputScore> learn(const SideRuns& runs) {
    OutputIndex cells(static_cast<std::size_t>(runs.base_side.width));
    std::vector<std::array<double, 2>> counts;  // on D, on D'
    const auto most =
        static_cast<std::size_t>(runs.base_side.count + runs.neighbour_side.count) / 8;
    for (const std::size_t side : {0u, 1u}) {
      const OutputBatch& batch = side == 0 ? runs.base_side : runs.neighbour_side;
      for (std::int64_t i = 0; i < batch.count; ++i) {
        const std::size_t cell = cells.find_or_add(batch.play(i));
        if (cells.size() > most) return nullptr;
        counts.resize(cells.size());
        ++counts[cell][side];
      }
    }
    const auto base_runs = static_cast<double>(runs.base_side.count);
    const auto neighbour_runs = static_cast<double>(runs.neighbour_side.count);
    std::vector<double> ratios;
    for (const auto& n : counts) {
      ratios.push_back(
          portable_log((n[0] + kPrior) * neighbour_runs / ((n[1] + kPrior) * base_runs)));
    }
    return std::make_shared<CellsScore>(std::move(cells), std::move(ratios));
  }
  CellsScore(OutputIndex cells, std::vector<double> ratios)
      : cells_(std::move(cells)), ratios_(std::move(ratios)) {}
  std::string name() const override {
    return "log ratio of whole outputs, " + std::to_string(ratios_.size()) + " different";
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_output(Output output) const override {
    const auto cell = cells_.find(output);
    return cell ? ratios_[*cell] : 0.0;
  }

 private:
  static constexpr double kPrior = 5.0;  // runs on each input that every cell starts with
  OutputIndex cells_;
  std::vector<double> ratios_;  // by cell
};

// A target that passes a value on, in some of its runs, shows it here with no need to learn.
class CopiesScore final : public OutputScore {
 public:
  explicit CopiesScore(const OutputView& view)
      : base_(view.only_base),
        neighbour_(view.only_neighbour),
        entries_(OutputLayout(view.shape).number_entries()) {}
  std::string name() const override { return "numbers of the base input less the neighbour's"; }
  EventClass events() const override { return EventClass::kIntervals; }
  std::vector<double> known_cuts() const override { return {0.0, 1.0}; }
  double of_output(Output output) const override {
    double copies = 0.0;
    for (const std::size_t entry : entries_) {
      if (std::binary_search(base_.begin(), base_.end(), output[entry])) copies += 1.0;
      if (std::binary_search(neighbour_.begin(), neighbour_.end(), output[entry])) copies -= 1.0;
    }
    return copies;
  }

 private:
  std::vector<double> base_, neighbour_;
  std::vector<std::size_t> entries_;
};

// Whether the run failed.
class FailureScore final : public OutputScore {
 public:
  std::string name() const override { return "whether the run fails"; }
  EventClass events() const override { return EventClass::kIntervals; }
  double of_output(Output) const override { return 0.0; }
  double of_failed() const override { return 1.0; }
  std::string words(const ScoreEvent& event, bool) const override {
    const bool fails = event.contains(1.0);
    return fails == event.contains(0.0) ? "any output"
           : fails                      ? "the run fails"
                                        : "the run does not fail";
  }
};

// Another score, with failed runs below all others.
class FailuresBelow final : public OutputScore {
 public:
  explicit FailuresBelow(std::shared_ptr<const OutputScore> others) : others_(std::move(others)) {}
  const OutputScore& others() const { return *others_; }
  std::string name() const override { return others_->name(); }
  std::optional<EventRounds> rounds() const override { return others_->rounds(); }
  EventClass events() const override { return others_->events(); }
  std::vector<double> known_cuts() const override { return others_->known_cuts(); }
  double of_output(Output output) const override { return others_->of_output(output); }
  double of_failed() const override { return -HUGE_VAL; }

 private:
  std::shared_ptr<const OutputScore> others_;
};

// Makes the candidate scores, one kind after another.
class Learning {
 public:
  Learning(const OutputView& view, const SideRuns& runs, const RunControl& control)
      : view_(view),
        runs_(runs),
        control_(control),
        width_(static_cast<std::size_t>(runs.base_side.width)),
        summary_(runs) {}

  Scores run() {
    if (width_ <= kMostEntries) add_entries(false);
    if (width_ > 1) {
      if (width_ <= kMostEntries && summary_.any_number() && summary_.all_finite()) {
        add_entries(true);
      }
      add_summaries();
    }
    if (!summary_.any_number() && !control_.stopped()) add(CellsScore::learn(runs_));
    if (!view_.cheap) add_dear();
    return std::move(scores_);
  }

 private:
  void add(std::shared_ptr<const OutputScore> score) {
    if (score != nullptr) scores_.push_back(std::move(score));
  }

  // Bins of every feature; `all`, if given, receives the columns one after another.
  std::vector<AdaptiveBins> bins_of(const Features& features, SideRows* all = nullptr) const {
    const auto rows = rows_of(features, runs_, most_rows(features), control_);
    std::vector<AdaptiveBins> bins(features.size());
    for (std::size_t i = 0; i < features.size() && !control_.stopped(); ++i) {
      const auto values = column_of(rows, features.size(), i);
      bins[i] = AdaptiveBins(values[0], values[1], kLeastGain);
      for (const std::size_t side : {0u, 1u}) {
        if (all == nullptr) continue;
        (*all)[side].insert((*all)[side].end(), values[side].begin(), values[side].end());
      }
    }
    return bins;
  }

  // Entries or differences by themselves, their bins, and the common bins.
  void add_entries(bool differences) {
    constexpr std::size_t kAlone = 2;
    const auto features = std::make_shared<const EntryFeatures>(view_.shape, differences);
    SideRows all;
    auto bins = bins_of(*features, &all);
    if (control_.stopped()) return;
    std::vector<std::size_t> order(width_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return bins[a].gain() > bins[b].gain(); });
    for (std::size_t k = 0; k < std::min(kAlone, width_); ++k) {
      if (summary_.is_number(order[k]) && !(differences && order[k] == 0)) {
        add(std::make_shared<FeatureScore>(features, order[k], EventClass::kHalfLines));
      }
    }
    if (width_ > 1) {
      add(std::make_shared<CommonScore>(features, AdaptiveBins(all[0], all[1], kLeastGain)));
    }
    add(std::make_shared<BinScore>(features, std::move(bins)));
  }

  // The bins that separate the numbers, in whichever entry they are.
  AdaptiveBins number_bins() const {
    if (!summary_.any_number()) return {};
    SideRows numbers;
    for (const std::size_t side : {0u, 1u}) {
      const auto& values = (side == 0 ? runs_.base_side : runs_.neighbour_side).values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (summary_.is_number(i % width_) && std::isfinite(values[i])) {
          numbers[side].push_back(values[i]);
        }
      }
    }
    return AdaptiveBins(numbers[0], numbers[1], kLeastGain);
  }

  void add_summaries() {
    if (control_.stopped()) return;
    const AdaptiveBins bins = number_bins();
    const auto part = [&](std::size_t first, std::size_t last) -> SharedFeatures {
      return std::make_shared<const SummaryFeatures>(summary_, first, last, bins);
    };
    const auto whole = part(0, width_);
    add(std::make_shared<TreeScore>(std::vector{whole}, runs_, control_));
    if (width_ >= kWide && width_ % 2 == 0) {
      add(std::make_shared<TreeScore>(std::vector{part(0, width_ / 2), part(width_ / 2, width_)},
                                      runs_, control_));
    }
    if (!control_.stopped()) add(LogisticScore::learn(whole, runs_, control_));
  }

  void add_dear() {
    const bool actions = view_.shape.traits().actions > 0;
    const auto features = std::make_shared<const OutputFeatures>(view_.shape, view_.changed_row);
    for (std::size_t f = 0; f < features->size(); ++f) {
      add(std::make_shared<FeatureScore>(features, f, EventClass::kIntervals));
    }
    if (features->size() > 1 && !control_.stopped()) {
      add(std::make_shared<BinScore>(features, bins_of(*features)));
      add(std::make_shared<TreeScore>(std::vector<SharedFeatures>{features}, runs_, control_));
      add(LogisticScore::learn(features, runs_, control_));
    }
    if (control_.stopped()) return;
    if (actions && view_.shape.arms <= 64) {
      add(std::make_shared<PairScore>(view_.shape, view_.changed_row, runs_));
    }
    const OutputLayout layout(view_.shape);
    if (!layout.tells_numbers()) return;
    add(learn_low_bits(runs_, layout.number_entries()));
    if (!view_.only_base.empty() || !view_.only_neighbour.empty()) {
      add(std::make_shared<CopiesScore>(view_));
    }
  }

  const OutputView& view_;
  const SideRuns& runs_;
  const RunControl& control_;
  std::size_t width_;
  OutputSummary summary_;
  Scores scores_;
};

}  // namespace

double FeaturesScore::of_output(Output output) const {
  std::vector<double> row(features_->size());
  features_->write(output, row);
  return of_features(row);
}

std::string OutputScore::words(const ScoreEvent& event, bool with_failures) const {
  const std::string words = event_words(event);
  if (!with_failures) return words;
  return words +
         (event.contains(of_failed()) ? ", or the run fails" : ", and the run does not fail");
}

Scores learn_scores(const OutputView& view, const SideRuns& runs, const RunControl& control) {
  if (runs.base_side.failed() + runs.neighbour_side.failed() == 0) {
    return Learning(view, runs, control).run();
  }
  constexpr std::int64_t kFewest = 8;
  Scores scores = {std::make_shared<FailureScore>()};
  const SideRuns others = {without_failed(runs.base_side), without_failed(runs.neighbour_side)};
  if (std::min(others.base_side.count, others.neighbour_side.count) < kFewest) return scores;
  for (auto& score : Learning(view, others, control).run()) {
    scores.push_back(std::make_shared<FailuresBelow>(score));
    scores.push_back(std::move(score));
  }
  return scores;
}

std::vector<double> ScoredRuns::scores(const OutputScore& score) {
  std::vector<double> out(static_cast<std::size_t>(runs_.count));
  StopPoll stop = poll_of(control_, runs_.width);
  const auto* below = dynamic_cast<const FailuresBelow*>(&score);
  const OutputScore& of_others = below != nullptr ? below->others() : score;
  const auto* of_features = dynamic_cast<const FeaturesScore*>(&of_others);
  if (of_features == nullptr) {
    for (std::size_t i = 0; i < out.size() && !stop(); ++i) {
      out[i] = score.score(runs_.play(static_cast<std::int64_t>(i)));
    }
    return out;
  }
  const Features& features = of_features->features();
  const std::size_t size = features.size();
  if (written_ != &features) {
    rows_.resize(out.size() * size);
    for (std::size_t i = 0; i < out.size() && !stop(); ++i) {
      const auto output = runs_.play(static_cast<std::int64_t>(i));
      if (!is_failed(output)) features.write(output, std::span(rows_).subspan(i * size, size));
    }
    written_ = &features;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = is_failed(runs_.play(static_cast<std::int64_t>(i)))
                 ? score.of_failed()
                 : of_features->of_features(std::span(rows_).subspan(i * size, size));
  }
  return out;
}

}  // namespace assay
