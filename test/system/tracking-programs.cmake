# SPDX-License-Identifier: GPL-2.0-only
#
# dlearn-gradient-tracking, from outside. Included by programs.cmake, whose functions it uses.

file(WRITE ${inputs}/weighted.csv "sender,receiver,weight\n0,1,0.5\n1,2,0.7\n2,0,0.9\n")

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
dlearn_repeats(
  ${program}-repeats-over-the-air ${program}
  --network=wifi-adhoc --state-graph=radio --powers=15:23 --transport=broadcast --deadline=200ms
  --rounds=10 --scheme=free
)
dlearn_repeats(
  ${program}-repeats-on-a-file ${program} --state-graph=csv:${inputs}/weighted.csv --learners=0
  --tracker-graph=complete --task=sine --rounds=10 --scheme=free
)
# The last column but two of the table is epsilon of rounds 0 and 1: 1.8 as dlearn-privacy plans it
# less 0.5, as no sample is in both batches.
dlearn_add_program_test(
  NAME ${program}-spends-what-is-planned
  COMMAND
    ${program} --scheme=free --rounds=2 --alpha=0.5 --beta=0.5 --gamma=0.1 --samples=4
    --state-noise-exponent=0 --tracker-noise-exponent=0 --ns3::dlearn::Task::ClipNorm=1
    --ns3::dlearn::GradientTrackingLedger::OneNorm=true --evaluate-every=1 --smoothness=0
  EXPECT_STDOUT " 1 +5 .* 1\\.3 +100\\.0%"
)

dlearn_add_program_test(
  NAME dlearn-study-faults-quick
  COMMAND dlearn-study-faults --quick
  EXPECT_STDOUT "yes  all rounds closed, messages conserved, models finite"
)
