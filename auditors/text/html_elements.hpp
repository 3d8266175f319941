// Parts that every HTML page of a report is made of. Strings are escaped here, unless a parameter
// says markup. Everything is well-formed XML, without scripts or references to anything outside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/text/svg_plot.hpp"

namespace assay::detail {

// The whole page around the markup of its <main>, which ends with the meanings of the words that it links
// (word_link), before its footer.
std::string html_page(const std::string& title, const std::string& main_markup);

// eps, delta, mu, eta and arrows as single words become their signs; part of a longer word, they stay.
std::string typeset(const std::string& text);

std::string element(std::string_view name, const std::string& body_markup,
                    std::string_view css = "");
std::string heading(std::string_view name, const std::string& text);  // "h2"
std::string paragraph(const std::string& text);
std::string command_element(const std::string& command);
std::string footer(const std::string& text);

// A link to what a word means (glossary.hpp), in these words.
std::string word_link(std::string_view id, const std::string& text);

// Between a parameter's name and its value: no line breaks there.
inline constexpr std::string_view kEquals = "\xC2\xA0=\xC2\xA0";

// Shown when it is opened; left out of print.
std::string folded(const std::string& summary, const std::string& body_markup);

// `full`: across the page, and scrolling inside its box on a narrow screen.
std::string figure_element(const Figure& figure, const std::string& caption, bool full = false);

class DescriptionList {
 public:
  void add(const std::string& term, const std::string& text);
  void add_code(const std::string& term, const std::string& text);
  void add_markup(const std::string& term, const std::string& markup);
  void add_linked(std::string_view word, const std::string& term, const std::string& markup);
  std::string text() const;

 private:
  std::string rows_;
};

struct TableColumn {
  std::string name;
  bool number = true;
};

// The first cell of a row is its heading. Wide tables scroll inside their own box.
class Table {
 public:
  Table(std::string caption, std::vector<TableColumn> columns);

  void add(const std::vector<std::string>& cells);
  void add_markup(const std::vector<std::string>& cell_markups);
  std::string text() const;

 private:
  std::string caption_;
  std::vector<TableColumn> columns_;
  std::string rows_;
};

}  // namespace assay::detail
