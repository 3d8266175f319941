#include "assay/policies/external/sandbox.hpp"

#include <filesystem>
#include <system_error>

namespace assay {

std::vector<std::string> sandbox_words() {
  // Below /dev, which is the sandbox's own, so that it hides no file of the program's.
  const std::string scratch = "/dev/shm";
  // Without a PID namespace of its own: in the supervisor's, process ids differ from run to run.
  std::vector<std::string> words = {"bwrap",
                                    "--die-with-parent",
                                    "--new-session",
                                    "--unshare-net",
                                    "--unshare-ipc",
                                    "--cap-drop",
                                    "ALL",
                                    "--ro-bind",
                                    "/",
                                    "/",
                                    "--dev",
                                    "/dev",
                                    "--tmpfs",
                                    "/run"};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("nvidia") || name == "dri" || name == "kfd") {
      words.insert(words.end(), {"--dev-bind", entry.path().string(), entry.path().string()});
    }
  }
  words.insert(words.end(), {"--size", std::to_string(1U << 30), "--tmpfs", scratch});
  for (const char* name : {"TMPDIR", "TMP", "TEMP"}) {
    words.insert(words.end(), {"--setenv", name, scratch});
  }
  words.push_back("--");
  return words;
}

std::string sandbox_advice(std::string_view error) {
  if (error.empty()) return "; --sandbox needs it: install the package bubblewrap";
  if (error.find("bwrap: ") == std::string_view::npos ||
      error.find("bwrap: execvp ") != std::string_view::npos) {
    return "";
  }
  return "\nthe system refuses the sandbox: bwrap (package bubblewrap) needs user namespaces, or root with "
         "CAP_SYS_ADMIN; in a container, run Assay without --sandbox and let the container be one";
}

}  // namespace assay
