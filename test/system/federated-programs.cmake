# SPDX-License-Identifier: GPL-2.0-only
#
# dlearn-fedavg, from outside. Included by programs.cmake, whose functions it uses.

file(WRITE ${inputs}/devices-of-nobody.csv "client,rate\n9,1Mbps\n")
file(WRITE ${inputs}/devices-without-unit.csv "client,rate\n1,10\n")
file(WRITE ${inputs}/falling.trace "5\n3\n")

set(program dlearn-fedavg)
foreach(count learners dimension runs rounds evaluate-every)
  dlearn_refuses(${program} no-${count} "${count} must be from 1 to .*, got 0" --${count}=0)
endforeach()
dlearn_refuses(${program} no-samples "samples must be from 1 to .*, got 0" --samples=0)
dlearn_refuses(${program} negative-clients "clients must be a whole number of at least 0, got '-1'" --clients=-1)
dlearn_refuses(${program} local-steps "local-steps must be .* or inf; got 'x'" --local-steps=x)
dlearn_refuses(${program} no-local-steps "local-steps must be .*; got '0'" --local-steps=0)
dlearn_refuses(
  ${program} more-steps-than-samples "LocalSgd: LocalSteps must be from 1 to .*, 50; got 51"
  --local-steps=51
)
dlearn_refuses(${program} step-size "step-size must be greater than 0, got 0" --step-size=0)
foreach(number proximal heterogeneity initial-error drift step-size)
  dlearn_refuses(
    ${program} negative-${number} "${number} must be finite and at least 0, got -1" --${number}=-1
  )
endforeach()
dlearn_refuses(${program} noise-std "noise-std must be .*, got '-1'" --noise-std=-1)
dlearn_refuses(
  ${program} noise-stds "noise-std must be one number or one for each of the 3 clients, got 2"
  --noise-std=1,2
)
dlearn_refuses(
  ${program} sparsity ".*sparsity must be .*dimension.*" --sparsity=11 --dimension=10
)
dlearn_refuses(${program} heterogeneity-of-one ".*heterogeneity .*" --clients=1)
dlearn_refuses(
  ${program} normalize "data-samples, normalize and mirror need data sets, .*" --normalize
)
dlearn_refuses(${program} mode "mode must be one of sync, async, buffered; got 'x'" --mode=x)
dlearn_refuses(
  ${program} deadline-without-rounds "deadline and quorum need mode sync, got async"
  --mode=async --deadline=1s
)
dlearn_refuses(
  ${program} share-without-rounds "sample-fraction, .* need mode sync, got buffered"
  --mode=buffered --sample-fraction=0.5
)
dlearn_refuses(
  ${program} drift-without-rounds "drift needs mode sync" --mode=async --drift=0.1
)
dlearn_refuses(${program} concurrency "concurrency needs mode async or buffered" --concurrency=2)
dlearn_refuses(
  ${program} too-many-at-once "concurrency must be at most the number of clients, 3; got 4"
  --mode=buffered --concurrency=4
)
dlearn_refuses(
  ${program} momentum-of-fedasync "server-rate and momentum need mode sync or buffered"
  --mode=async --momentum=0.9
)
dlearn_refuses(
  ${program} sample-fraction "sample-fraction must be in .0, 1., got 0" --sample-fraction=0
)
dlearn_refuses(
  ${program} sample-count ".*Count must be at most the number of clients, 3; got 4"
  --sample-count=4
)
dlearn_refuses(
  ${program} two-samplings "sample-fraction, sample-count and sample-plan exclude each other"
  --sample-count=2 --sample-fraction=0.5
)
dlearn_refuses(${program} sample-plan "ScheduledSampling: Plan must be .*'a'" --sample-plan=a)
dlearn_refuses(
  ${program} sample-plan-of-nobody "ScheduledSampling: there is no client 7" --sample-plan=7
)
foreach(staleness nope polynomial:-1 hinge:0.5:1 constant:1)
  string(MAKE_C_IDENTIFIER ${staleness} name)
  dlearn_refuses(
    ${program} staleness-${name} "staleness .*; got .*|staleness .*, got .*"
    --staleness=${staleness}
  )
endforeach()
foreach(value 0 1.5)
  dlearn_refuses(
    ${program} mixing-${value} "mixing must be in .0, 1., got ${value}" --mixing=${value}
  )
endforeach()
foreach(value 1 -0.1)
  dlearn_refuses(
    ${program} momentum-${value} "momentum must be in .0, 1., got ${value}" --momentum=${value}
  )
