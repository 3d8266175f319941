// The example plug-in, compiled as its comment says, and libraries that are none.
#include "assay/policies/external/plugin_target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;

class PluginTargetTest : public ::testing::Test {
 protected:
  std::string compile(const std::string& source) const {
    const std::string library = folder_.file("plugin.so");
    const auto run =
        run_command({"/usr/bin/cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror",
                     "-I" ASSAY_BINARY_DIR "/include", "-o", library, source, "-lm"});
    EXPECT_EQ(run.status, 0) << run.err;
    return library;
  }
  std::string compile_text(const std::string& text) const {
    return compile(folder_.write("plugin.c", text));
  }
  TemporaryFolder folder_;
};

TargetShape two_arms() {
  TargetShape shape;
  shape.horizon = 10;
  return shape;
}

const std::string kExample = std::string(ASSAY_SOURCE_DIR) + "/examples/targets/leaky_counter.c";

TEST_F(PluginTargetTest, TheExamplePlaysAndDrawsEverythingFromItsSeeds) {
  auto target = PluginTarget::load(compile(kExample), two_arms()).value();
  EXPECT_EQ(target->name(), "leaky counter");
  EXPECT_TRUE(target->seeded());
  const InputTable input{10, 1, std::vector<double>(10, 1.0)};
  const std::vector<std::uint64_t> seeds{1, 2, 3};
  const auto once = target->play(input, seeds).value();
  EXPECT_EQ(once.count, 3);
  EXPECT_EQ(once.width, 10);
  const auto twin = target->clone().value();
  target.reset();  // the library stays for its twin
  EXPECT_EQ(twin->play(input, seeds).value(), once);
}

TEST_F(PluginTargetTest, ARefusalIsPassedOn) {
  auto shape = two_arms();
  shape.arms = 3;
  EXPECT_THAT(PluginTarget::load(compile(kExample), shape).error().message,
              HasSubstr("refuses the shape: this policy is a bandit with 2 arms"));
}

TEST_F(PluginTargetTest, WhatIsNoPluginIsNamed) {
  EXPECT_THAT(PluginTarget::load("./none.so", two_arms()).error().message,
              HasSubstr("cannot load the plug-in"));
  EXPECT_THAT(PluginTarget::load(compile_text("int x;\n"), two_arms()).error().message,
              HasSubstr("exports no assay_policy_v1_get"));
}

TEST_F(PluginTargetTest, AnotherAbiIsRefused) {
  const auto library = compile_text(R"(
#include "assay/policies/external/assay_policy_v1.h"
const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {99u, "future", 0, 0, 0, 0};
  return &policy;
}
)");
  EXPECT_THAT(PluginTarget::load(library, two_arms()).error().message,
              HasSubstr("has ABI 99, this Assay reads 1"));
}

TEST_F(PluginTargetTest, ItsAnswersAreChecked) {
  const auto library = compile_text(R"(
#include <string.h>
#include "assay/policies/external/assay_policy_v1.h"
static int here;
static void* create(const assay_shape_v1* s, char* e, size_t n) { (void)s; (void)e; (void)n; return &here; }
static int play(void* self, const double* in, const uint64_t* seeds, int64_t count, double* out,
                char* error, size_t size) {
  (void)self; (void)seeds;
  if (in[0] == 1.0) { strncpy(error, "no luck", size); return 1; }
  for (int64_t i = 0; i < count * 10; ++i) out[i] = 2.0;
  return 0;
}
static void destroy(void* self) { (void)self; }
const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {ASSAY_POLICY_ABI, "bad", 0, create, play, destroy};
  return &policy;
}
)");
  auto target = PluginTarget::load(library, two_arms()).value();
  const std::vector<std::uint64_t> seeds{1, 2};
  InputTable input{10, 1, std::vector<double>(10, 0.0)};
  EXPECT_THAT(target->play(input, seeds).error().message,
              HasSubstr("output 1 entry 1 must be an action from 0 to 1, not 2"));
  input.values[0] = 1.0;
  EXPECT_THAT(target->play(input, seeds).error().message,
              HasSubstr("the plug-in reports an error: no luck"));
}

}  // namespace
}  // namespace assay
