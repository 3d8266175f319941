#include "assay/mechanisms/random/secure_stream.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace assay {
namespace {

constexpr std::size_t kPageBytes = 4096;

// nullptr if the kernel cannot.
void* map_wiped_on_fork() {
  void* memory =
      mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (madvise(memory, kPageBytes, MADV_WIPEONFORK) != 0) {
    munmap(memory, kPageBytes);
    return nullptr;
  }
  madvise(memory, kPageBytes, MADV_DONTDUMP);  // if this fails, the stream is no less unpredictable
  return memory;
}

// The system call itself, since newer C libraries answer getrandom from a generator in this process.
long ask_kernel(void* out, std::size_t bytes) { return syscall(SYS_getrandom, out, bytes, 0); }

}  // namespace

bool detail::fill_by_requests(EntropyRequest request, std::span<std::byte> out) {
  while (!out.empty()) {
    const long got = request(out.data(), out.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

bool kernel_entropy(std::span<std::byte> out) { return detail::fill_by_requests(ask_kernel, out); }

Result<SecureStream> SecureStream::create(EntropySource entropy) {
  static_assert(sizeof(Page) <= kPageBytes && kWords % 4 == 0);
  void* memory = map_wiped_on_fork();
  if (memory == nullptr) {
    return fail(ErrorCode::kIo, "the secure stream needs a page that fork wipes (Linux 4.14)");
  }
  SecureStream stream(::new (memory) Page{}, entropy);
  if (!stream.fetch()) {
    return fail(ErrorCode::kIo, "the operating system gave no randomness for the secure stream");
  }
  return stream;
}

SecureStream::~SecureStream() {
  if (page_ == nullptr) return;
  forget();
  munmap(page_, kPageBytes);
}

void SecureStream::forget() { explicit_bzero(page_, sizeof(Page)); }

// Reads straight into the page: a copy elsewhere would outlive the numbers.
bool SecureStream::fetch() {
  if (!entropy_(std::as_writable_bytes(std::span(page_->words)))) return false;
  page_->left = kWords;
  return true;
}

void SecureStream::refill() {
  if (fetch()) return;
  std::fputs("assay: the operating system gives no more randomness; stopped\n", stderr);
  std::abort();
}

}  // namespace assay
