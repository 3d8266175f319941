# assay_add_suite(FILE [NAME name] [TIER smoke|full] [HISTORY file] [ARGS option...] [ENVIRONMENT NAME=value...]
#                 [TAGS label...] [TIMEOUT seconds] [ALLOW_INCONCLUSIVE])
#
# Makes each entry of the suite FILE a test of CTest, NAME/ENTRY, which runs that entry alone. CTest lists the entries
# whenever it starts, so that a new entry needs no new configuration. If they cannot be listed, the test NAME fails and
# says why.
#
# Each test has the share of the error probability that its entry has in the whole suite (--keep-shares). Without
# HISTORY the tests of one call of CTest hold together with the confidence of the suite. With HISTORY all tests of all
# calls hold together with it; each is a run of that history, and so has a smaller share than in a run of all entries.
#
# NAME         default: suite
# TIER         takes the entries of that tier only, in place of all
# HISTORY      the file that links the runs; relative to the current source folder. Its tests do not overlap.
# ARGS         further options of `assay suite run`
# ENVIRONMENT  variables for the suite's file, such as BUILD=${CMAKE_BINARY_DIR}; generator expressions are allowed
# TAGS         labels of the tests beside `assay-suite`: ctest -L smoke
# TIMEOUT, ALLOW_INCONCLUSIVE   as for assay_add_audit
cmake_policy(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/AssayAudit.cmake)  # assay_check_words
function(assay_add_suite file)
  set(usage "assay_add_suite(${file})")
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALLOW_INCONCLUSIVE" "NAME;TIER;HISTORY;TIMEOUT" "ARGS;ENVIRONMENT;TAGS")
  assay_check_words("${usage}" "NAME;TIER;HISTORY;TIMEOUT" "${ARGN}")
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "${usage}: there is no such file")
  endif()
  if(NOT TARGET assay::cli)
    message(FATAL_ERROR "${usage}: the command runs a suite, which this Assay was built without")
  endif()
  if(NOT DEFINED arg_NAME)
    set(arg_NAME suite)
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z0-9_./-]+$")
    message(FATAL_ERROR "${usage}: NAME takes letters, digits, '-', '_', '.' and '/', not '${arg_NAME}'")
  endif()
  if(NOT DEFINED arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(allowed 0)
  if(arg_ALLOW_INCONCLUSIVE)
    set(allowed "0,3")
  endif()
  set(selection)
  if(DEFINED arg_TIER)
    list(APPEND selection --tier "${arg_TIER}")
  endif()
  set(history none)
  set(lock "")
  if(DEFINED arg_HISTORY)
    set(history "${arg_HISTORY}")
    cmake_path(ABSOLUTE_PATH history BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set(lock "${history}")
  endif()
  set(options --history "${history}" ${arg_ARGS})
  if(NOT "--threads" IN_LIST arg_ARGS)
    list(APPEND options --threads 1)
  endif()
  # A file of settings for each suite; the script beside this one makes the tests from it when CTest starts.
  string(MAKE_C_IDENTIFIER "${arg_NAME}" id)
  set(base "${CMAKE_CURRENT_BINARY_DIR}/assay_suite_${id}")
  get_property(known DIRECTORY PROPERTY TEST_INCLUDE_FILES)
  if("${base}.cmake" IN_LIST known)
    message(FATAL_ERROR "${usage}: another suite of this folder has the NAME ${arg_NAME}")
  endif()
  set(settings "")
  foreach(pair "name=arg_NAME" "file=file" "selection=selection" "options=options" "environment=arg_ENVIRONMENT"
          "allowed=allowed" "timeout=arg_TIMEOUT" "lock=lock")
    string(REGEX MATCH "^([a-z]+)=(.*)$" ignored "${pair}")
    string(APPEND settings "set(suite_${CMAKE_MATCH_1} [==[${${CMAKE_MATCH_2}}]==])\n")
  endforeach()
  string(APPEND settings "set(suite_command [==[$<TARGET_FILE:assay::cli>]==])\n"
         "set(suite_labels [==[assay-suite;${arg_TAGS}]==])\n"
         "set(suite_cmake [==[${CMAKE_COMMAND}]==])\n"
         "set(suite_scripts [==[${CMAKE_CURRENT_FUNCTION_LIST_DIR}]==])\n"
         "include([==[${CMAKE_CURRENT_FUNCTION_LIST_DIR}/list_suite.cmake]==])\n")
  get_property(is_multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(is_multi)
    file(GENERATE OUTPUT "${base}-$<CONFIG>.cmake" CONTENT "${settings}")
    file(WRITE "${base}.cmake" "include([==[${base}-]==]\${CTEST_CONFIGURATION_TYPE}.cmake OPTIONAL)\n")
  else()
    file(GENERATE OUTPUT "${base}.cmake" CONTENT "${settings}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${base}.cmake")
endfunction()
