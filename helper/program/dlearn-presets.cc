/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-presets.h"

namespace ns3::dlearn
{

RunSpec
LdpOnlinePreset(const std::string& program)
{
    RunSpec spec(RunKind::PEERS, program);
    spec.partition = "label";
    spec.batchSize = 20;
    spec.rounds = 2000;
    spec.evaluateEvery = 20;
    return spec;
}

RunSpec
GradientTrackingPreset(const std::string& program)
{
    RunSpec spec(RunKind::DIRECTED, program);
    spec.algorithm = "dp-gt";
    spec.rounds = 2000;
    spec.evaluateEvery = 20;
    spec.floatBits = 64;
    spec.unitNorm = false;
    return spec;
}

RunSpec
FedAvgPreset(const std::string& program)
{
    RunSpec spec(RunKind::FEDERATION, program);
    spec.algorithm = "fedavg";
    spec.learners = 3;
    spec.data = "linear-gaussian";
    spec.regularization = 1e-4; // of data sets; enough for separable classes to have a best model
    spec.transport = "tcp";
    spec.rounds = 20;
    spec.delta = 1e-5;
    return spec;
}

RunSpec
CafCorPreset(const std::string& program)
{
    RunSpec spec(RunKind::FEDERATION, program);
    spec.algorithm = "cafcor";
    spec.learners = 20;
    spec.byzantine = 2;
    spec.aggregator = "Caf";
    spec.task = "softmax";
    spec.regularization = 1e-4;
    spec.transport = "tcp";
    spec.rounds = 30;
    spec.batchSize = 50;
    spec.stepSize = 0.075;
    spec.momentum = 0.85;
    spec.threatModel = "secldp";
    spec.privacyUnit = "learner";
    spec.delta = 1e-4;
    return spec;
}

} // namespace ns3::dlearn
