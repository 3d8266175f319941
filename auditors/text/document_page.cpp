#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

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

// Options of commands ("--see", "-w") do not break in two at the end of a line; they are copied as they are. Entities
// and tags have no hyphen before a letter that begins a word.
std::string with_whole_options(const std::string& body_markup) {
  const auto is_letter = [](char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); };
  std::string out;
  for (std::size_t at = 0; at < body_markup.size();) {
    const bool begins =
        at == 0 || std::string_view(" (:;'").find(body_markup[at - 1]) != std::string_view::npos;
    std::size_t end = std::min(body_markup.find_first_not_of('-', at), body_markup.size());
    const bool is_option = begins && (end == at + 1 || end == at + 2) && end < body_markup.size() &&
                           is_letter(body_markup[end]);
    if (!is_option) {
      out += body_markup[at++];
      continue;
    }
    while (end < body_markup.size() && (is_letter(body_markup[end]) || body_markup[end] == '-')) {
      ++end;
    }
    out += element("span", body_markup.substr(at, end - at), "option");
    at = end;
  }
  return out;
}

// Words between backticks are code.
std::string sentences(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find('`');
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
    if (end == std::string_view::npos) return out + with_whole_options(prose(std::string(text)));
    out +=
        with_whole_options(prose(std::string(text.substr(0, begin)))) +
        element("code", with_whole_options(markup_text(text.substr(begin + 1, end - begin - 1))));
    text.remove_prefix(end + 1);
  }
}

