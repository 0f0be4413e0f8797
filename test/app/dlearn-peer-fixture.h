/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_FIXTURE_H
#define DLEARN_PEER_FIXTURE_H

/**
 * @file
 * Peers whose rule writes down what it is told and when, so that their rounds can be told by hand.
 */

#include "dlearn-net-test-support.h"
#include "peer/dlearn-rule-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-application.h"

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace test
{

constexpr uint32_t DIMENSION = 3;

/** @return what a learner's scripted rule sends in a round, in all entries */
inline double
Script(LearnerId id, uint32_t round)
{
    return 100.0 * id + round;
}

/**
 * A rule that learns nothing and records its calls, with the simulated time in milliseconds:
 * "0 begin 0", "10 compute", "10 send", "10 end 0 [1:0 2:0]" (each sender with the round in which
 * its vector was made; "?" after a vector of which entries are missing, "!" after the bracket when
 * nothing left the node).
 */
class ScriptedRule : public UpdateRule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::ScriptedRule")
                                .SetParent<UpdateRule>()
                                .AddConstructor<ScriptedRule>()
                                .AddAttribute("Affordable",
                                              "Rounds that the budget lasts.",
                                              UintegerValue(1000000),
                                              MakeUintegerAccessor(&ScriptedRule::m_affordable),
                                              MakeUintegerChecker<uint32_t>())
                                .AddAttribute("Tracker",
                                              "Whether a second vector is sent and expected.",
                                              BooleanValue(false),
                                              MakeBooleanAccessor(&ScriptedRule::m_tracker),
                                              MakeBooleanChecker())
                                .AddAttribute("Secret",
                                              "Whether a vector is sent that is not declared.",
                                              BooleanValue(false),
                                              MakeBooleanAccessor(&ScriptedRule::m_secret),
                                              MakeBooleanChecker());
        return tid;
    }

    void Setup(const LearnerContext& context) override { m_context = context; }

    void BeginRound(uint32_t round) override
    {
        m_round = round;
        Write() << "begin " << round;
    }

    void Compute() override { Write() << "compute"; }

    Outbox Send() override
    {
        Write() << "send";
        if (m_affordable == 0)
        {
            m_exhausted = true;
            return {};
        }
        --m_affordable;
        Outgoing outgoing;
        for (const auto& [neighbor, weight] : m_context.GetNeighbors(ModelChannel::STATE).out)
        {
            outgoing.recipients.push_back(neighbor);
        }
        outgoing.values = ModelVector::Constant(DIMENSION, Script(m_context.id, m_round));
        Outbox outbox{outgoing};
        if (m_tracker)
        {
            outgoing.channel = ModelChannel::TRACKER;
            outbox.push_back(outgoing);
        }
        if (m_secret)
        {
            outgoing.channel = ModelChannel::UPDATE;
            outbox.push_back(outgoing);
        }
        return outbox;
    }

    void EndRound(const Inbox& inbox) override
    {
        std::ostringstream text;
        for (const auto& [source, arrival] : inbox.arrivals)
        {
            text << (text.str().empty() ? "" : " ") << source.first << ":" << arrival.round
                 << (source.second == ModelChannel::TRACKER ? "t" : "")
                 << (arrival.IsComplete() ? "" : "?");
            const ModelVector script =
                ModelVector::Constant(DIMENSION, Script(source.first, arrival.round));
            EXPECT_TRUE(!arrival.IsComplete() || !exact || arrival.values == script);
        }
        Write() << "end " << m_round << " [" << text.str() << "]" << (inbox.transmitted ? "" : "!");
        inboxes.push_back(inbox);
    }

    void Sent(ModelChannel, const Reading& read) override { sent.push_back(read()); }

    void TakeLate(LearnerId sender, ModelChannel, const Arrival& arrival) override
    {
        late.emplace_back(sender, arrival.round);
        EXPECT_EQ(arrival.values, ModelVector::Constant(DIMENSION, Script(sender, arrival.round)));
    }

    const ModelVector& GetModel() const override { return m_model; }

    std::vector<RuleChannel> GetChannels() const override
    {
        const Neighbors& neighbors = m_context.GetNeighbors(ModelChannel::STATE);
        std::vector<RuleChannel> channels{{ModelChannel::STATE, DIMENSION, neighbors}};
        if (m_tracker)
        {
            channels.push_back({ModelChannel::TRACKER, DIMENSION, neighbors});
        }
        return channels;
    }

    uint64_t GetWork() const override { return 1; }

    bool CanContinue() const override { return !m_exhausted; }

    Ptr<const PrivacyAccount> GetLedger() const override { return nullptr; }

    std::vector<std::string> GetWarnings() const override { return {}; }

    int64_t AssignStreams(int64_t) override { return 0; }

    /** @return what was written, one line each */
    std::vector<std::string> GetLog() const
    {
        std::vector<std::string> lines;
        for (const auto& line : m_log)
        {
            lines.push_back(line.str());
        }
        return lines;
    }

    /** @return the lines about the end of rounds */
    std::vector<std::string> GetEnds() const
    {
        std::vector<std::string> ends;
        for (const std::string& line : GetLog())
        {
            if (line.find("end ") != std::string::npos && line.find("send") == std::string::npos)
            {
                ends.push_back(line);
            }
        }
        return ends;
    }

    bool exact{true};              //!< whether vectors must arrive as they were made
    std::vector<Inbox> inboxes;    //!< of all rounds that ended
    std::vector<ModelVector> sent; //!< all vectors, as receivers read them
    std::vector<std::pair<LearnerId, uint32_t>> late; //!< sender and round of late vectors

  private:
    std::ostream& Write()
    {
        m_log.emplace_back();
        m_log.back() << Simulator::Now().GetMicroSeconds() / 1e3 << " ";
        return m_log.back();
    }

    LearnerContext m_context;
    uint32_t m_round{0};
    uint32_t m_affordable{0};
    bool m_tracker{false};
    bool m_secret{false};
    bool m_exhausted{false};
    ModelVector m_model{ModelVector::Zero(DIMENSION)};
    std::vector<std::ostringstream> m_log;
};

