/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Learners with separate clocks, and links that go up and down: where algorithms converge, which
 * learners delay others, and what the records say.
 */

#include "dlearn-system-fixture.h"
#include "peer/dlearn-tracking-fixture.h"

#include "ns3/config.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-tracking-monitor.h"
#include "ns3/simulator.h"

namespace ns3::dlearn
{
namespace
{

/** Milliseconds that a gradient takes, by learner. */
const std::vector<double> SPEEDS{1, 10, 2.5, 20, 4};

/** Who learns what, over which network. */
struct Setting
{
    std::string network{"p2p"};                      //!< for CreateNetwork()
    TypeId missing{SkipMissing::GetTypeId()};        //!< MissingPolicy
    TypeId rule;                                     //!< of the learners
    Graph states{1};                                 //!< along which states are sent
    Graph trackers{1};                               //!< along which trackers are sent
    Ptr<const Task> task;                            //!< what is learned
    std::vector<Ptr<SampleStream>> streams;          //!< one a learner
    std::vector<ModelVector> initial;                //!< models
    std::vector<double> speeds{SPEEDS};              //!< milliseconds of a gradient
    std::function<void(PeerApplication&)> configure; //!< called with every learner
};

/** Asynchronous learners, until a time or their rounds are over. */
class AsynchronousRun
{
  public:
    explicit AsynchronousRun(const Setting& setting)
        : m_network(CreateNetwork(setting.network))
    {
        m_network->Build(UniteGraphs(setting.states, setting.trackers), {});
        m_network->AssignStreams(5000);
        PeerHelper helper;
        helper.SetAttribute("Rounds", UintegerValue(1000000));
        helper.SetAttribute("Rule", TypeIdValue(setting.rule));
        helper.SetAttribute("RoundPolicy", TypeIdValue(AsynchronousPolicy::GetTypeId()));
        helper.SetAttribute("MissingPolicy", TypeIdValue(setting.missing));
        helper.SetAttribute("ComputeModel", TypeIdValue(FixedCompute::GetTypeId()));
        learners = helper.Create(*m_network);
        for (LearnerId i = 0; i < learners.size(); ++i)
        {
            const auto time = NanoSeconds(static_cast<uint64_t>(setting.speeds[i] * 1e6));
            learners[i]->GetComputeModel()->SetAttribute("Duration", TimeValue(time));
            learners[i]->GetExchange()->SetAttribute("FloatBits", UintegerValue(64));
            setting.configure(*learners[i]);
        }
        PeerHelper::Connect(learners,
                            *m_network,
                            setting.states,
                            setting.trackers,
                            setting.task,
                            setting.streams,
                            setting.initial);
        PeerHelper::AssignStreams(learners, 6000);
    }

    /** Run up to and including a time, check the records, and end the simulation. */
    void RunTo(Time end)
    {
        Simulator::Stop(end + MicroSeconds(100));
        Simulator::Run();
        for (const auto& learner : learners)
        {
            EXPECT_NO_THROW(learner->CheckConservation());
            models.push_back(learner->GetRule()->GetModel());
            RoundRecord& sum = sums.emplace_back();
            for (const RoundRecord& record : learner->GetRecords())
            {
                sum.expected += record.expected;
                sum.received += record.received;
                sum.used += record.used;
                sum.rejected += record.rejected;
                sum.late += record.late;
                sum.lost += record.lost;
            }
            rounds.push_back(learner->GetRecords().size());
            superseded.push_back(learner->GetTable().GetTally().superseded);
        }
        Simulator::Destroy();
    }

    std::vector<Ptr<PeerApplication>> learners; //!< not to be used after RunTo()
    std::vector<ModelVector> models;            //!< at the end
    std::vector<RoundRecord> sums;              //!< sums over the rounds, by learner
    std::vector<size_t> rounds;                 //!< closed, by learner
    std::vector<uint64_t> superseded;           //!< by learner

