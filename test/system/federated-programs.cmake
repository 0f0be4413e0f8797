# SPDX-License-Identifier: GPL-2.0-only
#
# dlearn-fedavg, from outside. Included by programs.cmake, whose functions it uses.

# Theory is met, whatever the setting, and it is noticed when it is not.
dlearn_add_program_test(
  NAME dlearn-fedavg-meets-theory
  COMMAND dlearn-fedavg --runs=50 --rounds=5 --dimension=30 --samples=10 --step-size=0.2
  EXPECT_STDOUT "round  runs  model error.*Report: "
)
foreach(mode sync async buffered)
  dlearn_repeats(
    dlearn-fedavg-repeats-${mode} dlearn-fedavg
    --mode=${mode} --clients=5 --dimension=20 --network=p2p --transport=udp --loss=0.1
    --patience=200ms --client-flops=lognormal:1e6:1 --compress=qsgd:4
  )
endforeach()
# An attacker that keeps its update for longer than a round has newer models to train on by then.
dlearn_add_program_test(
  NAME dlearn-fedavg-outlives-an-attacker-that-waits
  COMMAND
    dlearn-fedavg --data=generated --learners=4 --rounds=19 --deadline=20ms --client-flops=3.3e7
    --byzantine=1 --attack=delay:100ms
  EXPECT_STDOUT " 18 .*Report: "
)
dlearn_repeats(
  dlearn-fedavg-repeats-over-wifi dlearn-fedavg
  --network=wifi-infra --clients=5 --transport=broadcast --rounds=5 --patience=1s
)

dlearn_repeats(
  dlearn-fedavg-repeats-over-the-air dlearn-fedavg
  --network=wifi-infra --clients=5 --rounds=5 --uplink=air --air-power=-40 --air-clip=0.1
)

dlearn_repeats(
  dlearn-cafcor-repeats dlearn-cafcor
  --network=p2p --transport=udp --loss=0.05 --deadline=50ms --attack=Alie --rounds=5
)

# A rule of a user's own, over a network, with results and report.
dlearn_add_program_test(
  NAME dlearn-own-rule-runs
  COMMAND dlearn-own-rule --data=generated --network=p2p --rounds=3 --server-rule=mine::CutMean,Limit=0.5
  EXPECT_STDOUT "Report: results/dlearn-own-rule/report.html"
)

# A method of a user's own, with longer messages.
dlearn_add_program_test(
  NAME dlearn-own-method-runs
  COMMAND dlearn-own-method --data=generated --network=p2p --rounds=3 --partition=label --epochs=2
  EXPECT_STDOUT "Report: results/dlearn-own-method/report.html"
)

# A task of a user's own, in a script whose Monitor ends what the beacons of a cell would go on with.
dlearn_add_program_test(
  NAME dlearn-own-task-learns COMMAND dlearn-own-task
  EXPECT_STDOUT "round 0: loss .*round 59: loss 0.08.*0.8-quantile: +0.8"
)
