// A step of a matrix mechanism: all rows of C x + Gaussian noise, for a fixed order in which records take part (DP-FTRL).
//
// `factor` is C, in which column i is what step i adds to the rows that get noise (the noise of the released estimates is
// then that of B (C x + z) with any B; B costs nothing):
//   identity      noise on every step by itself           square-root   Toeplitz, c_s = C(2 s, s)/4^s; `bands` of them
//   prefix-sum    noise on every running sum              toeplitz      Toeplitz with `coefficients`
//   tree          noise on every dyadic interval that ends by T, of which a counter may need only some
//   FILE.csv      any matrix, a row a line and a column a step
// One record takes part in at most `participations` of the `steps`, any two at least (or exactly) `separation` apart, in an
// order that does not depend on the data, and moves each of them by at most `sensitivity` in L2 distance. Replacing it
// moves each by twice that.
//
// Privacy: one release of Gaussian noise at the distance of matrix_sensitivity.hpp, exact or between two bounds of it. A
// restart after T steps is a further release (compose). A tree with Laplace noise is laplace with `moves` set to the number of
// nodes above a leaf, floor(log2 T) + 1.
// Errors: those of matrix_sensitivity.hpp; a file that cannot be read; sigma outside 1e-2 to 1e6 times the distance.
// Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/accounting/account/sampled_step.hpp"
#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/accounting/matrix_sensitivity.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {

struct MatrixStep {
  static constexpr std::string_view kName = "matrix-factorization";
  static constexpr std::string_view kTitle =
      "Gaussian noise on a matrix times the steps of a run (DP-FTRL)";
  double sigma = 0.0;
  double sensitivity = 1.0;
  std::int64_t steps = 0;
  std::int64_t participations = 1;
  std::int64_t separation = 1;
  Spacing spacing = Spacing::kAtLeast;
  std::int64_t bands = 0;
  SampledRelation relation = SampledRelation::kAddOrRemove;
  std::string factor;
  std::vector<double> coefficients;
  SquaredDistance squared{};  // of sensitivity 1; make_matrix_step() sets it
  double group = 1.0;         // no parameter either (step_kinds.hpp)

  static void fields(auto&& visit) {
    using C = MatrixStep;
    visit(field("sigma", &C::sigma, kStepScale, "", "the standard deviation of the noise"));
    visit(field("sensitivity", &C::sensitivity, kStepScale, "",
                "how far one record moves the answer, or a vector in L2 distance"));
    visit(field("steps", &C::steps, Range{1, 1e6}, "", "the number of steps of a run"));
    visit(field("participations", &C::participations, Range{1, 1e6}, "",
                "the most steps of a run in which one record takes part"));
    visit(field("separation", &C::separation, Range{1, 1e6}, "",
                "the number of steps from one participation of a record to its next"));
    visit(field("spacing", &C::spacing, Range{}, "",
                "whether participations are at least so far apart, or exactly"));
    visit(field("bands", &C::bands, Range{0, 1e6}, "",
                "the number of bands of the square-root matrix; 0 stands for all"));
    visit(field("relation", &C::relation, Range{}, "", "the relation of the neighbours"));
  }
  static void texts(auto&& visit) {
    visit(TextParameter<MatrixStep, std::string>{
        "factor", &MatrixStep::factor,
        "identity | square-root | prefix-sum | tree | toeplitz | FILE.csv",
        "the matrix C of which the mechanism releases C x + noise, for steps x"});
    visit(TextParameter<MatrixStep, std::vector<double>>{
        "coefficients", &MatrixStep::coefficients, "at most as many as steps",
        "the first column of the toeplitz matrix, without the zeros at its end", false});
  }
  friend bool operator==(const MatrixStep& a, const MatrixStep& b);
};

// A row a line, with commas. Errors: (kParse) an entry that is no number, with its line; no row; a file of more than 256 MiB,
// or one that cannot be read.
Result<std::vector<std::vector<double>>> read_matrix(const std::string& path);
// With the squared distance of these parameters.
Result<MatrixStep> make_matrix_step(MatrixStep step);

// mu = distance/sigma, between bounds. Precondition of this and the next: a step of make_matrix_step().
detail::Enclosure matrix_mu(const MatrixStep& step);
// Whether the bounds of mu differ by rounding alone.
bool is_exact(const MatrixStep& step);
Result<StepLosses> matrix_losses(const MatrixStep& step, const LossAccuracy& accuracy = {});

}  // namespace assay
