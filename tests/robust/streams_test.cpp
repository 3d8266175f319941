// Where the command writes: streams that are closed, full or broken, files of -w, and what of untrusted
// text reaches the terminal.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

// assay WORDS, with streams redirected as a shell does it; `before` runs first, `$0` is assay.
CommandResult run_in_shell(const Words& words, const std::string& redirection,
                           const std::string& before = "") {
  Words command{"/bin/sh", "-c", before + "exec \"$0\" \"$@\" " + redirection, ASSAY_CLI};
  command.insert(command.end(), words.begin(), words.end());
  return run_command(command);
}

const Words kAccount = "account pure --epsilon 1 --delta 1e-6";

// One of each command, at its least.
const std::vector<Words> kReports{
    {"--help"},
    {"--version"},
    {"audit", "--help"},
    {"list"},
    {"list", "cases"},
    {"adapter", "python"},
    {"explain", "laplace"},
    {"explain", "ts-step-dp"},
    {"explain", "ts-fig1"},
    {"explain", "events"},
    kAccount,
    {"account", "convert", "zcdp", "--rho", "0.1"},
    {"account", "calibrate", "gaussian", "--epsilon", "1", "--delta", "1e-6"},
    {"audit", "thompson-sampling", "-p", "arms=2", "-p", "horizon=6"},
    {"check-certificate", std::string(ASSAY_SOURCE_DIR) + "/docs/certificates/ts-step-dp.json"},
    {"detect", "laplace", "--sample-share", "0.001"},
    {"frontier", "--budget", "1", "--epochs", "2", "--noise", "laplace", "--c2", "4"},
    {"simulate", "ftnl-resampling", "--repetitions", "2", "--horizon", "64"},
    {"verify", "ts-step-dp", "--effort", "0.01"}};

TEST(StandardOutput, WhatCannotBeWrittenIsNeverASuccess) {
  for (const auto& words : kReports) {
    const std::string name = ::testing::PrintToString(words);
    const auto full = run_in_shell(words, ">/dev/full");
    EXPECT_EQ(full.status, 2) << name;
    EXPECT_EQ(full.err,
              "assay: cannot write the report to standard output: No space left on device\n")
        << name;
    const auto closed = run_in_shell(words, ">&-");
    EXPECT_EQ(closed.status, 2) << name;
    EXPECT_EQ(closed.err,
              "assay: cannot write the report to standard output: Bad file descriptor\n")
        << name;
  }
}

TEST(StandardOutput, ALimitOfTheFileSizeIsNoSignal) {
  const TemporaryFolder folder;
  const auto run =
      run_in_shell("list", ">'" + folder.file("listing") + "' 2>&3", "exec 3>&2; ulimit -f 1; ");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("standard output: File too large"));
}

// A pipe whose reader has gone, as descriptor 9 of what is run next.
class BrokenPipe {
 public:
  BrokenPipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    dup2(ends[1], 9);
    close(ends[0]);
    close(ends[1]);
  }
  ~BrokenPipe() { close(9); }
  BrokenPipe(const BrokenPipe&) = delete;
  BrokenPipe& operator=(const BrokenPipe&) = delete;
};

TEST(StandardOutput, ABrokenPipeIsAQuietFailure) {
  const BrokenPipe pipe;
  for (const Words& words : {Words("list"), Words("--help"), kAccount}) {
    const auto run = run_in_shell(words, ">&9");
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.err, "");
  }
}

// Closed descriptors are the first that a file or a pipe would get.
TEST(StandardOutput, NothingElseGetsTheDescriptorOfAClosedStream) {
  const TemporaryFolder folder;
  Words words = kAccount;
  words.insert(words.end(), {"-w", folder.file("a.json"), "-w", folder.file("b.txt")});
  const auto run = run_in_shell(words, "<&- >&- 2>&-");
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(nlohmann::json::accept(read_file(folder.file("a.json"))));
  EXPECT_THAT(read_file(folder.file("b.txt")), StartsWith("Releases  "));
  EXPECT_THAT(read_file(folder.file("b.txt")), Not(HasSubstr("Written")));
}

