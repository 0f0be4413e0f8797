/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATION_FIXTURE_H
#define DLEARN_FEDERATION_FIXTURE_H

/**
 * @file
 * A server and clients that learn nothing, so that times and sums can be told by hand.
 */

#include "dlearn-net-test-support.h"
#include "peer/dlearn-rule-fixture.h"

#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/string.h"

#include <functional>
#include <sstream>

namespace ns3::dlearn
{
namespace test
{

using Lines = std::vector<std::string>;

/** The same samples in every round, in the same order. */
class FixedData : public LocalData
{
  public:
    /** @param samples one column a sample */
    explicit FixedData(const Eigen::MatrixXd& samples)
        : m_task(CreateObject<BowlTask>()),
          m_samples(samples.cols())
    {
        m_task->SetSamples(samples);
        for (uint32_t k = 0; k < m_samples.size(); ++k)
        {
            m_samples[k] = k;
        }
    }

    void BeginRound(uint32_t round) override { StartRound(round); }

    Ptr<const Task> GetTask() const override { return m_task; }

    const SampleIndices& GetSamples() const override
    {
        CheckStarted();
        return m_samples;
    }

    uint32_t GetSampleCount() const override { return m_samples.size(); }

    int64_t AssignStreams(int64_t) override { return 0; }

  private:
    Ptr<BowlTask> m_task;
    SampleIndices m_samples;
};

/**
 * A client whose update is the same in every round. It records when it took up which requestId
 * with which model ("10 #3 2.5", in milliseconds) and, when the round ends, whether the update left
 * the node ("out" or "kept").
 */
class ScriptedClient : public ClientRule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::ScriptedClient")
                                .SetParent<ClientRule>()
                                .AddConstructor<ScriptedClient>();
        return tid;
    }

    void Setup(Ptr<LocalData> data) override { m_data = data; }

    void BeginRound(uint32_t round, const Message& message) override
    {
        m_data->BeginRound(round); // refuses rounds that go back
        m_model = message.values;
        std::ostringstream line;
        line << Simulator::Now().GetMicroSeconds() / 1e3 << " #" << round << " " << m_model[0];
        log.push_back(line.str());
    }

    void Compute() override {}

    Message Send() override { return {ModelVector::Constant(m_model.size(), delta)}; }

    void EndRound(bool transmitted) override { ends.emplace_back(transmitted ? "out" : "kept"); }

    const ModelVector& GetModel() const override { return m_model; }

    uint64_t GetWork() const override { return 1; }

    Ptr<const LocalData> GetData() const override { return m_data; }

    double delta{1}; //!< every entry of the update
    Lines log;       //!< models taken up
    Lines ends;      //!< of each round: "out" when the update left the node, or "kept"

  private:
    Ptr<LocalData> m_data;
    ModelVector m_model;
};

/**
 * Learner 0 serves the others. Client i returns 10^(i-1) in every entry and trains for 10 ms,
 * the server's own work takes 5 ms, and all clients weigh the same.
 */
class FederationTest : public testing::Test
{
  protected:
    using State = LearnerApplication::State;
    using Disposition = MessageDisposition;

    void TearDown() override
    {
        Config::Reset();
        Simulator::Destroy();
    }

    /**
     * Create the applications, still to be configured.
     *
     * @param clients how many
     * @param name of the network, with its attributes
     * @param rule of the clients
     */
    void Build(uint32_t clients,
               const std::string& name = "ideal",
               TypeId rule = ScriptedClient::GetTypeId())
    {
        NetworkSetup setup;
        setup.server = 0;
        m_network = CreateNetwork(name);
        m_network->Build(Star(clients + 1), setup);
        m_network->AssignStreams(1);
        const TypeIdValue fixed(FixedCompute::GetTypeId());
        FederatedHelper helper;
        helper.SetServerAttribute("ComputeModel", fixed);
        helper.SetServerAttribute("Rounds", UintegerValue(3));
        helper.SetClientAttribute("ComputeModel", fixed);
        helper.SetClientAttribute("Rule", TypeIdValue(rule));
        m_federation = helper.Create(*m_network);
        m_server = m_federation.server;
        SetCompute(0, MilliSeconds(5));
        for (LearnerId id = 1; id <= clients; ++id)
        {
            SetCompute(id, MilliSeconds(10));
        }
    }

    /** @param type TypeId of the transport of all learners */
    void SetTransport(const std::string& type)
    {
        for (const auto& learner : m_federation.GetLearners())
        {
            learner->GetExchange()->SetAttribute("Transport",
                                                 TypeIdValue(TypeId::LookupByName(type)));
        }
    }

