// The parallel loop where threads fail to start, and where the work fails.
#include "assay/mechanisms/core/parallel.hpp"

#include <cerrno>
#include <new>
#include <system_error>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Starts threads up to the one of this number, which `Failure` says cannot be started.
template <class Failure>
struct FailsFrom {
  int number;
  Failure failure;
  int asked = 0;
  template <class Work>
  std::jthread operator()(Work work) {
    if (++asked >= number) throw failure;
    return std::jthread(std::move(work));
  }
};

std::system_error no_more_threads() {
  return {EAGAIN, std::generic_category(), "Resource temporarily unavailable"};
}

// Each i once, whatever starts.
template <class Start>
void expect_all_done(Start start, int threads, std::size_t most_threads) {
  std::vector<int> times(1000, 0);
  std::set<std::thread::id> ids;
  std::mutex mutex;
  detail::parallel_for_started_by(start, threads, times.size(), [&](std::size_t i) {
    ++times[i];
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(times, std::vector<int>(1000, 1));
  EXPECT_LE(ids.size(), most_threads);
}

TEST(ParallelFor, GoesOnWithTheThreadsThatStarted) {
  for (const int number : {1, 2, 3, 7}) {
    SCOPED_TRACE(number);
    const auto most = static_cast<std::size_t>(number);  // those before it, and the caller
    expect_all_done(FailsFrom<std::system_error>{number, no_more_threads()}, 8, most);
    expect_all_done(FailsFrom<std::bad_alloc>{number, {}}, 8, most);
  }
}

// The exception of the work is the one that is reported, after all threads have ended.
TEST(ParallelFor, RethrowsWhatTheWorkThrewWhereThreadsAreMissing) {
  std::atomic<int> running{0};
  const auto body = [&](std::size_t i) {
    ++running;
    if (i == 100) {
      --running;
      throw std::runtime_error("chunk 100");
    }
    --running;
  };
  FailsFrom<std::system_error> start{3, no_more_threads()};
  try {
    detail::parallel_for_started_by(start, 8, 1000, body);
    FAIL() << "the exception was lost";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "chunk 100");
  }
  EXPECT_EQ(running, 0);
}

// Those beyond the cores leave their memory to the work.
TEST(ParallelFor, LetsSurplusThreadsGoWhereOneCannotBeStarted) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  expect_all_done(FailsFrom<std::bad_alloc>{200, {}}, 256, cores + 1);
}

TEST(ParallelFor, AsksForNoMoreThreadsThanAreOfUse) {
  std::size_t asked = 0;
  const auto count_starts = [&](auto work) {
    ++asked;
    return std::jthread(std::move(work));
  };
  detail::parallel_for_started_by(count_starts, 100'000, 10'000, [](std::size_t) {});
  EXPECT_LT(asked, std::max<std::size_t>(256, std::thread::hardware_concurrency()));
  asked = 0;
  detail::parallel_for_started_by(count_starts, 100'000, 3, [](std::size_t) {});
  EXPECT_EQ(asked, 2u);
}

}  // namespace
}  // namespace assay
