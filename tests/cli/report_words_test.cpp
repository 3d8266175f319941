// Every word of a report is in the glossary, a name that `assay list` has, or plain English, of which
// tests/support/plain_words.txt is the list. A new word fails here: a term of the field goes into the glossary,
// a word that every engineer knows into the list, and of the others a plainer one is written.
#include <filesystem>
#include <fstream>

#include "assay/auditors/text/glossary.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

const std::string kSource = ASSAY_SOURCE_DIR;

// Texts of each kind of report.
const std::vector<Words> kReports{
    {"account", kSource + "/examples/chain.toml"},
    "account gaussian --sigma 1 --sampler truncated-poisson --sampling 0.1 --records 100 --batch 15 "
    "--relation replace-one",
    "account laplace --scale 1 --sampler fixed-size --records 100 --batch 15 --relation replace-one",
    "account laplace --scale 1 --sampler with-replacement --records 100 --batch 15",
    "account matrix-factorization --factor toeplitz --coefficients 0.3,0.9,-0.9 --steps 9 --sigma 9 "
    "--participations 3 --separation 2",
    "account noisy-max --noise gumbel --scale 4 --compose 9",
    "account above-threshold --epsilon 1 --cutoff 2 --resetting true",
    "account above-threshold --epsilon 1 --cutoff 100",
    "account calibrate above-threshold --cutoff 10 --epsilon 1 --delta 1e-6",
    "account above-threshold --noise gaussian --threshold-sigma 8 --sigma 8 --answers 100 --cutoff 2",
    "account discrete-gaussian-vector --sigma 2 --squared-sensitivity 4 --compose 3",
    "account discrete-gaussian-vector --sigma 20 --squared-sensitivity 40",
    "account repeat-and-select --gamma 0.1 --mu 0.5 --compose 2",
    "account repeat-and-select --repeats poisson --mean 3 --epsilon 0.5",
    "account rappor --hashes 2 --permanent 0.5 --one-if-zero 0.1 --one-if-one 0.9",
    "account gaussian-mixture --sigma 4 --weights 0.9,0.1 --shifts 0,3 --relation replace-one",
    "account gaussian --sigma 4 --sampler poisson --sampling 0.1 --group 3",
    "account gaussian --sigma 4 --sampler cyclic-poisson --sampling 0.1 --parts 4",
    "account convert zcdp --rho 0.1 --delta 1e-6",
    "account calibrate gaussian --epsilon 1 --delta 1e-6",
    "account calibrate discrete-gaussian --epsilon 1 --delta 1e-6",
    "account calibrate randomized-response --epsilon 1 --delta 1e-6",
    {"account", "odometer", kSource + "/examples/steps.txt", "--epsilon", "1", "--delta", "1e-6"},
    "audit thompson-sampling -p arms=2 -p horizon=6",
    "audit thompson-sampling -p arms=2 -p horizon=20 --method likelihood --samples 2000",
    "audit laplace --claim eps=0.5 -p epsilon=1",
    "audit laplace --method events --samples 5000",
    "audit dp-ebs",
    "audit fliphat",
    "audit above-threshold",
    {"check-certificate", kSource + "/docs/certificates/ts-step-dp.json"},
    "detect laplace --sample-share 0.001",
    "detect --sequences seed-leaked",
    {"sampler", "--exec",
     std::string(ASSAY_PYTHON) + " " + kSource + "/examples/samplers/laplace.py {seed}",
     "--distribution", "laplace:scale=1", "--samples", "20000", "--see", "tv=0.01"},
    {"sampler", "--exec",
     std::string(ASSAY_PYTHON) + " " + kSource + "/examples/samplers/laplace.py {seed} bits",
     "--distribution", "laplace:scale=1", "--samples", "100000"},
    "frontier --budget 1 --epochs 2 --noise laplace --c2 4",
    "simulate ftnl-gap --repetitions 10 --horizon 200 --check",
    {"try", "--exec", std::string(ASSAY_PYTHON) + " " + kSource + "/examples/targets/best_arm.py",
     "--kind", "best-arm", "--arms", "3", "--horizon", "12"},
    {"audit", "--exec", std::string(ASSAY_PYTHON) + " " + kSource + "/examples/targets/best_arm.py",
     "--kind", "best-arm", "--arms", "3", "--horizon", "12", "--claim", "eps=1", "--runs", "4000"},
    {"audit", "--exec",
     std::string(ASSAY_PYTHON) + " " + kSource + "/examples/adapters/thompson_two_arms.py",
     "--arms", "2", "--horizon", "4", "--claim", "eps=3", "--runs", "1000", "--method", "exact"},
    "verify ts-step-dp bai-gauss-dp tree-dp ftnl-conjecture --effort 0.02"};

