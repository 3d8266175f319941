#include "assay/auditors/claims/certificates/certificate_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "assay/auditors/claims/certificates/certificate_rules.hpp"
#include "assay/auditors/claims/certificates/internal/counterexample_kind.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using Tree = nlohmann::json;
using Reader = detail::CertificateReader;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kDeepest = 8;

// ---- JSON at all --------------------------------------------------------------------------------

std::string escaped(std::string key) {  // RFC 6901
  for (std::size_t at = 0; (at = key.find_first_of("~/", at)) != std::string::npos; at += 2) {
    key.replace(at, 1, key[at] == '~' ? "~0" : "~1");
  }
  return plain_text(key);
}

// Sees every token of a text once and stops at the first fault. What passes is valid JSON without
// repeated keys, which a tree of values would no longer show.
class Scan : public nlohmann::json_sax<Tree> {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  const Error& error() const { return error_; }

  bool null() override { return next(); }
  bool boolean(bool) override { return next(); }
  bool number_integer(number_integer_t) override { return next(); }
  bool number_unsigned(number_unsigned_t) override { return next(); }
  bool number_float(number_float_t, const string_t&) override { return next(); }
  bool string(string_t&) override { return next(); }
  bool binary(binary_t&) override { return next(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (level.keys.insert(name).second) return true;
    error_ = {ErrorCode::kParse, "appears twice", pointer(), 0};
    return false;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& fault) override {
    const std::size_t read = std::min(position == 0 ? 0 : position - 1, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(read), '\n');
    error_ = {ErrorCode::kParse, "is not JSON: " + reason(fault.what()), "",
              static_cast<long>(line)};
    return false;
  }

 private:
  struct Level {
    bool array = false;
    std::size_t items = 0;
    std::string key;
    std::set<std::string> keys;
  };

  // Without the parser's own name and position of the fault.
  static std::string reason(const std::string& what) {
    const auto column = what.find("column ");
    const auto colon = what.find(": ", column == std::string::npos ? 0 : column);
    const auto bracket = what.find("] ");
    if (column != std::string::npos && colon != std::string::npos) {
      return plain_text(what.substr(colon + 2));
    }
    return plain_text(bracket == std::string::npos ? what : what.substr(bracket + 2));
  }

  std::string pointer() const {
    std::string out;
    for (const Level& level : levels_) {
      out += "/" + (level.array ? std::to_string(level.items - 1) : escaped(level.key));
    }
    return out;
  }

  bool next() {
    if (!levels_.empty()) ++levels_.back().items;
    return true;
  }
  bool open(bool array) {
    next();
    if (levels_.size() == kDeepest) {
      error_ = {ErrorCode::kParse, fmt::format("is nested more than {} deep", kDeepest), pointer(),
                0};
      return false;
    }
    levels_.push_back({array, 0, {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  std::vector<Level> levels_;
  Error error_;
};

// ---- reading ------------------------------------------------------------------------------------

std::string type_text(const Tree& value) {
  if (value.is_number()) return number_text(value.get<double>());
  if (value.is_string()) return "a text";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return value.dump();  // true, false, null
}

Counterexample read_counterexample(Reader& reader, const CounterexampleKinds& kinds) {
  const Tree& value = *reader.inputs;
  if (!value.is_object()) {
    reader.mistyped("an object", value, kCounterexampleRoot);
    return {};
  }
  if (!value.contains("kind")) {
    reader.stop(ErrorCode::kParse, "is missing", kCounterexampleRoot + "/kind");
    return {};
  }
  const Tree& named = value["kind"];
  const std::string text = named.is_string() ? named.get<std::string>() : "";
  std::vector<std::string> names;
  for (const auto* kind : kinds) {
    if (text == kind->name()) return {*kind, kind->read(reader)};
    names.emplace_back(kind->name());
  }
  reader.stop(ErrorCode::kInvalidArgument, "must be " + either(names),
              kCounterexampleRoot + "/kind");
  return {};
}

void read_version(Reader& reader, const Tree& root) {
  if (!root.is_object() || !root.contains("assay_certificate")) return;
  const Tree& version = root["assay_certificate"];
  if (version != kCertificateVersion) {
    reader.mistyped(fmt::format("{}, the version of the format", kCertificateVersion), version,
                    "/assay_certificate");
  }
}

Certificate read_fields(Reader& reader, const Tree& root, const CounterexampleKinds& kinds) {
  Certificate certificate;
  read_version(reader, root);  // first: the fields of another version may be others
  if (!reader.object(root, "", {"assay_certificate", "claim", "counterexample", "numbers"})) {
    return certificate;
  }
  if (root["claim"].is_string()) {
    certificate.claim = root["claim"].get<std::string>();
  } else {
    reader.mistyped("a text", root["claim"], "/claim");
  }
  reader.inputs = &root["counterexample"];
  reader.numbers = &root["numbers"];
  certificate.counterexample = read_counterexample(reader, kinds);
  return certificate;
}

tl::unexpected<Error> too_large() {
  return fail(ErrorCode::kLimit, "is larger than 1 MiB, more than any certificate needs");
}

}  // namespace

void detail::CertificateReader::stop(ErrorCode code, std::string message, std::string path) {
  if (!failed) error = {code, std::move(message), std::move(path), 0};
  failed = true;
}

void detail::CertificateReader::mistyped(const std::string& wanted, const Tree& value,
                                         const std::string& path) {
  stop(ErrorCode::kInvalidArgument, fmt::format("must be {}, not {}", wanted, type_text(value)),
       path);
}

bool detail::CertificateReader::object(const Tree& value, const std::string& path,
                                       const std::vector<std::string>& known) {
  if (!value.is_object()) {
    mistyped("an object", value, path);
    return false;
  }
  for (const auto& item : value.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      stop(ErrorCode::kUnknownKey,
           fmt::format("is unknown here{}; allowed: {}", nearest_hint(item.key(), known),
                       fmt::join(known, ", ")),
           path + "/" + escaped(item.key()));
      return false;
    }
  }
  for (const auto& key : known) {
    if (!value.contains(key)) stop(ErrorCode::kParse, "is missing", path + "/" + key);
  }
  return !failed;
}

const nlohmann::json& detail::CertificateReader::member(const Tree& object,
                                                        const std::string& key) {
  return object[key];
}

const nlohmann::json& detail::CertificateReader::item(const Tree& list, std::size_t index) {
  return list[index];
}

double detail::CertificateReader::number(const Tree& value, const std::string& path) {
  if (value.is_number()) return value.get<double>();
  mistyped("a number", value, path);
  return 0.0;
}

std::int64_t detail::CertificateReader::whole(const Tree& value, std::int64_t low,
                                              std::int64_t high, const std::string& path) {
  const double read = value.is_number() ? value.get<double>() : std::nan("");
  if (read == std::floor(read) && read >= static_cast<double>(low) &&
      read <= static_cast<double>(high)) {
    return static_cast<std::int64_t>(read);
  }
  mistyped(fmt::format("a whole number {} to {}", low, high), value, path);
  return low;
}

std::size_t detail::CertificateReader::entries(const Tree& value, std::size_t most,
                                               const std::string& path) {
  if (!value.is_array()) {
    mistyped("a list", value, path);
  } else if (value.size() > most) {
    stop(ErrorCode::kLimit, fmt::format("must have at most {} entries, not {}", most, value.size()),
         path);
  } else {
    return value.size();
  }
  return 0;
}

std::size_t detail::CertificateReader::choice(const Tree& value,
                                              const std::vector<std::string>& names,
                                              const std::string& path) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  stop(ErrorCode::kInvalidArgument, "must be " + either(names), path);
  return 0;
}

Json certificate_json(const Certificate& certificate) {
  Json out;
  out["assay_certificate"] = kCertificateVersion;
  out["claim"] = certificate.claim;
  Json inputs;
  Json numbers;
  const Counterexample& counterexample = certificate.counterexample;
  inputs["kind"] = counterexample.kind_name();
  if (const auto* kind = counterexample.kind())
    kind->write(counterexample.found(), inputs, numbers);
  out["counterexample"] = inputs;
  out["numbers"] = numbers;
  return out;
}

std::string to_json(const Certificate& certificate) {
  return json_text(certificate_json(certificate)) + "\n";
}

Result<Certificate> read_certificate(std::string_view json, const CounterexampleKinds& kinds) {
  if (json.size() > kMostBytes) return too_large();
  Scan scan(json);
  if (!Tree::sax_parse(json, &scan)) return tl::make_unexpected(scan.error());
  Reader reader;
  const Tree root = Tree::parse(json);
  Certificate certificate = read_fields(reader, root, kinds);
  if (reader.failed) return tl::make_unexpected(reader.error);
  ASSAY_TRY(check_rules(certificate, kinds));
  return certificate;
}

Result<Certificate> read_certificate_file(const std::string& path,
                                          const CounterexampleKinds& kinds) {
  const auto json = read_whole_file(path, kMostBytes);
  if (json) return read_certificate(*json, kinds);
  if (json.error().code == ErrorCode::kLimit) return too_large();
  return fail(json.error().code, json.error().message);
}

}  // namespace assay
