// Interval arithmetic against 50 digits: the exact result is inside, and the interval is narrow.
#include "assay/mechanisms/numerics/enclosure.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay::detail {
namespace {

using Big = boost::multiprecision::cpp_bin_float_50;

void expect_encloses(Enclosure found, const Big& exact, const char* what) {
  EXPECT_LE(Big(found.low), exact) << what;
  EXPECT_GE(Big(found.high), exact) << what;
  const double size = std::fabs(exact.convert_to<double>());
  EXPECT_LE(found.high - found.low, 1.4e-15 * size + 1e-322) << what;
}

TEST(Enclosure, ContainsTheExactResultOfEveryOperation) {
  ReplayStream random({.seed = 3});
  const auto draw = [&] {
    const double fraction = static_cast<double>(random.next() >> 11) * 0x1p-53;
    const auto exponent = static_cast<int>(random.next() % 40) - 20;
    return std::ldexp(0.5 + fraction, exponent) * (random.next() % 2 == 0 ? 1.0 : -1.0);
  };
  for (int i = 0; i < 3000; ++i) {
    const double a = draw();
    const double b = draw();
    const Enclosure x = a;
    const Enclosure y = b;
    expect_encloses(x * y, Big(a) * Big(b), "*");
    expect_encloses(x / y, Big(a) / Big(b), "/");
    EXPECT_LE(Big((x + y).low), Big(a) + Big(b));
    EXPECT_GE(Big((x + y).high), Big(a) + Big(b));
    EXPECT_LE(Big((x - y).low), Big(a) - Big(b));
    EXPECT_GE(Big((x - y).high), Big(a) - Big(b));
    const double positive = std::fabs(a);
    expect_encloses(sqrt(Enclosure(positive)), sqrt(Big(positive)), "sqrt");
    expect_encloses(log(Enclosure(positive)), log(Big(positive)), "log");
    if (std::fabs(a) > 300.0) continue;
    expect_encloses(exp(x), exp(Big(a)), "exp");
    expect_encloses(expm1(x), exp(Big(a)) - 1, "expm1");
    expect_encloses(log1p(Enclosure(positive)), log(1 + Big(positive)), "log1p");
    const Big sinh_exact = (exp(Big(positive)) - exp(-Big(positive))) / 2;
    EXPECT_LE(Big(sinh(Enclosure(positive)).low), sinh_exact);
    EXPECT_GE(Big(sinh(Enclosure(positive)).high), sinh_exact);
    EXPECT_LE(sinh(Enclosure(positive)).high, sinh_exact * (1 + Big(1e-14)));
  }
}

TEST(Enclosure, OpensWhereThereIsNoValueAndIsNeverNan) {
  const Enclosure everything = Enclosure(1.0) / Enclosure(-1.0, 1.0);
  EXPECT_EQ(everything.low, -kInfinity);
  EXPECT_EQ(everything.high, kInfinity);
  for (const Enclosure& x :
       {Enclosure(kInfinity) - Enclosure(kInfinity), Enclosure(0.0) * kInfinity,
        Enclosure(kInfinity) / kInfinity, log(Enclosure(-2.0, 1.0)), log1p(Enclosure(-2.0, 1.0)),
        everything * everything}) {
    EXPECT_FALSE(std::isnan(x.low) || std::isnan(x.high));
    EXPECT_EQ(x.low, -kInfinity);
  }
  EXPECT_EQ(log(Enclosure(0.0, 1.0)).low, -kInfinity);
  EXPECT_EQ(exp(Enclosure(1000.0)).high, kInfinity);
  EXPECT_LT(exp(Enclosure(1000.0)).low, kInfinity) << "an overflow is at least the largest double";
  EXPECT_GE(exp(Enclosure(-1000.0)).low, 0.0);
  EXPECT_GT(exp(Enclosure(-1000.0)).high, 0.0) << "an underflow is not 0";
  EXPECT_GT((Enclosure(1e-200) * Enclosure(1e-200)).high, 0.0);
}

}  // namespace
}  // namespace assay::detail
