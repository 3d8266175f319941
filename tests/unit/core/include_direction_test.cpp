// Dependencies point one way: mechanisms <- policies <- auditors <- cli, and so do those among
// their folders; public headers, which are those outside internal/ folders, know no third
// party but tl/expected, and no internal header. Read from the #include lines of the tree itself.
#include <filesystem>
#include <fstream>
#include <optional>

#include "assay/tests/support/testing.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kLayers{"mechanisms", "policies", "auditors", "cli"};
constexpr std::string_view kPrefix = "assay/";

struct Include {
  std::string file;    // relative to the root of the tree
  std::string target;  // between the quotes or angle brackets
  bool quoted;
  auto operator<=>(const Include&) const = default;
};

std::optional<Include> parse_include(const std::string& file, std::string_view line) {
  const auto skip_blanks = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  const auto skip_word = [&line](std::string_view word) {
    if (line.substr(0, word.size()) != word) return false;
    line.remove_prefix(word.size());
    return true;
  };
  skip_blanks();
  if (!skip_word("#")) return std::nullopt;
  skip_blanks();
  if (!skip_word("include")) return std::nullopt;
  skip_blanks();
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
  const bool quoted = line[0] == '"';
  const auto end = line.find(quoted ? '"' : '>', 1);
  return Include{file, std::string(line.substr(1, end - 1)), quoted};
}

std::vector<Include> includes_below(const fs::path& root, std::string_view layer) {
  std::vector<Include> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
    const auto extension = entry.path().extension();
    if (!entry.is_regular_file() || (extension != ".hpp" && extension != ".cpp")) continue;
    std::ifstream in(entry.path());
    const auto file = fs::relative(entry.path(), root).generic_string();
    for (std::string line; std::getline(in, line);) {
      if (auto include = parse_include(file, line)) found.push_back(*include);
    }
  }
  return found;
}

std::size_t rank_of(std::string_view path) {
  const auto layer = path.substr(0, path.find('/'));
  return static_cast<std::size_t>(std::find(kLayers.begin(), kLayers.end(), layer) -
                                  kLayers.begin());
}

// Includes that point backwards, or at something that is not one of the layers, or that do not read
// "assay/<layer>/...".
std::vector<std::string> direction_faults(const std::vector<Include>& includes) {
  std::vector<std::string> faults;
  for (const auto& [file, target, quoted] : includes) {
    const bool ours = target.substr(0, kPrefix.size()) == kPrefix;
    if (quoted != ours) {
      faults.push_back(file + " includes " + target +
                       ": quotes are for assay/, and assay/ for quotes");
    } else if (ours && rank_of(std::string_view(target).substr(kPrefix.size())) > rank_of(file)) {
      faults.push_back(file + " includes " + target + ", which is not below it");
    }
  }
  return faults;
}

bool is_internal(std::string_view path) { return path.find("/internal/") != path.npos; }

bool is_public_header(std::string_view path) {
  return path.ends_with(".hpp") && rank_of(path) < kLayers.size() - 1 && !is_internal(path);
}

// Angle includes of public headers: the standard library has neither a slash nor a dot in its
// names.
std::vector<std::string> third_party_faults(const std::vector<Include>& includes) {
  constexpr std::array<std::string_view, 2> kCpuHeaders{"emmintrin.h", "immintrin.h"};
  std::vector<std::string> faults;
  for (const auto& [file, target, quoted] : includes) {
    if (!is_public_header(file) || quoted) continue;
    const bool standard = target.find_first_of("/.") == std::string::npos;
    const bool allowed = target == "tl/expected.hpp" ||
                         std::count(kCpuHeaders.begin(), kCpuHeaders.end(), target) > 0;
    if (!standard && !allowed) faults.push_back(file + " includes <" + target + ">");
  }
  return faults;
}

