# assay::check, for property tests of your own policies with assay/check.hpp. It exists where RapidCheck does, which
# nothing else of Assay needs. find_package(assay REQUIRED COMPONENTS check) says so if RapidCheck is missing.
find_package(rapidcheck QUIET GLOBAL)
if(TARGET rapidcheck AND NOT TARGET assay::check)
  add_library(assay::check INTERFACE IMPORTED GLOBAL)
  set_property(TARGET assay::check PROPERTY INTERFACE_LINK_LIBRARIES assay::auditors rapidcheck)
endif()
