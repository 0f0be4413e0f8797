/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A rule of a user that sends a second vector of its own, on a channel of users.
 */

#include "dlearn-system-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-mixing.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-update-rule.h"

#include <filesystem>
#include <fstream>

namespace mine
{

using namespace ns3;
using namespace ns3::dlearn;

constexpr uint32_t ENTRIES = 3; //!< of the second vector

/** @return what a learner begins with, of the second vector */
ModelVector
Begin(LearnerId id)
{
    return ModelVector::LinSpaced(ENTRIES, id, 10.0 * id);
}

/** Mixes models without learning anything, and a second vector by the same weights. */
class Census : public RoundRule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = AddPrivacy(TypeId("mine::Census")
                                           .SetParent<RoundRule>()
                                           .SetGroupName("DlearnTest")
                                           .AddConstructor<Census>(),
                                       PrivacyAccount::GetTypeId(),
                                       LearnerUnit::GetTypeId());
        return tid;
    }

    std::vector<RuleChannel> GetChannels() const override
    {
        return {{ModelChannel::STATE, static_cast<uint32_t>(m_model.size()), GetNeighbors()},
                {MakeUserChannel(3), ENTRIES, GetNeighbors()}};
    }

    ModelVector count; //!< the second vector

  protected:
    std::vector<Ptr<NoiseMechanism>> GetMechanisms() const override { return {}; }

    void DoSetup() override { count = mine::Begin(m_context.id); }

    std::vector<std::string> FindWarnings() const override { return {}; }

    Outbox DoSend() override
    {
        return {Address(ModelChannel::STATE, GetNeighbors().out, m_model),
                Address(MakeUserChannel(3), GetNeighbors().out, count)};
    }

    void DoEndRound(const Inbox& inbox) override
    {
        m_model = MixHeard(m_model, GetNeighbors().in, inbox, ModelChannel::STATE, 1);
        count = MixHeard(count, GetNeighbors().in, inbox, MakeUserChannel(3), 1);
    }

    void DoAbandon(bool /* transmitted */) override {}
};

NS_OBJECT_ENSURE_REGISTERED(Census);

} // namespace mine

namespace ns3::dlearn
{
namespace
{

/** @return the second vectors of all learners after some rounds, by the matrix of the weights */
std::vector<ModelVector>
Iterate(const Graph& graph, uint32_t rounds)
{
    std::vector<ModelVector> counts;
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        counts.push_back(mine::Begin(id));
    }
    for (uint32_t round = 0; round < rounds; ++round)
    {
        const auto before = counts;
        for (LearnerId id = 0; id < graph.GetSize(); ++id)
        {
            for (const auto& [neighbor, weight] : graph.GetInNeighbors(id))
            {
                counts[id] += weight * (before[neighbor] - before[id]);
            }
        }
    }
    return counts;
}

/** Transports of point-to-point links. */
class UserChannel : public testing::TestWithParam<const char*>
{
};

TEST_P(UserChannel, CarriesASecondVectorOfAUsersRule)
{
    RunSpec spec = SmallRun("p2p", GetParam());
    spec.algorithm = "mine::Census";
    spec.rounds = 6;
    spec.transcript = true;
    spec.out = testing::TempDir() + "dlearn-user-channel-" + GetParam();
    std::vector<ModelVector> expected;
    std::vector<Ptr<mine::Census>> rules;
    RunToEnd(spec, [&](dlearn::Run& run) {
        expected = Iterate(run.GetGraph(), spec.rounds);
        for (const auto& peer : run.GetPeers())
        {
            rules.push_back(DynamicCast<mine::Census>(peer->GetRule()));
        }
    });
    ASSERT_EQ(rules.size(), expected.size());
    for (LearnerId id = 0; id < rules.size(); ++id)
    {
        // 64 bits on the wire; sums of a few terms.
        EXPECT_LT((rules[id]->count - expected[id]).norm(), 1e-12) << id;
    }
    std::ifstream transcript(spec.out + "/transcript.csv");
    std::map<std::string, uint32_t> sent;
    for (std::string line; std::getline(transcript, line);)
    {
        for (const char* channel : {",state,", ",user3,"})
        {
            const bool send = line.find(",send,") != std::string::npos;
            sent[channel] += send && line.find(channel) != std::string::npos;
        }
    }
    const uint32_t messages = spec.rounds * rules.size();
    EXPECT_EQ(sent,
              (std::map<std::string, uint32_t>{{",state,", messages}, {",user3,", messages}}));
    std::filesystem::remove_all(spec.out);
}

INSTANTIATE_TEST_SUITE_P(Transports, UserChannel, testing::Values("udp", "tcp"));

TEST(UserChannels, HaveNumbersBelowSixteen)
{
    EXPECT_STREQ(ToString(MakeUserChannel(0)), "user0");
    EXPECT_STREQ(ToString(MakeUserChannel(15)), "user15");
    ExpectRefused([] { MakeUserChannel(16); },
                  "MakeUserChannel: number must be less than 16, got 16");
}

} // namespace
} // namespace ns3::dlearn
