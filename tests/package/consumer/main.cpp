// Uses each of the three libraries as an outside project would.
#include <cstdio>
#include <string>

#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/version.hpp"
#include "assay/policies/concepts.hpp"

int main() {
  if (assay::number_text(0.1) != "0.1") return 1;
  std::printf("assay %s from an installed package\n",
              std::string(assay::build_info().version).c_str());
}
