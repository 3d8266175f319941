// The paper's statements about its figures, decided by medians over repetitions.
#include <fmt/format.h>

#include <cmath>

#include "assay/auditors/sparse/figures/sparse_run.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay::detail {
namespace {

struct Part {
  std::string shown;  // the text before the number
  std::string median;
  double low = -HUGE_VAL;
  double high = HUGE_VAL;
};

// Decides whether every median is between its ends.
OutcomeDecision all_between(const Medians& medians, const std::vector<Part>& parts) {
  JointDecision found;
  for (const auto& part : parts) {
    const Bounds& bounds = medians.at(part.median);
    found.add(is_below(bounds, {part.high, part.high}));
    found.add(is_below({part.low, part.low}, bounds),
              fmt::format("{} {} in {}", part.shown, rounded(medians.median(part.median), 4),
                          bounds_text(bounds)));
  }
  return found.decision();
}

std::vector<Part> growth_parts(const std::string& world, const std::string& shown) {
  std::vector<Part> parts;
  for (const double epsilon : kLevels) {
    parts.push_back({shown + level_legend(epsilon), growth_name(world, epsilon), -HUGE_VAL, 2.0});
  }
  return parts;
}

// The medians of one number of every level, by name.
template <std::size_t N>
std::vector<Part> level_parts(const std::array<double, N>& epsilons, const std::string& name,
                              double low, double high, const std::string& shown = {}) {
  std::vector<Part> parts;
  for (const double epsilon : epsilons) {
    parts.push_back(
        {shown + level_legend(epsilon), fmt::format("{} {}", name, epsilon), low, high});
  }
  return parts;
}

std::vector<Part> joined(std::vector<Part> a, const std::vector<Part>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<StatedOutcome<Medians>> levels_outcomes() {
  return {
      {"regret is sublinear in T", "Figure 1 (left), \"the sublinear behavior\" (section 6)",
       "the paper's noise: at every \xCE\xB5 the median of R(T)/R(T/2) lies below 2",
       [](const Medians& medians) { return all_between(medians, growth_parts(kTime, "")); }},
      {"regret approaches the sparsity-agnostic bandit's",
       "\"for larger \xCE\xB5\" (section 6); \"similar\" (F.1)",
       "the paper's noise: at every level after the first the median of its regret over that of "
       "the level before is below 1; the excess of the regret at \xCE\xB5 = 10 over the lasso's, "
       "as a share of that of random arms, has a median below 1/20",
       [](const Medians& medians) {
         std::vector<Part> parts;
         for (std::size_t i = 1; i < kLevels.size(); ++i) {
           parts.push_back({level_legend(kLevels[i]) + " over the one before",
                            fmt::format("step {}", kLevels[i]), -HUGE_VAL, 1.0});
         }
         parts.push_back({"beyond the lasso", "beyond", -HUGE_VAL, 0.05});
         auto found = all_between(medians, parts);
         found.observed +=
             fmt::format("; \xCE\xB5 = 10 over the lasso {} in {}",
                         rounded(medians.median("lasso"), 4), bounds_text(medians.at("lasso")));
         return found;
       }},
      {"regret is nearly linear in log d", "Figure 1 (right), Theorem 5.6",
       "the paper's noise: at every \xCE\xB5 the median slope of a line in log d is above 0; a "
       "parabola in log d lies above the middle of its chord by a share of the mean regret whose "
       "median is between -1/10 (growth as sqrt(d) has -0.14, as d -0.4) and 1/5 (regret close to "
       "random's cannot grow)",
       [](const Medians& medians) {
         return all_between(
             medians, joined(level_parts(kSweepLevels, "slope paper", 0.0, HUGE_VAL, "slope at "),
                             level_parts(kSweepLevels, "bend", -0.1, 0.2, "bend at ")));
       }},
      {"the paper's regret is bought with privacy",
       "noise for a sensitivity of eta B/n (sections 4 and 5.1), but the true one is up to 4 x_max "
       "times as large (`assay verify niht-sensitivity`)",
       "at every \xCE\xB5 the median of the regret with corrected noise over that with the paper's "
       "lies above 1",
       [](const Medians& medians) {
         return all_between(medians, level_parts(kLevels, "price", 1.0, HUGE_VAL));
       }}};
}

std::vector<StatedOutcome<Medians>> noise_outcomes() {
  return {{"regret is sublinear in T under either noise",
           "\"even for \xCE\xB5 = 0.5 .. clear sub-linear behavior\" (F.1)",
           "the paper's noise: at every \xCE\xB5 the median of R(T)/R(T/2) lies below 2",
           [](const Medians& medians) {
             return all_between(medians, joined(growth_parts(kTime, "Gaussian, "),
                                                growth_parts(kUniform, "uniform, ")));
           }},
          {"both noise distributions give similar regret", "\"very similar in both cases\" (F.1)",
           "the paper's noise: at every \xCE\xB5 the median of a repetition's regret under uniform "
           "noise over that under Gaussian noise lies between 4/5 and 5/4",
           [](const Medians& medians) {
             return all_between(medians, level_parts(kLevels, "uniform over Gaussian", 0.8, 1.25));
           }}};
}

std::vector<StatedOutcome<Medians>> sizes_outcomes() {
  return {
      {"regret is best near s = s*",
       "Figure 3 (left), \"best around s = s* and then worsens a bit\" (F.3)",
       "the paper's noise: at every \xCE\xB5 the median of the regret at s = s* = 10 over that at s = "
       "5 lies below 1, and over that at s = 60",
       [](const Medians& medians) {
         return all_between(
             medians,
             joined(level_parts(kSweepLevels, "over s=5", -HUGE_VAL, 1.0, "over s = 5, "),
                    level_parts(kSweepLevels, "over s=60", -HUGE_VAL, 1.0, "over s = 60, ")));
       }},
      {"regret is sublinear in K",
       "Figure 3 (right), \"the dependence is indeed sub-linear\" (F.4)",
       "the paper's noise: at every \xCE\xB5 the median power of K, the slope of log regret in log K for K = "
       "2, 4, .., 24, lies below 1",
       [](const Medians& medians) {
         return all_between(medians, level_parts(kSweepLevels, "power of K", -HUGE_VAL, 1.0));
       }}};
}

}  // namespace

std::string growth_name(const std::string& world, double epsilon) {
  return fmt::format("growth {} {}", world, epsilon);
}

std::vector<StatedOutcome<Medians>> sparse_outcomes(SparseFigure figure) {
  return figure == SparseFigure::kOne   ? levels_outcomes()
         : figure == SparseFigure::kTwo ? noise_outcomes()
                                        : sizes_outcomes();
}

}  // namespace assay::detail
