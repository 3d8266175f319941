#include "assay/policies/external/adapters.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModule = "assay_target.py";

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1U) * 0xEDB88320U;
  }
  return ~crc;
}

template <class... Number>
std::string little_endian(Number... numbers) {
  std::string out;
  const auto add = [&out](auto number) {
    for (std::size_t i = 0; i < sizeof number; ++i) out += static_cast<char>(number >> 8 * i & 255);
  };
  (add(numbers), ...);
  return out;
}

// A ZIP archive (PKWARE's APPNOTE 4.3) of one uncompressed file: its header and bytes, the
// directory, and the position of the directory.
std::string archive_of(std::string_view name, std::string_view text) {
  using Short = std::uint16_t;
  using Long = std::uint32_t;
  const auto size = static_cast<Long>(text.size());
  // Version 1.0; no flags, stored; midnight of the 1st of January 1980; no extra field.
  const std::string about =
      little_endian(Short{10}, Short{0}, Short{0}, Short{0}, Short{0x21}, crc32(text), size, size,
                    static_cast<Short>(name.size()), Short{0});
  std::string out = "PK\3\4" + about;
  out += name;
  out += text;
  const auto directory = static_cast<Long>(out.size());
  out += "PK\1\2" + little_endian(Short{10}) + about +
         little_endian(Short{0}, Short{0}, Short{0}, Long{0}, Long{0});
  out += name;
  const auto end = static_cast<Long>(out.size());
  return out + "PK\5\6" +
         little_endian(Short{0}, Short{0}, Short{1}, Short{1}, end - directory, directory,
                       Short{0});
}

// A file in memory that holds these bytes and can never change; -1 if there can be none.
int sealed_file(const std::string& bytes) {
  constexpr unsigned kNoExec = 8;  // MFD_NOEXEC_SEAL of Linux 6.3, which some systems require
  const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int made = memfd_create("assay_target", flags | kNoExec);
  if (made < 0) made = memfd_create("assay_target", flags);
  if (made < 0) return -1;
  // Keeps clear of 0 to 2, which whoever runs Assay may have closed.
  const int file = fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(made);
  if (file < 0) return -1;
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t written = write(file, left.data(), left.size());
    if (written <= 0) break;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (left.empty() && fcntl(file, F_ADD_SEALS, kSeals) == 0) return file;
  close(file);
  return -1;
}

// The folder beside this program, if the module there is this one; otherwise empty.
std::string folder_beside() {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  const auto folder = fs::canonical(program.parent_path() / ASSAY_PYTHON_FROM_COMMAND, error);
  if (error) return "";
  std::ifstream file(folder / kModule, std::ios::binary);
  const auto text = python_adapter();
  std::string found(text.size() + 1, '\0');
  file.read(found.data(), static_cast<std::streamsize>(found.size()));
  found.resize(static_cast<std::size_t>(file.gcount()));
  return found == text ? folder.string() : "";
}

const std::string& folder_with_module() {
  static const std::string folder = folder_beside();
  return folder;
}

std::string place_of_module() {
  if (const auto& folder = folder_with_module(); !folder.empty()) return folder;
  static const int file = sealed_file(archive_of(kModule, python_adapter()));
  std::error_code error;
  // This uses the process number that /proc knows, which differs in another namespace.
  const auto process = fs::read_symlink("/proc/self", error);
  if (file < 0 || error) return "";
  return std::string(kModuleInNamespace) + ":/proc/" + process.string() + "/fd/" +
         std::to_string(file);
}

}  // namespace

std::string_view module_in_namespace() {
  return folder_with_module().empty() ? python_adapter() : "";
}

void add_python_adapter(std::vector<std::string>& environment) {
  const std::string place = place_of_module();
  if (place.empty()) return;
  const std::string name = "PYTHONPATH=";
  const auto entry =
      std::find_if(environment.begin(), environment.end(),
                   [&](const std::string& one) { return one.compare(0, name.size(), name) == 0; });
  if (entry == environment.end()) {
    environment.push_back(name + place);
  } else {
    *entry += (*entry == name ? "" : ":") + place;
  }
}

}  // namespace assay
