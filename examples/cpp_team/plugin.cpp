// Our policy as a plug-in: what the suite plays.
#include "assay/auditors/engine/own_plugin.hpp"
#include "stay_or_switch.hpp"

ASSAY_OWN_PLUGIN(StayOrSwitch, "stay or switch")
