#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/mechanisms/core/result.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace assay {
namespace {

constexpr std::size_t kLongest = 1000;
constexpr std::string_view kForms =
    "a claim is written as eps=1, as eps=1,delta=1e-6, or as mu=sqrt(T/2)";

enum Key : std::size_t { kEps, kDelta, kMu, kKeys };
constexpr std::array<std::string_view, kKeys> kKeyNames = {"eps", "delta", "mu"};

// One "key = value", its place in the text, and its value.
struct Item {
  std::size_t position = 0;
  double value = 0.0;
};
using Items = std::array<std::optional<Item>, kKeys>;

std::optional<Key> find_key(std::string_view name) {
  if (name == "epsilon") return kEps;
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (kKeyNames[i] == name) return static_cast<Key>(i);
  }
  return std::nullopt;
}

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

Result<Key> read_key(TextCursor& cursor) {
  const std::string found = cursor.next_text();  // steps over spaces
  const std::size_t start = cursor.position();
  const std::string_view name = cursor.take_name();
  if (name.empty()) {
    return fail_at(cursor.text(), start, ErrorCode::kParse,
                   "expected eps, delta or mu, not " + found + "; " + std::string(kForms));
  }
  const auto key = find_key(name);
  if (!key) {
    return fail_at(
        cursor.text(), start, ErrorCode::kUnknownKey,
        "a claim has no " + quoted(name) + nearest_hint(name, {"eps", "epsilon", "delta", "mu"}));
  }
  if (!cursor.take('=')) {
    const std::string next = cursor.next_text();
    return fail_at(cursor.text(), cursor.position(), ErrorCode::kParse,
                   "expected '=' after " + std::string(name) + ", not " + next);
  }
  return *key;
}

// The range of every quantity.
Status check_value(Key key, const Item& item, std::string_view text) {
  const bool fits = item.value >= 0.0 && (key != kDelta || item.value < 1.0);
  if (fits) return {};
  return fail_at(text, item.position, ErrorCode::kInvalidArgument,
                 std::string(kKeyNames[key]) +
                     (key == kDelta ? " must be in [0, 1)" : " must be at least 0") + ", not " +
                     number_text(item.value));
}

Status read_item(TextCursor& cursor, const std::vector<Variable>& variables, Items& items) {
  cursor.at_end();  // steps over spaces
  Item item;
  item.position = cursor.position();
  const auto key = ASSAY_TRY(read_key(cursor));
  if (items[key]) {
    return fail_at(cursor.text(), item.position, ErrorCode::kInvalidArgument,
                   std::string(kKeyNames[key]) + " is given twice");
  }
  const auto expression = ASSAY_TRY(parse_expression(cursor));
  const auto value = ASSAY_TRY(evaluate(expression, variables, cursor.text()));
  item.value = value == 0.0 ? 0.0 : value;  // -0 is 0
  items[key] = item;
  return check_value(key, item, cursor.text());
}

Result<Items> read_items(std::string_view text, const std::vector<Variable>& variables) {
  TextCursor cursor(text);
  Items items;
  do {
    ASSAY_TRY(read_item(cursor, variables, items));
  } while (cursor.take(','));
  if (!cursor.at_end()) {
    const std::string next = cursor.next_text();
    return fail_at(text, cursor.position(), ErrorCode::kParse,
                   "expected an operator, ',' or the end of the claim, not " + next);
  }
  return items;
}

Result<PrivacyLevel> level_of(const Items& items, std::string_view text) {
  const auto& [eps, delta, mu] = items;
  if (mu && (eps || delta)) {
    const Key other = eps ? kEps : kDelta;
    return fail_at(text, items[other]->position, ErrorCode::kInvalidArgument,
                   "mu and " + std::string(kKeyNames[other]) +
                       " exclude each other: mu alone sets delta at every eps");
  }
  if (mu) return PrivacyLevel{GaussianDp{Mu{mu->value}}};
  if (!eps) {
    return fail_at(
        text, delta->position, ErrorCode::kInvalidArgument,
        "delta needs an eps beside it, because delta alone says nothing; " + std::string(kForms));
  }
  if (!delta || delta->value == 0.0) return PrivacyLevel{PureDp{Epsilon{eps->value}}};
  return PrivacyLevel{ApproximateDp{Epsilon{eps->value}, Delta{delta->value}}};
}

}  // namespace

Result<PrivacyLevel> parse_claim(std::string_view text, const std::vector<Variable>& variables) {
  if (text.size() > kLongest) {
    return fail(ErrorCode::kLimit,
                "a claim has at most " + std::to_string(kLongest) + " characters, not " +
                    std::to_string(text.size()),
                "/claim");
  }
  if (TextCursor(text).at_end()) {
    return fail(ErrorCode::kParse, "the claim is empty; " + std::string(kForms), "/claim");
  }
  const auto items = ASSAY_TRY(read_items(text, variables));
  return level_of(items, text);
}

}  // namespace assay
