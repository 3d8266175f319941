// Certificates with numbers that this file computes in its own way: closed forms in long double for
// two arms.
#pragma once

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/tests/support/every_counterexample.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay::testing {

inline long double normal_cdf(long double t) { return std::erfc(-t / std::sqrt(2.0L)) / 2.0L; }

// The numbers of a pair of probabilities at the level (eps, delta).
inline EventNumbers event_numbers(std::vector<int> event, long double epsilon, double delta,
                                  long double p, long double q) {
  return {std::move(event),
          static_cast<double>(epsilon),
          delta,
          static_cast<double>(p),
          static_cast<double>(q),
          static_cast<double>(p - std::exp(epsilon) * q)};
}

inline long double claimed_round_epsilon(int arms, double delta) {
  return std::sqrt(std::log((arms - 1) / (2.0L * delta)) / 8.0L);
}

// One play of arm 1, whose reward goes from 1 to 0, and 1000 of arm 2 with 952 in all: at the
// claimed (0.6993, 0.01) the true delta is 0.0818.
inline Certificate round_certificate(double delta = 0.01) {
  RoundCounterexample round{.history = {{0, 1.0, 1}, {1, 1.0, 952}, {1, 0.0, 48}},
                            .neighbour_reward = 0.0};
  const long double scale = std::sqrt(1.0L / 2 + 1.0L / 1001);
  const long double other = 952.0L / 1001;
  round.numbers = event_numbers({0}, claimed_round_epsilon(2, delta), delta,
                                normal_cdf((0.5L - other) / scale), normal_cdf(-other / scale));
  return {"ts-step-dp", round};
}

inline Certificate noisy_max_certificate() {
  NoisyMaxCounterexample max{.values = {0.0, 1.5},
                             .deviations = {1.0, 0.0625},
                             .sensitivities = {1.0, 0.0},
                             .neighbour_value = -1.0};
  const double delta = 0.0078125;
  const long double scale = std::sqrt(1.0L + 0.0625L * 0.0625L);
  max.numbers = event_numbers({0}, std::sqrt(std::log(1.0L / (2.0L * delta))) / 2.0L, delta,
                              normal_cdf(-1.5L / scale), normal_cdf(-2.5L / scale));
  return {"rnm-hetero-gauss", max};
}

inline Certificate distribution_certificate() {
  DistributionMismatch distribution{
      .history = {{0, 1.0, 3}, {1, 0.5, 1}},
      .probability = static_cast<double>(normal_cdf(0.5L / std::sqrt(1.0L / 4 + 1.0L / 2))),
      .printed_probability =
          static_cast<double>(normal_cdf(0.5L / std::sqrt(1.0L / 16 + 1.0L / 4)))};
  return {"ts-eq27", distribution};
}

// Two actions in the first epoch, vectors (0, 1) and (1, 0), exponential noise of scale 1/eps: the
// probabilities are 1 - e^-eps/2 and e^-eps/2.
inline Certificate epoch_certificate(double epsilon = 1.0) {
  EpochCounterexample epoch{
      .epsilon = epsilon, .others = {0.0, 0.0}, .before = {0.0, 1.0}, .after = {1.0, 0.0}};
  const long double low = std::exp(-static_cast<long double>(epsilon)) / 2;
  epoch.p = static_cast<double>(1 - low);
  epoch.q = static_cast<double>(low);
  epoch.loss = static_cast<double>(std::log((1 - low) / low));
  return {"ftnl-dp-exponential", epoch};
}

inline Certificate regret_certificate() {
  RegretCounterexample found{.epsilon = 0.0625, .epochs = 12, .gaps = {{0.5, 1.0}, {1.0, 998.0}}};
  const long double epsilon = 0.0625L;
  long double regret = (0.5L + 998.0L) / 1000;
  for (int r = 2; r <= 12; ++r) {
    const long double rounds = std::ldexp(1.0L, r - 2);
    const long double half = std::exp(-rounds * epsilon / 4);
    const long double whole = 998 * half * half;
    regret += 2 * rounds * (half / 2 + whole) / (1 + half + whole);
  }
  found.regret = static_cast<double>(regret);
  const long double log_two = std::log(2.0L);
  found.bound = static_cast<double>(3 + 2 / epsilon * (1 + log_two) / log_two * std::log(1000.0L));
  return {"ftnl-det-regret-printed", found};
}

inline Certificate integral_certificate() {
  const long double log_two = std::log(2.0L);
  IntegralMismatch mismatch{
      .levels = {0.0, 1.0},
      .integral = static_cast<double>(std::log(1 + std::exp(-1.0L)) / log_two),
      .printed = 2.0};
  return {"softmax-integral", mismatch};
}

// Gumbel noise, h = eps/2 = 1/8.
inline Certificate growth_certificate() {
  GrowthCounterexample growth{.split = 8.125};
  const long double rho = -std::log(1 - 0.5L * (1 - std::exp(-0.125L)));
  growth.rate_below = static_cast<double>(0.5L / 8.125L - rho);
  growth.rate_above = static_cast<double>(0.5L * (0.125L - 1 / 8.125L));
  return {"ftnl-conjecture", growth};
}

// Arm 1 dropped with probability Phi(-b/t) - Phi(-(n - b)/t), t = c sqrt 2.
inline Certificate gaussian_certificate(BestArmView view = BestArmView::kTranscript) {
  const bool release = view == BestArmView::kRelease;
  GaussianCounterexample found{.view = view,
                               .epsilon = release ? 20.0 : 50.0,
                               .delta = 1e-5,
                               .pulls = 8,
                               .others = release ? 0.625 : 0.5};
  const long double b = found.others;
  const long double c = std::sqrt(2 * std::log(1.25L / 1e-5L)) / found.epsilon;
  const long double width = release ? c : c * std::sqrt(2.0L);
  const long double p = normal_cdf(-b / width) - (release ? 0 : normal_cdf(-(8 - b) / width));
  const long double q = normal_cdf(-(b + 1) / width);
  found.p = static_cast<double>(p);
  found.q = static_cast<double>(q);
  found.true_delta = static_cast<double>(p - std::exp(static_cast<long double>(found.epsilon)) * q);
  return {release ? "bai-gauss-release" : "bai-gauss-dp", found};
}

// x = y = 1, k = 3: e^-2u (u/4 + 1/8 + 1/16), u = S eps/sqrt 2.
inline Certificate moments_certificate(double epsilon = 1.0) {
  MomentsCounterexample found{.epsilon = epsilon};
  const auto probability = [&](long double sum) {
    const long double u = sum * epsilon / std::sqrt(2.0L);
    return std::exp(-2 * u) * (u / 4 + 3.0L / 16);
  };
  found.p = static_cast<double>(probability(9));
  found.q = static_cast<double>(probability(10));
  found.loss = static_cast<double>(std::log(probability(9) / probability(10)));
  return {"dp-od-dp", found};
}

// (1, 1/2) and (1, -1/2): L = 3/2, and the second is (3/4, -1)/sqrt(5/4) in the basis of the first.
inline Certificate later_basis_certificate() {
  LaterBasisCounterexample found{.norm = 1.5,
                                 .loss = static_cast<double>(1.75L / std::sqrt(1.25L) / 1.5L)};
  return {"dp-od-literal", found};
}

inline Certificate measure_certificate() {
  MeasureCounterexample found;
  const long double grown = std::exp(5.0L);
  found.q = static_cast<double>(1 / (1 + grown));
  found.p = static_cast<double>((1 + 0.01L * (grown - 1)) / (1 + grown));
  found.loss = static_cast<double>(std::log(1 + 0.01L * (grown - 1)));
  found.bound = 0.3;
  return {"bai-change-of-measure", found};
}

// K = 64, d = 8: sizes 64, 23, 17, 8, 4, 2 (h = 48, 7, 1; g from 8), T' = 457 - 3 * 8 - 3 * 16 = 385.
inline Certificate budget_certificate() {
  BudgetCounterexample found{.arms = 64, .dimension = 8, .budget = 457};
  found.spent = 64 * 2 + 23 * 3 + 17 * 4 + 8 * 9 + 4 * 17 + 2 * 33;  // ceil(385/(6 n)) each
  return {"bai-budget", found};
}

// Delta(x) = tanh(x/2)/2 of a difference x of scores.
inline long double preference_gap(long double x) { return std::tanh(x / 2) / 2; }

// Next to the best, in the middle, worst: (P(2,i) - P(4,i)) over four arms.
inline Certificate borda_certificate() {
  BordaCounterexample found{.scores = {1.0, 0.9375, 0.0, -1.0}, .arm = 1};
  const long double sum = preference_gap(-0.0625L) + preference_gap(2) +
                          2 * preference_gap(1.9375L) + preference_gap(0.9375L) + preference_gap(1);
  found.lead = static_cast<double>(sum / 4);
  found.gap = static_cast<double>(preference_gap(2));
  return {"ebs-property-2", found};
}

inline Certificate score_gap_certificate() {
  return {"duel-gap", ScoreGapCounterexample{1.0, static_cast<double>(std::tanh(0.5L))}};
}

// T = 42, delta = 1/2: 21 plays of either arm are the first whose radii, sqrt(log(168)/21) each, are
// below 1 together.
inline Certificate phase_certificate() {
  PhaseCounterexample found{.horizon = 42, .preference = 0.75, .plays = 21, .score = 0.625};
  const long double second = std::pow(0.625L, 42);
  const long double first = std::pow(0.375L, 42);
  found.bias = static_cast<double>((0.625L * first - 0.375L * second) / (1 - second - first));
  return {"ebs-unbiased-phase", found};
}

inline long double noise_part(long double horizon) {  // log(2 T) log(T)^2.5
  return std::log(2 * horizon) * std::pow(std::log(horizon), 2.5L);
}

inline Certificate pulls_certificate() {
  PullsCounterexample found{.horizon = 1 << 23, .epsilon = 100.0, .preference = 0.511};
  const long double horizon = 1 << 23;
  const long double gap = static_cast<long double>(found.preference) - 0.5L;
  const long double cases = std::log(2 * horizon * horizon);
  const long double bound =
      8 * cases / (gap * gap) + 64 * cases * std::pow(std::log(horizon), 2.5L) / (gap * 100);
  const long double pulls = std::floor(bound) + 1;
  found.bound = static_cast<double>(bound);
  found.pulls = static_cast<double>(pulls);
  found.radii =
      static_cast<double>(2 * (1 + static_cast<long double>(found.share)) *
                          (std::sqrt(cases / pulls) + 16 * noise_part(horizon) / (pulls * 100)));
  return {"duel-pulls", found};
}

// T = 2^20, eps = 1, scores 2 apart: no noise comes near, and the failure is 2 T/(2 T^2)^2.
inline Certificate duel_regret_certificate() {
  DuelRegretCounterexample found{.horizon = 1 << 20};
  const long double horizon = 1 << 20;
  found.bound = static_cast<double>(16 * std::log(2 * horizon) / preference_gap(2) +
                                    128 * noise_part(horizon));
  found.failure = static_cast<double>(1 / (2 * horizon * horizon * horizon));
  found.regret = static_cast<double>(2 * horizon * (1 - 2 / (2 * horizon * horizon * horizon)));
  return {"duel-regret", found};
}

inline Certificate confidence_certificate() {
  ConfidenceCounterexample found{.horizon = 1 << 24};
  const long double horizon = 1 << 24;
  const long double kappa = 0.25L - preference_gap(2) * preference_gap(2);
  const long double cases = 2 * std::log(horizon);
  const long double initial = std::ceil((16 + 16 * cases) / std::pow(kappa, 4.0L));
  const long double duels = initial + std::ceil(32 * cases / kappa + 256 * cases / (kappa * kappa));
  const long double width = duels * std::tanh(0.00025L);
  const long double error = 1 - (width + 1) * std::sqrt(2 / (std::acos(-1.0L) * duels));
  found.initial = static_cast<double>(initial);
  found.duels = static_cast<double>(duels);
  found.error = static_cast<double>(error);
  found.allowed = static_cast<double>(3 / horizon);
  return {"gopt-confidence", found};
}

// T = 4, delta = 1/2: radius sqrt(log 16) + 16 log(log 4) log(4)^2.5, three nodes, scale 12.
inline Certificate empty_counter_certificate() {
  EmptyCounterCounterexample found;
  const long double radius =
      std::sqrt(std::log(16.0L)) + 16 * std::log(std::log(4.0L)) * std::pow(std::log(4.0L), 2.5L);
  found.radius = static_cast<double>(radius);
  found.p = static_cast<double>(std::exp((1 - 2 * radius) / 12) / 2);
  return {"duel-dp-printed", found};
}

// T = 2^25, eps = 1, P(1,3) = 0.7: 26 nodes, scale 104. The tail of 26 Laplace variables at 60 is a
// Poisson sum over those that remain of a binary race.
inline Certificate removal_certificate(double preference = 0.7) {
  RemovalCounterexample found{.horizon = 1 << 25, .preference = preference};
  const long double horizon = 1 << 25, y = 60;
  long double beyond = 0;
  for (int k = 0; k < 26; ++k) {
    long double below = 0;
    for (int i = 0; i < 26 - k; ++i) below += std::exp(i * std::log(y) - std::lgamma(i + 1.0L) - y);
    beyond += below * std::exp(std::lgamma(26.0L + k) - std::lgamma(k + 1.0L) - std::lgamma(26.0L) -
                               (25.0L + k) * std::log(2.0L));
  }
  const long double growth =
      16 * std::log(std::log(3 * horizon)) * std::pow(std::log(horizon), 2.5L);
  const long double noise = 104 * y;
  const long double p = preference;
  const long double least = std::floor((2 * growth - 3 * noise) / (p - 0.5L));
  const long double e = std::sqrt(std::log(horizon) / least);
  const long double kept = least * (2.0L / 3 - e);
  found.failure = static_cast<double>(2 * horizon * beyond + 10 / horizon);
  found.least = static_cast<double>(least);
  found.low =
      static_cast<double>(((1 + p) / 3 - e - (1 + noise) / least) / (2.0L / 3 + e + 1 / least) -
                          std::sqrt(std::log(3 * horizon * horizon) / kept) - growth / kept);
  return {"ebs-removal-printed", found};
}

// T = 3, delta = 1/2, eps = 1: two nodes, scale 8, B = 5/8.
inline Certificate coverage_certificate(double delta = 0.5) {
  CoverageCounterexample found{.delta = delta};
  const long double d = delta;
  const long double radius =
      std::sqrt(std::log(6 / d)) + 16 * std::log(std::log(2 / d)) * std::pow(std::log(3.0L), 2.5L);
  const auto beyond = [](long double x) { return std::exp(-x / 8) / 2; };
  const long double miss = 0.625L * (beyond(radius - 0.375L) + beyond(radius + 0.375L)) +
                           0.375L * (beyond(radius - 0.625L) + beyond(radius + 0.625L));
  found.radius = static_cast<double>(radius);
  found.missed = static_cast<double>(2 * miss - miss * miss);
  return {"ebs-coverage-printed", found};
}

inline Certificate one_count_certificate(double delta = 0.125) {
  OneCountCounterexample found{.delta = delta, .least = 1 - delta};
  found.most = static_cast<double>(std::exp(1.0L) * delta);
  return {"tree-accuracy-printed", found};
}

// T = 1000, eps = 0.1, 10 duels: q = 1000/1990, 10 q = 5.03 pulls of 10.
inline Certificate sampled_duel_certificate() {
  SampledDuelCounterexample found{.regret = 500.0, .bound = 10.0};
  found.delta = static_cast<double>(100.0L / 1990);
  found.pulls = static_cast<double>(10'000.0L / 1990);
  return {"duel-lower-printed", found};
}

// sum over n = 1, 2, 4, .. of 2 n/(1 + e^(n/2)), and half a round.
inline Certificate votes_certificate(double gap = 0.01) {
  VotesCounterexample found{.gap = gap};
  long double rounds = 0.5L;
  for (long double n = 1; n < 4096; n *= 2) rounds += 2 * n / (1 + std::exp(n / 2));
  found.regret = static_cast<double>(gap * rounds);
  found.bound = static_cast<double>(0.1L * std::log(2.0L));
  return {"ftnl-det-lower-printed", found};
}

inline Certificate first_round_certificate(double epsilon = 100.0) {
  FirstRoundCounterexample found{.epsilon = epsilon, .regret = 0.5};
  found.bound = static_cast<double>(10 * std::log(2.0L) / epsilon);
  return {"ftnl-det-regret-rate", found};
}

inline Certificate one_dimension_certificate(std::int64_t budget = 10) {
  OneDimensionCounterexample found{.budget = budget};
  found.error = static_cast<double>(std::exp(1 - static_cast<long double>(budget)) / 2);
  return {"bai-error-printed", found};
}

// |I| = 1, s = 2, s' = 0, c = 1: 2 (1 - 2)/1.
inline Certificate left_out_certificate() {
  return {"peel-contraction-printed", LeftOutCounterexample{.right = -2.0}};
}

// Two entries, one of them in theta: 2 |1 (-2) - (-1) (-2)| for squared loss, B = 2.
inline Certificate gradient_certificate() {
  GradientCounterexample found{.estimate = {1.0, 0.0},
                               .context = {1.0, 1.0},
                               .reward = -1.0,
                               .other_context = {1.0, -1.0},
                               .other_reward = -1.0,
                               .distance = 8.0,
                               .allowed = 2.0};
  return {"niht-sensitivity", found};
}

inline Certificate clipping_certificate() {
  const long double above = std::erfc(std::sqrt(std::log(64.0L))) / 2;
  return {
      "clip-inactive",
      ClippingCounterexample{64, static_cast<double>(1 - std::pow(1 - above, 64.0L)), 1.0 / 64.0}};
}

inline long double binomial_tail(int n, int least, long double p) {
  long double sum = 0;
  for (int k = least; k <= n; ++k) {
    sum += std::exp(std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(n - k + 1.0L) +
                    k * std::log(p) + (n - k) * std::log(1 - p));
  }
  return sum;
}

inline Certificate peeling_certificate() {
  PeelingCounterexample found{.entries = 1000, .epsilon = 150.0, .delta = 0.01, .least = 530};
  const long double shift = 150 / (2 * std::sqrt(-3000 * std::log(0.01L)));
  const long double p = binomial_tail(1000, 530, 0.5L);
  const long double q = binomial_tail(1000, 530, std::exp(-shift) / 2);
  found.p = static_cast<double>(p);
  found.q = static_cast<double>(q);
  found.true_delta = static_cast<double>(p - std::exp(150.0L) * q);
  return {"peel-dp", found};
}

// 1,000 rounds with means within 1; log(100)^1.5 = 9.88.
inline Certificate lower_certificate() {
  LowerCounterexample found{.horizon = 1000,
                            .dimension = 1000,
                            .epsilon = 1e-5,
                            .bound = static_cast<double>(1000 * std::pow(std::log(100.0L), 1.5L)),
                            .most = 2000.0};
  return {"sparse-lower", found};
}

// x_max = 10 at (1/2, 0.01): u = 4 sqrt(3 log 100), P(theta <= 0) = e^(-10/u)/2.
inline Certificate greedy_sign_certificate(double x_max = 10.0) {
  GreedySignCounterexample found{.x_max = x_max};
  const long double unit = 4 * std::sqrt(3 * std::log(100.0L));
  const long double q = std::exp(-static_cast<long double>(x_max) / unit) / 2;
  found.p = static_cast<double>(1 - q);
  found.q = static_cast<double>(q);
  found.true_delta = static_cast<double>(1 - q - std::exp(0.5L) * q);
  return {"fliphat-jdp", found};
}

// The leads of a peeling of `draws` from two groups, from -draws on: draw by draw over the largest
// noisy size, by Simpson's rule.
inline std::vector<long double> peeled_leads(int group, int draws, long double shift) {
  const auto log_cdf = [](long double z) {
    return z < 0 ? z - std::log(2.0L) : std::log1p(-std::exp(-z) / 2);
  };
  struct Node {
    long double weight, first, second;  // log F(z - shift), log F(z)
  };
  std::vector<Node> nodes;
  const long double ends[] = {-8, 0, shift, 3, 12, 45};  // for shift < 3, 11 coordinates or more
  for (int piece = 0; piece < 5; ++piece) {
    constexpr int kSteps = 1000;
    const long double h = (ends[piece + 1] - ends[piece]) / kSteps;
    for (int i = 0; i <= kSteps; ++i) {
      const long double z = ends[piece] + h * i;
      const long double weight = i == 0 || i == kSteps ? 1 : (i % 2 == 1 ? 4 : 2);
      nodes.push_back(
          {weight * h / 6 * std::exp(-std::fabs(z - shift)), log_cdf(z - shift), log_cdf(z)});
    }
  }
  const auto wins = [&](int a, int b) {
    long double sum = 0;
    for (const Node& node : nodes) {
      sum += a * node.weight * std::exp((a - 1) * node.first + b * node.second);
    }
    return sum;
  };
  const long double up = 1 - std::exp(-shift) / 2;
  // By draws of the first group and the lead so far; a value's sign is drawn with its coordinate.
  using Row = std::vector<long double>;
  const auto width = static_cast<std::size_t>(2 * draws + 1);
  std::vector<Row> distribution(static_cast<std::size_t>(draws + 1), Row(width, 0));
  distribution[0][static_cast<std::size_t>(draws)] = 1;
  for (int draw = 0; draw < draws; ++draw) {
    auto next = std::vector<Row>(distribution.size(), Row(width, 0));
    for (int k = 0; k <= draw; ++k) {
      if (k > group || draw - k > group) continue;
      const long double first = wins(group - k, group - (draw - k));
      const auto from = static_cast<std::size_t>(k);
      for (std::size_t v = 1; v + 1 < width; ++v) {
        const long double mass = distribution[from][v];
        if (mass == 0) continue;
        next[from + 1][v + 1] += mass * first * up;
        next[from + 1][v] += mass * first * (1 - up);
        next[from][v - 1] += mass * (1 - first) / 2;
        next[from][v] += mass * (1 - first) / 2;
      }
    }
    distribution = std::move(next);
  }
  Row leads(width, 0);
  for (const Row& row : distribution) {
    for (std::size_t v = 0; v < width; ++v) leads[v] += row[v];
  }
  return leads;
}

// The noise's eta is too small for the projection to act.
inline void fill_peeled_groups(PeeledGroups& found, int group, int draws, long double shift,
                               long double epsilon) {
  const auto leads = peeled_leads(group, draws, shift);
  long double p = 0;
  long double q = 0;
  for (int v = -draws; v <= draws; ++v) {
    if (v >= found.lead) p += leads[static_cast<std::size_t>(v + draws)];
    if (v <= -found.lead) q += leads[static_cast<std::size_t>(v + draws)];
  }
  found.shift = static_cast<double>(shift);
  found.p = static_cast<double>(p);
  found.q = static_cast<double>(q);
  found.true_delta = static_cast<double>(p - std::exp(epsilon) * q);
}

// s = 10 of 20, sigma = 1, n = 16 at (1/2, 1e-4).
inline Certificate normalized_contexts_certificate() {
  NormalizedContextsCounterexample found{{.records = 16, .lead = 5}};
  found.delta = 1e-4;
  const long double clip = 1 + std::sqrt(2 * std::log(16.0L));
  const long double unit = 4 * std::sqrt(30 * -std::log(static_cast<long double>(found.delta)));
  fill_peeled_groups(found, 10, 10, 4 * clip / ((clip + 1) * unit), 0.5L);
  return {"fliphat-jdp-normalized", found};
}

// sigma = 0.1, n = 256 at (1/2, 0.01).
inline Certificate experiments_certificate() {
  ExperimentsCounterexample found{{.records = 256, .lead = 2}};
  const long double x_max = std::sqrt(2 * std::log(400.0L));
  const long double clip = 5 * x_max + kExperimentsSigma * std::sqrt(2 * std::log(256.0L));
  const long double unit =
      4 * std::sqrt(30 * -std::log(static_cast<long double>(kExperimentsDelta)));
  fill_peeled_groups(found, 200, 10, 4 * x_max * clip / ((clip + 5 * x_max) * unit), 0.5L);
  return {"fliphat-jdp-experiments", found};
}

// One of every kind.
inline std::vector<Certificate> sample_certificates() {
  return {round_certificate(),
          noisy_max_certificate(),
          distribution_certificate(),
          epoch_certificate(),
          regret_certificate(),
          integral_certificate(),
          growth_certificate(),
          gaussian_certificate(),
          gaussian_certificate(BestArmView::kRelease),
          moments_certificate(),
          later_basis_certificate(),
          measure_certificate(),
          budget_certificate(),
          borda_certificate(),
          score_gap_certificate(),
          phase_certificate(),
          pulls_certificate(),
          duel_regret_certificate(),
          confidence_certificate(),
          gradient_certificate(),
          clipping_certificate(),
          peeling_certificate(),
          lower_certificate(),
          greedy_sign_certificate(),
          normalized_contexts_certificate(),
          experiments_certificate(),
          empty_counter_certificate(),
          removal_certificate(),
          coverage_certificate(),
          one_count_certificate(),
          sampled_duel_certificate(),
          votes_certificate(),
          first_round_certificate(),
          one_dimension_certificate(),
          left_out_certificate()};
}

}  // namespace assay::testing
