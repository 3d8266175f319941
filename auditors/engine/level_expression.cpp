#include "assay/auditors/engine/level_expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr int kDeepest = 100;

struct Function {
  std::string_view name;
  std::size_t arguments;
};
constexpr std::array<Function, 5> kFunctions = {
    {{"sqrt", 1}, {"log", 1}, {"exp", 1}, {"min", 2}, {"max", 2}}};

const Function* find_function(std::string_view name) {
  const auto* found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                   [&](const Function& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : found;
}

// Written out because the C library's depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
char printable(char c) { return c >= ' ' && c <= '~' ? c : '?'; }

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

class Parser {
 public:
  explicit Parser(TextCursor& cursor) : cursor_(cursor) {}

  Result<Expression> sum() { return chain("+-", &Parser::product); }

 private:
  using Level = Result<Expression> (Parser::*)();

  static Expression::Kind kind_of(char symbol) {
    switch (symbol) {
      case '+':
        return Expression::Kind::kAdd;
      case '-':
        return Expression::Kind::kSubtract;
      case '*':
        return Expression::Kind::kMultiply;
      case '/':
        return Expression::Kind::kDivide;
      default:
        return Expression::Kind::kPower;
    }
  }

  // operand { symbol operand }, grouped from the left.
  Result<Expression> chain(std::string_view symbols, Level operand) {
    auto left = (this->*operand)();
    while (left) {
      if (cursor_.at_end()) return left;
      const char next = cursor_.text()[cursor_.position()];
      if (symbols.find(next) == std::string_view::npos) return left;
      left = binary(kind_of(next), std::move(*left), operand);
    }
    return left;
  }

  // Steps over the operator and reads its right operand.
  Result<Expression> binary(Expression::Kind kind, Expression left, Level operand) {
    Expression node;
    node.kind = kind;
    node.position = cursor_.position();
    cursor_.take(cursor_.text()[node.position]);
    auto right = (this->*operand)();
    if (!right) return right;
    node.operands.push_back(std::move(left));
    node.operands.push_back(std::move(*right));
    return node;
  }

  Result<Expression> product() { return chain("*/", &Parser::sign); }

  Result<Expression> sign() {
    if (++depth_ > kDeepest) {
      return fail_at(cursor_.text(), cursor_.position(), ErrorCode::kLimit,
                     "more than " + std::to_string(kDeepest) + " levels of nesting");
    }
    auto result = signed_power();
    --depth_;
    return result;
  }

  Result<Expression> signed_power() {
    if (cursor_.take('+')) return sign();
    if (!cursor_.is_next('-')) return power();
    Expression node;
    node.kind = Expression::Kind::kNegate;
    node.position = cursor_.position();
    cursor_.take('-');
    auto operand = sign();
    if (!operand) return operand;
    node.operands.push_back(std::move(*operand));
    return node;
  }

  Result<Expression> power() {
    auto base = atom();
    if (!base || !cursor_.is_next('^')) return base;
    return binary(Expression::Kind::kPower, std::move(*base), &Parser::sign);
  }

  Result<Expression> atom() {
    if (cursor_.take('(')) {
      auto inner = sum();
      if (inner && !cursor_.take(')')) return expected("')'");
      return inner;
    }
    Expression node;
    const bool at_end = cursor_.at_end();  // steps over spaces
    node.position = cursor_.position();
    const char next = at_end ? '\0' : cursor_.text()[node.position];
    if (is_digit(next) || next == '.') {
      auto number = ASSAY_TRY(cursor_.take_number());
      node.number = number;
      return node;
    }
    node.name = std::string(cursor_.take_name());
    if (node.name.empty()) return expected("a number, a name or '('");
    if (cursor_.is_next('(')) return call(std::move(node));
    if (find_function(node.name) != nullptr) {
      return fail_at(cursor_.text(), node.position, ErrorCode::kParse,
                     quoted(node.name) + " is a function: write " + node.name + "(...)");
    }
    node.kind = Expression::Kind::kName;
    return node;
  }

  Result<Expression> call(Expression node) {
    const Function* function = find_function(node.name);
    if (function == nullptr) {
      std::vector<std::string> known;
      for (const Function& f : kFunctions) known.emplace_back(f.name);
      return fail_at(cursor_.text(), node.position, ErrorCode::kUnknownKey,
                     quoted(node.name) + " is not a function" + nearest_hint(node.name, known));
    }
    node.kind = Expression::Kind::kCall;
    cursor_.take('(');
    do {
      auto argument = sum();
      if (!argument) return argument;
      node.operands.push_back(std::move(*argument));
    } while (cursor_.take(','));
    if (!cursor_.take(')')) return expected("',' or ')'");
    if (node.operands.size() != function->arguments) {
      return fail_at(cursor_.text(), node.position, ErrorCode::kParse,
                     node.name + " takes " + std::to_string(function->arguments) +
                         (function->arguments == 1 ? " argument" : " arguments") + ", not " +
                         std::to_string(node.operands.size()));
    }
    return node;
  }

  tl::unexpected<Error> expected(const std::string& what) {
    const std::string found = cursor_.next_text();  // steps over spaces
    return fail_at(cursor_.text(), cursor_.position(), ErrorCode::kParse,
                   "expected " + what + ", not " + found);
  }

  TextCursor& cursor_;
  int depth_ = 0;
};

// x^n by squaring, n >= 0.
double whole_power(double x, int n) {
  double result = 1.0;
  for (; n > 0; n /= 2, x *= x) {
    if (n % 2 == 1) result *= x;
  }
  return result;
}

// x^y for x and y with a real power; x = 0 only with y >= 0.
double real_power(double x, double y) {
  const bool whole = y == std::floor(y);
  if (whole && std::fabs(y) <= 1024.0) {
    const double size = whole_power(x, static_cast<int>(std::fabs(y)));
    return y < 0.0 ? 1.0 / size : size;
  }
  if (x == 0.0) return 0.0;
  const double size = portable_exp(y * portable_log(std::fabs(x)));
  return x < 0.0 && std::fmod(y, 2.0) != 0.0 ? -size : size;
}

struct Evaluator {
  const std::vector<Variable>& variables;
  std::string_view text;

  using Kind = Expression::Kind;

  tl::unexpected<Error> refuse(const Expression& node, const std::string& why) const {
    constexpr std::size_t kLongest = 60;
    std::string what = to_text(node);
    if (what.size() > kLongest) what = what.substr(0, kLongest) + "...";
    return fail_at(text, node.position, ErrorCode::kInvalidArgument, what + " " + why);
  }

  Result<double> value(const Expression& node) const {
    if (node.kind == Kind::kNumber) return node.number;
    if (node.kind == Kind::kName) return variable(node);
    std::array<double, 2> x{};
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const auto operand = value(node.operands[i]);
      if (!operand) return operand;
      x[i] = *operand;
    }
    if (const std::string why = undefined(node, x[0], x[1]); !why.empty()) {
      return refuse(node, why);
    }
    const double result = apply(node, x[0], x[1]);
    if (!std::isfinite(result)) return refuse(node, "is too large for a number");
    if (result == 0.0 && underflows(node, x[0], x[1])) {
      return refuse(node, "is too small for a number, and not 0");
    }
    return result;
  }

  Result<double> variable(const Expression& node) const {
    std::vector<std::string> known;
    for (const Variable& candidate : variables) {
      if (candidate.name == node.name || candidate.symbol == node.name) return candidate.value;
      known.push_back(candidate.name);
      if (!candidate.symbol.empty()) known.push_back(candidate.symbol);
    }
    return fail_at(text, node.position, ErrorCode::kUnknownKey,
                   "unknown name " + quoted(node.name) + nearest_hint(node.name, known));
  }

  // The reason why the operation has no value; empty if it has one.
  static std::string undefined(const Expression& node, double x, double y) {
    if (node.kind == Kind::kDivide && y == 0.0) return "is a division by zero";
    if (node.kind == Kind::kPower && x == 0.0 && y < 0.0) return "is a division by zero";
    if (node.kind == Kind::kPower && x < 0.0 && y != std::floor(y)) {
      return "is a fractional power of a negative number";
    }
    if (node.name == "sqrt" && x < 0.0) return "is the square root of a negative number";
    if (node.name == "log" && x == 0.0) return "is the log of 0";
    if (node.name == "log" && x < 0.0) return "is the log of a negative number";
    return {};
  }

  // Whether a result of 0 is only the rounding of a value that is not 0.
  static bool underflows(const Expression& node, double x, double y) {
    switch (node.kind) {
      case Kind::kMultiply:
        return x != 0.0 && y != 0.0;
      case Kind::kDivide:
      case Kind::kPower:
        return x != 0.0;
      case Kind::kCall:
        return node.name == "exp";
      default:
        return false;
    }
  }

  static double apply(const Expression& node, double x, double y) {
    switch (node.kind) {
      case Kind::kNegate:
        return -x;
      case Kind::kAdd:
        return x + y;
      case Kind::kSubtract:
        return x - y;
      case Kind::kMultiply:
        return x * y;
      case Kind::kDivide:
        return x / y;
      case Kind::kPower:
        return real_power(x, y);
      default:
        return call(node.name, x, y);
    }
  }

  static double call(const std::string& name, double x, double y) {
    if (name == "sqrt") return std::sqrt(x);
    if (name == "log") return portable_log(x);
    if (name == "exp") return portable_exp(x);
    return name == "min" ? std::min(x, y) : std::max(x, y);
  }
};

