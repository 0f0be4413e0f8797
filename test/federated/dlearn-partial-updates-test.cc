/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Updates of which only some entries arrived: what FedAvg makes of them, against sums over each
 * entry, and what the clients of a trusted server pay for it, against how far its models move.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-entry-totals.h"
#include "ns3/dlearn-fedasync-server.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <random>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t ENTRIES = 6;
const std::vector<uint32_t> SAMPLES{3, 1, 10, 4, 4};

/** @return server 0 of clients 1, 2, ... with SAMPLES, and a model of zeros */
ServerContext
MakeContext()
{
    ServerContext context;
    context.initialModel = ModelVector::Zero(ENTRIES);
    for (size_t k = 0; k < SAMPLES.size(); ++k)
    {
        context.samples[k + 1] = SAMPLES[k];
    }
    return context;
}

/** @return a server without noise, at a model of zeros: its next model is the mean */
Ptr<FedAvgServer>
MakePartialServer()
{
    const auto server = CreateObject<FedAvgServer>();
    server->Setup(MakeContext());
    return server;
}

/** Draws which updates, and which of their entries, arrive. */
class Draws
{
  public:
    explicit Draws(uint32_t seed)
        : m_random(seed)
    {
    }

    bool Happen(double probability)
    {
        return std::uniform_real_distribution<double>(0, 1)(m_random) < probability;
    }

    /** @return updates of a round, some whole, some in part, with any weight of staleness */
    std::vector<ClientUpdate> Draw(uint32_t round)
    {
        std::vector<ClientUpdate> updates;
        for (size_t k = 0; k < SAMPLES.size(); ++k)
        {
            if (!Happen(0.8))
            {
                continue;
            }
            ClientUpdate update;
            update.client = k + 1;
            update.round = round;
            update.weight = Happen(0.3) ? 0.5 : 1;
            update.values = ModelVector::NullaryExpr(ENTRIES, [&](auto) {
                return std::normal_distribution<double>()(m_random);
            });
            if (Happen(0.6))
            {
                const double share = std::uniform_real_distribution<double>(0.1, 0.9)(m_random);
                for (uint32_t j = 0; j < ENTRIES; ++j)
                {
                    update.present.push_back(Happen(share));
                    update.values[j] *= update.present[j] ? 1 : 0;
                }
            }
            updates.push_back(update);
        }
        return updates;
    }

  private:
    std::mt19937 m_random;
};

/** @return whether an entry of an update arrived */
bool
HasEntry(const ClientUpdate& update, uint32_t entry)
{
    return update.present.empty() || update.present[entry];
}

// Rounding of some additions of numbers of order 1.
constexpr double TINY = 1e-13;

TEST(PartialUpdates, EachEntryIsTheMeanOfThoseThatArrived)
{
    uint32_t empty = 0; // entries of which none arrived
    for (uint32_t seed = 0; seed < 200; ++seed)
    {
        Draws draws(seed);
        const auto updates = draws.Draw(0);
        const auto server = MakePartialServer();
        server->Aggregate(updates);
        for (uint32_t j = 0; j < ENTRIES; ++j)
        {
            double sum = 0;
            double samples = 0;
            for (const ClientUpdate& update : updates)
            {
                if (HasEntry(update, j))
                {
                    sum += SAMPLES[update.client - 1] * update.weight * update.values[j];
                    samples += SAMPLES[update.client - 1];
                }
            }
            EXPECT_NEAR(server->GetModel()[j], samples > 0 ? sum / samples : 0, TINY)
                << seed << " " << j;
            empty += samples == 0 && !updates.empty() ? 1 : 0;
        }
    }
    EXPECT_GT(empty, 0U);
}

// That all entries are marked as there is no reason for another bit.
TEST(PartialUpdates, NothingChangesWhereAllEntriesArrived)
{
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        auto updates = Draws(seed).Draw(0);
        for (ClientUpdate& update : updates)
        {
            update.present.clear();
        }
        const auto whole = MakePartialServer();
        whole->Aggregate(updates);
        for (ClientUpdate& update : updates)
        {
            update.present.assign(ENTRIES, true);
        }
        const auto marked = MakePartialServer();
        marked->Aggregate(updates);
        EXPECT_TRUE(whole->GetModel() == marked->GetModel()) << seed;
    }
}

