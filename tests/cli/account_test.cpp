// The `account` subcommand as a user meets it: reports, formats, chains, messages, exit codes.
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/golden.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

CommandResult run_account(const Words& words) { return run_assay(with("account", words)); }

TEST(AccountCommand, MainFormsPrintWhatTheyDid) {
  const std::pair<const char*, const char*> forms[] = {
      {"account_gaussian.txt", "gaussian --sigma 2 --compose 1000 --delta 1e-6"},
      {"account_two_targets.txt",
       "approximate --epsilon 0.1 --own-delta 1e-8 --compose 100 --delta 1e-5 --at-epsilon 1"},
      {"account_infinite.txt", "gdp --mu 1 --delta 0"},
      {"account_zcdp.txt", "zcdp --rho 0.1 --compose 10"},
      {"account_convert.txt", "convert zcdp --rho 0.5 --group 2 --at-epsilon 3"},
      {"account_calibrate.txt", "calibrate laplace --epsilon 1 --delta 1e-6 --compose 100"},
      {"account_solved.txt",
       "calibrate subsampled-gaussian --sampling 0.01 --compose 10000 --epsilon 2 --delta 1e-6"}};
  for (const auto& [golden, words] : forms) {
    const auto run = run_expecting(0, with("account", words));
    EXPECT_EQ(run.err, "");
    testing::expect_golden(golden, run.out);
  }
}

