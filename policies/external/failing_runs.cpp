#include "assay/policies/external/failing_runs.hpp"

#include <utility>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

Result<OutputBatch> FailingRuns::play(std::int64_t width, std::span<const std::uint64_t> seeds,
                                      const Ask& ask) {
  if (one_by_one_ && seeds.size() > 1) return one_by_one(width, seeds, ask);
  Answer answer = ask(seeds);
  if (answer.batch || answer.failure.empty()) return std::move(answer.batch);
  if (!first_) first_ = answer.batch.error();
  if (answer.ended && ++*restarts_ > kMostRestarts) {
    return fail(ErrorCode::kTarget,
                "the target ended in more than " + std::to_string(kMostRestarts) +
                    " runs, and starting it again each time takes too long: it " + answer.failure +
                    ". If it can, let it answer {\"failed\": \"...\"} and go on");
  }
  if (seeds.size() == 1) {
    OutputBatch batch{0, width, {}};
    batch.add_failed(std::move(answer.failure));
    return batch;
  }
  one_by_one_ = true;
  return one_by_one(width, seeds, ask);
}

Result<OutputBatch> FailingRuns::one_by_one(std::int64_t width,
                                            std::span<const std::uint64_t> seeds, const Ask& ask) {
  OutputBatch batch{0, width, {}};
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    append(ASSAY_TRY(play(width, seeds.subspan(i, 1), ask)), batch);
  }
  return batch;
}

}  // namespace assay
