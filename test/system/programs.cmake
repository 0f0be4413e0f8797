# SPDX-License-Identifier: GPL-2.0-only
#
# The programs, from outside: what they print, and what a run leaves behind. What they refuse is in
# inputs/refusals.txt. Included by test/CMakeLists.txt.

set(inputs ${CMAKE_CURRENT_BINARY_DIR}/inputs)
file(WRITE ${inputs}/vectors.csv "1,10\n2,20\n3,30\n4,40\n1e30,nan\n5,50\n")
set(vectors --in=${inputs}/vectors.csv)
foreach(rule TrimmedMean Median GeometricMedian Krum MultiKrum Meamed CenteredClipping Mda Smea Caf)
  dlearn_add_program_test(
    NAME dlearn-aggregate-${rule}
    COMMAND dlearn-aggregate ${vectors} --f=2 --aggregator=${rule} --pre=Nnm
    EXPECT_STDOUT "^[0-9.]+,[0-9.]+\n$"
    EXPECT_STDERR "vector 5 is not finite, or .*: left out"
  )
endforeach()
dlearn_add_program_test(
  NAME dlearn-aggregate-prints-17-digits
  COMMAND dlearn-aggregate ${vectors} --f=1 --aggregator=Average --pre=Clipping:c=10
  EXPECT_STDOUT "^0.99[0-9]+,9.9[0-9]+\n$"
)

# Who debugs a rule of their own needs valgrind, in which long double is a double.
find_program(DLEARN_VALGRIND valgrind)
mark_as_advanced(DLEARN_VALGRIND)
if(DLEARN_VALGRIND AND NOT DLEARN_SANITIZE AND NOT DLEARN_SANITIZE_THREADS)
  dlearn_add_program_test(
    NAME dlearn-aggregate-runs-in-valgrind
    COMMAND ${DLEARN_VALGRIND} -q $<TARGET_FILE:dlearn-aggregate> ${vectors} --f=1 --aggregator=Average
    EXPECT_STDOUT "^3,30\n$"
  )
endif()

# Runs that are fine. Everyone writes the three files, twice the same.
function(dlearn_repeats name program)
  add_test(
    NAME ${name}
    COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/test/system/dlearn-repeated-run.cmake --
            $<TARGET_FILE:${program}> ${ARGN}
  )
  set(work_dir ${CMAKE_CURRENT_BINARY_DIR}/run/${name})
  file(MAKE_DIRECTORY ${work_dir})
  set_tests_properties(${name} PROPERTIES WORKING_DIRECTORY ${work_dir})
endfunction()

# Processes that mpirun starts together and that know nothing of one another.
dlearn_add_program_test(
  NAME dlearn-fedavg-refuses-several-whole-runs
  COMMAND ${CMAKE_COMMAND} -E env OMPI_COMM_WORLD_SIZE=3 $<TARGET_FILE:dlearn-fedavg> --rounds=1
  EXPECT_EXIT 1
  EXPECT_STDERR "^dlearn-fedavg: error: this is one of 3 processes .* give --mpi [^\n]*\n$"
)
dlearn_add_program_test(
  NAME dlearn-fedavg-does-several-whole-runs
  COMMAND ${CMAKE_COMMAND} -E env PMI_SIZE=3 $<TARGET_FILE:dlearn-fedavg> --mpi=false --rounds=1
)