TEST(StandardError, AnErrorKeepsItsExitStatus) {
  const BrokenPipe pipe;
  const std::pair<Words, int> errors[] = {
      {{"audit", "nosuch"}, 2},
      {{"nosuch"}, 2},
      {{"explain", "nosuch"}, 2},
      {{"account", "/nonexistent/chain.toml"}, 2},
      {{"audit", "--exec", "false", "--claim", "eps=1"}, 4},
      {{"audit", "report-noisy-max", "-p", "noise=laplace", "--claim", "eps=0.01"}, 1}};
  for (const auto& [words, status] : errors) {
    for (const char* redirection : {"2>&-", "2>/dev/full", "2>&9"}) {
      EXPECT_EQ(run_in_shell(words, redirection).status, status)
          << words[1 % words.size()] << " " << redirection;
    }
  }
}

// ---- files ---------------------------------------------------------------------------------------

Words account_to(const std::string& path) {
  Words words = kAccount;
  words.insert(words.end(), {"-w", path});
  return words;
}

class OutputFiles : public InAFolder {};

TEST_F(OutputFiles, AFileOfTheUsersOwnIsNeverTouched) {
  const auto victim = folder.write("victim", "precious");
  fs::create_symlink(victim, folder.file("link.json.part"));
  folder.write("own.json.part", "mine");
  folder.write("own.json", "an older report");
  for (const char* name : {"link.json", "own.json"}) {
    auto failing = account_to(folder.file(name));
    failing.insert(failing.end(), {"--delta", "7"});
    run_expecting(2, failing);
  }
  EXPECT_EQ(read_file(folder.file("own.json")), "an older report");
  EXPECT_FALSE(fs::exists(folder.file("link.json")));
  for (const char* name : {"link.json", "own.json"}) {
    run_expecting(0, account_to(folder.file(name)));
    EXPECT_TRUE(nlohmann::json::accept(read_file(folder.file(name))));
  }
  EXPECT_EQ(read_file(victim), "precious");
  EXPECT_EQ(read_file(folder.file("own.json.part")), "mine");
  EXPECT_TRUE(fs::is_symlink(folder.file("link.json.part")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 5);
}

TEST_F(OutputFiles, ALinkStaysAndItsFileIsReplaced) {
  fs::create_symlink(folder.write("real.json", "old"), folder.file("link.json"));
  run_expecting(0, account_to(folder.file("link.json")));
  EXPECT_TRUE(fs::is_symlink(folder.file("link.json")));
  EXPECT_TRUE(nlohmann::json::accept(read_file(folder.file("real.json"))));
}

TEST_F(OutputFiles, ANamedPipeIsWrittenTo) {
  const auto pipe = folder.file("pipe.json");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto got = folder.file("got");
  const auto run = run_in_shell(account_to(pipe), "", "cat '" + pipe + "' >'" + got + "' & ");
  EXPECT_EQ(run.status, 0) << run.err;
  for (int i = 0; i < 100 && !nlohmann::json::accept(read_file(got)); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(nlohmann::json::accept(read_file(got)));
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(OutputFiles, AFullDiskLeavesTheOlderReportAndNothingBeside) {
  const auto path = folder.write("page.html", "older");
  const auto run = run_in_shell(account_to(path), "", "ulimit -f 8; ");
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.err, "assay: " + path + ": cannot write the report: File too large\n");
  EXPECT_EQ(read_file(path), "older");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 1);
}

// ---- untrusted text ------------------------------------------------------------------------------

// What would be obeyed, or pass for a message of ours.
const std::vector<std::pair<const char*, std::string>> kHostile{
    {"colour", "\x1b[31m"},      {"title", "\x1b]0;pwn\x07"},   {"return", "\rassay: forged"},
    {"line", "\nassay: forged"}, {"backspace", "\b\b"},         {"delete", "\x7f"},
    {"C1", "\xC2\x9B\x33\x31m"}, {"override", "\xE2\x80\xAE"},  {"isolate", "\xE2\x81\xA6"},
    {"mark", "\xE2\x80\x8F"},    {"separator", "\xE2\x80\xA8"}, {"zero width", "\xE2\x80\x8B"},
    {"tag", "\xF3\xA0\x81\x81"}, {"no UTF-8", "\xFF\xC0\xAF"}};

// Plain lines, of which the first alone begins as a message does.
void expect_plain(const std::string& text, const std::string& where) {
  ASSERT_FALSE(text.empty()) << where;
  ASSERT_EQ(text.back(), '\n') << where;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    EXPECT_EQ(plain_text(line), line) << where;
    EXPECT_EQ(line.rfind(number == 0 ? "assay: " : "  ", 0), 0u) << where << "\n" << text;
  }
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Ways for such a text to come into an error or a note.
struct Channel {
  const char* name;
  std::function<Words(const TemporaryFolder&, const std::string&)> words;
  int status;
};

Words exec_saying(const TemporaryFolder& folder, const std::string& line, const char* stream) {
  const auto answer = folder.write("answer", line + "\n");
  const auto script =
      folder.write("target.sh", "read line\ncat '" + answer + "' >&" + stream + "\nexit 3\n");
  return {"audit", "--exec", "/bin/sh " + script, "--claim", "eps=1"};
}

Words simulate_words(const TemporaryFolder& folder) {
  return {"simulate", "ftnl-resampling", "--repetitions",      "2", "--horizon",
          "64",       "--checkpoint",    folder.file("run.ck")};
}

const std::vector<Channel> kChannels{
    {"a case's name",
     [](const auto&, const auto& text) {
       return Words{"audit", "x" + text};
     },
     2},
    {"a command's name", [](const auto&, const auto& text) { return Words{"x" + text}; }, 2},
    {"an option",
     [](const auto&, const auto& text) {
       return Words{"list", "--x" + text};
     },
     2},
    {"a name to explain",
     [](const auto&, const auto& text) {
       return Words{"explain", "x" + text};
     },
     2},
    {"a claim",
     [](const auto&, const auto& text) {
       return Words{"audit", "laplace", "--claim", "eps=" + text};
     },
     2},
    {"a parameter",
     [](const auto&, const auto& text) {
       return Words{"audit", "laplace", "-p", "x" + text + "=1"};
     },
     2},
    {"a file's name",
     [](const auto&, const auto& text) { return account_to("/nonexistent/" + text + ".json"); }, 2},
    {"a plug-in's name",
     [](const auto&, const auto& text) {
       return Words{"audit", "--plugin", "/nonexistent/" + text, "--claim", "eps=1"};
     },
     4},
    {"a target's message",
     [](const auto& folder, const auto& text) {
       return exec_saying(folder,
                          R"({"type": "error", "message": )" + json_string("x" + text) + "}", "1");
     },
     4},
    {"a target's answer",
     [](const auto& folder, const auto& text) { return exec_saying(folder, "x" + text, "1"); }, 4},
    {"a target's field",
     [](const auto& folder, const auto& text) {
       return exec_saying(folder, R"({"type": "ready", )" + json_string("x" + text) + ": 1}", "1");
     },
     4},
    {"a target's standard error",
     [](const auto& folder, const auto& text) { return exec_saying(folder, "x" + text, "2"); }, 4},
    {"a chain's mechanism",
     [](const auto& folder, const auto& text) {
       return Words{
           "account",
           folder.write("chain.toml", "[[step]]\nmechanism = " + json_string("x" + text) + "\n")};
     },
     2},
    {"a chain's bytes",
     [](const auto& folder, const auto& text) {
       return Words{"account", folder.write("chain.toml", "x" + text + " = 1\n")};
     },
     2},
    {"a column's name",
     [](const auto& folder, const auto& text) {
       return Words{"audit",    "thompson-sampling",
                    "-p",       "horizon=2",
                    "--input",  folder.write("rewards.csv", "a,b" + text + "\n1,0\n0,1\n"),
                    "--column", "c"};
     },
     2},
    {"a reward",
     [](const auto& folder, const auto& text) {
       return Words{"audit",   "thompson-sampling",
                    "-p",      "horizon=2",
                    "--input", folder.write("rewards.txt", "1x" + text + "\n1\n")};
     },
     2},
    {"a transcript's field",
     [](const auto& folder, const auto& text) {
       const auto file = folder.write(
           "plays", R"({"assay_transcripts": 1, )" + json_string("x" + text) + ": 1}\n");
       return Words{"audit", "--transcripts", file, file, "--claim", "eps=1"};
     },
     2},
    {"a certificate's field",
     [](const auto& folder, const auto& text) {
       return Words{"check-certificate",
                    folder.write("c.json", "{" + json_string("x" + text) + ": 1}")};
     },
     2},
    {"a checkpoint's format",
     [](const auto& folder, const auto& text) {
       folder.write("run.ck", "assay simulation checkpoint, format 2" + text + "\n");
       return simulate_words(folder);
     },
     2}};

TEST(UntrustedText, ErrorsArePlainTextOnEveryWayThere) {
  for (const auto& channel : kChannels) {
    for (const auto& [name, text] : kHostile) {
      const TemporaryFolder folder;
      const auto run = run_assay(channel.words(folder, text));
      const std::string where = std::string(channel.name) + ", " + name;
      EXPECT_EQ(run.status, channel.status) << where << "\n" << run.err;
      EXPECT_EQ(run.out, "") << where;
      expect_plain(run.err, where);
    }
  }
}

// The sum of a checkpoint is no secret: an identity can be forged, and is shown when it differs.
TEST(UntrustedText, ACheckpointsIdentityIsShownPlainly) {
  for (const auto& [name, text] : kHostile) {
    if (text.find('\n') != std::string::npos) continue;  // ends the line of an identity
    const TemporaryFolder folder;
    std::string bytes = "assay simulation checkpoint, format 1\nprogram=" + text + "\n\n";
    bytes += std::string(8, '\0');
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::array<char, 18> sum{};
    std::snprintf(sum.data(), sum.size(), "%016jx\n", std::uintmax_t{hash});
    folder.write("run.ck", bytes + sum.data());
    const auto run = run_expecting(2, simulate_words(folder));
    EXPECT_THAT(run.err, HasSubstr("checkpoint of another run: it says 'program = ")) << name;
    expect_plain(run.err, name);
  }
}

TEST(UntrustedText, ReportsArePlainTextInEveryFormat) {
  for (const auto& [name, text] : kHostile) {
    if (text.find('\xFF') != std::string::npos) continue;  // JSON holds the bytes replaced
    const TemporaryFolder folder;
    std::string runs = R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 2, )"
                       R"("horizon": 2}})";
    for (int i = 0; i < 200; ++i) runs += "\n[0, 1]";
    const auto file = folder.write("x" + text, runs + "\n");
    const Words words{"audit", "--transcripts", file, file, "--claim", "eps=1", "--format"};
    for (const char* format : {"text", "json", "html"}) {
      auto command = words;
      command.emplace_back(format);
      const auto run = run_assay(command);
      ASSERT_EQ(run.status, 3) << name << "\n" << run.err;  // weak: all runs are alike
      std::istringstream lines(run.out);
      for (std::string line; std::getline(lines, line);) {
        EXPECT_EQ(plain_text(line), line) << name << ", " << format;
      }
      if (std::string(format) != "json") continue;
      EXPECT_THAT(
          nlohmann::json::parse(run.out).dump(),
          HasSubstr(nlohmann::json(text).dump().substr(1, nlohmann::json(text).dump().size() - 2)));
    }
  }
}

