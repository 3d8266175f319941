#include "assay/auditors/methods/exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// Smallest log-probability whose value a long double still holds with full precision.
constexpr double kLogUnderflow = -11000.0;

long double exp_wide(double log_value) {
  if (log_value == -kInfinity) return 0.0L;
  const double halvings = std::floor(log_value / 0.6931471805599453);
  const double rest =
      (log_value - halvings * 0x1.62e42fefa0000p-1) - halvings * 0x1.cf79abc9e3b3ap-40;
  return std::ldexp(static_cast<long double>(portable_exp(rest)), static_cast<int>(halvings));
}

double log_wide(long double value) {
  if (value <= 0.0L) return -kInfinity;
  int exponent = 0;
  const double mantissa = static_cast<double>(std::frexp(value, &exponent));
  return portable_log(mantissa) + exponent * 0.6931471805599453;
}

// std::stable_sort in pieces, with a poll before each. Returns false if it was stopped.
template <class Less>
bool sort_stably(std::vector<std::uint32_t>& order, const Less& less, const RunControl& control) {
  constexpr std::size_t kPiece = std::size_t{1} << 17;
  const auto at = [&](std::size_t i) {
    return order.begin() + static_cast<std::ptrdiff_t>(std::min(i, order.size()));
  };
  for (std::size_t i = 0; i < order.size(); i += kPiece) {
    if (control.stopped()) return false;
    std::stable_sort(at(i), at(i + kPiece), less);
  }
  for (std::size_t size = kPiece; size < order.size(); size *= 2) {
    for (std::size_t i = 0; i + size < order.size(); i += 2 * size) {
      if (control.stopped()) return false;
      std::inplace_merge(at(i), at(i + size), at(i + 2 * size), less);
    }
  }
  return true;
}

// Phi^{-1} of a probability known with its complement, from the smaller of the two.
double quantile(double log_x, double log_xc) {
  return log_x <= log_xc ? normal_quantile_from_log(log_x) : -normal_quantile_from_log(log_xc);
}

// The mu that one event implies, with `slack` in the logarithms and the error of the quantiles
// outward: slack > 0 for an upper bound, < 0 for a lower one.
double corner_mu(const TestCorner& c, double slack) {
  const double p = quantile(c.log_p + slack, c.log_pc - slack);
  const double q = quantile(c.log_q - slack, c.log_qc + slack);
  const double rounding = 2e-13 * (std::fabs(p) + std::fabs(q)) + 2e-15;
  return p - q + std::copysign(rounding, slack);
}

// Largest corner_mu over corners [first, last], skipping blocks that cannot beat `best`: within a
// block P is at most its last corner's and Q at least its first corner's.
double largest_mu(const std::vector<TestCorner>& corners, std::size_t first, std::size_t last,
                  double slack, double best) {
  if (last - first < 4) {
    for (std::size_t k = first; k <= last; ++k) best = std::max(best, corner_mu(corners[k], slack));
    return best;
  }
  const double bound = quantile(corners[last].log_p + slack, corners[last].log_pc - slack) -
                       quantile(corners[first].log_q - slack, corners[first].log_qc + slack);
  if (!(bound > best)) return best;
  const std::size_t middle = first + (last - first) / 2;
  best = largest_mu(corners, first, middle, slack, best);
  return largest_mu(corners, middle + 1, last, slack, best);
}

}  // namespace

namespace detail {

Result<std::int64_t> count_transcripts(int actions, std::int64_t horizon) {
  std::int64_t count = 1;
  for (std::int64_t t = 0; t < horizon; ++t) {
    if (actions > 1 && count > kEnumerationLimit / actions) {
      return fail(ErrorCode::kLimit,
                  "the exact method enumerates every transcript and is limited to arms^horizon <= "
                  "2^24 = 16777216; " +
                      std::to_string(actions) + "^" + std::to_string(horizon) +
                      " is more: use --method likelihood, fewer arms or a shorter horizon",
                  "/horizon");
    }
    count *= actions;
  }
  return count;
}

Error stopped_error() { return {ErrorCode::kInterrupted, "stopped", "", 0}; }

double path_relative_error(std::int64_t horizon) {
  // A round: 1e-14 of quadrature, and rounding of a log of size up to ~50.
  return 2e-14 * static_cast<double>(horizon) + 1e-14;
}

}  // namespace detail

