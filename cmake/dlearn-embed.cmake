# SPDX-License-Identifier: GPL-2.0-only
#
# Script that writes a C++ source with the template of the pages in it, and the chart library:
#
# cmake -DOUTPUT=FILE.cc -DHEADER=dlearn-page-template.h -DMARKUP=FILE -DSTYLE=FILE
#       "-DSCRIPT=FILE|FILE..." -DCHARTS=FILE -DCHARTS_STYLE=FILE -DCHARTS_LICENSE=FILE -P this
#
# The files of the chart library may be empty words, for none.

set(source "// Written by cmake/dlearn-embed.cmake.\n\n#include \"${HEADER}\"\n\nnamespace ns3::dlearn\n{\n\n")
foreach(part MARKUP STYLE SCRIPT CHARTS CHARTS_STYLE CHARTS_LICENSE)
  set(text "")
  string(REPLACE "|" ";" files "${${part}}")
  foreach(file IN LISTS files)
    file(READ "${file}" content)
    string(APPEND text "${content}")
  endforeach()
  # A browser would look for the source map beside the page.
  string(REGEX REPLACE "(//|/[*])# sourceMappingURL=[^\n]*" "" text "${text}")
  string(LENGTH "${text}" length)
  string(HEX "${text}" bytes)
  string(REGEX REPLACE "(................................................)" "\\1\"\n    \"" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  string(APPEND source "const std::string_view PageTemplate::${part}(\n    \"${bytes}\",\n    ${length});\n\n")
endforeach()
file(WRITE "${OUTPUT}" "${source}} // namespace ns3::dlearn\n")
