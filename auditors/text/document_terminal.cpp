#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay::doc {
namespace {

using detail::broken_command;
using detail::fill;
using detail::kKeyWidth;
using detail::shown_width;
using detail::words_of;

constexpr std::size_t kLeastBehind = 24;  // columns that a cell needs to be behind the others
constexpr std::size_t kMarginBelow = 6;   // of a cell below the others

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string spaces(std::size_t count) { return std::string(count, ' '); }

class TerminalWriter {
 public:
  explicit TerminalWriter(TextStyle style)
      : color_(style.color),
        shown_(kTerminal | (style.full ? kFull : 0)),
        width_(static_cast<std::size_t>(std::max(style.width, 60))) {}

  std::string write(const Document& document) {
    std::string out;
    bool after_heading = true;
    write(document, out, after_heading);
    // No-break spaces are not needed any more once lines are filled.
    return replaced(std::move(out), "\xC2\xA0", " ");
  }

 private:
  void write(const Document& document, std::string& out, bool& after_heading) {
    for (const Block& block : document.blocks) {
      if ((block.media & shown_) == 0) continue;
      if (const auto* group = std::get_if<Group>(&block.content);
          group != nullptr && group->kind != GroupKind::kFirstThatFits) {
        for (const Document& part : group->parts) write(part, out, after_heading);
        continue;
      }
      const std::string text =
          std::visit([this](const auto& content) { return this->shown(content); }, block.content);
      if (text.empty()) continue;
      if (!after_heading && !block.close) out += "\n";
      out += text;
      after_heading = std::holds_alternative<Heading>(block.content);
    }
  }

  // ---- words ------------------------------------------------------------------------------------

  std::string painted(const std::string& text, Paint paint) const {
    return color_ ? detail::painted(text, paint) : text;
  }

  // Paints word by word, since lines are filled from words and no colour may run over a line's end. If whole lines
  // are painted, their words are not.
  std::string words(const Text& text, Paint whole) const {
    std::string out;
    for (const Span& span : text.spans) {
      if ((span.media & kTerminal) == 0) continue;
      const bool is_strong = span.kind == SpanKind::kStrong && span.paint == Paint::kNone;
      const Paint paint = whole != Paint::kNone ? Paint::kNone
                          : is_strong           ? Paint::kBold
                                                : span.paint;
      const std::string plain = replaced(plain_text(span.text), kEquals, "=");
      for (std::size_t at = 0; at < plain.size();) {
        const std::size_t end = std::min(plain.find(' ', at), plain.size());
        out += painted(plain.substr(at, end - at), paint);
        at = std::min(plain.find_first_not_of(' ', end), plain.size());
        out += plain.substr(end, at - end);
      }
    }
    return out;
  }

  std::string plain(const Text& text) const { return words(text, Paint::kBold); }

  // Fills the text behind the lead, under its own beginning, or below the lead if there is little room.
  std::string hanging(std::string lead, const Text& text, Paint paint = Paint::kNone) const {
    std::string out;
    std::size_t margin = shown_width(lead);
    if (margin + kLeastBehind > width_) {
      out = trimmed(lead, paint);
      margin = kMarginBelow;
      lead = spaces(margin);
    }
    for (const std::string& part : fill(words_of(words(text, paint)), width_ - margin)) {
      out += painted(lead + part, paint) + "\n";
      lead = spaces(margin);
    }
    return out;
  }

  std::string trimmed(std::string line, Paint paint) const {
    line.erase(line.find_last_not_of(' ') + 1);
    return painted(line, paint) + "\n";
  }

  // ---- blocks -----------------------------------------------------------------------------------

  std::string shown(const Heading& heading) const {
    const std::string text = plain(heading.text), aside = plain_text(heading.aside);
    std::string out = painted(text, Paint::kBold);
    if (!aside.empty()) {
      const bool fits = column_count(text) + 2 + column_count(aside) <= width_;
      out += (fits ? "  " : "\n  ") + painted(aside, Paint::kDim);
    }
    return out + "\n";
  }

  std::string shown(const Paragraph& paragraph) const {
    return plain(paragraph.text).empty() ? ""
                                         : hanging(paragraph.lead, paragraph.text, paragraph.paint);
  }

  std::string shown(const Facts& facts) const {
    std::string out;
    for (const Fact& fact : facts.facts) {
      if (plain(fact.value).empty()) continue;
      const std::string key = plain_text(fact.key);
      const std::size_t used = column_count(key);
      const std::size_t width = facts.width == 0 ? used + 2 : std::max(facts.width, used + 1);
      if (facts.paint == Paint::kNone) {
        out += hanging(spaces(facts.indent) + key + spaces(width - used), fact.value, fact.paint);
      } else {
        const Paint paint = fact.paint == Paint::kNone ? facts.paint : fact.paint;
        out +=
            hanging(spaces(facts.indent) + painted(key, paint) + spaces(width - used), fact.value);
      }
      if (!fact.note.empty()) {
        out += hanging(spaces(facts.indent + width), fact.note, Paint::kDim);
      }
    }
    return out;
  }