TEST(AccountCommand, TheExampleChainIsAccountedForInOneComposition) {
  const auto run =
      run_expecting(0, {"account", ASSAY_SOURCE_DIR "/examples/chain.toml", "--delta", "1e-6"});
  EXPECT_THAT(run.out, HasSubstr("Step 4      a survey by a partner"));
  EXPECT_THAT(run.out, HasSubstr("eps at delta = 1e-06\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("eps at delta = 1e-09\n")));  // a flag goes before the file
  EXPECT_THAT(run.out, HasSubstr("eps is at least 2.369"));
  EXPECT_THAT(run.out, HasSubstr("privacy-loss distributions, the worse of"));
}

TEST(AccountCommand, AParameterOfAChainIsSolvedFor) {
  const std::string chain = ASSAY_SOURCE_DIR "/examples/chain.toml";
  const auto solved =
      run_expecting(0, {"account", "calibrate", chain, "--solve", "1.scale", "--epsilon", "2.36958",
                        "--delta", "1e-6", "--format", "json"});
  const auto report = nlohmann::json::parse(solved.out);
  EXPECT_NEAR(report["value"].get<double>(), 50.0, 0.01);  // that of the file, which costs so much
  EXPECT_EQ(report["parameter"], "scale");
  EXPECT_EQ(report["chain"][0]["parameters"]["scale"], report["value"]);
  const auto cost = run_expecting(0, {"account", chain, "--format", "csv"});
  EXPECT_THAT(cost.out, HasSubstr("without,\"weekly means: gaussian"));
  EXPECT_THAT(cost.out, HasSubstr("rates,,false_positive_rate,0.01,true_positive_rate,0.03"));
}

TEST(AccountCommand, EveryKindOfJsonFollowsTheSchemaAndThePageStandsAlone) {
  const TemporaryFolder folder;
  const auto json = folder.file("report.json");
  for (const char* words :
       {"laplace --scale 5 --compose 20 --delta 1e-5 --delta 0", "gdp --mu 1 --delta 0",
        "zcdp --rho 0.125", "finite-pair --p 0.6,0.4,0 --q 0.3,0.6,0.1 --delta 0.2 --at-epsilon 1",
        "gaussian-mixture --sigma 4 --weights 0.9,0.1 --shifts 0,3 --relation replace-one",
        "matrix-factorization --factor tree --steps 100 --sigma 9",
        "exponential --epsilon 0.5 --compose 3 --monotone true",
        "rappor --hashes 2 --permanent 0.5",
        "discrete-gaussian-vector --sigma 2 --squared-sensitivity 4",
        "repeat-and-select --gamma 0.1 --mu 1",
        "convert approximate --epsilon 1 --own-delta 1e-7 --group 2",
        "convert rdp --order 8 --epsilon 0.2 --group 3", "calibrate noisy-max --epsilon 1",
        "calibrate tree --epsilon 1 --delta 1e-6 --horizon 64",
        "calibrate zcdp --epsilon 1 --delta 1e-6",
        "calibrate repeat-and-select --gamma 0.1 --run gaussian --epsilon 2 --delta 1e-6",
        "calibrate repeat-and-select --mu 0.2 --solve gamma --epsilon 2 --delta 1e-6",
        "calibrate laplace --sampler fixed-size --batch 10 "
        "--records 1000 --epsilon 1 --delta 1e-6"}) {
    SCOPED_TRACE(words);
    run_expecting(0, with(with("account", words), {"-w", json}));
    expect_valid("account-report.schema.json", read_file(json));
  }
  const auto page = folder.file("report.html");
  for (const char* words : {"laplace --scale 5 --compose 20", "zcdp --rho 0.125",
                            "repeat-and-select --gamma 0.1 --mu 1"}) {
    run_expecting(0, with(with("account", words), {"-w", page}));
    expect_page(read_file(page));
    EXPECT_THAT(read_file(page), HasSubstr("<svg"));
  }
}

TEST(AccountCommand, StandardOutputIsTheReportInTheFormatAskedFor) {
  const auto csv = run_account("pure --epsilon 1 --format csv");
  EXPECT_THAT(csv.out, HasSubstr("\nanswer,certified,delta,1e-06,epsilon,"));
  EXPECT_THAT(csv.out, HasSubstr("\nprofile,,epsilon,0,delta,"));
  EXPECT_THAT(csv.out, HasSubstr("\ntrade-off,,type_one,1,type_two,"));
  const auto json = run_account("gdp --mu 1 --delta 0 --format json");
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed["answers"][0]["upper"], "inf");
  EXPECT_EQ(parsed["answers"][0]["lower"], "inf");
  EXPECT_THAT(parsed["answers"][0]["why_infinite"].get<std::string>(), HasSubstr("delta = 0"));
}

TEST(AccountCommand, EveryFormatAnswersWhatTextAnswers) {
  const TemporaryFolder folder;
  for (const char* words :
       {"gaussian --sigma 2 --compose 1000 --delta 1e-6", "zcdp --rho 200",
        "finite-pair --p 0.5,0.5 --q 1e-290,1 --compose 2", "pure --epsilon 264.663",
        "finite-pair --p 0,1 --q 1,0 --compose 3", "gdp --mu 5 --compose 30000 --at-epsilon 0"}) {
    Words command = with("account", words);
    for (const char* ending : {"txt", "csv", "json", "html"}) {
      command.insert(command.end(), {"-w", folder.file(std::string("report.") + ending)});
    }
    run_expecting(0, command);
  }
}

TEST(AccountCommand, AnInterruptEndsItAtOnceWithWords) {
  Words words =
      with({"/usr/bin/timeout", "--preserve-status", "-s", "INT", "1", ASSAY_CLI, "account"},
           "subsampled-gaussian --sigma 0.94 --sampling 0.57");
  for (int i = 1; i <= 200; ++i) {  // minutes of work
    words.insert(words.end(), {"--delta", "1e-" + std::to_string(i)});
  }
  words.insert(words.end(), {"--compose", "250000"});
  const auto run = run_command(words);
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("interrupted"));
  EXPECT_EQ(run.out, "");
}

TEST(AccountCommand, TheReproduceCommandMakesTheSameReport) {
  for (const char* words :
       {"laplace --scale 9 --group 3 --compose 2",
        "convert pure --epsilon 1 --to replace-one --group 2",
        "subsampled-gaussian --sigma 2 --sampling 0.1 --compose 5 --delta 1e-5 --at-epsilon 1",
        "convert rdp --order 8 --epsilon 0.2", "calibrate peeling --epsilon 1 --rounds 3"}) {
    const auto first = run_expecting(0, with("account", words));
    std::string command = first.out.substr(first.out.find("Reproduce   assay account "));
    for (std::size_t at; (at = command.find("\\\n")) != std::string::npos;) command.erase(at, 2);
    auto again = Words(command);
    again.erase(again.begin(), again.begin() + 3);
    EXPECT_EQ(run_account(again).out, first.out);
  }
}

