# Flags that every target of the project shares.
#
# -ffp-contract=off and no -march: results have the same bits on every x86-64 machine and compiler.
# What changes the meaning of a header is exported, so that a consumer compiles it as the library did.
add_library(assay_flags INTERFACE)
set_target_properties(assay_flags PROPERTIES EXPORT_NAME flags)
target_compile_features(assay_flags INTERFACE cxx_std_20)
target_compile_options(assay_flags INTERFACE -ffp-contract=off)

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor
                                                -Wold-style-cast -Woverloaded-virtual -Wno-psabi)
# Joined sources shadow names of their neighbours.
if(NOT ASSAY_JOIN_SOURCES)
  target_compile_options(assay_warnings INTERFACE -Wshadow)
endif()
# GCC 12 warns of overlapping copies inside std::string's operator+ (GCC bug 105651); there are none.
target_compile_options(assay_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(ASSAY_WARNINGS_AS_ERRORS)
  target_compile_options(assay_warnings INTERFACE -Werror)
endif()
if(ASSAY_SANITIZE)
  target_compile_options(assay_flags INTERFACE -fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all
                                               -fno-omit-frame-pointer)
  target_link_options(assay_flags INTERFACE -fsanitize=${ASSAY_SANITIZE})
endif()
# GCC frees memory as it compiles, to stay small; for sources that are joined that costs a tenth of the time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND ASSAY_JOIN_SOURCES)
  target_compile_options(assay_flags INTERFACE "$<BUILD_INTERFACE:SHELL:--param ggc-min-heapsize=600000>")
endif()
if(ASSAY_CHECKED)
  target_compile_definitions(assay_flags INTERFACE ASSAY_CHECKED=1)
endif()

# Sources of libraries beside those of the three layers: what the papers claim, draw and get wrong, and suites,
# which stand above it.
set(ASSAY_PAPERS_SOURCES "/(mechanisms|policies)/faulty/|/auditors/(claims|figures|detect|simulate|verify)/|/auditors/[a-z_]+/(claims|figures)/|/auditors/registry/(certificates|claims|experiments)[.]")
set(ASSAY_SUITE_SOURCES "/auditors/suite/")

# Where the papers are not built, x_absent.cpp stands in for x.cpp.
function(assay_choose_papers list)
  set(left_out ${${list}})
  list(FILTER left_out INCLUDE REGEX "_absent[.]cpp$")
  if(NOT ASSAY_PAPERS)
    list(TRANSFORM left_out REPLACE "_absent[.]cpp$" ".cpp")
  endif()
  if(left_out)
    list(REMOVE_ITEM ${list} ${left_out})
  endif()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# assay_add_library(auditors PRECOMPILE <fmt/format.h> LIGHT text APART engine/level_expression.cpp):
# assay::auditors from the sources below the current folder, or from those below FROM that match ONLY. The headers
# named are precompiled with the common ones, or those of the library PRECOMPILED_BY are taken; LIGHT and APART as
# in assay_join.
function(assay_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED_BY;ONLY" "FROM;PRECOMPILE;LIGHT;APART")
  if(NOT arg_FROM)
    set(arg_FROM ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  list(TRANSFORM arg_FROM APPEND "/*.cpp")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${arg_FROM})
  if(arg_ONLY)
    list(FILTER sources INCLUDE REGEX "${arg_ONLY}")
  else()
    list(FILTER sources EXCLUDE REGEX "${ASSAY_PAPERS_SOURCES}|${ASSAY_SUITE_SOURCES}")
  endif()
  assay_choose_papers(sources)
  assay_join(sources AS ${name}_ LIGHT ${arg_LIGHT} APART ${arg_APART})
  add_library(assay_${name} ${sources})
  add_library(assay::${name} ALIAS assay_${name})
  set_target_properties(assay_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX
                                                 POSITION_INDEPENDENT_CODE ON)
  target_include_directories(assay_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/assay/internal>)
  target_link_libraries(assay_${name} PUBLIC assay_flags PRIVATE $<BUILD_INTERFACE:assay_warnings>)
  if(arg_PRECOMPILED_BY)
    assay_reuse_precompiled(assay_${name} assay_${arg_PRECOMPILED_BY})
  else()
    assay_precompile(assay_${name} ${arg_PRECOMPILE})
  endif()
endfunction()

# A source that takes long to optimise and runs for a moment.
function(assay_light source)
  set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endfunction()

# assay_join(sources LIGHT folders APART files): where ASSAY_JOIN_SOURCES is on, the sources in the list are
# replaced by generated ones that include up to 24 neighbours each: half as much to compile, since most of a
# source's time goes into what it includes. LIGHT folders hold code that runs for a moment and takes long to
# optimise, such as the writers of reports. APART are sources whose local names collide with a neighbour's. AS
# begins the names of the generated sources, where one folder has two lists. No result changes: nothing here
# is compiled with flags that change arithmetic.
function(assay_join list)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "AS" "LIGHT;APART")
  set(joined)
  set(sources_plain)
  set(sources_light)
  foreach(source IN LISTS ${list})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
    set(kind plain)
    foreach(room IN LISTS arg_LIGHT)
      if(name MATCHES "^${room}/" OR room STREQUAL ".")
        set(kind light)
      endif()
    endforeach()
    # A source for other instructions says so by its pragmas, which must not reach a neighbour.
    if(NOT ASSAY_JOIN_SOURCES OR name IN_LIST arg_APART OR name MATCHES "_avx2\\.cpp$")
      list(APPEND joined ${source})
      if(kind STREQUAL "light")
        assay_light(${source})
      endif()
    else()
      list(APPEND sources_${kind} ${source})
    endif()
  endforeach()
  foreach(kind plain light)
    list(LENGTH sources_${kind} count)
    if(count EQUAL 0)
      continue()
    endif()
    math(EXPR parts "(${count} + 23) / 24")
    math(EXPR last "${parts} - 1")
    foreach(part RANGE ${last})
      math(EXPR first "${part} * ${count} / ${parts}")
      math(EXPR number "(${part} + 1) * ${count} / ${parts} - ${first}")
      list(SUBLIST sources_${kind} ${first} ${number} now)
      # By the path that every include takes, so that ccache finds it in a checkout elsewhere.
      string(REPLACE "${PROJECT_SOURCE_DIR}/" "assay/" now "${now}")
      list(TRANSFORM now REPLACE "^(.+)$" "#include \"\\1\"")
      list(JOIN now "\n" text)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/joined/${arg_AS}${kind}_${part}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "${text}\n" @ONLY)
      if(kind STREQUAL "light")
        assay_light(${file})
      endif()
      list(APPEND joined ${file})
    endforeach()
  endforeach()
  set(${list} ${joined} PARENT_SCOPE)
endfunction()

# assay_precompile(assay_cli <fmt/format.h>): compiles what nearly every source includes, and the headers
# named, once for the target. It saves time only: a source still includes what it uses, which `.ci/run
# includes` compiles without. ccache can keep what uses precompiled headers only when the preprocessor names
# them (GCC) or they carry no date (Clang). GCC 12 takes a precompiled std::string for code of ours and
# warns of its insides.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(assay_flags INTERFACE $<BUILD_INTERFACE:-fpch-preprocess>)
  else()
    target_compile_options(assay_flags INTERFACE "$<BUILD_INTERFACE:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()
function(assay_precompile target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <span> <string>
    <string_view> <utility> <variant> <vector> <tl/expected.hpp> ${ARGN})
  assay_quiet_precompiled(${target})
endfunction()
# Of a target with the same options, -fPIC among them.
function(assay_reuse_precompiled target from)
  target_precompile_headers(${target} REUSE_FROM ${from})
  assay_quiet_precompiled(${target})
endfunction()
function(assay_quiet_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized
                                             -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()
