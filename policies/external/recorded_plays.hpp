// Plays that were recorded elsewhere: one file per side of a neighbouring pair.
//
// NDJSON. The first line is an object that names the shape,
//   {"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 3, "horizon": 20}}
// and may carry "comment"; every other line is one output, an array as in docs/protocol.md. Blank
// lines may only come last.
#pragma once

#include <string>

#include "assay/policies/external/target.hpp"

namespace assay {

struct RecordedPlays {
  InputShape shape;
  OutputBatch outputs;
};

// Errors name the file, the line and what is allowed there.
Result<RecordedPlays> read_recorded_plays(const std::string& path);

}  // namespace assay
