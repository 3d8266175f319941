// Comparisons at one certified level: tables against closed forms, levels against formulas of their own,
// intervals against known truths, and what a comparison refuses.
#include "assay/auditors/bench/bench.hpp"

#include <atomic>

#include "assay/auditors/bench/bench_job.hpp"
#include "assay/auditors/bench/bench_report.hpp"
#include "assay/auditors/bench/groups.hpp"
#include "assay/auditors/bench/memory.hpp"
#include "assay/auditors/bench/noise_errors.hpp"
#include "assay/auditors/suite/bench_figures.hpp"
#include "assay/mechanisms/release/snapped_laplace.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

BenchJob bench_job(std::vector<std::string> candidates, double epsilon, double delta,
                   std::vector<KeyValue> parameters = {}) {
  BenchJob job;
  job.candidates = std::move(candidates);
  job.epsilon = epsilon;
  job.delta = delta;
  job.parameters = std::move(parameters);
  job.samples = 20;
  job.sizes = 1;
  job.timings = 0;
  return job;
}

BenchReport bench_report(const BenchJob& job, int threads = 1) {
  Session session;
  session.control.threads = threads;
  return must(run_job(job, session));
}

const BenchPoint& point_of(const BenchReport& report, const std::string& id) {
  for (const auto& row : report.rows) {
    if (row.id == id) return row.points.back();
  }
  throw std::runtime_error("no row " + id);
}

double calibrated_parameter(const BenchPoint& point, const std::string& key) {
  for (const auto& [name, value] : point.parameters) {
    if (name == key) return std::stod(value);
  }
  throw std::runtime_error("no parameter " + key);
}

std::string bench_refusal(const BenchReport& report, const std::string& id) {
  for (const auto& one : report.refusals) {
    if (one.id == id) return one.reason;
  }
  return "";
}

// Errors of a law on the integers, by its weights.
template <class Weight>
detail::NoiseErrors summed(double reach, Weight weight) {
  double total = 0.0;
  double first = 0.0;
  double second = 0.0;
  for (double k = -reach; k <= reach; k += 1.0) {
    const double w = weight(k);
    total += w;
    first += w * std::abs(k);
    second += w * k * k;
  }
  return {std::sqrt(second / total), first / total};
}

void expect_close_errors(const detail::NoiseErrors& a, const detail::NoiseErrors& b,
                         double relative) {
  EXPECT_NEAR(a.root_mean_square, b.root_mean_square, relative * b.root_mean_square);
  EXPECT_NEAR(a.mean_size, b.mean_size, relative * b.mean_size);
}

TEST(NoiseErrors, AreTheSumsOverTheDistribution) {
  for (const double scale : {0.3, 1.0, 7.5, 2000.0}) {
    SCOPED_TRACE(scale);
    expect_close_errors(
        detail::discrete_laplace_errors(scale),
        summed(std::ceil(45.0 * scale), [&](double k) { return std::exp(-std::abs(k) / scale); }),
        1e-10);
  }
  for (const double scale : {0.4, 3.0, 63.5, 64.0, 500.0}) {  // on either side of the series
    SCOPED_TRACE(scale);
    expect_close_errors(detail::discrete_gaussian_errors(scale),
                        summed(std::ceil(12.0 * scale),
                               [&](double k) { return std::exp(-0.5 * k * k / (scale * scale)); }),
                        1e-10);
  }
}

TEST(NoiseErrors, OfSnappedNoiseAreThoseOfTheMechanismsOwnDensity) {
  const auto mechanism = SnappedLaplace::create({1.0, 1.0, 1000.0}).value();
  const double answer = 17.0;
  double first = 0.0;
  double second = 0.0;
  for (double y = answer - 25.0 * mechanism.step(); y <= answer + 25.0 * mechanism.step();
       y += 1.0) {
    const double on_grid = std::floor(y / mechanism.step()) * mechanism.step();
    if (on_grid != y) continue;
    const double probability = std::exp(mechanism.log_density(y, answer));
    first += probability * std::abs(y - answer);
    second += probability * (y - answer) * (y - answer);
  }
  expect_close_errors(detail::snapped_laplace_errors(mechanism.lambda(), mechanism.step(), answer),
                      {std::sqrt(second), first}, 1e-6);
}

