// What every listed mechanism has to have.
#include "assay/mechanisms/registry/mechanisms.hpp"

#include <filesystem>
#include <fstream>
#include <span>
#include <type_traits>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(MechanismList, EveryMechanismHasANameALevelAndItsSource) {
  std::set<std::string_view> ids;
  for (const auto& mechanism : mechanism_descriptions()) {
    EXPECT_TRUE(ids.insert(mechanism.name.id).second) << mechanism.name.id << " is there twice";
    EXPECT_FALSE(mechanism.name.title.empty());
    EXPECT_FALSE(mechanism.parameters.empty()) << mechanism.name.id;
    EXPECT_FALSE(mechanism.at_defaults.source.empty()) << mechanism.name.id;
    EXPECT_NE(mechanism.distribution, "sampled only")
        << mechanism.name.id << " could not be audited exactly";
  }
  EXPECT_GE(ids.size(), 26U);
}

// Into numbers of the output's kind; a peeling's output is a structure.
template <class M, class R>
concept ReleasesBatches = requires(const M& m, R& random, const typename M::Input& input,
                                   std::span<double> doubles) {
  m.release_many(input, random, doubles);
}
|| requires(const M& m, R& random, const typename M::Input& input,
            std::span<std::int64_t> integers) {
  m.release_many(input, random, integers);
};

template <class... M>
constexpr bool all_release_batches(TypeList<M...>) {
  return ((std::is_same_v<M, idealized::PeelingMechanism> ||
           (ReleasesBatches<M, ReplayStream> && ReleasesBatches<M, SecureStream>)) &&
          ...);
}
static_assert(all_release_batches(Mechanisms{}));

// The batch is the releases, one after another, from the same words.
template <class M, class Number>
void expect_batch_is_releases(const M& m, const typename M::Input& input) {
  ReplayStream one({3, 1, 4, 1, Phase::kCertify});
  ReplayStream many({3, 1, 4, 1, Phase::kCertify});
  std::vector<Number> expected;
  for (int i = 0; i < 50; ++i) {
    const auto output = m.release(input, one);
    if constexpr (std::is_same_v<typename M::Output, std::int64_t>) {
      expected.push_back(output);
    } else {
      expected.insert(expected.end(), output.begin(), output.end());
    }
  }
  std::vector<Number> batch(expected.size());
  m.release_many(input, many, batch);
  EXPECT_EQ(batch, expected) << kNameOf<M>.id;
}

TEST(MechanismList, BatchesAreReleasesOneAfterAnother) {
  const std::vector<std::int64_t> integers{3, -1, 0};
  const std::vector<double> scores{0.0, 1.0, 5.0, 2.0, 2.5};
  const std::vector<double> one{0.5};
  expect_batch_is_releases<DiscreteLaplaceMechanism, std::int64_t>(
      DiscreteLaplaceMechanism::create({}).value(), integers);
  expect_batch_is_releases<DiscreteGaussianMechanism, std::int64_t>(
      DiscreteGaussianMechanism::create({}).value(), -4);
  expect_batch_is_releases<TopK, std::int64_t>(TopK::create({}).value(), scores);
  expect_batch_is_releases<LaplaceMechanism, double>(LaplaceMechanism::create({}).value(), one);
  expect_batch_is_releases<GaussianMechanism, double>(GaussianMechanism::create({}).value(), one);
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
  EXPECT_EQ(idealized,
            (std::set<std::string_view>{
                "idealized-gaussian", "idealized-laplace", "idealized-noisy-histogram",
                "idealized-numerical-sparse-vector", "idealized-parallel-laplace",
                "idealized-peeling", "idealized-prefix-sum", "idealized-square-root-counter"}));
}

}  // namespace
}  // namespace assay
