# SPDX-License-Identifier: GPL-2.0-only
#
# Script behind dlearn_add_program_test(): run a program and judge its exit status and output.
#
# cmake -DEXPECT_EXIT=N|failure -DEXPECT_STDOUT=regex -DEXPECT_STDERR=regex -P this -- program ...

set(command)
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_dashes)
    string(REPLACE ";" "\\;" argument "${CMAKE_ARGV${i}}")
    list(APPEND command "${argument}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

if(NOT EXPECT_EXIT STREQUAL 0)
  # For the address sanitizer: ns-3 does not free an object whose attribute throws.
  set(ENV{ASAN_OPTIONS} detect_leaks=0:handle_segv=0)
endif()
execute_process(
  COMMAND ${command}
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE errors
)

set(complaints "") # lines, not a list, which semicolons would split
if(EXPECT_EXIT STREQUAL "failure")
  # A crash is no clean failure: its status is a text, or 128 and more from a shell.
  if(NOT status MATCHES "^[0-9]+$" OR status EQUAL 0 OR status GREATER_EQUAL 126)
    string(APPEND complaints "\n  exit status '${status}' is not a clean failure (1 to 125)")
  endif()
elseif(NOT status STREQUAL EXPECT_EXIT)
  string(APPEND complaints "\n  exit status '${status}' instead of ${EXPECT_EXIT}")
endif()
if(EXPECT_STDOUT AND NOT output MATCHES "${EXPECT_STDOUT}")
  string(APPEND complaints "\n  standard output does not match '${EXPECT_STDOUT}'")
endif()
if(EXPECT_STDERR AND NOT errors MATCHES "${EXPECT_STDERR}")
  string(APPEND complaints "\n  standard error does not match '${EXPECT_STDERR}'")
endif()
if(complaints)
  message("standard output:\n${output}\nstandard error:\n${errors}")
  list(JOIN command " " shown)
  message(FATAL_ERROR "${shown}:${complaints}")
endif()
