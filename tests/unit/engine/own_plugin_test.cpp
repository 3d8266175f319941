#include "assay/auditors/engine/own_plugin.hpp"

#include "assay/policies/bandits/ucb1.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

std::string plugin_refusal(const assay_shape_v1& shape) {
  std::array<char, 512> error{};
  void* self = detail::OwnPlugin<Ucb1>::create(&shape, error.data(), error.size());
  if (self != nullptr) detail::OwnPlugin<Ucb1>::destroy(self);
  return self != nullptr ? "" : error.data();
}

// A shape with more than the actions of all rounds is none that a Policy plays.
TEST(OwnPlugin, RefusesWhatAPolicyDoesNotTell) {
  const assay_shape_v1 plain = {"bandit", 2, 10, 0, 0, 0, 10, 1, 10, 0, 0, 0, nullptr, nullptr};
  EXPECT_EQ(plugin_refusal(plain), "");
  for (const auto member :
       {&assay_shape_v1::stops, &assay_shape_v1::numbers, &assay_shape_v1::estimates}) {
    assay_shape_v1 shape = plain;
    shape.*member = 1;
    EXPECT_THAT(plugin_refusal(shape),
                ::testing::HasSubstr("no early stops, numbers or estimates"));
  }
}

}  // namespace
}  // namespace assay