  std::string shown(const List& list) const {
    std::string out;
    for (const Text& item : list.items) {
      if (!plain(item).empty()) out += hanging(list.lead, item);
    }
    return out;
  }

  static std::string shown(const Lines& lines) {
    std::string out;
    for (const std::string& line : lines_of(lines)) out += "  " + line + "\n";
    return out;
  }

  std::string shown(const Command& command) const {
    if (command.command.empty()) return "";
    return painted(command.label, Paint::kBold) + spaces(kKeyWidth - command.label.size()) +
           broken_command(plain_text(command.command), width_ - kKeyWidth - 4, kKeyWidth + 2) +
           "\n";
  }

  // "Verdict     Violated: on the worst pair found"
  std::string shown(const Tiles& tiles) const {
    if (!tiles.in_terminal) return "";
    Facts facts;
    for (const Tile& tile : tiles.tiles) {
      facts.add(tile.label, tile.caption.empty() ? tile.value : tile.value + ": " + tile.caption);
    }
    return shown(facts);
  }

  static std::string shown(const Drawn&) { return ""; }
  static std::string shown(const DrawnGrid&) { return ""; }

  // The first part that fits the width, or else the last.
  std::string shown(const Group& group) const {
    std::string out;
    for (const Document& part : group.parts) {
      out = TerminalWriter(*this).write(part);
      bool fits = true;
      for (std::size_t at = 0, end; at < out.size(); at = end + 1) {
        end = out.find('\n', at);
        fits = fits && shown_width(out.substr(at, end - at)) <= width_;
      }
      if (fits) break;
    }
    return out;
  }

  // ---- tables -----------------------------------------------------------------------------------

  std::string shown(const Table& table) const {
    std::vector<std::size_t> columns, widths;  // of the columns that are shown
    std::vector<Row> rows{{{}}};               // the names, then the rows
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      rows[0].cells.push_back(column.name);
      if ((column.media & kTerminal) == 0) continue;
      columns.push_back(i);
      widths.push_back(column.least);
    }
    std::copy_if(table.rows.begin(), table.rows.end(), std::back_inserter(rows),
                 [](const Row& row) { return (row.media & kTerminal) != 0; });
    if (rows.size() == 1) return "";
    std::size_t total = table.indent;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (const Row& row : rows) {
        const bool is_column = columns[k] + (is_short(table, row) ? 1 : 0) < row.cells.size();
        if (is_column) widths[k] = std::max(widths[k], shown_width(plain(row.cells[columns[k]])));
      }
      total += widths[k] + (k > 0 ? table.gap : 0);
    }
    if (table.wide) widths[0] = width_ - std::min(width_, total - widths[0]);
    const bool named = std::any_of(columns.begin(), columns.end(), [&](std::size_t i) {
      return !plain(table.columns[i].name).empty();
    });
    std::string out = named ? row_text(table, columns, widths, rows[0], Paint::kDim) : "";
    for (std::size_t i = 1; i < rows.size(); ++i) {
      out += row_text(table, columns, widths, rows[i], Paint::kNone);
      if ((shown_ & kFull) == 0) continue;
      for (const auto& [lead, note] : rows[i].notes) out += hanging(lead, note, Paint::kDim);
    }
    return out;
  }

  static bool is_short(const Table& table, const Row& row) {
    return row.cells.size() < table.columns.size();
  }

  std::string row_text(const Table& table, const std::vector<std::size_t>& columns,
                       const std::vector<std::size_t>& widths, const Row& row, Paint paint) const {
    std::string out, line = spaces(table.indent);
    const std::size_t last = is_short(table, row) ? row.cells.size() - 1 : columns.back();
    for (std::size_t k = 0; k < columns.size() && columns[k] <= last; ++k) {
      const Text& cell = row.cells[columns[k]];
      const bool takes_rest = columns[k] == last && (table.wraps || is_short(table, row));
      if (takes_rest) return out + hanging(line, cell, paint);
      std::string text = words(cell, paint);
      // A label that does not fit beside its numbers is written above them.
      if (table.wide && k == 0 && shown_width(text) > widths[k]) {
        out += painted(line + std::exchange(text, ""), paint) + "\n";
      }
      const std::string padding = spaces(widths[k] - std::min(widths[k], shown_width(text)));
      line += table.columns[columns[k]].number ? padding + text : text + padding;
      line += spaces(table.gap);
    }
    return out + trimmed(line, paint);
  }

  bool color_;
  Media shown_;
  std::size_t width_;
};

}  // namespace

std::string to_terminal(const Document& document, TextStyle style) {
  return TerminalWriter(style).write(document);
}

}  // namespace assay::doc
