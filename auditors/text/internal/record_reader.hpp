// Reads records (record.hpp) from a tree of JSON, or from TOML that was turned into such a tree.
//
// Errors name the field by its JSON pointer: an unknown key with the nearest known one, a missing field, a value of
// another type or out of its limits. Fields that a list computes may be missing and are not read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "assay/auditors/text/record.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// Errors: text that is not JSON, with its line; a key that appears twice in an object; more than 8 levels.
Result<nlohmann::json> parse_json(std::string_view text);

// Reads the fields by their types and limits; `path` is the place of the tree.
Status read_fields(const nlohmann::json& tree, const FieldType& type, void* record,
                   const std::string& path = "");
template <class T>
Status read_record(const nlohmann::json& tree, T& record) {
  return read_fields(tree, kTypeOf<T>, &record);
}

std::string escaped_pointer(std::string key);  // RFC 6901
tl::unexpected<Error> mistyped(const std::string& wanted, const nlohmann::json& value,
                               const std::string& path);

}  // namespace assay::detail
