// Gathers evidence of releases by running them alone: the subject in this process, as an external target.
#include <algorithm>
#include <memory>
#include <utility>

#include "assay/auditors/engine/audit.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"

namespace assay {
namespace {

constexpr std::size_t kPairsPlayed = 12;       // of those that the subject lists
constexpr std::int64_t kDefaultRuns = 10'000;  // on each input
constexpr std::int64_t kFewestRuns = 100;      // that the method accepts

// A mechanism in this process as a target.
class InProcessTarget final : public Target {
 public:
  InProcessTarget(const AuditedSubject& subject, const InputShape& shape, const RunControl& control)
      : subject_(subject), shape_(shape), control_(control) {}
  const InputShape& shape() const override { return shape_; }
  std::string name() const override { return subject_.id; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    OutputBatch batch{static_cast<std::int64_t>(seeds.size()), shape_.width(), {}};
    for (const std::uint64_t seed : seeds) {
      if (control_.stopped()) return fail(ErrorCode::kInterrupted, "stopped");
      ReplayStream random({seed, hash_purpose("mechanism/play")});
      subject_.play(input.values, random, batch.values);
      if (shape_.traits().actions == 0) continue;
      const auto width = static_cast<std::size_t>(shape_.width());
      const auto checked = check_output(shape_, std::span(batch.values).last(width));
      if (!checked) {
        return fail(ErrorCode::kTarget, "a run of " + subject_.id + ": " + checked.error().message);
      }
    }
    return batch;
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<InProcessTarget>(subject_, shape_, control_));
  }

 private:
  const AuditedSubject& subject_;
  InputShape shape_;
  const RunControl& control_;
};

// Uses two fifths of the remaining time: the audit also learns from runs, and runs the pairs that it searches.
std::int64_t runs_for_time(const PreparedAudit& audit, const InputPair& first,
                           const RunControl& control) {
  std::vector<double> out;
  const double seconds = detail::seconds_of_call(control, [&](std::int64_t i) {
    ReplayStream random({audit.seed, hash_purpose("mechanism/speed"), static_cast<std::uint64_t>(i),
                         0, Phase::kPilot});
    audit.subject.play(first.base_input().values, random, out);
  });
  constexpr double kLearning = 2e-5;  // per run
  const double of_sample = 4.0 * (seconds / control.workers() + kLearning);
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::min(0.4 * control.seconds_left() / of_sample, 1e6)),
      kFewestRuns, 1'000'000);
}

Result<InputShape> shape_of(const PreparedAudit& audit, const InputPair& first) {
  InputShape shape = audit.subject.shape;
  shape.inputs = static_cast<std::int64_t>(first.base_row().size());
  std::vector<double> once;
  ReplayStream random({audit.seed, hash_purpose("mechanism/width"), 0, 0, Phase::kSearch});
  audit.subject.play(first.base_input().values, random, once);
  shape.outputs = static_cast<std::int64_t>(once.size());
  ASSAY_TRY(validate(shape));
  return shape;
}

// The pairs with one common shape, which a target needs.
std::vector<InputPair> pairs_to_play(const PreparedAudit& audit) {
  std::vector<InputPair> pairs = detail::listed_pairs(audit);
  const std::size_t entries = pairs.front().base_row().size();
  std::erase_if(pairs, [&](const InputPair& pair) { return pair.base_row().size() != entries; });
  pairs.resize(std::min(pairs.size(), kPairsPlayed));
  return pairs;
}

}  // namespace

Result<Gathered> detail::gather_events(const PreparedAudit& audit, const RunControl& control) {
  const AuditRequest& request = audit.request;
  BlackBoxPlan plan{audit.terms()};
  plan.pairs = pairs_to_play(audit);
  const auto shape = ASSAY_TRY(shape_of(audit, plan.pairs.front()));
  if (shape.traits().has_contexts()) plan.check = audit.subject.check;  // rewards are clipped
  plan.samples = request.samples.value_or(
      request.seconds ? runs_for_time(audit, plan.pairs.front(), control) : kDefaultRuns);
  plan.stop_when_decided = request.stop_when_decided;
  const bool beside = request.input && audit.subject.beside && !request.input->has_neighbour();
  plan.pairs_text = beside          ? "a search of pairs beside --input"
                    : request.input ? "given by --input"
                                    : "a search of pairs known to be hard";
  auto players = ASSAY_TRY(Players::create(
      std::make_unique<InProcessTarget>(audit.subject, shape, control), control.threads));
  // Its randomness comes from here, so equal releases are the subject's own doing.
  const PlayedSubject subject{&players, true, plan.claim, true};
  auto outcome = audit_black_box(std::span(&subject, 1), plan, control);
  if (!outcome && outcome.error().code == ErrorCode::kInterrupted) {
    auto none = nothing_certified(audit, "events");
    none.samples_planned = plan.samples;
    return Gathered{{plan.pairs.front(), plan.pairs_text}, std::move(none)};
  }
  if (!outcome) return tl::make_unexpected(outcome.error());
  // A stopped run has fewer runs, and the report gives their number.
  if (outcome->target_error && outcome->target_error->code != ErrorCode::kInterrupted) {
    return tl::make_unexpected(*outcome->target_error);
  }
  return Gathered{std::move(*outcome)};
}

}  // namespace assay
