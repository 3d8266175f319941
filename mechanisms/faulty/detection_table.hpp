// The twenty mechanisms of DP-Sniper's benchmark, with its configurations and its pairs of inputs,
// the true levels at those pairs, and the figures that other detectors reach on them.
//
// Every row is tested against the claim epsilon = 0.1, which is true for eight of them. Inputs are StatDP's
// patterns of ones, zeros and twos: one above, one below; if every answer may move, also one above rest below,
// its opposite, half and half, all above, all below, and X. Each unordered pair is
// listed once, and both directions are tested.
//
// Outputs are vectors of doubles of fixed length. Numbers, indices and counts stay as they are; flags and
// bits are 1 and 0. An entry of a sparse vector with values is the value, -infinity for an answer below the
// threshold, and NaN for every answer after it has stopped.
//
// Truth. `true_epsilon` is the supremum of log(P(A)/Q(A)) over events, pairs and directions.
// `cells` gives the distributions of a pair, exact or by quadrature. From them output_cells.hpp
// computes the level for events of a least probability too.
//
// Reference: Bichsel, Steffen, Bogunovic, Vechev, "DP-Sniper: black-box discovery of differential
// privacy violations using classifiers" (S&P 2021), section VI and its public implementation, for
// mechanisms, parameters and inputs; Ding, Wang, Wang, Zhang, Kifer (CCS 2018) for the patterns.
// `sniper_*` were measured with that implementation: logistic regression, 1e6 training and 1e7
// final samples per pair, confidence 0.9, one core. `statdp` is published: the reference results in
// that implementation's repository (eval_sp2021). Its authors ran a corrected StatDP twice on these
// mechanisms and certified the bound of the event that it found on 2e8 fresh samples; the table has the
// better of the two. They give none for the numerical sparse vector. Delta-Siege (Lokna et
// al., "Group and attack: auditing differential privacy", CCS 2023) treats none of these
// mechanisms: its Laplace and Gaussian mechanisms are those of libraries, at (eps, delta).
// Threads: rows are immutable values. Cost of samples: 20 ns per
// noise, 8 ns per bit (benchmarks/mechanisms_benchmark.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/faulty/output_cells.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay::faulty {

// A published lower bound, and the seconds that the search for it took.
struct CitedFigure {
  double lower;
  double seconds;
};

struct DetectionRow {
  std::string name;  // "sparse-vector-3"
  double claim = 0.1;
  std::vector<std::vector<double>> inputs;
  std::vector<std::array<std::size_t, 2>> pairs;  // of indices into inputs
  std::size_t output_size = 1;

  double true_epsilon = 0.0;  // at these pairs
  std::string truth;          // the source of true_epsilon
  Guarantee guarantee;        // over all neighbours; see the mechanism's header

  double sniper_epsilon = 0.0;  // DP-Sniper's estimate, its lower bound, and its seconds
  double sniper_lower = 0.0;
  double sniper_seconds = 0.0;
  std::optional<CitedFigure> statdp;

  // Independent releases on one input, one after another; out.size() is a multiple of output_size.
  std::function<void(std::span<const double> input, ReplayStream& random, std::span<double> out)>
      release_many;
  // The output distributions on two inputs.
  std::function<OutputCells(std::span<const double> a, std::span<const double> b)> distribution;

  void sample(std::size_t input, ReplayStream& random, std::span<double> out) const {
    release_many(inputs[input], random, out);
  }
  OutputCells cells(std::size_t pair) const {
    return distribution(inputs[pairs[pair][0]], inputs[pairs[pair][1]]);
  }
};

// The rows, in the order of DP-Sniper's table.
std::vector<DetectionRow> detection_table();

}  // namespace assay::faulty