namespace {

// Depth-first over all actions below a prefix, with one process for each depth.
class PrefixTree {
 public:
  PrefixTree(const PairProcess& fresh, EnumeratedDistributions& distributions,
             const RunControl& control)
      : distributions_(distributions),
        actions_(static_cast<std::size_t>(fresh.action_count())),
        horizon_(fresh.horizon()),
        poll_(control) {
    levels_.push_back(
        {fresh.clone(), std::vector<double>(actions_), std::vector<double>(actions_)});
  }

  PairProcess& process() { return *levels_.front().process; }
  bool stopped() const { return poll_.stopped(); }

  // Writes the log-probabilities of the `leaves` transcripts below, from `offset` on.
  void enumerate(std::size_t depth, double log_p, double log_q, std::int64_t offset,
                 std::int64_t leaves) {
    if (levels_[depth].process->round() == horizon_) {
      distributions_.log_p[static_cast<std::size_t>(offset)] = log_p;
      distributions_.log_q[static_cast<std::size_t>(offset)] = log_q;
      return;
    }
    if (levels_.size() == depth + 1) {
      levels_.push_back(
          {levels_[depth].process->clone(), levels_[depth].step_p, levels_[depth].step_q});
    }
    if (!detail::log_probabilities_unless(poll_, *levels_[depth].process, ArgmaxPrecision::kExact,
                                          levels_[depth].step_p, levels_[depth].step_q)) {
      return;
    }
    const std::int64_t below = leaves / static_cast<std::int64_t>(actions_);
    for (std::size_t a = 0; a < actions_ && !poll_.stopped(); ++a) {
      const std::int64_t first = offset + static_cast<std::int64_t>(a) * below;
      const double step_p = levels_[depth].step_p[a];
      const double step_q = levels_[depth].step_q[a];
      if (step_p == -kInfinity && step_q == -kInfinity) {
        exclude(first, below);
        continue;
      }
      PairProcess& next = *levels_[depth + 1].process;
      next.assign(*levels_[depth].process);
      next.advance(static_cast<int>(a));
      enumerate(depth + 1, log_p + step_p, log_q + step_q, first, below);
    }
  }

  // Transcripts that neither copy can make.
  void exclude(std::int64_t offset, std::int64_t leaves) {
    std::fill_n(distributions_.log_p.data() + offset, leaves, -kInfinity);
    std::fill_n(distributions_.log_q.data() + offset, leaves, -kInfinity);
  }

 private:
  struct Level {
    std::unique_ptr<PairProcess> process;
    std::vector<double> step_p;
    std::vector<double> step_q;
  };

  EnumeratedDistributions& distributions_;
  std::size_t actions_;
  std::int64_t horizon_;
  StopPoll poll_;
  std::vector<Level> levels_;
};

}  // namespace

