#include "assay/mechanisms/core/files.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "assay/mechanisms/core/map_chunks.hpp"

namespace assay {

// Named for the member of a class outside this file that has one.
namespace detail {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }

  bool opened() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace detail

namespace {

using detail::Descriptor;

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as Linux follows

std::string reason(int error) {
  return error != 0 ? std::strerror(error) : "the system gives no reason";
}

tl::unexpected<Error> io_error(const std::string& path, const std::string& why) {
  return fail(ErrorCode::kIo, why, path);
}

tl::unexpected<Error> interrupted(const std::string& path) {
  return fail(ErrorCode::kInterrupted, "interrupted while waiting for the other end", path);
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

Result<std::string> absolute_path(const std::string& path) {
  std::error_code why;
  auto found = fs::absolute(path, why);
  if (why) return io_error(path, why.message());
  return found.string();
}

Result<std::string> canonical_path(const std::string& path) {
  std::error_code why;
  auto found = fs::weakly_canonical(path, why);
  if (why && path_exists(path)) return absolute_path(path);  // that of a pipe, as /dev/stdin
  if (why) return io_error(path, why.message());
  return found.string();
}

bool path_exists(const std::string& path) {
  std::error_code none;
  return fs::exists(path, none);
}

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

namespace {

Status replace_here(const std::string& path, std::string_view bytes) {
  const auto place = ASSAY_TRY(place_of(path));
  errno = 0;
  if (place.is_special()) {
    const bool is_pipe = S_ISFIFO(place.there->st_mode);
    int opened = -1;
    // Nothing wakes a writer when a reader comes.
    while ((opened = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) < 0 &&
           is_pipe && errno == ENXIO) {
      const timespec pause{0, 20'000'000};
      if (nanosleep(&pause, nullptr) != 0) return interrupted(path);
    }
    const Descriptor file(opened);
    if (file.opened() && write_all(file.get(), bytes)) return {};
    return io_error(path, reason(errno));
  }
  NewFile file(place.folder(), place.like());
  if (file.created() && file.write(bytes) && file.rename_to(place.path)) return {};
  return io_error(path, reason(errno));
}

Status check_here(const std::string& path) {
  const auto place = ASSAY_TRY(place_of(path));
  if (place.is_special()) return {};
  errno = 0;
  const NewFile probe(place.folder(), nullptr);
  if (probe.created()) return {};
  return io_error(path, reason(errno));
}

}  // namespace

Status replace_file(const std::string& path, std::string_view bytes) {
  return found_by_first([&] { return replace_here(path, bytes); });
}

Status check_replaceable(const std::string& path) {
  return found_by_first([&] { return check_here(path); });
}

namespace detail {

// Reads without waiting, except in poll(), which every caught signal ends.
class WaitingReader {
 public:
  static Result<WaitingReader> open(const std::string& path, FileKind kind) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat found {};
    if (!file.opened() || fstat(file.get(), &found) != 0) {
      return io_error(path, "cannot be read: " + reason(errno));
    }
    if (kind == FileKind::kRegular && !S_ISREG(found.st_mode)) {
      return io_error(path, "cannot be read: it is not a regular file");
    }
    // Until a named pipe has had a writer, a read would find its end. A pipe of /dev/fd has had one.
    struct statfs system {};
    const bool waits = S_ISFIFO(found.st_mode) && fstatfs(file.get(), &system) == 0 &&
                       system.f_type != PIPEFS_MAGIC;
    return WaitingReader(path, std::move(file), waits);
  }

  // The number of bytes; 0 at the end.
  Result<std::size_t> read(std::string& block) {
    if (std::exchange(waits_, false)) ASSAY_TRY(wait());
    for (;;) {
      const ssize_t got = ::read(file_.get(), block.data(), block.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EAGAIN && errno != EINTR) {
        return io_error(path_, "cannot be read: " + reason(errno));
      }
      if (errno == EAGAIN) ASSAY_TRY(wait());
    }
  }
  const std::string& path() const { return path_; }

 private:
  WaitingReader(std::string path, Descriptor file, bool waits)
      : path_(std::move(path)), file_(std::move(file)), waits_(waits) {}

  Status wait() const {
    pollfd until{file_.get(), POLLIN, 0};
    if (poll(&until, 1, -1) < 0 && errno == EINTR) return interrupted(path_);
    return {};
  }

  std::string path_;
  Descriptor file_;
  bool waits_;
};

}  // namespace detail

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

tl::unexpected<Error> too_many_bytes(const std::string& path, std::size_t most) {
  return fail(ErrorCode::kLimit, "has more than " + std::to_string(most) + " bytes, the limit",
              path);
}

}  // namespace

namespace {

Result<std::string> read_here(const std::string& path, std::size_t most, FileKind kind) {
  auto file = ASSAY_TRY(detail::WaitingReader::open(path, kind));
  std::string text;
  std::string block(kBlock, '\0');
  for (;;) {
    const std::size_t got = ASSAY_TRY(file.read(block));
    if (got == 0) return text;
    if (got > most - text.size()) return too_many_bytes(path, most);
    text.append(block.data(), got);
  }
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t most, FileKind kind) {
  return found_by_first([&] { return read_here(path, most, kind); });
}

class LineFile::Source {
 public:
  explicit Source(detail::WaitingReader file) : file_(std::move(file)), block_(kBlock, '\0') {}

  // Appends the rest of the line to `line`, up to `most` bytes of it. False at the end of the file.
  Result<bool> append_line(std::string& line, std::size_t most) {
    for (;;) {
      if (at_ == filled_) {
        filled_ = ASSAY_TRY(file_.read(block_));
        at_ = 0;
        if (filled_ == 0) return false;
      }
      const std::string_view rest(block_.data() + at_, filled_ - at_);
      const std::size_t length = rest.find('\n');
      const std::string_view part = rest.substr(0, length);
      if (part.size() > most - line.size()) {
        line.append(part.substr(0, most - line.size()));
        return fail(ErrorCode::kLimit,
                    "has more than " + std::to_string(most) + " bytes, the limit of a line",
                    path());
      }
      line += part;
      at_ += part.size();
      if (length == rest.npos) continue;
      ++at_;
      return true;
    }
  }
  const std::string& path() const { return file_.path(); }

 private:
  detail::WaitingReader file_;
  std::string block_;
  std::size_t at_ = 0, filled_ = 0;
};

LineFile::LineFile(std::unique_ptr<Source> source, std::size_t most)
    : source_(std::move(source)), most_(most) {}
LineFile::LineFile(LineFile&&) noexcept = default;
LineFile& LineFile::operator=(LineFile&&) noexcept = default;
LineFile::~LineFile() = default;

Result<LineFile> LineFile::open(const std::string& path, std::size_t most) {
  std::error_code none;
  if (fs::is_regular_file(path, none) && fs::file_size(path, none) > most && !none) {
    return too_many_bytes(path, most);
  }
  auto file = ASSAY_TRY(detail::WaitingReader::open(path, FileKind::kAny));
  return LineFile(std::make_unique<Source>(std::move(file)), most);
}

Result<bool> LineFile::next(std::string& line) {
  line.clear();
  ++number_;
  auto more = source_->append_line(line, kLineBytes);
  if (!more) {
    if (more.error().code == ErrorCode::kLimit) more.error().line = number_;
    return tl::make_unexpected(more.error());
  }
  bytes_ += line.size() + 1;
  // The last line may have no break.
  if (bytes_ > most_ + 1) return too_many_bytes(source_->path(), most_);
  return *more || !line.empty();
}

}  // namespace assay
