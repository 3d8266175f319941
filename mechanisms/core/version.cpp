#include "assay/mechanisms/core/version.hpp"

#include "assay/mechanisms/core/check.hpp"

#if defined(__clang__)
#define ASSAY_COMPILER "Clang " __clang_version__
#else
#define ASSAY_COMPILER "GCC " __VERSION__
#endif

namespace assay {
namespace detail {
extern const char* const kCommit;  // written at build time, see cmake/write_commit.cmake
}  // namespace detail

BuildInfo build_info() {
  return {ASSAY_VERSION,    detail::kCommit,  ASSAY_COMPILER,
          ASSAY_BUILD_TYPE, ASSAY_SANITIZERS, kChecked};
}

std::string to_string(const BuildInfo& info) {
  std::string text = std::string(info.compiler) + ", " + std::string(info.build_type);
  if (info.checked) text += ", checked";
  if (!info.sanitizers.empty()) text += ", sanitizers " + std::string(info.sanitizers);
  return text + ", commit " + std::string(info.commit);
}

}  // namespace assay
