#include "assay/policies/simulation/checkpoint.hpp"

#include <bit>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "assay simulation checkpoint, format ";
constexpr std::string_view kFormat = "1";
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // more than any simulation keeps
constexpr std::size_t kShownBytes = 1000;    // of an identity's line that a message shows
constexpr std::size_t kChecksumLength = 17;  // 16 digits and a line break

std::string checksum(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint64_t hash = hash_purpose(bytes);
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(hash >> shift) & 0xf];
  return text + "\n";
}

// ---- writing ------------------------------------------------------------------------------------

class Writer {
 public:
  void number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> shift));
    }
  }
  void number(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  void number(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view value) {
    number(std::uint64_t{value.size()});
    bytes_ += value;
  }
  template <class T>
  void list(const std::vector<T>& values) {
    number(std::uint64_t{values.size()});
    for (const T value : values) number(value);
  }
  void moments(const Moments& m) {
    number(m.count);
    list(m.mean);
    list(m.squares);
  }
  void raw(std::string_view value) { bytes_ += value; }
  std::string take() { return std::move(bytes_); }
  std::string_view view() const { return bytes_; }

 private:
  std::string bytes_;
};

void write_chunk(Writer& out, const ChunkResult& chunk) {
  out.moments(chunk.pseudo);
  out.moments(chunk.realised);
  out.list(chunk.final_pseudo);
  out.list(chunk.final_realised);
  out.list(chunk.instance_mu);
  out.list(chunk.pulls);
}

// ---- reading ------------------------------------------------------------------------------------

// A read past the end fails silently; ok() reports it.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }

  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::string_view taken = take(8);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(taken[i])} << (8 * i);
    }
    return value;
  }
  std::string text() { return std::string(take(number())); }

  void read(std::int64_t& out) { out = static_cast<std::int64_t>(number()); }
  void read(double& out) { out = std::bit_cast<double>(number()); }
  template <class T>
  void read(std::vector<T>& out) {
    const std::uint64_t count = number();
    if (count > bytes_.size() / 8) ok_ = false;
    if (!ok_) return;
    out.resize(count);
    for (T& value : out) read(value);
  }
  void read(Moments& out) {
    read(out.count);
    read(out.mean);
    read(out.squares);
  }
  void read(ChunkResult& out) {
    read(out.pseudo);
    read(out.realised);
    read(out.final_pseudo);
    read(out.final_realised);
    read(out.instance_mu);
    read(out.pulls);
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) ok_ = false;
    if (!ok_) return {};
    const auto taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

std::string_view take_line(std::string_view& bytes) {
  const auto end = std::min(bytes.find('\n'), bytes.size());
  const auto line = bytes.substr(0, end);
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return line;
}

std::string shown(const std::string& line) {
  return line.size() <= kShownBytes ? line : line.substr(0, kShownBytes) + "...";
}

// The first difference, or an empty text if they agree.
std::string identity_difference(const std::vector<KeyValue>& theirs,
                                const std::vector<KeyValue>& ours) {
  const auto line = [](const std::vector<KeyValue>& all, std::size_t i) {
    return i < all.size() ? all[i].key + " = " + all[i].value : std::string("nothing more");
  };
  for (std::size_t i = 0; i < std::max(theirs.size(), ours.size()); ++i) {
    if (line(theirs, i) != line(ours, i)) {
      return "it says '" + shown(line(theirs, i)) + "', this run is '" + shown(line(ours, i)) + "'";
    }
  }
  return {};
}

}  // namespace

std::optional<KeyValue> take_key_value(std::string_view& bytes) {
  const auto line = take_line(bytes);
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return KeyValue{std::string(line.substr(0, equals)), std::string(line.substr(equals + 1))};
}

std::string with_checksum(std::string bytes) {
  bytes += checksum(bytes);
  return bytes;
}

