// A JSON schema by its name: `assay schema NAME` prints it, and schemas/NAME.schema.json has it.
#pragma once

#include <string>
#include <string_view>

namespace assay::cli {

struct NamedSchema {
  std::string_view name;
  std::string (*text)();
};

}  // namespace assay::cli
