#include "assay/auditors/account/account_chain.hpp"

#include <array>
#include <string_view>

#include "assay/auditors/session/internal/toml_file.hpp"
#include "assay/mechanisms/accounting/account/internal/grouped_chain.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostSteps = 100'000;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::array<std::string_view, 2> kRelations = {"add-or-remove", "replace-one"};
constexpr auto kViews = [] {
  std::array<std::string_view, enum_names(View{}).size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = enum_names(View{})[i].second;
  return names;
}();
constexpr std::array<std::string_view, 5> kFileKeys = {"delta", "at_epsilon", "relation", "view",
                                                       "step"};

// A number, or numbers with commas, as on the command line.
Result<std::string> value_text(const std::string& name, const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) return number_text(number->get());
  if (const auto* array = node.as_array()) {
    std::string text;
    for (const auto& item : *array) {
      if (item.is_array()) return fail(ErrorCode::kParse, name + " must be a list of numbers");
      const auto part = value_text(name, item);
      if (!part) return part;
      text += (text.empty() ? "" : ",") + *part;
    }
    return text;
  }
  return fail(ErrorCode::kParse, name + " must be a number or a list of numbers");
}

class ChainReader {
 public:
  explicit ChainReader(std::string path) : path_(std::move(path)) {}

  Result<ChainFile> read(const toml::table& root) {
    for (const auto& [key, node] : root) {
      if (!contains(kFileKeys, key.str())) {
        return error(node, "unknown key '" + std::string(key.str()) + "'; a chain has the keys " +
                               joined(kFileKeys));
      }
    }
    ASSAY_TRY(read_words(root, ""));
    using Asked = AccountTarget::Asked;
    for (const auto& [key, asked] : {std::pair{"delta", Asked::kEpsilonAtDelta},
                                     std::pair{"at_epsilon", Asked::kDeltaAtEpsilon}}) {
      ASSAY_TRY(read_targets(root, key, asked));
    }
    const auto* steps = root["step"].as_array();
    if (steps == nullptr || steps->empty()) {
      return fail(ErrorCode::kInvalidArgument, "a chain needs at least one [[step]]", path_);
    }
    if (static_cast<std::int64_t>(steps->size()) > kMostSteps) {
      return error(*steps,
                   "a chain has at most 100000 steps; write equal steps as one, with compose");
    }
    for (const auto& node : *steps) {
      ASSAY_TRY(read_step(node));
    }
    return std::move(file_);
  }

 private:
  tl::unexpected<Error> error(const toml::node& node, const std::string& message,
                              ErrorCode code = ErrorCode::kInvalidArgument) const {
    return fail(code, message, path_, detail::line_of(node));
  }

  // The chain has one value: the first that is stated or implied.
  Status agree(std::string& common, const std::string& said, const char* name,
               const toml::node& node, const std::string& where) const {
    if (common.empty() || common == said) {
      common = said;
      return {};
    }
    return error(node, where + name + " \"" + said + "\" contradicts \"" + common +
                           "\" above: a chain has one " + name);
  }

  template <std::size_t N>
  Status read_word(const toml::table& table, const char* name,
                   const std::array<std::string_view, N>& known, std::string& common,
                   const std::string& where) const {
    const toml::node* node = table.get(name);
    if (node == nullptr) return {};
    const auto text = node->value<std::string>();
    if (!text || !contains(known, *text)) {
      return error(*node, where + name + " must be one of " + joined(known));
    }
    return agree(common, *text, name, *node, where);
  }

  Status read_words(const toml::table& table, const std::string& where) {
    const auto ok = read_word(table, "relation", kRelations, file_.relation, where);
    return ok ? read_word(table, "view", kViews, file_.view, where) : ok;
  }

  Status read_targets(const toml::table& root, const char* key, AccountTarget::Asked asked) {
    const toml::node* node = root.get(key);
    if (node == nullptr) return {};
    const auto add = [&](const toml::node& item) -> Status {
      const auto value = item.value<double>();
      if (!value) return error(item, std::string(key) + " must be a number or a list of numbers");
      const bool ok = asked == AccountTarget::Asked::kEpsilonAtDelta
                          ? *value >= 0.0 && *value < 1.0
                          : *value >= 0.0 && *value < 1e300;
      if (!ok) {
        return error(
            item, std::string(key) + " must be " +
                      (asked == AccountTarget::Asked::kEpsilonAtDelta ? "in [0, 1)"
                                                                      : "finite and at least 0") +
                      ", not " + number_text(*value));
      }
      file_.targets.push_back({asked, *value});
      return {};
    };
    const auto* list = node->as_array();
    if (list == nullptr) return add(*node);
    for (const auto& item : *list) {
      if (const auto ok = add(item); !ok) return ok;
    }
    return {};
  }

