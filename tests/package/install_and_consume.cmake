# Installs the build into an empty prefix, then configures, builds and runs a project that knows
# nothing but that prefix, and the examples: a program that audits through the library, and a plug-in in C.
# Fails on the first step that fails, and when an output is wrong.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message("${output}")
    message(FATAL_ERROR "ended with ${status}: ${ARGN}")
  endif()
  join_command()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Where a command of a report breaks depends on the paths in it.
macro(join_command)
  string(REGEX REPLACE " \\\\\n *" " " output "${output}")
endmacro()

set(prefix ${WORK_DIR}/prefix)
set(build ${WORK_DIR}/build)
file(REMOVE_RECURSE ${WORK_DIR})

run(${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${build} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_PREFIX_PATH=${prefix}
    -DASSAY_EXPECTED_VERSION=${VERSION})
run(${CMAKE_COMMAND} --build ${build})
run(${build}/consumer)
if(NOT output STREQUAL "assay ${VERSION} from an installed package\n")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()

set(examples ${WORK_DIR}/examples)
run(${CMAKE_COMMAND} -S ${EXAMPLES_DIR} -B ${examples} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${examples})
run(${examples}/audit "${PYTHON} ${EXAMPLES_DIR}/targets/naive_gaussian.py")
foreach(expected "Violated: eps at delta = 0 is at least 1.9999" "assay audit laplace -p epsilon=2 "
                 "naive Gaussian\nViolated: " "--kind mechanism --inputs 1 --outputs 1 --samples 2000")
  string(FIND "${output}" "${expected}" at)
  if(at LESS 0)
    message(FATAL_ERROR "the example does not say \"${expected}\":\n${output}")
  endif()
endforeach()
run(${prefix}/bin/assay audit --plugin ${examples}/libleaky_counter.so --arms 2 --horizon 3 --samples 1000
    --claim eps=3 --see 9)
string(FIND "${output}" "NotRefuted" at)
if(at LESS 0)
  message(FATAL_ERROR "the plug-in was not audited:\n${output}")
endif()

# The installed command finds the installed module, and the plug-ins made by the installed header play.
run(${prefix}/bin/assay try --exec "${PYTHON} ${EXAMPLES_DIR}/adapters/select_update.py" --horizon 6)
string(FIND "${output}" "armory.Explorer" at)
if(at LESS 0 OR NOT EXISTS ${prefix}/share/assay/python/assay_target.py)
  message(FATAL_ERROR "the installed module was not used:\n${output}")
endif()
run(${prefix}/bin/assay try --plugin ${examples}/libtold_at_random.so --kind mechanism)
run(${prefix}/bin/assay try --plugin ${examples}/libstay_or_switch.so --horizon 6)

# The example of a C++ team: its tests pass; with a regression planted they fail, and say why.
set(team ${WORK_DIR}/cpp_team)
file(COPY ${EXAMPLES_DIR}/cpp_team DESTINATION ${WORK_DIR})
run(${CMAKE_COMMAND} -S ${team} -B ${team}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${team}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${team}/build --output-on-failure)
run(${prefix}/bin/assay suite run ${team}/assay.toml --seed 1)

# The property tests of a user's own policy: the correct ones pass.
set(properties ${WORK_DIR}/property_tests)
set(configure_properties ${CMAKE_COMMAND} -S ${EXAMPLES_DIR}/property_tests -B ${properties} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS_RELEASE=-O1
    -DCMAKE_PREFIX_PATH=${prefix})
run(${configure_properties})
run(${CMAKE_COMMAND} --build ${properties})
run(${CMAKE_CTEST_COMMAND} --test-dir ${properties} --output-on-failure)

# run_and_fail(STATUS "text"... -- COMMAND...)
function(run_and_fail wanted)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SAYS;COMMAND")
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL wanted)
    message(FATAL_ERROR "ended with ${status}, not with ${wanted}: ${arg_COMMAND}\n${output}")
  endif()
  join_command()
  foreach(said IN LISTS arg_SAYS)
    string(FIND "${output}" "${said}" at)
    if(at LESS 0)
      message(FATAL_ERROR "does not say \"${said}\": ${arg_COMMAND}\n${output}")
    endif()
  endforeach()
endfunction()

# The broken ones are found, with the smallest counterexample. Without RapidCheck there is one clear error.
run_and_fail(5 SAYS "check_privacy_level failed" "horizon = 2, epsilon = 1"
                    "the actions 0, 1 have probability 0.440399 on D and 0.0596015 on D', a loss of 2"
                    "epsilon = 1, inputs = 1" "the statistic moves by 1 in L1; the stated sensitivity is 0.2"
                    "one output of the composed randomised responses loses 2" "the expected regret is at least"
             COMMAND ${properties}/find_faults)
run_and_fail(1 SAYS "neither a Policy nor a Mechanism"
             COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${prefix}/include -I${prefix}/include/assay/internal
                     ${CONSUMER_DIR}/lacks_guarantee.cpp)
run_and_fail(1 SAYS "assay::check needs RapidCheck, which was not found"
             COMMAND ${configure_properties} --fresh -DCMAKE_DISABLE_FIND_PACKAGE_rapidcheck=ON)

file(READ ${team}/stay_or_switch.hpp policy)
string(REPLACE "std::exp(-config_.epsilon)" "std::exp(-2.0 * config_.epsilon)" leaky "${policy}")
if(leaky STREQUAL policy)
  message(FATAL_ERROR "nothing was planted in stay_or_switch.hpp")
endif()
file(WRITE ${team}/stay_or_switch.hpp "${leaky}")
run(${CMAKE_COMMAND} --build ${team}/build)
run_and_fail(8 SAYS "audit/stay_or_switch_audit" "assay: violated: more is leaked than the claim allows"
                    "suite/stay-or-switch (Failed)" "stay-or-switch: violated"
                    "0% tests passed, 3 tests failed out of 3"
             COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${team}/build --output-on-failure)
run_and_fail(1 SAYS "stay-or-switch" "violated"
             COMMAND ${prefix}/bin/assay suite run ${team}/assay.toml --seed 1)
run_and_fail(1 SAYS "Violated" "-p horizon=4 -p epsilon=1 -p arms=2 --claim eps=1 --method"
             COMMAND ${team}/build/stay_or_switch_audit --claim eps=1 -p horizon=4 --method likelihood
                     --samples 500)
run_and_fail(2 SAYS "unknown parameter 'horizn'; did you mean 'horizon'"
             COMMAND ${team}/build/stay_or_switch_audit -p horizn=4)
run(${team}/build/stay_or_switch_audit --help)
foreach(expected "--claim" "-p, --parameter" "horizon" "number of rounds")
  string(FIND "${output}" "${expected}" at)
  if(at LESS 0)
    message(FATAL_ERROR "the program's help does not say ${expected}:\n${output}")
  endif()
endforeach()
