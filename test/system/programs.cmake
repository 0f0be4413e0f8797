# SPDX-License-Identifier: GPL-2.0-only
#
# The programs, from outside: what they refuse, and what a run leaves behind. Included by
# test/CMakeLists.txt.

set(inputs ${CMAKE_CURRENT_BINARY_DIR}/inputs)
file(WRITE ${inputs}/malformed.svm "1 1:0.5\n2 x:1\n")
file(WRITE ${inputs}/empty.svm "")
file(WRITE ${inputs}/two-parts.graphml
     "<?xml version=\"1.0\"?>\n"
     "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph edgedefault=\"undirected\">"
     "<node id=\"0\"/><node id=\"1\"/><node id=\"2\"/><node id=\"3\"/>"
     "<edge source=\"0\" target=\"1\"/><edge source=\"2\" target=\"3\"/></graph></graphml>\n"
)

# A program refuses its arguments: exit status 1 to 125, and nothing on stderr but one line.
#
# program: a target
# name: what is wrong, for the name of the test
# message: regular expression that the line must match, after the program's name
# ARGN: the arguments
function(dlearn_refuses program name message)
  cmake_parse_arguments(PARSE_ARGV 3 T "" "" "") # unlike ARGN, keeps semicolons in arguments
  foreach(argument IN LISTS T_UNPARSED_ARGUMENTS)
    if(argument MATCHES "^ ")
      message(FATAL_ERROR "${program}-refuses-${name}: the message was split before "
                          "'${argument}'; a variable with a semicolon must be in quotes"
      )
    endif()
  endforeach()
  dlearn_add_program_test(
    NAME ${program}-refuses-${name}
    COMMAND ${program} ${T_UNPARSED_ARGUMENTS}
    EXPECT_EXIT failure
    EXPECT_STDERR "^${program}: (error: )?${message}[^\n]*\n$"
  )
endfunction()

