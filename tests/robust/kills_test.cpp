// Commands that are killed or interrupted at many moments, and disks that are full: every file that a
// command writes is the older one or a newer one, each whole; a resumed run gives the bytes of one that
// was never stopped; nobody is left running.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/survivors.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

const std::string kOlder = "what was here before\n";

struct Job {
  const char* name;
  Words words;        // "@/" is the folder of the test
  Words files;        // that it writes, in the folder
  std::string saved;  // its checkpoint, if it keeps one

  friend void PrintTo(const Job& job, std::ostream* out) { *out << job.name; }
};

// Threads and repetitions make each a run of some 0.3 s, a second under a sanitizer: long enough to be
// met in the middle.
const std::vector<Job> kJobs{
    {"audit",
     {"audit", "thompson-sampling", "-p", "arms=2", "-p", "horizon=20", "--method", "likelihood",
      "--samples", kSanitized ? "200" : "1000", "--threads", "1", "-w", "@/report.json", "-w",
      "@/report.html"},
     {"report.json", "report.html"},
     ""},
    {"audit_of_a_program",
     {"audit", "--exec", ASSAY_PYTHON " " ASSAY_SOURCE_DIR "/examples/targets/epsilon_greedy.py",
      "--arms", "2", "--horizon", "3", "--samples", kSanitized ? "300" : "1000", "--claim", "eps=1",
      "--see", "99", "--threads", "1", "-w", "@/report.json", "-w", "@/report.html"},
     {"report.json", "report.html"},
     ""},
    {"simulate",
     {"simulate", "ts-fig2", "--repetitions", "20", "--horizon", kSanitized ? "2000" : "12000",
      "--threads", "1", "--checkpoint", "@/run.ck", "--output", "@/out"},
     {"out/ts-fig2.csv", "out/ts-fig2.json", "out/ts-fig2.html"},
     "run.ck"},
    {"frontier",
     {"frontier", "--epochs", "2", "--actions", "100", "--noise", "gumbel", "--c2", "8", "--c2",
      "16", "--budget", kSanitized ? "4" : "12", "--threads", "1", "--checkpoint", "@/run.ck"},
     {},
     "run.ck"},
    {"verify",
     {"verify", "ts-step-*", "rnm-*", "--effort", "0.3", "--threads", "1", "--certificates",
      "@/certificates"},
     {"certificates/ts-step-dp.json", "certificates/rnm-hetero-gauss.json"},
     ""}};

// Parts of the time that the job takes.
const std::vector<double> kMoments = kSanitized ? std::vector<double>{0.2, 0.6, 0.9}
                                                : std::vector<double>{0.03, 0.3, 0.6, 0.9, 0.97};

Words in_folder(const Words& words, const fs::path& folder) {
  Words placed{ASSAY_CLI};
  for (const auto& word : words) {
    placed.push_back(word.substr(0, 2) == "@/" ? (folder / word.substr(2)).string() : word);
  }
  return placed;
}

// As it stands before a run: every file has an older version.
void fill(const Job& job, const fs::path& folder) {
  for (const auto& name : job.files) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << kOlder;
  }
}

// Without what differs between two runs alike: when, how long, how called.
std::string lasting(const std::string& name, const std::string& text) {
  const auto ending = fs::path(name).extension();
  if (ending == ".html") return text.substr(0, text.find("<footer>"));
  if (ending != ".json") return text;
  auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (parsed.is_object()) parsed.erase("meta");
  return parsed.dump();
}

bool whole(const std::string& name, const std::string& text) {
  const auto ending = fs::path(name).extension();
  if (ending == ".json") return nlohmann::json::accept(text);
  const std::string end = "</html>\n";
  return ending == ".html" && text.substr(0, 9) == "<!DOCTYPE" && text.size() > end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Files that are nobody's: neither the job's nor its checkpoint.
Words strangers(const Job& job, const fs::path& folder) {
  Words found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    const auto name = fs::relative(entry.path(), folder).string();
    if (name == job.saved) continue;
    if (std::find(job.files.begin(), job.files.end(), name) == job.files.end()) {
      found.push_back(name);
    }
  }
  return found;
}

struct Reference {
  TemporaryFolder folder;
  CommandResult run;
  double seconds = 0.0;
};

class Killed : public ::testing::TestWithParam<Job> {
 protected:
  // The run that nobody stops.
  static void make(Reference& reference) {
    fill(GetParam(), reference.folder.path());
    const auto start = std::chrono::steady_clock::now();
    reference.run = run_command(in_folder(GetParam().words, reference.folder.path()));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    reference.seconds = took.count();
  }

  // Whether every file is that of a run that nobody stopped.
  static bool expect_older_or_whole(const Reference& reference, const fs::path& folder,
                                    bool reported) {
    bool finished = true;
    for (const auto& name : GetParam().files) {
      const std::string text = read_file(folder / name);
      const bool same =
          lasting(name, text) == lasting(name, read_file(reference.folder.path() / name));
      finished = finished && same;
      // A report of what was done until then says so, and is as whole as any.
      EXPECT_TRUE(same || text == kOlder || (reported && whole(name, text))) << name << " holds\n"
                                                                             << text;
    }
    return finished;
  }
};

