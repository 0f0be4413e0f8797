/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The accounts of the workers of a trusted server against dense algebra, over random patterns of
 * messages that are lost or late.
 */

#include "federated/dlearn-account-setting.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace ns3::dlearn
{
namespace
{

using test::Chance;
using test::CLIP;
using test::MakeData;
using test::MODEL;
using test::Setting;
using test::ToEpsilon;

/** A trusted server and its workers, without a network. */
class TrustedServer
{
  public:
    explicit TrustedServer(const Setting& setting)
        : m_audit(setting.GetAudit())
    {
        const auto noise =
            CreateObjectWithAttributes<ServerNoise>("Scale",
                                                    DoubleValue(setting.noise.independent),
                                                    "Momentum",
                                                    DoubleValue(setting.momentum));
        noise->AssignStreams(1);
        m_rule = CreateObjectWithAttributes<RobustServer>("Byzantine",
                                                          UintegerValue(setting.counts.byzantine));
        m_rule->SetAggregator(CreateObject<AverageAggregator>());
        m_rule->SetNoise(noise);
        ServerContext context;
        context.initialModel = MODEL;
        for (uint32_t k = 0; k < setting.counts.workers; ++k)
        {
            context.samples[k + 1] = 1;
            const auto worker = setting.MakeWorker();
            worker->SetServerNoise(noise, k + 1);
            worker->SetLedger(setting.MakeLedger(), setting.GetPlan());
            worker->Setup(MakeData());
            m_workers.push_back(worker);
        }
        m_rule->Setup(context);
        m_rule->AssignStreams(2);
        m_sent.resize(m_workers.size());
    }

    ~TrustedServer()
    {
        for (const auto& worker : m_workers)
        {
            worker->Dispose();
        }
    }

    /** A worker does its round. */
    void Work(uint32_t worker, uint32_t round)
    {
        CafCorWorker& rule = *m_workers[worker];
        rule.BeginRound(round, MODEL);
        rule.Compute();
        const ModelVector update = rule.Send();
        if (rule.CanContinue())
        {
            rule.EndRound(true);
            m_audit.Draw(worker, round);
            m_sent[worker] = {round, update};
        }
    }

    /** The server aggregates the last messages of some workers. */
    void Aggregate(const std::set<uint32_t>& arrived)
    {
        std::vector<ClientUpdate> updates;
        std::map<uint32_t, uint32_t> messages;
        uint32_t step = m_next;
        for (const uint32_t worker : arrived)
        {
            if (m_sent[worker])
            {
                ClientUpdate update;
                update.client = worker + 1;
                update.values = m_sent[worker]->second;
                update.round = m_sent[worker]->first;
                updates.push_back(update);
                messages[worker] = update.round;
                step = std::max(step, update.round);
            }
        }
        const uint64_t skipped = m_rule->GetSkipped();
        m_rule->Aggregate(updates);
        if (!updates.empty() && m_rule->GetSkipped() == skipped)
        {
            m_audit.Release(step, messages);
            m_next = step + 1;
            ++m_released;
        }
    }

    double GetTruth(uint32_t worker) const { return ToEpsilon(m_audit.GetRate(worker)); }

    double GetEpsilon(uint32_t worker) const
    {
        return m_workers[worker]->GetLedger()->GetEpsilon();
    }

    double GetNominalEpsilon(uint32_t worker) const
    {
        return m_workers[worker]->GetLedger()->GetNominalEpsilon();
    }

    uint32_t GetReleased() const { return m_released; }

    /** @return the rule of a worker */
    Ptr<CafCorWorker> GetWorker(uint32_t k) const { return m_workers[k]; }

  private:
    ReleaseAudit m_audit;                                                //!< the truth
    Ptr<RobustServer> m_rule;                                            //!< the server's
    std::vector<Ptr<CafCorWorker>> m_workers;                            //!< the workers'
    std::vector<std::optional<std::pair<uint32_t, ModelVector>>> m_sent; //!< last messages
    uint32_t m_next{0};                                                  //!< step of the noise
    uint32_t m_released{0};                                              //!< how often
};

Setting
MakeTrustedSetting(double momentum)
{
    Setting setting;
    setting.model = CreateObject<CentralDp>();
    setting.counts = {7, 1};
    setting.noise = {0, 0.4};
    setting.momentum = momentum;
    return setting;
}

TEST(ServerReleaseAccount, IsNeverBelowTheTruth)
{
    double tightest = 0;
    double loosest = 1;
    for (uint32_t seed = 0; seed < 200; ++seed)
    {
        Chance chance(seed);
        Setting setting = MakeTrustedSetting(0);
        setting.momentum = std::vector<double>{0, 0.5, 0.85, 0.97}[chance.Pick(4)];
        setting.budget = chance.Happens(0.3) ? 20 + chance.Pick(60) : 0;
        TrustedServer server(setting);
        const double missing = 0.2 * chance.Pick(3);
        const double late = 0.1 * chance.Pick(2);
        for (uint32_t round = 0; round < 8; ++round)
        {
            std::set<uint32_t> arrived;
            for (uint32_t k = 0; k < 7; ++k)
            {
                if (!chance.Happens(missing / 2))
                {
                    server.Work(k, round);
                    if (!chance.Happens(missing / 2))
                    {
                        arrived.insert(k);
                    }
                }
                else if (chance.Happens(late)) // an old message is used in its place
                {
                    arrived.insert(k);
                }
            }
            server.Aggregate(arrived);
        }
        for (uint32_t k = 0; k < 7; ++k)
        {
            const double truth = server.GetTruth(k);
            const double accounted = server.GetEpsilon(k);
            EXPECT_GE(accounted * (1 + 1e-9), truth) << seed << " " << k;
            if (setting.budget > 0)
            {
                EXPECT_LE(accounted, setting.budget * (1 + 1e-9)) << seed;
            }
            if (accounted > 0)
            {
                tightest = std::max(tightest, truth / accounted);
                loosest = std::min(loosest, truth / accounted);
            }
        }
    }
    EXPECT_GT(tightest, 0.999999);
    EXPECT_GT(loosest, 0.5); // nor is it much above
}

TEST(ServerReleaseAccount, KnowsWhatOneLossCosts)
{
    // A round of seven: the plan; a message is lost, and its worker is back in the round after.
    const double rate = GaussianRate(2 * CLIP / 7, 0.4);
    TrustedServer server(MakeTrustedSetting(0.85));
    const std::set<uint32_t> all{0, 1, 2, 3, 4, 5, 6};
    std::set<uint32_t> others = all;
    others.erase(0);
    for (uint32_t round = 0; round < 10; ++round)
    {
        for (uint32_t k : all)
        {
            server.Work(k, round);
        }
        server.Aggregate(round == 5 ? others : all);
        if (round == 4)
        {
            EXPECT_NEAR(server.GetEpsilon(0), ToEpsilon(5 * rate), 1e-9);
        }
    }
    EXPECT_NEAR(server.GetNominalEpsilon(0), ToEpsilon(10 * rate), 1e-9);
    EXPECT_GT(server.GetTruth(0), 1.5 * ToEpsilon(10 * rate));
    EXPECT_GE(server.GetEpsilon(0), server.GetTruth(0) * (1 - 1e-9));
    EXPECT_GT(server.GetEpsilon(1), ToEpsilon(10 * rate)); // a mean over six, once
}

// They carry it into the model past the noise, whether or not the message itself arrives.
TEST(ServerReleaseAccount, NoNoiseOfTheServerHidesWhatAttackersSaw)
{
    TrustedServer server(MakeTrustedSetting(0.85));
    server.GetWorker(2)->SetObserved();
    server.GetWorker(3)->SetReleased(); // a Byzantine worker itself
    EXPECT_EQ(server.GetWorker(2)->GetWarnings().size(), 1U);
    EXPECT_TRUE(server.GetWorker(3)->GetWarnings().empty());
    for (uint32_t round = 0; round < 2; ++round)
    {
        for (uint32_t k = 0; k < 7; ++k)
        {
            server.Work(k, round);
        }
        server.Aggregate({0, 1, 3, 4, 5, 6});
    }
    EXPECT_EQ(server.GetEpsilon(2), std::numeric_limits<double>::infinity());
    const double rate = GaussianRate(2 * CLIP / 7, 0.4);
    EXPECT_NEAR(server.GetNominalEpsilon(2), ToEpsilon(2 * rate), 1e-9);
    EXPECT_LT(server.GetEpsilon(3), 10 * ToEpsilon(2 * rate));
    EXPECT_EQ(server.GetEpsilon(3), server.GetEpsilon(0));
}

TEST(ServerReleaseAccount, NothingIsReleasedThatABudgetForbids)
{
    Setting setting = MakeTrustedSetting(0.85);
    setting.budget = ToEpsilon(11 * GaussianRate(2 * CLIP / 7, 0.4));
    TrustedServer server(setting);
    for (uint32_t round = 0; round < 12; ++round)
    {
        std::set<uint32_t> arrived;
        for (uint32_t k = 0; k < 7; ++k)
        {
            server.Work(k, round);
            if (k > 0 || round < 4) // worker 0 is heard no more
            {
                arrived.insert(k);
            }
        }
        server.Aggregate(arrived);
        for (uint32_t k = 0; k < 7; ++k)
        {
            EXPECT_LE(server.GetEpsilon(k), setting.budget * (1 + 1e-9)) << round;
        }
    }
    EXPECT_LT(server.GetReleased(), 12U);
    EXPECT_GT(server.GetReleased(), 4U);
}

} // namespace
} // namespace ns3::dlearn
