# Writes OUTPUT from cmake/commit.cpp.in with the commit of SOURCE_DIR, "unknown" outside a checkout of
# the project itself. The file is rewritten only when its text changes, so a build after a commit
# compiles this one file and nothing else.
function(git out)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE_DIR} ${ARGN} OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(text "")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(ASSAY_COMMIT unknown)
git(top rev-parse --show-toplevel)
file(REAL_PATH ${SOURCE_DIR} source_dir)
if(top STREQUAL source_dir)
  git(ASSAY_COMMIT rev-parse --short=12 HEAD)
  git(changes status --porcelain --untracked-files=no)
  if(changes)
    string(APPEND ASSAY_COMMIT "-modified")
  endif()
endif()
configure_file(${SOURCE_DIR}/cmake/commit.cpp.in ${OUTPUT} @ONLY)
