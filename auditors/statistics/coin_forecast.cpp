#include "assay/auditors/statistics/coin_forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr int kMostSteps = 25;
constexpr double kLongestStep = 2.0;
constexpr double kSettled = 1e-6;
constexpr double kLeastOdds = 1e-6;  // forecasts stay within [kLeastOdds, 1 - kLeastOdds]
constexpr double kRidge = 0.25;
constexpr double kSmoothness = 10.0, kShrinkage = 0.05;   // of (2), twice its factors
constexpr std::array kStronger = {1.15, 1.45, 2.0, 3.2};  // than the claim; of (5)

double probability_of(double log_odds) {
  return std::clamp(1.0 / (1.0 + portable_exp(-log_odds)), kLeastOdds, 1.0 - kLeastOdds);
}

double tempered(double log_odds, double variance) {
  return log_odds / std::sqrt(1.0 + std::numbers::pi / 8.0 * variance);
}

// A symmetric positive definite matrix, as its Cholesky factor.
class Factored {
 public:
  Factored(std::vector<double> a, std::size_t n) : a_(std::move(a)), n_(n) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) {
        double sum = a_[i * n + j];
        for (std::size_t k = 0; k < j; ++k) sum -= a_[i * n + k] * a_[j * n + k];
        a_[i * n + j] = i == j ? std::sqrt(sum) : sum / a_[j * n + j];
      }
    }
  }
  // L^-1 b; its square is b' A^-1 b.
  std::vector<double> half_solved(std::vector<double> b) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= a_[i * n_ + k] * b[k];
      b[i] /= a_[i * n_ + i];
    }
    return b;
  }
  std::vector<double> solved(std::vector<double> b) const {
    b = half_solved(std::move(b));
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; ++k) b[i] -= a_[k * n_ + i] * b[k];
      b[i] /= a_[i * n_ + i];
    }
    return b;
  }
  double variance(std::vector<double> row) const {
    double sum = 0.0;
    for (const double x : half_solved(std::move(row))) sum += x * x;
    return sum;
  }

 private:
  std::vector<double> a_;
  std::size_t n_;
};

// Log-odds that are linear in features: offset_k + sum_i w_i x_ki, with a quadratic penalty w' R w/2.
struct LinearModel {
  std::size_t features = 0;
  std::vector<double> rows;     // class by class
  std::vector<double> penalty;  // R, row by row
  std::vector<double> offsets;  // one a class

  std::span<const double> row(std::size_t k) const {
    return std::span(rows).subspan(k * features, features);
  }
};

struct Fitted {
  std::vector<double> weights;
  std::vector<double> log_odds;  // class by class, tempered
};

Fitted fit(const LinearModel& model, const ClassedRuns& runs) {
  const std::size_t n = model.features, classes = runs.size();
  Fitted out{std::vector<double>(n, 0.0), std::vector<double>(classes)};
  const auto raw = [&](std::size_t k) {
    double sum = model.offsets[k];
    for (std::size_t i = 0; i < n; ++i) sum += out.weights[i] * model.row(k)[i];
    return sum;
  };
  // The penalty and the curvature of the likelihood at the weights; the gradient on request.
  const auto curvature = [&](std::vector<double>* gradient) {
    std::vector<double> hessian = model.penalty;
    for (std::size_t k = 0; k < classes; ++k) {
      const double all = runs.p[k] + runs.q[k];
      if (!(all > 0.0)) continue;
      const double share = 1.0 / (1.0 + portable_exp(-raw(k)));
      const double weight = all * share * (1.0 - share), residual = runs.p[k] - all * share;
      const auto row = model.row(k);
      for (std::size_t i = 0; i < n; ++i) {
        if (row[i] == 0.0) continue;
        if (gradient != nullptr) (*gradient)[i] += residual * row[i];
        for (std::size_t j = 0; j <= i; ++j) hessian[i * n + j] += weight * row[i] * row[j];
      }
    }
    return Factored(std::move(hessian), n);
  };
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<double> gradient(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        gradient[i] -= model.penalty[i * n + j] * out.weights[j];
      }
    }
    const Factored hessian = curvature(&gradient);
    const std::vector<double> move = hessian.solved(std::move(gradient));
    double longest = 0.0;
    for (const double by : move) longest = std::max(longest, std::abs(by));
    const double part = longest > kLongestStep ? kLongestStep / longest : 1.0;
    for (std::size_t i = 0; i < n; ++i) out.weights[i] += part * move[i];
    if (longest < kSettled) break;
  }
  const Factored hessian = curvature(nullptr);
  for (std::size_t k = 0; k < classes; ++k) {
    const auto row = model.row(k);
    out.log_odds[k] = tempered(raw(k), hessian.variance({row.begin(), row.end()}));
  }
  return out;
}

