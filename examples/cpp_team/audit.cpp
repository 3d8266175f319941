// The audit of our policy as a program, with the options of `assay audit`.
#include "assay/cli/audit_main.hpp"
#include "stay_or_switch.hpp"

int main(int argc, char** argv) {
  return assay::audit_main<StayOrSwitch>(
      argc, argv, {.id = "stay-or-switch", .title = "Stay or switch, at random"});
}
