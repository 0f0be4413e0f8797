/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What an outsider can do who has transcript.csv and the member privacy of summary.json and
 * nothing else: compute every epsilon of rounds.csv anew. The recursions are written from the
 * formulas of the papers, not from the module.
 */

#include "audit/dlearn-audited-loss.h"
#include "helper/report/dlearn-results-test-support.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Json = nlohmann::json;

/** A line of a file of comma-separated values, by the names of its columns. */
using CsvRow = std::map<std::string, std::string>;

std::vector<CsvRow>
ReadCsv(const std::string& path)
{
    std::ifstream file(path);
    const auto split = [](const std::string& line) {
        std::vector<std::string> cells(1);
        for (const char c : line)
        {
            if (c == ',')
            {
                cells.emplace_back();
            }
            else
            {
                cells.back() += c;
            }
        }
        return cells;
    };
    std::string line;
    std::getline(file, line);
    const auto names = split(line);
    std::vector<CsvRow> rows;
    while (std::getline(file, line))
    {
        const auto cells = split(line);
        EXPECT_EQ(cells.size(), names.size()) << line;
        rows.emplace_back();
        for (size_t k = 0; k < names.size(); ++k)
        {
            rows.back()[names[k]] = cells[k];
        }
    }
    return rows;
}

/** The files of a run, as an outsider has them. */
class Files
{
  public:
    /** Run a scenario; its options must ask for a transcript in the directory. */
    template <typename SomeScenario, typename Options>
    static Files Run(Options options, const test::TemporaryDirectory& directory)
    {
        options.out = directory.GetPath("run");
        options.transcript = true;
        SomeScenario scenario(options);
        std::ostringstream table;
        WriteResults(options.out, scenario.Execute(table));
        Files files;
        files.transcript = ReadCsv(options.out + "/transcript.csv");
        files.rounds = ReadCsv(options.out + "/rounds.csv");
        std::ifstream summary(options.out + "/summary.json");
        files.privacy = Json::parse(summary).at("privacy");
        return files;
    }

    /** @return rounds of the events of a node, with the peers of those that have one */
    std::multimap<int, std::string> Find(const std::string& node,
                                         const std::string& event,
                                         const std::string& channel,
                                         const std::string& detail = "") const
    {
        std::multimap<int, std::string> found;
        for (const CsvRow& row : transcript)
        {
            if (row.at("event") == event && row.at("node") == node &&
                row.at("channel") == channel && (detail.empty() || row.at("detail") == detail))
            {
                found.emplace(std::stoi(row.at("round")), row.at("peer"));
            }
        }
        return found;
    }

    /** Which records a node drew. */
    struct Drawn
    {
        std::map<int, std::multiset<int>> rounds; //!< by round
        std::set<int> records;                    //!< in any
    };

    /** @return which records a node drew */
    Drawn FindDrawn(const std::string& node) const
    {
        Drawn drawn;
        for (const CsvRow& row : transcript)
        {
            if (row.at("event") == "draw" && row.at("node") == node)
            {
                std::istringstream positions(row.at("detail"));
                for (int position; positions >> position;)
                {
                    drawn.rounds[std::stoi(row.at("round"))].insert(position);
                    drawn.records.insert(position);
                }
            }
        }
        return drawn;
    }

    /** @return of each round with an answer to the server's request, who was named */
    std::map<int, std::set<std::string>> FindRepairs() const
    {
        std::set<int> answered;
        for (const CsvRow& row : transcript)
        {
            if (row.at("event") == "answer")
            {
                answered.insert(std::stoi(row.at("round")));
            }
        }
        std::map<int, std::set<std::string>> repairs;
        for (const CsvRow& row : transcript)
        {
            const int round = std::stoi(row.at("round"));
            if (row.at("event") == "request" && answered.count(round) > 0)
            {
                std::istringstream names(row.at("detail"));
                for (std::string name; names >> name;)
                {
                    repairs[round].insert(name);
                }
            }
        }
        return repairs;
    }

