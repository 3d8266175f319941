// A run that starts from any of its chunks gives the bytes of one that was never stopped.
#include "assay/tests/support/property_testing.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/small_simulation.hpp"

namespace assay {
namespace {

// The whole run's checkpoint: every chunk of every series.
std::string finished_checkpoint() {
  const TemporaryFolder folder;
  const CheckpointFile file{folder.file("run.ck"), testing::chunked_identity()};
  auto runner = SimulationRunner::create(file, {}).value();
  (void)runner.run(testing::chunked_simulation());
  return read_file(file.path);
}

void expect_same_result_from(const Checkpoint& start, int threads) {
  static const std::string expected = finished_checkpoint();
  const TemporaryFolder folder;
  const CheckpointFile file{folder.write("run.ck", checkpoint_bytes(start)),
                            testing::chunked_identity()};
  auto runner = SimulationRunner::create(file, {.threads = threads}).value();
  RC_ASSERT(runner.run(testing::chunked_simulation()).has_value());
  RC_ASSERT(read_file(file.path) == expected);
}

Checkpoint with_only(const std::vector<bool>& kept) {
  static const Checkpoint whole =
      parse_checkpoint(finished_checkpoint(), testing::chunked_identity(), "run.ck").value();
  Checkpoint part = whole;
  auto& chunks = part.sections.at(testing::chunked_simulation().key());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) chunks.erase(i);
  }
  return part;
}

RC_GTEST_PROP(Resume, FromAnyPrefixOfTheChunksGivesTheSameBytes, ()) {
  const auto prefix = *rc::gen::inRange<std::size_t>(0, 7);
  std::vector<bool> kept(6, false);
  for (std::size_t i = 0; i < prefix; ++i) kept[i] = true;
  expect_same_result_from(with_only(kept), 1);
}

RC_GTEST_PROP(Resume, FromAnyChunksOnAnyThreadsGivesTheSameBytes, ()) {
  const auto kept = *rc::gen::container<std::vector<bool>>(6, rc::gen::arbitrary<bool>());
  expect_same_result_from(with_only(kept), *rc::gen::inRange(1, 4));
}

}  // namespace
}  // namespace assay