foreach(program dlearn-ldp-online dlearn-wireless-edge)
  dlearn_refuses(${program} loss-of-all "loss must be in .0, 1., got 1" --loss=1)
  dlearn_refuses(${program} negative-loss "loss must be in .0, 1., got -0.1" --loss=-0.1)
  dlearn_refuses(${program} no-learner "learners must be from 1 to .*, got 0" --learners=0)
  dlearn_refuses(${program} negative-learners "learners must be .* at least 0, got .-3." --learners=-3)
  dlearn_refuses(${program} algorithm "algorithm must be one of .*; got 'nope'" --algorithm=nope)
  dlearn_refuses(${program} graph "graph 'nope' is unknown; choose one of" --graph=nope)
  dlearn_refuses(
    ${program} synchrony "synchrony must be rounds, async or async:PERIOD, got 'nope'"
    --synchrony=nope
  )
  dlearn_refuses(
    ${program} synchrony-and-deadline "synchrony async and deadline exclude each other"
    --synchrony=async --deadline=1s
  )
  dlearn_refuses(${program} links "LinkSchedule: an event must be .*, got 'nope'" --links=nope)
  dlearn_refuses(${program} graph-parameter "graph 'er:': er needs a parameter" --graph=er:)
  dlearn_refuses(
    ${program} graph-probability ".*probability must be greater than 0 and at most 1, got 2"
    --graph=er:2
  )
  dlearn_refuses(
    ${program} graph-in-parts-by-chance ".*probability 1e-08: the graph stayed disconnected"
    --graph=er:1e-8
  )
  dlearn_refuses(
    ${program} graph-in-parts "graph .*must be connected, but 2 of 4 learners can not be reached"
    --graph=graphml:${inputs}/two-parts.graphml --learners=0
  )
  dlearn_refuses(
    ${program} graph-of-another-size "graph .*the file has 4 nodes, but 7 learners were asked for"
    --graph=graphml:${inputs}/two-parts.graphml --learners=7
  )
  dlearn_refuses(
    ${program} graph-file "none.graphml: can not be read" --graph=graphml:none.graphml
  )
  dlearn_refuses(${program} weight ".*weights must be .*, got 'nope'" --weight=nope)
  dlearn_refuses(${program} negative-weight ".*weights must be .*, got '-1'" --weight=-1)
  dlearn_refuses(${program} network "network must be one of .*; got 'nope'" --network=nope)
  dlearn_refuses(${program} transport "transport must be one of .*; got 'nope'" --transport=nope)
  dlearn_refuses(
    ${program} broadcast-over-links "transport broadcast needs a shared medium .*is p2p"
    --transport=broadcast --network=p2p
  )
  dlearn_refuses(${program} missing "on-missing must be one of .*; got 'nope'" --missing=nope)
  dlearn_refuses(
    ${program} partition ".*partition must be one of .*, got 'nope'" --partition=nope
  )
  dlearn_refuses(
    ${program} partition-parameter ".*alpha must be .*, got 0" --partition=dirichlet:0
  )
  dlearn_refuses(${program} task "task must be .*, got 'nope'" --task=nope)
  dlearn_refuses(
    ${program} data-file "/no/such/file: cannot open: No such file" --data=/no/such/file
  )
  dlearn_refuses(${program} data-directory "${inputs}: .*is a directory" --data=${inputs})
  dlearn_refuses(
    ${program} malformed-data ".*malformed.svm:2:3: index, got 'x', must be"
    --data=${inputs}/malformed.svm
  )
  dlearn_refuses(
    ${program} empty-data ".*empty.svm: contains no sample" --data=${inputs}/empty.svm
  )
  dlearn_refuses(
    ${program} data-set-that-is-not-there "data set mushrooms: no file .*set --data-dir or"
    --data=mushrooms --data-dir=/no/such/directory
  )
  dlearn_refuses(
    ${program} test-fraction "test-fraction must be in .0, 1., got 1" --test-fraction=1
  )
  dlearn_refuses(
    ${program} all-byzantine "byzantine must be less than the number of learners, 5, got 5"
    --byzantine=5 --learners=5 --aggregator=Median
  )
  dlearn_refuses(${program} attack "attack must be one of .*'nope'" --attack=nope --byzantine=1)
  dlearn_refuses(
    ${program} attack-of-nobody "attack silent needs byzantine learners" --attack=silent
  )
  dlearn_refuses(${program} aggregator "aggregator must be one of .*'nope'" --aggregator=nope)
  dlearn_refuses(
    ${program} no-account ".*CafAggregator .*no privacy account can be kept" --aggregator=Caf
  )
  dlearn_refuses(${program} deadline "deadline must be a time .*, got 'abc'" --deadline=abc)
  dlearn_refuses(${program} deadline-without-unit "deadline must be a time .*'10'" --deadline=10)
  dlearn_refuses(${program} no-deadline "deadline must be greater than 0" --deadline=0s)
  dlearn_refuses(
    ${program} deadline-and-quorum "deadline and quorum exclude each other"
    --deadline=10ms --quorum=0.5
  )
  dlearn_refuses(${program} quorum "quorum must be in .0, 1., got 2" --quorum=2)
  dlearn_refuses(${program} no-rate "rate must be a rate .*, got '0'" --rate=0)
  dlearn_refuses(${program} negative-delay "delay must be a time .*, got '-1ms'" --delay=-1ms)
  dlearn_refuses(${program} float-bits "float-bits must be 16, 32 or 64, got 8" --float-bits=8)
  dlearn_refuses(${program} no-batch "batch-size must be from 1 to .*, got 0" --batch=0)
  dlearn_refuses(${program} negative-batch "batch must be .* at least 0, got '-1'" --batch=-1)
  dlearn_refuses(${program} no-rounds "rounds must be from 1 to .*, got 0" --rounds=0)
  dlearn_refuses(${program} negative-rounds "rounds must be .* at least 0, got '-1'" --rounds=-1)
  dlearn_refuses(${program} never-evaluate "evaluate-every must be .*, got 0" --evaluate-every=0)
  dlearn_refuses(
    ${program} negative-noise "noise must be finite and at least 0, got -1" --noise=-1
  )
  dlearn_refuses(
    ${program} negative-initial "init-std must be finite and at least 0, got -1" --initial=-1
  )
  dlearn_refuses(
    ${program} negative-regularization "regularization must be .*, got -1" --regularization=-1
  )
  dlearn_refuses(
    ${program} side "wifi-adhoc: side must be .*, got 0" --side=0 --network=wifi-adhoc
  )
  dlearn_refuses(
    ${program} churn-of-nobody "ChurnSchedule: learner must be less than 5, got 9"
    --learners=5 --churn=crash:9@1s
  )
  dlearn_refuses(
    ${program} churn "ChurnSchedule: an event must be .*, got 'crash:1'" --churn=crash:1
  )
  dlearn_refuses(
    ${program} churn-time "ChurnSchedule: time of .*, got '-1s'" --churn=crash:1@-1s
  )
  dlearn_refuses(
    ${program} directory-that-can-not-be "can not create the results directory '/proc/nope'"
    --out=/proc/nope
  )
  dlearn_refuses(
    ${program} file-for-a-directory "can not create the results directory '${inputs}/empty.svm'"
    --out=${inputs}/empty.svm
  )
  dlearn_refuses(
    ${program} noise-mechanism ".*must be a concrete type derived from .*, got ns3::Node"
    --ns3::dlearn::LdpOnline::NoiseMechanism=ns3::Node
  )
  dlearn_refuses(
    ${program} regularization-without-value "regularization must be a number, got .nan"
    --regularization=nan
  )
  dlearn_refuses(
    ${program} unknown-attribute "no attribute 'ns3::dlearn::LdpOnline::Nope'"
    --ns3::dlearn::LdpOnline::Nope=1
  )
  dlearn_refuses(
    ${program} unreadable-attribute ".*StepSize must be a number of at least 0, got 'abc'"
    --ns3::dlearn::LdpOnline::StepSize=abc
  )
  dlearn_refuses(
    ${program} overridden-attribute ".*is set by the option --algorithm"
    --ns3::dlearn::PeerApplication::Rule=ns3::dlearn::Dsgd
  )
  dlearn_refuses(${program} stray-word "unexpected 'stray'" stray)
  dlearn_refuses(${program} rounds-with-exponent "rounds must be a whole number, got '2e3'" --rounds=2e3)
  dlearn_refuses(${program} loss-with-comma "loss must be a number, got '0,2'" --loss=0,2)
  dlearn_refuses(${program} seed-of-zero "RngSeed must be a whole number from 1" --RngSeed=0)
  dlearn_refuses(${program} run-of-letters "RngRun must be a whole number" --RngRun=abc)
  dlearn_refuses(
    ${program} unknown-simulator "SimulatorImplementationType must be the name of a type derived from ns3::SimulatorImpl"
    --SimulatorImplementationType=foo
  )
  dlearn_refuses(
    ${program} attribute-out-of-range "attribute .*StepSize must be a number of at least 0, got '-1'"
    --ns3::dlearn::LdpOnline::StepSize=-1
  )
  dlearn_refuses(
    ${program} unknown-type "attribute .*NoiseMechanism must be a type derived from .*NoiseMechanism.*'ns3::dlearn::Nope'"
    --ns3::dlearn::LdpOnline::NoiseMechanism=ns3::dlearn::Nope
  )
