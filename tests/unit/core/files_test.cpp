// Files: replaced as a whole or not at all, nobody else's touched, and read within limits.
#include "assay/mechanisms/core/files.hpp"

#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const std::string& path) {
  struct stat found {};
  stat(path.c_str(), &found);
  return found.st_mode & 07777;
}

std::set<std::string> names_in(const TemporaryFolder& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

class ReplaceFile : public InAFolder {};

TEST_F(ReplaceFile, WritesTheBytesAndLeavesNothingElse) {
  const auto path = folder.write("own.json.part", "precious");
  for (const std::string text : {"first", "", "third and longer"}) {
    ASSERT_TRUE(replace_file(folder.file("own.json"), text));
    EXPECT_EQ(read_file(folder.file("own.json")), text);
  }
  EXPECT_EQ(read_file(path), "precious");
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"own.json", "own.json.part"}));
}

TEST_F(ReplaceFile, KeepsTheModeOfAnOlderFileAndFollowsTheUmaskForANewOne) {
  const auto old_file = folder.write("old", "x");
  chmod(old_file.c_str(), 0604);
  const mode_t before = umask(027);
  EXPECT_TRUE(replace_file(old_file, "y"));
  EXPECT_TRUE(replace_file(folder.file("new"), "y"));
  umask(before);
  EXPECT_EQ(mode_of(old_file), 0604u);
  EXPECT_EQ(mode_of(folder.file("new")), 0640u);
}

TEST_F(ReplaceFile, FollowsLinksAndLeavesThem) {
  fs::create_directory(folder.file("there"));
  folder.write("there/target", "old");
  fs::create_symlink("there/target", folder.file("one"));
  fs::create_symlink(folder.file("one"), folder.file("two"));
  fs::create_symlink("there/missing", folder.file("dangling"));
  ASSERT_TRUE(replace_file(folder.file("two"), "new"));
  EXPECT_EQ(read_file(folder.file("there/target")), "new");
  ASSERT_TRUE(replace_file(folder.file("dangling"), "made"));
  EXPECT_EQ(read_file(folder.file("there/missing")), "made");
  for (const char* link : {"one", "two", "dangling"}) {
    EXPECT_TRUE(fs::is_symlink(folder.file(link))) << link;
  }
  fs::create_symlink("loop", folder.file("loop"));
  const auto error = error_of(replace_file(folder.file("loop"), "x"));
  EXPECT_THAT(error.to_string(), HasSubstr("symbolic links"));
}

TEST_F(ReplaceFile, WritesIntoDevicesAndPipesAsTheyAre) {
  EXPECT_TRUE(check_replaceable("/dev/null"));
  EXPECT_TRUE(replace_file("/dev/null", "nothing"));
  struct stat found {};
  ASSERT_EQ(stat("/dev/null", &found), 0);
  EXPECT_TRUE(S_ISCHR(found.st_mode));
  const auto error = error_of(replace_file("/dev/full", "something"));
  EXPECT_THAT(error.message, HasSubstr("No space left on device"));
}

TEST_F(ReplaceFile, AFullLimitLeavesTheOlderFileAndNoOther) {
  const auto path = folder.write("file", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  const auto status = replace_file(path, std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_EQ(status.error().to_string(), path + ": File too large");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(names_in(folder), std::set<std::string>{"file"});
}

// What the folder sees: each time another name that nobody could have laid a link or a file under.
TEST_F(ReplaceFile, UsesANewNameEachTime) {
  const int watch = inotify_init1(IN_NONBLOCK);
  if (watch < 0) GTEST_SKIP() << "no inotify here";
  inotify_add_watch(watch, folder.path().c_str(), IN_CREATE);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(replace_file(folder.file("file"), "text"));
  alignas(inotify_event) std::array<char, 4096> events{};
  const ssize_t size = read(watch, events.data(), events.size());
  close(watch);
  std::set<std::string> names;
  for (ssize_t at = 0; at < size;) {
    const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
    names.insert(event->name);
    EXPECT_THAT(event->name, ::testing::MatchesRegex("\\.assay-[0-9a-f]{16}\\.part"));
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
  EXPECT_EQ(names.size(), 3u);
}

TEST(CheckReplaceable, ChangesNothingAndNamesWhatIsWrong) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  folder.write("file.part", "precious");
  EXPECT_TRUE(check_replaceable(path));
  EXPECT_TRUE(check_replaceable(folder.file("new")));
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"file", "file.part"}));
  EXPECT_EQ(read_file(path), "old");
  const auto missing = error_of(check_replaceable(folder.file("none/file")));
  EXPECT_THAT(missing.to_string(), HasSubstr("none/file: No such file or directory"));
  EXPECT_EQ(check_replaceable(folder.path().string()).error().message, "it is a folder");
}

