/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What costs a worker of CafCor privacy is accounted for wherever its parts are used: a federation
 * made by FederatedHelper alone, without the scenario of the programs.
 */

#include "dlearn-federation-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/pointer.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace test
{
namespace
{

class CafCorFederation : public FederationTest
{
  protected:
    /** Five workers and a server that repairs after 100 ms. */
    void BuildWorkers()
    {
        Build(5, "p2p", CafCorWorker::GetTypeId());
        Choose<RobustServer>("Rule");
        m_server->GetRule()->SetAttribute("NoiseRecovery", BooleanValue(true));
        Set("Rounds", UintegerValue(1));
        ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(100)));
        m_plan.model = CreateObject<ByzantineLocalDp>();
        m_plan.counts = {5, 1};
        m_plan.clip = 1;
        m_plan.noise = {2, 1};
        const auto shared = CreateObject<PairwiseCorrelatedNoise>();
        shared->SetAttribute("Scale", DoubleValue(m_plan.noise.correlated));
        shared->SetWorkers(5);
        const auto noise = CreateObject<WorkerNoise>();
        noise->SetAttribute("Independent", DoubleValue(m_plan.noise.independent));
        noise->SetAttribute("NoiseRecovery", BooleanValue(true));
        noise->SetCorrelated(shared);
        noise->AssignStreams(500);
        for (uint32_t k = 0; k < 5; ++k)
        {
            const auto rule = DynamicCast<CafCorWorker>(m_federation.clients[k]->GetRule());
            rule->SetNoise(noise, k);
            rule->SetLedger(CreateObject<GaussianLedger>(), m_plan);
        }
    }

    double GetEpsilon(LearnerId worker) const
    {
        return m_federation.clients[worker - 1]->GetRule()->GetLedger()->GetEpsilon();
    }

    double ToEpsilon(double rate) const { return GaussianEpsilon(rate, 1e-4); }

    CafCorPlan m_plan; //!< of the workers
};

// Worker 5 trains when it is named lost, and sends nevertheless.
TEST_F(CafCorFederation, AccountsForRepairsAndStragglersWithoutAScenario)
{
    BuildWorkers();
    SetCompute(5, MilliSeconds(200));
    Connect();
    At(MilliSeconds(150), [&] { EXPECT_EQ(GetEpsilon(5), 0); });
    Run();
    EXPECT_EQ(totals.at("corrections_used"), 4U);
    for (LearnerId worker = 1; worker <= 4; ++worker)
    {
        EXPECT_DOUBLE_EQ(GetEpsilon(worker), ToEpsilon(GetReleaseTerms(m_plan).GetRecoveredRate(1)))
            << worker;
    }
    EXPECT_DOUBLE_EQ(GetEpsilon(5), ToEpsilon(GetReleaseTerms(m_plan).GetExposedRate()));
    EXPECT_GT(GetEpsilon(5), 1.5 * ToEpsilon(CafCorRate(m_plan)));
}

// At any time, no account is below what has left its node, whether or not a release is pending.
TEST_F(CafCorFederation, CountsAMessageFromTheMomentItIsHandedOver)
{
    BuildWorkers();
    Connect();
    At(MilliSeconds(5), [&] { EXPECT_EQ(GetEpsilon(1), 0); });
    At(MilliSeconds(20), [&] {
        EXPECT_GT(m_federation.clients[0]->GetExchange()->GetTransport()->GetTxBytes(), 0U);
        EXPECT_DOUBLE_EQ(GetEpsilon(1), ToEpsilon(CafCorRate(m_plan)));
    });
    Run();
}

TEST_F(CafCorFederation, AccountsAreReachedByPathsFromTheirNodes)
{
    BuildWorkers();
    Set("Rounds", UintegerValue(3));
    Connect();
    const std::string release = "/NodeList/*/ApplicationList/*/$ns3::dlearn::FederatedClient/"
                                "Rule/Release/";
    Config::Set(release + "Noise/Independent", DoubleValue(m_plan.noise.independent * 2));
    Config::Set(release + "Ledger/Budget", DoubleValue(ToEpsilon(CafCorRate(m_plan)) * 1.01));
    Run();
    for (const auto& client : m_federation.clients)
    {
        PointerValue noise;
        client->GetRule()->GetRelease()->GetAttribute("Noise", noise);
        const NoiseScales scales = noise.Get<WorkerNoise>()->GetScales();
        EXPECT_EQ(scales.independent, m_plan.noise.independent * 2);
        EXPECT_EQ(scales.correlated, m_plan.noise.correlated);
        EXPECT_FALSE(client->GetRule()->CanContinue());
    }
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
