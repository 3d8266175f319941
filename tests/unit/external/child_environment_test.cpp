// What of the environment a target gets to see, and what is refused by name.
#include "assay/policies/external/child_environment.hpp"

#include <cstdlib>
#include <fstream>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

class ChildEnvironment : public ::testing::Test {
 protected:
  ChildEnvironment() {
    setenv("T_SECRET", "x=y", 1);
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv("LC_TEST", "de", 1);
    setenv("ASSAY_TEST_OWN", "1", 1);
    setenv("ASSAY_PROTOCOL", "7", 1);
  }
  ~ChildEnvironment() override {
    for (const char* name :
         {"T_SECRET", "OMP_NUM_THREADS", "LC_TEST", "ASSAY_TEST_OWN", "ASSAY_PROTOCOL"}) {
      unsetenv(name);
    }
  }
};

TEST_F(ChildEnvironment, IsAStatedSetAndWhatIsNamed) {
  const auto usual = child_environment({});
  EXPECT_THAT(usual, Contains("OMP_NUM_THREADS=3"));
  EXPECT_THAT(usual, Contains("LC_TEST=de"));
  EXPECT_THAT(usual, Contains(StartsWith("PATH=")));
  EXPECT_THAT(usual, Not(Contains(StartsWith("T_SECRET"))));
  EXPECT_THAT(child_environment({"T_SECRET"}), Contains("T_SECRET=x=y"));
  EXPECT_THAT(child_environment({"all"}), Contains("T_SECRET=x=y"));
  EXPECT_THAT(named_environment({"T_SECRET"}), ElementsAre("T_SECRET=x=y"));
  EXPECT_THAT(named_environment({}), IsEmpty());
  const auto all = child_environment({"all"});
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
}

TEST_F(ChildEnvironment, HasNothingOfAssaysOwnButTheProtocol) {
  for (const auto& names : {std::vector<std::string>{}, {"all"}}) {
    std::vector<std::string> own;
    for (const auto& entry : child_environment(names)) {
      if (entry.rfind("ASSAY_", 0) == 0) own.push_back(entry);
    }
    EXPECT_THAT(own, ElementsAre("ASSAY_PROTOCOL=1"));
  }
}

TEST_F(ChildEnvironment, RefusesNamesThatAreNone) {
  const auto message = [](const std::string& name) {
    return refusal_of(check_environment({"PATH", name}));
  };
  EXPECT_EQ(message("T_SECRET"), "");
  EXPECT_EQ(message("all"), "");
  EXPECT_EQ(message("T_SECRTE"),
            "'T_SECRTE' is not set; set it (an empty value will do), or leave it out; "
            "did you mean 'T_SECRET'?");
  EXPECT_EQ(message("QQQQQQQQQQQQ"),
            "'QQQQQQQQQQQQ' is not set; set it (an empty value will do), or leave it out");
  EXPECT_THAT(message(""), HasSubstr("is not the name of a variable"));
  EXPECT_THAT(message("T_SECRET=z"),
              HasSubstr("give only the name, and the target gets the value that is set here"));
  EXPECT_THAT(message("ASSAY_TEST_OWN"), HasSubstr("no target gets ASSAY_* variables"));
}

// The list of docs/protocol.md: names in backticks, a line each kind.
TEST_F(ChildEnvironment, IsWhatThePageSays) {
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) + "/docs/protocol.md");
  std::vector<std::string> listed;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("## The environment", 0) == 0) inside = true;
    if (!inside || line.rfind("* ", 0) != 0) {
      if (inside && line.rfind("## ", 0) == 0 && !listed.empty()) break;
      continue;
    }
    for (std::size_t at = line.find('`'); at != std::string::npos;) {
      const std::size_t end = line.find('`', at + 1);
      listed.push_back(line.substr(at + 1, end - at - 1));
      at = line.find('`', end + 1);
    }
  }
  std::sort(listed.begin(), listed.end());
  EXPECT_EQ(listed, passed_variables());
}

}  // namespace
}  // namespace assay
