// Shards of commands, and `assay merge`, as a user meets them.
#include <csignal>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// A report without what depends on the time.
nlohmann::json timeless(const std::string& report) {
  auto json = without_meta(report);
  const std::function<void(nlohmann::json&)> strip = [&](nlohmann::json& part) {
    if (part.is_object()) {
      part.erase("meta");
      part.erase("seconds");
    }
    if (part.is_structured()) {
      for (auto& one : part) strip(one);
    }
  };
  strip(json);
  return json;
}

class ShardCommand : public InAFolder {
 public:
  // Runs all shards, the last one first, and returns the paths of their files.
  Words shards_of(const Words& command, int count) {
    Words files;
    for (int index = count; index >= 1; --index) {
      const std::string place = std::to_string(index) + "/" + std::to_string(count);
      files.push_back(folder.file(std::to_string(++files_) + ".assay"));
      const auto run = run_expecting(
          0, with(command, {"--shard", place, "--shard-file", files.back(), "--threads", "1"}));
      EXPECT_THAT(run.out, HasSubstr("Shard " + place + " is done: "));
      EXPECT_EQ(run.err, "");
    }
    return files;
  }
  int files_ = 0;
  static std::string merge_error(const Words& files) {
    const auto run = run_assay(with("merge", files));
    EXPECT_EQ(run.status, 2);
    return run.err;
  }
};

// The report of the merge is that of one process, with the same status, for any number of shards.
TEST_F(ShardCommand, TheMergePrintsWhatOneProcessWouldPrint) {
  const std::string suite = folder.write(
      "assay.toml",
      "schema = \"assay.suite/1\"\nname = \"four\"\nseed = 7\n"
      "[[audit]]\nid = \"a\"\ncase = \"laplace\"\nparameters = {epsilon = 2}\nclaim = \"eps=1\"\n"
      "[[audit]]\nid = \"b\"\ncase = \"laplace\"\nclaim = \"eps=1\"\n"
      "[[account]]\nid = \"c\"\nwhat = \"gaussian\"\nsigma = 3\nbelow = \"eps=9,delta=1e-6\"\n"
      "[[verify]]\nid = \"d\"\nclaims = [\"bai-budget\"]\n");
  for (const Words& command :
       std::vector<Words>{"simulate ts-fig1 ts-fig8 --repetitions 6 --horizon 400",
                          "simulate ts-fig2 --repetitions 6 --horizon 400 --check",
                          "verify bai-budget maxdet-* dp-od-ratio --effort 0.05",
                          "detect laplace noisy-histogram-1 noisy-histogram-2 --sample-share 0.002",
                          "bench additive --epsilon 1 --samples 2000 --timings 0",
                          with("suite run", {suite, "--history", "none"})}) {
    SCOPED_TRACE(command[1]);
    const auto whole = run_assay(with(command, "--format json"));
    ASSERT_THAT(whole.out, HasSubstr("schema")) << whole.err;
    for (const int count : {1, 3}) {
      const auto merged =
          run_assay(with(with("merge", shards_of(command, count)), "--format json"));
      EXPECT_TRUE(timeless(merged.out) == timeless(whole.out));
      EXPECT_EQ(merged.status, whole.status);
      EXPECT_EQ(merged.err, whole.err);
    }
  }
}

// What was written before a kill is a whole file, from which the shard goes on.
TEST_F(ShardCommand, KilledAtAnyMomentAndRunAgainItMergesToTheSameReport) {
  const Words command = {"simulate", "ts-fig2",   "--repetitions",
                         "60",       "--horizon", kSanitized ? "5000" : "50000"};
  const std::string file = folder.file("killed.assay");
  const Words shard = with(command, {"--shard", "1/2", "--shard-file", file, "--threads", "1"});
  Words killed = shard;
  killed.insert(killed.begin(), ASSAY_CLI);
  for (const int after : {150, 700, 2300}) {
    const auto run = run_command(killed, std::chrono::milliseconds(after), SIGKILL);
    EXPECT_TRUE(run.status == 128 + SIGKILL || run.status == 0) << run.err;
    if (run.status != 0 && std::filesystem::exists(file)) {
      EXPECT_THAT(merge_error({file}), HasSubstr("is not finished: run shard 1/2 again"));
    }
  }
  run_expecting(0, shard);
  const std::string other = folder.file("other.assay");
  run_expecting(0, with(command, {"--shard", "2/2", "--shard-file", other}));
  const auto whole = run_assay(with(command, "--format json"));
  const auto merged = run_assay({"merge", file, other, "--format", "json"});
  EXPECT_TRUE(timeless(merged.out) == timeless(whole.out));
}