  Result<std::int64_t> read_count(const toml::table& table, const std::string& where) const {
    std::string key = "compose";
    const toml::node* node = table.get(key);
    if (const toml::node* old = table.get("count"); old != nullptr) {  // its older name
      if (node != nullptr)
        return error(*old, where + "count is the former name of compose: give compose alone");
      node = old;
      key = "count";
    }
    return read_whole(node, key, where);
  }

  Result<std::int64_t> read_whole(const toml::node* node, const std::string& key,
                                  const std::string& where) const {
    if (node == nullptr) return std::int64_t{1};
    const auto count = node->value_exact<std::int64_t>();
    if (count && *count >= 1 && *count <= kMostReleases) return *count;
    return error(*node, where + key + " must be a whole number, 1 to 1000000000");
  }

  Status read_step(const toml::node& node) {
    const std::string where = "step " + std::to_string(file_.chain.size() + 1) + ": ";
    const toml::table* table = node.as_table();
    if (table == nullptr) return error(node, where + "must be a table, [[step]]");
    const auto name = (*table)["mechanism"].value<std::string>();
    if (!name) return error(node, where + "needs mechanism = \"...\"");
    if (const auto ok = read_words(*table, where); !ok) return ok;
    const auto count = ASSAY_TRY(read_count(*table, where));
    const auto moves = ASSAY_TRY(read_whole(table->get("moves"), "moves", where));
    std::int64_t group = 1;
    auto step = ASSAY_TRY(read_mechanism(*table, *name, where, group));
    if (const std::string implied = step_relation(step); !implied.empty()) {
      const auto ok = agree(file_.relation, implied, "relation", node, where + *name + " is of ");
      if (!ok) return ok;
    }
    const auto label = (*table)["label"].value<std::string>();
    if (table->contains("label") && !label) {
      return error(*table->get("label"), where + "label must be text");
    }
    if (moves > 1 && !has_independent_noise(step)) {
      return error(
          *table->get("moves"),
          where + "moves is for noise that each answer gets independently, not for " + *name);
    }
    const ChainStep whole{std::move(step), count, label.value_or(""), moves, group};
    if (const auto ok = detail::with_group(whole); !ok) {
      return error(*table->get("group"), where + ok.error().message);
    }
    file_.chain.push_back(whole);
    return {};
  }

  Result<StepMechanism> read_mechanism(const toml::table& table, const std::string& name,
                                       const std::string& where, std::int64_t& group) const {
    static constexpr std::array<std::string_view, 7> kOwn = {
        "mechanism", "compose", "count", "moves", "label", "relation", "view"};
    std::vector<KeyValue> parameters;
    for (const auto& [key, value] : table) {
      if (contains(kOwn, key.str())) continue;
      const auto text = value_text(std::string(key.str()), value);
      if (!text) return error(value, where + text.error().message, ErrorCode::kParse);
      parameters.push_back({std::string(key.str()), *text});
    }
    const bool takes = takes_relation(name, table.contains("sampler"));
    if (takes && !file_.relation.empty()) parameters.push_back({"relation", file_.relation});
    const auto size = take_group(name, parameters);
    auto step = size ? make_step(name, parameters) : tl::make_unexpected(size.error());
    group = size.value_or(1);
    if (step) return step;
    const std::string field = step.error().path.empty() ? "" : step.error().path.substr(1);
    const toml::node* at = table.get(field);
    return error(at == nullptr ? table : *at, where + step.error().message, step.error().code);
  }

  std::string path_;
  ChainFile file_;
};

}  // namespace

Result<ChainFile> read_chain(const std::string& path) {
  const auto table = ASSAY_TRY(detail::read_toml(path, "the chain", kMostBytes));
  return ChainReader(path).read(table);
}

}  // namespace assay