TEST(CheckReplaceable, AFileThatMayNotBeWrittenIsNotReplaced) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "kept");
  chmod(folder.path().c_str(), 0777);
  chmod(path.c_str(), 0444);
  const bool root = geteuid() == 0;
  ASSERT_EQ(root ? seteuid(65534) : 0, 0);
  const auto checked = check_replaceable(path);
  const auto written = replace_file(path, "lost");
  ASSERT_EQ(root ? seteuid(0) : 0, 0);
  EXPECT_FALSE(checked);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("Permission denied"));
  EXPECT_EQ(read_file(path), "kept");
}

TEST(WriteAll, ABrokenPipeIsAnErrorAndNoSignal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  std::signal(SIGPIPE, SIG_DFL);
  errno = 0;
  EXPECT_FALSE(write_all(ends[1], "text"));
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
}

TEST(ReadWholeFile, StopsAtItsLimit) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", std::string(100'000, 'x'));
  ASSERT_TRUE(read_whole_file(path, 100'000));
  EXPECT_EQ(read_whole_file(path, 100'000)->size(), 100'000u);
  const auto error = error_of(read_whole_file(path, 99'999));
  EXPECT_EQ(error.code, ErrorCode::kLimit);
  EXPECT_EQ(read_whole_file("/dev/zero", 1 << 20).error().code, ErrorCode::kLimit);
  EXPECT_THAT(read_whole_file("/dev/zero", 1 << 20, FileKind::kRegular).error().to_string(),
              HasSubstr("/dev/zero: cannot be read: it is not a regular file"));
  EXPECT_EQ(read_whole_file(folder.path().string(), 10).error().code, ErrorCode::kIo);
  EXPECT_THAT(read_whole_file(folder.file("none"), 10).error().message,
              HasSubstr("No such file or directory"));
  mkfifo(folder.file("pipe").c_str(), 0600);
  EXPECT_FALSE(read_whole_file(folder.file("pipe"), 10, FileKind::kRegular));  // does not wait
}

TEST(LineFile, ReadsTheLinesThatGetlineReads) {
  const TemporaryFolder folder;
  for (const std::string text : {"", "\n", "a", "a\n", "a\nb", "\n\na\r\n\n", "\n\n"}) {
    std::vector<std::string> wanted;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) wanted.push_back(line);
    auto file = LineFile::open(folder.write("file", text)).value();
    std::vector<std::string> lines;
    for (std::string line; file.next(line).value();) lines.push_back(line);
    EXPECT_EQ(lines, wanted) << ::testing::PrintToString(text);
  }
}

TEST(LineFile, RefusesALineWithoutAnEndAndAFolder) {
  std::string line;
  const auto error = error_of(LineFile::open("/dev/zero")->next(line));
  EXPECT_EQ(error.code, ErrorCode::kLimit);
  EXPECT_THAT(error.to_string(), HasSubstr("/dev/zero:1: has more than 67108864 bytes"));
  const TemporaryFolder folder;
  auto opened = LineFile::open(folder.path().string());
  const auto refused =
      error_of(opened ? opened->next(line) : Result<bool>(tl::make_unexpected(opened.error())));
  EXPECT_THAT(refused.message, HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace assay