TEST(AccountCommand, CountsTheRecordsOfAGroup) {
  const auto run = [](const char* words) { return run_expecting(0, with("account", words)).out; };
  EXPECT_THAT(run("laplace --scale 9 --group 3 --delta 0"),
              AllOf(HasSubstr("group 3, once"), HasSubstr("0.333333")));
  EXPECT_THAT(
      run("finite-pair --p 0.5,0.5 --q 0.25,0.75 --group 2"),
      HasSubstr(
          "between two pairs: from above, one change of a record\n              after another; from below, one record of the group"));
  EXPECT_THAT(run("calibrate pure --epsilon 1 --delta 1e-6 --group 4 --solve epsilon"),
              HasSubstr("0.25"));
  EXPECT_THAT(run("convert pure --epsilon 1 --to replace-one"),
              AllOf(HasSubstr("from add-or-remove to replace-one"), HasSubstr("price: times 2)")));
  const TemporaryFolder folder;
  const std::string path = folder.file("group.toml");
  std::ofstream(path)
      << "[[step]]\nmechanism = 'pure'\nepsilon = 0.5\ngroup = 2\n[[step]]\n"
         "mechanism = 'gaussian'\nsigma = 9\nsampler = 'poisson'\nsampling = 0.1\ngroup = 3\n";
  EXPECT_THAT(run_expecting(0, {"account", path}).out,
              AllOf(HasSubstr("pure, epsilon 0.5, group 2, once"), HasSubstr("group 3")));
}

TEST(AccountCommand, NamesTheDistanceOfASensitivityAndComputesItFromTheAnswersThatMove) {
  const auto run = [](const char* words) { return run_expecting(0, with("account", words)).out; };
  EXPECT_THAT(run("gaussian --sigma 2"), HasSubstr("L2 sensitivity 1, once"));
  EXPECT_THAT(run("gaussian --sigma 2 --moves 5"),
              HasSubstr("5 answers moved (L2 sensitivity\n            2.23607), once"));
  EXPECT_THAT(run("laplace --scale 5 --moves 5 --delta 0"), HasSubstr("(L1 sensitivity 5)"));
  const auto gaussian = run("calibrate gaussian --epsilon 1 --delta 1e-6");
  EXPECT_THAT(gaussian, AllOf(HasSubstr("L2 sensitivity 1"), HasSubstr("sqrt(k)"),
                              HasSubstr("standard deviation 4.225; within 8.28")));
  const auto five = run("calibrate gaussian --epsilon 1 --delta 1e-6 --moves 5");
  EXPECT_THAT(five,
              AllOf(HasSubstr("2.23607 in L2 distance"), HasSubstr("Scale       9.44666917")));
  EXPECT_THAT(run("calibrate laplace --epsilon 1 --moves 5"),
              AllOf(HasSubstr("5 in L1 distance"), HasSubstr("Scale       5.000000000000"),
                    HasSubstr("standard deviation 7.071; within 14.98")));
}

// P(two Laplace noises of scale 2 differ by t) = (1 + t/4) e^(-t/2) / 2: 6.5436 is exceeded with probability 5%.
TEST(AccountCommand, CalibratesTheNoiseOfAChoiceWithItsError) {
  const auto run = [](const std::string& words) {
    return run_expecting(0, Words("account calibrate noisy-max --epsilon 1 " + words)).out;
  };
  EXPECT_THAT(
      run("--answers 2"),
      AllOf(HasSubstr("\nRelease     each is 1-DP, by the formula"),
            HasSubstr("\nError       of the choice among 2: at most 6.544 below the largest")));
  EXPECT_THAT(run("--answers 2 --noise gumbel"), HasSubstr("at most 5.889 below the largest"));
  EXPECT_THAT(run("--answers 2 --noise exponential"), HasSubstr("at most 4.606 below the largest"));
  EXPECT_THAT(run(""), HasSubstr("--answers N says how far"));
}

TEST(AccountCommand, AnErrorOfASubcommandGivesItsOwnExample) {
  const auto run = run_expecting(2, Words("account calibrate gaussian"));
  EXPECT_THAT(run.err, HasSubstr("for example: assay account calibrate gaussian --epsilon 1"));
}

