#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/glossary.hpp"
#include "assay/auditors/text/html_style.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay::doc {

std::string typeset(const std::string& text) {
  static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {"eps", "\xCE\xB5"},    {"delta", "\xCE\xB4"},  {"mu", "\xCE\xBC"},     {"eta", "\xCE\xB7"},
      {"->", "\xE2\x86\x92"}, {">=", "\xE2\x89\xA5"}, {"<=", "\xE2\x89\xA4"},
  };
  constexpr std::string_view kEdges = " ,;:()";
  std::string out;
  std::string word;
  for (const char c : text + " ") {
    if (kEdges.find(c) == std::string_view::npos) {
      word += c;
      continue;
    }
    for (const auto& [ascii, sign] : kSigns) {
      if (word == ascii) word = sign;
    }
    out += word + c;
    word.clear();
  }
  out.pop_back();
  return out;
}

namespace {

// The colours of verdicts.
constexpr EnumTable<Paint, std::string_view, 7> kClasses{{{Paint::kNone, ""},
                                                          {Paint::kBold, "strong"},
                                                          {Paint::kDim, "dim"},
                                                          {Paint::kRed, "violated"},
                                                          {Paint::kGreen, "verified"},
                                                          {Paint::kYellow, "inconclusive"},
                                                          {Paint::kBlue, "not-refuted"}}};

std::string element(std::string_view name, const std::string& body_markup,
                    std::string_view css = "") {
  return fmt::format("<{0}{1}>{2}</{0}>", name,
                     css.empty() ? "" : fmt::format(" class=\"{}\"", css), body_markup);
}

// An element followed by a line break.
std::string block(std::string_view name, const std::string& body_markup) {
  return element(name, body_markup) + "\n";
}

std::string prose(const std::string& text) { return markup_text(typeset(text)); }

std::string markup(const Span& span) {
  if ((span.media & kPage) == 0 || span.text.empty()) return "";
  switch (span.kind) {
    case SpanKind::kBreak:
      return "<br/>";
    case SpanKind::kDrawing:
      return span.text;
    case SpanKind::kCode:
      return element("code", markup_text(span.text));
    case SpanKind::kExact:
      return markup_text(span.text);
    case SpanKind::kStrong:
      return element("strong", prose(span.text));
    case SpanKind::kChip:
      return element("span", prose(span.text),
                     "verdict " + std::string(entry_of(kClasses, span.paint)));
    case SpanKind::kProse:
      break;
  }
  if (!span.word.empty()) {
    return fmt::format("<a href=\"#word-{}\">{}</a>", span.word, prose(span.text));
  }
  return span.paint == Paint::kDim ? element("span", prose(span.text), "soft") : prose(span.text);
}

std::string markup(const Text& text) {
  std::string out;
  for (const Span& span : text.spans) out += markup(span);
  return out;
}

// A box that scrolls by itself if the page is too narrow.
std::string scrolling(const std::string& label, const std::string& body_markup) {
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</div>\n", label,
      body_markup);
}

// "base input" -> "Base input"; "log P" stays.
std::string capitalised(std::string key) {
  const bool is_small =
      std::all_of(key.begin(), key.end(), [](char c) { return !('A' <= c && c <= 'Z'); });
  if (is_small && !key.empty() && 'a' <= key[0] && key[0] <= 'z')
    key[0] = static_cast<char>(key[0] - 'a' + 'A');
  return key;
}

std::string page_part(const Document& document);

std::string shown(const Heading& heading) {
  const Text aside = heading.aside.empty()
                         ? Text{}
                         : " " + Text(Span{heading.aside, SpanKind::kProse, Paint::kDim});
  return block(fmt::format("h{}", heading.level), markup(heading.text) + markup(aside));
}

std::string shown(const Paragraph& paragraph) {
  const std::string body = markup(paragraph.text);
  return body.empty() ? "" : block("p", body);
}

std::string shown(const Facts& facts) {
  std::string rows;
  for (const Fact& fact : facts.facts) {
    const std::string value = markup(fact.value);
    if (value.empty()) continue;
    const bool is_name = facts.paint == Paint::kNone;  // not one of our labels
    const Span key{is_name ? fact.key : capitalised(fact.key), SpanKind::kProse, Paint::kNone,
                   fact.word};
    rows += element("dt", markup(key)) +
            block("dd", value + (fact.note.empty() ? "" : "<br/>" + markup(fact.note)));
  }
  return rows.empty() ? "" : "<dl>\n" + rows + "</dl>\n";
}

