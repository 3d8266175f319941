// Does not compile: the class has no guarantee().
#include <assay/check.hpp>

struct NoConfig {
  static void fields(auto&&) {}
};
class LacksGuarantee : public assay::BanditPolicy<NoConfig> {
 public:
  static assay::Result<LacksGuarantee> create(const NoConfig&);
  int choose(assay::ReplayStream&);
  void observe(double);
};
const auto outcome = assay::check_privacy_level<LacksGuarantee>();
