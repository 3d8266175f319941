#include "assay/tests/fuzz/readers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "assay/auditors/claim.hpp"
#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/experts/frontier.hpp"
#include "assay/auditors/paired/mechanisms/row_pair.hpp"
#include "assay/cli/account_chain.hpp"
#include "assay/policies/environments/loss_sequence.hpp"
#include "assay/policies/environments/reward_stream.hpp"
#include "assay/policies/external/child_process.hpp"
#include "assay/policies/external/input_file.hpp"
#include "assay/policies/external/recorded_plays.hpp"
#include "assay/policies/simulation/checkpoint.hpp"

namespace assay::testing {
namespace {

// A file that is nowhere: its path is good while it lives.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(memfd_create("fuzzed", MFD_CLOEXEC)) {
    while (!bytes.empty()) {
      const ssize_t written = write(fd_, bytes.data(), bytes.size());
      if (written <= 0) std::abort();
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

void read_input(std::string_view bytes, const TargetShape& shape) {
  const MemoryFile file(bytes);
  (void)read_input_table(file.path(), shape);
}

constexpr FuzzedReader kReaders[] = {
    {"certificate",
     [](std::string_view bytes) {
       const auto certificate = read_certificate(bytes);
       if (certificate) (void)to_json(*certificate);
     }},
    {"chain", [](std::string_view bytes) { (void)cli::read_chain(MemoryFile(bytes).path()); }},
    {"claim",
     [](std::string_view bytes) {
       (void)parse_claim(bytes, {{"T", "horizon", 100.0}, {"K", "arms", 5.0}});
     }},
    {"command", [](std::string_view bytes) { (void)split_command(bytes); }},
    {"frontier_checkpoint",
     [](std::string_view bytes) {
       (void)expert_checks::parse_frontier_checkpoint(bytes, {}, "fuzzed");
     }},
    {"input_bandit",
     [](std::string_view bytes) { read_input(bytes, {TargetKind::kBandit, 3, 4}); }},
    {"input_dueling",
     [](std::string_view bytes) { read_input(bytes, {TargetKind::kDueling, 3, 2}); }},
    {"losses", [](std::string_view bytes) { (void)read_losses(MemoryFile(bytes).path()); }},
    {"rewards",
     [](std::string_view bytes) {
       const MemoryFile file(bytes);
       (void)read_rewards(file.path());
       (void)read_rewards(file.path(), "watched");
     }},
    {"row_pair", [](std::string_view bytes) { (void)read_row_pair(MemoryFile(bytes).path()); }},
    {"simulation_checkpoint",
     [](std::string_view bytes) { (void)parse_checkpoint(bytes, {{"seed", "1"}}, "fuzzed"); }},
    {"transcripts",
     [](std::string_view bytes) { (void)read_recorded_plays(MemoryFile(bytes).path()); }},
};

}  // namespace

std::span<const FuzzedReader> fuzzed_readers() { return kReaders; }

}  // namespace assay::testing
