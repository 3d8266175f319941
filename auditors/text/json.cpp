#include "assay/auditors/text/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

constexpr std::size_t kLineWidth = 100;

std::string quoted(const std::string& text) {
  const nlohmann::json value(text);
  return escaped_json(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string key_text(const std::string& key) { return quoted(key) + ": "; }

struct ScalarText {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
    return std::isnan(value) ? "null" : number_text(value);
  }
  std::string operator()(const std::string& text) const { return quoted(text); }
  std::string operator()(const auto&) const { return ""; }
};

// A basic string: control characters are escaped.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (text[i] == '"' || text[i] == '\\') {
      out += std::string("\\") + text[i];
    } else if (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(text[i]));
    } else {
      out += text.substr(i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
  return out + "\"";
}

}  // namespace

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(Value value) : value_(std::move(value)) {}
Json::Json(bool value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(std::uint64_t value) : value_(value) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::initializer_list<JsonMember> members) : value_(Object(members)) {}

Json Json::array() { return Json(Value(Array())); }
Json Json::object() { return Json(Value(Object())); }

Json& Json::operator[](std::string_view key) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Object();
  auto& members = std::get<Object>(value_);
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const JsonMember& member) { return member.key == key; });
  if (at != members.end()) return at->value;
  return members.emplace_back(JsonMember{std::string(key), {}}).value;
}

const Json* Json::find(std::string_view key) const {
  for (const auto& member : std::get<Object>(value_)) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

void Json::merge(const Json& object) {
  for (const auto& member : std::get<Object>(object.value_)) (*this)[member.key] = member.value;
}

void Json::push_back(Json item) { std::get<Array>(value_).push_back(std::move(item)); }

class JsonWriter {
 public:
  std::string write(const Json& value) {
    add(value, 0, 0);
    return std::move(out_);
  }

  static std::string toml_text(const Json& value) {
    const Array* items = array_in(value);
    const Object* members = object_in(value);
    std::string out;
    if (items != nullptr) {
      for (const Json& item : *items) out += (out.empty() ? "" : ", ") + toml_text(item);
      return "[" + out + "]";
    }
    if (members != nullptr) {
      for (const auto& [key, item] : *members) {
        out += (out.empty() ? "" : ", ") + key + " = " + toml_text(item);
      }
      return "{" + out + "}";
    }
    if (const auto* text = std::get_if<std::string>(&value.value_)) return toml_string(*text);
    const auto* number = std::get_if<double>(&value.value_);
    return number != nullptr ? number_text(*number) : std::visit(ScalarText{}, value.value_);
  }

 private:
  using Array = Json::Array;
  using Object = Json::Object;

  static const Array* array_in(const Json& value) { return std::get_if<Array>(&value.value_); }
  static const Object* object_in(const Json& value) { return std::get_if<Object>(&value.value_); }
  static bool is_structured(const Json& value) { return array_in(value) || object_in(value); }

  static std::string flat_member(const Json& item) { return flat_text(item); }
  static std::string flat_member(const JsonMember& member) {
    return key_text(member.key) + flat_text(member.value);
  }

  // Items on one line; stops early, with something too long, once they cannot fit.
  template <class Item>
  static std::string flat_items(char open, const std::vector<Item>& items, char close) {
    std::string out(1, open);
    for (auto item = items.begin(); item != items.end() && out.size() <= kLineWidth; ++item) {
      if (out.size() > 1) out += ", ";
      out += flat_member(*item);
    }
    return out + close;
  }

  static std::string flat_text(const Json& value) {
    if (const Array* items = array_in(value)) return flat_items('[', *items, ']');
    if (const Object* members = object_in(value)) return flat_items('{', *members, '}');
    return std::visit(ScalarText{}, value.value_);
  }

  // `used` columns of the line are taken; `indent` is that of the line.
  void add(const Json& value, std::size_t indent, std::size_t used) {
    const std::string flat = flat_text(value);
    const Array* items = array_in(value);
    if (!is_structured(value) || used + flat.size() + 1 <= kLineWidth) {
      out_ += flat;
    } else if (items == nullptr) {
      add_broken('{', *object_in(value), '}', indent);
    } else if (std::none_of(items->begin(), items->end(), is_structured)) {
      add_filled(*items, indent);
    } else {
      add_broken('[', *items, ']', indent);
    }
  }

  void new_line(std::size_t indent) { out_ += "\n" + std::string(indent, ' '); }

  void add_filled(const Array& items, std::size_t indent) {
    out_ += '[';
    new_line(indent + 2);
    std::size_t column = indent + 2;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string text = flat_text(items[i]) + (i + 1 < items.size() ? "," : "");
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

  void add_item(const Json& item, std::size_t indent) { add(item, indent, indent); }
  void add_item(const JsonMember& member, std::size_t indent) {
    const std::string key = key_text(member.key);
    out_ += key;
    add(member.value, indent, indent + key.size());
  }

  template <class Item>
  void add_broken(char open, const std::vector<Item>& items, char close, std::size_t indent) {
    out_ += open;
    bool first = true;
    for (const Item& item : items) {
      if (!first) out_ += ',';
      first = false;
      new_line(indent + 2);
      add_item(item, indent + 2);
    }
    new_line(indent);
    out_ += close;
  }

  std::string out_;
};

std::string toml_text(const Json& value) { return JsonWriter::toml_text(value); }

std::string json_text(const Json& value) { return JsonWriter().write(value); }

Json json_parameters(const std::vector<KeyValue>& parameters) {
  Json out = Json::object();
  for (const auto& [key, text] : parameters) {
    const auto value = parse_number(text);
    const auto whole = parse_integer(text);
    out[key] = text == "true" || text == "false" ? Json(text == "true")
               : whole                           ? Json(*whole)
               : value                           ? Json(*value)
                                                 : Json(text);
  }
  return out;
}

}  // namespace assay