Result<EnumeratedDistributions> enumerate_transcripts(const PairProcess& fresh,
                                                      const RunControl& control) {
  const auto count = ASSAY_TRY(detail::count_transcripts(fresh.action_count(), fresh.horizon()));
  EnumeratedDistributions distributions;
  distributions.relative_error = detail::path_relative_error(fresh.horizon());
  // Split below a prefix length that gives enough subtrees for the threads. The order is fixed.
  std::int64_t subtrees = 1;
  std::int64_t depth = 0;
  while (subtrees < 64 && depth < fresh.horizon()) {
    subtrees *= fresh.action_count();
    ++depth;
  }
  const std::int64_t leaves = count / subtrees;
  // The logarithms of a subtree under P and Q; none if it was stopped.
  using Logarithms = std::pair<std::vector<double>, std::vector<double>>;
  const auto enumerate = [&](std::size_t subtree) {
    if (control.stopped()) return Logarithms();
    EnumeratedDistributions part;
    part.log_p.resize(static_cast<std::size_t>(leaves));
    part.log_q.resize(static_cast<std::size_t>(leaves));
    PrefixTree tree(fresh, part, control);
    double log_p = 0.0;
    double log_q = 0.0;
    std::int64_t digits = static_cast<std::int64_t>(subtree);
    std::int64_t place = subtrees;
    for (std::int64_t d = 0; d < depth; ++d) {
      place /= fresh.action_count();
      const int action = static_cast<int>(digits / place);
      digits %= place;
      const auto step = tree.process().log_probability(action, ArgmaxPrecision::kExact);
      log_p += step.p;
      log_q += step.q;
      if (log_p == -kInfinity && log_q == -kInfinity) break;
      tree.process().advance(action);
    }
    if (log_p == -kInfinity && log_q == -kInfinity) {
      tree.exclude(0, leaves);
    } else {
      tree.enumerate(0, log_p, log_q, 0, leaves);
    }
    if (tree.stopped()) return Logarithms();
    return Logarithms(std::move(part.log_p), std::move(part.log_q));
  };
  distributions.log_p.reserve(static_cast<std::size_t>(count));
  distributions.log_q.reserve(static_cast<std::size_t>(count));
  for (auto& of_subtree : map_chunks(control, static_cast<std::size_t>(subtrees), enumerate)) {
    const auto [log_p, log_q] = std::exchange(of_subtree, {});  // frees them
    if (log_p.empty()) return tl::make_unexpected(detail::stopped_error());
    distributions.log_p.insert(distributions.log_p.end(), log_p.begin(), log_p.end());
    distributions.log_q.insert(distributions.log_q.end(), log_q.begin(), log_q.end());
  }
  return distributions;
}

Result<EnumeratedDistributions> enumerate_transcripts(const PairProcess& fresh, int threads) {
  RunControl control;
  control.threads = threads;
  return enumerate_transcripts(fresh, control);
}

Result<ExactLoss> ExactLoss::create(EnumeratedDistributions distributions,
                                    const RunControl& control) {
  const std::size_t count = distributions.log_p.size();
  StopPoll poll(control, 4096);
  std::vector<std::uint32_t> order;
  order.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (distributions.log_p[i] == -kInfinity && distributions.log_q[i] == -kInfinity) continue;
    if (!(distributions.log_p[i] > kLogUnderflow && distributions.log_q[i] > kLogUnderflow)) {
      return fail(ErrorCode::kNumerical, "a transcript has log-probability below " +
                                             number_text(kLogUnderflow) +
                                             ", which the exact method does not certify");
    }
    order.push_back(static_cast<std::uint32_t>(i));
  }
  const auto loss = [&](std::uint32_t i) {
    return distributions.log_p[i] - distributions.log_q[i];
  };
  if (!sort_stably(
          order, [&](std::uint32_t a, std::uint32_t b) { return loss(a) > loss(b); }, control)) {
    return tl::make_unexpected(detail::stopped_error());
  }

  ExactLoss exact;
  // Sums of `count` positive long doubles add a relative error of at most count * 2^-64.
  exact.relative_error_ =
      distributions.relative_error + static_cast<double>(count) * 0x1p-64 + 1e-15;
  long double p = 0.0L;
  long double q = 0.0L;
  const auto add = [&](std::uint32_t i) {
    p += exp_wide(distributions.log_p[i]);
    q += exp_wide(distributions.log_q[i]);
  };
  std::vector<std::size_t> ends;  // transcripts in the event of each corner
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (poll()) return tl::make_unexpected(detail::stopped_error());
    add(order[k]);
    if (k + 1 < order.size() && loss(order[k + 1]) == loss(order[k])) continue;
    exact.corners_.push_back({loss(order[k]), log_wide(p), log_wide(q), 0.0, 0.0});
    ends.push_back(k + 1);
  }
  exact.sum_error_ = static_cast<double>(std::max(std::fabs(p - 1.0L), std::fabs(q - 1.0L)));
  const double tolerance = std::max(1e-12, 2.0 * distributions.relative_error);
  if (!(exact.sum_error_ <= tolerance)) {
    return fail(ErrorCode::kNumerical,
                "the probabilities of all transcripts must sum to 1 within " +
                    number_text(tolerance) + ", but are off by " + number_text(exact.sum_error_));
  }
  // Complements are summed from the other end, so that no tail is a difference.
  p = 0.0L;
  q = 0.0L;
  std::size_t next = order.size();
  for (std::size_t corner = exact.corners_.size(); corner-- > 0;) {
    if (poll()) return tl::make_unexpected(detail::stopped_error());
    while (next > ends[corner]) add(order[--next]);
    exact.corners_[corner].log_pc = log_wide(p);
    exact.corners_[corner].log_qc = log_wide(q);
  }
  return exact;
}

