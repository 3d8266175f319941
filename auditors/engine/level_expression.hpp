// Arithmetic in the text of a claim: sqrt(T/2), 2*log(1/1e-6), min(b + 1, N)^2.
//
//   sum     = product { ("+" | "-") product }
//   product = sign { ("*" | "/") sign }
//   sign    = { "-" | "+" } power                  -2^2 is -4
//   power   = atom [ "^" sign ]                    2^3^2 is 2^9, 2^-1 is 1/2
//   atom    = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
// Functions: sqrt, log (natural), exp of one argument, min and max of two. Names are the parameters
// of the audit case, or their symbols in the paper.
//
// Errors point at the character. Arithmetic never leaves the finite numbers: a division by zero, a
// log of 0, an overflow, and a result that is too small for a double are errors, because a value that
// silently became 0 or infinity would change the claim. Results are bit-identical on every machine. A power with a
// fractional exponent has relative error at most 2e-13, x^n for an integer n at most (|n| + 1) 2^-53,
// and every other operation at most an ulp.
//
// Threads: pure functions. Cost: microseconds. Long chains recurse, so callers bound the length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

// A parameter of the case, as a variable of a claim.
struct Variable {
  std::string name;    // "horizon"
  std::string symbol;  // "T"; empty for none
  double value = 0.0;
};

// A position in a text, which moves forward. Spaces and tabs separate tokens.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
  std::size_t position() const { return position_; }
  bool at_end();                 // whether nothing but spaces is left
  bool take(char symbol);        // steps over the symbol if it is next
  bool is_next(char symbol);     // whether it is next
  std::string_view take_name();  // [A-Za-z_][A-Za-z0-9_]*, or empty if no name is next
  Result<double> take_number();  // unsigned and finite
  std::string next_text();       // the next token, for messages: "')'", "the end"

 private:
  void skip_spaces();
  std::string_view text_;
  std::size_t position_ = 0;
};

// An error with the text on the next line and a caret under the character.
tl::unexpected<Error> fail_at(std::string_view text, std::size_t position, ErrorCode code,
                              const std::string& message);

struct Expression {
  enum class Kind { kNumber, kName, kNegate, kAdd, kSubtract, kMultiply, kDivide, kPower, kCall };
  Kind kind = Kind::kNumber;
  double number = 0.0;               // kNumber
  std::string name;                  // kName and kCall
  std::vector<Expression> operands;  // one for kNegate, two for the operators
  std::size_t position = 0;          // of its operator or first character in the text
};

// Reads one sum and leaves the cursor after it.
// Errors: kParse; kLimit for nesting deeper than 100.
Result<Expression> parse_expression(TextCursor& cursor);

// `text` is the source of the expression. Errors: kUnknownKey with the nearest name; kInvalidArgument for a
// value that no finite double holds.
Result<double> evaluate(const Expression& expression, const std::vector<Variable>& variables,
                        std::string_view text);

// The expression as a text with all parentheses. Parsing that text gives the same expression.
std::string to_text(const Expression& expression);

}  // namespace assay
