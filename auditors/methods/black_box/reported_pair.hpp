// Two copies of an external target on neighbouring inputs, by the probabilities that the target itself reports.
//
// A target that reports probabilities answers, for an input and forced actions a_1, ..., a_n, the probabilities of all
// actions in rounds 1 to n + 1, given the input and the earlier actions alone, as an average over all its internal
// randomness (docs/protocol.md, "Probabilities"). So it is a pair process, and the exact, path, likelihood and tilted
// methods apply to it. Transcripts are drawn by ordinary runs of the target. What these methods certify holds for the
// reported probabilities; for the target it holds if they are right.
//
// Reported probabilities are finite, in [0, 1], and sum to 1 within kSumTolerance. The distribution that is audited is
// the reported one over its sum. An action that both inputs report as impossible ends a transcript: the target is not
// asked beyond it.
//
// Errors while a method runs are exceptions of type ReportedFault, because a pair process has no other way:
// catch it around the method. Its error is the target's (kTarget, kInterrupted); or it says why the reported
// probabilities bound nothing, and is_unbounded().
// Threads: processes of one ReportedPaths may be used by several; it starts an instance of the target for each.
// Cost: one message for each input and run, or for each input and round of a transcript that no run made.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/auditors/methods/pair_process.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

inline constexpr std::int64_t kPathsAskedAgain = 16;  // one in so many, with another seed

class ReportedFault : public std::exception {
 public:
  explicit ReportedFault(Error error, bool is_unbounded = false)
      : error_(std::move(error)), is_unbounded_(is_unbounded) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }
  // The target did nothing wrong, but its probabilities give no upper bound, for the reason in error().
  bool is_unbounded() const { return is_unbounded_; }

 private:
  Error error_;
  bool is_unbounded_;
};

// The target and the pair, which all copies of a process share. All member functions may be called by several threads,
// and throw ReportedFault.
class ReportedPaths {
 public:
  ReportedPaths(std::unique_ptr<Target> first, const InputPair& pair, std::uint64_t seed);

  const PathShape& shape() const { return shape_; }
  // The probabilities of rounds from + 1 to n + 1 (at most the last round), K each, after n forced actions.
  std::vector<double> ask(Side side, std::span<const int> actions, std::int64_t from);
  // The actions of an ordinary run. Throws an unbounded fault if the run fails.
  std::vector<int> run(Side side, std::uint64_t seed);
  // Asks for a few paths with three seeds, of which one goes to another process, and for one of these paths cut short.
  // The answers have to agree to the bit.
  void check_seeds(std::int64_t paths);

  std::int64_t asked() const { return asked_; }
  std::int64_t asked_again() const { return asked_again_; }
  std::int64_t runs() const { return runs_; }

 private:
  std::unique_ptr<Target> take();
  void give(std::unique_ptr<Target> target);
  std::vector<double> ask_with(Target& target, Side side, std::span<const int> actions,
                               std::int64_t from, std::uint64_t seed);
  // Compares two answers for the same rounds.
  void compare(Side side, std::span<const int> actions, std::int64_t from,
               std::span<const double> one, std::span<const double> other) const;

  PathShape shape_;
  InputTable inputs_[2];
  std::uint64_t seed_;
  std::unique_ptr<Target> first_;  // for further instances
  std::mutex mutex_;               // of idle_
  std::vector<std::unique_ptr<Target>> idle_;
  std::atomic<std::int64_t> asked_{0}, asked_again_{0}, runs_{0};
};

class ReportedPair final : public CopiedPairProcess<ReportedPair> {
 public:
  explicit ReportedPair(std::shared_ptr<ReportedPaths> paths) : paths_(std::move(paths)) {}

  std::int64_t horizon() const override { return paths_->shape().rounds; }
  int action_count() const override { return static_cast<int>(paths_->shape().actions); }
  std::int64_t round() const override { return static_cast<std::int64_t>(actions_.size()); }
  void restart() override;
  // A target may read a changed reward before its round, so no round is known to be free of loss.
  bool agrees() const override { return false; }
  bool forced() const override;
  // The next action of an ordinary run, while the process follows it; else drawn from the reported probabilities.
  int draw(Side side, ReplayStream& random) override;
  PairLogProbability log_probability(int action, ArgmaxPrecision precision) const override;
  void log_probabilities(ArgmaxPrecision precision, std::span<double> log_p,
                         std::span<double> log_q) const override;
  void advance(int action) override;

  // The probabilities of this round on one input.
  std::span<const double> probabilities(Side side) const;

 private:
  struct Known {  // the probabilities of some rounds
    std::int64_t from = 0;
    std::vector<double> values;
  };
  // The probabilities of one action on both inputs. Throws if only one of them allows it.
  std::pair<double, double> of_action(std::size_t action) const;

  std::shared_ptr<ReportedPaths> paths_;
  std::vector<int> actions_;  // so far
  std::vector<int> run_;      // the actions of the run that the process follows; empty if none
  bool is_over_ = false;      // an action was impossible on both inputs
  mutable std::array<Known, 2> known_;
};

}  // namespace assay