dlearn_repeats(
  dlearn-ldp-online-repeats-over-lossy-links dlearn-ldp-online
  --network=p2p --loss=0.3 --rounds=10 --evaluate-every=3
)
dlearn_repeats(
  dlearn-ldp-online-repeats-under-attack dlearn-ldp-online
  --graph=complete --learners=6 --network=p2p --loss=0.1 --rounds=10
  --byzantine=2 --attack=equivocate:2 --aggregator=Median
)
# A peers' rule of a user's own, over a network, which learns.
dlearn_add_program_test(
  NAME dlearn-own-peer-rule-learns
  COMMAND dlearn-own-peer-rule --network=p2p --rounds=100 --evaluate-every=33 --algorithm=mine::SignDescent,StepSize=0.1
  EXPECT_STDOUT " 99 +5 .* 0\\.9[0-9]+ .*Report: results/dlearn-own-peer-rule/report.html"
)
dlearn_add_program_test(
  NAME dlearn-air-learns
  COMMAND dlearn-air
  EXPECT_STDOUT "round 19: sum of [0-9]+ updates, [0-9]+ truncated\naccuracy: 0.[89]"
)
dlearn_add_program_test(
  NAME dlearn-offices-learns
  COMMAND dlearn-offices
  EXPECT_STDOUT " 0 +1 +0.[67][0-9]+ +0.7[0-9]+ .* 19 +1 +0.[34][0-9]+ +0.7[5-9][0-9]+ .*Report: results/dlearn-offices/report.html"
)
# Programs on networks of their own, where the modules of ns-3 are there; they learn as README says.
if(TARGET dlearn-own-network)
  dlearn_add_program_test(
    NAME dlearn-own-network-learns
    COMMAND dlearn-own-network
    EXPECT_STDOUT
      " 0 +1 +2.1[0-9]+ +0.4[0-9]+ .* 19 +1 +1.[0-9]+ +0.6[0-9]+ .*Report: results/dlearn-own-network/report.html"
  )
endif()
if(TARGET dlearn-multihop)
  foreach(routing false true)
    dlearn_add_program_test(
      NAME dlearn-multihop-learns-aodv-${routing}
      COMMAND dlearn-multihop --aodv=${routing}
      EXPECT_STDOUT " 0 +10 .* 0.5000 .* 59 +10 .* 0.9[0-9]+ .* 100.0%\n"
    )
  endforeach()
  dlearn_add_program_test(
    NAME dlearn-multihop-refuses-neighbours-on-a-node-without-a-route-to-itself
    COMMAND dlearn-multihop --learners=3
    EXPECT_EXIT 1
    EXPECT_STDERR "are both on node 0, whose routing protocol has no route to 127.0.0.1"
  )
endif()
dlearn_repeats(
  dlearn-ldp-online-repeats-on-the-move dlearn-ldp-online
  --network=wifi-adhoc --learners=10 --graph=complete --rounds=10 --evaluate-every=3 --mobility
  --transport=broadcast --deadline=50ms
)
dlearn_repeats(
  dlearn-ldp-online-repeats-over-several-hops dlearn-ldp-online
  --network=wifi-adhoc --learners=10 --rounds=5 --mobility=gauss-markov,alpha=0.5 --side=150
  --routing=aodv --transport=tcp
)
# An epsilon that is met exactly, by construction.
dlearn_add_program_test(
  NAME dlearn-privacy-meets-a-target
  COMMAND dlearn-privacy --target-epsilon=5
  EXPECT_STDOUT "epsilon_max=5\n"
)
dlearn_add_program_test(
  NAME dlearn-privacy-cafcor-meets-a-target
  COMMAND dlearn-privacy --algorithm=cafcor --view=lemma --colluding=5 --target-epsilon=8.356861944832783
  EXPECT_STDOUT "sigma_cor=1.86600796198.*\nsigma_ind=1.86600796198.*\nepsilon=8.356861944[0-9]+\nepsilon_classic=(10|9.9999)"
)
dlearn_add_program_test(
  NAME dlearn-privacy-cafcor-knows-what-the-lemma-leaves-out
  COMMAND dlearn-privacy --algorithm=cafcor --view=lemma --target-epsilon=27.8
  EXPECT_STDOUT "sigma_ind=0\nepsilon=27.(8|7999)[0-9]*\n.*epsilon_transcript=inf"
)
# By Balle and Wang's curve with mu = 2 sqrt(30) / 18.6 and 2 sqrt(6) / z, solved by mpmath.
dlearn_add_program_test(
  NAME dlearn-privacy-fedavg-plans
  COMMAND dlearn-privacy fedavg --learners=100 --sample-count=20 --rounds=30 --clip=0.5
          --noise-multiplier=18.6
  EXPECT_STDOUT "threat_model=cdp\nnoise=0.465\nnoise_multiplier=18.6\nepsilon=2.39434344"
)

