# At install time: assay.hpp, the headers that it lists, and check.hpp to include/assay, and what they include in turn
# to include/assay/internal/assay, which is a second folder of includes: the same include lines find both.
#   -DSOURCE_DIR -DINCLUDE_DIR
cmake_policy(VERSION 3.25)

function(assay_includes header result)
  file(STRINGS ${SOURCE_DIR}/${header} lines REGEX "^ *# *include +\"assay/")
  list(TRANSFORM lines REPLACE "^[^\"]*\"assay/([^\"]+)\".*$" "\\1")
  set(${result} ${lines} PARENT_SCOPE)
endfunction()

assay_includes(assay.hpp listed)
list(APPEND listed check.hpp)
set(reached ${listed})
set(ahead ${listed})
while(ahead)
  list(POP_FRONT ahead header)
  assay_includes(${header} included)
  foreach(one IN LISTS included)
    if(NOT one IN_LIST reached)
      list(APPEND reached ${one})
      list(APPEND ahead ${one})
    endif()
  endforeach()
endwhile()

foreach(header IN LISTS reached ITEMS assay.hpp)
  set(to ${INCLUDE_DIR}/assay)
  if(NOT header IN_LIST listed AND NOT header STREQUAL "assay.hpp")
    set(to ${INCLUDE_DIR}/assay/internal/assay)
  endif()
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL ${SOURCE_DIR}/${header} DESTINATION ${to}/${folder})
endforeach()
