#include "assay/cli/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "assay/auditors/session/shard_file.hpp"
#include "assay/cli/processes.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/version.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/simulation/checkpoint.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kMostInputBytes = std::size_t{1} << 30;
constexpr std::string_view kProgram = "program", kArgument = "argument";

std::vector<std::string> arguments_here;
std::shared_ptr<ItemStore> items_of_all;

// Without the options that differ between shards and decide no result: "--shard 1/2", "--threads=4".
std::vector<std::string> shared_arguments() {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < arguments_here.size(); ++i) {
    const std::string& word = arguments_here[i];
    bool is_own = false;
    for (const std::string_view name : {"--shard", "--shard-file", "--threads"}) {
      if (word == name) ++i;  // and its value
      is_own = is_own || word == name || word.starts_with(std::string(name) + "=");
    }
    if (!is_own) out.push_back(word);
  }
  return out;
}

// A text on one line, and back.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}
std::string from_one_line(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_escaped = line[i] == '\\' && ++i < line.size();
    out += is_escaped && line[i] == 'n' ? '\n' : line[std::min(i, line.size() - 1)];
  }
  return out;
}

std::string program_text() {
  return fmt::format("assay {}, commit {}", build_info().version, build_info().commit);
}

Result<std::vector<KeyValue>> identity_of(const RunOptions& run) {
  std::vector<KeyValue> identity = {{std::string(kProgram), program_text()}};
  for (const auto& word : shared_arguments()) {
    identity.push_back({std::string(kArgument), on_one_line(word)});
  }
  const char* seed = std::getenv("ASSAY_SEED");
  if (seed != nullptr) identity.push_back({"ASSAY_SEED", on_one_line(seed)});
  for (const auto& path : run.inputs) {
    const auto bytes = ASSAY_TRY(read_whole_file(path, kMostInputBytes, FileKind::kRegular));
    identity.push_back({"file", fmt::format("{}, {} bytes, {:016x}", on_one_line(path),
                                            bytes.size(), hash_purpose(bytes))});
  }
  return identity;
}

std::string default_file(const Shard& shard) {
  return fmt::format("shard-{}-of-{}.assay", shard.index, shard.count);
}

bool same(const std::vector<KeyValue>& a, const std::vector<KeyValue>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.key == y.key && x.value == y.value;
  });
}

}  // namespace

void begin_command(std::vector<std::string> arguments, std::shared_ptr<ItemStore> all_items) {
  arguments_here = std::move(arguments);
  items_of_all = std::move(all_items);
}

Result<ItemsHere> ItemsHere::open(const RunOptions& run) {
  ItemsHere here;
  here.store_ = items_of_all;
  if (run.shard.empty()) {
    if (run.shard_file.empty()) return here;
    return fail(ErrorCode::kInvalidArgument, "--shard-file needs --shard I/N");
  }
  if (other_processes() != nullptr) {
    return fail(
        ErrorCode::kInvalidArgument,
        "--shard is for processes that do not talk to each other; under mpirun, leave it out");
  }
  const auto shard = ASSAY_TRY(parse_shard(run.shard));
  here.path_ = run.shard_file.empty() ? default_file(shard) : run.shard_file;
  here.identity_ = ASSAY_TRY(identity_of(run));
  ItemStore::Loops kept;
  std::error_code ignored;
  if (std::filesystem::exists(here.path_, ignored)) {
    auto file = ASSAY_TRY(read_shard_file(here.path_));
    if (!same(file.identity, here.identity_) || file.shard != shard) {
      return fail(
          ErrorCode::kInvalidArgument,
          "is a shard of another run, and was left as it is; --shard-file names another file",
          here.path_);
    }
    kept = std::move(file.loops);
  }
  here.store_ = std::make_shared<ItemStore>(shard, std::move(kept));
  ASSAY_TRY(here.write(false));  // so that a folder that takes no file shows now
  // A shard that dies loses at most the last two seconds.
  here.store_->on_keep = [store = here.store_.get(), path = here.path_, identity = here.identity_,
                          last = std::chrono::steady_clock::now()](const auto& loops) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < std::chrono::seconds(2)) return;
    last = now;
    const auto written =
        write_checkpoint(path, shard_bytes({identity, *store->shard(), false, loops}));
    (void)written;  // the end of the shard reports it
  };
  return here;
}

Status ItemsHere::write(bool is_complete) const {
  return write_checkpoint(path_,
                          shard_bytes({identity_, *store_->shard(), is_complete, store_->loops()}));
}

Error ItemsHere::finish(const Error* failure) const {
  const bool is_done = failure != nullptr && failure->code == ErrorCode::kShard;
  const auto written = write(is_done);
  if (!written) return written.error();
  if (failure == nullptr) {
    return {ErrorCode::kInvalidArgument,
            "--shard: this command has no long loop to share; run it without",
            {},
            0};
  }
  if (failure->code == ErrorCode::kInterrupted) {
    return {ErrorCode::kInterrupted, "interrupted; the same command goes on from " + path_, {}, 0};
  }
  if (!is_done) return *failure;
  std::size_t items = 0;
  for (const auto& [name, loop] : store_->loops()) items += loop.size();
  return {ErrorCode::kShard,
          fmt::format("Shard {} is done: {} items in {}. When all are done: assay merge FILE...",
                      to_string(*store_->shard()), items, path_),
          {},
          0};
}

Result<MergedShards> merge_shards(const std::vector<std::string>& paths) {
  std::vector<NamedShard> shards;
  for (const auto& path : paths) {
    auto file = ASSAY_TRY(read_shard_file(path));
    shards.push_back({path, std::move(file)});
  }
  if (shards.empty()) return fail(ErrorCode::kInvalidArgument, "merge needs the files of shards");
  const auto identity = shards.front().file.identity;
  auto items = ASSAY_TRY(merged_items(std::move(shards)));
  if (identity.empty() || identity[0].value != program_text()) {
    return fail(ErrorCode::kInvalidArgument,
                "is a shard of " + (identity.empty() ? std::string("nothing") : identity[0].value) +
                    ", and this is " + program_text(),
                paths.front());
  }
  MergedShards merged{{}, std::make_shared<ItemStore>(std::move(items))};
  for (const auto& [key, value] : identity) {
    if (key == kArgument) merged.arguments.push_back(from_one_line(value));
  }
  return merged;
}

}  // namespace assay::cli