TEST_F(ShardCommand, MergeNamesWhatDoesNotFit) {
  const Words command = "simulate ts-fig2 --repetitions 4 --horizon 300";
  const Words files = shards_of(command, 3);
  EXPECT_THAT(merge_error({files[0], files[1]}), HasSubstr("merge lacks shard 1/3"));
  EXPECT_THAT(merge_error({files[0], files[1], files[2], files[0]}),
              HasSubstr("is shard 3/3, and so is " + files[0]));
  const Words others = shards_of(with(command, "--seed 2"), 2);
  EXPECT_THAT(merge_error({files[0], others[0]}),
              AllOf(HasSubstr("is a shard of another run than "), HasSubstr("--seed")));
  EXPECT_THAT(merge_error({folder.file("none")}), HasSubstr("does not exist"));
  std::string bytes = read_file(files[0]);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(files[0], std::ios::binary) << bytes;
  EXPECT_THAT(merge_error(files), HasSubstr("is damaged or truncated"));
  std::ofstream(files[0], std::ios::binary) << "text";
  EXPECT_THAT(merge_error(files), HasSubstr("is not a shard of this version of Assay"));
}

TEST_F(ShardCommand, AFileOfAnotherRunIsLeftAsItIs) {
  const std::string file = folder.file("one.assay");
  const Words command = "simulate ts-fig2 --repetitions 4 --horizon 300 --shard 1/2";
  run_expecting(0, with(command, {"--shard-file", file}));
  const std::string bytes = read_file(file);
  const auto run = run_assay(with(command, {"--horizon", "200", "--shard-file", file}));
  EXPECT_EQ(run.status, 2);
  const auto other = run_assay({"simulate", "ts-fig2", "--repetitions", "4", "--horizon", "301",
                                "--shard", "1/2", "--shard-file", file});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("is a shard of another run, and was left as it is"));
  EXPECT_EQ(read_file(file), bytes);
  run_expecting(0, with(command, {"--shard-file", file}));  // has nothing left to do
  EXPECT_EQ(read_file(file), bytes);
}

TEST_F(ShardCommand, WhatShardsCannotShareIsRefused) {
  const std::string suite = folder.write(
      "assay.toml",
      "schema = \"assay.suite/1\"\nname = \"one\"\n[[account]]\nid = \"c\"\nwhat = \"gaussian\"\n"
      "sigma = 3\nbelow = \"eps=9,delta=1e-6\"\n");
  const std::vector<std::pair<Words, std::string>> refused = {
      {"simulate ts-fig2 --shard 0/2", "--shard must be I/N with 1 <= I <= N <= 1000000"},
      {"simulate ts-fig2 --shard 3/2", "--shard must be I/N"},
      {"simulate ts-fig2 --shard-file x", "--shard-file needs --shard I/N"},
      {"bench additive --epsilon 1 --time 1 --shard 1/2", "needs --samples in place of --time"},
      {with("suite run --shard 1/2", {suite}), "--shard is for a run without a history"},
      {with("suite run --shard 1/2 --history none", {suite}), "--shard needs --seed"},
      {with("suite run --shard 1/2 --history none --seed 1 --time 5", {suite}),
       "--shard takes no time budget"}};
  for (const auto& [command, message] : refused) {
    const auto run = run_assay(command);
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

// A suite that changes between two shards is another run.
TEST_F(ShardCommand, ShardsShareTheBytesOfTheirInputs) {
  const std::string text =
      "schema = \"assay.suite/1\"\nname = \"one\"\nseed = 1\n[[account]]\nid = \"c\"\nwhat = \"gaussian\"\n"
      "sigma = 3\nbelow = \"eps=9,delta=1e-6\"\n";
  const std::string suite = folder.write("assay.toml", text);
  const Words command = with("suite run --history none", {suite});
  const Words first = shards_of(command, 2);
  folder.write("assay.toml", text + "\n");
  const std::string second = folder.file("second.assay");
  run_expecting(0, with(command, {"--shard", "2/2", "--shard-file", second}));
  EXPECT_THAT(merge_error({first[1], second}),
              AllOf(HasSubstr("is a shard of another run than "), HasSubstr("assay.toml")));
}

}  // namespace
}  // namespace assay