    /** @return rounds that a node closed, in order, and epsilon in each */
    std::map<int, double> GetEpsilons(const std::string& node) const
    {
        std::map<int, double> epsilons;
        for (const CsvRow& row : rounds)
        {
            if (row.at("node") == node)
            {
                epsilons[std::stoi(row.at("round"))] = std::stod(row.at("epsilon"));
            }
        }
        return epsilons;
    }

    /** @return sum of the weights of the neighbours that were heard in a round */
    double SumHeard(const std::string& node,
                    int round,
                    const std::multimap<int, std::string>& received) const
    {
        double sum = 0;
        const auto range = received.equal_range(round);
        for (auto entry = range.first; entry != range.second; ++entry)
        {
            sum += privacy.at("in_weights").at(node).at(entry->second).get<double>();
        }
        return sum;
    }

    std::vector<CsvRow> transcript; //!< transcript.csv
    std::vector<CsvRow> rounds;     //!< rounds.csv, to compare with
    Json privacy;                   //!< of summary.json
};

// Chen and Wang, eqs. (21) and (22), with the weights of those that were heard in round t in the
// place of all weights: Phi_{t+1} = (|1 - a_t| + lambda_t L) Phi_t + lambda_t C / n_t, and
// sqrt(d) Phi_t / rho_t for every message of which a byte has left.
void
ExpectLdpOnlineAccount(const Files& files)
{
    const Json& p = files.privacy;
    for (const auto& [node, series] : p.at("noise_scale").items())
    {
        const auto sent = files.Find(node, "send", "state");
        const auto heard = files.Find(node, "receive", "state", "on-time");
        const auto closed = files.GetEpsilons(node);
        double phi = 0;
        double epsilon = 0;
        int n = 0;
        for (const auto& [t, unused] : files.Find(node, "draw", ""))
        {
            ++n;
            epsilon += sent.count(t) * std::sqrt(p.at("dimension").get<double>()) * phi /
                       series.at(t).get<double>();
            if (closed.count(t) == 0)
            {
                continue; // a crash: the state did not move
            }
            ASSERT_NEAR(closed.at(t), epsilon, 1e-10 * epsilon) << node << " round " << t;
            const double gamma = p.at("coupling").at(node).at(t);
            const double a = gamma * files.SumHeard(node, t, heard);
            const double lambda = p.at("step").at(node).at(t);
            phi = (std::abs(1 - a) + lambda * p.at("smoothness").get<double>()) * phi +
                  lambda * p.at("sensitivity").get<double>() / n;
        }
        EXPECT_GT(epsilon, 1) << "else nothing is tested";
    }
}

RunSpec
LossyPeers()
{
    RunSpec options = LdpOnlinePreset("transcript-test");
    options.rounds = 40;
    options.batchSize = 4;
    options.dataSamples = 300;
    options.floatBits = 64;
    options.network = "p2p";
    options.loss = 0.3;
    options.deadline = "20ms";
    options.evaluateEvery = 40;
    return options;
}

TEST(TranscriptAccount, LdpOnlineFollowsUnderLoss)
{
    const test::TemporaryDirectory directory;
    const Files files = Files::Run<dlearn::Run>(LossyPeers(), directory);
    EXPECT_EQ(files.privacy.at("unit"), "batch");
    EXPECT_EQ(files.privacy.at("account"), "ns3::dlearn::LdpOnlineRefinedLedger");
    ExpectLdpOnlineAccount(files);
}