// By hand: momentum goes on where nothing arrives.
TEST(PartialUpdates, GoThroughTheServersMomentum)
{
    const auto server = CreateObjectWithAttributes<FedAvgServer>("Momentum", DoubleValue(0.5));
    ServerContext context;
    context.samples = {{1, 1}, {2, 3}};
    context.initialModel = Eigen::Vector2d(0, 0);
    server->Setup(context);
    ClientUpdate first;
    first.client = 1;
    first.values = Eigen::Vector2d(8, 8);
    ClientUpdate second;
    second.client = 2;
    second.values = Eigen::Vector2d(4, 0);
    second.present = {true, false};
    server->Aggregate({first, second}); // means 5 and 8
    EXPECT_EQ(server->GetModel(), Eigen::Vector2d(5, 8));
    server->Aggregate({second}); // means 4 and nothing; steps 2.5 + 4 and 4
    EXPECT_EQ(server->GetModel(), Eigen::Vector2d(11.5, 12));
}

TEST(EntryTotals, LeastIsThatOfTheEntriesThatArrived)
{
    EntryTotals totals;
    totals.Add(3, {});
    EXPECT_EQ(totals.GetLeast({}), 3);
    totals.Add(2, {true, false, false});
    totals.Add(1, {true, true, false});
    EXPECT_EQ(totals.GetAll(), 6);
    EXPECT_EQ(totals.GetLeast({}), 3);
    EXPECT_EQ(totals.GetLeast({true, true, false}), 4);
    EXPECT_EQ(totals.GetLeast({true, false, false}), 6);
    EXPECT_EQ(totals.GetLeast({false, false, false}), std::numeric_limits<double>::infinity());
}

/** What a trusted server tells of each client: its share, and whether its budget allows it. */
class Listener : public ServerReleaseListener
{
  public:
    Listener(LearnerId client, double most)
        : m_client(client),
          m_most(most)
    {
    }

    bool CanAfford(const ServerRelease& release) const override
    {
        return GetShare(release) <= m_most;
    }

    void Record(const ServerRelease& release) override { share = GetShare(release); }

    double share{0}; //!< of the client in the last release

  private:
    double GetShare(const ServerRelease& release) const
    {
        double sum = 0;
        const auto [first, last] = release.messages.equal_range(m_client);
        for (auto own = first; own != last; ++own)
        {
            sum += own->second.share / release.total;
        }
        return sum;
    }

    LearnerId m_client;
    double m_most;
};

/** @return a server whose noise tells the listener */
Ptr<FedAvgServer>
MakeTrustedServer(Listener& listener)
{
    const auto noise = CreateObjectWithAttributes<ServerNoise>("Scale", DoubleValue(0.5));
    noise->AssignStreams(3);
    noise->AddListener(&listener);
    const auto server = CreateObject<FedAvgServer>();
    server->SetAttribute("Noise", PointerValue(noise));
    server->Setup(MakeContext());
    return server;
}

/** @return how far the mean moves when one entry of a client's update moves by one, at most */
double
FindLargestMove(const std::vector<ClientUpdate>& updates, LearnerId client)
{
    const auto bare = MakePartialServer();
    bare->Aggregate(updates);
    double largest = 0;
    for (uint32_t j = 0; j < ENTRIES; ++j)
    {
        auto moved = updates;
        for (ClientUpdate& update : moved)
        {
            update.values[j] += update.client == client && HasEntry(update, j) ? 1 : 0;
        }
        const auto other = MakePartialServer();
        other->Aggregate(moved);
        largest = std::max(largest, (other->GetModel() - bare->GetModel()).norm());
    }
    return largest;
}