double ExactLoss::largest_loss(Orientation orientation) const {
  return orientation == Orientation::kBaseToNeighbour ? corners_.front().loss
                                                      : -corners_.back().loss;
}

double ExactLoss::delta_estimate(double epsilon, Orientation orientation) const {  // (1)
  if (orientation == Orientation::kBaseToNeighbour) {
    // The last corner with loss > epsilon holds all transcripts that count.
    const auto end = std::partition_point(corners_.begin(), corners_.end(),
                                          [&](const TestCorner& c) { return c.loss > epsilon; });
    if (end == corners_.begin()) return 0.0;
    const auto& c = *(end - 1);
    return -portable_exp(c.log_p) * portable_expm1(epsilon + c.log_q - c.log_p);
  }
  // Transcripts with loss < -epsilon: the complement of the last corner with loss >= -epsilon.
  const auto end = std::partition_point(corners_.begin(), corners_.end(),
                                        [&](const TestCorner& c) { return c.loss >= -epsilon; });
  if (end == corners_.end()) return 0.0;
  if (end == corners_.begin()) return -portable_expm1(epsilon);
  const auto& c = *(end - 1);
  return -portable_exp(c.log_qc) * portable_expm1(epsilon + c.log_pc - c.log_qc);
}

Interval<Delta> ExactLoss::delta(Epsilon epsilon, Orientation orientation) const {
  const double estimate = delta_estimate(epsilon.value, orientation);
  const double slack = 2.0 * relative_error_;
  return {{Delta{std::max(0.0, estimate - slack)}}, {Delta{std::min(1.0, estimate + slack)}}};
}

double ExactLoss::epsilon_estimate(double delta, Orientation orientation) const {
  if (delta_estimate(0.0, orientation) <= delta) return 0.0;
  double low = 0.0;
  double high = std::max(0.0, largest_loss(orientation));
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (delta_estimate(middle, orientation) > delta ? low : high) = middle;
  }
  return high;
}

Interval<Epsilon> ExactLoss::epsilon(Delta delta, Orientation orientation) const {
  const double slack = 2.0 * relative_error_;
  const double top = std::max(0.0, largest_loss(orientation));
  const double wide = top + 2.0 * relative_error_;  // error of a difference of two logs
  if (delta.value <= 0.0) {
    return {{Epsilon{std::max(0.0, top - 2.0 * relative_error_)}}, {Epsilon{wide}}};
  }
  const double low = epsilon_estimate(std::min(1.0, delta.value + slack), orientation);
  const double high =
      delta.value > slack ? epsilon_estimate(delta.value - slack, orientation) : wide;
  return {{Epsilon{low * (1.0 - 1e-14)}}, {Epsilon{high * (1.0 + 1e-14)}}};
}