// Chen, Wang and Zhang, lemmas 2 and 3, with the weights of those that were heard; of the record
// that lost most, with what it was of the samples that were truly drawn; and with gradients at two
// points, which are apart by C share + L Dx, but by no more than S + lambda Dx.
TEST(TranscriptAccount, GradientTrackingFollowsUnderLoss)
{
    const test::TemporaryDirectory directory;
    RunSpec options = GradientTrackingPreset("transcript-test");
    options.dataSamples = 300;
    options.network = "p2p";
    options.loss = 0.3;
    options.deadline = "20ms";
    options.rounds = 30;
    options.scheme = "free";
    options.alpha = 0.5;
    options.beta = 0.4;
    options.gamma = 0.05;
    options.samples = 10;
    const Files files = Files::Run<dlearn::Run>(options, directory);
    const Json& p = files.privacy;
    EXPECT_EQ(p.at("unit"), "sample");
    const double root = std::sqrt(p.at("dimension").get<double>());
    const auto number = [&p](const char* name) { return p.at(name).get<double>(); };
    for (const auto& [node, series] : p.at("noise_scale").items())
    {
        const auto states = files.Find(node, "send", "state");
        const auto trackers = files.Find(node, "send", "tracker");
        const auto heard = files.Find(node, "receive", "state", "on-time");
        double out = 0;
        for (const auto& [other, weight] : p.at("tracker_out_weights").at(node).items())
        {
            out += weight.get<double>();
        }
        const auto drawn = files.FindDrawn(node);
        std::map<int, double> most;
        for (const int record : drawn.records)
        {
            double x = 0;
            double y = 0;
            double g = 0;
            double epsilon = 0;
            for (const auto& [k, accounted] : files.GetEpsilons(node))
            {
                const double share = static_cast<double>(drawn.rounds.at(k).count(record)) /
                                     drawn.rounds.at(k).size();
                const double next =
                    std::min(number("sensitivity") * share + number("smoothness") * x,
                             number("spread") + number("regularization") * x);
                y += g + next;
                g = next;
                epsilon += states.count(k) * root * x / series.at(k).get<double>();
                epsilon += trackers.count(k) * root * y /
                           p.at("tracker_noise_scale").at(node).at(k).get<double>();
                most[k] = std::max(most[k], epsilon);
                const double a = number("alpha") * files.SumHeard(node, k, heard);
                x = std::abs(1 - a) * x + number("gamma") * y;
                y *= trackers.count(k) > 0 ? std::abs(1 - number("beta") * out) : 1;
            }
        }
        for (const auto& [k, accounted] : files.GetEpsilons(node))
        {
            ASSERT_NEAR(accounted, most[k], 1e-10 * accounted) << "node " << node << " round " << k;
        }
        EXPECT_GT(most.rbegin()->second, 1);
    }
}

// The same with repairs: a round costs what it would among those whose shared noise no correction
// of this or a later round has revealed, and D^2 / (2 s_ind^2) for a worker whose noise was
// revealed.
TEST(TranscriptAccount, CafCorFollowsRepairs)
{
    const test::TemporaryDirectory directory;
    RunSpec options = CafCorPreset("transcript-test");
    options.dataSamples = 400;
    options.learners = 9;
    options.byzantine = 2;
    options.rounds = 12;
    options.threatModel = "byzldp";
    options.noiseRecovery = true;
    options.network = "p2p";
    options.transport = "udp";
    options.loss = 0.05;
    options.deadline = "50ms";
    options.batchSize = 5;
    const Files files = Files::Run<dlearn::Run>(options, directory);
    const auto number = [&files](const char* name) { return files.privacy.at(name).get<double>(); };
    const double common = std::pow(number("noise_correlated"), 2);
    const double own = std::pow(number("noise_independent"), 2);
    const double half = std::pow(number("sensitivity"), 2) / 2;
    size_t exposures = 0;
    for (int worker = 1; worker <= 9; ++worker)
    {
        const std::string node = std::to_string(worker);
        const auto sent = files.Find(node, "send", "update");
        double rate = 0;
        for (const auto& [t, unused] : files.Find(node, "draw", ""))
        {
            std::set<std::string> revealed;
            for (const auto& [round, lost] : files.FindRepairs())
            {
                revealed.insert(lost.begin(), round >= t ? lost.end() : lost.begin());
            }
            const double left =
                std::max(1.0, number("workers") - number("byzantine") - revealed.size());
            const bool told = sent.lower_bound(t) != sent.end();
            const bool exposed = revealed.count(node) > 0;
            rate += !told     ? 0
                    : exposed ? half / own
                              : half / (left * common + own) * (1 + common / own);
            exposures += exposed ? 1 : 0;
        }
        const double epsilon = SolveGaussianEpsilon(rate, number("delta"));
        const double accounted = files.GetEpsilons(node).rbegin()->second;
        EXPECT_NEAR(accounted, epsilon, 1e-10 * epsilon) << "worker " << node;
    }
    EXPECT_GT(exposures, 3U) << "else nothing is tested";
}

} // namespace
} // namespace ns3::dlearn