TEST(UntrustedText, MessagesOfSeveralLinesKeepTheirShape) {
  const auto run = run_assay("audit laplace --claim eps=1+*");
  EXPECT_EQ(run.err,
            "assay: /claim: expected a number, a name or '(', not '*' (character 7)\n"
            "    eps=1+*\n"
            "          ^\n");
}

// ---- files without an end, and what a parser may not see ------------------------------------------

// By its size, and none of it read. Where columns may be many a reader of logs has no such limit.
TEST(InputFiles, AGigabyteIsRefusedUnread) {
  const TemporaryFolder folder;
  const std::string large = folder.write("large.csv", "0.5,0.5\n0.5,0.5\n");
  std::filesystem::resize_file(large, std::uintmax_t{1} << 30);
  const std::vector<Words> all{
      {"audit", "thompson-sampling", "-p", "horizon=5", "--input"},
      {"audit", "thompson-sampling", "-p", "horizon=5", "--column", "a", "--input"},
      {"audit", "ftnl", "--input"},
      {"audit", "laplace", "--input"},
      {"audit", "--exec", "cat", "--horizon", "5", "--claim", "eps=1", "--input"}};
  for (auto words : all) {
    words.push_back(large);
    const auto run = run_in_shell(words, "");
    EXPECT_EQ(run.status, 2) << words[1] << "\n" << run.err;
    EXPECT_EQ(run.err, "assay: " + large + ": has more than 268435456 bytes, the limit\n")
        << words[1];
  }
}

