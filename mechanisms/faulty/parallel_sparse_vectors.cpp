#include "assay/mechanisms/faulty/parallel_sparse_vectors.hpp"

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay::faulty {

Result<ParallelSparseVectors> ParallelSparseVectors::create(const Config& config) {
  const auto third = ASSAY_TRY(SparseVector3::create(config));
  const auto fourth = ASSAY_TRY(SparseVector4::create(config));
  return ParallelSparseVectors(third, fourth);
}

template <RandomSource R>
ParallelSparseVectors::Output ParallelSparseVectors::release(const Input& input, R& random) const {
  Output out(2 * input.size());
  release_many(input, random, out);
  return out;
}

template <RandomSource R>
void ParallelSparseVectors::release_many(const Input& input, R& random,
                                         std::span<double> out) const {
  const std::size_t n = input.size();
  ASSAY_CHECK(n > 0 && out.size() % (2 * n) == 0, "whole releases");
  for (std::size_t first = 0; first < out.size(); first += 2 * n) {
    third_.release_many(input, random, out.subspan(first, n));
    fourth_.release_many(input, random, out.subspan(first + n, n));
  }
}

Guarantee ParallelSparseVectors::guarantee() const {
  const double third = std::get<PureDp>(third_.guarantee().level).epsilon.value;
  const double fourth = std::get<PureDp>(fourth_.guarantee().level).epsilon.value;
  return {PureDp{Epsilon{third + fourth}}, Relation::kAllAnswers, View::kOutput,
          "composition of sparse vectors 3 and 4"};
}

ASSAY_BOTH_STREAMS(ParallelSparseVectors, double);

}  // namespace assay::faulty
