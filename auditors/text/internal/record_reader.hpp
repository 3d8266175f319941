// Reads records (record.hpp) from a tree of JSON, or of TOML that was made one.
//
// Errors name the field by its JSON pointer: an unknown key with the nearest known one, a missing field, a
// value of another type or out of its limits. What a list computes has to be there, and is not looked at.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "assay/auditors/text/record.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// Errors: what is no JSON, with its line; a key twice in an object; more than 8 levels.
Result<nlohmann::json> parse_json(std::string_view text);

// The fields by their types and within their limits; `path` is where they are.
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
