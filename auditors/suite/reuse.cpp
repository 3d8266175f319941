#include "assay/auditors/suite/reuse.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    good_ = context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
  }
  void bytes(std::string_view part) {
    good_ = good_ && EVP_DigestUpdate(context_.get(), part.data(), part.size()) == 1;
  }
  // Adds the length of a part before it, so that no two lists of parts give the same bytes.
  void part(std::string_view text) {
    bytes(std::to_string(text.size()) + ":");
    bytes(text);
  }
  Result<std::string> hexadecimal() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    good_ = good_ && EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1;
    if (!good_) return fail(ErrorCode::kInternal, "the library of SHA-256 failed");
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  bool good_ = false;
};

Result<std::string> digest_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return fail(ErrorCode::kIo,
                "cannot be read: " + (error ? error.message() : "it is not a regular file"), path);
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  Sha256 hash;
  std::string block(std::size_t{1} << 16, '\0');
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.bytes(std::string_view(block).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  if (!in.eof()) {
    return fail(ErrorCode::kIo, std::string("cannot be read: ") + std::strerror(errno), path);
  }
  return hash.hexadecimal();
}

bool is_bound(const EntryFigure& figure) {
  return figure.kind == FigureKind::kLoss || figure.kind == FigureKind::kError;
}

const EntryFigure* figure_named(const std::vector<EntryFigure>& figures, const std::string& name) {
  const auto at = std::find_if(figures.begin(), figures.end(),
                               [&](const EntryFigure& one) { return one.name == name; });
  return at == figures.end() ? nullptr : &*at;
}

// Merges two figures of one name. Times are those of the later run, since machines change.
EntryFigure merge_figure(const EntryFigure& before, const EntryFigure& now) {
  EntryFigure merged = now;
  if (before.kind != now.kind) return merged;
  if (is_bound(now)) {
    merged.lower = std::max(before.lower, now.lower);  // (2)
    merged.upper = std::min(before.upper, now.upper);  // (2)
    merged.alpha = std::max(before.alpha, now.alpha);
  } else if (now.kind == FigureKind::kPower && before.upper < now.upper) {
    merged = before;
  }
  return merged;
}

bool ran(const EntryResult& result) {
  return result.status != EntryStatus::kCouldNotRun && result.status != EntryStatus::kMisconfigured;
}

const EntryResult& deciding(const EntryResult& before, const EntryResult& now) {
  if (before.status == EntryStatus::kViolated) return before;  // (3)
  return is_decided(before) && ran(now) && !is_decided(now) ? before : now;
}

}  // namespace

double alpha_of_run(double alpha, std::int64_t run) {
  ASSAY_CHECK(run >= 1, "runs are numbered from 1");
  int block = 0;
  while (block < 62 && run >> (block + 1) != 0) ++block;
  const double parts = std::ldexp(1.0, block) * (block + 1) * (block + 2);
  const double share = alpha / parts;  // (1)
  return std::fma(share, parts, -alpha) > 0.0 ? std::nextafter(share, 0.0) : share;
}

std::uint64_t seed_of_run(std::uint64_t seed, std::int64_t run) {
  const StreamId id{seed, hash_purpose("suite/run"), static_cast<std::uint64_t>(run), 0,
                    Phase::kSearch};
  return ReplayStream(id).next() >> 11;
}

bool is_decided(const EntryResult& result) {
  if (result.status == EntryStatus::kViolated) return true;
  if (result.status != EntryStatus::kHeld) return false;
  switch (result.kind) {
    case EntryKind::kAudit:
      return result.verdict == to_string(Verdict::kVerified);
    case EntryKind::kVerify:
      return result.verdict == kProvedAsRegistered;
    case EntryKind::kAccount:
    case EntryKind::kRegret:
      return true;            // held is a certified upper bound
    case EntryKind::kDetect:  // its correct counterparts were not convicted so far
    case EntryKind::kBench:
      return false;
  }
  return false;
}

EntryResult merge_evidence(const EntryResult& before, const EntryResult& now) {
  const EntryResult& chosen = deciding(before, now);
  if (!ran(before)) return chosen;
  EntryResult merged = now;
  for (auto& figure : merged.figures) {
    if (const auto* old = figure_named(before.figures, figure.name)) {
      figure = merge_figure(*old, figure);
    }
  }
  for (const auto& figure : before.figures) {
    if (figure_named(now.figures, figure.name) == nullptr) merged.figures.push_back(figure);
  }
  std::string contradiction;
  for (auto& figure : merged.figures) {
    if (figure.lower <= figure.upper) continue;
    contradiction = fmt::format(
        "the runs of this content contradict each other: {} is at least {} and at most {}. "
        "Something changed that is not in the digest of the content",
        plain_text(figure.name), rounded_down(figure.lower, 6), rounded_up(figure.upper, 6));
    figure = *figure_named(before.figures, figure.name);
  }
  merged.verdict = chosen.verdict;
  merged.status = chosen.status;
  merged.headline = chosen.headline;
  merged.details = chosen.details;
  merged.witness = chosen.witness ? chosen.witness : now.witness;
  merged.error = chosen.error;
  merged.reproduce = chosen.reproduce;
  merged.reused_from = chosen.reused_from;
  if (contradiction.empty()) return merged;
  if (merged.status == EntryStatus::kViolated) {
    merged.details.push_back(contradiction);
  } else {
    merged.status = EntryStatus::kCouldNotRun;
    merged.error = Error{ErrorCode::kTarget, contradiction, "", 0};
  }
  return merged;
}

bool add_up(ContentEvidence& evidence, EntryResult& result) {
  if (!result.e_process) return !result.error;
  evidence.bets.add(*result.e_process);
  evidence.runs += 1;
  const double log_e_value = evidence.bets.all.log_e_value();
  if (!(log_e_value > -HUGE_VAL)) return false;
  if (result.error || result.status == EntryStatus::kViolated) return true;
  const bool refutes = evidence.bets.refutes(evidence.alpha, kSeedingAlpha);
  if (evidence.runs == 1 && !refutes) return true;  // the run's own result says it
  constexpr double kLargest = 690.0;                // e^690 is a number
  const std::string bets = fmt::format(
      "{} runs of this content since run {}, each with bets on one event, have the e-value {} "
      "together; an e-value of {} refutes the claim",
      evidence.runs, evidence.first, rounded_down(portable_exp(std::min(log_e_value, kLargest)), 3),
      rounded_up(1.0 / evidence.alpha, 3));
  if (!refutes) {
    result.details.push_back(bets);
    return true;
  }
  result.status = EntryStatus::kViolated;
  result.verdict = to_string(Verdict::kViolated);
  result.headline = fmt::format("Violated: {} runs of this content together refute {}",
                                evidence.runs, result.claim);
  result.details.insert(result.details.begin(), "why: " + bets);
  // The first figure has the unit of the claim. What the claim implies for others (mu of a claim in eps) is not refuted.
  if (!result.figures.empty() && result.figures.front().allowed) {
    EntryFigure& claimed = result.figures.front();
    claimed.lower = std::max(claimed.lower, *claimed.allowed);
  }
  return true;
}

Result<std::string> digest_of_content(const std::vector<std::string>& words,
                                      const std::vector<std::string>& files,
                                      const std::string& version) {
  Sha256 hash;
  hash.part("assay.content/1");
  hash.part(version);
  hash.part(std::to_string(words.size()));
  for (const auto& word : words) hash.part(word);
  for (const auto& file : files) {
    const auto digest = ASSAY_TRY(digest_of_file(file));
    hash.part(digest);
  }
  return hash.hexadecimal();
}

}  // namespace assay