endforeach()

set(program dlearn-privacy)
dlearn_refuses(${program} algorithm "--algorithm must be .*, got nope" --algorithm=nope)
dlearn_refuses(${program} ledger "--ledger must be .*, got nope" --ledger=nope)
dlearn_refuses(${program} graph "graph 'nope' is unknown" --graph=nope)
dlearn_refuses(
  ${program} graph-in-parts "graph .*must be connected"
  --graph=graphml:${inputs}/two-parts.graphml --learners=4
)
dlearn_refuses(${program} weight ".*weights must be .*, got 'nope'" --weight=nope)
foreach(count learners rounds dimension)
  dlearn_refuses(${program} no-${count} "--${count} must be between 1 .*, got 0" --${count}=0)
endforeach()
foreach(
  number
  window sensitivity clip regularization noise step step-exponent coupling coupling-exponent
  target-epsilon
)
  dlearn_refuses(
    ${program} negative-${number} "--${number} must be .* 0 ?.*, got -1" --${number}=-1
  )
endforeach()
dlearn_refuses(
  ${program} smoothness "--smoothness must be .*at least the regularization 0.05, got 0.01"
  --smoothness=0.01 --regularization=0.05
)
dlearn_refuses(
  ${program} convex-with-clipping "--ledger=convex does not hold for clipped gradients"
  --ledger=convex --clip=1
)
dlearn_refuses(${program} rounds-in-words "rounds must be a whole number, got .many" --rounds=many)
function(dlearn_cafcor_refuses name message)
  dlearn_refuses(
    dlearn-privacy cafcor-${name} "${message}" --algorithm=cafcor --target-epsilon=5 ${ARGN}
  )
