#include "assay/mechanisms/accounting/pld/pld_composition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"
#include "assay/mechanisms/accounting/pld/internal/tilted_pld.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kTwoPi = 6.283185307179586477;
constexpr std::int64_t kLargestCount = 1'000'000'000;
constexpr std::int64_t kLargestPower = 32;
constexpr double kTailShare = 1e-8;          // of delta
constexpr double kLargestStep = 16.0;        // e^h and tilts times h stay far from overflow
constexpr double kLeastShare = 0.05;         // of the standard deviation: below it eps is near 0
constexpr std::size_t kFewKinds = 16;        // fewer terms get the full accuracy
constexpr double kManyKindsWidth = 2e-4;     // of eps, for more
constexpr double kNearEnough = 4.0;          // times the width: of kManyTerms one attempt suffices
constexpr double kLeastTolerance = 0x1p-42;  // of cells of several steps
constexpr double kShareOfTails = 1e-4;       // of the width, for the tails of one kind
constexpr double kErrorShare = 1e-4;         // of the width: misplaced mass counts up to 100 times
constexpr double kWorthwhile = 0.9;          // a finer grid that gains less is the last
constexpr std::int64_t kMostTransformed = std::int64_t{1} << 23;  // points, of all attempts
constexpr std::int64_t kSome = std::int64_t{1} << 19;  // after which the relative width suffices
constexpr int kCoarserGrids = 16;                      // tried where max_points do not suffice

struct Focus {
  std::optional<double> log_delta;
  double eps = 0.0;
};

// A coarse estimate of a term: enough to choose a tilt and a grid. No bound depends on it.
struct Sketch {
  std::vector<double> losses;
  std::vector<double> masses;
  double span = 0.0;
  double count = 1.0;

  // log E e^(t L) and its first two derivatives, n times.
  struct Cumulants {
    double value = 0.0;
    double first = 0.0;
    double second = 0.0;
  };
  Cumulants cumulants(double t) const {
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < losses.size(); ++i) {
      if (masses[i] > 0.0) top = std::max(top, t * losses[i]);
    }
    double mass = 0.0, first = 0.0, second = 0.0;
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const double l = losses[i];
      const double weight = masses[i] * portable_exp(t * l - top);
      mass += weight;
      first += weight * l;
      second += weight * l * l;
    }
    if (!(mass > 0.0)) return {};
    const double mean = first / mass;
    return {count * (top + portable_log(mass)), count * mean,
            count * std::max(second / mass - mean * mean, 0.0)};
  }
};

Sketch::Cumulants total(const std::vector<Sketch>& sketches, double t) {
  Sketch::Cumulants sum;
  for (const Sketch& sketch : sketches) {
    const auto part = sketch.cumulants(t);
    sum.value += part.value;
    sum.first += part.first;
    sum.second += part.second;
  }
  return sum;
}

double largest_loss(const std::vector<Sketch>& sketches) {
  double largest = 1e-300;
  for (const Sketch& s : sketches) {
    largest = std::max({largest, std::fabs(s.losses.front()), std::fabs(s.losses.back())});
  }
  return largest;
}

// The budget at which the sum of one release of each term takes 65,536 points.
double least_budget(const std::vector<Sketch>& sketches) {
  double span = 0.0;
  for (const Sketch& s : sketches) span += s.span;
  double least = 0.0;
  for (const Sketch& s : sketches) {
    const double step = span / 65536.0;
    least = std::max(least, s.count * step * step);
  }
  return least;
}

// The tilt at which the composition is tight around the focus.
double choose_tilt(const std::vector<Sketch>& sketches, const Focus& focus) {
  const auto is_below = [&](double t) {  // the focus lies at a larger tilt
    const auto k = total(sketches, t);
    if (!focus.log_delta) return k.first < focus.eps;
    const double spread = std::max(kTwoPi * k.second, 1.0);
    return k.value - t * k.first - 0.5 * portable_log(spread) -
               portable_log(t * (1.0 + t)) >  // (1)
           *focus.log_delta;
  };
  const double cap = 300.0 / largest_loss(sketches);
  double low = 0.0;
  double high = std::min(1e-3, cap);
  if (!is_below(high)) return focus.log_delta ? high : 0.0;
  while (high < cap && is_below(high)) {
    low = high;
    high = std::min(2.0 * high, cap);
  }
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (is_below(middle) ? low : high) = middle;
  }
  return low;
}

// n = (...((start r_1 + b_1) r_2 + b_2)...): factors near 16, without remainders where n allows.
struct Factor {
  std::int64_t power;
  std::int64_t remainder;
};
struct Factors {
  std::int64_t start;
  std::vector<Factor> rest;
};