TEST(AccountCommand, HelpNamesEveryMechanism) {
  const auto help = run_account("--help");
  EXPECT_EQ(help.status, 0);
  for (const char* name : {"gaussian",
                           "laplace",
                           "discrete-laplace",
                           "discrete-gaussian",
                           "randomized-response",
                           "subsampled-gaussian",
                           "pure",
                           "approximate",
                           "gdp",
                           "zcdp",
                           "finite-pair",
                           "convert",
                           "calibrate",
                           "--own-delta",
                           "gaussian-mixture",
                           "matrix-factorization",
                           "cyclic-poisson",
                           "exponential",
                           "permute-and-flip",
                           "noisy-max",
                           "unary-encoding",
                           "rappor",
                           "truncated-geometric",
                           "above-threshold",
                           "repeat-and-select",
                           "discrete-gaussian-vector",
                           "loss-distribution"}) {
    EXPECT_THAT(help.out, HasSubstr(name));
  }
}

// ---- bad words ----------------------------------------------------------------------------------

TEST(AccountCommand, BadWordsAreRefusedByName) {
  expect_each_refused(
      "account",
      {{"", "account needs a mechanism, a chain.toml"},
       {"gausian --sigma 1", "did you mean 'gaussian'"},
       {"gaussian", "gaussian needs --sigma"},
       {"gaussian --sigma 1 --mu 1", "gaussian has no parameter 'mu', only sigma, sensitivity"},
       {"gaussian --sigma 1 --epsilon 1", "to ask for delta at an eps, use --at-epsilon"},
       {"gaussian --sigma 1 --sensitivity nan", "--sensitivity must be a finite number, not 'nan'"},
       {"laplace --scale 1 --sensitivity inf", "--sensitivity must be a finite number, not 'inf'"},
       {"gaussian --sigma 1 --sensitivity -1", "--sensitivity must be 1e-12 to 1e+12, not -1"},
       {"pure --epsilon 0", "--epsilon must be 1e-09 to 300, not 0"},
       {"pure --epsilon -1", "--epsilon must be 1e-09 to 300, not -1"},
       {"pure --epsilon 1 --delta 1", "--delta must be in [0, 1), not 1"},
       {"pure --epsilon 1 --delta -0.1", "--delta must be in [0, 1)"},
       {"pure --epsilon 1 --delta nan", "--delta must be a finite number, not 'nan'"},
       {"subsampled-gaussian --sigma 0.02 --sampling 0.1",
        "--sigma must be 0.05 to 1e+06 times the sensitivity, not 0.02 times"},
       {"pure --epsilon 1 --at-epsilon -1", "--at-epsilon must be finite and at least 0"},
       {"approximate --epsilon 1 --own-delta 1", "--own-delta must be 0 to"},
       {"pure --epsilon 1 --compose 0", "--compose must be 1 to 1000000000, not 0"},
       {"pure --epsilon 1 --compose 1e18", "--compose must be a whole number"},
       {"pure --epsilon 1 --compose 2000000000",
        "--compose must be 1 to 1000000000, not 2000000000"},
       {"pure --epsilon 1 --compose 1.5", "--compose must be a whole number, not '1.5'"},
       {"finite-pair --p 0.5,0.4 --q 0.5,0.5", "--p must sum to 1"},
       {"gaussian-mixture --sigma 1 --weights 0.5,0.4 --shifts 0,1", "--weights must sum to 1"},
       {"finite-pair --p 1", "finite-pair needs --q"},
       {"finite-pair --pair /nonexistent.csv", "/nonexistent.csv"},
       {"noisy-max --noise gaussian --scale 2", "Nearest: gdp"},
       {"noisy-max --scale 1e-9", "--scale must be"},
       {"exponential --epsilon 101", "--epsilon must be"},
       {"rappor --hashes 1 --permanent 0.5 --one-if-one 0", "--one-if-one must be above"},
       {"snapped-laplace --epsilon 1", "Nearest: pure"},
       {"discrete-gaussian-vector --sigma 2 --squared-sensitivity 0", "--squared-sensitivity must"},
       {"discrete-gaussian-vector --sigma 2 --sampler poisson --sampling 0.1", "Nearest: gaussian"},
       {"repeat-and-select --mu 1 --gamma 0.1 --sampler poisson --sampling 0.1", "in each run"},
       {"repeat-and-select --gamma 0.1", "one of epsilon, mu and rho"},
       {"repeat-and-select --gamma 0.1 --mu 1 --run laplace --scale 2", "no parameter"},
       {"repeat-and-select --gamma 0.1 --mu 1 --run-compose 2", "--run-compose needs run"},
       {"repeat-and-select --gamma 0.1 --run zcdp --rho 1", "Nearest: rho of one run"},
       {"repeat-and-select --gamma 0.1 --run repeat-and-select --mu 1", "Nearest: epsilon"},
       {"repeat-and-select --mu 1", "repeat-and-select needs --gamma"},
       {"repeat-and-select --mu 1 --gamma 0.1 --eta -1", "--eta must be"},
       {"repeat-and-select --mu 1 --repeats binomial --mean 3", "--repeats must be"},
       {"gaussian --sigma 1 --sampler poisson --sampling 0.1 --group 0",
        "--group must be 1 to 1000"},
       {"matrix-factorization --factor tree --steps 0 --sigma 1", "--steps must be 1 to"},
       {"pure --epsilon 1 --epsilon 2", "--epsilon"},
       {"pure --epsilon 1 --format pdf", "--format must be text, csv, json or html, not 'pdf'"},
       {"pure --epsilon 1 -w a.png", "ends in .txt, .csv, .json or .html"},
       {"no-such.toml", "no-such.toml: the chain cannot be read"},
       {"convert gpd --mu 1", "no level is called 'gpd'; did you mean 'gdp'?"},
       {"convert gdp --epsilon 1", "gdp has no parameter 'epsilon', only mu"},
       {"convert pure --epsilon 0", "--epsilon must be finite and above 0, not 0"},
       {"convert rdp --order 1 --epsilon 1", "--order must be above 1, not 1"},
       {"convert pure --epsilon 1 --group 0", "--group must be 1 to"},
       {"convert pure --epsilon 1 --delta 1", "--delta must be in [0, 1)"},
       {"convert zcdp --rho 1e300 --group 1000000", "rho of the whole overflows"},
       {"calibrate trees --epsilon 1", "did you mean 'tree'"},
       {"calibrate gaussian", "account calibrate needs --epsilon EPS"},
       {"calibrate laplace --epsilon 0", "--epsilon must be finite and above 0, not 0"},
       {"calibrate laplace --epsilon 1 --delta 1", "--delta must be in [0, 1), not 1"},
       {"calibrate gaussian --epsilon 1", "--delta must be in (0, 1) for Gaussian noise, not 0"},
       {"calibrate gaussian --epsilon 1 --sensitivity 0",
        "--sensitivity must be finite and above 0, not 0"},
       {"calibrate gaussian --epsilon 1 --rounds 3",
        "--rounds is for peeling, and has no effect on a calibration of gaussian"},
       {"calibrate gaussian --epsilon 1 --delta 1e-6 --answers 5",
        "its noise depends on the answers that one record moves: --moves K"},
       {"calibrate laplace --epsilon 1 --answers 4 --moves 5",
        "--moves must be at most 4, the number of answers, not 5"},
       {"calibrate discrete-gaussian --epsilon 1", "--delta must be in (0, 1), not 0"},
       {"calibrate discrete-laplace --epsilon 1 --sensitivity 2",
        "--sensitivity must be 1 for noise on integers and randomised response, not 2"},
       {"calibrate pure --solve compose --epsilon 1",
        "--epsilon is the target here; keep the level of pure in a chain file"},
       {"calibrate gaussian --sigma 1 --epsilon 1", "--solve names the one to solve for"},
       {"calibrate gaussian --sigma 1 --solve sigma --epsilon 1", "--sigma is given"},
       {"calibrate gaussian --sampler poisson --epsilon 1",
        "needs all but one of sigma, sampling; that one is solved for"},
       {"calibrate gaussian --solve scale --epsilon 1", "'scale' of gaussian cannot be solved for"},
       {"calibrate gaussin --sigma 1 --epsilon 1", "did you mean 'gaussian'"},
       {"calibrate " ASSAY_SOURCE_DIR "/examples/chain.toml --epsilon 1 --solve 5.scale",
        "--solve must name a step, 1 to 4, and its parameter, as in 1.sigma, not '5.scale'"},
       {"odometer x.txt", "account odometer needs --epsilon EPS"},
       {"odometer /nonexistent --epsilon 1", "/nonexistent"},
       {"odometer x.txt --epsilon 0", "--epsilon must be positive and finite, not 0"},
       {"odometer x.txt --epsilon 1 --level gdp", "--delta must be in (0, 1), not 0"},
       {"odometer x.txt --epsilon 1 --delta 1", "--delta must be in (0, 1), not 1"},
       {"odometer x.txt --epsilon 1 --level rdp", "--level"},
       {"calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity sqrt(5)",
        "--sensitivity must be a number, not 'sqrt(5)'; its value, rounded up, is 2.2360679775"},
       {"gaussian --sigma 1 --sensitivity sqrt(5)", "its value, rounded up, is 2.2360679775"},
       {"pure --epsilon 1 --group 0", "--group must be a whole number, 1 to 1000, not '0'"},
       {"laplace --scale 9 --group 2 --moves 2", "--group together with moves needs gaussian"},
       {"gaussian --sigma 9 --group 2 --sampler fixed-size --records 9 --batch 3",
        "--group with the sampler fixed-size: no pair for several records is proved. Nearest: the sampler poisson"},
       {"convert pure --epsilon 1 --to add-or-remove",
        "--to add-or-remove: a level for replaced records"},
       {"pure --epsilon 1 --moves 2",
        "--moves is for noise that each answer gets independently, not for pure"},
       {"calibrate noisy-max --epsilon 1 --noise cauchy", "--noise must be laplace | exponential"},
       {"calibrate laplace --epsilon 1 --compose 0", "--compose must be 1 to 1000000000, not 0"}});
}

