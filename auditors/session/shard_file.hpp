// The file of a shard: the values of its items (mechanisms/core/item_store.hpp), and what identifies the command.
//
// Format 1, every number little-endian:
//   "assay shard, format 1\n"
//   "key=value\n" for each line of the identity: program, command, the files that it names; then shard=I/N, and
//   complete=yes or no
//   "\n"
//   loops: name (length, bytes), items (count, then number, length and bytes each)
//   16 hexadecimal digits, "\n": FNV-1a of every byte before
// Files are replaced as a whole, so that a process that dies leaves a complete older one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/item_store.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct ShardFile {
  std::vector<KeyValue> identity;
  Shard shard;
  bool is_complete = false;
  ItemStore::Loops loops;
};

// "3/10". Errors: another form, a number outside 1 to 1,000,000, an index above the count.
Result<Shard> parse_shard(std::string_view text);
std::string to_string(const Shard& shard);

std::string shard_bytes(const ShardFile& file);
// Errors name the file: not a shard, another format, truncated or damaged.
Result<ShardFile> parse_shard_file(std::string_view bytes, const std::string& path);
Result<ShardFile> read_shard_file(const std::string& path);

// The items of all shards. Errors name the files: an unfinished shard, two of other commands, versions or inputs, the
// same shard twice, a shard that is missing.
struct NamedShard {
  std::string path;
  ShardFile file;
};
Result<ItemStore::Loops> merged_items(std::vector<NamedShard> shards);

}  // namespace assay