Factors factors_of(std::int64_t count) {
  Factors factors{count, {}};
  while (factors.start > kLargestPower) {
    std::int64_t power = 16;
    for (const std::int64_t candidate :
         {16, 15, 18, 20, 14, 12, 21, 22, 24, 10, 25, 9, 8, 11, 13}) {
      if (factors.start % candidate != 0) continue;
      power = candidate;
      break;
    }
    factors.rest.push_back({power, factors.start % power});
    factors.start /= power;
  }
  std::reverse(factors.rest.begin(), factors.rest.end());
  return factors;
}

struct Plan {
  double tilt = 0.0;
  double budget = 0.0;         // of n h^2 at each level, C below
  double tail_mass = 0.0;      // for each single release, over all of them
  double tolerance = 0.0;      // relative, of the masses of all releases together
  bool keeps_lattices = true;  // isolated atoms stay on their grid, however fine it is
};

bool is_cancelled(const PldOptions& options) {
  return options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed);
}

tl::unexpected<Error> interrupted() {
  return fail(ErrorCode::kInterrupted, "interrupted while composing");
}

bool is_lattice_only(const PrivacyLoss& distribution) {
  return distribution.pieces.empty() && distribution.lattice > 0.0;
}

// A step of at most `wanted` with the atoms of the distribution on its multiples; or the lattice itself,
// if it has nothing but atoms: finer grids would be empty between them. Only atoms on most of its points
// may lie between those of a coarser grid.
double on_lattice(const PrivacyLoss& distribution, double wanted, bool keeps_lattice = true) {
  wanted = std::min(wanted, kLargestStep);
  if (distribution.lattice == 0.0) return wanted;
  if (!is_lattice_only(distribution) || distribution.lattice > kLargestStep) {
    return distribution.lattice / std::ceil(distribution.lattice / wanted);
  }
  if (!keeps_lattice) return wanted;
  const double span = distribution.atoms.back().loss - distribution.atoms.front().loss;
  const bool is_dense =
      span < 4.0 * distribution.lattice * static_cast<double>(distribution.atoms.size());
  return is_dense && wanted > 8.0 * distribution.lattice
             ? distribution.lattice * std::floor(wanted / distribution.lattice)
             : distribution.lattice;
}

// The largest step unit 2^k that is at most `wanted`.
double dyadic_at_most(double unit, double wanted) {
  int exponent = 0;
  static_cast<void>(std::frexp(wanted / unit, &exponent));
  return std::ldexp(unit, exponent - 1);
}

// `repeats` is how often each release of the term stands among all releases, 1 for a term alone.
Result<detail::TiltedPld> compose_term(const PldTerm& term, const Plan& plan,
                                       const PldBracket& bracket, double repeats,
                                       detail::FftPlans& ffts, const PldOptions& options,
                                       bool by_doubling = false) {
  const std::int64_t max_points = options.max_points;
  const auto n = static_cast<double>(term.count);
  const Factors factors = factors_of(term.count);
  const bool needs_base = std::any_of(factors.rest.begin(), factors.rest.end(),
                                      [](const Factor& f) { return f.remainder > 0; });
  detail::TiltedPld base = detail::tilt(bracket, plan.tilt, detail::kLevelBudget / (repeats * n));
  std::int64_t done = factors.start;
  auto acc =
      detail::compose({{{&base, done}}, repeats * n / static_cast<double>(done)}, ffts, max_points);
  for (const auto& [power, remainder] : factors.rest) {
    if (!acc) return acc;
    if (is_cancelled(options)) return interrupted();
    const double wanted =
        std::min(std::sqrt(plan.budget * static_cast<double>(done) / n), kLargestStep);
    double ratio = std::floor(wanted / acc->step * (1.0 + 1e-9));
    if (ratio > 1.0) {
      if (by_doubling) ratio = std::ldexp(1.0, std::ilogb(ratio));
      acc = detail::coarsen(*acc, static_cast<std::int64_t>(ratio));
      if (needs_base) base = detail::coarsen(base, static_cast<std::int64_t>(ratio));
    }
    done = done * power + remainder;
    detail::PowerProduct product{{{&*acc, power}}, repeats * n / static_cast<double>(done)};
    if (remainder > 0) product.factors.push_back({&base, remainder});
    acc = detail::compose(product, ffts, max_points);
  }
  return acc;
}

