#include "assay/mechanisms/random/secure_stream.hpp"

#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "assay/mechanisms/random/chacha20.hpp"

namespace assay {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::uint64_t kPagesPerKey = 256;

// nullptr where the kernel cannot.
void* map_wiped_on_fork() {
  void* memory =
      mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (madvise(memory, kPageBytes, MADV_WIPEONFORK) != 0) {
    munmap(memory, kPageBytes);
    return nullptr;
  }
  madvise(memory, kPageBytes, MADV_DONTDUMP);  // without it the stream is no less unpredictable
  return memory;
}

}  // namespace

bool kernel_entropy(std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

Result<SecureStream> SecureStream::create(EntropySource entropy) {
  static_assert(sizeof(Page) <= kPageBytes);
  void* memory = map_wiped_on_fork();
  if (memory == nullptr) {
    return fail(ErrorCode::kIo, "the secure stream needs a page that fork wipes (Linux 4.14)");
  }
  SecureStream stream(::new (memory) Page{}, entropy);
  if (!stream.rekey()) {
    return fail(ErrorCode::kIo, "the operating system gave no randomness for the secure stream");
  }
  return stream;
}

SecureStream::~SecureStream() {
  if (page_ == nullptr) return;
  explicit_bzero(page_, sizeof(Page));
  munmap(page_, kPageBytes);
}

// Fresh randomness onto the key: unpredictable if either was.
bool SecureStream::rekey() {
  std::array<std::uint32_t, 8> fresh{};
  if (!entropy_(std::as_writable_bytes(std::span(fresh)))) return false;
  for (std::size_t i = 0; i < fresh.size(); ++i) page_->key[i] ^= fresh[i];
  explicit_bzero(fresh.data(), sizeof(fresh));
  page_->pages_left = kPagesPerKey;
  return true;
}

void SecureStream::make_page() {
  constexpr std::size_t kWords32 = 2 * kWords + 8;
  static_assert(kWords32 <= 64 * detail::kChaChaWords);
  std::array<std::uint32_t, 64 * detail::kChaChaWords> stream;
  detail::chacha20_blocks(page_->key, 0, stream);
  std::memcpy(page_->key.data(), stream.data(), sizeof(page_->key));          // (1)
  std::memcpy(page_->words.data(), stream.data() + 8, sizeof(page_->words));  // (1)
  explicit_bzero(stream.data(), sizeof(stream));
}

void SecureStream::refill() {
  // Zero also in a forked child, whose page is wiped: it must not run on a key of zeros.
  if (page_->pages_left == 0 && !rekey()) {
    std::fputs("assay: the operating system gives no more randomness; stopped\n", stderr);
    std::abort();
  }
  make_page();
  --page_->pages_left;
  page_->left = kWords;
}

}  // namespace assay
