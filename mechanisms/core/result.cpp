#include "assay/mechanisms/core/result.hpp"

namespace assay {

tl::unexpected<Error> fail(ErrorCode code, std::string_view message, std::string_view path,
                           long line) {
  return tl::make_unexpected(Error{code, std::string(message), std::string(path), line});
}

std::string Error::to_string() const {
  std::string text = path;
  if (line > 0) text += (text.empty() ? "line " : ":") + std::to_string(line);
  if (!text.empty()) text += ": ";
  return text + message;
}

}  // namespace assay
