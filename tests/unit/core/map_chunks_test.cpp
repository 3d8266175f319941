// The chunks that long loops consist of: values in order, on threads and shared by processes, and their byte form.
#include "assay/mechanisms/core/map_chunks.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "assay/policies/simulation/moments.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

enum class Shade : std::uint8_t { kLight, kDark };

struct Everything {
  std::int64_t whole = 0;
  double real = 0.0;
  Shade shade = Shade::kLight;
  std::string text;
  std::vector<double> reals;
  std::vector<std::vector<int>> nested;
  std::optional<std::string> maybe;
  std::pair<int, std::string> both;
  std::tuple<char, bool, float> three;
  std::array<std::int64_t, 2> two{};
  Result<std::string> result;
  Status status;
  Moments moments;

  static auto byte_fields(auto& self) {
    return std::tie(self.whole, self.real, self.shade, self.text, self.reals, self.nested,
                    self.maybe, self.both, self.three, self.two, self.result, self.status,
                    self.moments);
  }
};

Everything everything() {
  Everything all;
  all.whole = -(std::int64_t{1} << 62);
  all.real = -0.0;
  all.shade = Shade::kDark;
  all.text = std::string("a\0b\n", 4);
  all.reals = {1.0 / 3.0, std::numeric_limits<double>::infinity(), 5e-324};
  all.nested = {{}, {1, 2}, {3}};
  all.maybe = "";
  all.both = {7, "seven"};
  all.three = {'x', true, 0.1f};
  all.two = {-1, 1};
  all.result = fail(ErrorCode::kTarget, "the program ended", "exec", 3);
  all.moments.add(std::array{1.0, 2.0});
  return all;
}

TEST(ByteForm, GivesBackEveryBit) {
  const Everything all = everything();
  Everything read;
  read.maybe = std::nullopt;
  ASSERT_TRUE(from_bytes(to_bytes(all), read));
  EXPECT_EQ(read.whole, all.whole);
  EXPECT_TRUE(std::signbit(read.real));
  EXPECT_EQ(read.shade, all.shade);
  EXPECT_EQ(read.text, all.text);
  EXPECT_EQ(read.reals, all.reals);
  EXPECT_EQ(read.nested, all.nested);
  EXPECT_EQ(read.maybe, all.maybe);
  EXPECT_EQ(read.both, all.both);
  EXPECT_EQ(read.three, all.three);
  EXPECT_EQ(read.two, all.two);
  ASSERT_FALSE(read.result);
  EXPECT_EQ(read.result.error().to_string(), all.result.error().to_string());
  EXPECT_EQ(read.result.error().code, ErrorCode::kTarget);
  EXPECT_TRUE(read.status);
  EXPECT_EQ(read.moments, all.moments);

  const double odd_nan = std::bit_cast<double>(std::uint64_t{0x7ff8000000001234});
  double kept = 0.0;
  ASSERT_TRUE(from_bytes(to_bytes(odd_nan), kept));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(kept), 0x7ff8000000001234u);
}

TEST(ByteForm, RefusesEveryOtherLength) {
  const std::string bytes = to_bytes(everything());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Everything read;
    EXPECT_FALSE(from_bytes(std::string_view(bytes).substr(0, size), read)) << size;
  }
  Everything read;
  EXPECT_FALSE(from_bytes(bytes + "x", read));
  // A length beyond what follows is refused before any memory is taken.
  std::vector<double> reals;
  EXPECT_FALSE(from_bytes(to_bytes(std::size_t{1} << 62), reals));
}

// Two processes in one: their chunks alternate, and values travel as bytes.
class Pair final : public ChunkEngine {
 public:
  explicit Pair(bool first) : first_(first) {}
  int processes() const override { return 2; }
  bool is_first() const override { return first_; }
  std::vector<std::string> run(
      int, std::size_t count, const std::function<std::string(std::size_t)>& chunk,
      const std::function<void(std::size_t, std::string_view)>& done) override {
    ++runs;
    const detail::InPlace inside(detail::Place::kChunk);
    std::vector<std::string> all(count);
    for (std::size_t i = count; i-- > 0;) {
      all[i] = chunk(i);
      if (done && first_) done(i, all[i]);
    }
    return all;
  }
  std::string agree(std::string bytes) override { return first_ ? bytes : said_by_first; }
  std::int64_t total(std::int64_t number) override { return 2 * number; }
  Clock::time_point here(Clock::time_point at) const override {
    return at - time.time_since_epoch();
  }
  Clock::time_point now() override { return time; }

