# Install rules: the headers that assay.hpp lists and check.hpp, what they need in internal/ (install_headers.cmake), those of
# plug-ins in C; the libraries, the command, and the package that find_package(assay) reads, with
# assay_add_audit() and assay_add_suite().
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/assay)

install(CODE "set(SOURCE_DIR \"${PROJECT_SOURCE_DIR}\")
set(INCLUDE_DIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")")
install(DIRECTORY policies/external DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay/policies
        FILES_MATCHING PATTERN "assay_policy_v*.h" PATTERN "assay_target.h" PATTERN internal EXCLUDE)
install(FILES policies/external/assay_target.py DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/python)
install(TARGETS assay_flags assay_mechanisms assay_policies assay_auditors assay_suite EXPORT assay-targets)
if(TARGET assay_papers)
  install(TARGETS assay_papers EXPORT assay-targets)
endif()
if(TARGET assay_cli)
  install(TARGETS assay_command assay_cli EXPORT assay-targets)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/help/ DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()
install(EXPORT assay-targets NAMESPACE assay:: DESTINATION ${package_dir})

configure_package_config_file(cmake/assay-config.cmake.in assay-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(assay-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/assay-config.cmake ${PROJECT_BINARY_DIR}/assay-config-version.cmake
              cmake/AssayAudit.cmake cmake/AssayCheck.cmake cmake/AssaySuite.cmake cmake/list_suite.cmake cmake/run_audit.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