// Of all terms: 1 - product of (1 - m)^n, rounded down and up.
class AtInfinity {
 public:
  void add(const PldBracket& bracket, std::int64_t count) {
    const auto n = static_cast<double>(count);
    log_lower_ += n * portable_log1p(-std::min(bracket.lower_at_infinity, 1.0));
    log_upper_ += n * portable_log1p(-std::min(bracket.upper_at_infinity, 1.0));
    terms_ += 1.0;
  }
  double lower() const { return -portable_expm1(log_lower_) * (1.0 - slack()); }
  double upper() const { return std::min(-portable_expm1(log_upper_) * (1.0 + slack()), 1.0); }

 private:
  double slack() const { return 0x1p-50 * (terms_ + 2.0); }

  double log_lower_ = 0.0;
  double log_upper_ = 0.0;
  double terms_ = 0.0;
};

// ---- several terms ------------------------------------------------------------------------------

// The product of unlike terms, a few at a time: those of few releases first, so that each transform is no longer than
// what it holds. A part of m releases has a step of about sqrt(m) times that of one, so every level costs C.
class ProductTree {
 public:
  // `unit`: the step of one release; all steps are 2^k of it. `releases`: of all terms.
  ProductTree(double unit, double releases, detail::FftPlans& ffts, const PldOptions& options)
      : unit_(unit), releases_(releases), ffts_(ffts), options_(options) {}

  Status add(detail::TwoScales pld, double releases) {
    std::size_t level = 0;
    for (double m = kJoined; m <= releases; m *= kJoined) ++level;
    if (levels_.size() <= level) levels_.resize(level + 1);
    levels_[level].push_back({std::move(pld), releases});
    if (levels_[level].size() < static_cast<std::size_t>(kJoined)) return {};
    const std::vector<Part> full = std::exchange(levels_[level], {});
    auto joined = ASSAY_TRY(join(full));
    return add(std::move(joined.pld), joined.releases);
  }

  Result<detail::TiltedPld> product() {
    std::vector<Part> left;
    for (auto& level : levels_) {
      for (Part& part : level) left.push_back(std::move(part));
    }
    const auto fewer = [](const Part& a, const Part& b) { return a.releases < b.releases; };
    while (left.size() > 1) {
      std::stable_sort(left.begin(), left.end(), fewer);
      const auto end = left.begin() + std::min<std::ptrdiff_t>(std::ssize(left), kJoined);
      const std::vector<Part> first(std::make_move_iterator(left.begin()),
                                    std::make_move_iterator(end));
      left.erase(left.begin(), end);
      auto joined = ASSAY_TRY(join(first));
      left.push_back(std::move(joined));
    }
    const detail::TwoScales& whole = left.front().pld;
    return detail::together(whole, whole.fine.step);
  }

  // The step of a part of so many releases: the largest 2^k unit that is at most sqrt(releases) unit.
  double step_of(double releases) const { return std::ldexp(unit_, std::ilogb(releases) / 2); }

  static double depth(std::size_t terms) {
    double levels = 0.0;
    for (double held = 1.0; held < static_cast<double>(terms); held *= kJoined) ++levels;
    return levels;
  }

 private:
  static constexpr int kJoined = 8;
  struct Part {
    detail::TwoScales pld;
    double releases = 1.0;
  };

  Result<Part> join(const std::vector<Part>& parts) {
    if (is_cancelled(options_)) return interrupted();
    double releases = 0.0;
    for (const Part& part : parts) releases += part.releases;
    const double each = std::max(1.0, releases / static_cast<double>(parts.size()));
    std::vector<detail::TwoScales> factors;
    for (const Part& part : parts) factors.push_back(part.pld);
    auto joined = ASSAY_TRY(detail::compose(factors, std::min(step_of(each), kLargestStep),
                                            releases_ / releases, ffts_, options_.max_points));
    return Part{std::move(joined), releases};
  }

  double unit_;
  double releases_;
  detail::FftPlans& ffts_;
  const PldOptions& options_;
  std::vector<std::vector<Part>> levels_;  // by the logarithm of the releases
};

double releases_of(std::span<const PldTerm> terms) {
  double releases = 0.0;
  for (const PldTerm& term : terms) releases += static_cast<double>(term.count);
  return releases;
}

// The step of one release among several terms: C/n for each, and dyadic in the finest lattice, if there is one, so
// that its atoms stay on the grid.
double unit_step(std::span<const PldTerm> terms, const Plan& plan) {
  const double step = std::min(std::sqrt(plan.budget / releases_of(terms)), kLargestStep);
  double lattice = std::numeric_limits<double>::infinity();
  for (const PldTerm& term : terms) {
    if (term.loss.lattice > 0.0) lattice = std::min(lattice, term.loss.lattice);
  }
  return std::isinf(lattice) || !plan.keeps_lattices ? step : dyadic_at_most(lattice, step);
}

