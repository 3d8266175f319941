# assay_write_adapters(FILE): writes FILE, the texts of policies/external/adapters.hpp: assay_target.py as it is,
# and assay_target.h as one file that needs no other, with assay_policy_v1.h in it. FILE changes only where a text
# does. It is written when CMake configures: were it the output of a build command, every object of the library
# would wait for that, and that for the libraries below, while checks compile single sources.
function(assay_write_adapters file)
  function(read_text out name)
    set(path ${PROJECT_SOURCE_DIR}/policies/external/${name})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    if(text STREQUAL "" OR text MATCHES "[)]assay\"")
      message(FATAL_ERROR "${name} cannot be a raw string")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
  endfunction()
  function(replace_once text old new)
    string(FIND "${${text}}" "${old}" first)
    string(FIND "${${text}}" "${old}" last REVERSE)
    if(first LESS 0 OR NOT first EQUAL last)
      message(FATAL_ERROR "assay_target.h must have once: ${old}")
    endif()
    string(REPLACE "${old}" "${new}" replaced "${${text}}")
    set(${text} "${replaced}" PARENT_SCOPE)
  endfunction()

  read_text(python assay_target.py)
  read_text(c assay_target.h)
  read_text(interface assay_policy_v1.h)
  replace_once(c " *   #include \"assay/policies/external/assay_target.h\"" " *   #include \"assay_target.h\"")
  replace_once(c " -I<include folder of Assay>" "")
  replace_once(c "\n#include \"assay/policies/external/assay_policy_v1.h\"\n" "\n${interface}")
  file(WRITE ${file}.new "#include \"assay/policies/external/adapters.hpp\"

namespace assay {
std::string_view python_adapter() { return R\"assay(${python})assay\"; }
std::string_view c_adapter() { return R\"assay(${c})assay\"; }
}  // namespace assay
")
  file(COPY_FILE ${file}.new ${file} ONLY_IF_DIFFERENT)
endfunction()
