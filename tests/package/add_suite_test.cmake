# What assay_add_suite() makes of a suite: a test of each entry, which knows the others' shares. Fails on the first
# thing that is otherwise.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK_DIR})

# expect(STATUS "said"... COMMAND ...): the command ends with 0 or not, and says the texts, spaces aside.
function(expect succeeds)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SAYS;COMMAND")
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if((succeeds AND NOT status EQUAL 0) OR (NOT succeeds AND status EQUAL 0))
    message(FATAL_ERROR "ended with ${status}: ${arg_COMMAND}: ${output}")
  endif()
  foreach(said IN LISTS arg_SAYS)
    string(FIND "${output}" "${said}" at)
    if(at LESS 0)
      message(FATAL_ERROR "does not say \"${said}\": ${arg_COMMAND}: ${output}")
    endif()
  endforeach()
endfunction()

file(WRITE ${WORK_DIR}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(team NONE)
enable_testing()
add_executable(assay::cli IMPORTED)
set_target_properties(assay::cli PROPERTIES IMPORTED_LOCATION [==[${ASSAY}]==])
include([==[${SOURCE_DIR}/cmake/AssaySuite.cmake]==])
cmake_language(EVAL CODE \"\${call}\")
")
set(head "schema = \"assay.suite/1\"\nseed = 7\nconfidence = 0.99\n")
set(year "[[account]]\nid = \"year\"\nwhat = \"gaussian\"\nsigma = 20\ncompose = 365\nbelow = \"eps=9,delta=1e-6\"\n")
set(counts "[[audit]]\nid = \"counts/of a day\"\ncase = \"laplace\"\nclaim = \"eps=1\"\nparameters = {epsilon = \"\${EPSILON}\"}\n")
string(REPLACE "of a day" "day" counts "${counts}")
set(suite "${WORK_DIR}/assay.toml")
set(tests ${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build --output-on-failure)

function(configure call)
  expect(TRUE COMMAND ${CMAKE_COMMAND} -S ${WORK_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} "-Dcall=${call}")
endfunction()
function(refuses said call)
  expect(FALSE SAYS "${said}" COMMAND ${CMAKE_COMMAND} -S ${WORK_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} "-Dcall=${call}")
endfunction()

# Each entry is a test. The share of alpha is that in the suite: half of 0.01.
file(WRITE ${suite} "${head}${year}${counts}")
configure("assay_add_suite(assay.toml NAME team TAGS smoke ENVIRONMENT EPSILON=1)")
expect(TRUE SAYS "team/year" "team/counts/day" "Total Tests: 2" COMMAND ${tests} -N -L smoke)
expect(TRUE SAYS "--keep-shares" "Of 1 entry 1 held" COMMAND ${tests} -V -R "counts/day")

# An entry that leaks fails alone, and a new entry needs no new configuration.
configure("assay_add_suite(assay.toml ENVIRONMENT EPSILON=2)")
expect(FALSE SAYS "suite/counts/day (Failed)" "counts/day: violated" "assay: violated: more is leaked"
             "50% tests passed, 1 tests failed out of 2" COMMAND ${tests})
string(REPLACE "year" "decade" decade "${year}")
file(APPEND ${suite} "${decade}")
expect(TRUE SAYS "suite/decade" "Total Tests: 3" COMMAND ${tests} -N)

# A suite that cannot be read is a test that fails.
file(WRITE ${suite} "${head}[[audit]]\n")
expect(FALSE SAYS "suite (Failed)" "assay.toml:4" "assay: could not run: the options or the configuration"
             COMMAND ${tests})

# The runs of a history, one after another, share its confidence.
file(WRITE ${suite} "${head}${year}${decade}")
configure("assay_add_suite(assay.toml HISTORY runs.sqlite TIER full)")
expect(TRUE SAYS "100% tests passed" COMMAND ${tests} -j 2)
expect(TRUE SAYS "Run 4, with alpha" COMMAND ${tests} -j 2 -V)

refuses("assay_add_suite(none.toml): there is no such file" "assay_add_suite(none.toml)")
refuses("assay_add_suite(assay.toml): unknown words: TAG" "assay_add_suite(assay.toml TAG smoke)")
refuses("assay_add_suite(assay.toml): NAME is empty" "assay_add_suite(assay.toml NAME [==[]==])")
refuses("has the NAME suite" "assay_add_suite(assay.toml)\nassay_add_suite(assay.toml)")