    /** @param bits of a number on the wire, for all learners */
    void SetFloatBits(uint32_t bits)
    {
        for (const auto& learner : m_federation.GetLearners())
        {
            learner->GetExchange()->SetAttribute("FloatBits", UintegerValue(bits));
        }
    }

    void SetCompute(LearnerId id, Time time)
    {
        Get(id)->GetComputeModel()->SetAttribute("Duration", TimeValue(time));
    }

    /** Set an attribute of the server. */
    void Set(const std::string& name, const AttributeValue& value)
    {
        m_server->SetAttribute(name, value);
    }

    /** Name a part of the server. */
    template <typename T>
    void Choose(const std::string& name)
    {
        Set(name, TypeIdValue(T::GetTypeId()));
    }

    /** @return the schedule's round policy, to configure; the schedule is a synchronous one */
    template <typename T>
    Ptr<RoundPolicy> ChoosePolicy()
    {
        const auto schedule = DynamicCast<SynchronousSchedule>(m_server->GetSchedule());
        schedule->SetAttribute("RoundPolicy", TypeIdValue(T::GetTypeId()));
        return schedule->GetRoundPolicy();
    }

    /** Make operation asynchronous. */
    void SetBuffered(uint32_t bufferSize, uint32_t concurrency = 0)
    {
        Choose<BufferedSchedule>("Schedule");
        m_server->GetSchedule()->SetAttribute("BufferSize", UintegerValue(bufferSize));
        m_server->GetSchedule()->SetAttribute("Concurrency", UintegerValue(concurrency));
    }

    /**
     * Give the applications their surroundings.
     * @param dimension entries of the model
     */
    void Connect(uint32_t dimension = 1)
    {
        std::vector<Ptr<LocalData>> data;
        for (size_t k = 0; k < m_federation.clients.size(); ++k)
        {
            data.push_back(CreateObject<FixedData>(Eigen::MatrixXd::Zero(dimension, 1)));
        }
        Connect(data, ModelVector::Zero(dimension));
    }

    void Connect(const std::vector<Ptr<LocalData>>& data, const ModelVector& initial)
    {
        FederatedHelper::Connect(m_federation, *m_network, data, initial);
        FederatedHelper::AssignStreams(m_federation, 1000);
        double delta = 1;
        for (const auto& client : m_federation.clients)
        {
            if (const auto rule = DynamicCast<ScriptedClient>(client->GetRule()))
            {
                rule->delta = delta;
                delta *= 10;
            }
        }
    }

    /** Run, complete the records and check that they balance. */
    void Run(Time stop = Seconds(100))
    {
        Simulator::Stop(stop);
        Simulator::Run();
        for (const auto& learner : m_federation.GetLearners())
        {
            learner->Finish(totals);
            EXPECT_NO_THROW(learner->CheckConservation());
        }
    }

    void At(Time when, std::function<void()> action) { Simulator::Schedule(when, action); }

    /**
     * Let a learner send bytes of its choice, past its application, from its own address and port.
     *
     * @param when absolute time
     * @param from client or server
     * @param to server or client
     * @param bytes one datagram, or a piece of a stream
     */
    void InjectAt(Time when, LearnerId from, LearnerId to, const Bytes& bytes)
    {
        At(when, [this, from, to, bytes] { Get(from)->GetExchange()->SendBytes(0, {to}, bytes); });
    }

    Ptr<LearnerApplication> Get(LearnerId id) const { return m_federation.GetLearners().at(id); }

    ScriptedClient& Script(LearnerId id) const
    {
        return *DynamicCast<ScriptedClient>(m_federation.clients.at(id - 1)->GetRule());
    }

    /** @return one line a round of the server: "when used/expected late lost" */
    Lines GetRounds() const
    {
        Lines lines;
        for (const RoundRecord& record : m_server->GetRecords())
        {
            std::ostringstream line;
            line << record.closed.GetMicroSeconds() / 1e3 << " " << record.used << "/"
                 << record.expected << " " << record.late << " " << record.lost;
            lines.push_back(line.str());
        }
        return lines;
    }

    /** @return the first entry of the server's model */
    double GetModel() const { return m_server->GetRule()->GetModel()[0]; }

    Ptr<Network> m_network;
    Federation m_federation;
    Ptr<FederatedServer> m_server;
    std::map<std::string, uint64_t> totals; //!< of all learners, after Run()
};

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_FEDERATION_FIXTURE_H
