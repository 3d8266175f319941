// Reads records (text/record.hpp) from tables of TOML. A date is read as text.
#pragma once

#include <functional>
#include <string>

#include "assay/auditors/session/internal/toml_file.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// Replaces the variables of a text, as "${NAME}".
using TomlText = std::function<Result<std::string>(const std::string&)>;

// Errors name the file, the line and the field.
Status read_toml_fields(const toml::table& table, const std::string& file, const FieldType& type,
                        void* record, const TomlText& text);

template <class T>
Result<T> read_record(const toml::table& table, const std::string& file,
                      const TomlText& text = {}) {
  T record;
  ASSAY_TRY(read_toml_fields(table, file, kTypeOf<T>, &record, text));
  return record;
}

}  // namespace assay::detail
