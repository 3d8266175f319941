// Golden files: the expected text of an output, kept beside the tests in tests/support/golden.
//
// To accept a changed output, run the test once with ASSAY_UPDATE_GOLDEN=1 in the environment and
// review the difference that git shows.
#pragma once

#include <cstdlib>
#include <fstream>

#include "assay/tests/support/testing.hpp"

namespace assay::testing {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(ASSAY_SOURCE_DIR) + "/tests/support/golden/" + name;
  if (std::getenv("ASSAY_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing; make it with ASSAY_UPDATE_GOLDEN=1";
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(text, expected.str()) << "differs from " << path;
}

}  // namespace assay::testing