  int runs = 0;
  std::string said_by_first;
  Clock::time_point time{};

 private:
  const detail::InPlace top_{detail::Place::kTop};
  bool first_;
};

std::string square(std::size_t i) { return std::to_string(i * i); }

TEST(MapChunks, ReturnsValuesInOrder) {
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 1000; ++i) expected.push_back(square(i));
  for (const int threads : {1, 2, 7}) {
    EXPECT_EQ(map_chunks({.threads = threads}, 1000, square), expected) << threads;
  }
  Pair engine(true);
  RunControl shared;
  shared.engine = &engine;
  EXPECT_EQ(map_chunks(shared, 1000, square), expected);
  EXPECT_EQ(engine.runs, 1);
  EXPECT_TRUE(map_chunks(shared, 0, square).empty());
}

TEST(MapChunks, HandsEachChunkOnOnceAsItComes) {
  for (const bool is_shared : {false, true}) {
    Pair engine(true);
    RunControl control{.threads = 4};
    if (is_shared) control.engine = &engine;
    std::map<std::size_t, std::string> seen;
    const auto values =
        map_chunks(control, 200, square, [&](std::size_t i, const std::string& value) {
          EXPECT_TRUE(seen.emplace(i, value).second) << i;
        });
    ASSERT_EQ(seen.size(), 200u);
    for (const auto& [i, value] : seen) EXPECT_EQ(value, values[i]);
  }
  Pair second(false);
  RunControl control;
  control.engine = &second;
  map_chunks(control, 5, square, [](std::size_t, const std::string&) { ADD_FAILURE(); });
}

TEST(MapChunks, StaysInItsProcessInsideAChunk) {
  Pair engine(true);
  RunControl control{.threads = 2};
  control.engine = &engine;
  const auto sums = map_chunks(control, 3, [&](std::size_t i) {
    EXPECT_FALSE(is_shared(control));
    const auto parts = map_chunks(control, 4, [&](std::size_t k) { return 10 * i + k; });
    return std::accumulate(parts.begin(), parts.end(), std::size_t{0});
  });
  EXPECT_EQ(sums, (std::vector<std::size_t>{6, 46, 86}));
  EXPECT_EQ(engine.runs, 1);
  // Nor does it leave work that every process repeats, on any of its threads.
  parallel_for(2, 8, [&](std::size_t) { EXPECT_FALSE(is_shared(control)); });
  EXPECT_TRUE(is_shared(control));
}

TEST(MapChunks, ThrowsWhatAChunkThrows) {
  for (const int threads : {1, 3}) {
    EXPECT_THROW(map_chunks({.threads = threads}, 100,
                            [](std::size_t i) -> int {
                              if (i == 50) throw std::bad_alloc();
                              return 1;
                            }),
                 std::bad_alloc);
  }
}

TEST(FoundByFirst, IsTheSameInAllProcesses) {
  int asked = 0;
  const auto find = [&] { return std::pair(++asked, std::string("mine")); };
  const RunControl alone;
  EXPECT_EQ(found_by_first(alone, find), std::pair(1, std::string("mine")));

  Pair first(true);
  RunControl control;
  control.engine = &first;
  EXPECT_EQ(found_by_first(control, find), std::pair(2, std::string("mine")));

  Pair second(false);
  second.said_by_first = to_bytes(std::pair(9, std::string("theirs")));
  control.engine = &second;
  EXPECT_EQ(found_by_first(control, find), std::pair(9, std::string("theirs")));
  EXPECT_EQ(asked, 2);

  second.said_by_first = "another program";
  EXPECT_THROW(found_by_first(control, find), std::logic_error);
}

TEST(RunControl, TakesTheTimeOfTheFirstProcess) {
  Pair engine(false);
  engine.time = RunControl::Clock::time_point{} + std::chrono::hours(5);
  RunControl control;
  control.engine = &engine;
  control.give_seconds(60.0);
  EXPECT_FALSE(control.stopped());
  EXPECT_EQ(control.seconds_left(), 60.0);
  engine.time += std::chrono::seconds(45);
  EXPECT_EQ(control.seconds_left(), 15.0);
  EXPECT_EQ(control.within(0.5).seconds_left(), 7.5);
  engine.time += std::chrono::seconds(15);
  EXPECT_TRUE(control.out_of_time());
  EXPECT_EQ(RunControl({.threads = 3}).workers(), 3);
  control.threads = 3;
  EXPECT_EQ(control.workers(), 6);
}

}  // namespace
}  // namespace assay
