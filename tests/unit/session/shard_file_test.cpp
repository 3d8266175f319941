// Files of shards: what is written is read again, and what is not a whole file is refused.
#include "assay/auditors/session/shard_file.hpp"

#include "assay/policies/simulation/checkpoint.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

ShardFile shard_file(Shard shard, ItemStore::Loops loops) {
  return {{{"program", "assay 1"}, {"argument", "a=b \\n"}}, shard, true, std::move(loops)};
}

// Bytes that look like the end of a line, of a text or of the file itself.
const ItemStore::Loops kLoops = {
    {"claims", {{0, "first"}, {3, std::string("\0\n=\xff", 4)}, {~std::uint64_t{0}, ""}}},
    {"two\nlines", {{1, std::string(300, 'x')}}}};

TEST(ShardFiles, AreReadAsTheyWereWritten) {
  for (const bool is_complete : {true, false}) {
    ShardFile file = shard_file({3, 10}, kLoops);
    file.is_complete = is_complete;
    const ShardFile read = must(parse_shard_file(shard_bytes(file), "x"));
    EXPECT_EQ(read.shard, file.shard);
    EXPECT_EQ(read.is_complete, is_complete);
    EXPECT_EQ(read.loops, file.loops);
    ASSERT_EQ(read.identity.size(), 2u);
    EXPECT_EQ(read.identity[1].key, "argument");
    EXPECT_EQ(read.identity[1].value, "a=b \\n");
  }
}

TEST(ShardFiles, CutOrChangedAnywhereAreRefused) {
  const std::string whole = shard_bytes(shard_file({1, 1}, {{"loop", {{0, "value"}, {1, "w"}}}}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_shard_file(whole.substr(0, size), "x")) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 0x20);
    EXPECT_FALSE(parse_shard_file(other, "x")) << at;
  }
  EXPECT_FALSE(parse_shard_file(whole + "\n", "x"));
}

// A right checksum does not make a file of it.
TEST(ShardFiles, OfAnotherFormAreRefused) {
  const std::string header = "assay shard, format 1\n";
  for (const std::string& body :
       {std::string(), std::string("\n"), std::string("program=a\n\n"),
        std::string("shard=1/2\n\n"), std::string("complete=yes\nshard=1/2\n\n"),
        std::string("shard=2/1\ncomplete=yes\n\n") + std::string(8, '\0'),
        std::string("shard=1/2\ncomplete=yes\n\n") + "cut"}) {
    const auto read = parse_shard_file(with_checksum(header + body), "shard.assay");
    ASSERT_FALSE(read) << body;
    EXPECT_EQ(read.error().path, "shard.assay");
  }
}

TEST(Shards, AreNumberedFromOneToTheirCount) {
  EXPECT_EQ(must(parse_shard("3/10")), (Shard{3, 10}));
  EXPECT_EQ(must(parse_shard("1000000/1000000")), (Shard{1'000'000, 1'000'000}));
  for (const char* text : {"", "3", "/", "0/1", "2/1", "-1/2", "1/0", "1/1000001", "1/2/3", "a/b",
                           " 1/2", "99999999999999999999/2"}) {
    EXPECT_THAT(parse_shard(text), IsRefused("--shard must be I/N")) << text;
  }
}

TEST(Shards, MergeToTheItemsOfAll) {
  const auto merged =
      must(merged_items({{"b", shard_file({2, 2}, {{"l", {{1, "one"}}}})},
                         {"a", shard_file({1, 2}, {{"l", {{0, "nil"}}}, {"m", {}}})}}));
  EXPECT_EQ(merged, (ItemStore::Loops{{"l", {{0, "nil"}, {1, "one"}}}, {"m", {}}}));
}

TEST(Shards, ThatDoNotBelongTogetherAreNamed) {
  const ShardFile one = shard_file({1, 3}, {}), two = shard_file({2, 3}, {});
  ShardFile unfinished = two, other = two, longer = two;
  unfinished.is_complete = false;
  other.identity[1].value = "c";
  longer.identity.push_back({"argument", "more"});
  const auto refusal = [&](const ShardFile& second) {
    return refusal_of(merged_items({{"one", one}, {"two", second}}));
  };
  EXPECT_THAT(refusal_of(merged_items({})), HasSubstr("merge needs the files of shards"));
  EXPECT_THAT(refusal(two), HasSubstr("merge lacks shard 3/3"));
  EXPECT_THAT(refusal(one), HasSubstr("is shard 1/3, and so is one"));
  EXPECT_THAT(refusal(unfinished), HasSubstr("is not finished: run shard 2/3 again"));
  EXPECT_THAT(refusal(other), HasSubstr("argument 'a=b \\n' and argument 'c'"));
  EXPECT_THAT(refusal(longer), HasSubstr("nothing more and argument 'more'"));
  EXPECT_THAT(refusal(shard_file({2, 4}, {})), HasSubstr("3 and 4 shards"));
  EXPECT_THAT(refusal_of(merged_items({{"one", shard_file({7, 20}, {})}})),
              HasSubstr("merge lacks shard 1/20, 2/20, 3/20, 4/20, 5/20 and 14 more"));
}

}  // namespace
}  // namespace assay
