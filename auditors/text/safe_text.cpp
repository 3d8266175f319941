#include "assay/auditors/text/safe_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace assay {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_continuation(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xC0U) == 0x80U;
}

// Length of the valid UTF-8 sequence at i, or 0. Rejects overlong forms, surrogates and code points
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

// The code point of a sequence of that length.
std::uint32_t code_point(std::string_view sequence) {
  if (sequence.size() == 1) return byte_at(sequence, 0);
  std::uint32_t code = byte_at(sequence, 0) & (0xFFU >> (sequence.size() + 1));
  for (std::size_t k = 1; k < sequence.size(); ++k)
    code = code << 6 | (byte_at(sequence, k) & 0x3FU);
  return code;
}

bool is_control(std::uint32_t code) { return code < 0x20U || (code >= 0x7FU && code < 0xA0U); }

struct CodeRange {
  std::uint32_t first, last;
};

// Invisible characters that change the order or the look of the text around them (Unicode 15, general categories
// Cf, Zl and Zp, without the visible marks of Arabic, Syriac and Kaithi numbers): soft hyphen; Arabic letter mark;
// Mongolian vowel separator; zero widths, directional marks, embeddings, overrides and isolates, line and paragraph
// separators; byte-order mark; interlinear annotation; shorthand and musical formats; tags.
constexpr std::array<CodeRange, 12> kInvisible = {{{0xAD, 0xAD},
                                                   {0x61C, 0x61C},
                                                   {0x180E, 0x180E},
                                                   {0x200B, 0x200F},
                                                   {0x2028, 0x202E},
                                                   {0x2060, 0x206F},
                                                   {0xFEFF, 0xFEFF},
                                                   {0xFFF9, 0xFFFB},
                                                   {0x13430, 0x1343F},
                                                   {0x1BCA0, 0x1BCA3},
                                                   {0x1D173, 0x1D17A},
                                                   {0xE0000, 0xE007F}}};

bool is_invisible(std::uint32_t code) {
  return std::any_of(kInvisible.begin(), kInvisible.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

// U+FFFE, U+FFFF, which XML forbids.
bool is_noncharacter(std::uint32_t code) { return code == 0xFFFEU || code == 0xFFFFU; }

// One or two.
std::vector<std::uint32_t> utf16_units(std::uint32_t code) {
  if (code < 0x10000U) return {code};
  return {0xD800U + ((code - 0x10000U) >> 10), 0xDC00U + ((code - 0x10000U) & 0x3FFU)};
}

// "U+202E", as Unicode writes it.
std::string name_of(std::uint32_t code) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "U+%04X", code);
  return text.data();
}

// Whether a command of a log begins at the second of two '#': "##[" or "##word[".
bool ends_command_mark(std::string_view text, std::size_t i) {
  if (i == 0 || text[i] != '#' || text[i - 1] != '#') return false;
  std::size_t end = i + 1;
  while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
  return end < text.size() && text[end] == '[';
}

// The place behind the blanks, of Unicode too, that a server skips.
std::size_t after_spaces(std::string_view text, std::size_t i) {
  constexpr std::array<std::string_view, 4> kBlanks = {" ", "\t", "\xC2\xA0", "\xE3\x80\x80"};
  for (;;) {
    const bool is_space = text.substr(i, 2) == "\xE2\x80" && i + 2 < text.size() &&
                          byte_at(text, i + 2) >= 0x80U && byte_at(text, i + 2) <= 0xAFU;
    const auto blank = std::find_if(kBlanks.begin(), kBlanks.end(), [&](std::string_view one) {
      return text.substr(i, one.size()) == one;
    });
    if (!is_space && blank == kBlanks.end()) return i;
    i += is_space ? 3 : blank->size();
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t i) { return sequence_length(text, i); }

std::string plain_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    const std::string_view sequence = text.substr(i, std::max<std::size_t>(length, 1));
    const std::uint32_t code = length == 0 ? 0 : code_point(sequence);
    if (length == 0 || is_noncharacter(code)) {
      out += kReplacement;
    } else if (is_control(code)) {
      out += ' ';
    } else if (is_invisible(code)) {
      out += "<" + name_of(code) + ">";
    } else {
      out += sequence;
    }
    i += sequence.size();
  }
  return out;
}

std::string without_log_commands(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t begin = after_spaces(text, 0);  // of the text of a line
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_second_colon = i == begin + 1 && text[i] == ':' && text[begin] == ':';
    if (is_second_colon || ends_command_mark(text, i)) out += ' ';
    out += text[i];
    if (text[i] == '\n' || text[i] == '\r') begin = after_spaces(text, i + 1);
  }
  return out;
}

std::string escaped_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    const std::string_view sequence =
        json.substr(i, std::max<std::size_t>(sequence_length(json, i), 1));
    const std::uint32_t code = code_point(sequence);
    if (ends_command_mark(json, i)) {
      out += "\\u0023";
    } else if (code < 0x7FU || !(is_control(code) || is_invisible(code))) {
      out += sequence;
    } else {
      for (const std::uint32_t unit : utf16_units(code)) {
        std::array<char, 8> escape{};
        std::snprintf(escape.data(), escape.size(), "\\u%04x", unit);
        out += escape.data();
      }
    }
    i += sequence.size();
  }
  return out;
}

std::string markup_text(std::string_view text) {
  const std::string plain = plain_text(text);
  std::string out;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    if (ends_command_mark(plain, i)) {
      out += "&#35;";
      continue;
    }
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

std::string parameters_text(const std::vector<KeyValue>& parameters, std::string_view equals) {
  std::string text;
  for (const auto& [key, value] : parameters) {
    if (!text.empty()) text += ", ";
    text.append(key).append(equals).append(value);
  }
  return text;
}

}  // namespace assay
