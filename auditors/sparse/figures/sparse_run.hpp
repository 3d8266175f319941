// The data of the figures in sparse_figures.hpp: worlds and medians over repetitions. A world is one distribution of
// rounds, on which policies run together with common random numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "assay/auditors/figures/figure_parts.hpp"
#include "assay/auditors/figures/outcome.hpp"
#include "assay/auditors/sparse/figures/shared_rounds.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay::detail {

enum class SparseFigure { kOne, kTwo, kThree };

inline constexpr std::array kLevels = {0.5, 1.0, 2.0, 5.0, 10.0};
inline constexpr std::array kSweepLevels = {0.5, 1.0, 2.0, 5.0};
inline constexpr const char* kTime = "time";  // worlds of regret over time
inline constexpr const char* kUniform = "uniform";

enum class SparseKind { kFliphat, kIht, kLasso, kRandom };

struct SparsePoint {
  SparseKind kind = SparseKind::kFliphat;
  double epsilon = 0.0;  // FLIPHAT
  Calibration calibration = Calibration::kPaper;
  IterationRule iterations = IterationRule::kCode;  // FLIPHAT, IHT
  std::int64_t sparsity = 10;                       // s, for the same

  std::string name() const;
  friend bool operator==(const SparsePoint&, const SparsePoint&) = default;
};

struct SparseWorld {
  std::string id;
  std::int64_t dimension = 400;
  std::int64_t arms = 3;
  std::int64_t true_sparsity = 5;  // s*
  RewardNoise noise = RewardNoise::kGaussian;
  double code_factor = 0.16;  // M_0 for iterations = code
  Halves halves = Halves::kNo;
  std::vector<SparsePoint> points = {};
};

// beta, with the first s* entries not 0, the same for every dimension and number of arms.
Result<SparseVector> signal_of(const SparseWorld& world, std::uint64_t seed);
// The configuration in the world of a point that is FLIPHAT.
Result<FliphatConfig> fliphat_config(const SparseWorld& world, const SparsePoint& point,
                                     const SparseVector& signal, std::int64_t horizon);

struct WorldsRun {
  std::vector<SparseWorld> worlds;
  std::shared_ptr<const SimulationResult> result;

  const SeriesResult& at(const std::string& world, const SparsePoint& point) const;
  // The regrets of every repetition, after T rounds and after half of them.
  const std::vector<double>& finals(const std::string& world, const SparsePoint& point) const;
  const std::vector<double>& halves(const std::string& world, const SparsePoint& point) const;
  std::size_t index(const std::string& world, const SparsePoint& point) const;
};

// Errors: interrupted; a checkpoint.
Result<WorldsRun> run_worlds(const std::string& id, const RunSetting& setting,
                             std::vector<SparseWorld> worlds, SimulationRunner& runner);

// Lists with one number for each repetition, and bounds of their medians that hold jointly for all lists.
class Medians {
 public:
  void add(std::string name, std::vector<double> values);
  void bound(double alpha);  // shared evenly
  const Bounds& at(const std::string& name) const;
  double median(const std::string& name) const;

 private:
  struct One {
    std::string name;
    std::vector<double> values;
    Bounds bounds;
  };
  const One& find(const std::string& name) const;
  std::vector<One> all_;
};

// The names of the numbers that the outcomes read: R(T)/R(T/2) in a world and others, as in sparse_checks.cpp.
std::string growth_name(const std::string& world, double epsilon);
std::vector<StatedOutcome<Medians>> sparse_outcomes(SparseFigure figure);

// a + b x by least squares, and the bend of the fitted parabola: its excess over its chord in the middle of the range
// of x, over the mean of y. Precondition: at least three different x.
struct LineFit {
  double slope = 0.0;
  double bend = 0.0;
};
LineFit fit_line(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace assay::detail