TEST(InputFiles, ADeviceWithoutAnEndIsRefusedInTime) {
  const std::vector<Words> all{
      {"simulate", "ftnl-resampling", "--repetitions", "2", "--horizon", "64", "--checkpoint"},
      {"frontier", "--budget", "1", "--epochs", "2", "--noise", "laplace", "--c2", "4",
       "--checkpoint"},
      {"audit", "thompson-sampling", "-p", "horizon=5", "--input"},
      {"audit", "ftnl", "--input"},
      {"audit", "laplace", "--input"},
      {"audit", "--exec", "cat", "--kind", "mechanism", "--inputs", "2", "--outputs", "1",
       "--claim", "eps=1", "--neighbour", "/dev/zero", "--input"},
      {"audit", "--claim", "eps=1", "--transcripts", "/dev/zero"},
      {"check-certificate"}};
  for (auto words : all) {
    words.emplace_back("/dev/zero");
    // 2 GiB of memory, more than any of these may take; sanitizers reserve far more.
    const auto run = run_in_shell(words, "", kSanitized ? "" : "ulimit -v 2097152; ");
    EXPECT_EQ(run.status, 2) << words[1] << "\n" << run.err;
    EXPECT_THAT(run.err, StartsWith("assay: /dev/zero:")) << words[1];
  }
  const TemporaryFolder folder;
  fs::create_symlink("/dev/zero", folder.file("chain.toml"));
  expect_refused({"account", folder.file("chain.toml")}, "has more than 67108864 bytes");
}

