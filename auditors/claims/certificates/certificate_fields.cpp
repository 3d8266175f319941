#include "assay/auditors/claims/certificates/certificate_fields.hpp"

#include <fmt/format.h>

#include <utility>

namespace assay {

tl::unexpected<Error> out_of_range(std::string path, std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message), std::move(path));
}

Status index_within(std::int64_t index, std::size_t size, const std::string& path) {
  if (index >= 0 && static_cast<std::size_t>(index) < size) return {};
  return out_of_range(path, fmt::format("must be a whole number 0 to {}, not {}", size - 1, index));
}

}  // namespace assay
