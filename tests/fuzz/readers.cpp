#include "assay/tests/fuzz/readers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "assay/auditors/account/account_chain.hpp"
#include "assay/auditors/audit/target_settings.hpp"
#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/experts/claims/frontier.hpp"
#include "assay/auditors/mechanisms/row_pair.hpp"
#include "assay/auditors/registry/certificates.hpp"
#include "assay/auditors/sampler/sample_source.hpp"
#include "assay/auditors/sampler/stated_distribution.hpp"
#include "assay/auditors/suite/baseline.hpp"
#include "assay/auditors/suite/history.hpp"
#include "assay/auditors/suite/probe.hpp"
#include "assay/auditors/suite/replay.hpp"
#include "assay/auditors/suite/suite_file.hpp"
#include "assay/auditors/suite/suite_json.hpp"
#include "assay/mechanisms/accounting/account/distribution_file.hpp"
#include "assay/mechanisms/accounting/account/matrix_step.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/external/child_process.hpp"
#include "assay/policies/external/input_file.hpp"
#include "assay/policies/external/internal/answers.hpp"
#include "assay/policies/external/recorded_runs.hpp"
#include "assay/policies/inputs/loss_sequence.hpp"
#include "assay/policies/inputs/reward_stream.hpp"
#include "assay/policies/linear/features.hpp"
#include "assay/policies/simulation/checkpoint.hpp"
#include "assay/policies/sparse/context_file.hpp"

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

bool read_input(std::string_view bytes, const InputShape& shape) {
  const MemoryFile file(bytes);
  return read_input_table(file.path(), shape).has_value();
}

// A checkpoint that holds nothing, with other bytes before its sum, and a sum that fits: whoever forges
// one can do as much.
std::string forged(const std::string& empty, std::size_t kept, std::string_view bytes) {
  std::string body = empty.substr(0, kept);
  body += bytes;
  std::array<char, 18> sum{};
  std::snprintf(sum.data(), sum.size(), "%016" PRIx64 "\n", hash_purpose(body));
  return body.append(sum.data(), 17);
}

expert_checks::FrontierPlan frontier_plan() {
  return expert_checks::FrontierPlan{.most_epochs = 2,
                                     .most_actions = 100,
                                     .noises = {LeaderNoise::kGumbel},
                                     .constants = {8.0, 16.0}};
}

// As a file, and as the lines of its chunks.
bool read_frontier_checkpoint(std::string_view bytes) {
  const auto plan = frontier_plan();
  const auto whole = expert_checks::parse_frontier_checkpoint(bytes, plan, "fuzzed");
  const std::string empty = expert_checks::frontier_checkpoint(plan, {});
  const auto chunks = expert_checks::parse_frontier_checkpoint(
      forged(empty, empty.size() - 17, bytes), plan, "fuzzed");
  return whole || chunks;
}

// As a file, and as its sections.
bool read_simulation_checkpoint(std::string_view bytes) {
  const std::vector<KeyValue> identity{{"seed", "1"}};
  const auto whole = parse_checkpoint(bytes, identity, "fuzzed");
  const std::string empty = checkpoint_bytes({identity, {}});
  const auto sections =
      parse_checkpoint(forged(empty, empty.find("\n\n") + 2, bytes), identity, "fuzzed");
  if (sections) static_cast<void>(checkpoint_bytes(*sections));
  return whole || sections;
}

bool read_runs_of(const InputShape& shape, std::string_view bytes) {
  return detail::read_runs(shape, std::string(bytes), 7, 2).has_value();
}

// An action and a number a round; then the recommendation and an estimate.
InputShape stopping_shape() {
  return {.kind = InputKind::kBestArm,
          .arms = 3,
          .horizon = 2,
          .stops = true,
          .numbers = 1,
          .estimates = 1};
}

// As a plug-in's process writes its answers, one behind another: a greeting, then plays. The reader is
// given the bytes received so far; an answer is whole with its last byte and not before.
bool read_plugin_answers(std::string_view bytes) {
  const InputShape shape{InputKind::kBandit, 3, 4};
  constexpr std::size_t kMost = 256;
  bool greeted = false, read = false;
  while (const auto framed = detail::framed_bytes(bytes, kMost)) {
    if (*framed < detail::kLengthBytes || *framed > bytes.size() ||
        *framed > kMost + detail::kLengthBytes ||
        detail::framed_bytes(bytes.substr(0, *framed), kMost) != framed ||
        detail::framed_bytes(bytes.substr(0, *framed - 1), kMost)) {
      std::abort();
    }
    const auto answer = bytes.substr(detail::kLengthBytes, *framed - detail::kLengthBytes);
    if (greeted) {
      read = detail::read_plugin_runs(shape, answer, 2).has_value() || read;
      if (!detail::plugin_goes_on(shape, answer, 2)) break;
    } else if (!detail::read_plugin_ready(answer)) {
      break;
    }
    greeted = true;
    bytes.remove_prefix(*framed);
  }
  return read;
}