constexpr std::int64_t kCoarse = 16;  // steps, of the grid of far masses
constexpr std::int64_t kFewUses = 8;  // that are joined as so many terms

// A term of several uses keeps the grid of its own until it meets the others; one release starts on theirs.
Result<detail::TwoScales> leaf_of(const PldTerm& term, const Sketch& sketch, const Plan& plan,
                                  const ProductTree& tree, double unit, double releases,
                                  detail::FftPlans& ffts, const PldOptions& options,
                                  AtInfinity& infinity) {
  const auto n = static_cast<double>(term.count);
  const double tail = plan.tail_mass / n;
  const BracketFocus focus{plan.tilt, sketch.cumulants(plan.tilt).value / n};
  if (term.count == 1 || (term.count <= kFewUses && term.loss.lattice == 0.0)) {
    const auto bracket = ASSAY_TRY(discretise(term.loss, unit, tail, options.max_points, focus));
    infinity.add(bracket, term.count);
    auto leaf =
        detail::split(detail::tilt(bracket, plan.tilt, detail::kLevelBudget / releases), kCoarse);
    if (term.count == 1) return leaf;
    const std::vector<detail::TwoScales> uses(static_cast<std::size_t>(term.count), leaf);
    return detail::compose(uses, unit, releases / n, ffts, options.max_points);
  }
  Plan own = plan;
  own.budget = plan.budget * n / releases;
  const double step = on_lattice(term.loss, std::sqrt(own.budget / n), plan.keeps_lattices);
  const auto bracket =
      ASSAY_TRY(discretise(term.loss, step, tail, options.max_points,
                           releases > n * kFewKinds ? std::optional(focus) : std::nullopt));
  infinity.add(bracket, term.count);
  auto whole = ASSAY_TRY(compose_term(term, own, bracket, releases / n, ffts, options));
  const double ratio = whole.step / unit;
  int exponent = 0;
  if (std::frexp(ratio, &exponent) == 0.5) {
    return detail::TwoScales{std::move(whole), {}};  // on the common grid already
  }
  return detail::TwoScales{detail::on_grid(whole, tree.step_of(n)), {}};
}

Result<ComposedPld> compose_several(std::span<const PldTerm> terms,
                                    const std::vector<Sketch>& sketches, const Plan& plan,
                                    detail::FftPlans& ffts, const PldOptions& options) {
  const double releases = releases_of(terms);
  const double unit = unit_step(terms, plan);
  ProductTree tree(unit, releases, ffts, options);
  AtInfinity infinity;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (is_cancelled(options)) return interrupted();
    auto leaf = ASSAY_TRY(
        leaf_of(terms[i], sketches[i], plan, tree, unit, releases, ffts, options, infinity));
    ASSAY_TRY(tree.add(std::move(leaf), static_cast<double>(terms[i].count)));
  }
  const auto product = ASSAY_TRY(tree.product());
  return ComposedPld(product, infinity.lower(), infinity.upper());
}

// A grid on which the two heaviest atoms lie: its step, and its origin.
struct AtomGrid {
  double step = 0.0;
  double offset = 0.0;
};

// For two atoms or more beside a density. Few sums of atoms lie between grid points while the steps grow by doubling.
std::optional<AtomGrid> atom_grid(const PrivacyLoss& loss, double tilt, double wanted) {
  constexpr double kFinest = 1.0 / 16.0;  // of the wanted step
  constexpr int kLeastSteps = 4;          // between the atoms after the last doubling
  if (loss.pieces.empty() || loss.atoms.size() < 2) return std::nullopt;
  std::vector<LossAtom> atoms = loss.atoms;
  std::partial_sort(atoms.begin(), atoms.begin() + 2, atoms.end(),
                    [&](const LossAtom& a, const LossAtom& b) {
                      return a.log_mass + tilt * a.loss > b.log_mass + tilt * b.loss;
                    });
  const double distance = std::fabs(atoms[1].loss - atoms[0].loss);
  const double step = std::min(wanted, kLargestStep);
  if (!(distance > kFinest * step)) return std::nullopt;
  const double unit =
      std::ldexp(1.0, std::max(std::ilogb(std::max(distance / step, 1.0) / kLeastSteps), 0));
  return AtomGrid{distance / (std::ceil(distance / step / unit) * unit), atoms[0].loss};
}

