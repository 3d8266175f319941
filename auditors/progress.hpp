// Progress and cancellation of audits: RunControl of the core, which simulations share.
#pragma once

#include "assay/mechanisms/core/progress.hpp"
