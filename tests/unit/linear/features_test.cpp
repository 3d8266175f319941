// Features as they are read and generated: every error says where.
#include "assay/policies/linear/features.hpp"

#include <filesystem>
#include <fstream>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

class FeatureFile : public ::testing::Test {
 protected:
  Result<ArmFeatures> read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_features(path_);
  }
  std::string error_of(const std::string& text) { return read(text).error().to_string(); }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_ = (std::filesystem::temp_directory_path() /
                       (std::string("assay_features_") +
                        ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv"))
                          .string();
};

TEST_F(FeatureFile, IsOneArmALine) {
  const auto features = must(read("# three arms\n1, 0\r\n0,0.9\n\"10\",-1e-3\n"));
  EXPECT_EQ(features.arms, 3);
  EXPECT_EQ(features.dimension, 2);
  EXPECT_THAT(features.values, ElementsAre(1, 0, 0, 0.9, 10, -1e-3));
}

TEST_F(FeatureFile, IsRefusedWithLineAndColumn) {
  EXPECT_THAT(error_of("1,0\n0,x\n"), HasSubstr(".csv:2: column 2 "));
  EXPECT_THAT(error_of("1,0\n0,nan\n"), HasSubstr(".csv:2: column 2 "));
  EXPECT_THAT(error_of("1,0\n1e101,1\n"),
              HasSubstr(".csv:2: column 1 must be -1e100 to 1e100, not 1e101"));
  EXPECT_THAT(error_of("1,0\n\n0,1\n"), HasSubstr(".csv:2: is blank"));
  EXPECT_THAT(error_of("1,0\n1\n"), HasSubstr(".csv:2: has 1 features; the first line has 2"));
  EXPECT_THAT(error_of("1,0\n\"1,0\n"), HasSubstr(".csv:2: has a quote that is not closed"));
  EXPECT_THAT(error_of("1,0\n"), HasSubstr("holds 1 arms; at least two lines"));
  EXPECT_THAT(error_of("1,0\n0,0\n"), HasSubstr("the features of arm 1 must not all be 0"));
  EXPECT_THAT(error_of("1,0\n1e-200,-9e-101\n"),
              HasSubstr("the features of arm 1 must not all be 0, nor all below 1e-100 in size"));
  std::string wide = "1";
  for (std::int64_t k = 0; k < kMostDimension; ++k) wide += ",1";
  EXPECT_THAT(error_of(wide + "\n"), HasSubstr(".csv:1: is too much: at most 100000 arms of 64"));
  EXPECT_THAT(read_features(path_ + ".none").error().path, HasSubstr(".none"));
}

TEST(GeneratedFeatures, AreWhatTheirKindSays) {
  const auto sphere = generated_features(FeatureKind::kSphere, 40, 5, 3).value();
  for (std::int64_t i = 0; i < 40; ++i) {
    double squares = 0.0;
    for (const double x : sphere.of(i)) squares += x * x;
    EXPECT_NEAR(squares, 1.0, 1e-14);
  }
  EXPECT_EQ(sphere, generated_features(FeatureKind::kSphere, 40, 5, 3).value());
  EXPECT_NE(sphere, generated_features(FeatureKind::kSphere, 40, 5, 4).value());
  const auto line = generated_features(FeatureKind::kLine, 30, 2, 1).value();
  EXPECT_THAT(std::vector<double>(line.values.begin(), line.values.begin() + 6),
              ElementsAre(0, 1, 0, 0.9, 10, 0));
  for (std::int64_t i = 3; i < 30; ++i) {
    EXPECT_EQ(line.of(i)[0], 1.0);
    EXPECT_GT(line.of(i)[1], 0.0);
    EXPECT_LT(line.of(i)[1], 0.8);
  }
  EXPECT_THAT(generated_features(FeatureKind::kBasis, 2, 2, 1).value().values,
              ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(generated_features(FeatureKind::kBasis, 3, 2, 1).error().path, "/dimension");
  EXPECT_EQ(generated_features(FeatureKind::kLine, 3, 3, 1).error().path, "/dimension");
  EXPECT_EQ(generated_features(FeatureKind::kGiven, 3, 2, 1).error().path, "/features");
  EXPECT_EQ(generated_features(FeatureKind::kSphere, 1, 3, 1).error().path, "/arms");
  EXPECT_EQ(generated_features(FeatureKind::kSphere, 2, 65, 1).error().path, "/dimension");
}

}  // namespace
}  // namespace assay