// Powers 0..degree of x.
LinearModel polynomial(std::span<const double> x, std::size_t degree) {
  LinearModel model{degree + 1,
                    {},
                    std::vector<double>((degree + 1) * (degree + 1), 0.0),
                    std::vector<double>(x.size(), 0.0)};
  for (const double at : x) {
    double power = 1.0;
    for (std::size_t i = 0; i <= degree; ++i, power *= at) model.rows.push_back(power);
  }
  for (std::size_t i = 0; i <= degree; ++i) model.penalty[i * (degree + 1) + i] = kRidge;
  return model;
}

// A straight line of known slope: only the intercept is learnt.
LinearModel line_of(std::span<const double> x, double slope) {
  LinearModel model = polynomial(x, 0);
  for (std::size_t k = 0; k < x.size(); ++k) model.offsets[k] = slope * x[k];
  return model;
}

// (2).
LinearModel smooth_classes(std::size_t n) {
  LinearModel model{n, std::vector<double>(n * n, 0.0), std::vector<double>(n * n, 0.0),
                    std::vector<double>(n, 0.0)};
  for (std::size_t k = 0; k < n; ++k) {
    model.rows[k * n + k] = 1.0;
    model.penalty[k * n + k] += kShrinkage;
  }
  constexpr std::array kBend = {1.0, -2.0, 1.0};
  for (std::size_t k = 0; k + 2 < n; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        model.penalty[(k + i) * n + k + j] += kSmoothness * kBend[i] * kBend[j];
      }
    }
  }
  return model;
}

std::vector<double> class_masses(const ClassedRuns& runs) {
  constexpr double kPrior = 0.5;
  std::vector<double> masses;
  double sum = 0.0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    sum += masses.emplace_back(runs.p[k] + runs.q[k] + kPrior);
  }
  for (double& mass : masses) mass /= sum;
  return masses;
}

// (4): the mean of the posterior of the probability of P, over log-odds that are 0 or go beyond the claim. Each class
// is by itself.
CoinForecast atoms(const ClassedRuns& runs, const std::vector<double>& masses, double claimed) {
  constexpr std::array kBeyond = {0.5, 1.0, 1.5, 2.0, 3.0, 4.0};
  struct Value {
    double share, log_prior;
  };
  std::vector<Value> values = {{0.5, portable_log(0.5)}};
  for (const double beyond : kBeyond) {
    const double odds = portable_exp(claimed + beyond);
    const double prior = portable_log(0.25 / static_cast<double>(kBeyond.size()));
    values.push_back({odds / (1.0 + odds), prior});
    values.push_back({1.0 / (1.0 + odds), prior});
  }
  CoinForecast forecast{{}, masses};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    double most = -HUGE_VAL;
    std::vector<double> logs;
    for (const Value& value : values) {
      logs.push_back(value.log_prior + runs.p[k] * portable_log(value.share) +
                     runs.q[k] * portable_log1p(-value.share));
      most = std::max(most, logs.back());
    }
    double all = 0.0, on_p = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double weight = portable_exp(logs[i] - most);
      all += weight;
      on_p += weight * values[i].share;
    }
    forecast.on_p.push_back(std::clamp(on_p / all, kLeastOdds, 1.0 - kLeastOdds));
  }
  return forecast;
}

// x_k of (1).
std::vector<double> middles(std::span<const double> masses) {
  std::vector<double> x;
  double below = 0.0;
  for (const double mass : masses) {
    x.push_back(normal_quantile(std::clamp(below + 0.5 * mass, 1e-9, 1.0 - 1e-9)));
    below += mass;
  }
  return x;
}

}  // namespace

std::vector<CoinForecast> forecast_coin(const ClassedRuns& runs, double claimed) {
  const std::vector<double> masses = class_masses(runs);
  const std::vector<double> x = middles(masses);
  std::vector<CoinForecast> forecasts;
  const auto add = [&](std::span<const double> log_odds) {
    CoinForecast forecast{{}, masses};
    for (const double l : log_odds) forecast.on_p.push_back(probability_of(l));
    forecasts.push_back(std::move(forecast));
  };
  const Fitted line = fit(polynomial(x, 1), runs);
  add(line.log_odds);
  add(fit(polynomial(x, 2), runs).log_odds);
  add(fit(polynomial(runs.z, 2), runs).log_odds);
  add(fit(smooth_classes(runs.size()), runs).log_odds);
  CoinForecast alone{{}, masses};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    alone.on_p.push_back(std::clamp((runs.p[k] + 0.5) / (runs.p[k] + runs.q[k] + 1.0), kLeastOdds,
                                    1.0 - kLeastOdds));
  }
  forecasts.push_back(std::move(alone));
  forecasts.push_back(atoms(runs, masses, claimed));
  const double sign = line.weights[1] < 0.0 ? -1.0 : 1.0;
  for (const double stronger : kStronger) {
    const double m = stronger * claimed;
    add(fit(line_of(x, sign * m * std::sqrt(1.0 + 0.25 * m * m)), runs).log_odds);
  }
  return forecasts;
}

}  // namespace assay