// The smallest s with Phi(1/(2s) - s) - e Phi(-1/(2s) - s) <= delta, by bisection in the standard library.
double analytic_gaussian_scale(double delta) {
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  double low = 0.1;
  double high = 100.0;
  for (int i = 0; i < 200; ++i) {
    const double s = 0.5 * (low + high);
    (phi(0.5 / s - s) - std::exp(1.0) * phi(-0.5 / s - s) <= delta ? high : low) = s;
  }
  return high;
}

TEST(Bench, TheAdditiveTableIsThatOfTheClosedForms) {
  const auto pure =
      bench_report(bench_job({"additive", "idealized-*"}, 1.0, 0.0, {{"answers", "4"}}));
  // Four answers that all move by 1: noise of scale 4.
  const auto& ideal = point_of(pure, "idealized-laplace");
  EXPECT_NEAR(ideal.errors[0].value, 4.0 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(ideal.errors[1].value, 4.0, 1e-9);
  const double p = std::exp(-0.25);
  EXPECT_NEAR(point_of(pure, "discrete-laplace").errors[0].value, std::sqrt(2.0 * p) / (1.0 - p),
              1e-9);
  // The grid costs at most a share of 2^-10 here.
  EXPECT_NEAR(point_of(pure, "laplace").errors[0].value, 4.0 * std::sqrt(2.0), 0.006);
  EXPECT_GE(point_of(pure, "laplace").errors[0].value, 4.0 * std::sqrt(2.0) * (1.0 - 1e-9));
  EXPECT_THAT(bench_refusal(pure, "gaussian"), HasSubstr("needs --delta above 0"));
  EXPECT_EQ(pure.rows.size() + pure.refusals.size(), 7U);

  const auto one =
      bench_report(bench_job({"additive", "idealized-*"}, 1.0, 1e-6, {{"answers", "1"}}));
  const double scale = analytic_gaussian_scale(1e-6);
  EXPECT_NEAR(point_of(one, "idealized-gaussian").errors[0].value, scale, 1e-6 * scale);
  EXPECT_NEAR(point_of(one, "gaussian").errors[0].value, scale, 2e-3 * scale);
  EXPECT_GE(point_of(one, "gaussian").errors[0].value, scale * (1.0 - 1e-6));
  EXPECT_TRUE(one.refusals.empty());
  for (const auto& row : one.rows) {
    const auto& error = row.points.back().errors[0];
    EXPECT_LE(error.lower, error.value) << row.id;
    EXPECT_GE(error.upper, error.value) << row.id;
  }
}

TEST(Bench, AHistogramMovesTwoAnswers) {
  const auto report = bench_report(
      bench_job({"idealized-laplace"}, 0.5, 0.0, {{"answers", "50"}, {"query", "histogram"}}));
  EXPECT_NEAR(report.rows[0].points[0].errors[1].value, 4.0, 1e-9);
}

TEST(Bench, CountersHaveTheMeanOfTheirVariances) {
  const auto report = bench_report(bench_job({"counters"}, 1.0, 0.0, {{"horizon", "7"}}));
  const double p = std::exp(-1.0 / 3.0);  // three levels
  const double variance = 2.0 * p / ((1.0 - p) * (1.0 - p));
  // popcount(1..7) sums to 12.
  EXPECT_NEAR(point_of(report, "tree-laplace").errors[0].value, std::sqrt(variance * 12.0 / 7.0),
              1e-9);
  // 1, 2/3 and 4/7 for the bits 0, 1 and 2, each of which four of the times have.
  EXPECT_NEAR(point_of(report, "honaker-laplace").errors[0].value,
              std::sqrt(variance * 4.0 * (1.0 + 2.0 / 3.0 + 4.0 / 7.0) / 7.0), 1e-9);
  const auto both =
      bench_report(bench_job({"idealized-square-root"}, 1.0, 1e-6, {{"horizon", "2"}}));
  // Coefficients 1 and 1/2: |R|^2 = 5/4, variances 1 and 5/4.
  const double s = analytic_gaussian_scale(1e-6) * std::sqrt(1.25);
  EXPECT_NEAR(both.rows[0].points[0].errors[0].value, s * std::sqrt(0.5 * (1.0 + 1.25)), 1e-5);
}

TEST(Bench, SelectionIsSummedOverTheDistribution) {
  // Two candidates: the exponential mechanism misses with 1/(1 + e^(gap/2)).
  const auto report = bench_report(
      bench_job({"exponential"}, 1.0, 0.0, {{"candidates", "2"}, {"spread", "1000000"}}));
  EXPECT_EQ(report.rows[0].points[0].errors[1].value, 0.0);  // far apart, whatever was drawn
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    auto job = bench_job({"exponential"}, 1.0, 0.0, {{"candidates", "2"}, {"spread", "3"}});
    job.seed = seed;
    const auto one = bench_report(job);
    const auto& errors = one.rows[0].points[0].errors;
    if (errors[1].value == 0.0) continue;  // both the best
    const double gap = errors[0].value / errors[1].value;
    EXPECT_NEAR(gap, std::round(gap), 1e-9);
    EXPECT_NEAR(errors[1].value, 1.0 / (1.0 + std::exp(0.5 * gap)), 1e-9);
  }
}

