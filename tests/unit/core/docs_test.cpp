// What the pages under docs/ and the comments of the sources say of the tree is true of it: paths
// exist, proofs and the sources they belong to name each other, headers begin with their interface.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "assay/tests/support/testing.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ASSAY_SOURCE_DIR;
constexpr int kLongestPreamble = 28;

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Relative paths of the regular files below `folder` with one of the extensions, sorted.
std::vector<std::string> files_below(const std::string& folder,
                                     const std::set<std::string>& kinds) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    if (entry.is_regular_file() && kinds.count(entry.path().extension().string()) > 0) {
      files.push_back(fs::relative(entry.path(), kRoot).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> sources() {
  std::vector<std::string> files;
  for (const char* folder : {"mechanisms", "policies", "auditors", "cli"}) {
    const auto found = files_below(folder, {".hpp", ".cpp"});
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::vector<std::string> pages() {
  std::vector<std::string> files = files_below("docs", {".md"});
  files.emplace_back("CONTRIBUTING.md");
  return files;
}

// The first group of every match.
std::vector<std::string> captures(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.push_back((*match)[1].str());
  }
  return found;
}

// a/{b,c}.hpp names two files.
std::vector<std::string> expand_braces(const std::string& path) {
  const auto open = path.find('{');
  const auto close = path.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {path};
  std::vector<std::string> paths;
  for (std::size_t from = open + 1; from <= close;) {
    const auto end = std::min(path.find(',', from), close);
    const auto rest = expand_braces(path.substr(close + 1));
    for (const std::string& tail : rest) {
      paths.push_back(path.substr(0, open) + path.substr(from, end - from) + tail);
    }
    from = end + 1;
  }
  return paths;
}

// Paths in backquotes that begin with a folder of the root and do not exist. <family> and the like
// stand for a name, * for any: of those the part before counts.
std::vector<std::string> missing_paths(const std::string& page) {
  static const std::regex kQuoted("`([A-Za-z_.][A-Za-z0-9_.-]*/[A-Za-z0-9_.,{}<>*/-]*)`");
  std::vector<std::string> missing;
  for (const std::string& quoted : captures(page, kQuoted)) {
    if (!fs::exists(kRoot / quoted.substr(0, quoted.find('/')))) continue;
    if (quoted.rfind("build/", 0) == 0) continue;  // what a build makes
    for (const std::string& path : expand_braces(quoted)) {
      const auto open = path.find_first_of("<*");
      const auto known = open == std::string::npos ? path : path.substr(0, path.rfind('/', open));
      if (!fs::exists(kRoot / known)) missing.push_back(path);
    }
  }
  return missing;
}

// Links of a page to files that do not exist, relative to the page.
std::vector<std::string> broken_links(const std::string& file) {
  static const std::regex kLink("[^\\[]\\]\\(([A-Za-z0-9_./-]+)");  // no lambda of an example
  std::vector<std::string> broken;
  for (const std::string& target : captures(read(kRoot / file), kLink)) {
    if (!fs::exists((kRoot / file).parent_path() / target)) broken.push_back(file + ": " + target);
  }
  return broken;
}

int comment_lines_at_start(const fs::path& file) {
  std::ifstream in(file);
  int count = 0;
  for (std::string line; std::getline(in, line) && line.rfind("//", 0) == 0;) ++count;
  return count;
}

TEST(Docs, NameOnlyPathsThatExist) {
  for (const std::string& file : pages()) {
    EXPECT_THAT(missing_paths(read(kRoot / file)), ::testing::IsEmpty()) << file;
    EXPECT_THAT(broken_links(file), ::testing::IsEmpty());
  }
}

// The code of a section is in the example, which tests/package builds and runs.
TEST(Docs, ShowPropertyTestsThatAreCompiled) {
  const std::string page = read(kRoot / "docs/use-from-cpp.md");
  std::string example;
  for (const char* file : {"property_tests.cpp", "explore_then_commit.hpp"}) {
    example += read(kRoot / "examples/property_tests" / file);
  }
  const std::string fence = "```cpp\n";
  const auto section = page.find("## Property tests of your own policy");
  ASSERT_NE(section, std::string::npos);
  int blocks = 0;
  for (auto at = page.find(fence, section); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    const std::string code = page.substr(at, page.find("```", at) - at);
    EXPECT_NE(example.find(code), std::string::npos) << code;
    ++blocks;
  }
  EXPECT_EQ(blocks, 3);
}

TEST(Docs, EveryProofIsNamedByItsSourceAndEveryProofNamedExists) {
  static const std::regex kProof("(docs/proofs/[a-z0-9_]+\\.md)");
  std::map<std::string, std::vector<std::string>> named_by;
  for (const std::string& file : sources()) {
    for (const std::string& proof : captures(read(kRoot / file), kProof)) {
      named_by[proof].push_back("`" + file + "`");
    }
  }
  std::vector<std::string> named;
  for (const auto& [proof, files] : named_by) {
    named.push_back(proof);
    // The page names its source, so that a reader of either finds the other.
    const std::string page = read(kRoot / proof);
    EXPECT_TRUE(
        std::any_of(files.begin(), files.end(),
                    [&](const std::string& file) { return page.find(file) != std::string::npos; }))
        << proof << " names no source that names it";
  }
  EXPECT_EQ(named, files_below("docs/proofs", {".md"}));
}

TEST(Headers, ShowTheirInterfaceOnTheFirstScreen) {
  for (const std::string& file : sources()) {
    EXPECT_LE(comment_lines_at_start(kRoot / file), kLongestPreamble)
        << file << ": the proof belongs to docs/proofs/, the header names it";
  }
}

TEST(Comments, NameOnlyFilesThatExist) {
  static const std::regex kFile("([A-Za-z0-9_]+\\.hpp)");
  std::set<std::string> names{"expected.hpp"};  // of tl
  for (const char* folder : {"mechanisms", "policies", "auditors", "cli", "tests"}) {
    for (const std::string& file : files_below(folder, {".hpp"})) {
      names.insert(fs::path(file).filename().string());
    }
  }
  for (const std::string& file : sources()) {
    std::ifstream in(kRoot / file);
    for (std::string line; std::getline(in, line);) {
      const auto comment = line.find("// ");
      if (comment == std::string::npos) continue;
      for (const std::string& name : captures(line.substr(comment), kFile)) {
        EXPECT_TRUE(names.count(name) > 0) << file << " names " << name;
      }
    }
  }
}

TEST(DocsCheck, FindsWhatIsMissing) {
  EXPECT_THAT(missing_paths("`mechanisms/core/{result,check}.hpp`, `docs/<topic>.md`, `a/b.hpp`"),
              ::testing::IsEmpty());
  EXPECT_THAT(missing_paths("`mechanisms/core/{result,nothing}.hpp` and `auditors/no/*.hpp`"),
              ::testing::ElementsAre("mechanisms/core/nothing.hpp", "auditors/no/*.hpp"));
}

}  // namespace
