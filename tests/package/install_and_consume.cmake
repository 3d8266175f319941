# Installs the build into an empty prefix, then configures, builds and runs a project that knows
# nothing but that prefix, and the examples: a program that audits through the library, and a plug-in in C.
# Fails on the first step that fails, and when an output is wrong.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message("${output}")
    message(FATAL_ERROR "ended with ${status}: ${ARGN}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

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
foreach(expected "Violated: delta at eps = 1 is at least 0.39346" "assay audit laplace -p epsilon=2 "
                 "naive Gaussian\nViolated: " "--kind mechanism --inputs 1 --outputs 1 --samples 2000")
  string(FIND "${output}" "${expected}" at)
  if(at LESS 0)
    message(FATAL_ERROR "the example does not say \"${expected}\":\n${output}")
  endif()
endforeach()
run(${prefix}/bin/assay audit --plugin ${examples}/libleaky_counter.so --arms 2 --horizon 3 --samples 100
    --claim eps=9)
string(FIND "${output}" "NotRefuted" at)
if(at LESS 0)
  message(FATAL_ERROR "the plug-in was not audited:\n${output}")
endif()