// Of k releases of randomised response at e, at the level eps (Kairouz, Oh, Viswanath, 2017).
double composed_delta(int k, double e, double eps) {
  double delta = 0.0;
  for (int i = 0; i <= k; ++i) {
    const double ways = std::lgamma(k + 1.0) - std::lgamma(i + 1.0) - std::lgamma(k - i + 1.0) -
                        k * std::log1p(std::exp(e));
    delta += std::max(0.0, std::exp(ways + (k - i) * e) - std::exp(ways + eps + i * e));
  }
  return delta;
}

// k releases of one answer are one of k answers that all move, and k Gaussian ones of deviation s are one of s/sqrt(k).
TEST(Bench, ComposedReleasesShareTheLevel) {
  BenchJob job = bench_job({"additive", "idealized-*"}, 1.0, 1e-6, {{"answers", "1"}});
  job.compose = 16;
  const auto all = bench_report(job);
  const double scale = analytic_gaussian_scale(1e-6);
  EXPECT_NEAR(point_of(all, "idealized-gaussian").errors[0].value, 4.0 * scale, 1e-5 * scale);
  const double laplace = point_of(all, "idealized-laplace").errors[1].value;
  EXPECT_LE(composed_delta(16, 1.0 / laplace, 1.0), 1e-6);
  EXPECT_GE(composed_delta(16, 1.0 / laplace, 1.0), 0.99e-6);
  BenchJob selection = bench_job({"exponential", "noisy-max-gaussian"}, 1.0, 0.0, {});
  selection.compose = 10;
  const auto chosen = bench_report(selection);
  EXPECT_NEAR(calibrated_parameter(chosen.rows.at(0).points.back(), "epsilon"), 0.1, 1e-9);
  EXPECT_THAT(chosen.rows.at(0).points.back().level.source, HasSubstr("10 selections, each "));
  EXPECT_THAT(chosen.reproduce, HasSubstr("--compose 10"));
  BenchJob counters = bench_job({"counters"}, 1.0, 0.0, {});
  counters.compose = 2;
  EXPECT_THAT(prepare(counters), IsRefused("--compose is for the groups additive and selection"));
}

TEST(Bench, LevelsAreThoseOfTheFormulas) {
  const auto counters = bench_report(bench_job({"counters"}, 1.0, 1e-6));
  const auto& tree = point_of(counters, "tree-laplace");
  const double composed = composed_delta(13, 1.0 / calibrated_parameter(tree, "scale"), 1.0);
  EXPECT_LE(composed, 1e-6);
  EXPECT_GE(composed, 0.99e-6);  // not more noise than it takes
  const auto additive = bench_report(bench_job({"laplace", "discrete-laplace"}, 1.0, 1e-6));
  for (const auto& row : additive.rows) {
    const double delta =
        composed_delta(100, 1.0 / calibrated_parameter(row.points[0], "scale"), 1.0);
    EXPECT_LE(delta, 1e-6) << row.id;
    EXPECT_GE(delta, 0.99e-6) << row.id;
  }
  const auto bandits = bench_report(bench_job({"bandits"}, 1.0, 1e-6, {{"horizon", "100"}}));
  const double c = calibrated_parameter(point_of(bandits, "thompson-sampling"), "variance");
  EXPECT_NEAR(c, 0.5 * 99.0 * std::pow(analytic_gaussian_scale(1e-6), 2), 1e-5 * c);
  const double e = calibrated_parameter(point_of(bandits, "anytime-lazy-ucb"), "epsilon");
  EXPECT_LE(composed_delta(1, e, 1.0), 1e-6);
  EXPECT_GE(composed_delta(1, e, 1.0), 0.99e-6);
  const auto experts = bench_report(bench_job({"hedge"}, 1.0, 0.0, {{"horizon", "100"}}));
  EXPECT_NEAR(calibrated_parameter(experts.rows[0].points[0], "rate") * 4.0 *
                  std::sqrt(std::log(10.0)) * 9.0,
              1.0, 1e-9);
}

