# SPDX-License-Identifier: GPL-2.0-only
#
# dlearn-gradient-tracking, from outside. Included by programs.cmake, whose functions it uses.

set(program dlearn-gradient-tracking)
dlearn_repeats(
  ${program}-repeats-over-lossy-links ${program}
  --network=p2p --loss=0.3 --rounds=10 --scheme=free --compensation=running-sum --compress=qsgd:64
)
dlearn_repeats(
  ${program}-repeats-asynchronously ${program}
  --network=p2p --loss=0.1 --rounds=10 --scheme=free --synchrony=async:5ms
  --compensation=running-sum
)
dlearn_add_program_test(
  NAME dlearn-study-faults-quick
  COMMAND dlearn-study-faults --quick
  EXPECT_STDOUT "yes  all rounds closed, messages conserved, models finite"
)
