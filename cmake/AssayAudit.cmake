# assay_add_audit(TARGET [NAME name] [CLAIM claim] [INPUT file] [ARGS option...] [TAGS label...]
#                 [TIMEOUT seconds] [ALLOW_INCONCLUSIVE])
#
# Makes an audit of TARGET a test of CTest. TARGET is
#   an executable      that audits a class of yours (assay/cli/audit_main.hpp), linked with assay::command
#   a module library   that exports assay_policy_v1.h, which `assay audit --plugin` plays; its sizes are ARGS,
#                      such as --arms 3 --horizon 50
# The test passes where the audit ends with exit code 0: nothing violated. It fails on 1 (violated), 3
# (inconclusive, unless ALLOW_INCONCLUSIVE), and whatever says that nothing could be run: 2, 4, 5, a signal, a
# program that is not there. What failed is said in a line below the report.
#
# CLAIM   as --claim: "eps=1,delta=1e-6"; of a class without it what its guarantee() states
# INPUT   as --input; relative to the current source folder
# ARGS    further options of `assay audit`
# TAGS    labels of the test beside `assay-audit`: ctest -L smoke
# NAME    default: audit/TARGET
# A test may take TIMEOUT seconds (default 300) and one processor: --threads 1, unless ARGS say otherwise.
cmake_policy(VERSION 3.25)

# Ends with an error if the caller's cmake_parse_arguments left words over, or if one of `keys` has no value among
# `words`. An empty value is no value: a variable that was not set, and never what the class itself guarantees.
function(assay_check_words usage keys words)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${usage}: unknown words: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${usage}: no value after ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(key IN LISTS keys)
    if("${key}" IN_LIST words AND "${arg_${key}}" STREQUAL "")
      message(FATAL_ERROR "${usage}: ${key} is empty")
    endif()
  endforeach()
endfunction()

function(assay_add_audit target)
  set(usage "assay_add_audit(${target})")
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALLOW_INCONCLUSIVE" "NAME;CLAIM;INPUT;TIMEOUT" "ARGS;TAGS")
  assay_check_words("${usage}" "CLAIM;INPUT;NAME;TIMEOUT" "${ARGN}")
  if("" IN_LIST arg_ARGS)
    message(FATAL_ERROR "${usage}: an empty word in ARGS")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${usage}: there is no such target")
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set(command $<TARGET_FILE:${target}>)
  elseif(type MATCHES "^(MODULE|SHARED)_LIBRARY$")
    if(NOT TARGET assay::cli)
      message(FATAL_ERROR "${usage}: a plug-in is played by the command, which this Assay was built without")
    endif()
    if(NOT arg_CLAIM)
      message(FATAL_ERROR "${usage}: a plug-in states no guarantee: give CLAIM")
    endif()
    set(command $<TARGET_FILE:assay::cli> audit --plugin $<TARGET_FILE:${target}>)
  else()
    message(FATAL_ERROR "${usage}: must be an executable or a module library, not ${type}")
  endif()
  if(DEFINED arg_CLAIM)
    list(APPEND command --claim "${arg_CLAIM}")
  endif()
  if(DEFINED arg_INPUT)
    cmake_path(ABSOLUTE_PATH arg_INPUT BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND command --input "${arg_INPUT}")
  endif()
  if(NOT "--threads" IN_LIST arg_ARGS)
    list(APPEND command --threads 1)
  endif()
  if(NOT DEFINED arg_NAME)
    set(arg_NAME audit/${target})
  endif()
  if(NOT DEFINED arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(allowed 0)
  if(arg_ALLOW_INCONCLUSIVE)
    set(allowed "0,3")
  endif()
  add_test(NAME ${arg_NAME}
           COMMAND ${CMAKE_COMMAND} "-DALLOWED=${allowed}" -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_audit.cmake -- ${command} ${arg_ARGS})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "assay-audit;${arg_TAGS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
