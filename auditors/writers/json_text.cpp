#include "assay/auditors/writers/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/auditors/writers/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 100;

std::string scalar_text(const Json& value) {
  if (value.is_number_float()) return number_text(value.get<double>());
  return escaped_json(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string key_text(const std::string& key) { return scalar_text(Json(key)) + ": "; }

// The value on one line; stops early, with something too long, once it cannot fit.
std::string flat_text(const Json& value) {
  if (!value.is_structured()) return scalar_text(value);
  std::string out(1, value.is_object() ? '{' : '[');
  for (auto item = value.begin(); item != value.end() && out.size() <= kLineWidth; ++item) {
    if (out.size() > 1) out += ", ";
    if (value.is_object()) out += key_text(item.key());
    out += flat_text(*item);
  }
  return out + (value.is_object() ? '}' : ']');
}

bool holds_scalars(const Json& array) {
  return std::none_of(array.begin(), array.end(), [](const Json& v) { return v.is_structured(); });
}

class JsonWriter {
 public:
  std::string write(const Json& value) {
    add(value, 0, 0);
    return std::move(out_);
  }

 private:
  // `used` columns of the line are taken; `indent` is that of the line.
  void add(const Json& value, std::size_t indent, std::size_t used) {
    const std::string flat = flat_text(value);
    if (!value.is_structured() || used + flat.size() + 1 <= kLineWidth) {
      out_ += flat;
    } else if (value.is_array() && holds_scalars(value)) {
      add_filled(value, indent);
    } else {
      add_broken(value, indent);
    }
  }

  void new_line(std::size_t indent) { out_ += "\n" + std::string(indent, ' '); }

  void add_filled(const Json& array, std::size_t indent) {
    out_ += '[';
    new_line(indent + 2);
    std::size_t column = indent + 2;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const std::string text = scalar_text(array[i]) + (i + 1 < array.size() ? "," : "");
      if (column > indent + 2 && column + 1 + text.size() > kLineWidth) {
        new_line(indent + 2);
        column = indent + 2;
      } else if (column > indent + 2) {
        out_ += ' ';
        ++column;
      }
      out_ += text;
      column += text.size();
    }
    new_line(indent);
    out_ += ']';
  }

  void add_broken(const Json& value, std::size_t indent) {
    out_ += value.is_object() ? '{' : '[';
    bool first = true;
    for (auto item = value.begin(); item != value.end(); ++item) {
      if (!first) out_ += ',';
      first = false;
      new_line(indent + 2);
      const std::string key = value.is_object() ? key_text(item.key()) : "";
      out_ += key;
      add(*item, indent + 2, indent + 2 + key.size());
    }
    new_line(indent);
    out_ += value.is_object() ? '}' : ']';
  }

  std::string out_;
};

}  // namespace

std::string json_text(std::string_view compact) { return JsonWriter().write(Json::parse(compact)); }

}  // namespace assay
