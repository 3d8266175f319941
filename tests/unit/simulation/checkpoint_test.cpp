// Checkpoints: what is written is read; what is damaged, foreign or of another format is refused
// and left alone.
#include "assay/policies/simulation/checkpoint.hpp"

#include <filesystem>

#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/small_simulation.hpp"

namespace assay {
namespace {

Checkpoint sample_checkpoint() {
  ChunkResult chunk{.pseudo = {3, {1.5, -0.0}, {0.0, std::numeric_limits<double>::denorm_min()}},
                    .realised = {3, {2.5, 1e300}, {1.0, 2.0}},
                    .final_pseudo = {1.0, 2.0, 3.0},
                    .final_realised = {-1.0, 0.1, 3.0},
                    .instance_mu = {0.5},
                    .pulls = {7, std::numeric_limits<std::int64_t>::max()}};
  Checkpoint checkpoint{.identity = testing::chunked_identity()};
  checkpoint.sections["one"][0] = chunk;
  checkpoint.sections["one"][5] = {};
  checkpoint.sections["two"] = {};
  return checkpoint;
}

std::string checkpoint_refusal(const std::string& bytes) {
  const auto result = parse_checkpoint(bytes, testing::chunked_identity(), "run.ck");
  return result ? "accepted" : result.error().to_string();
}

TEST(Checkpoint, WhatIsWrittenIsRead) {
  const auto back = must(parse_checkpoint(checkpoint_bytes(sample_checkpoint()),
                                          testing::chunked_identity(), "run.ck"));
  EXPECT_EQ(back, sample_checkpoint());
  EXPECT_EQ(checkpoint_bytes(back), checkpoint_bytes(sample_checkpoint()));
}

TEST(Checkpoint, AnyOneByteChangedIsRefused) {
  const std::string bytes = checkpoint_bytes(sample_checkpoint());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const unsigned char change : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ change);
      EXPECT_NE(checkpoint_refusal(damaged), "accepted") << "byte " << i;
    }
  }
}

TEST(Checkpoint, CutShortAnywhereOrExtendedItIsRefused) {
  const std::string bytes = checkpoint_bytes(sample_checkpoint());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(checkpoint_refusal(bytes.substr(0, length)), "accepted") << "length " << length;
  }
  EXPECT_NE(checkpoint_refusal(bytes + "\n"), "accepted");
  EXPECT_NE(checkpoint_refusal(bytes + bytes), "accepted");
}

TEST(Checkpoint, EveryRefusalNamesTheFileAndWhatIsWrong) {
  const std::string bytes = checkpoint_bytes(sample_checkpoint());
  EXPECT_THAT(checkpoint_refusal(""), HasSubstr("run.ck: is not a checkpoint of assay simulate"));
  EXPECT_THAT(checkpoint_refusal("{\"schema\": 1}"),
              HasSubstr("is not a checkpoint of assay simulate"));
  EXPECT_THAT(checkpoint_refusal(bytes.substr(0, bytes.size() / 2)),
              HasSubstr("damaged or truncated"));
  std::string other = bytes;
  other.replace(other.find("format 1"), 8, "format 2");
  EXPECT_THAT(checkpoint_refusal(other), HasSubstr("format '2', and this Assay reads format 1"));
  auto identity = testing::chunked_identity();
  identity[1].value = "horizon=6, seed=11";
  const auto error = error_of(parse_checkpoint(bytes, identity, "run.ck"));
  EXPECT_THAT(error.message,
              HasSubstr("another run: it says 'ts-test = horizon=5, seed=11', this run is "
                        "'ts-test = horizon=6, seed=11'"));
  identity = testing::chunked_identity();
  identity.push_back({"ts-more", ""});
  const auto refused = error_of(parse_checkpoint(bytes, identity, "run.ck"));
  EXPECT_THAT(refused.message, HasSubstr("'nothing more'"));
}

TEST(Checkpoint, ARefusedFileIsNotTouched) {
  const TemporaryFolder folder;
  const auto path = folder.write("notes.txt", "not a checkpoint");
  const auto error = error_of(SimulationRunner::create({path, testing::chunked_identity()}, {}));
  EXPECT_THAT(error.to_string(), HasSubstr("notes.txt: is not a checkpoint"));
  EXPECT_EQ(read_file(path), "not a checkpoint");
}

TEST(Checkpoint, AFolderThatTakesNoFileIsAnErrorBeforeAnyWork) {
  const auto error = error_of(
      SimulationRunner::create({"/no/such/folder/run.ck", testing::chunked_identity()}, {}));
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_THAT(error.to_string(), HasSubstr("/no/such/folder/run.ck"));
  const TemporaryFolder folder;
  EXPECT_FALSE(SimulationRunner::create({folder.path().string(), testing::chunked_identity()}, {}));
}

TEST(Checkpoint, IsReplacedAsAWhole) {
  const TemporaryFolder folder;
  const auto path = folder.file("run.ck");
  ASSERT_TRUE(write_checkpoint(path, "first"));
  ASSERT_TRUE(write_checkpoint(path, "second"));
  EXPECT_EQ(read_file(path), "second");
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(Checkpoint, ChunksOfAnotherShapeAreRefused) {
  const TemporaryFolder folder;
  const auto simulation = testing::chunked_simulation();
  Checkpoint wrong{.identity = testing::chunked_identity()};
  wrong.sections[simulation.key()][0] = sample_checkpoint().sections.at("one").at(0);
  const auto path = folder.write("run.ck", checkpoint_bytes(wrong));
  auto runner = SimulationRunner::create({path, testing::chunked_identity()}, {}).value();
  const auto error = error_of(runner.run(simulation));
  EXPECT_THAT(error.to_string(), HasSubstr("run.ck: is damaged: chunk 0"));
  EXPECT_EQ(read_file(path), checkpoint_bytes(wrong));
}

TEST(Checkpoint, AFinishedRunIsReadBackWithoutPlayingARound) {
  const TemporaryFolder folder;
  const CheckpointFile file{folder.file("run.ck"), testing::chunked_identity()};
  auto first = SimulationRunner::create(file, {}).value();
  const auto played = first.run(testing::chunked_simulation()).value();
  auto second = SimulationRunner::create(file, {}).value();
  const auto read = second.run(testing::chunked_simulation()).value();
  EXPECT_EQ(second.rounds_played(), 0);
  for (std::size_t i = 0; i < played->series.size(); ++i) {
    EXPECT_EQ(played->at(i).all, read->at(i).all);
  }
}

}  // namespace
}  // namespace assay
