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

// A class with a guarantee in a header of these folders is listed: none is left out by accident.
TEST(MechanismList, NothingThatReleasesIsMissing) {
  std::size_t classes = 0;
  std::vector<std::filesystem::path> headers;
  for (const auto* folder : {"/mechanisms/release", "/mechanisms/idealized"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(ASSAY_SOURCE_DIR) + folder)) {
      if (entry.path().extension() == ".hpp") headers.push_back(entry.path());
    }
  }
  for (const auto& header : headers) {
    std::ifstream in(header);
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

// Nothing whose noise is in doubles has a name that a user could take for the thing to release.
TEST(MechanismList, WhatIsIdealizedSaysSoInItsName) {
  std::set<std::string_view> idealized;
  for (const auto& mechanism : mechanism_descriptions()) {
    if (mechanism.name.id.starts_with("idealized-")) idealized.insert(mechanism.name.id);
  }
  EXPECT_EQ(idealized, (std::set<std::string_view>{
                           "idealized-gaussian", "idealized-laplace", "idealized-noisy-histogram",
                           "idealized-numerical-sparse-vector", "idealized-parallel-laplace",
                           "idealized-prefix-sum"}));
}

}  // namespace
}  // namespace assay
