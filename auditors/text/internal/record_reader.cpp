#include "assay/auditors/text/internal/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay::detail {
namespace {

using Tree = nlohmann::json;
using Kind = FieldType::Kind;

constexpr std::size_t kDeepest = 8;

// ---- JSON at all --------------------------------------------------------------------------------

// Sees every token of a text once and stops at the first fault. A text that passes is valid JSON without repeated
// keys, which a tree of values would no longer show.
class Scan : public nlohmann::json_sax<Tree> {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  const Error& error() const { return error_; }

  bool null() override { return next(); }
  bool boolean(bool) override { return next(); }
  bool number_integer(number_integer_t) override { return next(); }
  bool number_unsigned(number_unsigned_t) override { return next(); }
  bool number_float(number_float_t, const string_t&) override { return next(); }
  bool string(string_t&) override { return next(); }
  bool binary(binary_t&) override { return next(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (level.keys.insert(name).second) return true;
    error_ = {ErrorCode::kParse, "appears twice", pointer(), 0};
    return false;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& fault) override {
    const std::size_t read = std::min(position == 0 ? 0 : position - 1, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(read), '\n');
    error_ = {ErrorCode::kParse, "is not JSON: " + reason(fault.what()), "",
              static_cast<long>(line)};
    return false;
  }

 private:
  struct Level {
    bool array = false;
    std::size_t items = 0;
    std::string key;
    std::set<std::string> keys;
  };

  // Without the parser's own name and position of the fault.
  static std::string reason(const std::string& what) {
    const auto column = what.find("column ");
    const auto colon = what.find(": ", column == std::string::npos ? 0 : column);
    const auto bracket = what.find("] ");
    if (column != std::string::npos && colon != std::string::npos) {
      return plain_text(what.substr(colon + 2));
    }
    return plain_text(bracket == std::string::npos ? what : what.substr(bracket + 2));
  }

  std::string pointer() const {
    std::string out;
    for (const Level& level : levels_) {
      out += "/" + (level.array ? std::to_string(level.items - 1) : escaped_pointer(level.key));
    }
    return out;
  }

  bool next() {
    if (!levels_.empty()) ++levels_.back().items;
    return true;
  }
  bool open(bool array) {
    next();
    if (levels_.size() == kDeepest) {
      error_ = {ErrorCode::kParse, fmt::format("is nested more than {} deep", kDeepest), pointer(),
                0};
      return false;
    }
    levels_.push_back({array, 0, {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  std::vector<Level> levels_;
  Error error_;
};

std::string type_text(const Tree& value) {
  if (value.is_number()) return number_text(value.get<double>());
  if (value.is_string()) return "a text";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return value.dump();  // true, false, null
}

std::string within_text(const std::string& path, std::string_view name) {
  return path + "/" + std::string(name);
}

// One of these names.
tl::unexpected<Error> no_choice(std::span<const std::string_view> names, const Tree& value,
                                const std::string& path) {
  const std::string shown =
      value.is_string() ? "'" + plain_text(value.get<std::string>()) + "'" : type_text(value);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("must be {}, not {}",
                          either(std::vector<std::string>(names.begin(), names.end())), shown),
              path);
}

tl::unexpected<Error> unfit(const std::string& message, const std::string& path) {
  return fail(ErrorCode::kInvalidArgument, message, path);
}

Status read_whole(const Tree& tree, const FieldType& type, const Limits& limits, void* value,
                  const std::string& path) {
  constexpr double kMost = 9007199254740992.0;  // whole doubles up to it are exact
  const double number = tree.is_number() ? tree.get<double>() : std::nan("");
  const bool is_exact = tree.is_number_integer() || std::fabs(number) <= kMost;
  if (number == std::floor(number) && is_exact && number >= limits.low && number <= limits.high &&
      type.set_whole(value, tree.get<std::int64_t>())) {
    return {};
  }
  return mistyped(limits.high > kMost ? "a whole number"
                                      : fmt::format("a whole number {} to {}",
                                                    static_cast<std::int64_t>(limits.low),
                                                    static_cast<std::int64_t>(limits.high)),
                  tree, path);
}

Status read_number(const Tree& tree, const Limits& limits, double& value, const std::string& path) {
  if (tree == "inf" || tree == "-inf") {
    value = tree == "inf" ? HUGE_VAL : -HUGE_VAL;
  } else if (tree.is_number()) {
    value = tree.get<double>();
  } else {
    return mistyped("a number", tree, path);
  }
  if (value >= limits.low && value <= limits.high) return {};
  if (limits.high == kFinite.high) return unfit("must be a finite number", path);
  return unfit(fmt::format("must be a number from {} to {}, not {}", number_text(limits.low),
                           number_text(limits.high), number_text(value)),
               path);
}

Status read_text(const Tree& tree, const Limits& limits, std::string& value,
                 const std::string& path) {
  if (!tree.is_string()) return mistyped("a text", tree, path);
  value = tree.get<std::string>();
  if (limits.least > 0 && value.empty()) return unfit("must not be empty", path);
  const auto names = limits.names;
  if (names.empty() || contains(names, value)) return {};
  return no_choice(names, tree, path);
}

// A text of digits. A number is read too, since older files have one.
Status read_seed(const Tree& tree, std::uint64_t& seed, const std::string& path) {
  const std::string text = tree.is_number_unsigned() ? tree.dump()
                           : tree.is_string()        ? tree.get<std::string>()
                                                     : "";
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seed);
  if (!text.empty() && rest == end && error == std::errc()) return {};
  return mistyped("a text of the digits of a 64-bit number", tree, path);
}

Status read_value(const Tree& tree, const FieldType& type, const Limits& limits, void* value,
                  const std::string& path);

Status read_list(const Tree& tree, const FieldType& type, const Limits& limits, void* value,
                 const std::string& path) {
  if (!tree.is_array()) return mistyped("a list", tree, path);
  if (tree.size() < limits.least) {
    return unfit(fmt::format(fmt::runtime(limits.too_few), limits.least, limits.most, tree.size()),
                 path);
  }
  if (tree.size() > limits.most) {
    return fail(ErrorCode::kLimit,
                fmt::format("must have at most {} entries, not {}", limits.most, tree.size()),
                path);
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    ASSAY_TRY(read_value(tree[i], *type.item, limits, type.add(value),
                         within_text(path, std::to_string(i))));
  }
  return {};
}

Status read_value(const Tree& tree, const FieldType& type, const Limits& limits, void* value,
                  const std::string& path) {
  switch (type.kind) {
    case Kind::kBoolean:
      if (!tree.is_boolean()) return mistyped("true or false", tree, path);
      *static_cast<bool*>(value) = tree.get<bool>();
      return {};
    case Kind::kWhole:
      return read_whole(tree, type, limits, value, path);
    case Kind::kNumber:
      return read_number(tree, limits, *static_cast<double*>(value), path);
    case Kind::kText:
      return read_text(tree, limits, *static_cast<std::string*>(value), path);
    case Kind::kSeed:
      return read_seed(tree, *static_cast<std::uint64_t*>(value), path);
    case Kind::kChoice:
      if (tree.is_string() && read_choice(*type.choices, tree.get<std::string>(), value)) return {};
      return no_choice(type.choices->names, tree, path);
    case Kind::kList:
      return read_list(tree, type, limits, value, path);
    case Kind::kOptional:
      if (tree.is_null()) return {};
      return read_value(tree, *type.item, limits, type.add(value), path);
    case Kind::kRecord:
      return read_fields(tree, type, value, path);
    case Kind::kSettings:
    case Kind::kJson:
    case Kind::kVariant:
      break;
  }
  return fail(ErrorCode::kInternal, "is written, and not read", path);
}

// Keeps the first fault. An unknown key comes before a missing one, since it may be a misspelling of it.
class ReadVisitor final : public FieldVisitor {
 public:
  ReadVisitor(const Tree& tree, const std::string& path) { enter(&tree, path); }

  Status finished() {
    end();
    return std::move(status_);
  }

  void field(const FieldTerms& terms, const FieldType& type, const void* value) override {
    const Tree* tree = member(terms.name, terms.presence != Presence::kAbsentIfDefault);
    if (tree == nullptr || value == nullptr) return;
    if (terms.presence == Presence::kNullIfEmpty && tree->is_null()) return;
    status_ = read_value(*tree, type, terms.limits, const_cast<void*>(value), path_to(terms.name));
  }
  void constant(std::string_view name, std::string_view text, std::string_view) override {
    const Tree* tree = member(name, true);
    if (tree == nullptr || *tree == text) return;
    status_ = fail(ErrorCode::kParse, fmt::format("must be \"{}\"", text), path_to(name));
  }
  void begin(const FieldTerms& terms) override {
    enter(member(terms.name, true), path_to(terms.name));
  }
  void end() override {
    const Level level = std::move(open_.back());
    open_.pop_back();
    if (!status_ || level.tree == nullptr) return;
    for (const auto& item : level.tree->items()) {
      if (contains(level.names, item.key())) {
        continue;
      }
      status_ =
          fail(ErrorCode::kUnknownKey, "is unknown here" + nearest_hint(item.key(), level.names),
               within_text(level.path, escaped_pointer(item.key())));
      return;
    }
    if (level.missing) status_ = fail(ErrorCode::kParse, "is missing", *level.missing);
  }

 private:
  struct Level {
    const Tree* tree;  // null if nothing is read here
    std::string path;
    std::vector<std::string> names;
    std::optional<std::string> missing;
  };

  void enter(const Tree* tree, const std::string& path) {
    if (tree != nullptr && !tree->is_object()) {
      status_ = mistyped("an object", *tree, path);
      tree = nullptr;
    }
    open_.push_back({tree, path, {}, {}});
  }
  std::string path_to(std::string_view name) const { return within_text(open_.back().path, name); }
  // Null after a fault too.
  const Tree* member(std::string_view name, bool is_required) {
    Level& level = open_.back();
    level.names.emplace_back(name);
    if (!status_ || level.tree == nullptr) return nullptr;
    const auto found = level.tree->find(level.names.back());
    if (found != level.tree->end()) return &*found;
    if (is_required && !level.missing) level.missing = path_to(name);
    return nullptr;
  }

  Status status_;
  std::vector<Level> open_;
};

}  // namespace

std::string escaped_pointer(std::string key) {
  for (std::size_t at = 0; (at = key.find_first_of("~/", at)) != std::string::npos; at += 2) {
    key.replace(at, 1, key[at] == '~' ? "~0" : "~1");
  }
  return plain_text(key);
}

tl::unexpected<Error> mistyped(const std::string& wanted, const Tree& value,
                               const std::string& path) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("must be {}, not {}", wanted, type_text(value)), path);
}

Result<Tree> parse_json(std::string_view text) {
  Scan scan(text);
  if (!Tree::sax_parse(text, &scan)) return tl::make_unexpected(scan.error());
  return Tree::parse(text);
}

Status read_fields(const Tree& tree, const FieldType& type, void* record, const std::string& path) {
  ReadVisitor reader(tree, path);
  type.visit(record, Fields(reader));
  return reader.finished();
}

}  // namespace assay::detail