// The first cell of a row is its heading.
std::string shown(const Table& table) {
  std::string head, rows;
  const auto cell = [](std::string_view name, std::string_view scope, bool number,
                       const std::string& body_markup) {
    return fmt::format("<{0}{1}{2}>{3}</{0}>", name, scope, number ? " class=\"n\"" : "",
                       body_markup);
  };
  for (const Column& column : table.columns) {
    if ((column.media & kPage) == 0) continue;
    head += cell("th", " scope=\"col\"", column.number, markup(column.name));
  }
  for (const Row& row : table.rows) {
    if ((row.media & kPage) == 0) continue;
    std::string cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Column& column = table.columns[i];
      if ((column.media & kPage) == 0) continue;
      const bool first = cells.empty();
      cells += cell(first ? "th" : "td", first ? " scope=\"row\"" : "", column.number,
                    markup(row.cells[i]));
    }
    rows += block("tr", cells);
  }
  if (rows.empty()) return "";
  std::string caption = markup(table.caption), label;
  for (const Span& span : table.caption.spans) label += prose(span.text);
  if (!caption.empty()) caption = block("caption", element("span", caption));
  return scrolling(label, element("table", caption + block("thead", element("tr", head)) +
                                               element("tbody", "\n" + rows)));
}

std::string shown(const List& list) {
  std::string items;
  for (const Text& item : list.items) items += block("li", markup(item));
  return items.empty() ? "" : block("ul", items);
}

std::string shown(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines_of(lines)) out += markup_text(line) + "\n";
  return out.empty() ? "" : block("pre", out);
}

std::string shown(const Command& command) {
  return command.command.empty() ? "" : block("pre", element("code", markup_text(command.command)));
}

std::string shown(const Drawn& drawn) {
  if (drawn.figure.panels.empty()) return "";
  return element("figure",
                 scrolling(markup_text(drawn.figure.title), "\n" + to_svg(drawn.figure)) +
                     element("figcaption", prose(drawn.caption)),
                 drawn.full ? "full" : "") +
         "\n";
}

std::string shown(const Group& group) {
  if (group.kind == GroupKind::kFirstThatFits) return page_part(group.parts.front());
  std::string parts;
  for (const Document& part : group.parts) {
    const std::string body = page_part(part);
    if (!body.empty()) parts += group.kind == GroupKind::kBeside ? block("div", body) : body;
  }
  if (group.kind == GroupKind::kFolded) {
    return block("details", block("summary", prose(group.summary)) + parts);
  }
  return parts.empty() ? "" : element("div", "\n" + parts, "pair") + "\n";
}

std::string page_part(const Document& document) {
  std::string out;
  for (const Block& one : document.blocks) {
    if ((one.media & kPage) == 0) continue;
    const std::string part =
        std::visit([](const auto& content) { return shown(content); }, one.content);
    // Facts that follow each other are one list.
    constexpr std::string_view kEnd = "</dl>\n", kStart = "<dl>\n";
    if (out.ends_with(kEnd) && part.starts_with(kStart)) {
      out.replace(out.size() - kEnd.size(), kEnd.size(), part, kStart.size());
    } else {
      out += part;
    }
  }
  return out;
}

// The linked words, in the order of the glossary.
std::string linked_words(const std::string& body_markup) {
  std::string rows;
  for (const auto& word : glossary()) {
    if (body_markup.find(fmt::format("href=\"#word-{}\"", word.id)) == std::string::npos) continue;
    std::string body = prose(std::string(word.text));
    if (!word.formula.empty()) body += " " + element("code", prose(std::string(word.formula)));
    rows += fmt::format("<dt id=\"word-{}\">{}</dt>{}", word.id, prose(std::string(word.id)),
                        block("dd", body));
  }
  return rows.empty() ? "" : block("h2", "Words") + "<dl>\n" + rows + "</dl>\n";
}

}  // namespace

std::string to_page(const Document& document) {
  const std::string body = page_part(document);
  const std::string footer =
      document.footer.empty() ? "" : block("footer", markup_text(document.footer));
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" +
         element("title", markup_text(document.title)) + "\n<style>" +
         std::string(detail::kHtmlStyle) + "</style>\n</head>\n<body>\n<main>\n" + body +
         linked_words(body) + footer + "</main>\n</body>\n</html>\n";
}

}  // namespace assay::doc