endfunction()
function(dlearn_tracking_refuses name message)
  dlearn_refuses(
    dlearn-privacy tracking-${name} "${message}" --algorithm=gradient-tracking ${ARGN}
  )
endfunction()
dlearn_tracking_refuses(scheme "--scheme must be .*, got s3" --scheme=s3)
dlearn_tracking_refuses(rounds "--rounds must be between 0 and .*, got -1" --rounds=-1)
dlearn_tracking_refuses(dimension "--dimension must be between 1 and .*, got 0" --dimension=0)
dlearn_tracking_refuses(exponent "--state-noise-exponent must be .*, got x"
                        --state-noise-exponent=x
)
foreach(number clip in-weight out-weight alpha beta gamma samples regularization)
  dlearn_tracking_refuses(negative-${number} "--${number} must be .*, got -1" --${number}=-1)
endforeach()
dlearn_cafcor_refuses(threat-model "threat-model must be .*, got 'nope'" --threat-model=nope)
dlearn_cafcor_refuses(model "threat-model must be .*, got 'nope'" --model=nope)
dlearn_cafcor_refuses(view "view must be transcript or lemma, got 'nope'" --view=nope)
dlearn_cafcor_refuses(no-worker "--workers must be between 1 and .*, got 0" --workers=0)
dlearn_cafcor_refuses(half "--byzantine must be between 0 and 4, got 5" --workers=10)
dlearn_cafcor_refuses(negative-byzantine "--byzantine must be .*, got -1" --byzantine=-1)
dlearn_cafcor_refuses(colluding "--colluding must be between 0 and 5, got 6" --colluding=6)
dlearn_cafcor_refuses(no-clip "--clip must be .*greater than 0, got 0" --clip=0)
dlearn_cafcor_refuses(no-round "--rounds must be between 1 .*, got 0" --rounds=0)
dlearn_cafcor_refuses(delta "--delta must be in .0, 1., got 1" --delta=1)
foreach(number sigma-cor sigma-ind target-epsilon)
  dlearn_cafcor_refuses(negative-${number} "--${number} must be .* 0, got -1" --${number}=-1)
endforeach()
dlearn_cafcor_refuses(batch "--batch must be between 0 and 10, got 11" --batch=11 --samples=10)
dlearn_cafcor_refuses(noise "give the noise.*or a --target-epsilon" --target-epsilon=0)
dlearn_cafcor_refuses(
  ratio "CafCorPlan: noise of the ratio .*protects nobody" --threat-model=byzldp --sigma-cor=1
)

file(WRITE ${inputs}/vectors.csv "1,10\n2,20\n3,30\n4,40\n1e30,nan\n5,50\n")
file(WRITE ${inputs}/ragged.csv "1,2\n3\n")
file(WRITE ${inputs}/words.csv "1,2\n3,four\n")
set(program dlearn-aggregate)
set(vectors --in=${inputs}/vectors.csv)
dlearn_refuses(${program} no-file "--in=FILE.csv must name a file")
dlearn_refuses(${program} missing-file "/no/such/file: cannot open" --in=/no/such/file)
dlearn_refuses(${program} ragged ".*ragged.csv:2: vectors must be of one length" --in=${inputs}/ragged.csv)
dlearn_refuses(${program} words ".*words.csv:2:3: 'four' is not a number" --in=${inputs}/words.csv)
dlearn_refuses(${program} empty-file ".*empty.svm: contains no vector" --in=${inputs}/empty.svm)
dlearn_refuses(${program} negative-f "f must be from 0 .*, got -1" ${vectors} --f=-1)
dlearn_refuses(${program} half ".*f must be less than half of the n=6 vectors, got 3" ${vectors} --f=3)
dlearn_refuses(
  ${program} half-by-attack "f must be less than half of the n=12 vectors, got 6"
  ${vectors} --f=6 --attack=Alie
)
dlearn_refuses(${program} aggregator "aggregator must be one of .*'nope'" ${vectors} --aggregator=nope)
dlearn_refuses(${program} parameter "aggregator Krum has .*'x'" ${vectors} --aggregator=Krum:x=1)
dlearn_refuses(${program} value "aggregator Krum: margin must be a whole number of at least 1, got 'a'" ${vectors} --aggregator=Krum:margin=a)
dlearn_refuses(${program} pre "pre-aggregator must be one of .*'nope'" ${vectors} --pre=nope)
dlearn_refuses(${program} attack "attack must be one of .*'nope'" ${vectors} --f=1 --attack=nope)
dlearn_refuses(${program} attack-on-nan "Alie: honest .*be finite" ${vectors} --f=1 --attack=Alie)
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

