/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-run.h"
#include "ns3/double.h"

#include <gtest/gtest.h>
#include <string>

namespace ns3::dlearn
{

namespace
{

/** @return the momentum of the server's rule in a run of a program's preset */
double
GetServerMomentum(const std::string& aggregator)
{
    RunSpec spec = FedAvgPreset("test");
    spec.learners = 3;
    spec.momentum = 0.9;
    spec.aggregator = aggregator;
    const dlearn::Run run(spec);
    DoubleValue momentum;
    run.GetFederation().server->GetRule()->GetAttribute("Momentum", momentum);
    return momentum.Get();
}

TEST(Run, GivesTheOptionMomentumToWhicheverRuleTheServerHas)
{
    EXPECT_EQ(GetServerMomentum("none"), 0.9);
    EXPECT_EQ(GetServerMomentum("Median"), 0.9);
}

} // namespace

} // namespace ns3::dlearn
