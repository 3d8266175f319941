// Values as bytes, for another process of the same program on the same kind of machine.
//
// Numbers, enums, texts, vectors, arrays, pairs, tuples, optional values, Results, and structs that list their fields
// once:
//     struct Moments {
//       std::int64_t count = 0;
//       std::vector<double> mean;
//       static auto byte_fields(auto& self) { return std::tie(self.count, self.mean); }
//     };
// A double keeps its bits. Errors: bytes that do not have the form of the type; then read() returns false, and the value
// is not to be used.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace detail {

template <class T>
concept PlainBytes = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
concept ListsFields = requires(T& value) {
  T::byte_fields(value);
};

template <class T>
inline constexpr bool kIsPairOrTuple = false;
template <class... T>
inline constexpr bool kIsPairOrTuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool kIsPairOrTuple<std::pair<A, B>> = true;
template <class T, std::size_t N>
inline constexpr bool kIsPairOrTuple<std::array<T, N>> = true;

class ByteWriter {
 public:
  template <PlainBytes T>
  void write(const T& value) {
    raw(&value, sizeof(T));
  }
  void write(const std::string& text) {
    write(text.size());
    bytes_ += text;
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(values.size());
    if constexpr (PlainBytes<T>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) write(value);
    }
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class T>
  void write(const Result<T>& result) {
    write(result.has_value());
    if (!result) {
      write(result.error());
    } else if constexpr (!std::is_void_v<T>) {
      write(*result);
    }
  }
  void write(const Error& error) {
    write(error.code);
    write(error.message);
    write(error.path);
    write(error.line);
  }
  template <class T>
  requires kIsPairOrTuple<T>
  void write(const T& values) {
    std::apply([this](const auto&... value) { (this->write(value), ...); }, values);
  }
  template <ListsFields T>
  void write(const T& value) {
    std::apply([this](const auto&... field) { (this->write(field), ...); }, T::byte_fields(value));
  }

  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* from, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(from), size);
  }
  std::string bytes_;
};

// After a read past the end, all reads fail.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return ok_ && bytes_.empty(); }

  template <PlainBytes T>
  void read(T& value) {
    raw(&value, sizeof(T));
  }
  void read(bool& value) {
    unsigned char byte = 0;
    read(byte);
    if (byte > 1) ok_ = false;
    value = byte == 1;
  }
  void read(std::string& text) {
    text.resize(size_of(1));
    raw(text.data(), text.size());
  }
  template <class T>
  void read(std::vector<T>& values) {
    if constexpr (PlainBytes<T>) {
      values.resize(size_of(sizeof(T)));
      raw(values.data(), values.size() * sizeof(T));
    } else {
      values.clear();
      for (std::size_t left = size_of(0); left > 0 && ok_; --left) read(values.emplace_back());
    }
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool has_value = false;
    read(has_value);
    value.reset();
    if (has_value) read(value.emplace());
  }
  template <class T>
  void read(Result<T>& result) {
    bool has_value = false;
    read(has_value);
    if (!has_value) {
      Error error;
      read(error);
      result = tl::make_unexpected(std::move(error));
    } else if constexpr (std::is_void_v<T>) {
      result = {};
    } else {
      result.emplace();
      read(*result);
    }
  }
  void read(Error& error) {
    read(error.code);
    read(error.message);
    read(error.path);
    read(error.line);
  }
  template <class T>
  requires kIsPairOrTuple<T>
  void read(T& values) {
    std::apply([this](auto&... value) { (this->read(value), ...); }, values);
  }
  template <ListsFields T>
  void read(T& value) {
    std::apply([this](auto&... field) { (this->read(field), ...); }, T::byte_fields(value));
  }

 private:
  // A stored number of elements of at least `each` bytes.
  std::size_t size_of(std::size_t each) {
    std::size_t size = 0;
    read(size);
    if (each > 0 && size > bytes_.size() / each) ok_ = false;
    return ok_ ? size : 0;
  }
  void raw(void* to, std::size_t size) {
    if (size > bytes_.size()) ok_ = false;
    if (!ok_ || size == 0) return;
    std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace detail

template <class T>
std::string to_bytes(const T& value) {
  detail::ByteWriter out;
  out.write(value);
  return out.take();
}

// False if the bytes do not have the form of T.
template <class T>
bool from_bytes(std::string_view bytes, T& value) {
  detail::ByteReader in(bytes);
  in.read(value);
  return in.at_end();
}

}  // namespace assay