std::string binary_text(const Expression& node, const char* symbol) {
  return "(" + to_text(node.operands[0]) + " " + symbol + " " + to_text(node.operands[1]) + ")";
}

std::string call_text(const Expression& node) {
  return node.name + "(" +
         joined(node.operands, [](const Expression& one) { return to_text(one); }) + ")";
}

}  // namespace

void TextCursor::skip_spaces() {
  while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) {
    ++position_;
  }
}

bool TextCursor::at_end() {
  skip_spaces();
  return position_ == text_.size();
}

bool TextCursor::is_next(char symbol) { return !at_end() && text_[position_] == symbol; }

bool TextCursor::take(char symbol) {
  if (!is_next(symbol)) return false;
  ++position_;
  return true;
}

std::string_view TextCursor::take_name() {
  if (at_end() || !is_name_start(text_[position_])) return {};
  const std::size_t start = position_;
  while (position_ < text_.size() && is_name_part(text_[position_])) ++position_;
  return text_.substr(start, position_ - start);
}

Result<double> TextCursor::take_number() {
  skip_spaces();
  double value = 0.0;
  const char* start = text_.data() + position_;
  const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) {
    return fail_at(text_, position_, ErrorCode::kParse,
                   std::string(start, end) + " is too large or too small for a number");
  }
  if (error != std::errc{}) {
    return fail_at(text_, position_, ErrorCode::kParse, "expected a number, not " + next_text());
  }
  position_ += static_cast<std::size_t>(end - start);
  return value;
}

