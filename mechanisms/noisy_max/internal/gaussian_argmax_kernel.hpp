// The inner loops of the Gaussian argmax probability: sums of the integrand over given nodes.
//
// With z_j = (y - m_j)/s_j, q_j = z_j^2/2 and R(t) = Phi(-t) exp(t^2/2), every factor is
//   Phi(z) = R(-z) exp(-q) for z <= 0,   1 - R(z) exp(-q) for z > 0                       (1)
// so no factor loses its relative accuracy. The exponents of the left tails are summed before the
// one exponential of a node, less a shift, so nothing underflows however small the probability is.
//
// Two instruction sets run the same operations in the same order on vectors of four doubles,
// without FMA, so their results have the same bits. Internal to gaussian_argmax.cpp and its tests.
#pragma once

namespace assay::detail {

// Positions are relative to the origin of the nodes. `*_low` carry the digits beyond a double; the
// sampling loops ignore them. There are no initialisers: buffers of arms stay untouched until used.
struct ArgmaxArm {
  double mean;
  double mean_low;
  double inverse_scale;
  double half_precision;  // 1/(2 s^2); its leading 17 bits in exact mode
  double half_precision_low;
};

struct ArgmaxNodes {
  static constexpr int kCapacity = 128;
  alignas(32) double position[kCapacity];      // ascending
  alignas(32) double position_low[kCapacity];  // read by the exact loops only
  alignas(32) double weight[kCapacity];
  int count = 0;  // a multiple of 4
};

// prod_j Phi(z_j) over `shared`, times exp(-q) of the winning arm, on one or two inputs ("sides").
// The sides differ in one arm, own[side]: the winner itself, or another one whose Phi then joins the
// product.
struct ArgmaxIntegrand {
  const ArgmaxArm* shared = nullptr;
  int shared_count = 0;
  const ArgmaxArm* played = nullptr;             // the winner; null if own[] are the winners
  const ArgmaxArm* own[2] = {nullptr, nullptr};  // null on a side without one
  int sides = 1;
  double shift[2] = {0.0, 0.0};  // sums are scaled by exp(shift)
};

// All arms at once, unshifted: sums[k] = sum_i w_i exp(-q_k) prod_{j != k} Phi(z_j). When
// other_changed is not null, arm `changed` is *other_changed on the other side and other_sums holds
// that side.
struct ArgmaxFamily {
  const ArgmaxArm* arms = nullptr;
  int count = 0;
  int changed = 0;
  const ArgmaxArm* other_changed = nullptr;
};

// Four left tails at once, Phi(-depth/s) exp(shift), depth >= 0: the sum of `add` for one node of weight 1
// at 0, one arm at `depth` and a winner of density 1, with the same bits.
struct ArgmaxTails {
  alignas(32) double depth[4];
  alignas(32) double depth_low[4];
  alignas(32) double inverse_scale[4];
  alignas(32) double half_precision[4];  // as in ArgmaxArm
  alignas(32) double half_precision_low[4];
  alignas(32) double shift[4];
};

// exp(-q) and Phi(z) of one arm at the nodes i step, all i, in blocks of four. The last kRing blocks are kept:
// block b is in place b mod kRing.
struct ArgmaxFactors {
  static constexpr int kRing = 32;  // a power of two
  alignas(32) double density[4 * kRing];
  alignas(32) double cdf[4 * kRing];
};

// Sums over the blocks [first, first + blocks) of the products of such factors. sums[side] = sum of density[side]
// times the cdf of the shared arms, times own[side] if it is not null.
struct ArgmaxProducts {
  long long first = 0;
  int blocks = 0;
  const ArgmaxFactors* shared[16] = {};
  int shared_count = 0;
  const ArgmaxFactors* density[2] = {nullptr, nullptr};
  const ArgmaxFactors* own[2] = {nullptr, nullptr};
  int sides = 1;
};

struct ArgmaxKernel {
  void (*add)(const ArgmaxNodes&, const ArgmaxIntegrand&, double sums[2]);
  void (*add_all)(const ArgmaxNodes&, const ArgmaxFamily&, double* sums, double* other_sums);
  void (*tails)(const ArgmaxTails&, double values[4]);
  void (*factors)(const ArgmaxArm&, double step, long long first, int blocks, ArgmaxFactors&);
  void (*products)(const ArgmaxProducts&, double sums[2]);
};

struct ArgmaxKernels {
  ArgmaxKernel sampling;
  ArgmaxKernel exact;
};

inline constexpr int kArgmaxFamilyLimit = 16;  // the most arms add_all takes

// Phi(z) counts as 1 from these z on; it differs by less than 1.5e-13 and 4e-17 (relative).
inline constexpr double kArgmaxSaturatedSampling = 7.3;
inline constexpr double kArgmaxSaturatedExact = 8.4;

const ArgmaxKernels& argmax_kernels_baseline();
const ArgmaxKernels* argmax_kernels_avx2();  // null if the machine lacks AVX2
const ArgmaxKernels& argmax_kernels();       // the widest kernels of the machine

}  // namespace assay::detail
