#include "assay/auditors/session/shard_file.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "assay/mechanisms/core/byte_form.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/policies/simulation/checkpoint.hpp"

namespace assay {
namespace {

constexpr std::string_view kHeader = "assay shard, format 1\n";
constexpr std::int64_t kMostShards = 1'000'000;

// The loops in the form in which they are written.
using WrittenLoops =
    std::vector<std::pair<std::string, std::vector<std::pair<std::uint64_t, std::string>>>>;

std::string lines_of(const std::vector<KeyValue>& identity) {
  std::string text;
  for (const auto& [key, value] : identity) text += key + "=" + value + "\n";
  return text;
}

// The first lines in which the two differ, for people; empty if none do.
std::string difference(const ShardFile& a, const ShardFile& b) {
  const auto line = [](const ShardFile& file, std::size_t i) -> std::string {
    if (i >= file.identity.size()) return "nothing more";
    return file.identity[i].key + " '" + file.identity[i].value + "'";
  };
  for (std::size_t i = 0; i < std::max(a.identity.size(), b.identity.size()); ++i) {
    if (line(a, i) != line(b, i)) return line(a, i) + " and " + line(b, i);
  }
  if (a.shard.count == b.shard.count) return {};
  return std::to_string(a.shard.count) + " and " + std::to_string(b.shard.count) + " shards";
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  const auto slash = text.find('/');
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalidArgument,
                "--shard must be I/N with 1 <= I <= N <= 1000000, for example 3/10, not '" +
                    std::string(text) + "'");
  };
  if (slash == std::string_view::npos) return wrong();
  const auto index = parse_integer(text.substr(0, slash));
  const auto count = parse_integer(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *count < *index || *count > kMostShards) return wrong();
  return Shard{*index, *count};
}

std::string to_string(const Shard& shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

std::string shard_bytes(const ShardFile& file) {
  std::string bytes(kHeader);
  bytes += lines_of(file.identity);
  bytes +=
      lines_of({{"shard", to_string(file.shard)}, {"complete", file.is_complete ? "yes" : "no"}});
  bytes += "\n";
  WrittenLoops loops;
  for (const auto& [name, items] : file.loops) {
    loops.emplace_back(
        name, std::vector<std::pair<std::uint64_t, std::string>>(items.begin(), items.end()));
  }
  return with_checksum(bytes + to_bytes(loops));
}

Result<ShardFile> parse_shard_file(std::string_view bytes, const std::string& path) {
  if (!bytes.starts_with(kHeader)) {
    return fail(ErrorCode::kParse, "is not a shard of this version of Assay", path);
  }
  std::string_view rest = ASSAY_TRY(checked_body(bytes, kHeader.size(), path));
  rest.remove_prefix(kHeader.size());
  ShardFile file;
  while (auto line = take_key_value(rest)) file.identity.push_back(std::move(*line));
  const auto damaged = [&] { return fail(ErrorCode::kParse, "is damaged", path); };
  if (file.identity.size() < 2) return damaged();
  const auto complete = file.identity.back();
  file.identity.pop_back();
  const auto shard = file.identity.back();
  file.identity.pop_back();
  const auto parsed = parse_shard(shard.value);
  WrittenLoops loops;
  if (complete.key != "complete" || shard.key != "shard" || !parsed || !from_bytes(rest, loops)) {
    return damaged();
  }
  file.shard = *parsed;
  file.is_complete = complete.value == "yes";
  for (auto& [name, items] : loops) {
    for (auto& [number, value] : items) file.loops[name][number] = std::move(value);
  }
  return file;
}

Result<ShardFile> read_shard_file(const std::string& path) {
  const auto bytes = ASSAY_TRY(read_checkpoint_bytes(path));
  if (!bytes) return fail(ErrorCode::kIo, "does not exist", path);
  return parse_shard_file(*bytes, path);
}

Result<ItemStore::Loops> merged_items(std::vector<NamedShard> shards) {
  if (shards.empty()) return fail(ErrorCode::kInvalidArgument, "merge needs the files of shards");
  std::map<std::int64_t, std::string> path_of;  // by index
  ItemStore::Loops merged;
  const NamedShard& first = shards.front();
  for (NamedShard& one : shards) {
    const auto refuse = [&](const std::string& why) {
      return fail(ErrorCode::kInvalidArgument, why, one.path);
    };
    if (const auto other = difference(first.file, one.file); !other.empty()) {
      return refuse("is a shard of another run than " + first.path + ": " + other);
    }
    if (!one.file.is_complete) {
      return refuse("is not finished: run shard " + to_string(one.file.shard) +
                    " again; it goes on from this file");
    }
    if (const auto [at, is_new] = path_of.emplace(one.file.shard.index, one.path); !is_new) {
      return refuse("is shard " + to_string(one.file.shard) + ", and so is " + at->second);
    }
  }
  std::vector<std::string> missing;
  const std::int64_t count = first.file.shard.count;
  for (std::int64_t index = 1; index <= count && missing.size() < 5; ++index) {
    if (!path_of.contains(index)) missing.push_back(to_string(Shard{index, count}));
  }
  if (!missing.empty()) {
    const auto lacking = count - static_cast<std::int64_t>(path_of.size());
    const auto more = lacking - static_cast<std::int64_t>(missing.size());
    return fail(ErrorCode::kInvalidArgument,
                "merge lacks shard " + joined(missing) +
                    (more > 0 ? " and " + std::to_string(more) + " more" : ""));
  }
  for (NamedShard& one : shards) {
    for (auto& [name, items] : one.file.loops) merged[name].merge(std::move(items));
  }
  return merged;
}

}  // namespace assay
