// Items that shards share: each is one shard's, is worked on once, and is missed where nobody kept it.
#include "assay/mechanisms/core/item_store.hpp"

#include <atomic>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// The value of an item, 10 times its number, and whether it was worked on here.
struct Asked {
  Result<std::optional<std::int64_t>> value;
  bool is_worked_on = false;
};

Asked ask(ItemStore& items, std::int64_t item, const std::atomic<bool>* cancel = nullptr) {
  RunControl control;
  control.items = &items;
  control.cancel = cancel;
  Asked asked;
  asked.value = shared_item<std::int64_t>(control, "loop", static_cast<std::uint64_t>(item),
                                          [&](const RunControl& own) {
                                            EXPECT_EQ(own.items, nullptr);
                                            asked.is_worked_on = true;
                                            return 10 * item;
                                          });
  return asked;
}

TEST(ItemStores, OfShardsShareEveryItemOut) {
  for (std::int64_t item = 0; item < 20; ++item) {
    std::int64_t workers = 0;
    for (std::int64_t index = 1; index <= 7; ++index) {
      ItemStore items({index, 7}, {});
      const auto asked = ask(items, item);
      ASSERT_TRUE(asked.value);
      EXPECT_EQ(asked.value->has_value(), asked.is_worked_on);
      EXPECT_EQ(items.find("loop", static_cast<std::uint64_t>(item)) != nullptr,
                asked.is_worked_on);
      workers += asked.is_worked_on ? 1 : 0;
    }
    EXPECT_EQ(workers, 1) << item;
  }
}

TEST(ItemStores, KeepWhatWasWorkedOnBefore) {
  ItemStore first({1, 2}, {});
  int kept = 0;
  first.on_keep = [&](const ItemStore::Loops& loops) { kept += static_cast<int>(loops.size()); };
  EXPECT_TRUE(ask(first, 4).is_worked_on);
  EXPECT_EQ(kept, 1);
  ItemStore again({1, 2}, first.loops());
  const auto asked = ask(again, 4);
  EXPECT_FALSE(asked.is_worked_on);
  EXPECT_EQ(**asked.value, 40);
}

TEST(ItemStores, OfAllShardsMissWhatNobodyKept) {
  ItemStore all({{"loop", {{0, to_bytes(std::int64_t{5})}, {1, "x"}}}});
  const auto found = ask(all, 0);
  EXPECT_FALSE(found.is_worked_on);
  EXPECT_EQ(**found.value, 5);
  const auto other = ask(all, 1);
  EXPECT_THAT(other.value, IsRefused("item 2 of loop is not of this version"));
  const auto missing = ask(all, 2);
  EXPECT_FALSE(missing.is_worked_on);
  EXPECT_THAT(missing.value, IsRefused("no shard has item 3 of loop"));
}

TEST(ItemStores, DoNotKeepWorkThatWasCutShort) {
  const std::atomic<bool> raised = true;
  ItemStore items({1, 1}, {});
  EXPECT_TRUE(ask(items, 0, &raised).is_worked_on);
  EXPECT_EQ(items.find("loop", 0), nullptr);
}

TEST(ItemStores, OfAShardEndItAfterItsLastLoop) {
  RunControl control;
  EXPECT_TRUE(end_of_shared_loop(control));
  ItemStore all({}), shard({1, 2}, {});
  control.items = &all;
  EXPECT_TRUE(end_of_shared_loop(control));
  control.items = &shard;
  EXPECT_EQ(error_of(end_of_shared_loop(control)).code, ErrorCode::kShard);
  const std::atomic<bool> raised = true;
  control.cancel = &raised;
  EXPECT_EQ(error_of(end_of_shared_loop(control)).code, ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace assay