TEST(Bench, EveryCandidateIsComparedOrRefusedByName) {
  const std::map<std::string, std::vector<KeyValue>> small = {
      {"additive", {{"answers", "2"}}},  {"selection", {{"candidates", "4"}}},
      {"counters", {{"horizon", "16"}}}, {"bandits", {{"horizon", "64"}}},
      {"experts", {{"horizon", "64"}}},  {"best-arm", {{"budget", "256"}}},
      {"duels", {{"horizon", "64"}}}};
  for (const auto& group : bench_groups()) {
    for (const double delta : {0.0, 1e-6}) {
      SCOPED_TRACE(group.id);
      const auto report = bench_report(bench_job({group.id, "*"}, 0.7, delta, small.at(group.id)));
      std::vector<std::string> seen;
      for (const auto& row : report.rows) {
        seen.push_back(row.id);
        EXPECT_LE(row.points.back().delta, delta) << row.id;
        EXPECT_NE(row.points.back().level.source, "") << row.id;
        EXPECT_TRUE(row.points.back().errors.front().known()) << row.id;
      }
      for (const auto& one : report.refusals) {
        seen.push_back(one.id);
        EXPECT_THAT(one.reason, ::testing::AnyOf(HasSubstr("is not private"),
                                                 HasSubstr("needs --delta above 0")));
      }
      EXPECT_THAT(seen, ::testing::UnorderedElementsAreArray(group.candidates));
    }
  }
}

// What is played is what the table's closed form is about.
TEST(Bench, OneAnswersErrorsAreThoseOfTheDistribution) {
  for (const auto& group : bench_groups()) {
    if (group.id != "additive") continue;
    const auto comparison =
        group.compare({{"answers", "1"}}, {Epsilon{1.0}, Delta{1e-3}}, 7).value();
    for (const auto& candidate : comparison.candidates) {
      const auto ready = candidate.prepare(1).value();
      const bool slow = candidate.id == "snapped-laplace";
      const int runs = slow ? 2000 : 10'000;
      double first = 0.0;
      double second = 0.0;
      for (int r = 0; r < runs; ++r) {
        const double error = ready.sample(static_cast<std::uint64_t>(r));
        first += error;
        second += error * error;
      }
      const double n = runs;
      const double rms = ready.known[0];
      // Five standard deviations: of |Z| at most rms, of Z^2 at most sqrt(5) rms^2 for these laws.
      EXPECT_NEAR(first / n, ready.known[1], 5.0 * rms / std::sqrt(n)) << candidate.id;
      EXPECT_NEAR(second / n, rms * rms, 5.0 * 2.3 * rms * rms / std::sqrt(n)) << candidate.id;
    }
  }
}

// ---- a comparison of the test's own ---------------------------------------------------------------

Guarantee proved(double epsilon) {
  return {PureDp{Epsilon{epsilon}}, Relation::kReplaceOneRecord, View::kOutput, "a theorem"};
}

BenchComparison planted(ErrorBy by) {
  return BenchComparison{.group = "planted",
                         .title = "planted",
                         .size_name = "n",
                         .size = 16,
                         .unit = "answer",
                         .measures = {{"error", by}},
                         .target = {Epsilon{1.0}, Delta{0.0}}};
}

BenchCandidate planted_candidate(std::string id, Guarantee level,
                                 std::function<double(std::uint64_t)> sample, int work = 1,
                                 double most = 1.0) {
  return {std::move(id), [=](std::int64_t) -> Result<ReadyCandidate> {
            ReadyCandidate ready{.level = level, .most_error = most, .sample = sample};
            ready.work = [work](std::uint64_t repetition) {
              ReplayStream random({1, 2, repetition, 0, Phase::kCertify});
              volatile double sum = 0.0;
              for (int i = 0; i < 100 * work; ++i) sum = sum + random.uniform();
            };
            return ready;
          }};
}