// ---- bad chains ---------------------------------------------------------------------------------

struct BadChain {
  std::string text;
  long line;  // 0: none
  std::string message;
};

TEST(AccountChain, ABadOneIsRefusedWithItsFileItsLineAndTheField) {
  const TemporaryFolder folder;
  const BadChain rows[] = {
      {"", 0, "a chain needs at least one [[step]]"},
      {"delta = 1e-6\nstep = [[\n", 2, "array"},
      {"deltas = 1e-6\n[[step]]\n", 1, "unknown key 'deltas'"},
      {"delta = [1e-6, 1.0]\n", 1, "delta must be in [0, 1), not 1"},
      {"delta = nan\n", 1, "delta must be in [0, 1), not nan"},
      {"delta = 'small'\n", 1, "delta must be a number"},
      {"at_epsilon = -1\n", 1, "at_epsilon must be finite and at least 0"},
      {"[[step]]\nsigma = 1\n", 1, "step 1: needs mechanism"},
      {"[[step]]\nmechanism = 'gausian'\n", 2, "did you mean 'gaussian'"},
      {"[[step]]\nmechanism = 'gaussian'\n", 1, "step 1: gaussian needs sigma"},
      {"[[step]]\nmechanism = 'pure'\nepsilon = 1\n\n[[step]]\nmechanism = 'gdp'\n"
       "mu = -1\n",
       7, "step 2: mu must be 1e-06 to 100, not -1"},
      {"[[step]]\nmechanism = 'gaussian'\nsigma = inf\n", 3,
       "step 1: sigma must be a finite number, not 'inf'"},
      {"[[step]]\nmechanism = 'gdp'\nmu = 1\nsigma = 2\n", 4,
       "step 1: gdp has no parameter 'sigma', only mu"},
      {"[[step]]\nmechanism = 'pure'\nepsilon = 1\ndelta = 0.1\n", 4,
       "step 1: pure has no parameter 'delta', only epsilon"},
      {"[[step]]\nmechanism = 'gaussian'\nsigma = 1\nsensitivity = 1000\n", 3,
       "sigma must be 0.01 to 1e+06 times the sensitivity"},
      {"[[step]]\nmechanism = 'pure'\nepsilon = true\n", 3, "step 1: epsilon must be a number"},
      {"[[step]]\nmechanism = 'pure'\nepsilon = 1\ncount = 0\n", 4,
       "step 1: count must be a whole number, 1 to 1000000000"},
      {"[[step]]\nmechanism = 'pure'\nepsilon = 1\ncount = 1.5\n", 4,
       "step 1: count must be a whole number"},
      {"[[step]]\nmechanism = 'pure'\nepsilon = 1\nlabel = 3\n", 4, "step 1: label must be text"},
      {"[[step]]\nmechanism = 'pure'\nepsilon = 1\nmoves = 2\n", 4,
       "step 1: moves is for noise that each answer gets independently, not for pure"},
      {"[[step]]\nmechanism = 'gdp'\nmu = 1\ngroup = 1001\n", 4,
       "step 1: group must be a whole number, 1 to 1000"},
      {"[[step]]\nmechanism = 'gdp'\nmu = 1\ngroup = 101\n", 4,
       "step 1: group times mu must be 1e-06 to 100"},
      {"[[step]]\nmechanism = 'gaussian'\nsigma = 1\nmoves = 0\n", 4,
       "step 1: moves must be a whole number, 1 to 1000000000"},
      {"relation = 'replace-one'\n[[step]]\nmechanism = 'pure'\nepsilon = 1\n"
       "relation = 'add-or-remove'\n",
       5, "\"add-or-remove\" contradicts \"replace-one\""},
      {"[[step]]\nmechanism = 'subsampled-gaussian'\nsigma = 1\nsampling = 0.1\n[[step]]\n"
       "mechanism = 'pure'\nepsilon = 1\nrelation = 'replace-one'\n",
       8, "relation \"replace-one\" contradicts \"add-or-remove\""},
      {"[[step]]\nmechanism = 'gaussian'\nsampler = 'fixed-size'\nsigma = 1\nrecords = 10\n"
       "batch = 10\n",
       6, "step 1: batch must be below records"},
      {"[[step]]\nmechanism = 'gaussian'\nsampler = 'permutation'\nsigma = 1\n", 3,
       "sampler permutation is refused: no bound"},
      {"[[step]]\nmechanism = 'pure'\nepsilon = 1\nview = 'output'\n[[step]]\n"
       "mechanism = 'pure'\nepsilon = 1\nview = 'actions'\n",
       8, "view \"actions\" contradicts \"output\""},
      {"view = 'all'\n", 1, "view must be one of output, actions"},
      {"[step]\nmechanism = 'pure'\n", 0, "at least one [[step]]"}};
  for (const auto& [text, line, message] : rows) {
    SCOPED_TRACE(text);
    const auto file = folder.write("chain.toml", text);
    const auto run = run_expecting(2, {"account", file});
    const std::string place = line > 0 ? ":" + std::to_string(line) : "";
    EXPECT_THAT(run.err, AllOf(HasSubstr(file + place + ": "), HasSubstr(message)));
    EXPECT_EQ(run.out, "");
  }
}

