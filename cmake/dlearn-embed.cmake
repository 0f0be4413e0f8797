# SPDX-License-Identifier: GPL-2.0-only
#
# Script that joins the template of the pages, and the chart library, to one file, and writes a C++
# source with it. What remains in the template is the mark <!--DATA-->.
#
# cmake -DSOURCE=FILE.cc -DTEMPLATE=FILE.html -DMARKUP=FILE -DSTYLE=FILE "-DSCRIPT=FILE|FILE..."
#       -DCHARTS=FILE -DCHARTS_STYLE=FILE -DCHARTS_LICENSE=FILE -P this
#
# The files of the chart library may be empty words, for none.

file(READ "${MARKUP}" page)
set(STYLE "${CHARTS_STYLE}|${STYLE}")
foreach(part STYLE SCRIPT CHARTS CHARTS_LICENSE)
  set(text "")
  string(REPLACE "|" ";" files "${${part}}")
  foreach(file IN LISTS files)
    if(file)
      file(READ "${file}" content)
      string(APPEND text "${content}")
    endif()
  endforeach()
  if(part MATCHES "^CHARTS_LICENSE$")
    string(REPLACE "&" "&amp;" text "${text}")
    string(REPLACE "<" "&lt;" text "${text}")
  endif()
  # A browser would look for the source map beside the page.
  string(REGEX REPLACE "(//|/[*])# sourceMappingURL=[^\n]*" "" text "${text}")
  string(REPLACE "<!--${part}-->" "${text}" page "${page}")
endforeach()
file(WRITE "${TEMPLATE}" "${page}")
string(LENGTH "${page}" length)
string(HEX "${page}" bytes)
string(REGEX REPLACE "(................................................)" "\\1\"\n    \"" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
file(
  WRITE "${SOURCE}"
  "// Written by cmake/dlearn-embed.cmake.\n\n#include <string_view>\n\nnamespace ns3::dlearn\n{\n\n"
  "extern const std::string_view g_pageTemplate;\n"
  "const std::string_view g_pageTemplate(\n    \"${bytes}\",\n    ${length});\n\n} // namespace ns3::dlearn\n"
)
