#include "assay/auditors/suite/suite_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/option_values.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

constexpr std::array<std::pair<ErrorCode, std::string_view>, 10> enum_names(ErrorCode) {
  return {{{ErrorCode::kInvalidArgument, "invalid-argument"},
           {ErrorCode::kUnknownKey, "unknown-key"},
           {ErrorCode::kParse, "parse"},
           {ErrorCode::kIo, "io"},
           {ErrorCode::kLimit, "limit"},
           {ErrorCode::kNumerical, "numerical"},
           {ErrorCode::kInterrupted, "interrupted"},
           {ErrorCode::kTarget, "target"},
           {ErrorCode::kRefusedInput, "refused-input"},
           {ErrorCode::kInternal, "internal"}}};
}

namespace {

using SuiteTree = nlohmann::json;

// Each struct once, for the writer and the reader. `S` is const or not.
template <class S>
concept IsPlace = std::is_same_v<std::remove_const_t<S>, SourcePlace>;
template <class S>
concept IsFigure = std::is_same_v<std::remove_const_t<S>, EntryFigure>;
template <class S>
concept IsWitness = std::is_same_v<std::remove_const_t<S>, EntryWitness>;
template <class S>
concept IsError = std::is_same_v<std::remove_const_t<S>, Error>;
template <class S>
concept IsEntry = std::is_same_v<std::remove_const_t<S>, EntryResult>;

void visit_fields(IsPlace auto& place, const auto& visit) {
  visit("file", place.file);
  visit("line", place.line);
  visit("column", place.column);
}

void visit_fields(IsFigure auto& figure, const auto& visit) {
  visit("name", figure.name);
  visit("kind", figure.kind);
  visit("lower", figure.lower);
  visit("upper", figure.upper);
  visit("allowed", figure.allowed);
  visit("alpha", figure.alpha);
  visit("repetitions", figure.repetitions);
}

void visit_fields(IsWitness auto& witness, const auto& visit) {
  visit("old_input", witness.old_input);
  visit("new_input", witness.new_input);
  visit("seed", witness.seed);
  visit("round", witness.round);
  visit("old_action", witness.old_action);
  visit("new_action", witness.new_action);
  visit("command", witness.command);
}

void visit_fields(IsError auto& error, const auto& visit) {
  visit("code", error.code);
  visit("message", error.message);
  visit("path", error.path);
  visit("line", error.line);
}

struct EntryMeta {
  double seconds = 0.0;
  std::vector<EntryFigure> times;
};
template <class S>
concept IsMeta = std::is_same_v<std::remove_const_t<S>, EntryMeta>;

void visit_fields(IsMeta auto& meta, const auto& visit) {
  visit("seconds", meta.seconds);
  visit("times", meta.times);
}

void visit_fields(IsEntry auto& entry, auto& figures, auto& meta, const auto& visit) {
  visit("id", entry.id);
  visit("kind", entry.kind);
  visit("severity", entry.severity);
  visit("tags", entry.tags);
  visit("place", entry.place);
  visit("subject", entry.subject);
  visit("status", entry.status);
  visit("verdict", entry.verdict);
  visit("claim", entry.claim);
  visit("headline", entry.headline);
  visit("details", entry.details);
  visit("figures", figures);
  visit("witness", entry.witness);
  visit("error", entry.error);
  visit("reproduce", entry.reproduce);
  visit("alpha", entry.alpha);
  visit("content", entry.content);
  visit("reused_from", entry.reused_from);
  visit("suppressed_by", entry.suppressed_by);
  visit("meta", meta);
}

// ---- writing ------------------------------------------------------------------------------------

struct JsonOf {
  Json& out;

  template <class T>
  void operator()(std::string_view name, const T& value) const {
    out[name] = of(value);
  }

  template <class T>
  static Json of(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return detail::value_text(value);
    } else if constexpr (std::is_constructible_v<Json, const T&>) {
      return Json(value);
    } else {
      Json fields = Json::object();
      visit_fields(value, JsonOf{fields});
      return fields;
    }
  }
  template <class T>
  static Json of(const std::vector<T>& items) {
    return json_list(items, [](const T& item) { return of(item); });
  }
  template <class T>
  static Json of(const std::optional<T>& value) {
    return value ? of(*value) : Json();
  }
};

// ---- reading ------------------------------------------------------------------------------------

class SuiteReader {
 public:
  Status status() const { return status_; }
  void fault(const std::string& message, ErrorCode code = ErrorCode::kParse) {
    if (status_) status_ = fail(code, message, path_);
  }

  // Every field of an object, and no others.
  template <class Fields>
  void object(const SuiteTree& tree, const Fields& visit_all) {
    if (!tree.is_object()) return fault("must be an object");
    std::set<std::string, std::less<>> known;
    visit_all([&](std::string_view name, auto& value) {
      known.emplace(name);
      const auto found = tree.find(std::string(name));
      const std::string outer = std::exchange(path_, path_ + "/" + std::string(name));
      if (found == tree.end()) {
        fault("is missing");
      } else if (status_) {
        read(*found, value);
      }
      path_ = outer;
    });
    for (const auto& [key, value] : tree.items()) {
      if (!known.contains(key)) fault("has an unknown key '" + plain_text(key) + "'");
    }
  }