// With Q times e^by: each loss is less by that.
PrivacyLoss shifted(PrivacyLoss loss, double by) {
  double largest = std::fabs(by);
  for (LossAtom& atom : loss.atoms) {
    atom.loss -= by;
    largest = std::max(largest, std::fabs(atom.loss));
  }
  for (LossPiece& piece : loss.pieces) {
    piece.loss = [of = std::move(piece.loss), by](double x) { return of(x) - by; };
    piece.outcome = [of = std::move(piece.outcome), by](double l) { return of(l + by); };
    piece.densities = {};
    piece.density_and_loss = {};
    largest =
        std::max({largest, std::fabs(piece.loss(piece.low)), std::fabs(piece.loss(piece.high))});
  }
  loss.loss_error += 4.0 * kUnitRoundoff * largest;
  loss.lattice = 0.0;
  return loss;
}

Result<ComposedPld> compose_one(const PldTerm& term, const Sketch& sketch, const Plan& plan,
                                detail::FftPlans& ffts, const PldOptions& options) {
  if (is_cancelled(options)) return interrupted();
  const auto n = static_cast<double>(term.count);
  const double wanted = std::sqrt(plan.budget / n);
  const auto grid = plan.keeps_lattices ? atom_grid(term.loss, plan.tilt, wanted) : std::nullopt;
  const double step = grid ? grid->step : on_lattice(term.loss, wanted, plan.keeps_lattices);
  const double tail = plan.tail_mass / n;
  std::optional<BracketFocus> focus;
  if (kLeastTolerance * n <= plan.tolerance) {
    focus = {plan.tilt, sketch.cumulants(plan.tilt).value / n, kShareOfTails, plan.tolerance / n};
  }
  const auto bracket =
      ASSAY_TRY(grid ? discretise(shifted(term.loss, grid->offset), step, tail, options.max_points)
                     : discretise(term.loss, step, tail, options.max_points, focus));
  if (is_cancelled(options)) return interrupted();
  const auto product =
      ASSAY_TRY(compose_term(term, plan, bracket, 1.0, ffts, options, grid.has_value()));
  AtInfinity infinity;
  infinity.add(bracket, term.count);
  return ComposedPld(product, infinity.lower(), infinity.upper(), grid ? n * grid->offset : 0.0);
}

Status check_terms(std::span<const PldTerm> terms, const PldOptions& options) {
  if (terms.empty()) {
    return fail(ErrorCode::kInvalidArgument, "terms must have at least 1 entry", "/terms");
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].count >= 1 && terms[i].count <= kLargestCount) continue;
    const std::string path = "/terms/" + std::to_string(i) + "/count";
    return fail(ErrorCode::kInvalidArgument,
                "count must be 1 to 1e9, not " + std::to_string(terms[i].count), path);
  }
  const std::pair<const char*, double> widths[] = {
      {"epsilon_width", options.epsilon_width},
      {"relative_width", options.relative_width},
      {"least_relative_width", options.least_relative_width},
      {"delta_relative_width", options.delta_relative_width}};
  for (const auto& [name, value] : widths) {
    if (value > 0.0 && std::isfinite(value)) continue;
    return fail(ErrorCode::kInvalidArgument,
                std::string(name) + " must be positive and finite, not " + number_text(value),
                std::string("/") + name);
  }
  if (options.attempts < 1 || options.max_points < 16 ||
      options.max_points > (std::int64_t{1} << 26)) {
    const bool is_points = options.attempts >= 1;
    return fail(ErrorCode::kInvalidArgument,
                is_points
                    ? "max_points must be 16 to 67108864, not " + std::to_string(options.max_points)
                    : "attempts must be at least 1, not " + std::to_string(options.attempts),
                is_points ? "/max_points" : "/attempts");
  }
  return {};
}

// By outcomes instead of cells of the loss, which need as many as the bulk has in its tails.
Sketch quick_sketch(const PldTerm& term, int points_of_piece) {
  std::vector<std::pair<double, double>> points;
  for (const LossAtom& atom : term.loss.atoms) {
    points.emplace_back(atom.loss, portable_exp(atom.log_mass));
  }
  for (const LossPiece& piece : term.loss.pieces) {
    const double width = (piece.high - piece.low) / points_of_piece;
    for (int i = 0; i < points_of_piece; ++i) {
      const double x = piece.low + (i + 0.5) * width;
      points.emplace_back(piece.loss(x), width * portable_exp(piece.log_density(x)));
    }
  }
  std::sort(points.begin(), points.end());
  Sketch sketch;
  for (const auto& [loss, mass] : points) {
    sketch.losses.push_back(loss);
    sketch.masses.push_back(mass);
  }
  if (points.empty()) return {{0.0}, {0.0}, 0.0, static_cast<double>(term.count)};
  sketch.span = points.back().first - points.front().first;
  sketch.count = static_cast<double>(term.count);
  return sketch;
}

