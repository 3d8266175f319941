// What every listed mechanism has to have.
#include "assay/mechanisms/release/mechanisms.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace assay {
namespace {

TEST(MechanismList, EveryMechanismHasANameALevelAndItsSource) {
  std::set<std::string_view> ids;
  for (const auto& mechanism : mechanism_descriptions()) {
    EXPECT_TRUE(ids.insert(mechanism.name.id).second) << mechanism.name.id << " is there twice";
    EXPECT_FALSE(mechanism.name.title.empty());
    EXPECT_FALSE(mechanism.parameters.empty()) << mechanism.name.id;
    EXPECT_FALSE(mechanism.at_defaults.source.empty()) << mechanism.name.id;
    EXPECT_NE(mechanism.law, "sampled only")
        << mechanism.name.id << " could not be audited exactly";
  }
  EXPECT_GE(ids.size(), 21U);
}

// A class with a guarantee in a header of mechanisms/release is listed: none is left out by accident.
TEST(MechanismList, NothingThatReleasesIsMissing) {
  std::size_t classes = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ASSAY_SOURCE_DIR "/mechanisms/release")) {
    if (entry.path().extension() != ".hpp") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    const std::string source = text.str();
    constexpr std::string_view mark = "static_assert(FiniteMechanism<";
    constexpr std::string_view dense = "static_assert(DensityMechanism<";
    for (const auto what : {mark, dense}) {
      for (std::size_t at = source.find(what); at != std::string::npos;
           at = source.find(what, at + 1)) {
        const std::size_t end = source.find(';', at);
        const std::string asserted = source.substr(at, end - at);
        for (std::size_t i = asserted.find("Mechanism<"); i != std::string::npos;
             i = asserted.find("Mechanism<", i + 1)) {
          ++classes;
        }
      }
    }
  }
  EXPECT_EQ(classes, mechanism_descriptions().size());
}

}  // namespace
}  // namespace assay
