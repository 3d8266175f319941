// The checkpoint of a simulation: the completed chunks, in one file.
//
// Format 1, every number little-endian:
//   "assay simulation checkpoint, format 1\n"
//   "key=value\n" for each line of the run's identity (program, experiments with every parameter)
//   "\n"
//   sections: key (length, bytes), completed chunks (count, then index and result each)
//   16 hexadecimal digits, "\n": FNV-1a of every byte before
//
// A checkpoint is replaced as a whole (mechanisms/core/files.hpp). Whenever the process dies, FILE holds a
// complete checkpoint, the older or the newer one. A single changed byte, or a missing end, is always
// detected: FNV-1a is a bijection of its state in each step, and reading compares everything that it
// does not cover.
//
// A result depends only on the chunks, so a run that resumes from some of them gives the same bytes as
// one that never stopped. The program is part of the identity, so that chunks of different versions
// never mix.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/simulation/series.hpp"

namespace assay {

using DoneChunks = std::map<std::uint64_t, ChunkResult>;  // by chunk index

struct Checkpoint {
  std::vector<KeyValue> identity;  // no '=' in a key, no line break in a key or value
  std::map<std::string, DoneChunks> sections;

  friend bool operator==(const Checkpoint& a, const Checkpoint& b) {
    return a.sections == b.sections;
  }
};

// Takes a line "key=value" of the identity of a checkpoint of any kind; nothing at the blank line after the last.
std::optional<KeyValue> take_key_value(std::string_view& bytes);
// Appends the checksum with which a checkpoint of any kind ends.
std::string with_checksum(std::string bytes);
// The bytes before the checksum, at least `header` of them. Errors: a file that is truncated or damaged.
Result<std::string_view> checked_body(std::string_view bytes, std::size_t header,
                                      const std::string& path);
// The error for a file that is not a checkpoint from which a run can resume.
tl::unexpected<Error> refused_checkpoint(const std::string& why, const std::string& path,
                                         long line = 0);

std::string checkpoint_bytes(const Checkpoint& checkpoint);

// Errors name `path` and the problem: not a checkpoint, another format, damaged, or of another run
// (with the first line of the identity that differs).
Result<Checkpoint> parse_checkpoint(std::string_view bytes, const std::vector<KeyValue>& identity,
                                    const std::string& path);

// Reads a checkpoint of any kind; nothing if there is no such file. Errors: a file that is not regular,
// is larger than 1 GiB or cannot be read.
Result<std::optional<std::string>> read_checkpoint_bytes(const std::string& path);

// Reads FILE. If it does not exist, the checkpoint has no sections.
Result<Checkpoint> read_checkpoint(const std::string& path, const std::vector<KeyValue>& identity);

// Replaces FILE as described above. Errors name the file and the system's reason.
Status write_checkpoint(const std::string& path, std::string_view bytes);

}  // namespace assay
