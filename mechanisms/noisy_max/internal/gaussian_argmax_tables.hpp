// Written by mechanisms/noisy_max/internal/make_gaussian_argmax_tables.py; do not edit.
//
// R(t) = Phi(-t) exp(t^2/2) ~ top(t)/bottom(t), t >= 0; exp(r) ~ poly(r), |r| <= log(2)/2; lowest
// power first. Each error is the largest relative error of the function with these coefficients in
// exact arithmetic.
#pragma once

// clang-format off
namespace assay::detail {

// R, relative error 7.04e-13
inline constexpr double kTailTopSampling[] = {
    0x1.fffffffffe8f2p-2,
    0x1.5d8662aad3a6fp-1,
    0x1.d2a28b6a7161ap-2,
    0x1.812078712ed6ap-3,
    0x1.a506ab68ad11fp-5,
    0x1.31228a024c649p-7,
    0x1.122645ae04b28p-10,
    0x1.e34c7cafc5e82p-15,
};
inline constexpr double kTailBottomSampling[] = {
    0x1.0000000000000p+0,
    0x1.14e446248deefp+1,
    0x1.11961aa19cf69p+1,
    0x1.440e8a682ad7ep+0,
    0x1.fa4a8942a62adp-2,
    0x1.0d3526e78bf09p-3,
    0x1.80cbc8112c8c0p-6,
    0x1.57986f1516581p-9,
    0x1.2edcd30a9884ap-13,
};
// exp, relative error 8.48e-13
inline constexpr double kExpSampling[] = {
    0x1.0000000000000p+0,
    0x1.ffffffffd99e8p-1,
    0x1.0000000065e8fp-1,
    0x1.5555559d42840p-3,
    0x1.55555434bb35ap-5,
    0x1.1110859677e6cp-7,
    0x1.6c187f4609addp-10,
    0x1.a1a4edf5b3650p-13,
    0x1.9f0095ca70365p-16,
};

// R, relative error 1.36e-16
inline constexpr double kTailTopExact[] = {
    0x1.0000000000000p-1,
    0x1.b72dd3f28e27dp-1,
    0x1.7439775d7f0eap-1,
    0x1.93f54539f4c51p-2,
    0x1.34514227de427p-3,
    0x1.5893c15cf4ae3p-5,
    0x1.1d5ec3a1a7411p-7,
    0x1.5a94c6a2bd7b8p-10,
    0x1.28d6ac81f7957p-13,
    0x1.46a938f043fcep-17,
    0x1.64558d7712c74p-22,
};
inline constexpr double kTailBottomExact[] = {
    0x1.0000000000000p+0,
    0x1.41b7fec897ed7p+1,
    0x1.7ace80741ad87p+1,
    0x1.146ace0967f87p+1,
    0x1.16801740be993p+0,
    0x1.980ddafea1aa5p-2,
    0x1.bd3cdd4b8bfdep-4,
    0x1.6b71b7f2e7c19p-6,
    0x1.b592d570db86dp-9,
    0x1.74e77c355f632p-12,
    0x1.9968ac69dcb81p-16,
    0x1.be9942f19bb8cp-21,
};
// exp, relative error 1.28e-17
inline constexpr double kExpExact[] = {
    0x1.0000000000000p+0,
    0x1.0000000000000p+0,
    0x1.000000000000bp-1,
    0x1.55555555554b1p-3,
    0x1.5555555550159p-5,
    0x1.111111112f66ep-7,
    0x1.6c16c185637eap-10,
    0x1.a01a01135275fp-13,
    0x1.a019974d35754p-16,
    0x1.71df44fee6fe5p-19,
    0x1.28af9ebb70bc2p-22,
    0x1.ad5f0ea06f42ap-26,
};

}  // namespace assay::detail
// clang-format on