foreach(algorithm ldp-online dsgd dola pdop push-sum dp-sgd ternary)
  dlearn_repeats(
    dlearn-ldp-online-repeats-${algorithm} dlearn-ldp-online
    --algorithm=${algorithm} --rounds=10 --evaluate-every=3 --initial=1
  )
endforeach()
dlearn_repeats(
  dlearn-ldp-online-repeats-over-lossy-links dlearn-ldp-online
  --network=p2p --loss=0.3 --rounds=10 --evaluate-every=3
)
dlearn_repeats(
  dlearn-ldp-online-repeats-under-attack dlearn-ldp-online
  --graph=complete --learners=6 --network=p2p --loss=0.1 --rounds=10
  --byzantine=2 --attack=equivocate:2 --aggregator=Median
)
dlearn_repeats(dlearn-wireless-edge-repeats dlearn-wireless-edge --rounds=10)
dlearn_repeats(
  dlearn-wireless-edge-repeats-on-the-move dlearn-wireless-edge
  --rounds=10 --mobility --transport=broadcast --deadline=50ms
)
dlearn_add_program_test(
  NAME dlearn-privacy-plans COMMAND dlearn-privacy --rounds=10 EXPECT_STDOUT "epsilon_max=[0-9]"
)
# An epsilon that is met exactly, by construction.
dlearn_add_program_test(
  NAME dlearn-privacy-meets-a-target
  COMMAND dlearn-privacy --target-epsilon=5
  EXPECT_STDOUT "epsilon_max=5\n"
)
# Against references: a row of a table computed with other software, and the inverse of it.
dlearn_add_program_test(
  NAME dlearn-privacy-cafcor-plans
  COMMAND dlearn-privacy --algorithm=cafcor --sigma-cor=0 --sigma-ind=1
  EXPECT_STDOUT
    "epsilon_classic=409.5354600.*epsilon_tight=406.7010900.*epsilon_exact=394.4835134.*\nepsilon_classic_opacus=410.551701.*_opacus=407.848334"
)
dlearn_add_program_test(
  NAME dlearn-privacy-cafcor-meets-a-target
  COMMAND dlearn-privacy --algorithm=cafcor --view=lemma --colluding=5 --target-epsilon=10
  EXPECT_STDOUT "sigma_cor=1.86600796198.*\nsigma_ind=1.86600796198.*\nepsilon_classic=10"
)
dlearn_add_program_test(
  NAME dlearn-privacy-cafcor-knows-what-the-lemma-leaves-out
  COMMAND dlearn-privacy --algorithm=cafcor --view=lemma --target-epsilon=27.8
  EXPECT_STDOUT "sigma_ind=0\nepsilon_classic=27.8\n.*epsilon_transcript=inf"
)

