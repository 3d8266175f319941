// The `sampler` subcommand as a user meets it: verdicts and exit codes, messages, formats, ways to give samples.
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/sampler_draws.hpp"

namespace assay {
namespace {

// A program that writes draws of a Laplace distribution: its seed, how many, its scale, the status with which it ends.
const char* const kLaplaceProgram = R"(
import math, random, sys
seed, number, scale, status = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
draws = random.Random(seed)
for _ in range(number):
    print(scale * (draws.expovariate(1) - draws.expovariate(1)))
sys.exit(status)
)";

class SamplerCommand : public InAFolder {
 protected:
  std::string program(const std::string& words) {
    return python(folder.write("laplace.py", kLaplaceProgram) + " " + words);
  }
  // A file of the numbers of a fault, one a line.
  std::string file_of(const std::function<double(double)>& fault, std::size_t n = 50'000) {
    const SamplerCase laplace{"laplace:scale=1", draws_of(must(Laplace::create(0.0, 1.0)))};
    std::string text = "# draws of a test\n\n";
    for (const double x : laplace.draws(n, 4)) text += number_text(fault(x)) + "\n";
    return folder.write("numbers.txt", text);
  }
  std::string correct_file() {
    return file_of([](double x) { return x; });
  }
  static Words of_file(const std::string& file, const Words& more = {}) {
    return with({"sampler", "--file", file, "--distribution", "laplace:scale=1"}, more);
  }
  static Words of_program(const std::string& command, const Words& more = {}) {
    return with({"sampler", "--exec", command, "--distribution", "laplace:scale=1"}, more);
  }
};

TEST_F(SamplerCommand, SaysHowFarACorrectSamplerMayBeOff) {
  const auto run = run_expecting(0, of_file(correct_file()));
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(
      run.out,
      StartsWith("Verdict     No difference seen (99.9999% confidence): no test rejects\n"));
  EXPECT_THAT(run.out, HasSubstr("Stated      laplace, location=0, scale=1\n"));
  EXPECT_THAT(run.out, HasSubstr("any threshold     |P(X <= t) - stated| is at most 0."));
  EXPECT_THAT(run.out, HasSubstr("total variation   at most 0."));
  EXPECT_THAT(run.out, HasSubstr("over all unions of 74 cells"));
  EXPECT_THAT(run.out, HasSubstr("finer events      no bound"));
  EXPECT_THAT(run.out, HasSubstr("times the stated one, or 0.9"));
  EXPECT_THAT(run.out, HasSubstr("above 0.6931"));
  EXPECT_THAT(run.out, HasSubstr("Reproduce   assay sampler --file "));
  EXPECT_THAT(run.out, HasSubstr("--samples 50000"));
}

TEST_F(SamplerCommand, ConvictsWrongSamplers) {
  const std::pair<std::function<double(double)>, const char*> faults[] = {
      {[](double x) { return 1.1 * x; }, "samples are "},
      {[](double x) { return std::round(1e4 * x) / 1e4; }, "no sample has more than 4 decimals"},
      {[](double x) { return x + 0.05; }, "are expected"}};
  for (const auto& [fault, message] : faults) {
    const auto run = run_expecting(1, of_file(file_of(fault), "--quiet"));
    EXPECT_THAT(run.out, StartsWith("Differs: "));
    EXPECT_THAT(run.out, HasSubstr(message));
  }
  folder.write("one.txt", "nan\n" + read_file(correct_file()) + "inf\n");
  EXPECT_EQ(run_expecting(1, of_file(folder.file("one.txt"), "--quiet")).out,
            "Differs: 2 samples cannot occur, the first at place 1: not a number\n");
}

TEST_F(SamplerCommand, IsTooWeakWithoutTheSamplesThatItsAimsTake) {
  const auto run =
      run_expecting(3, of_file(correct_file(), "--see tv=0.001 --see scale=1.001 --quiet"));
  EXPECT_THAT(run.out,
              MatchesRegex("Weak: no difference is seen, but the test should see tv = 0.001, "
                           "scale = 1.001 with probability 0.9, which takes about "
                           "[0-9,]+ samples\n"));
  run_expecting(0, of_file(correct_file(), "--see tv=0.1 --see eps=0.6 --see scale=1.1"));
  const auto wrong = of_file(file_of([](double x) { return 2.0 * x; }), "--see tv=0.001");
  run_expecting(1, wrong);  // a difference that is seen needs no strength
}

TEST_F(SamplerCommand, AProgramIsStartedUntilThereAreEnough) {
  const auto words = of_program(program("{seed} 4000 1 0"), "--samples 10000 --seed 5");
  const auto run = run_expecting(0, words);
  EXPECT_THAT(run.out, HasSubstr("10,000 of "));
  EXPECT_THAT(run.out, HasSubstr("started 3 times"));
  EXPECT_THAT(run.out, HasSubstr("--samples 10000 --seed 5"));
  const auto repeats =
      run_expecting(1, of_program(program("1 4000 1 0"), "--samples 10000 --quiet"));
  EXPECT_THAT(repeats.out, HasSubstr("6,000 of 10,000 samples repeat an earlier one"));
  const auto number =
      run_expecting(0, of_program(program("{seed} {samples} 1 0"), "--see tv=0.2 --format json"));
  const auto report = nlohmann::json::parse(number.out);
  EXPECT_EQ(report.at("starts"), 1);
  EXPECT_LE(report.at("visible").at("distance").get<double>(), 0.2);
  EXPECT_EQ(report.at("seed"), "1");
}

// Its number of samples follows from the speed of the program, and the command that reproduces it names that number.
TEST_F(SamplerCommand, ATimeGivesANumberOfFreshSamples) {
  const auto words = of_program(program("{seed} 100000000 1 0"), "--format json");
  const auto timed = nlohmann::json::parse(run_expecting(0, with(words, "--time 1")).out);
  const std::string number = timed.at("samples").dump();
  EXPECT_THAT(timed.at("reproduce").get<std::string>(),
              AllOf(HasSubstr("--samples " + number), Not(HasSubstr("--time"))));
  const auto again = run_expecting(0, with(words, {"--samples", number}));
  EXPECT_EQ(without_meta(timed.dump()), without_meta(again.out));
}

TEST_F(SamplerCommand, StandardInputIsReadAsFarAsItTakes) {
  const std::string file = correct_file();
  const auto run = [&](const std::string& more) {
    return run_command({"/bin/sh", "-c",
                        std::string(ASSAY_CLI) +
                            " sampler --file - --distribution laplace:scale=1 --format json " +
                            more + " < " + file});
  };
  const auto json = [](const CommandResult& result) { return nlohmann::json::parse(result.out); };
  EXPECT_EQ(json(run("")).at("samples"), 50'000);
  EXPECT_EQ(json(run("")).at("subject"), "standard input");
  EXPECT_EQ(json(run("--samples 3000")).at("samples"), 3000);
  const auto seen = json(run("--see tv=0.2"));
  EXPECT_LT(seen.at("samples"), 50'000);
  EXPECT_EQ(seen.at("verdict"), "NoDifferenceSeen");
}

TEST_F(SamplerCommand, ProgramsThatFailSaySo) {
  const auto failing = [&](const std::string& command, const std::string& message) {
    expect_refused(of_program(command, "--samples 1000"), message, 4);
  };
  failing(program("1 10 1 3"), "the program ended with status 3");
  failing(program("1 0 1 0"),
          "the program ended with status 0 without a number on standard output");
  failing("echo 0.5,0.25",
          "line 1 of the program's standard output must be one number, not '0.5,0.25'");
  failing("/nonexistent", "cannot start '/nonexistent'");
  failing(python("-c 'raise SystemExit(\"no device\")'"), "no device");
  expect_refused(of_program("sleep 9", "--answer-time 0.2"), "did not answer within 0.2", 4);
}

TEST_F(SamplerCommand, BadWordsAreUsageErrors) {
  const std::string file = correct_file();
  const Words of = {"--file", file};
  const Words laplace = with(of, "--distribution laplace:scale=1");
  expect_each_refused(
      "sampler",
      {{"--distribution laplace:scale=1", "needs --exec, a program that writes numbers, or --file"},
       {of, "needs --distribution, such as laplace:scale=1"},
       {with(laplace, "--exec x"), "--exec and --file contradict each other"},
       {with(of, "--distribution laplac:scale=1"), "did you mean 'laplace'?"},
       {with(of, "--distribution laplace:scale=-1"),
        "--distribution: laplace: scale must be 1e-12 to 1e+12, not -1"},
       {with(of, "--distribution geometric:p=0.5 --rounded-to 1"),
        "--rounded-to is for continuous distributions; geometric has only whole numbers"},
       {with(laplace, "--rounded-to -1"), "--rounded-to must be 0 to 1e+12"},
       {with(laplace, "--see 3"), "--see "},
       {with(laplace, "--see ks=3"), "--see takes tv=NUMBER, eps=NUMBER or scale=NUMBER, not 'ks'"},
       {with(laplace, "--see tv=2"), "--see tv must be 1e-06 to 1, not 2"},
       {with(laplace, "--see scale=1"), "--see scale must be 1.0001 to 4, not 1"},
       {with(of, "--distribution bernoulli:p=0.5 --see scale=1.1"),
        "--see scale is for distributions with a scale; bernoulli has none"},
       {with(laplace, "--confidence 1"), "--confidence"},
       {with(laplace, "--samples 99"), "--samples must be 100 to 20000000, not 99"},
       {with(laplace, "--samples 60000"), "has 50,000 numbers, but 60,000 are needed"},
       {with(laplace, "--time 3"), "--time is for programs, and has no effect on a test of a file"},
       {with(laplace, "--seed 3"), "--seed is for programs with {seed} in their command"},
       {with(laplace, "--format xml"), "--format"},
       {"--exec x --distribution laplace:scale=1 --seed 3", "--seed is for programs with {seed}"},
       {"--exec x --distribution laplace:scale=1 --time 3 --samples 900", "--samples and --time"},
       {{"--exec", "x {samples}", "--distribution", "laplace:scale=1", "--time", "3"},
        "{samples} in the command and --time contradict each other"},
       {"--exec x --distribution laplace:scale=1 --see tv=1e-5",
        "samples; a test has at most 20,000,000"},
       {"--exec x --distribution laplace:scale=1 --memory 1", "--memory"},
       {"--file /nonexistent --distribution laplace:scale=1", "/nonexistent"}});
  folder.write("words.txt", "1\ntwo\n");
  expect_refused(of_file(folder.file("words.txt")), "words.txt:2: must be one number, not 'two'");
  folder.write("few.txt", "1\n2\n");
  expect_refused(of_file(folder.file("few.txt")), "has 2 numbers; a test needs at least 100");
  folder.write("large.txt", "1e999\n");
  expect_refused(of_file(folder.file("large.txt")), "outside the range of doubles, '1e999'");
}

TEST_F(SamplerCommand, JsonFitsItsSchemaAndIsTheSameOutsideMeta) {
  const std::string correct = correct_file();
  const auto report = [&](const Words& words, int status) {
    const auto run = run_expecting(status, with(words, "--format json"));
    expect_valid("sampler-report.schema.json", run.out);
    return run.out;
  };
  const auto first = report(of_file(correct), 0);
  EXPECT_EQ(without_meta(first), without_meta(report(of_file(correct), 0)));
  report(of_file(correct, "--see tv=0.001"), 3);
  report(of_program(program("{seed} 2000 1 0"), "--samples 1000"), 0);
  const auto wrong =
      nlohmann::json::parse(report(of_file(file_of([](double x) { return 1.1 * x; })), 1));
  EXPECT_GT(wrong.at("bounds").at("distance").at("lower").get<double>(), 0.0);
  // Of whole numbers, some cells without a sample.
  folder.write("bits.txt", [] {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "0\n";
    return text;
  }());
  report({"sampler", "--file", folder.file("bits.txt"), "--distribution", "bernoulli:p=0.5"}, 1);
}

TEST_F(SamplerCommand, CsvHasARowACellAndThePageItsPlots) {
  const auto csv = run_expecting(0, of_file(correct_file(), "--format csv")).out;
  EXPECT_THAT(csv, HasSubstr("\nkind,low,high,stated,count,lower,upper\ncell,-inf,-13.12"));
  EXPECT_THAT(csv, HasSubstr("\nupper tail,-inf,"));
  const auto page = folder.file("report.html");
  run_expecting(1, of_file(file_of([](double x) { return 1.1 * x; }), {"-w", page}));
  expect_page(read_file(page));
  EXPECT_THAT(read_file(page), HasSubstr("<svg"));
}

}  // namespace
}  // namespace assay
