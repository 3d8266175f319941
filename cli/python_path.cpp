#include "assay/cli/python_path.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace assay::cli {

void add_python_path() {
  std::error_code error;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  const auto folder =
      std::filesystem::canonical(command.parent_path() / ASSAY_PYTHON_FROM_COMMAND, error);
  if (error) return;
  const char* before = std::getenv("PYTHONPATH");
  std::string path = before != nullptr ? before : "";
  if (!path.empty()) path += ":";
  setenv("PYTHONPATH", (path + folder.string()).c_str(), 1);
}

}  // namespace assay::cli
