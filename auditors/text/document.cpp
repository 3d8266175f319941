#include "assay/auditors/text/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay::doc {

bool Text::empty() const {
  return std::all_of(spans.begin(), spans.end(),
                     [](const Span& span) { return span.text.empty(); });
}

Text operator+(Text first, const Text& more) { return first += more, first; }
Text& operator+=(Text& first, const Text& more) {
  first.spans.insert(first.spans.end(), more.spans.begin(), more.spans.end());
  return first;
}

Text exact(std::string text) { return Span{std::move(text), SpanKind::kExact}; }
Text code(std::string text) { return Span{std::move(text), SpanKind::kCode}; }
Text strong(std::string text, Paint paint) {
  return Span{std::move(text), SpanKind::kStrong, paint};
}
Text chip(std::string text, Paint paint) { return Span{std::move(text), SpanKind::kChip, paint}; }
Text word_link(std::string_view id, std::string text) {
  return Span{std::move(text), SpanKind::kProse, Paint::kNone, id};
}
Text drawing(std::string svg) { return only_in(kPage, Span{std::move(svg), SpanKind::kDrawing}); }
Text interval_bar(double lower, double upper, std::optional<double> allowed) {
  return drawing(bar_svg(lower, upper, allowed));
}
Text line_break() { return Span{" ", SpanKind::kBreak}; }
Text only_in(Media media, Text text) {
  for (Span& span : text.spans) span.media = media;
  return text;
}

void Document::add(Content content, Media media) { blocks.push_back({std::move(content), media}); }
void Document::add_close(Content content, Media media) {
  blocks.push_back({std::move(content), media, true});
}
void Document::heading(Text text, std::string aside, int level, Media media) {
  add(Heading{std::move(text), std::move(aside), level}, media);
}
void Document::paragraph(Text text, Media media) { add(Paragraph{std::move(text)}, media); }

void Document::reproduce(const std::string& command) {
  heading("Reproduce", "", 2, kPage);
  add(Command{command});
}

void Document::table(Text caption, const std::vector<std::string>& columns,
                     const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  constexpr std::string_view kStarts = "0123456789+-.[";
  Table table{std::move(caption), {}};
  table.indent = indent;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool number = std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
      return row[i].empty() || kStarts.find(row[i][0]) != std::string_view::npos || row[i] == "inf";
    });
    table.columns.push_back({columns[i], number});
  }
  for (const auto& row : rows) table.add({row.begin(), row.end()});
  add(std::move(table));
}

void Document::beside(std::vector<Document> parts, Media media) {
  add(Group{GroupKind::kBeside, std::move(parts)}, media);
}

void Document::folded(std::string summary, Content content) {
  add(Group{GroupKind::kFolded, {Document(std::move(content))}, std::move(summary)}, kPage);
}

void Document::append(const Document& more, Media media) {
  for (Block block : more.blocks) {
    const bool in_terminal = (block.media & kTerminal) != 0;
    block.media &= media;
    if (in_terminal) block.media |= media & kFull;
    blocks.push_back(std::move(block));
  }
}

std::vector<std::string> lines_of(const Lines& lines) {
  std::vector<std::string> out;
  for (std::string_view rest = lines.text; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    out.push_back(plain_text(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::string run_footer(const RunMeta& meta, const std::string& more) {
  return fmt::format("Assay {} ({}). Started {}; {} s on {} {}{}.", meta.version, meta.build,
                     meta.started, rounded(meta.seconds, 3), meta.threads,
                     plural(meta.threads, "thread"), more);
}

}  // namespace assay::doc
