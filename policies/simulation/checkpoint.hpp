// Checkpoints of simulations: the chunks that are done, in one file.
//
// Format 1, every number little-endian:
//   "assay simulation checkpoint, format 1\n"
//   "key=value\n" for each line of the run's identity (program, experiments with every parameter)
//   "\n"
//   sections: key (length, bytes), chunks that are done (count, then index and result each)
//   16 hexadecimal digits, "\n": FNV-1a of every byte before
//
// A checkpoint is replaced as a whole (mechanisms/core/files.hpp): whenever the process dies, FILE
// is an older or the newer checkpoint, each complete. One byte changed anywhere, or the end cut
// off, is always noticed: FNV-1a is a bijection of its state in each step, and what is not covered
// by it is compared.
//
// A result depends on the chunks alone, so a run that starts from any of them gives the bytes of
// one that was never stopped. The program is part of the identity: chunks of another version are
// not mixed in.
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
  std::vector<KeyValue> identity;  // neither '=' in a key nor a line break in either
  std::map<std::string, DoneChunks> sections;

  friend bool operator==(const Checkpoint& a, const Checkpoint& b) {
    return a.sections == b.sections;
  }
};

// A checkpoint of any kind ends in a checksum of what comes before it.
std::string with_checksum(std::string bytes);
// What comes before it, at least `header` bytes. Errors: truncated or damaged.
Result<std::string_view> checked_body(std::string_view bytes, std::size_t header,
                                      const std::string& path);
// The error of a file that is no checkpoint to go on from.
tl::unexpected<Error> refused_checkpoint(const std::string& why, const std::string& path,
                                         long line = 0);

std::string checkpoint_bytes(const Checkpoint& checkpoint);

// Errors name `path` and what is wrong: not a checkpoint, another format, damaged, of another run
// (with the first line of the identity that differs).
Result<Checkpoint> parse_checkpoint(std::string_view bytes, const std::vector<KeyValue>& identity,
                                    const std::string& path);

// Of any kind of checkpoint; nothing if there is no such file. Errors: what is not a regular file,
// is larger than 1 GiB or cannot be read.
Result<std::optional<std::string>> read_checkpoint_bytes(const std::string& path);

// Reads FILE; nothing in it (no sections) if it does not exist.
Result<Checkpoint> read_checkpoint(const std::string& path, const std::vector<KeyValue>& identity);

// Replaces FILE as described above. Errors name the file and the system's reason.
Status write_checkpoint(const std::string& path, std::string_view bytes);

}  // namespace assay
