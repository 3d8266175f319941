// The cases of sparse linear bandits: verdicts, what is said of the setting, pairs, inputs and errors.
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/auditors/sparse/sparse_cases.hpp"

#include <atomic>

#include "assay/auditors/sparse/sparse_inputs.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/case_audits.hpp"

namespace assay {
namespace {

AuditedSubject subject_of_case(std::string_view id, const std::vector<KeyValue>& parameters) {
  return find_audit_case(id).value()->subject(parameters).value();
}

TEST(SparseCases, CorrectedNoiseIsVerifiedForAllPairs) {
  auto request = request_of({{"horizon", "32"}});
  request.samples = 200;
  request.search = 1;
  const auto report = audit("fliphat", request).value();
  EXPECT_EQ(report.verdict, Verdict::kVerified);
  EXPECT_EQ(report.scope, Scope::kAllPairs);
  EXPECT_EQ(report.evidence.method, "release");
  EXPECT_EQ(report.view, View::kOtherActions);
  EXPECT_EQ(report.relation, Relation::kReplaceOneUser);
  EXPECT_TRUE(report.notes.empty());
  // No call of N-IHT, nothing to lose.
  request.parameters = {{"horizon", "32"}, {"iteration_factor", "0"}, {"calibration", "paper"}};
  request.claim = "eps=0";
  EXPECT_EQ(audit("fliphat", request).value().scope, Scope::kAllPairs);
}

TEST(SparseCases, ThePapersNoiseIsToldWhatItGives) {
  const std::vector<KeyValue> parameters = {
      {"horizon", "64"}, {"epsilon", "1"}, {"calibration", "paper"}};
  const auto subject = subject_of_case("fliphat", parameters);
  ASSERT_EQ(subject.notes.size(), 2U);
  EXPECT_THAT(subject.notes[0],
              HasSubstr("at eps = 1 the paper's noise has a proved level of 1.70409"));
  EXPECT_THAT(subject.notes[1], HasSubstr("4 times as much"));
  FliphatConfig config{{.horizon = 64}};
  config.calibration = Calibration::kPaper;
  const auto policy = Fliphat::create(config).value();
  const auto proved = detail::proved_noise(policy);
  EXPECT_EQ(proved.episode, 2);
  EXPECT_NEAR(proved.epsilon, policy.proved_epsilon(), 2e-6 * proved.epsilon);
}

// A scale beyond what peeling takes still proves a level, the least there is.
TEST(SparseCases, HugeNoiseHasAProvedLevel) {
  FliphatConfig config{{.dimension = 1,
                        .horizon = 4,
                        .sparsity = 1,
                        .step = 1.0,
                        .iterations = IterationRule::kCode,
                        .iteration_factor = 1000.0,
                        .x_max = 1e-6,
                        .b_max = 1e6,
                        .sigma = 0.0,
                        .projection = 1e-6},
                       1e-3,
                       1e-300,
                       Calibration::kPaper};
  const auto proved = detail::proved_noise(Fliphat::create(config).value());
  EXPECT_GT(proved.epsilon, 0.0);
  EXPECT_LT(proved.epsilon, 1e-8);
}

// The first round may have been any arm's: twice as many records as arms, each with its own gradients.
TEST(SparseCases, PlaysWhoseLossesTakeSecondsAreRefusedByName) {
  auto request = request_of({{"arms", "10"},
                             {"dimension", "40"},
                             {"sparsity", "20"},
                             {"horizon", "3"},
                             {"iterations", "code"},
                             {"iteration_factor", "30"},
                             {"b_max", "1e6"}},
                            "", Method::kRelease);
  request.samples = 64;
  EXPECT_THAT(audit("fliphat", request),
              IsRefused("828 iterations, dimension 40, sparsity 20, 10 arms"));
  request.method = Method::kAuto;
  EXPECT_EQ(find_audit_case("fliphat").value()->prepare(request).value().method, Method::kEvents);
}

// The theorem's level, its noise and delta, and contexts within x_max: the actions alone lose more.
TEST(SparseCases, ThePapersNoiseIsRefutedWhereRewardsAreNoisy) {
  auto request = request_of({{"dimension", "20"},
                             {"sparsity", "10"},
                             {"horizon", "255"},
                             {"sigma", "10"},
                             {"iterations", "code"},
                             {"iteration_factor", "0.3"},
                             {"epsilon", "5"},
                             {"calibration", "paper"}});
  request.samples = 12000;
  request.search = 1;
  const auto report = audit("fliphat", request).value();
  EXPECT_EQ(report.verdict, Verdict::kViolated);
  const auto* delta = find_quantity(report.evidence.quantities, QuantityKind::kDeltaAtEpsilon, 5.0);
  ASSERT_NE(delta, nullptr);
  EXPECT_GT(delta->lower.value, 0.03);
  for (const double value : report.pair.inputs.base_input().values) {
    EXPECT_LE(std::fabs(value), 1.0 + 10.0 * std::sqrt(2.0 * std::log(64.0)) + 1e-9);
  }
  // The corrected noise keeps that level, on the same pair.
  request.parameters.back().value = "corrected";
  request.samples = 100;
  EXPECT_EQ(audit("fliphat", request).value().verdict, Verdict::kVerified);
}

// The changed round moves v by the whole sensitivity: of a first iteration, where theta is 0; and with records
// whose signs agree with theta's, of a later one.
TEST(SparseCases, PairsAttainTheSensitivityThatIsProved) {
  FliphatConfig config{{.horizon = 15, .x_max = 0.5, .sigma = 2.0, .projection = 0.7}};
  const NihtPlan plan = episode_plan(config, 4);
  const NihtBounds bounds = episode_bounds(config, 4);
  for (const auto kind : {ChangedRecord::kAcross, ChangedRecord::kAlong, ChangedRecord::kSplit}) {
    const auto pair = sparse_pair(config, {.episode = 2, .record = kind, .used = 6, .up = 3});
    const bool split = kind == ChangedRecord::kSplit;
    SparseVector theta;
    if (split) theta = {{0}, {0.7}};
    std::vector<std::vector<double>> vectors;
    for (const Side side : {Side::kBase, Side::kNeighbour}) {
      RegressionData data(6, 4, 2, {config.x_max, episode_reward_clip(config, 4)});
      for (std::int64_t t = 3; t < 7; ++t) {
        const auto row = side == Side::kNeighbour ? pair.neighbour_row(t) : pair.base()->row(t);
        data.add(row.subspan(2, 6), row[0]);
      }
      vectors.push_back(niht_vector(plan, data, theta));
    }
    for (std::size_t j = 0; j < 6; ++j) {
      const double moved = std::fabs(vectors[0][j] - vectors[1][j]);
      const double most = niht_sensitivity(plan, bounds, split ? 1 : 0);
      EXPECT_NEAR(moved, split && j < 1 ? 0.0 : most, 1e-9 * most) << j;
    }
  }
}

TEST(SparseCases, PairsAreReadByContextsWithinBounds) {
  FliphatConfig config{{.horizon = 127}};
  const auto pair = sparse_pair(config, {.episode = 4, .used = 6, .up = 3, .lift = 0.5});
  EXPECT_EQ(pair.changed_row(), 15);
  EXPECT_EQ(pair.differing(), 2);  // the rewards
  std::int64_t readings = 0;
  for (std::int64_t t = 31; t < 63; ++t) {
    double largest = 0.0;
    for (const double entry : pair.base()->row(t)) largest = std::max(largest, std::fabs(entry));
    readings += largest == 1.0;
  }
  EXPECT_EQ(readings, 32);
  for (std::int64_t t = 63; t < 127; ++t) {
    for (const double entry : pair.base()->row(t)) EXPECT_EQ(entry, 0.0);
  }
}

// Joint DP: the action of the changed round, which shows its contexts as they are, is no part of any event.
TEST(SparseCases, EventsDoNotSeeTheActionOfTheChangedRound) {
  const auto subject = subject_of_case("fliphat", {{"horizon", "7"}, {"sigma", "0"}});
  auto base = subject.hard_pairs.front().base_input();
  std::fill(base.values.begin(), base.values.end(), 0.0);
  // Round 7 of 7: no estimate follows. Its greedy action is that of the larger context.
  base.row(1)[2] = base.row(2)[2] = 1.0;
  base.row(1)[0] = base.row(2)[0] = 1.0;
  Edit edit{6, std::vector<double>(14, 0.0)};
  for (std::size_t j = 2; j < 8; ++j) edit.values[j] = 1.0;
  auto request = request_of({{"horizon", "7"}, {"sigma", "0"}, {"epsilon", "1000"}},
                            "eps=0.01,delta=0.001", Method::kEvents);
  request.samples = 3000;
  request.input = AuditInput::of("rounds", "", InputPair::of(base, edit));
  const auto hidden = audit("fliphat", request).value();
  EXPECT_EQ(hidden.verdict, Verdict::kWeak);
  // The same contexts in a round before show.
  edit.row = 1;
  for (std::size_t j = 2; j < 8; ++j) edit.values[j] = -1.0;
  edit.values[0] = edit.values[1] = 1.0;
  base.row(3)[8] = 1.0;
  request.input = AuditInput::of("rounds", "", InputPair::of(base, edit));
  EXPECT_EQ(audit("fliphat", request).value().verdict, Verdict::kViolated);
}

TEST(SparseCases, ComparatorsWithoutNoiseAreRefuted) {
  for (const std::string id : {"iht-bandit", "lasso-bandit"}) {
    std::vector<KeyValue> parameters = {{"horizon", "40"}};
    if (id == "lasso-bandit") parameters.push_back({"refit", "20"});
    auto request = request_of(parameters, "eps=2");
    request.samples = 1000;
    const auto report = audit(id, request).value();
    EXPECT_EQ(report.verdict, Verdict::kViolated) << id;
    EXPECT_EQ(report.evidence.method, "events");
  }
}

TEST(SparseCases, PairsBesideAnInputKeepIt) {
  const auto subject = subject_of_case("fliphat", {{"horizon", "64"}});
  auto random = ReplayStream({.seed = 4});
  InputTable table = InputTable::zeros(64, 14);
  for (double& value : table.values) value = random.uniform();
  const auto base = std::make_shared<const InputTable>(table);
  const auto pairs = subject.beside(base);
  EXPECT_GE(pairs.size(), 8U);
  for (const auto& pair : pairs) {
    EXPECT_EQ(pair.base(), base);
    EXPECT_TRUE(subject.check(pair));
    EXPECT_TRUE(subject.release(pair).has_value());
  }
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ReplayStream draws({.seed = seed});
    EXPECT_EQ(subject.random_pair(base, draws).base(), base);
    EXPECT_TRUE(subject.check(subject.random_pair(nullptr, draws)));
  }
}

TEST(SparseCases, SizesAreRefusedByName) {
  const auto message = [](std::string_view id, const std::vector<KeyValue>& parameters) {
    return find_audit_case(id).value()->subject(parameters).error().message;
  };
  EXPECT_THAT(message("fliphat", {{"dimension", "400"}, {"arms", "3"}, {"horizon", "20000"}}),
              HasSubstr("arms 3 and horizon 20000 and dimension 400 make an input of 20000 rows"));
  EXPECT_THAT(message("fliphat", {{"sparsity", "7"}}), HasSubstr("sparsity must be 1 to"));
  EXPECT_THAT(message("fliphat", {{"delta", "0"}, {"calibration", "paper"}}),
              HasSubstr("delta must be above 0"));
  EXPECT_THAT(message("lasso-bandit", {{"horizon", "400000"}}), HasSubstr("make an input of"));
  const auto subject = subject_of_case("fliphat", {{"horizon", "64"}});
  const auto pair = InputPair::of(InputTable::zeros(63, 14), {});
  EXPECT_THAT(subject.check(pair),
              IsRefused("has 63 rows, but horizon is 64; give one line for each round, with 2 "
                        "rewards"));
}

TEST(SparseCases, AnAuditOfManyDimensionsIsPlayedWithinItsBudget) {
  auto request = request_of({{"dimension", "400"}, {"sparsity", "10"}, {"horizon", "300"}});
  request.seconds = 2.0;
  RunControl control;
  const auto report = audit("fliphat", request, control).value();
  EXPECT_EQ(report.scope, Scope::kAllPairs);
  EXPECT_GE(report.evidence.samples, 1);
  // Stopped before it began: a report all the same.
  const std::atomic<bool> stop{true};
  control.cancel = &stop;
  EXPECT_EQ(audit("fliphat", request, control).value().evidence.samples, 0);
}

}  // namespace
}  // namespace assay
