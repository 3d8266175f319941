// The shards of a command (mechanisms/core/item_store.hpp): --shard I/N, and `assay merge`, which runs the command with
// the values of all shards.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/mechanisms/core/item_store.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

// Must be called before a job runs: the arguments of this command, and for a merge the items of all shards.
void begin_command(std::vector<std::string> arguments, std::shared_ptr<ItemStore> all_items = {});

// The items of a job that runs here.
class ItemsHere {
 public:
  // Errors: --shard, or a file of this shard that exists and is not of this command, inputs and version.
  static Result<ItemsHere> open(const RunOptions& run);

  ItemStore* store() const { return store_.get(); }  // null for a command without shards
  bool is_shard() const { return !path_.empty(); }
  // Writes the file. The outcome is not an error but ends the job with kShard and a sentence, or it is one: that of the
  // job, of the file, or an interrupt.
  Error finish(const Error* failure) const;

 private:
  Status write(bool is_complete) const;

  std::shared_ptr<ItemStore> store_;
  std::string path_;  // empty if this is no shard
  std::vector<KeyValue> identity_;
};

// The files of the shards, with the arguments of their command. Errors: shard_file.hpp.
struct MergedShards {
  std::vector<std::string> arguments;
  std::shared_ptr<ItemStore> items;
};
Result<MergedShards> merge_shards(const std::vector<std::string>& paths);

}  // namespace assay::cli
