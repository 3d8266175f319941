// Written by mechanisms/numerics/internal/make_legendre_tables.py; do not edit.
#pragma once

// clang-format off
namespace assay::detail {

// Gauss-Legendre rule with 16 points on [-1, 1]
inline constexpr double kLegendreNode16[] = {
    -0x1.fa92c264d787ep-1,
    -0x1.e39f56616f9b0p-1,
    -0x1.bb3403514e483p-1,
    -0x1.82c45dda4726bp-1,
    -0x1.3c5a466d5e8b8p-1,
    -0x1.d50259a43a772p-2,
    -0x1.205cae642337cp-2,
    -0x1.852bd6676a9f9p-4,
    0x1.852bd6676a9f9p-4,
    0x1.205cae642337cp-2,
    0x1.d50259a43a772p-2,
    0x1.3c5a466d5e8b8p-1,
    0x1.82c45dda4726bp-1,
    0x1.bb3403514e483p-1,
    0x1.e39f56616f9b0p-1,
    0x1.fa92c264d787ep-1,
};
inline constexpr double kLegendreWeight16[] = {
    0x1.bcddab4b7c211p-6,
    0x1.fdfb1a2c1265dp-5,
    0x1.85c4ee79cc258p-4,
    0x1.fe7af2bad386ap-4,
    0x1.325f61bca3cbfp-3,
    0x1.5a6ebbb5a75fcp-3,
    0x1.75f8c77e0c00fp-3,
    0x1.83feae80e4dfcp-3,
    0x1.83feae80e4dfcp-3,
    0x1.75f8c77e0c00fp-3,
    0x1.5a6ebbb5a75fcp-3,
    0x1.325f61bca3cbfp-3,
    0x1.fe7af2bad386ap-4,
    0x1.85c4ee79cc258p-4,
    0x1.fdfb1a2c1265dp-5,
    0x1.bcddab4b7c211p-6,
};

// Gauss-Legendre rule with 24 points on [-1, 1]
inline constexpr double kLegendreNode24[] = {
    -0x1.fd892de691982p-1,
    -0x1.f30f9f0cbf876p-1,
    -0x1.e06585a70aa4dp-1,
    -0x1.c5d841864d0f5p-1,
    -0x1.a3d74ce0d3700p-1,
    -0x1.7af18edb9ddd6p-1,
    -0x1.4bd2ee5fa1086p-1,
    -0x1.17417bac4d72bp-1,
    -0x1.bc345d81e24b5p-2,
    -0x1.429a8c588e910p-2,
    -0x1.8769542b94f8dp-3,
    -0x1.0660853eda2e8p-4,
    0x1.0660853eda2e8p-4,
    0x1.8769542b94f8dp-3,
    0x1.429a8c588e910p-2,
    0x1.bc345d81e24b5p-2,
    0x1.17417bac4d72bp-1,
    0x1.4bd2ee5fa1086p-1,
    0x1.7af18edb9ddd6p-1,
    0x1.a3d74ce0d3700p-1,
    0x1.c5d841864d0f5p-1,
    0x1.e06585a70aa4dp-1,
    0x1.f30f9f0cbf876p-1,
    0x1.fd892de691982p-1,
};
inline constexpr double kLegendreWeight24[] = {
    0x1.9465bd3112202p-7,
    0x1.d375514486f1dp-6,
    0x1.6ab884f57c979p-5,
    0x1.e5c6255d25edap-5,
    0x1.2c6d5c2eff064p-4,
    0x1.6108ef504463ap-4,
    0x1.8fd8936444b16p-4,
    0x1.b8177ba4a68dcp-4,
    0x1.d91c78acb1b2dp-4,
    0x1.f25cbce1d1ff6p-4,
    0x1.01b7117cf8bd8p-3,
    0x1.060475e763736p-3,
    0x1.060475e763736p-3,
    0x1.01b7117cf8bd8p-3,
    0x1.f25cbce1d1ff6p-4,
    0x1.d91c78acb1b2dp-4,
    0x1.b8177ba4a68dcp-4,
    0x1.8fd8936444b16p-4,
    0x1.6108ef504463ap-4,
    0x1.2c6d5c2eff064p-4,
    0x1.e5c6255d25edap-5,
    0x1.6ab884f57c979p-5,
    0x1.d375514486f1dp-6,
    0x1.9465bd3112202p-7,
};

}  // namespace assay::detail
// clang-format on
