// What every test of a property starts from: testing.hpp and RapidCheck.
#pragma once

#include "assay/tests/support/testing.hpp"

// After GoogleTest, which they expect.
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