  private:
    Ptr<Network> m_network;
};

/** DP-GT without noise, with running sums, on the fixture's directed graphs. */
Setting
Tracking(TrackingLab& lab)
{
    Setting setting;
    setting.rule = GradientTracking::GetTypeId();
    setting.states = lab.states;
    setting.trackers = lab.trackers;
    setting.task = lab.task;
    for (LearnerId i = 0; i < lab.states.GetSize(); ++i)
    {
        setting.streams.push_back(lab.MakeStream(i));
        setting.initial.push_back(lab.GetContext(i).initialModel);
    }
    setting.configure = [&lab](PeerApplication& learner) {
        const auto rule = DynamicCast<GradientTracking>(learner.GetRule());
        rule->SetAttribute("StateNoise", TypeIdValue(lab.SilentType()));
        rule->SetAttribute("TrackerNoise", TypeIdValue(lab.SilentType()));
        rule->SetAttribute("PrivacyLedger", TypeIdValue(PrivacyAccount::GetTypeId()));
        rule->SetAttribute("LossCompensation", TypeIdValue(RunningSum::GetTypeId()));
        rule->SetAttribute("Gamma", DoubleValue(0.03));
        lab.rules.push_back(rule);
    };
    return setting;
}

// The devices' speeds differ by 20, a fifth of the packets is lost, and most of what the fastest
// sends is superseded. The answer is the minimiser of the mean loss all the same, as running sums
// delay mass but lose none; gradients are of order 1 at the start.
TEST(AsynchronousPeers, GradientTrackingFindsTheMinimumAtAnySpeed)
{
    for (const TypeId& missing : {SkipMissing::GetTypeId(), LastReceived::GetTypeId()})
    {
        TrackingLab lab(UnevenStates(), UnevenTrackers(), 4, 9);
        Setting setting = Tracking(lab);
        setting.network += ",loss=0.2";
        setting.missing = missing;
        AsynchronousRun run(setting);
        const auto monitor = CreateObject<TrackingMonitor>();
        monitor->Watch(run.learners);
        const double before = lab.GetError();
        run.RunTo(Seconds(12));
        EXPECT_GT(before, 1) << "at the start";
        EXPECT_LT(lab.GetError(), 1e-18) << missing.GetName();
        EXPECT_EQ(monitor->GetRounds(), 600U) << "as many as the slowest has done";
        EXPECT_LE(monitor->GetLargestViolation(), 1e-12);
        for (LearnerId i = 0; i < 5; ++i)
        {
            EXPECT_EQ(run.rounds[i], 12000 / SPEEDS[i]) << "no learner delays it";
            const RoundRecord& sum = run.sums[i];
            EXPECT_GT(sum.expected, 500U);
            // 6 standard deviations, fails with probability 2e-9 a learner.
            EXPECT_NEAR(sum.lost, 0.2 * sum.expected, 6 * std::sqrt(0.16 * sum.expected));
            EXPECT_EQ(sum.rejected, run.superseded[i]);
            EXPECT_EQ(sum.late, 0U) << "p2p links keep the order";
        }
        EXPECT_GT(run.superseded[1], 0.5 * run.sums[1].received) << "hears the fastest";
    }
}

/** LDP-OL without noise on a ring. */
Setting
Online(uint32_t learners, Ptr<const Task> task, const std::vector<SampleIndices>& shards)
{
    Setting setting;
    setting.rule = LdpOnline::GetTypeId();
    setting.states = Graph(learners);
    for (LearnerId i = 0; i < learners; ++i)
    {
        setting.states.SetWeight(i, (i + 1) % learners, 0.3);
        setting.states.SetWeight((i + 1) % learners, i, 0.3);
    }
    setting.trackers = Graph(learners);
    setting.task = task;
    setting.streams = PeerHelper::CreateStreams(shards, 4, 900);
    setting.configure = [](PeerApplication& learner) {
        const auto rule = DynamicCast<PeerRule>(learner.GetRule());
        rule->SetAttribute("PrivacyLedger", TypeIdValue(PrivacyLedger::GetTypeId()));
        rule->GetNoiseMechanism()->SetAttribute("BaseScale", DoubleValue(0));
    };
    return setting;
}

// Without a common minimiser the limit of LDP-OL depends on the speeds. Learners of r and 1 rounds
// a unit of time that want 1 and 0 and use each message once agree on a/(a+1), a = r^(1+u-v): at
// time T the first is drawn by rate (rT)^-u, moves by r (rT)^-v; the second by T^-u and T^-v. The
// agreement's own error decays as T^(u-v), and so slowly that 0.02 are left.
TEST(AsynchronousPeers, OnlineLearningLeansTowardsTheFast)
{
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::MatrixXd::Ones(1, 2);
    data->labels = Eigen::Vector2d(1, 0);
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetData(data, nullptr);
    for (const double ratio : {1.0, 4.0, 16.0})
    {
        Setting setting = Online(2, task, {{0}, {1}});
        setting.network = "ideal";
        setting.speeds = {1, ratio};
        const auto configure = setting.configure;
        setting.configure = [configure](PeerApplication& learner) {
            configure(learner);
            const auto rule = learner.GetRule();
            rule->SetAttribute("StepSize", DoubleValue(0.1));
            rule->SetAttribute("StepExponent", DoubleValue(0.6));
            rule->SetAttribute("CouplingExponent", DoubleValue(0.2));
        };
        AsynchronousRun run(setting);
        run.RunTo(Seconds(20));
        const double lead = std::pow(ratio, 1 + 0.2 - 0.6);
        for (LearnerId i = 0; i < 2; ++i)
        {
            EXPECT_NEAR(run.models[i][0], lead / (lead + 1), 0.02) << ratio;
        }
    }
}

/** A run of Run whose learners take SPEEDS. */
Outcome
RunAtSpeeds(const RunSpec& options)
{
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(FixedCompute::GetTypeId()));
    const Outcome outcome = RunToEnd(options, [](dlearn::Run& scenario) {
        for (LearnerId i = 0; i < SPEEDS.size(); ++i)
        {
            const auto time = NanoSeconds(static_cast<uint64_t>(SPEEDS[i] * 1e6));
            scenario.GetPeers()[i]->GetComputeModel()->SetAttribute("Duration", TimeValue(time));
        }
    });
    Config::Reset();
    return outcome;
}

TEST(AsynchronousPeers, EveryNetworkAndTransportTakesThem)
{
    for (const auto& [network, transport] :
         std::vector<std::pair<std::string, std::string>>{{"ideal", "udp"},
                                                          {"p2p", "tcp"},
                                                          {"csma", "broadcast"},
                                                          {"wifi-adhoc", "udp"}})
    {
        RunSpec options = SmallRun(network, transport);
        options.synchrony = "async";
        options.rounds = 100;
        const Outcome outcome = RunAtSpeeds(options);
        Time start = Time::Max();
        std::map<LearnerId, Time> end;
        for (const ResultRow& row : outcome.results.rows)
        {
            start = Min(start, row.record.closed - row.record.duration);
            end[row.record.node] = Max(end[row.record.node], row.record.closed);
        }
        for (LearnerId i = 0; i < SPEEDS.size(); ++i)
        {
            EXPECT_EQ(CountRows(outcome.results, i), 100U) << network;
            EXPECT_NEAR((end[i] - start).GetSeconds(), 0.1 * SPEEDS[i], 1e-9) << network;
        }
        EXPECT_GT(outcome.results.totals.at("superseded"), 0U) << network;
    }
}

} // namespace
} // namespace ns3::dlearn