using Lines = std::vector<std::string>;

/** Learners on a network without delay, each with a gradient of 10 ms. */
class PeerApplicationTest : public testing::Test
{
  protected:
    /** Create learners, still to be configured. */
    void Build(const Graph& graph, const std::string& network = "ideal")
    {
        m_graph = graph;
        m_network = CreateNetwork(network);
        m_network->Build(graph, {});
        m_task = CreateObject<BowlTask>();
        m_task->SetSamples(Eigen::MatrixXd::Zero(DIMENSION, 1));
        for (LearnerId id = 0; id < graph.GetSize(); ++id)
        {
            const auto app = CreateObject<PeerApplication>();
            app->SetAttribute("Rule", TypeIdValue(ScriptedRule::GetTypeId()));
            app->SetAttribute("ComputeModel", TypeIdValue(FixedCompute::GetTypeId()));
            app->SetAttribute("Rounds", UintegerValue(3));
            m_network->GetNodes().Get(id)->AddApplication(app);
            apps.push_back(app);
        }
    }

    /** Set an attribute of all learners. */
    void SetAll(const std::string& name, const AttributeValue& value)
    {
        for (const auto& app : apps)
        {
            app->SetAttribute(name, value);
        }
    }

    void SetPolicy(const std::string& attribute, TypeId type)
    {
        SetAll(attribute, TypeIdValue(type));
    }

    void SetCompute(LearnerId id, Time time)
    {
        apps[id]->GetComputeModel()->SetAttribute("Duration", TimeValue(time));
    }

    LearnerContext GetContext(LearnerId id) const
    {
        LearnerContext context;
        context.id = id;
        context.task = m_task;
        context.neighbors[ModelChannel::STATE] = {m_graph.GetInNeighbors(id),
                                                  m_graph.GetOutNeighbors(id)};
        return context;
    }

    Transport::Peers GetPeers(LearnerId id) const
    {
        Transport::Peers peers;
        for (const Graph::Row* row : {&m_graph.GetInNeighbors(id), &m_graph.GetOutNeighbors(id)})
        {
            for (const auto& [neighbor, weight] : *row)
            {
                peers[neighbor] = m_network->GetAddress(id, neighbor);
            }
        }
        return peers;
    }

    void Connect()
    {
        for (LearnerId id = 0; id < apps.size(); ++id)
        {
            apps[id]->SetContext(GetContext(id), GetPeers(id));
        }
    }

    void Run(Time stop = Seconds(100))
    {
        Simulator::Stop(stop);
        Simulator::Run();
        for (const auto& app : apps)
        {
            EXPECT_NO_THROW(app->GetTable().CheckConservation());
        }
    }

    void At(Time when, std::function<void()> action) { Simulator::Schedule(when, action); }

    /**
     * Let a learner send bytes past its rule, from its own address and port. Before the learner
     * starts a plain socket plays it.
     *
     * @param when absolute time
     * @param from the learner
     * @param to its neighbour
     * @param datagrams what to send
     */
    void InjectAt(Time when, LearnerId from, LearnerId to, std::vector<Bytes> datagrams)
    {
        At(when, [this, from, to, datagrams] {
            if (apps[from]->GetState() != LearnerApplication::State::NOT_STARTED)
            {
                for (const Bytes& bytes : datagrams)
                {
                    apps[from]->GetExchange()->SendBytes(0, {to}, bytes);
                }
                return;
            }
            const auto socket = Socket::CreateSocket(m_network->GetNodes().Get(from),
                                                     UdpSocketFactory::GetTypeId());
            socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
            for (const Bytes& bytes : datagrams)
            {
                socket->SendTo(Create<Packet>(bytes.data(), bytes.size()),
                               0,
                               InetSocketAddress(m_network->GetAddress(from, to), PORT));
            }
            socket->Close();
        });
    }

    const ScriptedRule& GetRule(LearnerId id)
    {
        return *DynamicCast<ScriptedRule>(apps[id]->GetRule());
    }

    Lines GetEnds(LearnerId id) { return GetRule(id).GetEnds(); }

    const RoundRecord& GetRecord(LearnerId id, size_t index)
    {
        return apps[id]->GetTable().GetRecords().at(index);
    }

    void TearDown() override
    {
        Config::Reset();
        Simulator::Destroy();
    }

    Graph m_graph{1};
    Ptr<Network> m_network;
    Ptr<BowlTask> m_task;
    std::vector<Ptr<PeerApplication>> apps;
};

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_PEER_FIXTURE_H