std::set<std::string> words_in(const std::string& text) {
  std::set<std::string> out;
  for (auto& word : Words(text)) out.insert(word);
  return out;
}

// A word without its ending: "pair's", "pairs" and "pair" are one.
std::string stem_of(std::string word) {
  for (const std::string ending : {"'s", "'", "s"}) {
    if (word.size() > ending.size() + 2 && word.ends_with(ending)) {
      word.resize(word.size() - ending.size());
    }
  }
  return word;
}

// In small letters; commands, paths, numbers and formulas are no words.
std::set<std::string> words_of_report(const std::string& text) {
  std::set<std::string> out;
  std::istringstream lines(text);
  bool is_command = false;
  for (std::string line; std::getline(lines, line);) {
    is_command = is_command ? line.starts_with(' ') && !line.ends_with("assay") &&
                                  line.find('\\') != std::string::npos
                            : line.find("assay ") != std::string::npos;
    if (is_command) continue;
    for (std::string word : Words(line)) {
      const auto is_letter = [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) != 0;
      };
      while (!word.empty() && std::string_view("(\"'[`").find(word.front()) != std::string::npos) {
        word.erase(0, 1);
      }
      while (!word.empty() &&
             std::string_view(".,:;?!)\"'`]").find(word.back()) != std::string::npos) {
        word.pop_back();
      }
      const bool is_word = word.size() > 1 && is_letter(word.front()) &&
                           std::all_of(word.begin(), word.end(), [&](char c) {
                             return is_letter(c) || c == '-' || c == '\'';
                           });
      if (!is_word) continue;
      for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      out.insert(word);
    }
  }
  return out;
}

std::set<std::string> known_words() {
  std::set<std::string> out = words_in(read_file(kSource + "/tests/support/plain_words.txt"));
  for (const auto& name : glossary_names()) out.insert(name);
  for (const auto& kind :
       {"cases", "claims", "experiments", "mechanisms", "detect", "sequences", "methods"}) {
    for (const auto& word : words_of_report(run_command({ASSAY_CLI, "list", kind}).out)) {
      if (word.find('-') != std::string::npos) out.insert(word);
    }
  }
  std::set<std::string> stems;
  for (const auto& word : out) stems.insert(stem_of(word));
  return stems;
}

TEST(ReportWords, AreInTheGlossaryOrPlain) {
  std::map<std::string, std::string> reports;
  for (const auto& words : kReports) {
    const auto run = run_command(with({ASSAY_CLI}, words));
    ASSERT_LE(run.status, 3) << ::testing::PrintToString(words) << run.err;
    ASSERT_NE(run.out, "") << ::testing::PrintToString(words) << run.err;
    reports[::testing::PrintToString(words)] = run.out;
  }
  for (const auto& file : fs::directory_iterator(kSource + "/tests/support/golden")) {
    if (file.path().extension() == ".txt") reports[file.path().filename()] = read_file(file.path());
  }
  const auto known = known_words();
  std::set<std::string> missing;
  for (const auto& [name, text] : reports) {
    for (const auto& word : words_of_report(text)) {
      if (known.count(stem_of(word)) == 0 && missing.insert(word).second) {
        ADD_FAILURE() << word << "  in " << name;
      }
    }
  }
}

// No case, claim or method has the name of a word, which `assay explain` would not find.
TEST(ReportWords, AreExplained) {
  for (const auto& word : glossary()) {
    const auto run = run_command({ASSAY_CLI, "explain", std::string(word.id)});
    EXPECT_THAT(run.out, HasSubstr(std::string(word.line))) << word.id;
  }
}

// The list says what is plain; it says nothing of what no report has.
TEST(ReportWords, OfTheListAreNotInTheGlossary) {
  const auto plain = words_in(read_file(kSource + "/tests/support/plain_words.txt"));
  for (const auto& name : glossary_names()) EXPECT_EQ(plain.count(name), 0u) << name;
}

}  // namespace
}  // namespace assay