Interval<Mu> ExactLoss::mu() const {  // (2)
  if (corners_.size() < 2) return {{Mu{0.0}}, {Mu{0.0}}};
  // The last corner is the sure event.
  const std::size_t last = corners_.size() - 2;
  const double low = largest_mu(corners_, 0, last, -relative_error_, 0.0);
  const double high = largest_mu(corners_, 0, last, relative_error_, 0.0);
  return {{Mu{low}}, {Mu{high}}};
}

// The largest gdp_mu(eps, delta(eps)) for eps in [0, eps(delta0)]. On the piece of corner
// k, linear in e^eps, it is at the point of tangency, where the slope -Phi(-mu/2 - eps/mu)
// of the Gaussian profile equals -Q(A_k), or at the nearer end. Every candidate is a value
// on the curve, so none overshoots.
ExactLoss::ProfilePeak ExactLoss::highest_mu(double delta0, Orientation orientation,
                                             const RunControl& control) const {
  StopPoll poll(control, 1024);
  const auto at = [&](double epsilon) {
    const double delta = delta_estimate(epsilon, orientation);
    return ProfilePeak{delta > 0.0 ? gdp_mu(Epsilon{epsilon}, Delta{delta}).value : 0.0, epsilon};
  };
  if (delta_estimate(0.0, orientation) <= delta0) return {};
  const double top = epsilon_estimate(delta0, orientation);
  ProfilePeak best = at(0.0);
  const auto consider = [&](double epsilon) {
    const ProfilePeak candidate = at(epsilon);
    if (candidate.mu > best.mu) best = candidate;
  };
  consider(top);
  const bool forward = orientation == Orientation::kBaseToNeighbour;
  for (std::size_t k = 0; k + 1 < corners_.size() && !poll(); ++k) {
    const TestCorner& c = corners_[k];
    // This orientation's event on the piece, and epsilon between this corner's loss and the next's.
    const double event = forward ? quantile(c.log_p, c.log_pc) : quantile(c.log_qc, c.log_q);
    const double other = forward ? quantile(c.log_q, c.log_qc) : quantile(c.log_pc, c.log_p);
    const double mu = event - other;
    if (!(mu > best.mu)) continue;
    const double piece_low = forward ? corners_[k + 1].loss : -c.loss;
    const double piece_high = forward ? c.loss : -corners_[k + 1].loss;
    const double low = std::max(0.0, piece_low);
    const double high = std::min(top, piece_high);
    if (low < high) consider(std::clamp(-mu * (0.5 * mu + other), low, high));
  }
  best.top = top;
  return best;
}

Interval<Mu> ExactLoss::mu_above(Delta delta0, const RunControl& control) const {
  const double slack = 2.0 * relative_error_;
  double low = 0.0;
  double high = 0.0;
  for (const auto orientation : kOrientations) {
    // Each bound searches the range of eps where delta may, or must, lie above delta0.
    const ProfilePeak inner = highest_mu(delta0.value + 2.0 * slack, orientation, control);
    const double certain = delta_estimate(inner.epsilon, orientation) - slack;
    if (inner.mu > 0.0 && certain > delta0.value) {
      low = std::max(low, gdp_mu_lower(Epsilon{inner.epsilon}, portable_log(certain)).value.value);
    }
    const ProfilePeak peak = highest_mu(std::max(0.0, delta0.value - slack), orientation, control);
    if (!(peak.mu > 0.0)) continue;
    // d delta_mu / d mu = phi(mu/2 - eps/mu), smallest at an end of [0, top]; twice the first-order
    // step covers its change over the step.
    const double least_slope = portable_exp(std::min(
        normal_log_pdf(0.5 * peak.mu), normal_log_pdf(0.5 * peak.mu - peak.top / peak.mu)));
    high = std::max(high, peak.mu + 2.0 * slack / least_slope);
  }
  return {{Mu{low}}, {Mu{std::min(high * (1.0 + kGdpRelativeError), mu().upper.value.value)}}};
}

}  // namespace assay