TEST(AccountChain, CountsThatOverflowTogetherAreRefused) {
  const TemporaryFolder folder;
  const std::string step = "[[step]]\nmechanism = 'pure'\nepsilon = 1\ncount = 600000000\n";
  expect_refused({"account", folder.write("chain.toml", step + step)},
                 "count must be at most 1000000000 over all steps");
}

TEST(AccountChain, OfManyStepsIsComposedByKindsAndShownShort) {
  const TemporaryFolder folder;
  std::string text = "delta = 1e-6\n";
  for (int i = 0; i < 1500; ++i) {
    text += "[[step]]\nmechanism = 'laplace'\nscale = " + std::to_string(100 + i % 3) + "\n";
  }
  const auto run = run_expecting(0, {"account", folder.write("chain.toml", text)});
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("Step 24 "), HasSubstr("... and 1,476 more steps"),
                    HasSubstr("3 different among 1,500 steps"), Not(HasSubstr("Step 26"))));
}

TEST(AccountCommand, LongListsAreWholeInJsonAlone) {
  std::string p = "0.5", q = "0.5";
  for (int i = 0; i < 512; ++i) {
    p += ",0.0009765625";  // 2^-10
    q += i % 2 == 0 ? ",0.00048828125" : ",0.00146484375";
  }
  const Words words{"account", "finite-pair", "--p", p, "--q", q};
  const auto text = run_expecting(0, words);
  EXPECT_THAT(text.out, AllOf(HasSubstr("... 513 numbers"), HasSubstr("JSON has all of it"),
                              Not(HasSubstr("Reproduce "))));
  EXPECT_LT(text.out.size(), 4000U);
  const auto json = nlohmann::json::parse(run_expecting(0, with(words, "--format json")).out);
  EXPECT_EQ(json["chain"][0]["parameters"]["p"].size(), 513U);
  EXPECT_THAT(json["reproduce"].get<std::string>(), HasSubstr(q));
}

