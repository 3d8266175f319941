#include "assay/auditors/detect/sequences.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/item_store.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/named_rows.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using faulty::SequenceRow;

constexpr double kCommon = 0.01;    // the least probability of DP-Sniper's events
constexpr double kRounding = 1e-9;  // of exact levels, relative

// Counts the runs of all its clones.
class CountedTarget final : public Target {
 public:
  CountedTarget(std::unique_ptr<Target> target, std::shared_ptr<std::atomic<std::int64_t>> runs)
      : target_(std::move(target)), runs_(std::move(runs)) {}
  const InputShape& shape() const override { return target_->shape(); }
  std::string name() const override { return target_->name(); }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    *runs_ += static_cast<std::int64_t>(seeds.size());
    return target_->play(input, seeds);
  }
  Result<std::unique_ptr<Target>> clone() const override {
    auto counterpart = ASSAY_TRY(target_->clone());
    return std::unique_ptr<Target>(std::make_unique<CountedTarget>(std::move(counterpart), runs_));
  }

 private:
  std::unique_ptr<Target> target_;
  std::shared_ptr<std::atomic<std::int64_t>> runs_;
};

BlackBoxPlan plan_of(const SequenceRow& row, bool counterpart, const SequencePlan& plan) {
  BlackBoxPlan out;
  out.claim = PureDp{Epsilon{row.claim}};
  out.claim_text = "eps=" + number_text(row.claim);
  out.confidence = plan.confidence;
  // Each row, and each counterpart, has its own streams.
  ReplayStream words({plan.seed, hash_purpose("sequences/" + row.name), counterpart ? 1u : 0u});
  out.seed = words.next();
  out.samples = row.runs;
  out.say_visible = out.check_certified = false;
  out.pairs = {pair_of(row.base_input, row.neighbour_input).value()};
  out.pairs_text = "the row's pair";
  return out;
}

void add_exact_levels(const SequenceRow& row, bool counterpart, SequenceAudit& audit) {
  const auto cells = row.cells(counterpart ? row.counterpart : row.faulty);
  audit.exact = exact_epsilon(cells);
  audit.common_event =
      std::max(best_event_epsilon(cells, kCommon, faulty::LeastOf::kLarger),
               best_event_epsilon(exchanged(cells), kCommon, faulty::LeastOf::kLarger));
}

}  // namespace

bool SequenceResult::as_expected() const {
  return fault.exact > row->claim * (1.0 + kRounding) &&
         counterpart.exact <= row->claim * (1.0 + kRounding) &&
         fault.verdict == Verdict::kViolated && counterpart.verdict == Verdict::kNotRefuted &&
         !fault.above_truth() && !counterpart.above_truth();
}

bool SequenceDetection::as_expected() const {
  return complete() && std::all_of(results.begin(), results.end(),
                                   [](const SequenceResult& r) { return r.as_expected(); });
}

Result<std::vector<const SequenceRow*>> select_rows(const std::vector<SequenceRow>& table,
                                                    const std::vector<std::string>& patterns) {
  return detail::rows_named(table, patterns, "sequence", "sequences", &SequenceRow::name);
}

Result<SequenceAudit> audit_sequence(const SequenceRow& row, bool counterpart,
                                     const SequencePlan& plan, const RunControl& control) {
  if (!(plan.confidence >= 0.5 && plan.confidence <= 1.0 - 1e-9)) {
    return fail(ErrorCode::kInvalidArgument, "confidence must lie in [0.5, 1 - 1e-9]",
                "/confidence");
  }
  SequenceAudit audit;
  add_exact_levels(row, counterpart, audit);
  const auto started = std::chrono::steady_clock::now();
  const auto runs = std::make_shared<std::atomic<std::int64_t>>(0);
  auto players = ASSAY_TRY(Players::create(
      std::make_unique<CountedTarget>(faulty::sequence_target(row, counterpart), runs),
      control.threads));
  const BlackBoxPlan black_box = plan_of(row, counterpart, plan);
  const PlayedSubject subject{&players, true, black_box.claim, true};  // no adapter fixes its seed
  const auto outcome = ASSAY_TRY(audit_black_box(std::span(&subject, 1), black_box, control));
  if (outcome.target_error) return tl::make_unexpected(*outcome.target_error);
  audit.verdict = outcome.decision->verdict;
  audit.reason = outcome.decision->reason;
  for (const auto& quantity : outcome.evidence.quantities) {
    if (quantity.kind == QuantityKind::kEpsilonAtDelta) audit.lower = quantity.lower.value;
  }
  audit.runs = total_of(control, *runs);
  audit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return audit;
}

Result<SequenceDetection> detect_sequences(const std::vector<const SequenceRow*>& rows,
                                           const SequencePlan& plan, const RunControl& control) {
  SequenceDetection detection;
  detection.plan = plan;
  detection.selected = static_cast<std::int64_t>(rows.size());
  RunControl quiet = control;
  quiet.progress = nullptr;
  std::uint64_t number = 0;
  for (const SequenceRow* row : rows) {
    control.report(row->name, static_cast<double>(detection.results.size()) /
                                  static_cast<double>(rows.size()));
    SequenceResult result;
    result.row = row;
    bool is_here = true;
    for (const bool counterpart : {false, true}) {
      auto audit = shared_item<SequenceAudit>(
          quiet, "sequences", number++,
          [&](const RunControl& own) { return audit_sequence(*row, counterpart, plan, own); });
      if (!audit && audit.error().code == ErrorCode::kInterrupted) return detection;
      if (!audit) return tl::make_unexpected(audit.error());
      is_here = is_here && *audit;
      if (*audit) (counterpart ? result.counterpart : result.fault) = std::move(**audit);
    }
    if (is_here) detection.results.push_back(std::move(result));
  }
  ASSAY_TRY(end_of_shared_loop(control));
  return detection;
}

}  // namespace assay
