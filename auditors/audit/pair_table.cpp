#include "assay/auditors/audit/pair_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostNamed = 4;  // of the entries that differ

// The name of a row of the input.
std::string row_word(const AuditReport& report) {
  return report.relation == Relation::kReplaceOneCell ? "pull" : "round";
}

std::string value_text(double value) { return rounded(value, 6); }

// The names and texts of the entries of a row. Outcomes of duels are one entry for each pair (i, j), i < j.
class EntryWords {
 public:
  explicit EntryWords(const WorstPair& pair)
      : shape_(pair.shape), columns_(pair.inputs.base_input().columns) {
    const std::int64_t arms = shape_.arms;
    for (std::int64_t c = 0; c < columns_; ++c) {
      if (!is_duel() || (c / arms < c % arms)) entries_.push_back(c);
    }
  }

  const std::vector<std::int64_t>& entries() const { return entries_; }  // columns of the input
  bool is_duel() const {
    return shape_.traits().has_duels() && shape_.arms * shape_.arms == columns_;
  }

  // "arm 3", or "arms 3 to 5" if `to` is another entry.
  std::string name(std::int64_t entry, std::int64_t to) const {
    const std::int64_t arms = shape_.arms;
    if (is_duel()) return fmt::format("{} v {}", entry / arms, entry % arms);
    if (shape_.traits().has_contexts() && entry >= arms) {
      const std::int64_t d = std::max<std::int64_t>(1, shape_.dimension);
      const auto one = [&](std::int64_t e) {
        return fmt::format("x[{},{}]", (e - arms) / d, (e - arms) % d);
      };
      return entry == to ? one(entry) : one(entry) + " to " + one(to);
    }
    const std::string_view what = shape_.traits().entry;
    return entry == to ? fmt::format("{} {}", what, entry)
                       : fmt::format("{}s {} to {}", what, entry, to);
  }
  // Whether both may share a column of a table.
  bool may_join(std::int64_t a, std::int64_t b) const {
    return !is_duel() &&
           !(shape_.traits().has_contexts() && (a < shape_.arms) != (b < shape_.arms));
  }

  std::string value(std::int64_t entry, double x) const {
    if (is_duel()) return fmt::format("{}", x == 1.0 ? entry / shape_.arms : entry % shape_.arms);
    return value_text(x);
  }

  // In a sentence: "arm 3: 0 -> 1", "arm 0 beats arm 1 -> arm 1 beats arm 0".
  std::string change(std::int64_t entry, double from, double to) const {
    if (!is_duel()) {
      return fmt::format("{}: {} -> {}", name(entry, entry), value_text(from), value_text(to));
    }
    const std::int64_t i = entry / shape_.arms, j = entry % shape_.arms;
    const auto beats = [&](double outcome) {
      return outcome == 1.0 ? fmt::format("arm {} beats arm {}", i, j)
                            : fmt::format("arm {} beats arm {}", j, i);
    };
    return beats(from) + " -> " + beats(to);
  }

 private:
  InputShape shape_;
  std::int64_t columns_;
  std::vector<std::int64_t> entries_;
};

// "0 -> 1" if all the entries change alike, else empty.
std::string common_change(const WorstPair& pair, const std::vector<std::int64_t>& changed) {
  const auto base_row = pair.inputs.base_row();
  const auto neighbour_row = pair.inputs.neighbour_row();
  const auto at = [](std::span<const double> row, std::int64_t c) {
    return row[static_cast<std::size_t>(c)];
  };
  for (const std::int64_t c : changed) {
    if (at(base_row, c) != at(base_row, changed[0]) ||
        at(neighbour_row, c) != at(neighbour_row, changed[0])) {
      return "";
    }
  }
  return value_text(at(base_row, changed[0])) + " -> " + value_text(at(neighbour_row, changed[0]));
}