# The paper's scheme S1, K = 2000: Lemma 2 as printed.
dlearn_add_program_test(
  NAME dlearn-privacy-gradient-tracking-plans-lemma-2
  COMMAND dlearn-privacy --algorithm=gradient-tracking --smoothness=0
  EXPECT_STDOUT "\nepsilon=30853\\.35"
)

# By hand, C = 2, m = 4, L = 2: Dy_0 = 0.5, Dx_1 = 0.1 0.5, Dy_1 = 0.5 0.5 + 1 + 2 Dx_1; sigma = 1.
# Without L the second gradients differ by 2, as clipped.
foreach(bound "--smoothness=2 1.9" "--smoothness=-1 3.3")
  separate_arguments(bound)
  list(GET bound 0 smoothness)
  list(GET bound 1 epsilon)
  dlearn_add_program_test(
    NAME dlearn-privacy-gradient-tracking-plans-${epsilon}
    COMMAND
      dlearn-privacy --algorithm=gradient-tracking --scheme=free --rounds=1 --clip=1 --in-weight=1
      --out-weight=1 --alpha=0.5 --beta=0.5 --gamma=0.1 --samples=4 --state-noise-exponent=0
      --tracker-noise-exponent=0 ${smoothness}
    EXPECT_STDOUT "\nepsilon=${epsilon}\n"
  )
endforeach()

set(program dlearn-study-fedavg)
dlearn_add_program_test(
  NAME ${program}-quick COMMAND ${program} --quick --figure=1 EXPECT_STDOUT "Tables and figures"
)
foreach(figure deadline straggler)
  dlearn_add_program_test(
    NAME ${program}-${figure} COMMAND ${program} --quick --figure=${figure} EXPECT_STDOUT
         "\n  yes  "
  )
endforeach()
# What overflows is no agreement.
dlearn_add_program_test(
  NAME ${program}-overflow COMMAND ${program} --quick --figure=1 --step-size-1=1e100 EXPECT_EXIT 1
  EXPECT_STDOUT "NO +every simulated mean"
)

# Networks in TorchScript files, with and without LibTorch.
if(dlearn_torch_libraries)
  set(message "TorchTask: 'none.pt' cannot be read")
else()
  set(message "TorchTask: dlearn was built without LibTorch; on Debian: apt-get install libtorch-dev")
endif()
foreach(program dlearn-cafcor dlearn-fedavg dlearn-gradient-tracking dlearn-ldp-online)
  dlearn_add_program_test(
    NAME ${program}-refuses-torch-file
    COMMAND ${program} --task=torch:none.pt --data=glyphs --data-samples=200
    EXPECT_EXIT 1
    EXPECT_STDERR "^${program}: error: ${message}[^\n]*\n$"
  )
  dlearn_label_torch(${program}-refuses-torch-file ${program})
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/federated-programs.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tracking-programs.cmake)

# Whether accounts are true: two lines of CSV, exit status 0; and names that there are not.
dlearn_add_program_test(
  NAME dlearn-audit-prints-csv COMMAND dlearn-audit --algorithm=dsgd --runs=3 --RngRun=2
  EXPECT_STDOUT "^algorithm,runs,worst,median,largest\ndsgd,3,[0-9.]+,[0-9.]+,\n$"
)

