#include "assay/auditors/detect/row_samples.hpp"

namespace assay::detail {

std::vector<double> sample_chunk(const faulty::DetectionRow& row, std::size_t input,
                                 const SampleStage& stage, std::int64_t count, std::size_t chunk) {
  const std::int64_t first = static_cast<std::int64_t>(chunk) * kSamplesInChunk;
  const auto size = static_cast<std::size_t>(std::min(kSamplesInChunk, count - first));
  const std::uint64_t purpose = hash_purpose("detect/" + row.name);
  const std::uint64_t lane = stage.coupled ? 0 : 1 + input;
  std::vector<double> outputs(size * row.output_size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t sample = static_cast<std::uint64_t>(first) + i;
    ReplayStream random({stage.seed, purpose, stage.number << 32 | sample, lane, stage.phase});
    row.sample(input, random, std::span(outputs).subspan(i * row.output_size, row.output_size));
  }
  return outputs;
}

OutputBatch stored_samples(const faulty::DetectionRow& row, std::size_t input,
                           const SampleStage& stage, std::int64_t count,
                           const RunControl& control) {
  OutputBatch batch{count, static_cast<std::int64_t>(row.output_size), {}};
  batch.values.resize(static_cast<std::size_t>(count) * row.output_size);
  const auto parts = map_chunks(control, chunks_of(count), [&](std::size_t chunk) {
    if (control.cancelled()) return std::vector<double>();
    return sample_chunk(row, input, stage, count, chunk);
  });
  for (std::size_t chunk = 0; chunk < parts.size(); ++chunk) {
    const std::size_t at = chunk * static_cast<std::size_t>(kSamplesInChunk) * row.output_size;
    std::copy(parts[chunk].begin(), parts[chunk].end(),
              batch.values.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return batch;
}

}  // namespace assay::detail