endforeach()
dlearn_refuses(${program} server-rate "server-rate must be greater than 0, got 0" --server-rate=0)
dlearn_refuses(
  ${program} negative-server-rate "server-rate must be .*, got -1" --server-rate=-1
)
dlearn_refuses(${program} buffer-size "buffer-size must be from 1 .*, got 0" --buffer-size=0)
dlearn_refuses(${program} negative-buffer-size "buffer-size must be .* at least 0, got '-1'" --buffer-size=-1)
dlearn_refuses(
  ${program} compress-model "compress-model must be none, fp16 or qsgd:S, got 'topk:5'"
  --compress-model=topk:5
)
dlearn_refuses(${program} patience "patience must be greater than 0" --patience=0s)
dlearn_refuses(${program} compress "compress must be none, fp16 or .*'zip'" --compress=zip)
dlearn_refuses(${program} compress-to-nothing ".*topk.*0.*" --compress=topk:0)
dlearn_refuses(
  ${program} compress-to-more ".*K must be at most .*" --compress=topk:11 --dimension=10
)
dlearn_refuses(${program} network "network must be one of .*; got 'nope'" --network=nope)
dlearn_refuses(${program} tree "tree: FANOUT must be .*, got '1'" --network=tree:1)
dlearn_refuses(${program} tree-of-letters "tree: FANOUT must be .*, got 'x'" --network=tree:x)
dlearn_refuses(${program} backbone ".*none.graphml: can not be read" --network=backbone:none.graphml)
dlearn_refuses(
  ${program} backbone-in-parts ".*two-parts.graphml.*"
  --network=backbone:${inputs}/two-parts.graphml
)
dlearn_refuses(${program} trace ".*none.*" --network=trace:none)
dlearn_refuses(
  ${program} trace-that-falls ".*falling.trace:2:.*" --network=trace:${inputs}/falling.trace
)
dlearn_refuses(
  ${program} broadcast-over-links "transport broadcast needs a shared medium .*is tree:2"
  --transport=broadcast --network=tree:2
)
dlearn_refuses(${program} trunk-rate "trunk-rate must be a rate .*, got '0'" --trunk-rate=0)
dlearn_refuses(${program} devices ".*none.csv.*" --devices=none.csv)
dlearn_refuses(
  ${program} devices-of-nobody ".*devices-of-nobody.csv:2:.*"
  --devices=${inputs}/devices-of-nobody.csv
)
dlearn_refuses(
  ${program} devices-without-unit ".*devices-without-unit.csv:2:.*"
  --devices=${inputs}/devices-without-unit.csv
)
dlearn_refuses(
  ${program} devices-and-distribution "devices and client-rate, .* exclude each other"
  --devices=none.csv --client-rate=1Mbps
)
dlearn_refuses(${program} client-rate ".*rate.*'normal:1:2'.*" --client-rate=normal:1:2)
dlearn_refuses(
  ${program} rate-of-a-radio ".*wifi-adhoc.*rate.*" --network=wifi-adhoc --client-rate=1Mbps
)
dlearn_refuses(
  ${program} churn-of-nobody "ChurnSchedule: learner must be less than 4, got 4"
  --churn=crash:4@1s
)
dlearn_refuses(
  ${program} overridden-attribute ".*is set by the option --local-steps"
  --ns3::dlearn::LocalSgd::LocalSteps=2
)
dlearn_refuses(${program} stray-word "unexpected 'stray'" stray)

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
dlearn_repeats(
  dlearn-fedavg-repeats-over-wifi dlearn-fedavg
  --network=wifi-infra --clients=5 --transport=broadcast --rounds=5 --patience=1s
)

set(program dlearn-cafcor)
dlearn_refuses(
  ${program} byzantine "byzantine must be less than half of the 20 clients, got 10" --byzantine=10
)
dlearn_refuses(${program} negative-byzantine "byzantine must be .* at least 0, got '-1'" --byzantine=-1)
dlearn_refuses(${program} attack ".*'nope'.*" --attack=nope)
dlearn_refuses(${program} attack-of-nobody "attack Alie needs byzantine .*" --attack=Alie --byzantine=0)
dlearn_refuses(${program} replay "attack replay: age must be a whole number of at least 1, got 'x'" --attack=replay:x)
dlearn_refuses(${program} aggregator ".*'nope'.*" --aggregator=nope)
dlearn_refuses(${program} pre ".*'nope'.*" --pre=nope)
dlearn_refuses(${program} threat-model "threat-model must be .*, got 'nope'" --threat-model=nope)
dlearn_refuses(${program} model "threat-model must be .*, got 'nope'" --model=nope)
dlearn_refuses(${program} view "view must be transcript or lemma, got 'nope'" --view=nope)
dlearn_refuses(${program} momentum "momentum must be in .0, 1., got 2" --momentum=2)
dlearn_refuses(${program} clip "clip must be greater than 0 for privacy, got 0" --clip=0)
dlearn_refuses(
  ${program} mnist "data set mnist: no file mnist/train-images.*" --data=mnist --data-dir=/none
)
dlearn_refuses(
  ${program} cifar10 "data set cifar10: no file cifar10/data_batch_.*" --data=cifar10 --data-dir=/none
)
dlearn_refuses(${program} mirror "mirror is for images, got data generated" --mirror)
dlearn_refuses(
  ${program} data-samples "data-samples is for generated .*, got data x.svm"
  --data=x.svm --data-samples=9
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
dlearn_refuses(
  dlearn-own-rule limit "server-rule mine::CutMean: limit must be a number of at least 1e-09, got '0'"
  --server-rule=mine::CutMean:0
)
