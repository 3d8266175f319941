// docs/properties.md is whole: it lists every registered claim once, in order; every property that it names is a test;
// a claim without a property has a reason.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "assay/auditors/registry/claims.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

struct PropertyRow {
  std::string claim;  // or statistic
  std::vector<std::string> properties;
  std::string why_none;
};

std::vector<PropertyRow> rows_of_properties(const std::string& heading) {
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) + "/docs/properties.md");
  static const std::regex kRow("\\| (.*) \\| (.*)\\| (.*)\\|");
  static const std::regex kName("`([A-Za-z]+\\.[A-Za-z]+)`");
  std::vector<PropertyRow> rows;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    std::smatch cells;
    if (!inside || !std::regex_match(line, cells, kRow) || cells[1] == "claim" ||
        cells[1] == "statistic") {
      continue;
    }
    PropertyRow row{cells[1], {}, cells[3]};
    const std::string names = heading == "Claims" ? cells[2].str() : cells[3].str();
    for (std::sregex_iterator name(names.begin(), names.end(), kName), end; name != end; ++name) {
      row.properties.push_back((*name)[1]);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// "Suite.Name" of every test below tests/property.
std::set<std::string> property_names() {
  static const std::regex kTest("(?:TEST|RC_GTEST_PROP)\\((\\w+),\\s*(\\w+)");
  std::set<std::string> names;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(ASSAY_SOURCE_DIR) + "/tests/property")) {
    std::ifstream in(file.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (std::sregex_iterator test(text.begin(), text.end(), kTest), end; test != end; ++test) {
      names.insert((*test)[1].str() + "." + (*test)[2].str());
    }
  }
  return names;
}

TEST(PropertiesTable, ListsEveryClaimOnceAndInOrder) {
  std::vector<std::string> listed, registered;
  for (const auto& row : rows_of_properties("Claims")) listed.push_back(row.claim);
  for (const auto& claim : registered_claims()) {
    registered.push_back("`" + std::string(claim.id) + "`");
  }
  EXPECT_EQ(listed, registered);
}

TEST(PropertiesTable, NamesTestsThatExistOrGivesAReason) {
  const auto names = property_names();
  EXPECT_GE(names.size(), 80u);
  for (const char* heading : {"Claims", "Statistics that policies release"}) {
    const auto rows = rows_of_properties(heading);
    EXPECT_GE(rows.size(), 8u) << heading;
    for (const auto& row : rows) {
      for (const auto& name : row.properties) EXPECT_EQ(names.count(name), 1u) << name;
      // The last cell of a statistic names its properties.
      const bool has_reason = heading == std::string("Claims") && row.why_none.size() > 1;
      EXPECT_EQ(row.properties.empty(), has_reason) << row.claim;
    }
  }
}

}  // namespace
}  // namespace assay