// An account that knows a client's share of the mean bounds what any change of its update does to
// the model; the direction in which it does most is the entry that fewest others share.
TEST(PartialUpdates, AClientPaysForTheEntryInWhichItsShareIsLargest)
{
    uint32_t grown = 0; // shares that are larger than with whole updates
    for (uint32_t seed = 0; seed < 100; ++seed)
    {
        const auto updates = Draws(seed).Draw(0);
        double total = 0;
        for (const ClientUpdate& update : updates)
        {
            total += SAMPLES[update.client - 1];
        }
        for (const ClientUpdate& update : updates)
        {
            Listener listener(update.client, std::numeric_limits<double>::infinity());
            MakeTrustedServer(listener)->Aggregate(updates);
            const double largest = FindLargestMove(updates, update.client);
            EXPECT_NEAR(listener.share, largest, TINY) << seed << " " << update.client;
            grown += largest > SAMPLES[update.client - 1] * update.weight / total + TINY ? 1 : 0;
            auto any = updates; // any other change of it
            const ModelVector change = ModelVector::Random(ENTRIES).normalized();
            for (ClientUpdate& moved : any)
            {
                for (uint32_t j = 0; j < ENTRIES && moved.client == update.client; ++j)
                {
                    moved.values[j] += HasEntry(moved, j) ? change[j] : 0;
                }
            }
            const auto bare = MakePartialServer();
            bare->Aggregate(updates);
            const auto other = MakePartialServer();
            other->Aggregate(any);
            EXPECT_LE((other->GetModel() - bare->GetModel()).norm(), listener.share + TINY);
        }
    }
    EXPECT_GT(grown, 100U);
}

// Client 3 has 10 of 11 samples, but of an entry that client 2 has not sent it has all.
TEST(PartialUpdates, ATrustedServerReleasesNoEntryThatABudgetForbids)
{
    ClientUpdate second;
    second.client = 2;
    second.values = ModelVector::Ones(ENTRIES);
    ClientUpdate third = second;
    third.client = 3;
    for (const bool whole : {true, false})
    {
        Listener listener(3, 0.95);
        const auto server = MakeTrustedServer(listener);
        second.present.assign(ENTRIES, true);
        second.present[4] = whole;
        server->Aggregate({second, third});
        EXPECT_EQ(server->GetSkipped(), whole ? 0U : 1U);
        EXPECT_NEAR(listener.share, whole ? 10.0 / 11 : 0, TINY);
    }
}

TEST(PartialUpdates, AreRefusedWhereTheRuleNeedsWholeOnes)
{
    const auto refuse = [](const Ptr<ServerRule>& rule, const std::string& what) {
        rule->Setup(MakeContext());
        ExpectRefused([&] { rule->CheckPartialUpdates(); }, what);
        ClientUpdate update;
        update.client = 1;
        update.values = ModelVector::Zero(ENTRIES);
        update.base = std::make_shared<const ModelVector>(update.values);
        update.present.assign(ENTRIES, false);
        ExpectRefused([&] { rule->Aggregate({update}); }, what);
    };
    refuse(CreateObject<FedAsyncServer>(), "ns3::dlearn::FedAsyncServer: the rule needs whole");
    refuse(CreateObject<RobustServer>(), "ns3::dlearn::RobustServer: the rule needs whole updates");
    const auto noise = CreateObjectWithAttributes<ServerNoise>("Scale",
                                                               DoubleValue(1),
                                                               "Momentum",
                                                               DoubleValue(0.5));
    const auto server = CreateObject<FedAvgServer>();
    server->SetAttribute("Noise", PointerValue(noise));
    refuse(server, "FedAvgServer: with UsePartial of the server, Momentum of its Noise must be 0");
    ClientUpdate update;
    update.client = 1;
    update.values = ModelVector::Zero(ENTRIES);
    update.present = {true};
    ExpectRefused([&] { MakePartialServer()->Aggregate({update}); },
                  "ServerRule: marks of entries must have 6 entries, got 1");
}

} // namespace
} // namespace ns3::dlearn
