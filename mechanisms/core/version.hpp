// The version of Assay. `assay --version` prints it, and every report has it in its `meta`.
#pragma once

#include <string>
#include <string_view>

namespace assay {

struct BuildInfo {
  std::string_view version;  // "0.1.0"
  // 12 hexadecimal digits, then "-modified" if the tree differed; or "unknown".
  std::string_view commit;
  std::string_view compiler;    // "GCC 12.2.0"
  std::string_view build_type;  // "Release"
  std::string_view sanitizers;  // "address,undefined"; empty for none
  bool checked = false;         // whether ASSAY_CHECK is on
};

BuildInfo build_info();

// "GCC 12.2.0, Release, checked, sanitizers address,undefined, commit 0123456789ab".
std::string to_string(const BuildInfo& info);

}  // namespace assay