TEST(ChainFiles, WhatTheParserMayNotSeeIsRefusedBefore) {
  const TemporaryFolder folder;
  std::string deep = "a";
  for (int i = 0; i < 500'000; ++i) deep += ".a";
  const std::pair<std::string, const char*> refused[] = {
      {"\xEF\xBB\xBD", ":1: has a character outside ASCII"},
      {"\xEF\xBB\xBD[[step]]\n", ":1: has a character outside ASCII"},
      {"delta = 1e-6\nd\xC3\xA9lta = 1\n", ":2: has a character outside ASCII"},
      {"delta = \xC3\xA9\n", ":1: has a character outside ASCII"},
      {"delta = '\xC3\xA9' \xC2\xA0\n", ":1: has a character outside ASCII"},
      {"# fine\nlabel = \"\"\"\\\n\xC3\xA9\"\"\"\n", ":2: has a string of several lines"},
      {"# \xC3\n", ":1: is not UTF-8"},
      {"[{step]]\n", ":1: must have a name after '['"},
      {"[[{step]]\n", ":1: must have a name after '['"},
      {"[[\n[[step]]\n", ":1: must have a name after '['"},
      {"delta = [}1e-6]\n", ":1: has a closing bracket that does not match an open one"},
      {"delta = [\n1e-6\n}\n", ":3: has a closing bracket that does not match an open one"},
      {"\n\n [ =step]\n", ":3: must have a name after '['"},
      {deep + " = 1\n", ":1: has a key of three parts"},
      {"[" + deep + "]\n", ":1: has a key of three parts"},
      {"x = {" + deep + " = 1}\n", ":1: has a key of three parts"}};
  for (const auto& [text, message] : refused) {
    const auto run = run_assay({"account", folder.write("chain.toml", text)});
    EXPECT_EQ(run.status, 2) << text.substr(0, 50);
    EXPECT_THAT(run.err, HasSubstr("chain.toml" + std::string(message))) << text.substr(0, 50);
  }
}

TEST(ChainFiles, WhatIsAChainIsRead) {
  const TemporaryFolder folder;
  const char* steps[] = {
      "[[step]]\nmechanism = \"laplace\"\nscale = 1.5 # caf\xC3\xA9 \"\"\" [{ a.b.c\n",
      "[[ step ]]\r\nmechanism = 'laplace'\r\nlabel = \"caf\xC3\xA9 # \\\" '''\"\r\nscale=1\r\n",
      "step = [{mechanism = \"laplace\", scale = 1.5, label = ''}]\n",
      "[[\"step\"]]\nmechanism = \"finite-pair\"\np = [0.5, 0.25, 0.25]\nq = [0.25, 0.25,\n 0.5]\n",
      "\xEF\xBB\xBF[[step]]\nmechanism = \"gdp\"\nmu = 1.0\n"};
  for (const char* text : steps) {
    const auto run = run_assay({"account", folder.write("chain.toml", text), "--delta", "1e-6"});
    EXPECT_EQ(run.status, 0) << text << "\n" << run.err;
  }
}

TEST(Seconds, AreRefusedBeyondWhatAClockCounts) {
  const TemporaryFolder folder;
  for (const char* word : {"1e300", "1.1e9", "0", "-1", "0.001"}) {
    const auto time = run_expecting(2, {"audit", "thompson-sampling", "--time", word});
    EXPECT_EQ(time.err,
              std::string("assay: --time must be 0.1 to 1e+09 seconds, not ") + word + "\n");
    const auto answer =
        run_expecting(2, {"audit", "--exec", "false", "--claim", "eps=1", "--answer-time", word});
    EXPECT_EQ(answer.err, std::string("assay: --answer-time must be 0.01 to 1e+09 seconds, not ") +
                              word + "\n");
  }
}

}  // namespace
}  // namespace assay