std::string TextCursor::next_text() {
  if (at_end()) return "the end";
  const std::size_t start = position_;
  const std::string_view name = take_name();
  position_ = start;
  return name.empty() ? quoted(std::string(1, printable(text_[start]))) : quoted(name);
}

tl::unexpected<Error> fail_at(std::string_view text, std::size_t position, ErrorCode code,
                              const std::string& message) {
  constexpr std::size_t kBefore = 50;
  constexpr std::size_t kShown = 76;
  const std::size_t start = position > kBefore ? position - kBefore : 0;
  std::string line(text.substr(start, kShown));
  std::transform(line.begin(), line.end(), line.begin(), printable);
  const std::string caret = std::string(position - start, ' ') + "^";
  return fail(
      code,
      message + " (character " + std::to_string(position + 1) + ")\n    " + line + "\n    " + caret,
      "/claim");
}

Result<Expression> parse_expression(TextCursor& cursor) { return Parser(cursor).sum(); }

Result<double> evaluate(const Expression& expression, const std::vector<Variable>& variables,
                        std::string_view text) {
  return Evaluator{variables, text}.value(expression);
}

std::string to_text(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::kNumber:
      return number_text(expression.number);
    case Expression::Kind::kName:
      return expression.name;
    case Expression::Kind::kNegate:
      return "(-" + to_text(expression.operands[0]) + ")";
    case Expression::Kind::kAdd:
      return binary_text(expression, "+");
    case Expression::Kind::kSubtract:
      return binary_text(expression, "-");
    case Expression::Kind::kMultiply:
      return binary_text(expression, "*");
    case Expression::Kind::kDivide:
      return binary_text(expression, "/");
    case Expression::Kind::kPower:
      return binary_text(expression, "^");
    case Expression::Kind::kCall:
      return call_text(expression);
  }
  return {};
}

}  // namespace assay
