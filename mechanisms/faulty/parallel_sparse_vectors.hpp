// Releases sparse vectors 3 and 4 on the same answers: row "SVT 3,4" of DP-Sniper's table.
//
// Output: the n entries of SparseVector3, then the n of SparseVector4 (sparse_vectors.hpp).
//
// Privacy. Relation: every answer moves by at most 1. View: the output. Both parts are
// faulty (sparse_vectors.hpp). In addition, each claims epsilon for itself, although the levels of two
// releases add up. The level is at most the sum of the levels of the parts, which guarantee() states.
// Reference: Bichsel, Steffen, Bogunovic, Vechev, "DP-Sniper" (S&P 2021), section VI.
// Threads: a value. Cost: that of the two parts.
#pragma once

#include "assay/mechanisms/faulty/sparse_vectors.hpp"

namespace assay::faulty {

class ParallelSparseVectors {
 public:
  using Config = SparseVectorConfig;
  using Input = std::span<const double>;
  using Output = std::vector<double>;

  static Result<ParallelSparseVectors> create(const Config& config);

  Status check_input(const Input& input) const { return third_.check_input(input); }
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  // Fills `out` with independent releases, one after another. Precondition: out.size() is a multiple of
  // 2 input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;

  Guarantee guarantee() const;
  const Config& config() const { return third_.config(); }
  const SparseVector3& third() const { return third_; }
  const SparseVector4& fourth() const { return fourth_; }

 private:
  ParallelSparseVectors(const SparseVector3& third, const SparseVector4& fourth)
      : third_(third), fourth_(fourth) {}

  SparseVector3 third_;
  SparseVector4 fourth_;
};

static_assert(Mechanism<ParallelSparseVectors>);

}  // namespace assay::faulty
