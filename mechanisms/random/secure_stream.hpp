// SecureStream: random numbers that nobody can predict, for the release of real data.
//
// The numbers come from the operating system (getrandom), 508 at a time, into a page of memory. No
// generator runs in this process, so there is no key or state to learn. The stream overwrites each
// number in the page when it returns it, so whoever reads the process's memory later learns none of
// the earlier numbers (forward secrecy; the kernel's generator erases its own keys). A number that
// is not yet used is in the page, and nowhere else.
//
// Every number is used once: the stream moves and cannot be copied. A child of fork does not
// repeat its parent's numbers: the kernel wipes the page in the child (MADV_WIPEONFORK), which also
// sets the count of numbers left to 0, so the child fetches its own. Core dumps leave the page out.
// The process cannot detect copies of a whole machine. A virtual machine that is restored twice from
// one snapshot gives the rest of the page, up to 508 numbers, twice, for the same or for different
// data; two releases with the same noise reveal the difference of the data that they hide. Later
// numbers differ if the kernel learns of the restoration (VM Generation ID, Linux 5.18).
// If you take snapshots, call forget() after the restoration, or before each release.
// Failure: `create` fails if the kernel gives no randomness, or no page that a fork wipes. If the
// kernel gives none later, the process ends: a number is never weak.
//
// The stream cannot erase copies that a caller makes, including the noise that it draws, or copies
// in the processor's registers or a swap file. It does not hide how many numbers were drawn
// (rejection samplers take a varying number), or when.
// Reference: getrandom(2); Donenfeld, "random: use computational hash for entropy extraction" and
// the notes in Linux's drivers/char/random.c, for the kernel's generator.
// Threads: use one per thread. Cost: 22 ns per 64-bit number, nearly all of it the kernel's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Fills the span with unpredictable bytes. Returns false if it cannot.
using EntropySource = bool (*)(std::span<std::byte>);
bool kernel_entropy(std::span<std::byte> out);

class SecureStream {
 public:
  using Block = std::array<std::uint64_t, 4>;

  // Errors: no randomness, or no memory that a fork wipes. Only tests give another source of entropy.
  static Result<SecureStream> create(EntropySource entropy = kernel_entropy);

  SecureStream(SecureStream&& other) noexcept
      : page_(std::exchange(other.page_, nullptr)), entropy_(other.entropy_) {}
  SecureStream& operator=(SecureStream&& other) noexcept {
    std::swap(page_, other.page_);
    std::swap(entropy_, other.entropy_);
    return *this;
  }
  SecureStream(const SecureStream&) = delete;
  SecureStream& operator=(const SecureStream&) = delete;
  ~SecureStream();

  // The next 64 uniform bits.
  std::uint64_t next() {
    ASSAY_CHECK(page_ != nullptr, "a stream that was moved away has no numbers");
    if (page_->left == 0) [[unlikely]] {
      refill();
    }
    return take();
  }

  // next_block() returns the next four numbers at once. Precondition: buffered() == 0, which holds after every
  // fourth number.
  int buffered() const { return static_cast<int>(page_->left % 4); }
  Block next_block() {
    ASSAY_CHECK(page_ != nullptr && page_->left % 4 == 0,
                "a whole block can only be taken between blocks");
    if (page_->left == 0) [[unlikely]] {
      refill();
    }
    Block out;
    for (std::uint64_t& word : out) word = take();
    return out;
  }

  // Wipes the unused numbers. The next number will be a fresh one from the kernel.
  void forget();

 private:
  static constexpr std::size_t kWords = 508;

  struct Page {              // all zero in a forked child
    std::uint64_t left = 0;  // unused numbers: words[0..left - 1]
    std::array<std::uint64_t, kWords> words{};
  };

  SecureStream(Page* page, EntropySource entropy) : page_(page), entropy_(entropy) {}

  std::uint64_t take() { return std::exchange(page_->words[--page_->left], 0); }
  bool fetch();
  void refill();

  Page* page_;
  EntropySource entropy_;
};

namespace detail {

// One request to the system. It returns what getrandom returns: the number of bytes, or -1 with errno set.
using EntropyRequest = long (*)(void* out, std::size_t bytes);

// Repeats the request until the span is full, also after an interrupt. Returns false on any other failure.
bool fill_by_requests(EntropyRequest request, std::span<std::byte> out);

}  // namespace detail
}  // namespace assay
