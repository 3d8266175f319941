// What every test starts from: GoogleTest, the names of its matchers, and what most tests take from the
// standard library.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::DoubleEq;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

// What a result holds, nothing of a Status; where it is an error, the test fails with its words.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_string());
  return detail::value_of(std::move(result));
}

// The error of what has to fail.
template <class T>
Error error_of(const Result<T>& result) {
  EXPECT_FALSE(result);
  return result ? Error{} : result.error();
}

// Why it fails; nothing where it does not.
template <class T>
std::string refusal_of(const Result<T>& result) {
  return result ? "" : result.error().message;
}

}  // namespace assay
