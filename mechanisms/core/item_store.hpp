// The values of the items of a command that several processes share without talking to each other.
//
// A shard, one of N processes anywhere, works on every N-th item of each long loop (a claim, a row, an entry, a chunk of
// runs) and keeps its values in a file. Later one process runs the same command with the values of all shards in place
// of the work, and so prints what it would have printed alone (auditors/session/shard_file.hpp).
//
//     const auto result = ASSAY_TRY(shared_item<ClaimResult>(control, "claims", i, [&](const RunControl& own) {
//       return verify_claim(*claims[i], own);
//     }));
//     if (!result) continue;  // another shard works on it
//     ...
//     ASSAY_TRY(end_of_shared_loop(control));
//
// Threads: any thread may call the functions of a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "assay/mechanisms/core/byte_form.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct Shard {
  std::int64_t index = 1;  // from 1
  std::int64_t count = 1;

  friend bool operator==(const Shard&, const Shard&) = default;
};

class ItemStore {
 public:
  using Items = std::map<std::uint64_t, std::string>;  // bytes by number
  using Loops = std::map<std::string, Items>;

  // Of a shard, with the items that an earlier process of it kept; or of all shards together.
  ItemStore(Shard shard, Loops kept) : shard_(shard), loops_(std::move(kept)) {}
  explicit ItemStore(Loops kept) : loops_(std::move(kept)) {}

  std::optional<Shard> shard() const { return shard_; }  // none: all items are kept
  bool is_mine(std::uint64_t item) const {
    return shard_ && item % static_cast<std::uint64_t>(shard_->count) ==
                         static_cast<std::uint64_t>(shard_->index - 1);
  }
  // Nothing if the item is not kept. Items stay where they are.
  const std::string* find(std::string_view loop, std::uint64_t item) const {
    const std::lock_guard lock(mutex_);
    const auto items = loops_.find(std::string(loop));
    if (items == loops_.end()) return nullptr;
    const auto found = items->second.find(item);
    return found == items->second.end() ? nullptr : &found->second;
  }
  void keep(std::string_view loop, std::uint64_t item, std::string bytes) {
    const std::lock_guard lock(mutex_);
    loops_[std::string(loop)].insert_or_assign(item, std::move(bytes));
    if (on_keep) on_keep(loops_);
  }
  const Loops& loops() const { return loops_; }  // while no thread keeps any

  std::function<void(const Loops&)> on_keep;  // after each item; may be empty

 private:
  std::optional<Shard> shard_;
  Loops loops_;
  mutable std::mutex mutex_;
};

// The value of a kept item. Errors: bytes of another type; for all shards together, an item that none has.
template <class Value>
Result<std::optional<Value>> kept_item(const ItemStore& items, std::string_view loop,
                                       std::uint64_t item) {
  const auto* bytes = items.find(loop, item);
  if (bytes == nullptr && items.shard()) return std::nullopt;
  const std::string name = "item " + std::to_string(item + 1) + " of " + std::string(loop);
  if (bytes == nullptr) {
    return fail(ErrorCode::kParse, "no shard has " + name + "; was the command another one?");
  }
  Value value{};
  if (!from_bytes(*bytes, value)) return fail(ErrorCode::kParse, name + " is not of this version");
  return value;
}

// The value of work(control), which is a Value or a Result<Value>; or nothing, if another shard works on this item. The
// names of a loop and its items are the same in all shards. Work that an interrupt cut short is not kept.
template <class Value, class Work>
Result<std::optional<Value>> shared_item(const RunControl& control, std::string_view loop,
                                         std::uint64_t item, Work&& work) {
  RunControl own = control;
  own.items = nullptr;  // the loops inside are not shared
  if (control.items == nullptr) {
    Value value = ASSAY_TRY(Result<Value>(work(own)));
    return value;
  }
  auto kept = ASSAY_TRY(kept_item<Value>(*control.items, loop, item));
  if (kept || !control.items->is_mine(item)) return kept;
  Value value = ASSAY_TRY(Result<Value>(work(own)));
  if (!control.stopped()) control.items->keep(loop, item, to_bytes(value));
  return value;
}

// Ends a shard after its last loop, because what follows needs the items of all.
inline Status end_of_shared_loop(const RunControl& control) {
  if (control.items == nullptr || !control.items->shard()) return {};
  if (control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
  return fail(ErrorCode::kShard, "the items of the other shards are elsewhere");
}

}  // namespace assay
