/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/dlearn-noise-recovery.h"
#include "ns3/dlearn-robust-server.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

ModelVector
MakeVector(const std::vector<double>& values)
{
    return Eigen::Map<const Eigen::VectorXd>(values.data(), values.size());
}

TEST(NoiseRecovery, ARequestTellsPlacesNotNumbers)
{
    const ModelVector request = MakeDropoutRequest({2, 3, 5, 8}, {3, 8});
    EXPECT_EQ(request, MakeVector({0, 1, 0, 1}));
    EXPECT_EQ(ReadDropoutRequest(request), (std::vector<uint32_t>{1, 3}));
    EXPECT_TRUE(ReadDropoutRequest(ModelVector::Zero(4)).empty());
    EXPECT_TRUE(ReadDropoutRequest(ModelVector()).empty());
    EXPECT_TRUE(ReadDropoutRequest(MakeVector({0, 1, 0.5})).empty());
}

/** A server of clients 1 to 7. */
Ptr<RobustServer>
MakeServer(bool recovery)
{
    const auto server = CreateObject<RobustServer>();
    server->SetAttribute("NoiseRecovery", BooleanValue(recovery));
    ServerContext context;
    for (LearnerId client = 1; client <= 7; ++client)
    {
        context.samples[client] = 1;
    }
    context.initialModel = ModelVector::Zero(2);
    server->Setup(context);
    return server;
}

ClientUpdate
MakeUpdate(LearnerId client, double value, uint32_t age)
{
    ClientUpdate update;
    update.client = client;
    update.values = ModelVector::Constant(2, value);
    update.round = 9 - age;
    return update;
}

TEST(NoiseRecovery, NamesDropoutsOnlyWhereItIsWanted)
{
    const std::vector<ClientUpdate> updates{MakeUpdate(2, 1, 0),
                                            MakeUpdate(3, 1, 0),
                                            MakeUpdate(7, 1, 0)};
    EXPECT_FALSE(MakeServer(false)->GetRequest(updates));
    const auto server = MakeServer(true);
    EXPECT_EQ(server->GetRequestLength(), 7U);
    EXPECT_EQ(*server->GetRequest(updates), MakeVector({1, 0, 0, 1, 1, 1, 0}));
    EXPECT_EQ(*server->GetRequest({}), ModelVector::Ones(7));
    std::vector<ClientUpdate> all;
    for (LearnerId client = 1; client <= 7; ++client)
    {
        all.push_back(MakeUpdate(client, 1, 0));
    }
    EXPECT_FALSE(server->GetRequest(all));
}

// A worker whose older message came has not sent what the others share noise with.
TEST(NoiseRecovery, WhoseMessageIsOfAnOlderRoundIsADropout)
{
    const std::vector<ClientUpdate> updates{MakeUpdate(1, 1, 1),
                                            MakeUpdate(2, 1, 0),
                                            MakeUpdate(3, 1, 1),
                                            MakeUpdate(7, 1, 0)};
    EXPECT_EQ(*MakeServer(true)->GetRequest(updates), MakeVector({1, 0, 1, 1, 1, 1, 0}));
}

// An update of an older model holds other noise.
TEST(NoiseRecovery, SubtractsWhatWasAnswered)
{
    std::vector<ClientUpdate> updates{MakeUpdate(1, 1, 0),
                                      MakeUpdate(1, 5, 1),
                                      MakeUpdate(2, 2, 0),
                                      MakeUpdate(4, 4, 0)};
    const auto server = MakeServer(true);
    server->UseAnswers({{1, ModelVector::Constant(2, 0.25)}, {2, ModelVector::Constant(2, 3)}},
                       updates);
    EXPECT_EQ(updates[0].values, ModelVector::Constant(2, 0.75));
    EXPECT_EQ(updates[1].values, ModelVector::Constant(2, 5));
    EXPECT_EQ(updates[2].values, ModelVector::Constant(2, -1));
    EXPECT_EQ(updates[3].values, ModelVector::Constant(2, 4));
}

} // namespace
} // namespace ns3::dlearn