# By hand, C = 2, m = 4: Dy_0 = 0.5, Dx_1 = 0.1 0.5, Dy_1 = 0.5 0.5 + 1; sigma = 1.
dlearn_add_program_test(
  NAME dlearn-privacy-gradient-tracking-plans
  COMMAND
    dlearn-privacy --algorithm=gradient-tracking --scheme=free --rounds=1 --clip=1 --in-weight=1
    --out-weight=1 --alpha=0.5 --beta=0.5 --gamma=0.1 --samples=4 --state-noise-exponent=0
    --tracker-noise-exponent=0 --smoothness=0
  EXPECT_STDOUT "# no bound: Lemma 2 as printed.*\nepsilon=1.8\n"
)
# The paper's scheme S1, K = 2000: Lemma 2 as printed; the sound bounds by the clip alone, and with L.
dlearn_add_program_test(
  NAME dlearn-privacy-gradient-tracking-plans-lemma-2
  COMMAND dlearn-privacy --algorithm=gradient-tracking --smoothness=0
  EXPECT_STDOUT "\nepsilon=30853\\.35"
)
dlearn_add_program_test(
  NAME dlearn-privacy-gradient-tracking-plans-a-bound
  COMMAND dlearn-privacy --algorithm=gradient-tracking
  EXPECT_STDOUT "\nepsilon=1634136\\.3"
)
dlearn_add_program_test(
  NAME dlearn-privacy-gradient-tracking-plans-a-smooth-bound
  COMMAND dlearn-privacy --algorithm=gradient-tracking --smoothness=0.25
  EXPECT_STDOUT "\nepsilon=1605971\\.1"
)
# The plan by hand with L = 2: the second gradients differ by 0.5 + 2 x 0.05; without L by 2, as clipped.
dlearn_add_program_test(
  NAME dlearn-privacy-gradient-tracking-plans-with-smoothness
  COMMAND
    dlearn-privacy --algorithm=gradient-tracking --scheme=free --rounds=1 --clip=1 --in-weight=1
    --out-weight=1 --alpha=0.5 --beta=0.5 --gamma=0.1 --samples=4 --state-noise-exponent=0
    --tracker-noise-exponent=0 --smoothness=2
  EXPECT_STDOUT "\nepsilon=1.9\n"
)
dlearn_add_program_test(
  NAME dlearn-privacy-gradient-tracking-plans-without-smoothness
  COMMAND
    dlearn-privacy --algorithm=gradient-tracking --scheme=free --rounds=1 --clip=1 --in-weight=1
    --out-weight=1 --alpha=0.5 --beta=0.5 --gamma=0.1 --samples=4 --state-noise-exponent=0
    --tracker-noise-exponent=0
  EXPECT_STDOUT "\nepsilon=3.3\n"
)

# The study, where its data are.
set(program dlearn-study-ldp-online)
dlearn_refuses(${program} experiment "experiment must be .*, got 'nope'" --experiment=nope)
dlearn_refuses(${program} quick-and-full "quick and full exclude each other" --quick --full)
dlearn_refuses(${program} no-batch "batch.* must be .*1.*, got 0" --batch=0)
dlearn_refuses(
  ${program} data-set-that-is-not-there "data set mushrooms: no file" --data-dir=/no/such/directory
)
dlearn_refuses(
  ${program} deadline-of-networks "network, transport and deadline are for .* 'networks' has its own"
  --experiment=networks --deadline=1s
)
dlearn_add_program_test(
  NAME ${program}-networks
  COMMAND ${program} --quick --experiment=networks --data=generated
  EXPECT_STDOUT "yes  over TCP, waiting for all, every network gives the ideal one's models"
)
if(EXISTS "${data_dir}/libsvm/mushrooms")
  dlearn_add_program_test(
    NAME ${program}-quick COMMAND ${program} --quick EXPECT_STDOUT "Tables and figures"
  )
endif()

set(program dlearn-study-inversion)
dlearn_refuses(${program} figure "figure must be levels, networks or all, got 'nope'" --figure=nope)
dlearn_refuses(${program} quick-and-full "quick and full exclude each other" --quick --full)
dlearn_refuses(${program} one-round "rounds must be at least 2, got 1" --rounds=1)
dlearn_refuses(${program} no-batch "batch-size must be from 1 to .*, got 0" --batch=0)
dlearn_refuses(${program} task "task must be softmax, cnn, net:LAYERS or torch:FILE, got 'logistic'"
               --task=logistic
)
dlearn_refuses(
  ${program} coupling "Coupling of LdpOnline must not be -1" --coupling=-1 --figure=levels --quick
)
dlearn_refuses(${program} no-start "starts and iterations must be at least 1" --starts=0)

