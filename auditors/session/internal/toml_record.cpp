#include "assay/auditors/session/internal/toml_record.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "assay/auditors/text/internal/record_reader.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay::detail {
namespace {

using Tree = nlohmann::json;

class TreeMaker {
 public:
  TreeMaker(const std::string& file, const TomlText& text) : file_(file), text_(text) {}

  Result<Tree> table(const toml::table& table) const {
    Tree out = Tree::object();
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      out[name] = ASSAY_TRY(value(node, name));
    }
    return out;
  }

 private:
  Result<Tree> value(const toml::node& node, const std::string& name) const {
    if (const auto* inner = node.as_table()) return table(*inner);
    if (const auto* list = node.as_array()) {
      Tree out = Tree::array();
      for (const auto& item : *list) out.push_back(ASSAY_TRY(value(item, name)));
      return out;
    }
    if (const auto* text = node.as_string()) {
      if (!text_) return Tree(text->get());
      const auto meant = text_(text->get());
      if (meant) return Tree(*meant);
      return fail(meant.error().code, name + " " + meant.error().message, file_, line_of(node));
    }
    if (const auto* whole = node.as_integer()) return Tree(whole->get());
    if (const auto* number = node.as_floating_point()) {
      return number->get() == number->get() ? Tree(number->get()) : Tree("nan");
    }
    if (const auto* truth = node.as_boolean()) return Tree(truth->get());
    if (const auto* date = node.as_date()) {
      return Tree(
          fmt::format("{:04}-{:02}-{:02}", date->get().year, date->get().month, date->get().day));
    }
    return Tree();
  }

  const std::string& file_;
  const TomlText& text_;
};

// The innermost node on the path of a JSON pointer, and its last key.
std::pair<const toml::node*, std::string> place_of(const toml::table& table,
                                                   std::string_view pointer) {
  const toml::node* node = &table;
  std::string name;
  while (!pointer.empty()) {
    const std::string_view step = pointer.substr(1, pointer.find('/', 1) - 1);
    pointer.remove_prefix(step.size() + 1);
    const toml::node* inner = nullptr;
    if (node != nullptr && node->is_array()) {
      inner = node->as_array()->get(std::stoul(std::string(step)));
    } else {
      name = step;
      if (node->is_table()) inner = node->as_table()->get(step);
    }
    if (inner == nullptr) break;
    node = inner;
  }
  return {node, name};
}

}  // namespace

Status read_toml_fields(const toml::table& table, const std::string& file, const FieldType& type,
                        void* record, const TomlText& text) {
  const Tree tree = ASSAY_TRY(TreeMaker(file, text).table(table));
  const Status status = read_fields(tree, type, record);
  if (status) return status;
  const Error& error = status.error();
  const auto [node, name] = place_of(table, error.path);
  return fail(error.code, plain_text(name) + " " + error.message, file, line_of(*node));
}

}  // namespace assay::detail
