#include "assay/auditors/report/safe_text.hpp"

#include <algorithm>
#include <cstdint>

namespace assay {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_continuation(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xC0U) == 0x80U;
}

// Length of the valid UTF-8 sequence at i, or 0. Rejects overlong forms, surrogates and what lies
// above U+10FFFF (Unicode, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const std::uint32_t lead = byte_at(text, i);
  if (lead < 0x80U) return 1;
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (!is_continuation(text, i + k)) return 0;
  }
  const std::uint32_t second = byte_at(text, i + 1);
  if (lead == 0xE0U && second < 0xA0U) return 0;
  if (lead == 0xEDU && second > 0x9FU) return 0;
  if (lead == 0xF0U && second < 0x90U) return 0;
  if (lead == 0xF4U && second > 0x8FU) return 0;
  return length;
}

// U+0000..U+001F, U+007F and U+0080..U+009F.
bool is_control(std::string_view sequence) {
  const std::uint32_t lead = byte_at(sequence, 0);
  if (sequence.size() == 1) return lead < 0x20U || lead == 0x7FU;
  return lead == 0xC2U && byte_at(sequence, 1) < 0xA0U;
}

// U+FFFE and U+FFFF, which XML forbids.
bool is_noncharacter(std::string_view sequence) {
  return sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
}

}  // namespace

std::string plain_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    const std::string_view sequence = text.substr(i, std::max<std::size_t>(length, 1));
    if (length == 0 || is_noncharacter(sequence)) {
      out += kReplacement;
    } else if (is_control(sequence)) {
      out += ' ';
    } else {
      out += sequence;
    }
    i += sequence.size();
  }
  return out;
}

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : plain_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::size_t column_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace assay
