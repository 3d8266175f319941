#include "assay/auditors/text/html_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/auditors/text/glossary.hpp"
#include "assay/auditors/text/html_style.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay::detail {

namespace {

// In the order of the glossary.
std::string linked_words(const std::string& markup) {
  std::string rows;
  for (const auto& word : glossary()) {
    if (markup.find(fmt::format("href=\"#word-{}\"", word.id)) == std::string::npos) continue;
    std::string body = markup_text(typeset(std::string(word.text)));
    if (!word.formula.empty()) {
      body += " " + element("code", markup_text(typeset(std::string(word.formula))));
    }
    rows += fmt::format("<dt id=\"word-{}\">{}</dt>{}\n", word.id,
                        markup_text(typeset(std::string(word.id))), element("dd", body));
  }
  if (rows.empty()) return "";
  return heading("h2", "Words") + "<dl>\n" + rows + "</dl>\n";
}

}  // namespace

std::string html_page(const std::string& title, const std::string& main_markup) {
  const std::size_t end = std::min(main_markup.rfind("<footer>"), main_markup.size());
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" +
         element("title", markup_text(title)) + "\n<style>" + std::string(kHtmlStyle) +
         "</style>\n</head>\n<body>\n<main>\n" + main_markup.substr(0, end) +
         linked_words(main_markup) + main_markup.substr(end) + "</main>\n</body>\n</html>\n";
}

std::string word_link(std::string_view id, const std::string& text) {
  return fmt::format("<a href=\"#word-{}\">{}</a>", id, markup_text(text));
}

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

std::string element(std::string_view name, const std::string& body_markup, std::string_view css) {
  return fmt::format("<{0}{1}>{2}</{0}>", name,
                     css.empty() ? "" : fmt::format(" class=\"{}\"", css), body_markup);
}

std::string heading(std::string_view name, const std::string& text) {
  return element(name, markup_text(text)) + "\n";
}

std::string paragraph(const std::string& text) { return heading("p", text); }

std::string command_element(const std::string& command) {
  return element("pre", element("code", markup_text(command))) + "\n";
}

std::string footer(const std::string& text) { return heading("footer", text); }

std::string folded(const std::string& summary, const std::string& body_markup) {
  return "<details>" + element("summary", markup_text(summary)) + "\n" + body_markup +
         "</details>\n";
}

std::string figure_element(const Figure& figure, const std::string& caption, bool full) {
  return fmt::format(
      "<figure{}><div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">\n{}</div>\n<figcaption>{}</figcaption></figure>\n",
      full ? " class=\"full\"" : "", markup_text(figure.title), to_svg(figure),
      markup_text(caption));
}

void DescriptionList::add(const std::string& term, const std::string& text) {
  add_markup(term, markup_text(text));
}

void DescriptionList::add_code(const std::string& term, const std::string& text) {
  add_markup(term, element("code", markup_text(text)));
}

void DescriptionList::add_markup(const std::string& term, const std::string& markup) {
  rows_ += element("dt", markup_text(term)) + element("dd", markup) + "\n";
}

void DescriptionList::add_linked(std::string_view word, const std::string& term,
                                 const std::string& markup) {
  rows_ += element("dt", word_link(word, term)) + element("dd", markup) + "\n";
}

std::string DescriptionList::text() const { return "<dl>\n" + rows_ + "</dl>\n"; }

Table::Table(std::string caption, std::vector<TableColumn> columns)
    : caption_(std::move(caption)), columns_(std::move(columns)) {}

void Table::add(const std::vector<std::string>& cells) {
  std::vector<std::string> markups;
  for (const std::string& cell : cells) markups.push_back(markup_text(cell));
  add_markup(markups);
}

void Table::add_markup(const std::vector<std::string>& cell_markups) {
  std::string row;
  for (std::size_t i = 0; i < cell_markups.size(); ++i) {
    const std::string css = columns_[i].number ? " class=\"n\"" : "";
    const std::string name = i == 0 ? "th" : "td";
    row += fmt::format("<{0}{1}{2}>{3}</{0}>", name, i == 0 ? " scope=\"row\"" : "", css,
                       cell_markups[i]);
  }
  rows_ += "<tr>" + row + "</tr>\n";
}

std::string Table::text() const {
  std::string head;
  for (const TableColumn& c : columns_) {
    head += fmt::format("<th scope=\"col\"{}>{}</th>", c.number ? " class=\"n\"" : "",
                        markup_text(c.name));
  }
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table>"
      "<caption><span>{0}</span></caption>\n<thead><tr>{1}</tr></thead>\n<tbody>\n{2}</tbody></"
      "table></div>\n",
      markup_text(caption_), head, rows_);
}

}  // namespace assay::detail
