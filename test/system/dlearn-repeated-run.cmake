# SPDX-License-Identifier: GPL-2.0-only
#
# Run a program twice and once with other random numbers: it must succeed, leave the three
# files of results behind, and the same random numbers must give the same rounds.csv.
#
# cmake -P this -- program arguments ...

set(command)
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_dashes)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

function(run directory)
  file(REMOVE_RECURSE ${directory})
  execute_process(
    COMMAND ${command} --out=${directory} ${ARGN}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE errors
  )
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status '${status}'\n${output}\n${errors}")
  endif()
  foreach(name rounds.csv summary.json report.html)
    if(NOT EXISTS ${CMAKE_CURRENT_BINARY_DIR}/${directory}/${name})
      message(FATAL_ERROR "no ${directory}/${name}")
    endif()
  endforeach()
endfunction()

run(first)
run(second)
run(other --RngRun=2)

# Scripts depend on these columns, in this order.
set(header "time_s,round,node,role,loss,accuracy,error,consensus,epsilon,epsilon_nominal,expected,"
           "received,late,lost,rejected,tx_bytes,rx_bytes,compute_s,round_s"
)
string(CONCAT header ${header})
set(phases ",queue_s,air_s,retransmission_s,wait_s") # where devices are watched
set(last ",last_from")                            # where a message arrived
set(regret ",regret")                                # of online learners
file(STRINGS first/rounds.csv lines)
list(POP_FRONT lines first_line)
if(NOT first_line MATCHES "^${header}(${last})?(${phases})?(${regret})?(,truncated)?$")
  message(FATAL_ERROR "rounds.csv begins with\n${first_line}\ninstead of\n${header}")
endif()
list(LENGTH lines count)
if(count LESS 10)
  message(FATAL_ERROR "rounds.csv has ${count} rows only")
endif()

file(SHA256 first/rounds.csv first)
file(SHA256 second/rounds.csv second)
file(SHA256 other/rounds.csv other)
if(NOT first STREQUAL second)
  message(FATAL_ERROR "the same seed and run gave two different rounds.csv")
endif()
if(first STREQUAL other)
  message(FATAL_ERROR "another run number changed nothing in rounds.csv")
endif()