std::string markup(const Span& span) {
  if ((span.media & kPage) == 0 || span.text.empty()) return "";
  switch (span.kind) {
    case SpanKind::kBreak:
      return "<br/>";
    case SpanKind::kDrawing:
      return span.text;
    case SpanKind::kCode:
      return element("code", with_whole_options(markup_text(span.text)));
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
  const std::string body = sentences(span.text);
  return span.paint == Paint::kDim ? element("span", body, "soft") : body;
}

std::string markup(const Text& text) {
  std::string out;
  for (const Span& span : text.spans) out += markup(span);
  return out;
}

// A box that scrolls by itself if the page is too narrow.
std::string scrolling(const std::string& label, const std::string& body_markup,
                      bool is_stacked = false) {
  return fmt::format(
      "<div class=\"wide{}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</div>\n",
      is_stacked ? " stacked" : "", label, body_markup);
}

// "base input" -> "Base input"; "log P" stays.
std::string capitalised(std::string key) {
  const bool is_small =
      std::all_of(key.begin(), key.end(), [](char c) { return !('A' <= c && c <= 'Z'); });
  if (is_small && !key.empty() && 'a' <= key[0] && key[0] <= 'z')
    key[0] = static_cast<char>(key[0] - 'a' + 'A');
  return key;
}

// A section that the page's links lead to.
struct Section {
  std::string id;
  std::string name_markup;
};

std::string page_part(const Document& document, std::vector<Section>* sections = nullptr);

std::string shown(const Heading& heading) {
  const Text aside = heading.aside.empty()
                         ? Text{}
                         : " " + Text(Span{heading.aside, SpanKind::kProse, Paint::kDim});
  return block(fmt::format("h{}", heading.level), markup(heading.text) + markup(aside));
}

// "section-worst-pair-found", different for each section.
std::string section_id(const std::string& name, std::size_t index) {
  constexpr std::size_t kMost = 40;
  std::string id;
  for (const char c : name) {
    const char small = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool kept = ('a' <= small && small <= 'z') || ('0' <= small && small <= '9');
    if (kept) id += small;
    if (!kept && !id.empty() && id.back() != '-') id += '-';
    if (id.size() == kMost) break;
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  return fmt::format("section-{}-{}", index, id);
}

std::string shown(const Heading& heading, std::vector<Section>& sections) {
  if (heading.level != 2) return shown(heading);
  std::string name, name_markup;
  for (const Span& span : heading.text.spans) {
    if ((span.media & kPage) == 0 || span.kind == SpanKind::kDrawing) continue;
    name += span.text;
    name_markup += span.kind == SpanKind::kExact || span.kind == SpanKind::kCode
                       ? markup_text(span.text)
                       : prose(span.text);
  }
  sections.push_back({section_id(name, sections.size() + 1), name_markup});
  const std::string plain = shown(heading);
  return fmt::format("<h2 id=\"{}\"{}", sections.back().id, plain.substr(3));
}

std::string shown(const Paragraph& paragraph) {
  const std::string body = markup(paragraph.text);
  return body.empty() ? "" : block("p", body);
}

// The length of the text that a page shows.
std::size_t shown_columns(const Text& text) {
  std::size_t columns = 0;
  for (const Span& span : text.spans) {
    if ((span.media & kPage) != 0 && span.kind != SpanKind::kDrawing) {
      columns += column_count(plain_text(span.text));
    }
  }
  return columns;
}

// Facts with the same key are one entry. Short ones are side by side on a wide page.
std::string shown(const Facts& facts) {
  constexpr std::size_t kMostOfShort = 44, kMostOfTiny = 18;
  std::string rows, entry, last_key;
  std::size_t values = 0;
  std::size_t longest = 0;
  const auto close = [&] {
    if (values > 0) {
      const bool is_tiny = values == 1 && longest <= kMostOfTiny;
      const bool is_short = values == 1 && longest <= kMostOfShort;
      rows += fmt::format("<div{}>{}</div>\n",
                          is_tiny    ? " class=\"short tiny\""
                          : is_short ? " class=\"short\""
                                     : "",
                          std::exchange(entry, ""));
    }
    values = longest = 0;
  };
  for (const Fact& fact : facts.facts) {
    const std::string value = markup(fact.value);
    if (value.empty()) continue;
    if (values == 0 || (fact.key != last_key && !fact.key.empty())) {
      close();
      const bool is_name = facts.paint == Paint::kNone;  // not one of our labels
      const Span key{is_name ? fact.key : capitalised(fact.key), SpanKind::kProse, Paint::kNone,
                     fact.word};
      entry = element("dt", markup(key));
      last_key = fact.key;
    }
    entry += element(
        "dd",
        value + (fact.note.empty() ? "" : "<br/>" + element("span", markup(fact.note), "soft")));
    ++values;
    longest = std::max(longest, fact.note.empty() ? shown_columns(fact.value) : kMostOfShort + 1);
  }
  close();
  return rows.empty() ? "" : "<dl>\n" + rows + "</dl>\n";
}

// Whether a narrow page shows each row as a block of labelled values: those of a short table that is too wide for it.
bool is_stacked_if_narrow(const Table& table) {
  constexpr std::size_t kMostRows = 40, kFits = 46;  // columns of text at 390 pixels
  std::size_t rows = 0, widest = 0;
  for (const Row& row : table.rows) {
    if ((row.media & kPage) == 0) continue;
    std::size_t width = 0;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Column& column = table.columns[i];
      if ((column.media & kPage) == 0) continue;
      width += 2 + std::max(shown_columns(row.cells[i]), shown_columns(column.name));
    }
    ++rows;
    widest = std::max(widest, width);
  }
  return rows <= kMostRows && widest > kFits;
}

// The first cell of a row is its heading.
std::string shown(const Table& table) {
  std::string head, rows;
  const bool is_stacked = is_stacked_if_narrow(table);
  const auto cell = [](std::string_view name, const std::string& attribute, bool number,
                       const std::string& body_markup) {
    return fmt::format("<{0}{1}{2}>{3}</{0}>", name, attribute, number ? " class=\"n\"" : "",
                       body_markup);
  };
  const auto label_of = [&](const Column& column) {
    std::string text;
    for (const Span& span : column.name.spans) {
      if ((span.media & kPage) != 0 && span.kind != SpanKind::kDrawing) text += prose(span.text);
    }
    return is_stacked && !text.empty() ? " data-label=\"" + text + "\"" : "";
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
      cells += cell(first ? "th" : "td", first ? " scope=\"row\"" : label_of(column), column.number,
                    markup(row.cells[i]));
    }
    rows += block("tr", cells);
  }
  if (rows.empty()) return "";
  std::string caption = markup(table.caption), label;
  for (const Span& span : table.caption.spans) label += prose(span.text);
  if (!caption.empty()) caption = block("caption", element("span", caption));
  return scrolling(label,
                   element("table", caption + block("thead", element("tr", head)) +
                                        element("tbody", "\n" + rows)),
                   is_stacked);
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

// No line ends inside of an option, or between one and a short value.
std::string shown(const Command& command) {
  constexpr std::size_t kShort = 28;  // columns of both; more may be wider than a telephone
  std::string out;
  for (const std::string& part : detail::command_parts(command.command, kShort)) {
    const bool is_pair = part.starts_with('-') && part.find(' ') != std::string::npos;
    const std::string text = markup_text(part);
    out += (out.empty() ? "" : " ") +
           (is_pair ? element("span", text, "option") : with_whole_options(text));
  }
  return out.empty() ? "" : block("pre", element("code", out));
}

std::string shown(const Tiles& tiles) {
  constexpr EnumTable<Tone, std::string_view, 4> kTones{
      {{Tone::kNeutral, ""}, {Tone::kGood, "good"}, {Tone::kBad, "bad"}, {Tone::kWeak, "weak"}}};
  std::string out;
  for (const Tile& tile : tiles.tiles) {
    std::string body =
        element("dt", prose(tile.label)) + element("dd", markup(tile.value), "value");
    if (!tile.caption.empty()) body += element("dd", markup(tile.caption));
    std::string css(entry_of(kTones, tile.tone));
    if (tile.large) css += css.empty() ? "large" : " large";
    out += element("div", body, css) + "\n";
  }
  return out.empty() ? "" : element("div", element("dl", "\n" + out), "tiles") + "\n";
}

// The end of the sentences with which a caption begins: all of a short one, or else the first.
std::size_t first_part(const std::string& caption) {
  constexpr std::size_t kShort = 200;
  if (column_count(plain_text(caption)) <= kShort) return caption.size();
  const std::size_t end = caption.find(". ", 40);
  return end == std::string::npos ? caption.size() : end + 1;
}

// The rest of a long caption is folded.
std::string figure(const std::string& drawings, const std::string& caption, bool full) {
  const std::size_t end = first_part(caption);
  std::string words = sentences(caption.substr(0, end));
  if (end < caption.size()) {
    words += element("details", element("summary", "More on this figure") +
                                    element("span", sentences(caption.substr(end + 1))));
  }
  if (!words.empty()) words = element("figcaption", words);
  return element("figure", "\n" + drawings + words, full ? "full" : "") + "\n";
}

std::string shown(const Drawn& drawn) {
  if (drawn.figure.panels.empty()) return "";
  return figure(to_svg(drawn.figure) + to_narrow_svg(drawn.figure), drawn.caption, drawn.full);
}

std::string shown(const DrawnGrid& drawn) {
  if (drawn.grid.columns.empty()) return "";
  return figure(to_svg(drawn.grid) + to_narrow_svg(drawn.grid), drawn.caption, true);
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

std::string page_part(const Document& document, std::vector<Section>* sections) {
  std::string out;
  for (const Block& one : document.blocks) {
    if ((one.media & kPage) == 0) continue;
    const auto* heading = std::get_if<Heading>(&one.content);
    const std::string part =
        heading != nullptr && sections != nullptr
            ? shown(*heading, *sections)
            : std::visit([](const auto& content) { return shown(content); }, one.content);
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
    std::string body = sentences(word.text);
    if (!word.formula.empty()) body += " " + element("code", prose(std::string(word.formula)));
    rows += fmt::format("<div><dt id=\"word-{}\">{}</dt>{}</div>\n", word.id,
                        prose(std::string(word.id)), element("dd", body));
  }
  return rows.empty() ? ""
                      : "<h2 id=\"words\">Words</h2>\n<dl class=\"words\">\n" + rows + "</dl>\n";
}

// Links to the sections, if there are several.
std::string navigation(const std::vector<Section>& sections) {
  constexpr std::size_t kFewest = 3;
  if (sections.size() < kFewest) return "";
  std::string items;
  for (const Section& section : sections) {
    items += block("li", fmt::format("<a href=\"#{}\">{}</a>", section.id, section.name_markup));
  }
  return "<nav aria-label=\"Sections\">\n<ol>\n" + items + "</ol>\n</nav>\n";
}

}  // namespace

std::string to_page(const Document& document) {
  std::vector<Section> sections;
  const std::string body = page_part(document, &sections);
  const std::string words = linked_words(body);
  if (!words.empty()) sections.push_back({"words", "Words"});
  const std::string footer =
      document.footer.empty() ? "" : block("footer", markup_text(document.footer));
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" +
         element("title", markup_text(document.title)) + "\n<style>" +
         std::string(detail::kHtmlStyle) + "</style>\n</head>\n<body>\n" + navigation(sections) +
         "<main>\n" + body + words + footer + "</main>\n</body>\n</html>\n";
}

}  // namespace assay::doc