Result<std::vector<Sketch>> sketch(std::span<const PldTerm> terms) {
  constexpr double kCells = 1500.0;
  constexpr std::size_t kMostByCells = 8;           // terms
  constexpr int kPoints = 160, kPointsOfMany = 48;  // of each piece
  std::vector<Sketch> sketches;
  for (const PldTerm& term : terms) {
    if (terms.size() > kMostByCells) {
      sketches.push_back(quick_sketch(term, terms.size() < kManyTerms ? kPoints : kPointsOfMany));
      continue;
    }
    double low = 0.0, high = 0.0;
    for (const LossAtom& atom : term.loss.atoms) {
      low = std::min(low, atom.loss);
      high = std::max(high, atom.loss);
    }
    for (const LossPiece& piece : term.loss.pieces) {
      low = std::min(low, piece.loss(piece.low));
      high = std::max(high, piece.loss(piece.high));
    }
    const double span = std::max(high - low, 1e-12);
    double step = std::min(span / kCells, kLargestStep);
    if (term.loss.lattice > step) {
      const double lattice = term.loss.lattice;
      step = is_lattice_only(term.loss) ? lattice / std::ceil(lattice / kLargestStep)
                                        : on_lattice(term.loss, step);
    }
    const auto coarse = ASSAY_TRY(discretise(term.loss, step));
    Sketch sketch{{},
                  coarse.upper,
                  static_cast<double>(coarse.size()) * coarse.step,
                  static_cast<double>(term.count)};
    for (std::size_t i = 0; i < coarse.size(); ++i) sketch.losses.push_back(coarse.loss(i));
    sketches.push_back(std::move(sketch));
  }
  return sketches;
}

// The number of levels at which the grid adds to the width: those of the longest term, and for several terms the
// step to the common grid and the joins.
double levels_of(std::span<const PldTerm> terms) {
  std::size_t longest = 0;
  for (const PldTerm& term : terms) {
    longest = std::max(longest, factors_of(term.count).rest.size() + 1);
  }
  const auto levels = static_cast<double>(longest);
  return terms.size() == 1 ? levels : levels + 1.0 + ProductTree::depth(terms.size());
}

// The budget at which the leaves of many terms have no more points in all than a few transforms of the longest kind.
// A chain of more kinds has a wider interval instead of a longer wait.
double budget_of_points(const std::vector<Sketch>& sketches) {
  constexpr double kAll = 0x1p27;
  constexpr double kMostEach = 0x1p18;
  if (sketches.size() < kFewKinds) return 0.0;
  double span = 0.0, releases = 0.0;
  for (const Sketch& s : sketches) {
    span += s.span;
    releases += s.count;
  }
  const auto kinds = static_cast<double>(sketches.size());
  const double step = span / std::min(kAll, kMostEach * kinds);
  return releases * step * step;
}

// The achieved width over the requested width, at the focus.
double excess(const ComposedPld& result, const Focus& focus, double epsilon_width,
              double delta_relative_width) {
  if (focus.log_delta) {
    const auto eps = result.epsilon(*focus.log_delta);
    return (eps.upper.value.value - eps.lower.value.value) / epsilon_width;
  }
  const LogDeltaBounds bounds = result.log_delta(Epsilon{focus.eps});
  if (bounds.upper < -690.0) return 0.0;  // a double's zero is near
  return portable_expm1(std::min(bounds.upper - bounds.lower, 700.0)) / delta_relative_width;
}

bool is_too_large(const Result<ComposedPld>& result) {
  return !result && result.error().code == ErrorCode::kLimit;
}
bool is_interrupted(const Result<ComposedPld>& result) {
  return !result && result.error().code == ErrorCode::kInterrupted;
}

// ---- few outputs, often -------------------------------------------------------------------------

constexpr std::int64_t kLargestCounted = 200;  // releases in one power
constexpr double kMostPowerOutputs = 6000.0;   // outputs of a power

// The number of ways in which n releases spread over k outputs.
double counts_of(std::int64_t n, std::size_t k) {
  double counts = 1.0;
  for (std::size_t i = 1; i < k; ++i) {
    counts *= static_cast<double>(n + static_cast<std::int64_t>(i)) / static_cast<double>(i);
  }
  return counts;
}

