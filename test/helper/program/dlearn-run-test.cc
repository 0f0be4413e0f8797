/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-run.h"
#include "ns3/double.h"
#include "ns3/packet.h"

#include <functional>
#include <gtest/gtest.h>
#include <sstream>
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

/** @return the title of a run of FedAvg on a data set */
std::string
GetTitle(const std::function<void(RunSpec&)>& change)
{
    RunSpec spec = FedAvgPreset("test");
    spec.data = "generated";
    spec.dataSamples = 90;
    spec.rounds = 1;
    change(spec);
    dlearn::Run run(spec);
    std::ostringstream table;
    run.Execute(table);
    return table.str().substr(0, table.str().find('\n'));
}

TEST(Run, IsCalledAfterTheRulesThatAreAtWork)
{
    const std::string sgd = "1 epoch of batches of 20";
    const std::string robust = GetTitle([](auto& s) { s.aggregator = "Krum"; });
    EXPECT_NE(robust.find(sgd + ", Krum, "), std::string::npos) << robust;
    const std::string mean =
        GetTitle([](auto& s) { s.aggregator = "Krum", s.serverRule = "FedAvg"; });
    EXPECT_NE(mean.find(sgd + ", categorical"), std::string::npos) << mean;
    const std::string exact = GetTitle([](auto& s) { s.clientRule = "LocalSolve"; });
    EXPECT_NE(exact.find("LocalSolve, categorical"), std::string::npos) << exact;
}

TEST(Run, RefusesASecondRunInTheSameSimulator)
{
    RunSpec spec = LdpOnlinePreset("test");
    spec.learners = 3;
    spec.rounds = 2;
    std::ostringstream table;
    {
        dlearn::Run first(spec);
        ExpectRefused([&spec] { const dlearn::Run second(spec); },
                      "Run: another run is there already");
        EXPECT_FALSE(first.Execute(table).rows.empty()); // the refused one left it alone
        const dlearn::Run next(spec);                    // the first one is executed
    }
    const dlearn::Run last(spec); // all others are destroyed
}

// A slot of 512 bits is half a nanosecond here; a slot of none made nodes retry at once, for ever.
TEST(Run, EndsOnABusOfAnyRate)
{
    for (const std::string rate : {"1025Gbps", "900000Gbps"})
    {
        RunSpec spec = FedAvgPreset("test");
        spec.learners = 3;
        spec.rounds = 2;
        spec.network = "csma";
        spec.rate = rate;
        dlearn::Run run(spec);
        uint32_t backoffs = 0;
        Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::CsmaNetDevice/MacTxBackoff",
                                      Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) {
                                          Require(++backoffs < 100000, "endless backoff");
                                      }));
        std::ostringstream table;
        EXPECT_NO_THROW(run.Execute(table)) << rate;
    }
}

TEST(Run, RefusesToSimulateBeyondTheEndOfTime)
{
    RunSpec spec = LdpOnlinePreset("test");
    spec.learners = 3;
    spec.rounds = 5;
    dlearn::Run run(spec);
    for (const auto& peer : run.GetPeers())
    {
        peer->GetComputeModel()->SetAttribute("Overhead",
                                              TimeValue(NanoSeconds(2000000000000000000)));
    }
    std::ostringstream table;
    ExpectRefused([&] { run.Execute(table); },
                  "ns3::dlearn::FlopsCompute: computing of 2e+09 s, begun at 4e+09 s, must end "
                  "before 4.6e+09 s (146 years)");
}

} // namespace

} // namespace ns3::dlearn
