#include "assay/policies/external/child_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr std::string_view kOwnPrefix = "ASSAY_";
constexpr std::string_view kProtocol = "ASSAY_PROTOCOL=1";

// Sorted by purpose. docs/protocol.md has the same list, and a test compares them.
constexpr std::array<std::string_view, 40> kPassed = {
    // user, folders, language and encoding
    "HOME", "LANG", "LANGUAGE", "LOGNAME", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR", "TZ", "USER",
    // programs, libraries and modules
    "CONDA_PREFIX", "GEM_HOME", "GEM_PATH", "JAVA_HOME", "JULIA_DEPOT_PATH", "JULIA_LOAD_PATH",
    "JULIA_PROJECT", "LD_LIBRARY_PATH", "NODE_PATH", "PATH", "PERL5LIB", "PYENV_ROOT",
    "PYENV_VERSION", "RUBYLIB", "R_HOME", "R_LIBS", "R_LIBS_SITE", "R_LIBS_USER", "VIRTUAL_ENV",
    // sanitizers and threads
    "ASAN_OPTIONS", "LSAN_OPTIONS", "MKL_NUM_THREADS", "MSAN_OPTIONS", "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
    "CUDA_VISIBLE_DEVICES"};
constexpr std::array<std::string_view, 2> kPassedPrefixes = {"LC_", "PYTHON"};

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool is_own(std::string_view name) { return name.substr(0, kOwnPrefix.size()) == kOwnPrefix; }

bool is_passed(std::string_view name) {
  const auto begins = [&](std::string_view prefix) {
    return name.substr(0, prefix.size()) == prefix;
  };
  return std::find(kPassed.begin(), kPassed.end(), name) != kPassed.end() ||
         std::any_of(kPassedPrefixes.begin(), kPassedPrefixes.end(), begins);
}

bool is_named(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& one) { return one == name || one == kAllVariables; });
}

// The variables of this process for which `takes` is true, without Assay's own.
template <class Takes>
std::vector<std::string> taken(const Takes& takes) {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view name = name_of(*entry);
    if (!is_own(name) && takes(name)) out.emplace_back(*entry);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Status check_environment(const std::vector<std::string>& names) {
  std::vector<std::string> set;
  for (const auto& entry : taken([](std::string_view) { return true; })) {
    set.emplace_back(name_of(entry));
  }
  for (const auto& name : names) {
    const auto refused = [&](const std::string& why) {
      return fail(ErrorCode::kInvalidArgument, "'" + name + "' " + why);
    };
    if (name == kAllVariables) continue;
    if (name.empty() || name.find('=') != std::string::npos) {
      return refused(
          "is not the name of a variable; give only the name, and the target gets the value that "
          "is set here");
    }
    if (is_own(name)) {
      return refused("is a variable of Assay's own: no target gets ASSAY_* variables");
    }
    if (std::find(set.begin(), set.end(), name) == set.end()) {
      // The hint names only similar variables: the whole list is long, and may be confidential.
      const std::string hint = nearest_hint(name, set);
      return refused("is not set; set it (an empty value will do), or leave it out" +
                     (hint.rfind("; known", 0) == 0 ? "" : hint));
    }
  }
  return {};
}

std::vector<std::string> child_environment(const std::vector<std::string>& names) {
  auto out = taken([&](std::string_view name) { return is_passed(name) || is_named(names, name); });
  out.emplace_back(kProtocol);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> named_environment(const std::vector<std::string>& names) {
  return taken([&](std::string_view name) { return is_named(names, name); });
}

std::vector<std::string> passed_variables() {
  std::vector<std::string> out(kPassed.begin(), kPassed.end());
  for (const auto prefix : kPassedPrefixes) out.push_back(std::string(prefix) + "*");
  std::sort(out.begin(), out.end());
  return out;
}

std::string environment_advice(const std::vector<std::string>& names) {
  if (is_named(names, kAllVariables)) return "";
  return "\nit gets only the usual environment variables; --env NAME passes on another one (in a "
         "suite: environment = [\"NAME\"])";
}

}  // namespace assay
