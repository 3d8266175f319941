// Reads runs that were recorded elsewhere, from one file for each input of a neighbouring pair.
//
// The format is NDJSON. The first line is an object that names the shape,
//   {"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 3, "horizon": 20}}
// and may have a "comment". Every other line is one output, an array as in docs/protocol.md. Blank
// lines may only come last.
#pragma once

#include <string>

#include "assay/policies/external/target.hpp"

namespace assay {

struct RecordedRuns {
  InputShape shape;
  OutputBatch outputs;
};

// Errors name the file, the line and what is allowed there.
Result<RecordedRuns> read_recorded_runs(const std::string& path);

}  // namespace assay