Result<std::string_view> checked_body(std::string_view bytes, std::size_t header,
                                      const std::string& path) {
  if (bytes.size() < header + kChecksumLength) return refused_checkpoint("is truncated", path);
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumLength);
  if (checksum(body) == bytes.substr(body.size())) return body;
  return refused_checkpoint("is damaged or truncated: its checksum does not fit its content", path);
}

tl::unexpected<Error> refused_checkpoint(const std::string& why, const std::string& path,
                                         long line) {
  return fail(ErrorCode::kParse, why + "; it was left as it is", path, line);
}

std::string checkpoint_bytes(const Checkpoint& checkpoint) {
  Writer out;
  out.raw(kMagic);
  out.raw(kFormat);
  out.raw("\n");
  for (const auto& [key, value] : checkpoint.identity) out.raw(key + "=" + value + "\n");
  out.raw("\n");
  out.number(std::uint64_t{checkpoint.sections.size()});
  for (const auto& [key, chunks] : checkpoint.sections) {
    out.text(key);
    out.number(std::uint64_t{chunks.size()});
    for (const auto& [index, chunk] : chunks) {
      out.number(index);
      write_chunk(out, chunk);
    }
  }
  return with_checksum(out.take());
}

Result<Checkpoint> parse_checkpoint(std::string_view bytes, const std::vector<KeyValue>& identity,
                                    const std::string& path) {
  const auto refuse = [&path](const std::string& why) { return refused_checkpoint(why, path); };
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return refuse("is not a checkpoint of assay simulate");
  }
  std::string_view rest = bytes.substr(kMagic.size());
  const auto format = take_line(rest);
  if (format != kFormat) {
    return refuse("is a checkpoint of format '" + std::string(format.substr(0, 20)) +
                  "', and this Assay reads format " + std::string(kFormat));
  }
  const std::size_t header = bytes.size() - rest.size();
  const auto body = ASSAY_TRY(checked_body(bytes, header, path));
  rest = body.substr(header);
  Checkpoint checkpoint;
  while (const auto entry = take_key_value(rest)) checkpoint.identity.push_back(*entry);
  const std::string difference = identity_difference(checkpoint.identity, identity);
  if (!difference.empty()) return refuse("is the checkpoint of another run: " + difference);
  Reader in(rest);
  const std::uint64_t sections = in.number();
  for (std::uint64_t s = 0; s < sections && in.ok(); ++s) {
    DoneChunks& chunks = checkpoint.sections[in.text()];
    const std::uint64_t count = in.number();
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
      const std::uint64_t index = in.number();
      in.read(chunks[index]);
    }
  }
  if (!in.ok() || !in.at_end()) return refuse("is damaged: its content ends early or late");
  return checkpoint;
}

Result<std::optional<std::string>> read_checkpoint_bytes(const std::string& path) {
  return found_by_first([&]() -> Result<std::optional<std::string>> {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      return fail(ErrorCode::kIo, "cannot be a checkpoint: it is a folder", path);
    }
    if (!fs::exists(path, ignored)) return std::optional<std::string>{};
    auto bytes = read_whole_file(path, kMostBytes, FileKind::kRegular);
    if (bytes) return std::optional<std::string>(std::move(*bytes));
    Error error = bytes.error();
    error.message = "the checkpoint " + error.message;
    return tl::make_unexpected(std::move(error));
  });
}

Result<Checkpoint> read_checkpoint(const std::string& path, const std::vector<KeyValue>& identity) {
  const auto bytes = ASSAY_TRY(read_checkpoint_bytes(path));
  if (bytes) return parse_checkpoint(*bytes, identity, path);
  Checkpoint fresh;
  fresh.identity = identity;
  return fresh;
}

Status write_checkpoint(const std::string& path, std::string_view bytes) {
  auto status = replace_file(path, bytes);
  if (!status)
    status.error().message = "the checkpoint cannot be written: " + status.error().message;
  return status;
}

}  // namespace assay
