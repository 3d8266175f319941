# CTest includes this when it starts, after the settings that assay_add_suite() wrote: a test for each entry that
# `assay suite list` names. If it names none, one test fails and shows its message.
execute_process(COMMAND "${suite_cmake}" -E env ${suite_environment} "${suite_command}" suite list "${suite_file}"
                        --names ${suite_selection}
                RESULT_VARIABLE suite_status OUTPUT_VARIABLE suite_entries ERROR_QUIET)
if(suite_status EQUAL 0)
  string(REGEX REPLACE "\n$" "" suite_entries "${suite_entries}")
  string(REPLACE "\n" ";" suite_entries "${suite_entries}")
  foreach(suite_entry IN LISTS suite_entries)
    add_test("${suite_name}/${suite_entry}" "${suite_cmake}" "-DALLOWED=${suite_allowed}" -P
             "${suite_scripts}/run_audit.cmake" -- "${suite_command}" suite run "${suite_file}" --entry
             "${suite_entry}" --keep-shares ${suite_selection} ${suite_options})
    set_tests_properties("${suite_name}/${suite_entry}" PROPERTIES LABELS "${suite_labels}" TIMEOUT
                         "${suite_timeout}" ENVIRONMENT "${suite_environment}")
    if(suite_lock)
      set_tests_properties("${suite_name}/${suite_entry}" PROPERTIES RESOURCE_LOCK "${suite_lock}")
    endif()
  endforeach()
else()
  add_test("${suite_name}" "${suite_cmake}" -DALLOWED=0 -P "${suite_scripts}/run_audit.cmake" -- "${suite_command}"
           suite list "${suite_file}" --names ${suite_selection})
  set_tests_properties("${suite_name}" PROPERTIES LABELS "${suite_labels}" ENVIRONMENT "${suite_environment}")
endif()
