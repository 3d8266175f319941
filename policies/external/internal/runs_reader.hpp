// Reads an answer with outputs that are all actions or all numbers: the most frequent work of a long audit. It
// accepts only the expected answer and leaves everything else to the JSON library, which also says what is wrong.
// The values are that library's, to the bit.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "assay/policies/external/target.hpp"

namespace assay::detail {

// The words of the two answers that are arrays of arrays.
struct AnswerWords {
  std::string_view type, field, item;
};
inline constexpr AnswerWords kPlays = {"plays", "outputs", "output"};
inline constexpr AnswerWords kProbabilities = {"probabilities", "probabilities", "round"};

// {"type": "plays", "id": 7, "outputs": [[0, 1, ...], ...]}, its three fields in any order; or the same with the other
// words.
class RunsReader {
 public:
  enum class Entries { kActions, kNumbers };

  RunsReader(std::int64_t id, std::int64_t count, std::int64_t width, Entries entries,
             const AnswerWords& words = kPlays)
      : id_(id), count_(count), width_(width), entries_(entries), words_(words) {}

  // Returns false for anything but the answer; then the values mean nothing.
  bool read(std::string_view line) {
    rest_ = line;
    // An entry takes at least two bytes, whatever the request.
    values_.reserve(std::min(static_cast<std::size_t>(count_ * width_), line.size() / 2));
    bool type = false, id = false, outputs = false;
    if (!take('{')) return false;
    do {
      if (!type && word("\"type\"")) {
        type = take(':') && quoted(words_.type);
        if (!type) return false;
      } else if (!id && word("\"id\"")) {
        std::int64_t value = -1;
        id = take(':') && digits(value) && value == id_;
        if (!id) return false;
      } else if (!outputs && quoted(words_.field)) {
        outputs = take(':') && read_outputs();
        if (!outputs) return false;
      } else {
        return false;
      }
    } while (take(','));
    return type && id && outputs && take('}') && at_end();
  }
  std::vector<double> values() { return std::move(values_); }

 private:
  bool read_outputs() {
    if (!take('[')) return false;
    for (std::int64_t i = 0; i < count_; ++i) {
      if ((i > 0 && !take(',')) || !take('[')) return false;
      for (std::int64_t j = 0; j < width_; ++j) {
        if ((j > 0 && !take(',')) || !read_entry()) return false;
      }
      if (!take(']')) return false;
    }
    return take(']');
  }

  bool read_entry() {
    if (entries_ == Entries::kNumbers) return read_number();
    std::int64_t action = 0;
    if (!digits(action)) return false;
    values_.push_back(static_cast<double>(action));
    return true;
  }
  // A number as JSON writes it, or the name of one that JSON does not have.
  bool read_number() {
    skip_spaces();
    if (!rest_.empty() && rest_.front() == '"') return read_name();
    std::size_t at = !rest_.empty() && rest_.front() == '-' ? 1 : 0;
    const std::size_t whole = count_digits(at);
    if (whole == 0 || (whole > 1 && rest_[at] == '0')) return false;
    at += whole;
    const bool is_integer = at == rest_.size() || (rest_[at] != '.' && (rest_[at] | 32) != 'e');
    if (at < rest_.size() && rest_[at] == '.') {
      const std::size_t fraction = count_digits(++at);
      if (fraction == 0) return false;
      at += fraction;
    }
    if (at < rest_.size() && (rest_[at] | 32) == 'e') {
      ++at;
      if (at < rest_.size() && (rest_[at] == '+' || rest_[at] == '-')) ++at;
      const std::size_t exponent = count_digits(at);
      if (exponent == 0) return false;
      at += exponent;
    }
    double value = 0.0;
    const char* end = rest_.data() + at;
    const auto [read_to, error] = std::from_chars(rest_.data(), end, value);
    if (error != std::errc() || read_to != end) return false;
    values_.push_back(is_integer && value == 0.0 ? 0.0 : value);  // an integer has no -0
    rest_.remove_prefix(at);
    return true;
  }
  bool read_name() {
    if (word("\"inf\"")) {
      values_.push_back(std::numeric_limits<double>::infinity());
    } else if (word("\"-inf\"")) {
      values_.push_back(-std::numeric_limits<double>::infinity());
    } else if (word("\"nan\"")) {
      values_.push_back(std::nan(""));
    } else {
      return false;
    }
    return true;
  }
  std::size_t count_digits(std::size_t from) const {
    std::size_t at = from;
    while (at < rest_.size() && rest_[at] >= '0' && rest_[at] <= '9') ++at;
    return at - from;
  }

  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool at_end() {
    skip_spaces();
    return rest_.empty();
  }
  bool take(char symbol) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != symbol) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view text) {
    skip_spaces();
    if (rest_.substr(0, text.size()) != text) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool quoted(std::string_view name) {
    skip_spaces();
    const std::size_t size = name.size() + 2;
    if (rest_.size() < size || rest_.front() != '"' || rest_[size - 1] != '"' ||
        rest_.substr(1, name.size()) != name) {
      return false;
    }
    rest_.remove_prefix(size);
    return true;
  }
  // A whole number of up to 15 digits without leading zeros, as JSON writes it.
  bool digits(std::int64_t& value) {
    constexpr std::size_t kMost = 15;
    skip_spaces();
    std::size_t count = 0;
    value = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') {
      if (count == kMost) return false;
      value = 10 * value + (rest_[count++] - '0');
    }
    const bool leading_zero = count > 1 && rest_.front() == '0';
    rest_.remove_prefix(count);
    // A fraction or an exponent would follow here, but then the number is not an action.
    return count > 0 && !leading_zero;
  }

  std::int64_t id_, count_, width_;
  Entries entries_;
  AnswerWords words_;
  std::string_view rest_;
  std::vector<double> values_;
};

}  // namespace assay::detail
