// Reads files whole or line by line, within a limit, and replaces files as a whole.
//
// Whenever the process or the machine dies, a replaced file is either the older or the newer one,
// and complete. The bytes go to a new file in the same folder, which is flushed to the disk and
// renamed, and the folder is flushed after it. The name of the new file comes from getrandom, and
// O_EXCL and O_NOFOLLOW ensure that no other process owns it. Any failure removes it. Only a process
// that is killed while it writes leaves one behind, ".assay-<16 digits>.part".
//   - A symbolic link stays: the file to which it leads is replaced, or created.
//   - A replaced file keeps its mode, and its owner if the system allows that; a new file follows the
//     umask. A file without write permission is not replaced.
//   - The bytes go directly into anything that is not a regular file (a device, a named pipe).
//
// A signal that the process catches ends the wait for the other end of a pipe, as kInterrupted.
//
// Where several processes run a command together (chunk_engine.hpp), the first one writes, and reads whole files for all.
//
// Threads: any thread may call every function. Cost: two flushes per replacement.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Errors (kIo) name the file and the system's reason.
Status replace_file(const std::string& path, std::string_view bytes);

// Whether replace_file would now find a place for its bytes. Changes nothing. Errors: a folder that
// is missing or takes no new file; a path that is a folder or has no write permission.
Status check_replaceable(const std::string& path);

// Writes every byte, or returns false with the reason in errno. Waits if the descriptor would block. A
// broken pipe (EPIPE) or a full limit (EFBIG) is an error, not a signal.
bool write_all(int descriptor, std::string_view bytes);

// Errors (kIo) of both: a working folder that is gone; of the second also links in a circle, a name that is too long, or a
// folder on the way that may not be entered. What does not exist is no error.
Result<std::string> absolute_path(const std::string& path);
Result<std::string> canonical_path(const std::string& path);  // without links

// False also where the system does not tell.
bool path_exists(const std::string& path);

enum class FileKind { kAny, kRegular };  // kAny includes pipes, such as a shell's <(...)

// Errors: (kIo) a file that cannot be read; a folder; with kRegular anything but a regular file;
// (kLimit) a file of more than `most` bytes, of which no more are read.
Result<std::string> read_whole_file(const std::string& path, std::size_t most,
                                    FileKind kind = FileKind::kAny);

// Reads the lines of a text file one after another. It takes the memory of one line.
class LineFile {
 public:
  static constexpr std::size_t kLineBytes = std::size_t{64} << 20;
  static constexpr std::size_t kFileBytes = std::size_t{16} << 30;
  // For a file of at most 4,000,000 numbers that all stay in memory: 64 bytes each, with comments and other columns.
  static constexpr std::size_t kInputBytes = std::size_t{256} << 20;

  // Errors: a file that cannot be read; (kLimit) a regular file of more than `most` bytes, before reading any.
  static Result<LineFile> open(const std::string& path, std::size_t most = kFileBytes);

  // The next line without its line break; false at the end. Errors: a read that fails; (kLimit) a
  // line of more than kLineBytes, more than `most` bytes in all.
  Result<bool> next(std::string& line);

  LineFile(LineFile&&) noexcept;
  LineFile& operator=(LineFile&&) noexcept;
  ~LineFile();

 private:
  class Source;
  LineFile(std::unique_ptr<Source> source, std::size_t most);
  std::unique_ptr<Source> source_;
  std::size_t most_;
  long number_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace assay