  template <class T>
  void items(const SuiteTree& tree, std::vector<T>& out, const auto& read_item) {
    if (!tree.is_array()) return fault("must be a list");
    for (std::size_t i = 0; i < tree.size() && status_; ++i) {
      const std::string outer = std::exchange(path_, path_ + "/" + std::to_string(i));
      read_item(tree[i], out.emplace_back());
      path_ = outer;
    }
  }

  void read(const SuiteTree& tree, std::string& out) {
    if (!tree.is_string()) return fault("must be text");
    out = tree.get<std::string>();
  }
  void read(const SuiteTree& tree, double& out) {
    if (tree.is_number()) {
      out = tree.get<double>();
    } else if (tree.is_string() && (tree == "inf" || tree == "-inf")) {
      out = tree == "inf" ? HUGE_VAL : -HUGE_VAL;
    } else {
      fault(R"(must be a number, "inf" or "-inf")");
    }
  }
  template <std::integral T>
  void read(const SuiteTree& tree, T& out) {
    const bool is_positive = tree.is_number_unsigned();
    const bool fits = is_positive && tree.get<std::uint64_t>() <=
                                         static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (fits || (std::is_signed_v<T> && tree.is_number_integer() && !is_positive)) {
      out = tree.get<T>();
    } else {
      fault("must be a whole number");
    }
  }
  template <class T>
  requires std::is_enum_v<T>
  void read(const SuiteTree& tree, T& out) {
    if (!tree.is_string()) return fault("must be text");
    const auto value = detail::read_value<T>(tree.get_ref<const std::string&>());
    if (!value) return fault(plain_text(value.error().message));
    out = *value;
  }
  template <class T>
  void read(const SuiteTree& tree, std::optional<T>& out) {
    if (!tree.is_null()) read(tree, out.emplace());
  }
  template <class T>
  void read(const SuiteTree& tree, std::vector<T>& out) {
    items(tree, out, [this](const SuiteTree& item, T& value) { read(item, value); });
  }
  template <class T>
  requires requires(T& out) {
    visit_fields(out, [](std::string_view, auto&) {});
  }
  void read(const SuiteTree& tree, T& out) {
    object(tree, [&](const auto& visit) { visit_fields(out, visit); });
    if constexpr (IsFigure<T>) {
      if (!(out.lower <= out.upper)) fault("has a lower bound above its upper bound");
    }
  }
  void read(const SuiteTree& tree, EntryResult& out) {
    EntryMeta meta;
    object(tree, [&](const auto& visit) { visit_fields(out, out.figures, meta, visit); });
    out.seconds = meta.seconds;
    out.figures.insert(out.figures.end(), meta.times.begin(), meta.times.end());
    std::set<std::string_view> names;
    for (const auto& figure : out.figures) {
      if (!names.insert(figure.name).second) {
        fault("has the figure '" + plain_text(figure.name) + "' twice");
      }
    }
  }

 private:
  Status status_;
  std::string path_;
};

Result<SuiteTree> parse_suite_json(std::string_view json) {
  auto tree = SuiteTree::parse(json, nullptr, false);
  if (tree.is_discarded()) return fail(ErrorCode::kParse, "is not JSON");
  return tree;
}

}  // namespace

Json entry_json(const EntryResult& entry) {
  std::vector<EntryFigure> figures;
  EntryMeta meta{entry.seconds, {}};
  for (const auto& figure : entry.figures) {
    (figure.kind == FigureKind::kTime ? meta.times : figures).push_back(figure);
  }
  Json out = Json::object();
  visit_fields(entry, figures, meta, JsonOf{out});
  return out;
}

Result<EntryResult> read_entry(std::string_view json) {
  const SuiteTree tree = ASSAY_TRY(parse_suite_json(json));
  EntryResult entry;
  SuiteReader reader;
  reader.read(tree, entry);
  ASSAY_TRY(reader.status());
  return entry;
}

Result<SuiteReport> read_suite_report(std::string_view json) {
  const SuiteTree tree = ASSAY_TRY(parse_suite_json(json));
  if (!tree.is_object() || !tree.contains("schema") || tree["schema"] != kSuiteReportSchema) {
    return fail(ErrorCode::kParse, "is no report of a suite: its \"schema\" must be \"" +
                                       std::string(kSuiteReportSchema) + "\"");
  }
  SuiteReport report;
  SuiteReader reader;
  const SuiteTree known = {{"name", tree.value("name", SuiteTree())},
                           {"confidence", tree.value("confidence", SuiteTree())},
                           {"run", tree.value("run", SuiteTree())},
                           {"entries", tree.value("entries", SuiteTree())}};
  reader.object(known, [&](const auto& visit) {
    visit("name", report.name);
    visit("confidence", report.confidence);
    visit("run", report.run);
    visit("entries", report.entries);
  });
  ASSAY_TRY(reader.status());
  std::set<std::string_view> ids;
  for (const auto& entry : report.entries) {
    if (!ids.insert(entry.id).second) {
      return fail(ErrorCode::kParse, "has the entry '" + plain_text(entry.id) + "' twice");
    }
  }
  return report;
}

}  // namespace assay