TEST_P(Killed, AtAnyMomentLeavesWholeFilesAndNobody) {
  const Job& job = GetParam();
  const std::string mark = mark_children();
  Reference reference;
  make(reference);
  ASSERT_EQ(reference.run.status, 0) << reference.run.err;
  for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
    int stopped = 0;
    for (const double part : kMoments) {
      SCOPED_TRACE(std::to_string(signal) + " at " + std::to_string(part));
      const TemporaryFolder folder;
      fill(job, folder.path());
      const auto words = in_folder(job.words, folder.path());
      const milliseconds after(1 + static_cast<int>(1000.0 * part * reference.seconds));
      const auto run = run_command(words, after, signal);
      // 128 + signal: it came before there was anything to end in good order.
      if (signal == SIGKILL) {
        EXPECT_THAT(run.status, AnyOf(128 + signal, 0)) << run.err;
      } else {
        EXPECT_THAT(run.status, AnyOf(128 + signal, 3, 0)) << run.err;
      }
      EXPECT_THAT(survivors(mark), IsEmpty());
      const bool finished =
          expect_older_or_whole(reference, folder.path(), signal != SIGKILL && run.status < 128);
      stopped += run.status != 0 || !finished ? 1 : 0;
      const auto left = strangers(job, folder.path());
      if (run.status < 128) {
        EXPECT_THAT(left, IsEmpty());
      }
      for (const auto& name : left) {
        EXPECT_THAT(fs::path(name).filename().string(), ::testing::StartsWith(".assay-"));
      }
      if (job.saved.empty()) continue;
      const auto resumed = run_command(words);
      EXPECT_EQ(resumed.status, 0) << resumed.err;
      if (job.files.empty()) {
        EXPECT_EQ(resumed.out, reference.run.out);
      }
      for (const auto& name : job.files) {
        EXPECT_EQ(lasting(name, read_file(folder.path() / name)),
                  lasting(name, read_file(reference.folder.path() / name)))
            << name;
      }
    }
    EXPECT_GT(stopped, 0) << "signal " << signal << " came too late each time";
  }
}

INSTANTIATE_TEST_SUITE_P(EveryWriter, Killed, ::testing::ValuesIn(kJobs),
                         [](const auto& test) { return std::string(test.param.name); });

// ---- full disks ----------------------------------------------------------------------------------

// The command with files of a few kilobytes at most, or on a disk with no room left, which only who may
// mount can make; `inside` is the folder that it writes to, as it stands at the end.
class FullDisk : public ::testing::TestWithParam<Job> {
 protected:
  CommandResult run(const std::string& before, const std::string& after) const {
    Words command{"/bin/bash", "-c",
                  before + "(exec \"$0\" \"$@\" >/dev/null); status=$?; " + after + "exit $status"};
    const auto words = in_folder(GetParam().words, inside_.path());
    command.insert(command.end(), words.begin(), words.end());
    return run_command(command);
  }
  // Nothing but the older files: what was written was taken away again.
  void expect_untouched(const fs::path& folder) const {
    for (const auto& name : GetParam().files) EXPECT_EQ(read_file(folder / name), kOlder) << name;
    EXPECT_THAT(strangers(GetParam(), folder), IsEmpty());
    EXPECT_FALSE(!GetParam().saved.empty() && fs::exists(folder / GetParam().saved));
  }
  TemporaryFolder inside_;
};

TEST_P(FullDisk, OfTheUserIsAnErrorAndTheOlderFileStays) {
  fill(GetParam(), inside_.path());
  // The error goes through a pipe, which has no limit; its reader ends once nobody holds the pipe.
  const auto run =
      this->run("exec 2> >(cat >&2); reader=$!; ulimit -f 0; ", "exec 2>&-; wait $reader; ");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("File too large"));
  expect_untouched(inside_.path());
}

TEST_P(FullDisk, OfTheMachineIsAnErrorAndTheOlderFileStays) {
  if (run_command({"/usr/bin/unshare", "-m", "/bin/mount", "-t", "tmpfs", "tmpfs", "/mnt"})
          .status != 0) {
    GTEST_SKIP() << "no disk can be mounted here";
  }
  const Job& job = GetParam();
  const TemporaryFolder older, seen;
  fill(job, older.path());
  const std::string disk = "'" + inside_.path().string() + "'";
  const std::string before = "mount -t tmpfs -o size=64k tmpfs " + disk + " && cp -r '" +
                             older.path().string() + "/.' " + disk +
                             "; dd if=/dev/zero of=" + disk + "/filler bs=4k 2>/dev/null; ";
  const std::string after =
      "rm -f " + disk + "/filler; cp -r " + disk + "/. '" + seen.path().string() + "'; ";
  Words command{"/usr/bin/unshare", "-m", "/bin/bash", "-c",
                before + "(exec \"$0\" \"$@\" >/dev/null); status=$?; " + after + "exit $status"};
  const auto words = in_folder(job.words, inside_.path());
  command.insert(command.end(), words.begin(), words.end());
  const auto run = run_command(command);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("No space left on device"));
  expect_untouched(seen.path());
}

INSTANTIATE_TEST_SUITE_P(EveryWriter, FullDisk, ::testing::ValuesIn(kJobs),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace assay
