#include "assay/auditors/session/internal/toml_file.hpp"

#include "assay/auditors/session/internal/toml_guard.hpp"
#include "assay/mechanisms/core/files.hpp"

namespace assay::detail {

Result<toml::table> parse_toml(const std::string& text, const std::string& path) {
  ASSAY_TRY(check_toml_text(text, path));
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& problem) {
    return fail(ErrorCode::kParse, std::string(problem.description()), path,
                static_cast<long>(problem.source().begin.line));
  }
}

Result<toml::table> read_toml(const std::string& path, const std::string& what, std::size_t most) {
  auto text = read_whole_file(path, most);
  if (!text) {
    if (text.error().code != ErrorCode::kInterrupted) {
      text.error().message = what + " " + text.error().message;
    }
    return tl::make_unexpected(text.error());
  }
  return parse_toml(*text, path);
}

}  // namespace assay::detail
