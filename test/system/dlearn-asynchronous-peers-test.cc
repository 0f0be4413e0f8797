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

TEST(AsynchronousPeers, WithoutCompensationSupersededMassIsLost)
{
    TrackingLab lab(UnevenStates(), UnevenTrackers(), 4, 9);
    Setting setting = Tracking(lab);
    const auto configure = setting.configure;
    setting.configure = [configure](PeerApplication& learner) {
        configure(learner);
        learner.GetRule()->SetAttribute("LossCompensation",
                                        TypeIdValue(NoCompensation::GetTypeId()));
    };
    AsynchronousRun run(setting);
    run.RunTo(Seconds(12));
    EXPECT_GT(lab.GetError(), 1e-3);
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

// Labels without noise: all learners' losses have one minimiser, which is known. The steps add up
// to 0.3 sum (t+1)^-0.5 = 13 for the slowest, and the curvature is near 1.
TEST(AsynchronousPeers, OnlineLearningFindsTheCommonMinimiser)
{
    const ModelVector truth = Eigen::Vector3d(1, -2, 0.5);
    std::mt19937 engine(5);
    std::normal_distribution<double> normal;
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::MatrixXd::NullaryExpr(3, 200, [&] { return normal(engine); });
    data->labels = data->features.transpose() * truth;
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetData(data, nullptr);
    std::vector<SampleIndices> shards(5);
    for (uint32_t k = 0; k < 200; ++k)
    {
        shards[k % 5].push_back(k);
    }
    Setting setting = Online(5, task, shards);
    const auto configure = setting.configure;
    setting.configure = [configure](PeerApplication& learner) {
        configure(learner);
        learner.GetRule()->SetAttribute("StepSize", DoubleValue(0.3));
        learner.GetRule()->SetAttribute("StepExponent", DoubleValue(0.5));
    };
    setting.network += ",loss=0.2";
    AsynchronousRun run(setting);
    run.RunTo(Seconds(10));
    for (LearnerId i = 0; i < 5; ++i)
    {
        EXPECT_LT((run.models[i] - truth).norm(), 1e-5) << i;
        EXPECT_EQ(run.rounds[i], 10000 / SPEEDS[i]);
        EXPECT_GT(run.sums[i].used, 0U);
    }
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

TEST(AsynchronousPeers, APeriodSlowsTheFast)
{
    RunSpec options = SmallRun("p2p");
    options.synchrony = "async:5ms";
    options.rounds = 50;
    const Outcome outcome = RunAtSpeeds(options);
    for (const ResultRow& row : outcome.results.rows)
    {
        const double time = std::max(SPEEDS[row.record.node], 5.0) * 1e-3;
        EXPECT_EQ(row.record.duration, Seconds(time)) << row.record.node;
    }
}

// A round takes a quarter of the time that its two vectors take on a link. Those that wait there
// are replaced or withdrawn, over TCP as over UDP: a vector is as old as its transmission takes,
// 542 bytes with all headers at 200 kbit/s after another one, not as a socket's buffer would be.
TEST(AsynchronousPeers, VectorsAreNewOverSlowLinks)
{
    for (const std::string transport : {"udp", "tcp"})
    {
        RunSpec options = GradientTrackingPreset("test");
        options.algorithm = "gt";
        options.scheme = "free";
        options.task = "least-squares";
        options.learners = 3;
        options.samples = 1060;
        options.network = "p2p";
        options.rate = "200kbps";
        options.transport = transport;
        options.compensation = "running-sum";
        options.synchrony = "async:10ms";
        options.rounds = 1000;
        const Outcome outcome = RunToEnd(options);
        EXPECT_LT(outcome.summaries.back().mean.error, 1e-3)
            << transport << "; 10 with old vectors";
        for (const PairRecord& pair : outcome.results.pairs)
        {
            EXPECT_LT(pair.GetMeanLatency(), 100) << transport;
        }
    }
}

/** @return of each learner, the times at which it closed rounds that lost something */
std::map<LearnerId, std::vector<double>>
FindLosses(const Outcome& outcome)
{
    std::map<LearnerId, std::vector<double>> losses;
    for (const ResultRow& row : outcome.results.rows)
    {
        if (row.record.lost > 0)
        {
            EXPECT_EQ(row.record.lost, 1U);
            losses[row.record.node].push_back(row.record.closed.GetSeconds());
        }
    }
    return losses;
}

// Five learners on a ring. What 3 sends to 4 does not arrive for 0.6 s, and what 0 and 1 send to
// each other does not for 0.3 s. Their rounds then last until the deadline; all others have what
// they wait for, and lose nothing.
TEST(ScheduledLinks, OutagesShowInTheLostCounts)
{
    RunSpec options = SmallRun("p2p");
    options.rounds = 60;
    options.deadline = "50ms";
    options.links = "down:3to4@0.2s,up:3to4@0.8s,down:0-1@1s,up:0-1@1.3s";
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(FixedCompute::GetTypeId()));
    const auto losses = FindLosses(RunToEnd(options));
    Config::Reset();
    ASSERT_EQ(losses.size(), 3U);
    const std::map<LearnerId, std::pair<double, double>> outages{{0, {1, 1.3}},
                                                                 {1, {1, 1.3}},
                                                                 {4, {0.2, 0.8}}};
    for (const auto& [learner, outage] : outages)
    {
        const auto& times = losses.at(learner);
        EXPECT_GE(times.size(), 5U) << learner;
        EXPECT_GT(times.front(), outage.first) << learner;
        EXPECT_LT(times.back(), outage.second + 0.05) << learner;
    }
}

// The first message after an outage tells an asynchronous learner what it missed: 30 of 10 ms.
TEST(ScheduledLinks, AsynchronousLearnersFindOutAfterwards)
{
    RunSpec options = SmallRun("p2p");
    options.synchrony = "async";
    options.rounds = 100;
    options.links = "down:2to3@0.205s,up:2to3@0.505s";
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(FixedCompute::GetTypeId()));
    const Outcome outcome = RunToEnd(options);
    Config::Reset();
    for (const ResultRow& row : outcome.results.rows)
    {
        const bool told = row.record.node == 3 && row.record.lost > 0;
        EXPECT_EQ(row.record.lost, told ? 30U : 0U);
        EXPECT_TRUE(!told || row.record.closed == MilliSeconds(520));
    }
    EXPECT_EQ(outcome.results.totals.at("superseded"), 0U) << "all have one speed";
}

} // namespace
} // namespace ns3::dlearn