double uniform_of(std::uint64_t seed, std::uint64_t repetition) {
  return ReplayStream({seed, 5, repetition, 0, Phase::kCertify}).uniform();
}

Result<BenchReport> run_planted(const BenchComparison& comparison, BenchPlan plan,
                                int threads = 1) {
  return run_bench(comparison, plan, {.threads = threads});
}

TEST(Bench, NobodyIsComparedAtALevelThatIsNotProved) {
  auto comparison = planted(ErrorBy::kBetting);
  const auto half = [](std::uint64_t) { return 0.5; };
  Guarantee unproved = proved(1.0);
  unproved.source = "";
  Guarantee elsewhere = proved(1.0);
  elsewhere.relation = Relation::kOneAnswer;
  Guarantee other_view = proved(1.0);
  other_view.view = View::kActions;
  Guarantee gaussian = proved(1.0);
  gaussian.level = GaussianDp{Mu{0.1}};
  Guarantee none = proved(HUGE_VAL);
  none.source = "not private at all";
  comparison.candidates = {planted_candidate("good", proved(1.0), half),
                           planted_candidate("unproved", unproved, half),
                           planted_candidate("weaker", proved(1.0000001), half),
                           planted_candidate("elsewhere", elsewhere, half),
                           planted_candidate("other-view", other_view, half),
                           planted_candidate("gaussian", gaussian, half),
                           planted_candidate("none", none, half)};
  BenchPlan plan{.samples = 10, .timings = 0};
  const auto report = run_planted(comparison, plan).value();
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].id, "good");
  EXPECT_THAT(bench_refusal(report, "unproved"), HasSubstr("no theorem"));
  EXPECT_THAT(bench_refusal(report, "weaker"), HasSubstr("above the target"));
  EXPECT_THAT(bench_refusal(report, "elsewhere"), HasSubstr("other neighbours"));
  EXPECT_THAT(bench_refusal(report, "other-view"), HasSubstr("another view"));
  EXPECT_THAT(bench_refusal(report, "gaussian"), HasSubstr("above the target"));
  EXPECT_EQ(bench_refusal(report, "none"), "not private at all");
  EXPECT_EQ(report.refusals.size(), 6U);
}

TEST(Bench, ANoisierAndASlowerCandidateShow) {
  auto comparison = planted(ErrorBy::kBetting);
  comparison.candidates = {
      planted_candidate("noisy", proved(1.0),
                        [](std::uint64_t r) { return 0.2 + 0.8 * uniform_of(2, r); }),
      planted_candidate(
          "slow", proved(1.0), [](std::uint64_t r) { return 0.8 * uniform_of(1, r); }, 30),
      planted_candidate("plain", proved(1.0),
                        [](std::uint64_t r) { return 0.8 * uniform_of(1, r); })};
  BenchPlan plan{.samples = 1000};
  const auto report = run_planted(comparison, plan).value();
  std::map<std::string, const BenchRow*> rows;
  for (const auto& row : report.rows) rows[row.id] = &row;
  EXPECT_EQ(report.rows.back().id, "noisy");
  const auto error = [&](const char* id) { return rows.at(id)->points.back().errors[0]; };
  EXPECT_GT(error("noisy").lower, error("plain").upper);
  EXPECT_EQ(error("slow").value, error("plain").value);
  EXPECT_EQ(rows.at("slow")->timing.seconds.size(), 9U);
  EXPECT_GT(rows.at("slow")->timing.quantile(0.0), 5.0 * rows.at("plain")->timing.median());
  // As a suite follows them: by name, with the repetitions.
  const auto figures = bench_figures(report);
  ASSERT_EQ(figures.size(), 6U);
  EXPECT_EQ(figures[0].name, "noisy: error at n = 16");
  EXPECT_EQ(figures[0].kind, FigureKind::kError);
  EXPECT_EQ(figures[0].upper, error("noisy").upper);
  EXPECT_EQ(figures[5].name, "slow: seconds per answer");
  EXPECT_EQ(figures[5].kind, FigureKind::kTime);
  EXPECT_EQ(figures[5].repetitions, rows.at("slow")->timing.seconds);
}

