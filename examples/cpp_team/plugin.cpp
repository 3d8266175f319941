// Our policy as a plug-in, which the suite audits.
#include "assay/auditors/engine/custom_plugin.hpp"
#include "stay_or_switch.hpp"

ASSAY_OWN_PLUGIN(StayOrSwitch, "stay or switch")
