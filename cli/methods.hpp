// The methods of `assay audit`, as `assay list` and `assay explain` show them.
#pragma once

#include <span>
#include <string_view>

namespace assay::cli {

struct MethodDescription {
  std::string_view id;
  std::string_view line;
  std::string_view about;  // a paragraph
  std::string_view reference;
};

std::span<const MethodDescription> audit_methods();

}  // namespace assay::cli
