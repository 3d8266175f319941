# Installs the build into an empty prefix, then configures, builds and runs a project that knows
# nothing but that prefix. Fails on the first step that fails, and when the consumer's output is wrong.
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