// ---- odometers ----------------------------------------------------------------------------------

TEST(AccountOdometer, SpendsUntilAStepDoesNotFit) {
  const TemporaryFolder folder;
  const auto file = folder.write("steps.txt",
                                 "# a comment\npure epsilon=0.5\n\n"
                                 "laplace scale=10 compose=3 label=counts\n"
                                 "pure epsilon=0.25\npure epsilon=0.1\n");
  const Words words{"account", "odometer", file, "--epsilon", "1"};
  const auto run = run_expecting(1, words);
  EXPECT_THAT(run.out, AllOf(HasSubstr("line 5 does not fit"), HasSubstr("counts: laplace"),
                             HasSubstr("may depend on the outputs before it"),
                             Not(HasSubstr("epsilon 0.1, once"))));
  const auto json = folder.file("report.json");
  run_expecting(1, with(words, {"-w", json}));
  expect_valid("odometer-report.schema.json", read_file(json));
  const auto report = nlohmann::json::parse(read_file(json));
  EXPECT_EQ(report["level"], "pure");
  EXPECT_EQ(report["exceeded"], true);
  ASSERT_EQ(report["lines"].size(), 3U);
  EXPECT_EQ(report["lines"][1]["admitted"], true);
  EXPECT_NEAR(report["lines"][1]["spent"].get<double>(), 0.8, 1e-12);
  EXPECT_NEAR(report["lines"][2]["left"].get<double>(), 0.2, 1e-12);
  EXPECT_EQ(report["lines"][2]["admitted"], false);
  // With a larger budget all fit.
  const auto csv =
      run_expecting(0, {"account", "odometer", file, "--epsilon", "2", "--format", "csv"});
  EXPECT_THAT(csv.out, AllOf(HasSubstr("line,mechanism,cost,admitted,spent,left,loss_so_far\n2,"),
                             HasSubstr("\n6,\"pure, epsilon 0.1, once\",0.1,true,")));
}