// The indices 0..size-1, or if these are more than `most`, the first, the last and those around `centre`. A
// -1 stands for each group that is left out.
std::vector<std::ptrdiff_t> excerpt(std::size_t size, std::size_t centre, std::size_t most) {
  std::vector<std::ptrdiff_t> out;
  const std::size_t around = most > 6 ? (most - 4) / 2 : 1;
  for (std::size_t i = 0; i < size; ++i) {
    const bool near = i + around >= centre && i <= centre + around;
    if (size <= most || i == 0 || i + 1 == size || near) {
      out.push_back(static_cast<std::ptrdiff_t>(i));
    } else if (out.back() != -1) {
      out.push_back(-1);
    }
  }
  return out;
}

class TableMaker {
 public:
  explicit TableMaker(const AuditReport& report)
      : row_word_(row_word(report)),
        words_(report.pair),
        pair_(report.pair),
        rows_(report.pair.inputs.base_input().rows) {
    group_columns();
    group_rows();
  }

  PairTable make(std::size_t most_columns) const {
    constexpr std::size_t kMostRows = 9;
    const auto columns = excerpt(columns_.size(), changed_column_, most_columns);
    PairTable table;
    table.columns.push_back(row_word_);
    for (const auto c : columns) {
      table.columns.push_back(c < 0 ? "..."
                                    : words_.name(columns_[static_cast<std::size_t>(c)].first,
                                                  columns_[static_cast<std::size_t>(c)].second));
    }
    for (const auto r : excerpt(rows_of_.size(), changed_group_, kMostRows)) {
      std::vector<std::string> cells;
      const auto at = static_cast<std::size_t>(r);
      cells.push_back(r < 0 ? "..." : rounds_text(rows_of_[at]));
      for (const auto c : columns) {
        cells.push_back(
            r < 0 || c < 0 ? "..."
                           : cell(rows_of_[at].first, columns_[static_cast<std::size_t>(c)].first));
      }
      table.rows.push_back(std::move(cells));
    }
    return table;
  }

 private:
  using Block = std::pair<std::int64_t, std::int64_t>;  // first and last

  double base_at(std::int64_t r, std::int64_t c) const {
    return pair_.inputs.base_input().row(r)[static_cast<std::size_t>(c)];
  }
  double neighbour_at(std::int64_t r, std::int64_t c) const {
    return pair_.inputs.neighbour_row(r)[static_cast<std::size_t>(c)];
  }

  std::string cell(std::int64_t r, std::int64_t c) const {
    const double from = base_at(r, c), to = neighbour_at(r, c);
    if (from == to) return words_.value(c, from);
    return "[" + words_.value(c, from) + " -> " + words_.value(c, to) + "]";
  }

  static std::string rounds_text(const Block& rounds) {
    return rounds.first == rounds.second
               ? grouped(rounds.first + 1)
               : grouped(rounds.first + 1) + " to " + grouped(rounds.second + 1);
  }

  bool columns_alike(std::int64_t a, std::int64_t b) const {
    if (!words_.may_join(a, b)) return false;
    for (std::int64_t r = 0; r < rows_; ++r) {
      if (base_at(r, a) != base_at(r, b)) return false;
    }
    const std::int64_t r = pair_.inputs.changed_row();
    return neighbour_at(r, a) == neighbour_at(r, b);
  }

  void group_columns() {
    const auto& entries = words_.entries();
    for (const std::int64_t c : entries) {
      if (!columns_.empty() && columns_.back().second + 1 == c &&
          columns_alike(columns_.back().first, c)) {
        columns_.back().second = c;
      } else {
        columns_.emplace_back(c, c);
      }
    }
    const std::int64_t r = pair_.inputs.changed_row();
    const auto differs = [&](const Block& s) {
      return base_at(r, s.first) != neighbour_at(r, s.first);
    };
    const auto found = std::find_if(columns_.begin(), columns_.end(), differs);
    changed_column_ =
        found == columns_.end() ? 0 : static_cast<std::size_t>(found - columns_.begin());
  }

  void group_rows() {
    const std::int64_t changed = pair_.inputs.changed_row();
    const InputTable& base_input = pair_.inputs.base_input();
    for (std::int64_t r = 0; r < rows_; ++r) {
      const bool alike = r > 0 && r != changed && r != changed + 1 &&
                         std::ranges::equal(base_input.row(r - 1), base_input.row(r));
      if (r == changed) changed_group_ = rows_of_.size();
      if (alike) {
        rows_of_.back().second = r;
      } else {
        rows_of_.emplace_back(r, r);
      }
    }
  }