bool check_any_certificate(std::string_view bytes) {
  const auto certificate = read_certificate(bytes);
  return certificate && check_certificate(*certificate).has_value();
}

// A history in a folder, which SQLite needs for its journal.
class HistoryInAFolder {
 public:
  HistoryInAFolder() {
    if (mkdtemp(folder_.data()) == nullptr) std::abort();
  }
  ~HistoryInAFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  HistoryInAFolder(const HistoryInAFolder&) = delete;
  HistoryInAFolder& operator=(const HistoryInAFolder&) = delete;
  std::string path() const { return folder_ + "/history.sqlite"; }

 private:
  std::string folder_ = (std::filesystem::temp_directory_path() / "assay-fuzz-XXXXXX").string();
};

std::string bytes_of_a_history() {
  const HistoryInAFolder made;
  auto history = History::open(made.path());
  if (!history || !history->begin_run("fuzzed", "", "2026-11-27T00:00:00Z")) std::abort();
  std::ifstream in(made.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A history with some bytes in place of its own: the first two say where.
bool read_history(std::string_view bytes) {
  static const std::string intact = bytes_of_a_history();
  std::string changed = intact;
  if (bytes.size() > 2) {
    const auto at =
        static_cast<unsigned char>(bytes[0]) * 256U + static_cast<unsigned char>(bytes[1]);
    bytes.remove_prefix(2);
    changed.replace(std::min<std::size_t>(at, changed.size()), bytes.size(), bytes);
  }
  const HistoryInAFolder damaged;
  std::ofstream(damaged.path(), std::ios::binary) << changed;
  const auto history = History::open(damaged.path(), History::IfMissing::kRefuse);
  if (!history) return false;
  static_cast<void>(history->violations());
  return history->series("*").has_value();
}

// --old and --new, a line each.
bool read_replayed_pair(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  ReplayJob job;
  job.case_id = "laplace";
  job.base_input = bytes.substr(0, end);
  job.neighbour_input = bytes.substr(std::min(end + 1, bytes.size()));
  return prepare(job).has_value();
}

// A command, and on the lines behind it what varies.
bool read_settings(std::string_view bytes) {
  std::vector<std::string> lines;
  std::istringstream text{std::string(bytes)};
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  if (lines.empty()) return false;
  return target_settings(lines.front(), {lines.begin() + 1, lines.end()}, 100).has_value();
}

// What is read has a distribution in either order.
bool read_loss_distribution(std::string_view bytes) {
  const MemoryFile file(bytes);
  LossDistributionStep named;
  named.file = file.path();
  const auto step = with_file(std::move(named));
  if (!step) return false;
  const StepLosses losses = distribution_losses(*step);
  for (const PrivacyLoss* order : {&losses.dominating.remove, &losses.dominating.add}) {
    if (!(order->mass_at_infinity >= 0.0 && order->mass_at_infinity <= 1.0)) std::abort();
    for (const LossAtom& atom : order->atoms) {
      if (!std::isfinite(atom.loss) || !std::isfinite(atom.log_mass)) std::abort();
    }
  }
  for (const auto order : {SamplingDirection::kRemove, SamplingDirection::kAdd}) {
    if (!(distribution_largest_loss(*step, order).high >= 0.0)) std::abort();
  }
  if (std::isnan(distribution_divergence(*step, 2.0))) std::abort();
  return true;
}

bool read_output_distributions(std::string_view bytes) {
  const MemoryFile file(bytes);
  FinitePairStep named;
  named.file = file.path();
  const auto step = with_file(std::move(named));
  if (step && step->p.size() != step->q.size()) std::abort();
  return step.has_value();
}

constexpr FuzzedReader kReaders[] = {
    {"baseline",
     [](std::string_view bytes) {
       const auto baseline = parse_baseline(bytes, "fuzzed");
       if (!baseline) return false;
       const auto again = parse_baseline(to_toml(*baseline), "fuzzed");
       if (!again || to_toml(*again) != to_toml(*baseline)) std::abort();
       return true;
     }},
    {"certificate",
     [](std::string_view bytes) {
       const auto certificate = read_certificate(bytes);
       if (certificate) static_cast<void>(to_json(*certificate));
       return certificate.has_value();
     }},
    {"certificate_check", check_any_certificate},
    {"chain",
     [](std::string_view bytes) { return read_chain(MemoryFile(bytes).path()).has_value(); }},
    {"claim",
     [](std::string_view bytes) {
       return parse_claim(bytes, {{"T", "horizon", 100.0}, {"K", "arms", 5.0}}).has_value();
     }},
    {"command", [](std::string_view bytes) { return split_command(bytes).has_value(); }},
    {"contexts",
     [](std::string_view bytes) {
       return read_context_rows(MemoryFile(bytes).path(), 2, 3).has_value();
     }},
    {"distribution_of_losses", read_loss_distribution},
    {"distributions_of_outputs", read_output_distributions},
    {"elf_symbols",
     [](std::string_view bytes) {
       return defines_symbol(MemoryFile(bytes).path(), "assay_policy_v1_get").value_or(false);
     }},
    {"features",
     [](std::string_view bytes) { return read_features(MemoryFile(bytes).path()).has_value(); }},
    {"frontier_checkpoint", read_frontier_checkpoint},
    {"history", read_history},
    {"input_bandit",
     [](std::string_view bytes) {
       return read_input(bytes, {InputKind::kBandit, 3, 4});
     }},
    {"input_dueling",
     [](std::string_view bytes) {
       return read_input(bytes, {InputKind::kDueling, 3, 2});
     }},
    {"losses",
     [](std::string_view bytes) { return read_losses(MemoryFile(bytes).path()).has_value(); }},
    {"matrix",
     [](std::string_view bytes) { return read_matrix(MemoryFile(bytes).path()).has_value(); }},
    {"outcomes",
     [](std::string_view bytes) { return read_outcomes(MemoryFile(bytes).path()).has_value(); }},
    {"plays_of_bandit",
     [](std::string_view bytes) {
       return read_runs_of({InputKind::kBandit, 3, 4}, bytes);
     }},
    {"plays_of_best_arm",
     [](std::string_view bytes) { return read_runs_of(stopping_shape(), bytes); }},
    {"plays_of_mechanism",
     [](std::string_view bytes) {
       return read_runs_of({InputKind::kMechanism, 2, 100, 1, 3, 2}, bytes);
     }},
    {"plugin_answers", read_plugin_answers},
    {"plugin_plays",
     [](std::string_view bytes) {
       const InputShape shape{InputKind::kBandit, 3, 4};
       static_cast<void>(detail::plugin_goes_on(shape, bytes, 2));
       return detail::read_plugin_runs(shape, bytes, 2).has_value();
     }},
    {"plugin_plays_that_stop",
     [](std::string_view bytes) {
       const auto batch = detail::read_plugin_runs(stopping_shape(), bytes, 2);
       if (!batch) return false;
       for (std::int64_t i = 0; i < 2; ++i) {
         const auto again = laid_out(stopping_shape(), told_of(stopping_shape(), batch->play(i)));
         if (!again || again->back() != batch->play(i).back()) std::abort();
       }
       return true;
     }},
    {"plugin_ready",
     [](std::string_view bytes) { return detail::read_plugin_ready(bytes).has_value(); }},
    {"probabilities_message",
     [](std::string_view bytes) {
       return detail::read_probabilities({3, 2}, bytes, 7, 0, 2).has_value();
     }},
    {"ready_message",
     [](std::string_view bytes) {
       return detail::read_ready({InputKind::kBandit, 3, 4}, std::string(bytes)).has_value();
     }},
    {"replayed_pair", read_replayed_pair},
    {"rewards",
     [](std::string_view bytes) {
       const MemoryFile file(bytes);
       const bool column = read_rewards(file.path(), "watched").has_value();
       return read_rewards(file.path()).has_value() || column;
     }},
    {"row_pair",
     [](std::string_view bytes) { return read_row_pair(MemoryFile(bytes).path()).has_value(); }},
    {"samples",
     [](std::string_view bytes) {
       return read_samples(MemoryFile(bytes).path(), std::nullopt).has_value();
     }},
    {"settings", read_settings},
    {"simulation_checkpoint", read_simulation_checkpoint},
    {"stated_distribution",
     [](std::string_view bytes) { return StatedDistribution::parse(bytes).has_value(); }},
    {"suite",
     [](std::string_view bytes) { return read_suite(MemoryFile(bytes).path()).has_value(); }},
    {"suite_report", [](std::string_view bytes) { return read_suite_report(bytes).has_value(); }},
    {"transcripts",
     [](std::string_view bytes) {
       return read_recorded_runs(MemoryFile(bytes).path()).has_value();
     }},
};

}  // namespace

std::span<const FuzzedReader> fuzzed_readers() { return kReaders; }

}  // namespace assay::testing