TEST(AccountOdometer, KeepsOneLevelAndNamesTheLineThatHasNone) {
  const TemporaryFolder folder;
  const auto steps = [&](const std::string& text, const char* level) {
    return run_assay({"account", "odometer", folder.write("steps.txt", text), "--epsilon", "1",
                      "--delta", "1e-6", "--level", level});
  };
  EXPECT_EQ(steps("gaussian sigma=20\n", "gdp").status, 0);
  EXPECT_EQ(steps("gaussian sigma=2\n", "gdp").status, 1);
  const std::vector<std::tuple<std::string, const char*, const char*>> rows = {
      {"gaussian sigma=20\ndiscrete-gaussian sigma=20\n", "gdp",
       ":2: discrete-gaussian: no closed"},
      {"gaussian sigma=20\n", "pure", ":1: gaussian: its noise can lose any eps"},
      {"subsampled-gaussian sigma=1 sampling=0.1\n", "zcdp", ":1: gaussian: sampled"},
      {"gausian sigma=1\n", "zcdp", "did you mean 'gaussian'"},
      {"\ngaussian 20\n", "zcdp", ":2: a parameter must be name=value, not '20'"},
      {"gaussian sigma=20 compose=0\n", "zcdp", ":1: compose must be a whole number"},
      {"pure epsilon=1 moves=2\n", "zcdp", "moves is for noise that each answer gets"}};
  for (const auto& [text, level, message] : rows) {
    const auto run = steps(text, level);
    EXPECT_EQ(run.status, 2) << text;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
  EXPECT_THAT(steps("", "zcdp").out, HasSubstr("nothing is spent"));
}

TEST(AccountChain, TakesNoParametersOfTheCommandLine) {
  expect_refused({"account", ASSAY_SOURCE_DIR "/examples/chain.toml", "--sigma", "2"},
                 "--sigma is for a mechanism on the command line");
}

}  // namespace
}  // namespace assay
