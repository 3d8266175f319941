#include "assay/mechanisms/core/options.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

enum class WallColour { kRed, kBlue };
constexpr std::array<std::pair<WallColour, std::string_view>, 2> enum_names(WallColour) {
  return {{{WallColour::kRed, "red"}, {WallColour::kBlue, "blue"}}};
}

struct PaintFacts {
  bool is_red = false;
};

struct Pot {
  std::int64_t litres = 1;
};

struct PaintJob : JobOptions {
  using Facts = PaintFacts;

  std::string wall;
  WallColour colour = WallColour::kBlue;
  Number share = {1e-6, "1e-6"};
  std::optional<double> seconds;
  std::optional<std::uint64_t> seed;
  std::optional<bool> glossy;
  std::vector<std::string> files;
  std::vector<KeyValue> parameters;
  Pot pot;
  bool twice = false;

  static void fields(const VisitOption<PaintJob>& visit) {
    using J = PaintJob;
    visit(option(&J::wall, {.name = "wall", .is_positional = true}));
    visit(option(&J::colour, {.name = "colour", .shows_default = true}));
    visit(option(&J::share, {.name = "share", .shows_default = true}));
    visit(option(&J::seconds, {.name = "time", .range = {0.5, 60, "seconds"}}));
    visit(option(&J::seed, {.name = "seed", .range = at_least(0)}));
    visit(option(&J::glossy, {.name = "glossy"}));
    visit(option(&J::files, {.name = "files", .words = 2}));
    visit(option(&J::parameters, {.name = "parameter", .letter = 'p', .flag = "-p"}));
    visit(option(&J::pot, &Pot::litres, {.name = "litres", .range = {1, 10}},
                 {"red paint", [](const PaintFacts& facts) { return facts.is_red; }}));
    visit(option(&J::twice, {.name = "twice"}));
  }
};

const std::vector<std::string_view> kAll = {"wall",   "colour", "share",     "time",   "seed",
                                            "glossy", "files",  "parameter", "litres", "twice"};

WrittenOption written(const std::string& name, std::vector<std::string> words) {
  return {name, "--" + name, std::move(words), false, {}};
}

std::string option_refusal(const std::vector<WrittenOption>& options, bool is_red = false) {
  const auto job = read_options<PaintJob>(options);
  if (!job) return job.error().message;
  return refusal_of(check_options(*job, {is_red}, "a wall"));
}

TEST(Options, OfADefaultJobAreItsDefaults) {
  EXPECT_EQ(command_line("paint", PaintJob{}, kAll), "paint --colour blue --share 1e-6 --litres 1");
  EXPECT_TRUE(written_options(PaintJob{}).empty());
}

TEST(Options, TextsDeriveFromTheMembers) {
  const auto options = options_of<PaintJob>();
  EXPECT_EQ(options[1].text.default_text, "blue");
  EXPECT_TRUE(options[1].text.is_choice);
  EXPECT_EQ(options[2].text.default_text, "1e-6");
  EXPECT_FALSE(options[5].text.is_flag);  // "--glossy true"
  EXPECT_FALSE(options[6].text.is_repeatable);
  EXPECT_TRUE(options[7].text.is_repeatable);
  EXPECT_TRUE(options[9].text.is_flag);
}

TEST(Options, AreDescribedWithTheirRangeChoicesAndDefault) {
  const auto options = options_of<PaintJob>();
  EXPECT_EQ(described(options[3].text), " [0.5 to 60 seconds]");
  EXPECT_TRUE(options[4].text.is_whole);
  EXPECT_FALSE(options[3].text.is_whole);
  EXPECT_EQ(described({.name = "seed",
                       .help = "Draw from it.",
                       .range = at_least(0),
                       .environment = "ASSAY_SEED",
                       .default_text = "1",
                       .is_whole = true}),
            "Draw from it. [at least 0; default: 1; environment: ASSAY_SEED]");
  EXPECT_EQ(described({.name = "a", .help = "Print it.", .choices = {"x", "y"}}),
            "Print it. [x or y]");
  EXPECT_EQ(described({.name = "a", .help = "Print it."}), "Print it.");
}

// What a job's command line says, read again, is that job.
TEST(Options, ThatAreWrittenReadBack) {
  PaintJob job;
  job.wall = "it's north";
  job.colour = WallColour::kRed;
  job.share = {0.25, {}};
  job.seconds = 2.5;
  job.seed = 7;
  job.glossy = false;
  job.files = {"a", "b"};
  job.parameters = {{"x", "1"}, {"y", "2"}};
  job.pot.litres = 3;
  job.twice = true;
  const std::string command =
      "paint 'it'\\''s north' --colour red --share 0.25 --time 2.5 --seed 7 --glossy false --files "
      "a b -p x=1 -p y=2 --litres 3 --twice";
  EXPECT_EQ(command_line("paint", job, kAll), command);
  const auto again = must(read_options<PaintJob>(written_options(job)));
  EXPECT_EQ(command_line("paint", again, kAll), command);
}

TEST(Options, ANumberKeepsItsSpelling) {
  const auto job = must(read_options<PaintJob>({written("share", {"1e-3"})}));
  EXPECT_EQ(job.share.value, 1e-3);
  EXPECT_EQ(command_line("paint", job, {"share"}), "paint --share 1e-3");
}

TEST(Options, ErrorsNameTheOptionAndItsRange) {
  EXPECT_EQ(option_refusal({written("time", {"61"})}), "--time must be 0.5 to 60 seconds, not 61");
  EXPECT_EQ(option_refusal({written("seed", {"-1"})}), "--seed must be at least 0, not -1");
  EXPECT_EQ(option_refusal({written("litres", {"1e1x"})}, true),
            "--litres must be a whole number, not '1e1x'");
  EXPECT_EQ(option_refusal({written("colour", {"green"})}),
            "--colour must be red | blue, not 'green'");
  EXPECT_EQ(option_refusal({written("liters", {"2"})}),
            "unknown option 'liters'; did you mean 'litres'?");
  EXPECT_EQ(option_refusal({written("parameter", {"x"})}), "-p takes key=value, not 'x'");
  EXPECT_THAT(option_refusal({written("parameter", {"x=1", "x=2"})}), HasSubstr("given twice"));
  EXPECT_EQ(option_refusal({written("wall", {""})}), "--wall is given an empty value");
}

// A value that does not read is no excuse: the option has no effect whatever it says.
TEST(Options, WithoutEffectAreRefusedFirst) {
  const std::string refused = "--litres is for red paint, and has no effect on a wall";
  EXPECT_EQ(option_refusal({written("seed", {"x"}), written("litres", {"2"})}), refused);
  EXPECT_EQ(option_refusal({written("litres", {"bad"})}), refused);
  EXPECT_EQ(option_refusal({written("litres", {"2"})}, true), "");
  WrittenOption environment = written("litres", {"2"});
  environment.from_environment = true;
  EXPECT_EQ(option_refusal({environment}), "");
}

TEST(Options, OfAJobThatWasMadeByItsMembersAreJudgedToo) {
  PaintJob job;
  job.pot.litres = 2;
  const auto error = error_of(check_options(job, {}, "a wall"));
  EXPECT_THAT(error.message, HasSubstr("--litres is for red paint"));
  job.pot.litres = 11;
  const auto refused = error_of(check_options(job, {true}, "a wall"));
  EXPECT_EQ(refused.message, "--litres must be 1 to 10, not 11");
  job.pot.litres = PaintJob{}.pot.litres;
  EXPECT_TRUE(check_options(job, {}, "a wall"));
}

}  // namespace
}  // namespace assay
