#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/result.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as Linux follows

std::string reason(int error) {
  return error != 0 ? std::strerror(error) : "the system gives no reason";
}

tl::unexpected<Error> io_error(const std::string& path, const std::string& why) {
  return fail(ErrorCode::kIo, why, path);
}

// Blocks the signals that a failing write sends to its thread, and takes back those that came.
class QuietWrites {
 public:
  QuietWrites() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGPIPE);
    sigaddset(&signals_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1 || sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~QuietWrites() {
    const int kept = errno;
    const timespec now{};
    while (!was_pending_ && sigtimedwait(&signals_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = kept;
  }
  QuietWrites(const QuietWrites&) = delete;
  QuietWrites& operator=(const QuietWrites&) = delete;

 private:
  sigset_t signals_;
  sigset_t before_;
  bool was_pending_ = false;
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool opened() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

// A new file of this process alone, removed unless it is renamed.
class NewFile {
 public:
  // `like`: the file that it is going to replace, if there is one.
  NewFile(const fs::path& folder, const struct stat* like) : folder_(folder) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      std::uint64_t word = 0;
      if (getrandom(&word, sizeof word, 0) != static_cast<ssize_t>(sizeof word)) return;
      std::array<char, 32> name{};
      std::snprintf(name.data(), name.size(), ".assay-%016jx.part", std::uintmax_t{word});
      path_ = (folder / name.data()).string();
      fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                 like != nullptr ? 0600 : 0666);
      if (fd_ >= 0 || errno != EEXIST) break;
    }
    created_ = fd_ >= 0;
    if (!created_ || like == nullptr) return;
    // The owner first, since that clears bits of the mode. A process that may not give files away keeps
    // them. One that may not set a mode keeps one that is closed to others.
    [[maybe_unused]] const int given = fchown(fd_, like->st_uid, like->st_gid);
    [[maybe_unused]] const int kept = fchmod(fd_, like->st_mode & 0777);
  }
  ~NewFile() {
    if (fd_ >= 0) close(fd_);
    if (created_) unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  bool created() const { return created_; }

  bool write(std::string_view bytes) {
    if (!write_all(fd_, bytes) || fsync(fd_) != 0) return false;
    return close(std::exchange(fd_, -1)) == 0;
  }
  bool rename_to(const fs::path& target) {
    if (std::rename(path_.c_str(), target.c_str()) != 0) return false;
    created_ = false;
    // The flush of the folder brings the rename to the disk. A system that cannot flush a folder still
    // has either file.
    const Descriptor folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.opened()) static_cast<void>(fsync(folder.get()));
    return true;
  }

 private:
  fs::path folder_;
  std::string path_;
  int fd_ = -1;
  bool created_ = false;
};

// The path that gets the bytes, once links are followed.
struct Place {
  fs::path path;
  std::optional<struct stat> there;  // the existing file, if any

  fs::path folder() const { return path.has_parent_path() ? path.parent_path() : fs::path("."); }
  bool is_special() const { return there && !S_ISREG(there->st_mode); }
  const struct stat* like() const { return there ? &*there : nullptr; }
};

Result<Place> place_of(const std::string& path) {
  Place place{path, {}};
  struct stat found {};
  // Ask the system first: it may refuse links that other users have put into a shared folder.
  if (stat(path.c_str(), &found) == 0) {
    place.there = found;
  } else if (errno != ENOENT) {
    return io_error(path, reason(errno));
  }
  if (place.there && S_ISDIR(place.there->st_mode)) return io_error(path, "it is a folder");
  if (place.there && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    return io_error(path, reason(errno));
  }
  if (place.is_special()) return place;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(place.path, error)); ++links) {
    const fs::path target = fs::read_symlink(place.path, error);
    if (error || links >= kMostLinks) return io_error(path, reason(error ? error.value() : ELOOP));
    place.path = target.is_absolute() ? target : place.folder() / target;
  }
  return place;
}

}  // namespace

bool write_all(int descriptor, std::string_view bytes) {
  const QuietWrites quiet;
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      pollfd until{descriptor, POLLOUT, 0};
      poll(&until, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      if (written == 0) errno = EIO;
      return false;
    }
  }
  return true;
}

Status replace_file(const std::string& path, std::string_view bytes) {
  const auto place = ASSAY_TRY(place_of(path));
  errno = 0;
  if (place.is_special()) {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (file.opened() && write_all(file.get(), bytes)) return {};
    return io_error(path, reason(errno));
  }
  NewFile file(place.folder(), place.like());
  if (file.created() && file.write(bytes) && file.rename_to(place.path)) return {};
  return io_error(path, reason(errno));
}

Status check_replaceable(const std::string& path) {
  const auto place = ASSAY_TRY(place_of(path));
  if (place.is_special()) return {};
  errno = 0;
  const NewFile probe(place.folder(), nullptr);
  if (probe.created()) return {};
  return io_error(path, reason(errno));
}

Result<std::string> read_whole_file(const std::string& path, std::size_t most, FileKind kind) {
  // Does not wait for the other end of a pipe that is not allowed anyway.
  const int wait = kind == FileKind::kRegular ? O_NONBLOCK : 0;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | wait));
  struct stat found {};
  if (!file.opened() || fstat(file.get(), &found) != 0) {
    return io_error(path, "cannot be read: " + reason(errno));
  }
  if (kind == FileKind::kRegular && !S_ISREG(found.st_mode)) {
    return io_error(path, "cannot be read: it is not a regular file");
  }
  std::string text;
  std::string block(std::size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t got = read(file.get(), block.data(), block.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(path, "cannot be read: " + reason(errno));
    if (static_cast<std::size_t>(got) > most - text.size()) {
      return fail(ErrorCode::kLimit, "has more than " + std::to_string(most) + " bytes, the limit",
                  path);
    }
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

namespace {
tl::unexpected<Error> too_many_bytes(const std::string& path, std::size_t most) {
  return fail(ErrorCode::kLimit, "has more than " + std::to_string(most) + " bytes", path);
}
}  // namespace

Result<LineFile> LineFile::open(const std::string& path, std::size_t most) {
  std::error_code none;
  if (std::filesystem::is_regular_file(path, none) &&
      std::filesystem::file_size(path, none) > most && !none) {
    return too_many_bytes(path, most);
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return io_error(path, "cannot be read: " + reason(errno));
  return LineFile(path, std::move(in), most);
}

Result<bool> LineFile::next(std::string& line) {
  line.clear();
  errno = 0;
  auto* const buffer = in_.rdbuf();
  constexpr auto kEnd = std::ifstream::traits_type::eof();
  ++number_;
  int got = kEnd;
  try {
    for (got = buffer->sbumpc(); got != kEnd && got != '\n'; got = buffer->sbumpc()) {
      if (line.size() == kLineBytes) {
        return fail(ErrorCode::kLimit,
                    "has more than " + std::to_string(kLineBytes) + " bytes, the limit of a line",
                    path_, number_);
      }
      line += static_cast<char>(got);
    }
  } catch (const std::exception&) {  // libstdc++ throws if a read fails
    return io_error(path_, "cannot be read: " + reason(errno));
  }
  bytes_ += line.size() + 1;
  if (bytes_ > most_ + 1) return too_many_bytes(path_, most_);  // the last line may have no break
  return got != kEnd || !line.empty();
}

}  // namespace assay