  std::string row_word_;
  EntryWords words_;
  const WorstPair& pair_;
  std::int64_t rows_;
  std::vector<Block> columns_, rows_of_;
  std::size_t changed_column_ = 0, changed_group_ = 0;
};

}  // namespace

std::string rows_text(const InputTable& input) {
  std::string text;
  for (std::int64_t r = 0; r < input.rows; ++r) {
    const auto row = input.row(r);
    if (r > 0) text += ';';
    for (std::size_t c = 0; c < row.size(); ++c) text += (c == 0 ? "" : ",") + number_text(row[c]);
  }
  return text;
}

std::string change_text(const AuditReport& report) {
  const WorstPair& pair = report.pair;
  const InputTable& input = pair.inputs.base_input();
  const bool is_mechanism = !pair.shape.traits().has_rounds();
  const bool is_stream = input.columns == 1 && !is_mechanism;
  const EntryWords words(pair);
  const auto base_row = pair.inputs.base_row();
  const auto neighbour_row = pair.inputs.neighbour_row();
  if (base_row.size() !=
      neighbour_row.size()) {  // a mechanism, whose neighbour has one value more or fewer
    const bool is_added = base_row.size() < neighbour_row.size();
    const auto differ =
        std::mismatch(base_row.begin(), base_row.end(), neighbour_row.begin(), neighbour_row.end());
    return fmt::format("value {} of the input is {}: {}", differ.first - base_row.begin() + 1,
                       is_added ? "added" : "removed",
                       number_text(is_added ? *differ.second : *differ.first));
  }
  std::vector<std::int64_t> changed;
  for (const std::int64_t c : words.entries()) {
    const auto at = static_cast<std::size_t>(c);
    if (base_row[at] != neighbour_row[at]) changed.push_back(c);
  }
  const std::string round = fmt::format(
      "{} {} of {}", row_word(report), grouped(pair.inputs.changed_row() + 1), grouped(input.rows));
  if (changed.empty()) return (is_mechanism ? "the input" : round) + ": unchanged";
  const auto at = static_cast<std::size_t>(changed[0]);
  if (is_mechanism && changed.size() == 1) {
    return fmt::format("value {} of {} of the input: {} -> {}", changed[0] + 1,
                       grouped(input.columns), number_text(base_row[at]),
                       number_text(neighbour_row[at]));
  }
  if (is_stream) {
    return fmt::format("reward of {}: {} -> {}", round, number_text(base_row[at]),
                       number_text(neighbour_row[at]));
  }
  const std::string lead = is_mechanism ? "" : round + (changed.size() == 1 ? ", " : ": ");
  const auto count = static_cast<std::int64_t>(changed.size());
  if (count > 1 && changed.size() == words.entries().size()) {
    if (words.is_duel()) return lead + "all answers reversed";
    const std::string common = common_change(pair, changed);
    if (!common.empty() && !pair.shape.traits().has_contexts()) {
      return lead + fmt::format("all {} {}: {}", grouped(count),
                                words.name(0, 1).substr(0, words.name(0, 1).find(' ')), common);
    }
  }
  std::string text = lead;
  for (std::int64_t k = 0; k < std::min(count, kMostNamed); ++k) {
    const auto c = static_cast<std::size_t>(changed[static_cast<std::size_t>(k)]);
    text += (k > 0 ? ", " : "") +
            words.change(static_cast<std::int64_t>(c), base_row[c], neighbour_row[c]);
  }
  if (count > kMostNamed) text += fmt::format(", and {} more", grouped(count - kMostNamed));
  return text;
}

bool shows_rows(const AuditReport& report) {
  const WorstPair& pair = report.pair;
  return !pair.shape.traits().has_rounds() &&
         (pair.shows_both || pair.inputs.base_row().size() != pair.inputs.neighbour_row().size());
}

PairTable pair_table(const AuditReport& report, std::size_t most_columns) {
  const WorstPair& pair = report.pair;
  if (pair.inputs.base_input().columns == 1 || !pair.shape.traits().has_rounds()) return {};
  return TableMaker(report).make(most_columns);
}

}  // namespace assay