// The distribution of n releases, by how often each output comes: a multinomial sum.
PrivacyLoss power_of(const PrivacyLoss& loss, std::int64_t n) {
  const auto releases = static_cast<double>(n);
  std::vector<double> log_factorial{0.0};
  for (std::int64_t i = 1; i <= n; ++i) {
    log_factorial.push_back(log_factorial.back() + portable_log(static_cast<double>(i)));
  }
  PrivacyLoss power;
  double largest = 0.0, heaviest = 0.0;
  const auto add = [&](const auto& self, std::size_t atom, std::int64_t left, double sum,
                       double log_mass) -> void {
    const auto& [each, weight] = loss.atoms[atom];
    const std::int64_t least = atom + 1 == loss.atoms.size() ? left : 0;
    for (std::int64_t times = least; times <= left; ++times) {
      const auto c = static_cast<double>(times);
      const double next = sum + c * each;
      const double mass = log_mass + c * weight - log_factorial[static_cast<std::size_t>(times)];
      if (times < left || atom + 1 < loss.atoms.size()) {
        if (atom + 1 < loss.atoms.size()) self(self, atom + 1, left - times, next, mass);
        continue;
      }
      power.atoms.push_back({next, mass});
    }
  };
  add(add, 0, n, 0.0, log_factorial.back());
  for (const LossAtom& atom : loss.atoms) {
    largest = std::max(largest, std::fabs(atom.loss));
    heaviest = std::max(heaviest, std::fabs(atom.log_mass));
  }
  std::sort(power.atoms.begin(), power.atoms.end(),
            [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
  const auto terms = static_cast<double>(loss.atoms.size() + 2);
  const double u = 0x1p-53;
  power.loss_error = releases * (loss.loss_error + 2.0 * u * terms * largest);
  // Of the logarithms of factorials: n roundings of sums of up to log n!, in each of the k + 1 that meet.
  power.weight_error =
      releases * (loss.weight_error + 4.0 * u * (2.0 + heaviest)) +
      2.0 * u * terms * (releases * (heaviest + log_factorial.back()) + log_factorial.back());
  const auto any = [&](double each) { return -portable_expm1(releases * portable_log1p(-each)); };
  if (loss.mass_at_infinity > 0.0) {
    power.mass_at_infinity = any(loss.mass_at_infinity) * (1.0 - 0x1p-45);
  }
  // Where one release was cut off, also below, the others may lose much.
  const double most = loss.mass_at_infinity + loss.mass_above + loss.mass_below;
  if (most > 0.0) {
    power.mass_above =
        std::max(any(std::min(most, 1.0)) * (1.0 + 0x1p-45) - power.mass_at_infinity, 0.0);
  }
  return power;
}

// A lattice on which the atoms are few steps apart, and all stay; a finer one is no help.
bool has_short_lattice(const PrivacyLoss& loss) {
  constexpr double kMostSteps = 1024.0;
  return loss.atoms.back().loss - loss.atoms.front().loss <= kMostSteps * loss.lattice;
}

// Without tails too small to show in delta: far losses would need a long grid, and a smaller tilt.
std::vector<PldTerm> without_tails(std::span<const PldTerm> terms, double log_delta) {
  const double tail_mass = portable_exp(log_delta) * kTailShare / static_cast<double>(terms.size());
  std::vector<PldTerm> all;
  for (const PldTerm& term : terms) {
    all.push_back(
        {assay::without_tails(term.loss, tail_mass / static_cast<double>(term.count)), term.count});
  }
  return all;
}

// A few outputs whose losses lie on no common lattice would be rounded to a grid apart, each with an error of the order
// of the step. So terms of many releases start from a power, whose outputs are dense.
std::vector<PldTerm> with_powers(std::span<const PldTerm> terms) {
  std::vector<PldTerm> all;
  for (const PldTerm& term : terms) {
    const PrivacyLoss& loss = term.loss;
    std::int64_t n = 1;
    if (loss.pieces.empty() && loss.atoms.size() > 1 && !has_short_lattice(loss)) {
      while (n < std::min(term.count, kLargestCounted) &&
             counts_of(n + 1, loss.atoms.size()) <= kMostPowerOutputs) {
        ++n;
      }
    }
    if (n < 2) {
      all.push_back(term);
      continue;
    }
    all.push_back({power_of(loss, n), term.count / n});
    const std::int64_t rest = term.count % n;
    if (rest > 0) all.push_back({rest == 1 ? loss : power_of(loss, rest), 1});
  }
  return all;
}

Result<ComposedPld> compose_at(std::span<const PldTerm> given, const Focus& focus,
                               const PldOptions& options) {
  ASSAY_TRY(check_terms(given, options));
  const std::vector<PldTerm> terms =
      focus.log_delta ? with_powers(without_tails(given, *focus.log_delta)) : with_powers(given);
  const auto sketches = ASSAY_TRY(sketch(terms));
  Plan plan;
  plan.tilt = choose_tilt(sketches, focus);
  const auto cumulants = total(sketches, plan.tilt);
  // Where eps is far below the spread of losses, a share of it would take too fine a grid.
  const auto relative_at = [&](double eps) {
    return options.relative_width * std::max(eps, kLeastShare * std::sqrt(cumulants.second));
  };
  const auto width_at = [&](double eps) {
    const double least = terms.size() < kFewKinds ? options.least_relative_width : kManyKindsWidth;
    return std::max(std::min(options.epsilon_width, relative_at(eps)), least * eps);
  };
  double eps = cumulants.first;  // until it is known
  double width =
      focus.log_delta ? width_at(eps) : options.delta_relative_width / std::max(plan.tilt, 0.5);
  plan.budget = 0.7 * 8.0 * width / ((1.0 + plan.tilt) * levels_of(terms));  // (2)
  if (terms.size() >= kFewKinds)
    plan.budget *= 0.4;  // a second attempt costs more than a finer first one
  plan.tolerance = kErrorShare * width * std::max(plan.tilt, 0.5);
  const double variance = cumulants.second;
  // Tails too small to show in delta; (1) without its smaller terms if only eps is known.
  const double log_delta = focus.log_delta.value_or(
      std::min(cumulants.value - plan.tilt * std::max(focus.eps, cumulants.first), 0.0));
  plan.tail_mass =
      std::min(portable_exp(log_delta), 1.0) * kTailShare / static_cast<double>(terms.size());
  // Not wider than the distribution itself. But near the largest loss a tilted distribution is one atom,
  // and its variance says nothing.
  const double floor = budget_of_points(sketches);
  plan.budget =
      std::clamp(plan.budget, floor, std::max({variance / 16.0, least_budget(sketches), floor}));
  Result<ComposedPld> best = fail(ErrorCode::kInternal, "no attempt was made");
  double best_excess = std::numeric_limits<double>::infinity();
  detail::FftPlans ffts;
  const auto compose_again = [&] {
    return terms.size() == 1 ? compose_one(terms.front(), sketches.front(), plan, ffts, options)
                             : compose_several(terms, sketches, plan, ffts, options);
  };
  for (int attempt = 0; attempt < options.attempts; ++attempt) {
    auto result = compose_again();
    for (int i = 0; attempt == 0 && i < kCoarserGrids && is_too_large(result); ++i) {
      plan.budget *= 4.0;
      plan.keeps_lattices = false;
      result = compose_again();
    }
    if (!result) return attempt == 0 || is_interrupted(result) ? result : best;
    if (attempt == 0 && focus.log_delta) {
      eps = std::min(eps, result->epsilon(*focus.log_delta).upper.value.value);
      width = width_at(eps);
    }
    const double now = excess(*result, focus, width, options.delta_relative_width);
    const bool gains = attempt == 0 || now < kWorthwhile * best_excess;
    if (attempt == 0 || now < best_excess) {
      best = std::move(result);
      best_excess = now;
    }
    if (!(now > 1.0) || !gains || ffts.points() > kMostTransformed) break;
    if (terms.size() >= kManyTerms && now < kNearEnough) break;  // finer would take seconds
    if (focus.log_delta && now * width <= relative_at(eps) && ffts.points() > kSome) break;
    if (plan.budget <= floor) break;
    plan.budget = std::max(plan.budget * std::clamp(0.7 / now, 1.0 / 16.0, 0.7), floor);
  }
  return best;
}

}  // namespace

Result<ComposedPld> compose_near(std::span<const PldTerm> terms, Delta delta,
                                 const PldOptions& options) {
  const double log_delta = delta.value > 0.0 ? portable_log(delta.value) : -1e9;
  if (!(delta.value < 1.0) || !(log_delta >= -600.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "delta must be in [e^-600, 1), not " + number_text(delta.value), "/delta");
  }
  return compose_at(terms, {log_delta, 0.0}, options);
}

Result<ComposedPld> compose_near(std::span<const PldTerm> terms, Epsilon eps,
                                 const PldOptions& options) {
  if (!(eps.value >= 0.0 && std::isfinite(eps.value))) {
    return fail(ErrorCode::kInvalidArgument,
                "epsilon must be finite and at least 0, not " + number_text(eps.value), "/epsilon");
  }
  return compose_at(terms, {std::nullopt, eps.value}, options);
}

Result<Interval<Epsilon>> pld_epsilon(std::span<const PldTerm> terms, Delta delta,
                                      const PldOptions& options) {
  const auto composed = ASSAY_TRY(compose_near(terms, delta, options));
  return composed.epsilon(delta);
}

Result<Interval<Delta>> pld_delta(std::span<const PldTerm> terms, Epsilon eps,
                                  const PldOptions& options) {
  const auto composed = ASSAY_TRY(compose_near(terms, eps, options));
  return composed.delta(eps);
}

}  // namespace assay