// Two intervals share 0.2: one of a report misses in at most a fifth of the runs.
TEST(Bench, IntervalsHoldTogetherAsOftenAsTheySay) {
  const std::pair<ErrorBy, double> distributions[] = {
      {ErrorBy::kBetting, 0.5}, {ErrorBy::kOrderStatistics, 0.5}, {ErrorBy::kClopperPearson, 0.3}};
  for (const auto& [by, truth] : distributions) {
    int misses = 0;
    double width = 0.0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      auto comparison = planted(by);
      const bool binary = by == ErrorBy::kClopperPearson;
      for (const std::uint64_t part : {0, 1}) {
        comparison.candidates.push_back(
            planted_candidate(part == 0 ? "a" : "b", proved(1.0), [=](std::uint64_t r) {
              const double u = uniform_of(2 * seed + part, r);
              return binary ? (u < 0.3 ? 1.0 : 0.0) : u;
            }));
      }
      BenchPlan plan{.confidence = 0.8, .samples = 200, .sizes = 1, .timings = 0};
      const auto report = run_planted(comparison, plan).value();
      bool missed = false;
      for (const auto& row : report.rows) {
        const auto& error = row.points[0].errors[0];
        missed = missed || error.lower > truth || error.upper < truth;
        width = std::max(width, error.upper - error.lower);
      }
      misses += missed ? 1 : 0;
    }
    EXPECT_LE(misses, 35) << static_cast<int>(by);  // P(Bin(100, 0.2) > 35) < 2e-4
    EXPECT_LT(width, 0.25) << static_cast<int>(by);
    EXPECT_GT(misses, 0) << static_cast<int>(by);  // and are not far wider than that
  }
}

TEST(Bench, TheErrorsSpendOneAlphaAndNoMore) {
  auto job = bench_job({"bandits"}, 1.0, 1e-6, {{"horizon", "16"}});
  job.sizes = 3;
  job.confidence = 0.99;
  const auto report = bench_report(job);
  EXPECT_THAT(report.sizes, ElementsAre(1, 4, 16));
  EXPECT_EQ(report.alpha.size(), 9U);
  double sum = 0.0;
  for (const auto& entry : report.alpha) sum += entry.alpha;
  EXPECT_LE(sum, 0.01 * (1.0 + 1e-12));
  EXPECT_NEAR(sum, 0.01, 1e-9);
  EXPECT_EQ(report.alpha[0].purpose, "thompson-sampling, mean regret, horizon = 1");
}

TEST(Bench, TheReportDoesNotDependOnThreads) {
  const auto text_of = [](int threads) {
    auto job = bench_job({"counters"}, 1.0, 1e-3, {{"horizon", "64"}});
    job.samples = 30;
    job.sizes = 2;
    auto report = bench_report(job, threads);
    report.meta = {};
    return to_json(report) + to_csv(report) + to_text(report) + to_html(report);
  };
  EXPECT_EQ(text_of(1), text_of(3));
}

TEST(Bench, SpentTimeEndsBetweenBlocks) {
  auto comparison = planted(ErrorBy::kBetting);
  comparison.candidates = {
      planted_candidate("a", proved(1.0), [](std::uint64_t r) { return uniform_of(1, r); })};
  BenchPlan plan{.samples = 100'000, .timings = 0};
  RunControl control;
  control.give_seconds(0.0);
  const auto report = run_bench(comparison, plan, control).value();
  EXPECT_EQ(report.samples, 10);  // the first block is whole
  EXPECT_FALSE(report.interrupted);
  plan.samples = 10;
  const auto same = run_planted(comparison, plan).value();
  EXPECT_EQ(same.rows[0].points.back().errors[0].lower,
            report.rows[0].points.back().errors[0].lower);
}

TEST(Bench, AnInterruptKeepsWholeBlocks) {
  std::atomic<bool> cancel{false};
  auto comparison = planted(ErrorBy::kBetting);
  comparison.candidates = {planted_candidate("a", proved(1.0), [&](std::uint64_t r) {
    if (r == 15) cancel = true;
    return 0.5;
  })};
  BenchPlan plan{.sizes = 1};
  RunControl control{.cancel = &cancel};
  const auto report = must(run_bench(comparison, plan, control));
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.samples, 10);
  EXPECT_TRUE(report.rows[0].timing.seconds.empty());
  EXPECT_THAT(to_text(report), HasSubstr("Interrupted"));
  const auto again = run_bench(comparison, plan, control);  // raised from the start
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kInterrupted);
}

