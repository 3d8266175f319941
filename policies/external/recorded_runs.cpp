#include "assay/policies/external/recorded_runs.hpp"

#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/internal/messages.hpp"

namespace assay {
namespace {

using Json = nlohmann::json;

constexpr int kFormatVersion = 1;

constexpr std::size_t kMostHeaderBytes = 65536;  // because it is read as a whole, with its comment

Result<InputShape> read_header(const std::string& line) {
  if (line.size() > kMostHeaderBytes) {
    return fail(ErrorCode::kParse,
                "the first line must have at most " + std::to_string(kMostHeaderBytes) + " bytes");
  }
  const Json header = Json::parse(line, nullptr, false);
  if (!header.is_object() || !header.contains("assay_transcripts")) {
    return fail(ErrorCode::kParse,
                "the first line must be {\"assay_transcripts\": 1, \"shape\": {...}}");
  }
  if (header["assay_transcripts"] != kFormatVersion) {
    return fail(ErrorCode::kParse, "format version " + header["assay_transcripts"].dump() +
                                       ", but this Assay reads version " +
                                       std::to_string(kFormatVersion));
  }
  for (const auto& item : header.items()) {
    const auto& key = item.key();
    if (key != "assay_transcripts" && key != "shape" && key != "comment") {
      return fail(ErrorCode::kParse, "unknown field \"" + key + "\"");
    }
  }
  if (!header.contains("shape")) return fail(ErrorCode::kParse, "lacks \"shape\"");
  return detail::read_shape(header["shape"]);
}

tl::unexpected<Error> at(const std::string& path, long line, const Error& error) {
  return fail(ErrorCode::kParse, error.message, path, line);
}

}  // namespace

Result<RecordedRuns> read_recorded_runs(const std::string& path) {
  auto in = ASSAY_TRY(LineFile::open(path));
  RecordedRuns recorded;
  std::string text;
  long line = 0;
  long blank = 0;
  for (;;) {
    const auto more = ASSAY_TRY(in.next(text));
    if (!more) break;
    ++line;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.empty()) {
      if (blank == 0) blank = line;
      continue;
    }
    if (blank != 0)
      return at(path, blank, {ErrorCode::kParse, "a blank line may only come last", "", 0});
    if (line == 1) {
      const auto shape = read_header(text);
      if (!shape) return at(path, line, shape.error());
      recorded.shape = *shape;
      continue;
    }
    detail::AnswerReader reader(recorded.shape, 1, detail::AnswerReader::Line::kOutput);
    if (!reader.read(text)) {
      return at(path, line,
                {ErrorCode::kParse,
                 "the output " + (reader.is_json() ? reader.trouble() : "is not JSON"), "", 0});
    }
    const auto output = reader.take_outputs();
    recorded.outputs.values.insert(recorded.outputs.values.end(), output.values.begin(),
                                   output.values.end());
    ++recorded.outputs.count;
  }
  if (line == 0) return fail(ErrorCode::kParse, "is empty", path);
  if (recorded.outputs.count == 0) return fail(ErrorCode::kParse, "holds no output", path);
  recorded.outputs.width = recorded.shape.width();
  return recorded;
}

}  // namespace assay