set(program dlearn-study-cafcor)
dlearn_refuses(${program} figure "figure must be noise, privacy, .*, got 'nope'" --figure=nope)
dlearn_refuses(
  ${program} transport-of-noise
  "network, transport and deadline are for privacy, aggregators. 'noise' has its own" --figure=noise
  --transport=tcp
)

set(program dlearn-study-fedavg)
dlearn_refuses(${program} figure "figure must be 1, 2, 3, .*, got 'nope'" --figure=nope)
dlearn_refuses(${program} quick-and-full "quick and full exclude each other" --quick --full)
dlearn_refuses(${program} one-run "runs must be 0 or from 2 to .*, got 1" --runs=1)
dlearn_refuses(
  ${program} step-size "step-size must be greater than 0, got 0" --step-size-1=0 --figure=1
)
dlearn_add_program_test(
  NAME ${program}-quick COMMAND ${program} --quick --figure=1 EXPECT_STDOUT "Tables and figures"
)
# What overflows is no agreement.
dlearn_add_program_test(
  NAME ${program}-overflow COMMAND ${program} --quick --figure=1 --step-size-1=1e308 EXPECT_EXIT 1
  EXPECT_STDOUT "NO +every simulated mean"
)

# Networks in TorchScript files, with and without LibTorch.
if(dlearn_torch_libraries)
  set(message "TorchTask: 'none.pt' can not be read")
else()
  set(message "TorchTask: dlearn was built without LibTorch; on Debian: apt-get install libtorch-dev")
endif()
foreach(program dlearn-cafcor dlearn-fedavg dlearn-gradient-tracking dlearn-ldp-online)
  dlearn_refuses(
    ${program} torch-file "${message}" --task=torch:none.pt --data=glyphs --data-samples=200
  )
  dlearn_label_torch(${program}-refuses-torch-file ${program})
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/federated-programs.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tracking-programs.cmake)

# Whether accounts are true: two lines of CSV, exit status 0; and names that there are not.
dlearn_add_program_test(
  NAME dlearn-audit-prints-csv COMMAND dlearn-audit --algorithm=dsgd --runs=3 --RngRun=2
  EXPECT_STDOUT "^algorithm,runs,worst,median\ndsgd,3,[0-9.]+,[0-9.]+\n$"
)
dlearn_refuses(
  dlearn-audit algorithm
  "algorithm must be .*ldp-online, .*cafcor or all, got 'dsdg'"
  --algorithm=dsdg
)
dlearn_refuses(dlearn-audit runs "runs must be from 1 to 1000000, got 0" --runs=0)

# README's command for an epsilon people can use, its numbers, and those without noise.
set(useful
    dlearn-ldp-online --network=wifi-adhoc --loss=0.3 --deadline=20ms --graph=complete
    --weight=metropolis --partition=iid --rounds=400 --mechanism=gaussian --privacy-unit=sample
    --delta=1e-5 --noise-exponent=0 --noise-exponent-step=0
    --ns3::dlearn::SampleStream::Replacement=false
)
dlearn_add_program_test(
  NAME dlearn-ldp-online-has-a-useful-epsilon
  COMMAND ${useful} --noise=0.25
  EXPECT_STDOUT " 399 +5 .* 0\\.9752 .* 5\\.861 "
)
dlearn_add_program_test(
  NAME dlearn-ldp-online-without-its-noise
  COMMAND ${useful} --noise=0
  EXPECT_STDOUT " 399 +5 .* 0\\.9841 .* inf "
)
dlearn_add_program_test(
  NAME dlearn-privacy-plans-gaussian-noise
  COMMAND
    dlearn-privacy --mechanism=gaussian --target-epsilon=8 --delta=1e-5 --privacy-unit=sample
    --samples=1280 --batch=20 --rounds=400 --graph=complete --weight=metropolis
    --regularization=0.05 --noise-exponent=0 --noise-exponent-step=0
  EXPECT_STDOUT "epsilon_max=(7\\.99999|8).*noise\\[5\\]=0\\.15619"
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
    "Server:OpenRound\\(0x[0-9a-f]+, 0, 0\\)\n.*0\\.004081280s DlearnFederatedClient:Train\\(0x[0-9a-f]+, 1, 0\\)\n"
    $<TARGET_FILE:dlearn-fedavg> --rounds=1 --network=p2p
  )
endif()