TEST(Bench, RefusesTwoCandidatesOfOneName) {
  auto comparison = planted(ErrorBy::kBetting);
  const auto half = [](std::uint64_t) { return 0.5; };
  comparison.candidates = {planted_candidate("a", proved(1.0), half),
                           planted_candidate("a", proved(1.0), half)};
  EXPECT_THAT(run_planted(comparison, {}), IsRefused("two candidates are called 'a'"));
}

TEST(Bench, APointThatCannotBeHadIsRefusedAlone) {
  auto comparison = planted(ErrorBy::kBetting);
  const auto inner = planted_candidate("a", proved(1.0), [](std::uint64_t) { return 0.5; });
  comparison.candidates = {{"a", [inner](std::int64_t size) -> Result<ReadyCandidate> {
                              if (size < 4) return fail(ErrorCode::kLimit, "too small");
                              return inner.prepare(size);
                            }}};
  BenchPlan plan{.samples = 10, .timings = 0};
  const auto report = run_planted(comparison, plan).value();
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].points.size(), 2U);
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].size, 1);
  EXPECT_THAT(to_text(report), HasSubstr("n=1: too small"));
}

TEST(Bench, AJobSaysWhatIsWrongWithIt) {
  const auto refused = [](const BenchJob& job) {
    const auto prepared = prepare(job);
    return prepared ? std::string() : prepared.error().message;
  };
  auto job = bench_job({"additive"}, 1.0, 0.0);
  EXPECT_EQ(refused(job), "");
  job.epsilon.reset();
  EXPECT_THAT(refused(job), HasSubstr("bench needs --epsilon"));
  EXPECT_THAT(refused(bench_job({}, 1.0, 0.0)),
              HasSubstr("name what to compare: a group (additive,"));
  EXPECT_THAT(refused(bench_job({"laplac"}, 1.0, 0.0)), HasSubstr("did you mean 'laplace'?"));
  EXPECT_THAT(refused(bench_job({"zzz*"}, 1.0, 0.0)), HasSubstr("no candidate matches 'zzz*'"));
  EXPECT_THAT(refused(bench_job({"laplace", "dp-bai"}, 1.0, 0.0)),
              HasSubstr("'laplace' is of the group additive, 'dp-bai' of best-arm"));
  EXPECT_THAT(refused(bench_job({"idealized-*"}, 1.0, 0.0)), HasSubstr("several groups"));
  EXPECT_EQ(refused(bench_job({"idealized-*", "laplace"}, 1.0, 0.0)), "");
  EXPECT_THAT(refused(bench_job({"additive"}, 1.0, 0.0, {{"answers", "0"}})),
              HasSubstr("-p answers must be 1 to 1e+05, not 0 (of the group additive)"));
  EXPECT_THAT(refused(bench_job({"additive"}, 1.0, 0.0, {{"horizon", "5"}})),
              HasSubstr("unknown parameter 'horizon'"));
  job = bench_job({"additive"}, 1.0, 0.0);
  job.timings = 5;
  EXPECT_THAT(refused(job), HasSubstr("--timings must be 0 or 9 to 1000, not 5"));
  job = bench_job({"additive"}, 1.0, 0.0);
  job.seconds = 1.0;
  EXPECT_THAT(refused(job), HasSubstr("--samples and --time contradict"));
  job = bench_job({"additive"}, 1.0, 0.7);
  EXPECT_THAT(refused(job), HasSubstr("--delta"));
}

TEST(Bench, GroupsShareNoNames) {
  std::map<std::string, std::string> group_of;
  for (const auto& group : bench_groups()) {
    EXPECT_TRUE(group_of.emplace(group.id, group.id).second) << group.id;
    for (const auto& id : group.candidates) {
      EXPECT_TRUE(group_of.emplace(id, group.id).second) << id;
    }
  }
}

TEST(BytesOf, CountWhatAValueAllocates) {
  struct Held {
    std::vector<double> values = std::vector<double>(1000);
  };
  const auto bytes = detail::bytes_of(Held{});
  if (!bytes) GTEST_SKIP() << "this allocator does not say";
  EXPECT_GE(*bytes, 8000.0 + sizeof(Held));
  EXPECT_LE(*bytes, 8000.0 + sizeof(Held) + 64.0);
  EXPECT_EQ(*detail::bytes_of(7.0), 8.0);
}

}  // namespace
}  // namespace assay