// What a public header includes is installed with it.
std::vector<std::string> internal_faults(const std::vector<Include>& includes) {
  std::vector<std::string> faults;
  for (const auto& [file, target, quoted] : includes) {
    if (is_public_header(file) && is_internal(target)) {
      faults.push_back(file + " includes " + target + ", which is not installed");
    }
  }
  return faults;
}

// "policies/bandits"; "policies" for a file of the layer itself.
std::string folder_of(std::string_view path) {
  const auto layer = path.find('/');
  const auto folder = path.find('/', layer + 1);
  return std::string(path.substr(0, folder == path.npos ? layer : folder));
}

// What each includes, and an include that does.
using Folders = std::map<std::string, std::map<std::string, std::string>>;

bool leads_to(const Folders& folders, const std::string& from, const std::string& to,
              std::set<std::string>& seen) {
  if (from == to) return true;
  const auto at = folders.find(from);
  return seen.insert(from).second && at != folders.end() &&
         std::any_of(at->second.begin(), at->second.end(),
                     [&](const auto& next) { return leads_to(folders, next.first, to, seen); });
}

// One include for each step of a circle of folders.
std::vector<std::string> circle_faults(const std::vector<Include>& includes) {
  Folders folders;
  for (const auto& [file, target, quoted] : includes) {
    if (!target.starts_with(kPrefix)) continue;
    const auto from = folder_of(file);
    const auto to = folder_of(std::string_view(target).substr(kPrefix.size()));
    if (from != to) folders[from].emplace(to, file + " includes " + target);
  }
  std::vector<std::string> faults;
  for (const auto& [from, below] : folders) {
    for (const auto& [to, where] : below) {
      std::set<std::string> seen;
      if (leads_to(folders, to, from, seen)) faults.push_back(where);
    }
  }
  return faults;
}

// The headers of the tree that `header` includes, relative to its root.
std::vector<std::string> headers_in(const fs::path& root, const std::string& header) {
  std::vector<std::string> headers;
  std::ifstream in(root / header);
  for (std::string line; std::getline(in, line);) {
    const auto include = parse_include(header, line);
    if (!include || !include->target.starts_with(kPrefix)) continue;
    headers.push_back(include->target.substr(kPrefix.size()));
  }
  return headers;
}

class TheTree : public ::testing::TestWithParam<std::string_view> {};

TEST_P(TheTree, IncludesOnlyWhatLiesBelow) {
  const auto includes = includes_below(ASSAY_SOURCE_DIR, GetParam());
  ASSERT_FALSE(includes.empty());
  EXPECT_THAT(direction_faults(includes), ::testing::IsEmpty());
}

TEST_P(TheTree, KeepsThirdPartiesOutOfPublicHeaders) {
  EXPECT_THAT(third_party_faults(includes_below(ASSAY_SOURCE_DIR, GetParam())),
              ::testing::IsEmpty());
}

