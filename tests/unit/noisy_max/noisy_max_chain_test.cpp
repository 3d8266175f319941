// Orders of noisy maxima: against the law of one noisy max, and by adding up all orders.
#include "assay/mechanisms/noisy_max/noisy_max_chain.hpp"

#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Order = std::vector<std::int64_t>;

double one_after_another(const Laplace& noise, const std::vector<double>& scores,
                         const Order& order) {
  std::vector<std::int64_t> left(scores.size());
  std::iota(left.begin(), left.end(), 0);
  double total = 0.0;
  for (const std::int64_t j : order) {
    std::vector<double> those;
    for (const std::int64_t k : left) those.push_back(scores[static_cast<std::size_t>(k)]);
    const auto at = std::find(left.begin(), left.end(), j);
    total += noisy_max_log_probability(noise, those, static_cast<std::size_t>(at - left.begin()));
    left.erase(at);
  }
  return total;
}

TEST(NoisyMaxChain, AgreesWithTheDistributionOfOneNoisyMaxRoundByRound) {
  ReplayStream random({.seed = 3});
  for (const double scale : {1.0, 1e-7}) {
    const auto noise = Laplace::create(0.0, scale).value();
    for (const std::size_t d : {1, 2, 3, 6, 20, 100}) {
      for (const double spread : {0.0, 0.01, 0.3, 3.0, 30.0, 300.0, 1e4}) {
        for (int form = 0; form < 3; ++form) {
          std::vector<double> scores(d);
          for (double& score : scores) {
            // Any, few that differ, or a cluster below a single one.
            score = scale * spread *
                    (form == 0   ? random.uniform()
                     : form == 1 ? std::floor(3.0 * random.uniform())
                                 : (&score == scores.data() ? 1.0 : 0.01 * random.uniform()));
          }
          Order order(d);
          std::iota(order.begin(), order.end(), 0);
          for (std::size_t i = d; i-- > 1;)
            std::swap(order[i], order[uniform_below(random, i + 1)]);
          if (form != 1) {  // likely ones too
            std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
              return scores[static_cast<std::size_t>(i)] > scores[static_cast<std::size_t>(j)];
            });
            std::swap(order.front(), order.back());
          }
          order.resize(1 + uniform_below(random, std::min<std::size_t>(d, d == 100 ? 3 : 10)));
          const double expected = one_after_another(noise, scores, order);
          EXPECT_NEAR(noisy_max_chain_log_probability(noise, scores, order), expected,
                      1e-12 + 1e-15 * std::fabs(expected))
              << d << " " << spread << " " << form;
        }
      }
    }
  }
}

TEST(NoisyMaxChain, AllOrdersTogetherHaveProbabilityOne) {
  const auto noise = Laplace::create(0.0, 0.5).value();
  for (const std::vector<double>& scores : {std::vector<double>{0.3, 0.3, -2.0, 1.1, 7.0},
                                            {0.0, 0.0, 0.0, 0.0, 0.0},
                                            {40.0, 1.0, 0.9, 0.9, -40.0}}) {
    Order all(scores.size());
    std::iota(all.begin(), all.end(), 0);
    for (std::size_t taken = 1; taken <= scores.size(); ++taken) {
      double total = 0.0;
      Order permuted = all;
      double repeats = 1.0;  // permutations that begin alike
      for (std::size_t k = 2; k <= scores.size() - taken; ++k) repeats *= static_cast<double>(k);
      do {
        const Order order(permuted.begin(), permuted.begin() + static_cast<std::ptrdiff_t>(taken));
        total += std::exp(noisy_max_chain_log_probability(noise, scores, order)) / repeats;
      } while (std::next_permutation(permuted.begin(), permuted.end()));
      EXPECT_NEAR(total, 1.0, 1e-11);
    }
  }
}

TEST(NoisyMaxChain, TwoOfTwoIsTheClosedForm) {
  const auto noise = Laplace::create(0.0, 2.0).value();
  for (const double gap : {0.0, 0.1, 3.0, 50.0, 5000.0}) {
    const std::vector<double> scores = {1.0, 1.0 + gap};
    // P(the lower wins) = e^-z (1/2 + z/4), z = gap/b.
    const double z = gap / 2.0;
    EXPECT_NEAR(noisy_max_chain_log_probability(noise, scores, Order{0, 1}),
                -z + std::log(0.5 + 0.25 * z), 1e-13 * (1.0 + z));
  }
}

}  // namespace
}  // namespace assay
