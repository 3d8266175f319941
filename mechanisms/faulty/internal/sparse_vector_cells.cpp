#include "assay/mechanisms/faulty/internal/sparse_vector_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::faulty {
namespace {

using Flags = std::vector<Answer>;

// G_o at the ascending nodes, of one input.
std::vector<double> cumulative(const assay::detail::SparseVectorRule& rule, const Flags& flags,
                               std::span<const double> q, std::span<const QuadratureNode> nodes,
                               std::span<const double> kinks) {
  const auto integrate = [&](double low, double high) {
    double sum = 0.0;
    for (const auto& [z, weight] :
         gauss_legendre_nodes(low, high, kinks, 4.0 * rule.rho().scale())) {
      double product = weight * portable_exp(rule.rho().log_density(z));
      for (std::size_t i = 0; i < q.size(); ++i) {
        if (flags[i] == Answer::kBelow) product *= rule.below(q[i], z);
      }
      sum += product;
    }
    return sum;
  };
  std::vector<double> out;
  double total = 0.0;
  double last = nodes[0].x - rule.threshold() - 40.0 * rule.rho().scale();
  for (const auto& node : nodes) {
    const double z = node.x - rule.threshold();
    total += integrate(last, z);
    out.push_back(total);
    last = z;
  }
  return out;
}

// f_nu(v - q_i) at the nodes, times their weights.
std::vector<double> value_weights(const Laplace& nu, double q,
                                  std::span<const QuadratureNode> nodes) {
  std::vector<double> out;
  for (const auto& [v, weight] : nodes) {
    out.push_back(weight * portable_exp(nu.log_density(v - q)));
  }
  return out;
}

double resolution(double largest) { return largest / 2000.0; }

}  // namespace

OutputCells sparse_vector_cells(const SparseVector3& mechanism, std::span<const double> a,
                                std::span<const double> b) {
  ASSAY_CHECK(mechanism.config().cutoff <= 2, "at most two values");
  const auto& rule = mechanism.rule();
  const double scale = std::max(rule.rho().scale(), rule.nu().scale());
  const double t = rule.threshold();
  std::vector<double> breaks(a.begin(), a.end());
  breaks.insert(breaks.end(), b.begin(), b.end());
  breaks.push_back(t);
  std::vector<double> kinks;
  for (const double x : breaks) kinks.push_back(x - t);
  const auto [low, high] = std::minmax_element(breaks.begin(), breaks.end());
  const auto nodes = gauss_legendre_nodes(*low - 25.0 * scale, *high + 25.0 * scale, breaks, scale);
  const double n = static_cast<double>(a.size());
  const double width = resolution(n / rule.nu().scale());
  OutputCells out;
  for (const Flags& flags : rule.outputs(a.size())) {
    std::vector<std::size_t> above;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (flags[i] == Answer::kAbove) above.push_back(i);
    }
    if (above.empty()) {
      out.push_back({portable_exp(rule.log_probability(flags, a)),
                     portable_exp(rule.log_probability(flags, b))});
      continue;
    }
    const auto g_a = cumulative(rule, flags, a, nodes, kinks);
    const auto g_b = cumulative(rule, flags, b, nodes, kinks);
    const auto first_a = value_weights(rule.nu(), a[above[0]], nodes);
    const auto first_b = value_weights(rule.nu(), b[above[0]], nodes);
    OutputCells here;
    if (above.size() == 1) {
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        here.push_back({first_a[k] * g_a[k], first_b[k] * g_b[k]});  // (1)
      }
    } else {
      // Either value is the least; the other exceeds it.
      const auto second_a = value_weights(rule.nu(), a[above[1]], nodes);
      const auto second_b = value_weights(rule.nu(), b[above[1]], nodes);
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const auto rest = [&](std::size_t other, double p, double q) {
          for (const auto& cell :
               laplace_cells_above(a[above[other]], b[above[other]], rule.nu(), nodes[k].x)) {
            here.push_back({p * g_a[k] * cell.p, q * g_b[k] * cell.q});  // (1)
          }
        };
        rest(1, first_a[k], first_b[k]);
        rest(0, second_a[k], second_b[k]);
      }
    }
    here = merged(here, width);
    out.insert(out.end(), here.begin(), here.end());
  }
  return out;
}

OutputCells sparse_vector_cells(const idealized::NumericalSparseVector& mechanism,
                                std::span<const double> a, std::span<const double> b) {
  const auto& rule = mechanism.rule();
  const auto log_a = rule.log_pmf(a);
  const auto log_b = rule.log_pmf(b);
  const auto outputs = rule.outputs(a.size());
  const double width = resolution(mechanism.config().epsilon);
  OutputCells out;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    OutputCells here{{portable_exp(log_a[k]), portable_exp(log_b[k])}};
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (outputs[k][i] != Answer::kAbove) continue;
      here = merged(product(here, laplace_cells(a[i], b[i], mechanism.value_noise())), width);
    }
    out.insert(out.end(), here.begin(), here.end());  // (2)
  }
  return out;
}

OutputCells sparse_vector_cells(const ParallelSparseVectors& mechanism, std::span<const double> a,
                                std::span<const double> b) {
  const double n = static_cast<double>(a.size());
  const double largest = 2.0 * n / mechanism.third().rule().nu().scale();
  const auto third = merged(sparse_vector_cells(mechanism.third(), a, b), resolution(largest));
  const auto fourth = cells_from_logs(mechanism.fourth().log_pmf(a), mechanism.fourth().log_pmf(b));
  return merged(product(third, fourth), resolution(largest));  // (3)
}

}  // namespace assay::faulty