TEST_P(TheTree, KeepsInternalHeadersOutOfPublicOnes) {
  EXPECT_THAT(internal_faults(includes_below(ASSAY_SOURCE_DIR, GetParam())), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Layer, TheTree, ::testing::ValuesIn(kLayers),
                         [](const auto& layer) { return std::string(layer.param); });

TEST(Folders, DoNotIncludeEachOtherInACircle) {
  std::vector<Include> includes;
  for (const auto layer : kLayers) {
    const auto more = includes_below(ASSAY_SOURCE_DIR, layer);
    includes.insert(includes.end(), more.begin(), more.end());
  }
  EXPECT_THAT(circle_faults(includes), ::testing::IsEmpty());
}

// What is installed: the headers that assay.hpp lists, for users, and what these include.
TEST(PublicHeaders, AreFewAndReachNoInternalOne) {
  const fs::path root = ASSAY_SOURCE_DIR;
  auto ahead = headers_in(root, "assay.hpp");
  std::set<std::string> reached(ahead.begin(), ahead.end());
  EXPECT_EQ(reached.size(), ahead.size()) << "one is listed twice";
  EXPECT_GE(ahead.size(), 50u);
  EXPECT_LE(ahead.size(), 70u);
  ahead.emplace_back("check.hpp");  // which is not in assay.hpp, since it needs RapidCheck
  while (!ahead.empty()) {
    const std::string header = ahead.back();
    ahead.pop_back();
    EXPECT_TRUE(fs::is_regular_file(root / header)) << header;
    EXPECT_FALSE(is_internal(header)) << header;
    for (auto& next : headers_in(root, header)) {
      if (reached.insert(next).second) ahead.push_back(std::move(next));
    }
  }
}

TEST(PublicHeaders, AreWhatExamplesInclude) {
  const fs::path root = ASSAY_SOURCE_DIR;
  const auto listed = headers_in(root, "assay.hpp");
  int seen = 0;
  for (const char* folder : {"examples", "tests/package/consumer"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      for (const auto& header : headers_in(root, fs::relative(entry.path(), root).string())) {
        if (header.ends_with(".h") || header == "check.hpp") continue;  // of programs in C
        ++seen;
        EXPECT_TRUE(std::count(listed.begin(), listed.end(), header) > 0)
            << entry << ": " << header;
      }
    }
  }
  EXPECT_GE(seen, 5);
}

TEST(IncludeDirection, ABackwardIncludeIsFound) {
  const std::vector<Include> includes{
      {"mechanisms/core/a.hpp", "assay/policies/concepts.hpp", true},
      {"policies/a.cpp", "assay/auditors/engine/audit_report.hpp", true},
      {"auditors/a.cpp", "assay/cli/main.hpp", true},
      {"policies/b.hpp", "assay/tests/support/x.hpp", true}};
  EXPECT_EQ(direction_faults(includes).size(), 4u);
}

TEST(IncludeDirection, AForwardIncludeAndOneWithinALayerAreAllowed) {
  const std::vector<Include> includes{
      {"cli/main.cpp", "assay/auditors/engine/audit_report.hpp", true},
      {"auditors/a.hpp", "assay/mechanisms/core/result.hpp", true},
      {"mechanisms/core/a.hpp", "assay/mechanisms/core/result.hpp", true},
      {"mechanisms/core/a.hpp", "vector", false}};
  EXPECT_THAT(direction_faults(includes), ::testing::IsEmpty());
}

TEST(IncludeDirection, ACircleOfFoldersIsFoundAndWhatLiesAboveItIsNot) {
  const std::vector<Include> includes{
      {"policies/a/x.hpp", "assay/policies/b/y.hpp", true},
      {"policies/b/y.cpp", "assay/policies/c/internal/z.hpp", true},
      {"policies/c/internal/z.cpp", "assay/policies/list.hpp", true},
      {"policies/list.hpp", "assay/policies/a/x.hpp", true},
      {"policies/d/above.hpp", "assay/policies/a/x.hpp", true},
      {"policies/d/above.cpp", "assay/policies/d/internal/own.hpp", true},
      {"policies/c/z.hpp", "assay/mechanisms/core/result.hpp", true}};
  EXPECT_THAT(
      circle_faults(includes),
      ::testing::UnorderedElementsAre("policies/a/x.hpp includes assay/policies/b/y.hpp",
                                      "policies/b/y.cpp includes assay/policies/c/internal/z.hpp",
                                      "policies/c/internal/z.cpp includes assay/policies/list.hpp",
                                      "policies/list.hpp includes assay/policies/a/x.hpp"));
}

TEST(IncludeDirection, OneSpellingIsAllowedForOurHeadersAndOneForOthers) {
  const std::vector<Include> includes{{"mechanisms/core/a.cpp", "result.hpp", true},
                                      {"mechanisms/core/a.cpp", "assay/policies/x.hpp", false}};
  EXPECT_EQ(direction_faults(includes).size(), 2u);
}

TEST(IncludeDirection, AThirdPartyInAPublicHeaderIsFound) {
  const std::vector<Include> includes{{"auditors/text/a.hpp", "nlohmann/json.hpp", false},
                                      {"mechanisms/a.hpp", "fmt/format.h", false},
                                      {"mechanisms/a.hpp", "gmp.h", false}};
  EXPECT_EQ(third_party_faults(includes).size(), 3u);
}

TEST(IncludeDirection, AnInternalHeaderInAPublicOneIsFound) {
  const std::vector<Include> includes{
      {"auditors/text/a.hpp", "assay/policies/external/internal/messages.hpp", true},
      {"mechanisms/a.hpp", "assay/mechanisms/numerics/internal/b.hpp", true}};
  EXPECT_EQ(internal_faults(includes).size(), 2u);
}

TEST(IncludeDirection, InternalHeadersServeSourcesAndEachOtherAndKnowThirdParties) {
  const std::vector<Include> includes{
      {"mechanisms/a.cpp", "assay/mechanisms/numerics/internal/b.hpp", true},
      {"mechanisms/numerics/internal/b.hpp", "assay/mechanisms/numerics/internal/c.hpp", true},
      {"cli/a.hpp", "assay/mechanisms/numerics/internal/b.hpp", true},
      {"policies/external/internal/messages.hpp", "nlohmann/json.hpp", false}};
  EXPECT_THAT(internal_faults(includes), ::testing::IsEmpty());
  EXPECT_THAT(third_party_faults(includes), ::testing::IsEmpty());
}

TEST(IncludeDirection, ExpectedInHeadersAndAnythingInSourcesAreAllowed) {
  const std::vector<Include> includes{{"policies/a.hpp", "tl/expected.hpp", false},
                                      {"policies/a.cpp", "Eigen/Dense", false},
                                      {"policies/a.hpp", "compare", false},
                                      {"auditors/a.cpp", "nlohmann/json.hpp", false}};
  EXPECT_THAT(third_party_faults(includes), ::testing::IsEmpty());
}

TEST(IncludeDirection, IncludeLinesAreReadInEverySpelling) {
  EXPECT_EQ(parse_include("a.hpp", "#include \"assay/x.hpp\"  // why"),
            (Include{"a.hpp", "assay/x.hpp", true}));
  EXPECT_EQ(parse_include("a.hpp", "  #  include <vector>"), (Include{"a.hpp", "vector", false}));
  EXPECT_EQ(parse_include("a.hpp", "// #include <vector>"), std::nullopt);
  EXPECT_EQ(parse_include("a.hpp", "#define X 1"), std::nullopt);
}

// Two types of one name in one namespace are one type to the linker, whose functions are then taken
// from either: what a translation unit that sees only one of them cannot notice.
TEST(Headers, NoTwoDefineATypeOfTheSameName) {
  std::map<std::string, std::string> first;  // namespace and name, to its header
  for (const auto layer : kLayers) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(ASSAY_SOURCE_DIR) / layer)) {
      if (entry.path().extension() != ".hpp") continue;
      std::ifstream in(entry.path());
      const auto file = fs::relative(entry.path(), ASSAY_SOURCE_DIR).generic_string();
      std::vector<std::string> scope;
      for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string kind, name, after;
        words >> kind >> name >> after;
        if (kind == "namespace") scope.push_back(name);
        if (line.starts_with("}  // namespace") && !scope.empty()) scope.pop_back();
        const bool defines = (line.starts_with("struct ") || line.starts_with("class ")) &&
                             (after == "{" || after == ":" || after == "final");
        if (!defines) continue;
        std::string full;
        for (const auto& part : scope) full += part + "::";
        const auto [where, is_new] = first.emplace(full + name, file);
        EXPECT_TRUE(is_new) << full + name << " is defined in " << where->second << " and in "
                            << file;
      }
    }
  }
  EXPECT_GT(first.size(), 300U);
}

}  // namespace
