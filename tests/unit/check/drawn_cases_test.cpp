// The generators of check.hpp: what they draw is valid, what they shrink to is valid and simpler, and shrinking ends.
#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/check.hpp"
#include "assay/examples/property_tests/explore_then_commit.hpp"
#include "assay/examples/property_tests/own_policy.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

std::vector<InputShape> drawn_shapes() {
  std::vector<InputShape> shapes;
  for (const auto& [kind, name] : enum_names(InputKind{})) {
    if (kind != InputKind::kMechanism)
      shapes.push_back({.kind = kind, .arms = 3, .horizon = 4, .dimension = 2});
  }
  for (const auto& [kind, name] : enum_names(NeighbourKind{})) {
    shapes.push_back(
        {.kind = InputKind::kMechanism, .inputs = 3, .neighbours = Neighbours{kind, 2.0}});
  }
  shapes.push_back({.kind = InputKind::kMechanism,
                    .inputs = 2,
                    .domain = Domain{0.0, 5.0, true},
                    .neighbours = Neighbours{}});
  shapes.push_back({.kind = InputKind::kBandit, .horizon = 3, .domain = Domain{-2.0, 3.0}});
  return shapes;
}

// Follows shrinks at random to their end, and checks each value.
template <class T>
void walk_to_the_end(rc::Shrinkable<T> value, ReplayStream& random,
                     const std::function<void(const T&)>& check) {
  for (int steps = 0;; ++steps) {
    ASSERT_LT(steps, 500) << "shrinking does not end";
    check(value.value());
    std::vector<rc::Shrinkable<T>> next;
    auto ahead = value.shrinks();
    while (auto one = ahead.next()) next.push_back(*one);
    if (next.empty()) return;
    value = next[static_cast<std::size_t>(random.next() % next.size())];
  }
}

TEST(DrawnPairs, AreNeighboursAndSoAreSimplerOnesAndShrinkingEnds) {
  for (const InputShape& shape : drawn_shapes()) {
    SCOPED_TRACE(detail::value_text(shape.kind) +
                 (shape.neighbours ? " " + shape.neighbours->text() : std::string()));
    const auto check = detail::neighbours_of_shape(shape);
    for (const auto length : {PairLength::kOfShape, PairLength::kUpToShape}) {
      const auto pairs = neighbouring_pairs(shape, length);
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        ReplayStream random({seed});
        walk_to_the_end<InputPair>(pairs(rc::Random(seed), 50), random, [&](const InputPair& pair) {
          ASSERT_TRUE(pair.is_known());
          EXPECT_TRUE(check(pair)) << pair_text(pair);
          EXPECT_TRUE(relation_of(shape, pair) == shape.traits().relation ||
                      !shape.traits().has_rounds());
          if (length == PairLength::kOfShape) {
            EXPECT_EQ(pair.base_input().rows, shape.rows());
          }
        });
      }
    }
  }
}

TEST(DrawnInputs, FitTheirShapeAndSoDoSimplerOnes) {
  for (const InputShape& shape : drawn_shapes()) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      ReplayStream random({seed});
      walk_to_the_end<InputTable>(
          inputs(shape)(rc::Random(seed), 50), random, [&](const InputTable& input) {
            const auto status = check_input(shape, input);
            EXPECT_TRUE(status) << (status ? "" : status.error().to_string());
          });
    }
  }
}

TEST(DrawnCases, AreOfTheCaseAndKeepWhatIsKept) {
  const std::shared_ptr<const AuditCase> audited = make_custom_case<ModifiedThompsonSampling>({});
  const auto cases = drawn_cases(audited, {{"variance", "2"}});
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    ReplayStream random({seed});
    walk_to_the_end<DrawnCase>(cases(rc::Random(seed), 40), random, [&](const DrawnCase& drawn) {
      const auto subject = audited->subject(drawn.parameters);
      ASSERT_TRUE(subject) << subject.error().to_string();
      EXPECT_TRUE(subject->check(drawn.pair));
      EXPECT_THAT(parameters_text(drawn.parameters), ::testing::HasSubstr("variance = 2"));
    });
  }
}

RC_GTEST_PROP(DrawnConfigurations, AreValid, (const StayConfig& config)) {
  RC_ASSERT(bool(validate(config)));
  RC_ASSERT(config.horizon <= 53);
}

TEST(DrawnConfigurations, GrowWithTheSizeAndFitEachOther) {
  const auto fields = describe_fields<ExploreConfig>();
  ReplayStream random({2});
  const auto drawn = [&](int size) {
    for (;;) {
      const auto config =
          read_configuration<ExploreConfig>(detail::draw_parameters(fields, {}, size, random));
      if (config) return *config;
    }
  };
  int long_ones = 0, many_pulls = 0;
  for (int i = 0; i < 200; ++i) {
    EXPECT_LE(drawn(0).horizon, 3);
    const auto late = drawn(99);
    EXPECT_LE(late.horizon, 52);
    long_ones += late.horizon >= 30 ? 1 : 0;
    many_pulls += late.pulls >= 10 ? 1 : 0;
  }
  EXPECT_GE(long_ones, 60);
  EXPECT_GE(many_pulls, 10);
}

TEST(DrawnConfigurations, ShrinkToTheLowEndAndTheDefault) {
  ReplayStream random({1});
  auto config = configurations<StayConfig>()(rc::Random(3), 100);
  StayConfig last;
  walk_to_the_end<StayConfig>(config, random, [&](const StayConfig& one) { last = one; });
  EXPECT_EQ(last.horizon, 1);
  EXPECT_EQ(last.epsilon, 1.0);
}

}  // namespace
}  // namespace assay