# The manual's command for an epsilon people can use, and its numbers.
dlearn_add_program_test(
  NAME dlearn-ldp-online-has-a-useful-epsilon
  COMMAND
    dlearn-ldp-online --network=wifi-adhoc --loss=0.3 --deadline=20ms --graph=complete
    --weight=metropolis --partition=iid --rounds=400 --mechanism=gaussian --privacy-unit=sample
    --delta=1e-5 --noise=0.25 --noise-exponent=0 --noise-exponent-step=0
    --ns3::dlearn::SampleStream::Replacement=false
  EXPECT_STDOUT " 399 +5 .* 0\\.9752 .* 5\\.435 "
)
dlearn_add_program_test(
  NAME dlearn-privacy-plans-gaussian-noise
  COMMAND
    dlearn-privacy --mechanism=gaussian --target-epsilon=8 --delta=1e-5 --privacy-unit=sample
    --samples=1280 --batch=20 --rounds=400 --graph=complete --weight=metropolis
    --regularization=0.05 --noise-exponent=0 --noise-exponent-step=0
  EXPECT_STDOUT "epsilon_max=(7\\.99999|8).*noise\\[5\\]=0\\.14703"
)

# The examples of the manual's page on logging.
function(dlearn_logs name components message)
  dlearn_add_program_test(
    NAME dlearn-logs-${name}
    COMMAND ${CMAKE_COMMAND} -E env NS_LOG=${components} ${ARGN}
    EXPECT_STDERR "${message}"
  )
endfunction()
# An optimized ns-3 is built without logging.
if(NOT ns3_definitions OR ns3_definitions MATCHES "NS3_LOG_ENABLE")
  dlearn_logs(
    peers-that-stop "DlearnPeerApplication=level_info|prefix_time"
    "0\\.005134400s learner 1 stops: its privacy budget is spent\n"
    $<TARGET_FILE:dlearn-ldp-online> --learners=3 --rounds=50
    --ns3::dlearn::PrivacyAccount::Budget=60
  )
  dlearn_logs(
    messages-of-lossy-links "DlearnPeerApplication=logic|prefix_time"
    "0\\.008252800s learner 0: message of 2, round 3: early\n.*0\\.011185120s learner 2: message of 0, round 3: late\n"
    $<TARGET_FILE:dlearn-ldp-online> --learners=3 --rounds=40 --network=p2p --loss=0.3
    --deadline=5ms
  )
  dlearn_logs(
    a-server-and-its-clients
    "DlearnFederatedServer=function|prefix_time:DlearnFederatedClient=function|prefix_time"
    "Server:OpenRound\\(0x[0-9a-f]+, 0, 0\\)\n.*0\\.004081280s DlearnFederatedClient:Train\\(0x[0-9a-f]+, 1, 0, 0\\)\n"
    $<TARGET_FILE:dlearn-fedavg> --rounds=1 --network=p2p
  )
endif()

# Where ns-3 ends the program during a run, what was done until then is kept.
if("lte" IN_LIST ns3_modules)
  dlearn_add_program_test(
    NAME dlearn-fedavg-keeps-results-when-ns3-ends-it
    COMMAND
      ${CMAKE_COMMAND} -E env sh -c
      "\"$0\" --network=lte --clients=2 --rounds=5 --out=out --ns3::FqCoDelQueueDisc::UseL4s=true \
        || { grep '\"status\"' out/summary.json && exit 3; }"
      $<TARGET_FILE:dlearn-fedavg>
    EXPECT_EXIT 3
    EXPECT_STDOUT "\"status\": \"failed\""
    EXPECT_STDERR
      "CE threshold not set.*error: ns-3 ended the program, for the reason in the line above; what the run did until then is in out"
  )
endif()


dlearn_only_with_all(
  dlearn-study-fedavg-quick dlearn-study-fedavg-deadline dlearn-study-fedavg-straggler
  dlearn-study-fedavg-overflow dlearn-study-faults-quick dlearn-own-network-learns
  dlearn-aggregate-runs-in-valgrind dlearn-offices-learns
)
