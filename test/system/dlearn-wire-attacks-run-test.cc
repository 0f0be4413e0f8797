/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * One of ten learners attacks on the wire, over each kind of network and transport: the others
 * close all their rounds, at most one response timeout later than next to a silent learner, and
 * learn as well.
 */

#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"

#include "ns3/config.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/double.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t ROUNDS = 8;
constexpr LearnerId LEARNERS = 10;

/** How honest learners fared. */
struct Fate
{
    uint32_t closed{ROUNDS}; //!< rounds that each of them closed at least
    double end{0};           //!< when the last of them closed its last round, in s
    uint32_t waits{0};       //!< rounds in which one of them waited for another's lost message
    double loss{0};          //!< theirs in the end
    uint64_t forged{0};      //!< fragments refused because of their sender
};

/** Network and transport. */
using WireWay = std::pair<const char*, const char*>;

/** @return all combinations of the acceptance table */
std::vector<WireWay>
GetSettings()
{
    std::vector<WireWay> settings;
    for (const char* network : {"ideal", "p2p", "csma", "wifi-adhoc", "tree:4"})
    {
        settings.emplace_back(network, "udp");
        settings.emplace_back(network, "tcp");
    }
    settings.emplace_back("csma", "broadcast");
    settings.emplace_back("wifi-adhoc", "broadcast");
    return settings;
}

/** @return the attacks on the wire */
std::vector<std::string>
GetAttacks()
{
    return {"impersonate:1",
            "round-jump:7",
            "round-jump:4294967295",
            "header-flood:300ms",
            "poison",
            "wrong-length",
            "roster"};
}

/**
 * @param options of a run
 * @param setting network and transport
 */
void
Apply(RunSpec& options, const WireWay& setting)
{
    options.network = setting.first;
    options.transport = setting.second;
    options.rounds = ROUNDS;
    options.evaluateEvery = ROUNDS - 1;
    if (setting == WireWay("wifi-adhoc", "broadcast"))
    {
        // Not all at the same time: nothing is sent again, and everything would collide.
        Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                           TypeIdValue(RandomCompute::GetTypeId()));
        Config::SetDefault("ns3::dlearn::RandomCompute::Mean", DoubleValue(0.1));
    }
}

/**
 * @param results of a run
 * @param honest learners that are
 * @param loss of them in the end
 * @return how they fared
 */
Fate
GetFate(const RunResults& results, const std::vector<LearnerId>& honest, double loss)
{
    Fate fate;
    for (const LearnerId id : honest)
    {
        fate.closed = std::min(fate.closed, CountRows(results, id));
    }
    std::set<uint32_t> lossy;
    for (const ResultRow& row : results.rows)
    {
        if (row.role != "byzantine")
        {
            fate.end = std::max(fate.end, row.record.closed.GetSeconds());
        }
        if (row.role != "byzantine" && row.record.expected > row.record.used + 1)
        {
            lossy.insert(row.record.round);
        }
    }
    fate.waits = lossy.size();
    fate.loss = loss;
    fate.forged = results.totals.at("wrong_sender") + results.totals.at("unknown_sender");
    return fate;
}

/** @return how peers fare next to one attacker */
Fate
RunPeers(const WireWay& setting, const std::string& attack)
{
    RunSpec options = LdpOnlinePreset("system-test");
    Apply(options, setting);
    options.learners = LEARNERS;
    options.graph = "complete";
    options.noise = 0;
    options.byzantine = 1;
    options.attack = attack;
    const Outcome outcome = RunToEnd(options);
    return GetFate(outcome.results,
                   {0, 1, 2, 3, 4, 5, 6, 7, 8},
                   outcome.summaries.back().mean.loss);
}

/** @return how a server fares of whose ten clients one attacks it and the others */
Fate
RunClients(const WireWay& setting, const std::string& attack)
{
    RunSpec options = SmallFederation(setting.first, setting.second);
    Apply(options, setting);
    options.learners = LEARNERS;
    dlearn::Run scenario(options);
    Federation federation = scenario.GetFederation();
    LearnerAttack(attack).Install(federation, 1, false, nullptr, 5000);
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    return GetFate(results, {0}, scenario.GetSummaries().back().mean.loss);
}

/** @return how a server of robust aggregation fares with workers that hide behind shared noise */
Fate
RunWorkers(const WireWay& setting, const std::string& attack)
{
    RunSpec options = CafCorPreset("system-test");
    Apply(options, setting);
    options.learners = LEARNERS;
    options.byzantine = 1;
    options.attack = attack;
    options.dataSamples = 400;
    options.task = "softmax";
    dlearn::Run scenario(options);
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    for (const ResultRow& row : results.rows)
    {
        EXPECT_FALSE(std::isinf(row.record.epsilon)) << "worker " << row.record.node;
    }
    return GetFate(results, {0}, scenario.GetSummaries().back().mean.loss);
}

/** A network and a transport. */
class WireAttackRun : public testing::TestWithParam<WireWay>
{
  protected:
    void TearDown() override { Config::Reset(); }

    using Run = Fate (*)(const WireWay&, const std::string&);

    /**
     * @param run peers, clients or workers
     * @param responseTimeout their response timeout, in s
     */
    static void ExpectHarmless(Run run, double responseTimeout)
    {
        const Fate silent = run(GetParam(), "silent");
        EXPECT_EQ(silent.closed, ROUNDS);
        for (const std::string& attack : GetAttacks())
        {
            const Fate fate = run(GetParam(), attack);
            EXPECT_EQ(fate.closed, ROUNDS) << attack;
            // What is lost of honest learners, as on the air, costs a timeout that has nothing to
            // do with the attack.
            const double lossless = 3 * responseTimeout + ROUNDS * 0.5;
            const bool lossy = fate.waits + silent.waits > 0;
            EXPECT_LE(fate.end,
                      lossy ? lossless + fate.waits * responseTimeout
                            : silent.end + responseTimeout)
                << attack;
            EXPECT_LE(fate.loss, 1.05 * silent.loss) << attack;
            // The same messages make the same models, but for a jump to a round that there is,
            // which is a vector of that round.
            if (attack != "round-jump:7" && !lossy)
            {
                EXPECT_NEAR(fate.loss, silent.loss, 1e-9 * silent.loss) << attack;
            }
            const bool forges = attack != "header-flood:300ms" && attack[0] != 'r';
            EXPECT_TRUE(!forges || fate.forged > 0) << attack;
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Settings,
                         WireAttackRun,
                         testing::ValuesIn(GetSettings()),
                         [](const auto& info) {
                             std::string name = info.param.first + std::string(info.param.second);
                             name.erase(std::remove_if(name.begin(),
                                                       name.end(),
                                                       [](char c) { return !std::isalnum(c); }),
                                        name.end());
                             return name;
                         });

TEST_P(WireAttackRun, PeersGoOn)
{
    ExpectHarmless(RunPeers, 1);
}

TEST_P(WireAttackRun, ClientsGoOn)
{
    ExpectHarmless(RunClients, 30);
}

TEST_P(WireAttackRun, WorkersGoOn)
{
    ExpectHarmless(RunWorkers, 30);
}

} // namespace
} // namespace ns3::dlearn
