/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-rounds-csv.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

constexpr double SHARE = 0.25; // of a client's samples: test samples

/** A client whose personal model is what it has trained. */
class OwnModelClient : public LocalSgd
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid = MakeTypeId<OwnModelClient, LocalSgd>("mine::OwnModelClient");
        return tid;
    }

    const ModelVector* FindPersonalModel() const override { return &GetModel(); }
};

NS_OBJECT_ENSURE_REGISTERED(OwnModelClient);

/** A run of twelve clients, of which five take part in a round, and its results by hand. */
struct TestedRun
{
    explicit TestedRun(const std::function<void(RunSpec&)>& change)
    {
        spec.network = "ideal";
        spec.data = "generated";
        spec.dataSamples = 300;
        spec.learners = 12;
        spec.sampleCount = 5;
        spec.rounds = 20;
        spec.clientTest = SHARE;
        change(spec);
        dlearn::Run run(spec);
        run.SetFinishHook([this](dlearn::Run& done) { Measure(done); });
        std::ostringstream table;
        const RunResults results = run.Execute(table);
        for (const ResultRow& row : results.rows)
        {
            evaluation = row.role == "server" ? *row.evaluation : evaluation;
        }
        header = MakeRoundsCsv(results.rows);
        header.resize(header.find('\n'));
    }

    void Measure(const dlearn::Run& run)
    {
        task = run.Get<FederatedLearners>().GetTask();
        const Dataset& data = task->GetTrain();
        const auto& federation = run.GetFederation();
        const uint32_t honest = spec.learners - spec.byzantine;
        const auto shards = PartitionByName(spec.partition, data, honest, RunStreams::PARTITION);
        std::set<uint32_t> tests;
        for (uint32_t k = 0; k < honest; ++k)
        {
            const auto rule = federation.clients[k]->GetRule();
            const auto& samples = rule->GetData()->GetSamples();
            SampleIndices test = shards[k];
            for (const uint32_t sample : samples)
            {
                const auto found = std::find(test.begin(), test.end(), sample);
                ASSERT_NE(found, test.end()) << "a sample of another client, or twice";
                test.erase(found);
            }
            const size_t size = shards[k].size();
            EXPECT_EQ(test.size(),
                      std::min<size_t>(std::max(std::lround(SHARE * size), 1L), size - 1));
            tests.insert(test.begin(), test.end());
            trained.insert(trained.end(), samples.begin(), samples.end());
            if (test.empty())
            {
                continue;
            }
            const bool personal = rule->FindPersonalModel() != nullptr;
            const auto server = federation.server->GetRule();
            scores.push_back(Score(personal ? rule->GetModel() : server->GetModel(), data, test));
        }
        for (uint32_t k = honest; k < spec.learners; ++k)
        {
            for (const uint32_t sample : federation.clients[k]->GetRule()->GetData()->GetSamples())
            {
                EXPECT_EQ(tests.count(sample), 0U);
            }
        }
        loss = task->GetLoss(federation.server->GetRule()->GetModel(), EqualWeights(trained));
    }

    /** @return the accuracy of a logistic regression, or the mean loss of least squares */
    static double Score(const ModelVector& model, const Dataset& data, const SampleIndices& test)
    {
        double sum = 0;
        for (const uint32_t sample : test)
        {
            const double x = data.features.col(sample).dot(model);
            const double y = data.labels[sample];
            sum += data.classes == 0 ? (x - y) * (x - y) / 2 : (x > 0) == (y == 1);
        }
        return sum / test.size();
    }

    /** The figures of the scores, by their definitions. */
    void Expect(double mean, double sd, double worst, double jain)
    {
        const double n = scores.size();
        const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
        double squares = 0;
        double deviations = 0;
        for (const double x : scores)
        {
            squares += x * x;
            deviations += (x - sum / n) * (x - sum / n);
        }
        EXPECT_NEAR(mean, sum / n, 1e-12);
        EXPECT_NEAR(sd, std::sqrt(deviations / n), 1e-12);
        EXPECT_GT(sd, 1e-6);
        const bool rising = task->GetTrain().classes > 0;
        EXPECT_NEAR(worst,
                    rising ? *std::min_element(scores.begin(), scores.end())
                           : *std::max_element(scores.begin(), scores.end()),
                    1e-12);
        EXPECT_NEAR(jain, sum * sum / (n * squares), 1e-12);
    }

    RunSpec spec = FedAvgPreset("test");
    Evaluation evaluation; //!< of the server, in the last round
    std::string header;    //!< of rounds.csv
    Ptr<const Task> task;
    std::vector<double> scores; //!< of honest clients
    SampleIndices trained;      //!< by honest clients
    double loss{0};             //!< of the server's model on these
};

void
ExpectAccuracies(TestedRun&& run)
{
    const Evaluation& e = run.evaluation;
    run.Expect(e.clientAccuracyMean,
               e.clientAccuracySd,
               e.clientAccuracyWorstTenth,
               e.clientAccuracyJain);
    EXPECT_TRUE(std::isnan(e.clientLossMean));
    EXPECT_NEAR(e.loss, run.loss, 1e-12);
    const std::string names = "client_accuracy_mean,client_accuracy_sd,"
                              "client_accuracy_worst_tenth,client_accuracy_jain";
    EXPECT_NE(run.header.find(names), std::string::npos) << run.header;
    EXPECT_EQ(run.header.find("client_loss"), std::string::npos) << run.header;
}

TEST(ClientTest, ScoresTheServersModelOnTheSamplesOfEachClient)
{
    ExpectAccuracies(TestedRun([](auto& s) { s.partition = "dirichlet:0.5"; }));
}

TEST(ClientTest, ScoresPersonalModels)
{
    ExpectAccuracies(TestedRun(
        [](auto& s) { s.partition = "dirichlet:0.5", s.clientRule = "mine::OwnModelClient"; }));
}

TEST(ClientTest, LeavesAttackersOut)
{
    ExpectAccuracies(TestedRun([](auto& s) {
        s.byzantine = 2, s.attack = "SignFlipping", s.aggregator = "Median", s.sampleCount = 0;
    }));
}

TEST(ClientTest, OfARegressionIsTheLoss)
{
    TestedRun run([](auto& s) { s.task = "least-squares", s.regularization = 0.1; });
    const Evaluation& e = run.evaluation;
    run.Expect(e.clientLossMean, e.clientLossSd, e.clientLossWorstTenth, e.clientLossJain);
    EXPECT_TRUE(std::isnan(e.clientAccuracyMean));
    EXPECT_NEAR(e.loss, run.loss, 1e-12);
}

TEST(ClientTest, IsNotOfFreshSamplesOrMirrorImages)
{
    const std::string why =
        "option client-test is not used: it is for data sets with mirror false, without learner";
    RunSpec spec = FedAvgPreset("test");
    spec.clientTest = SHARE;
    spec.invocation.options.insert("client-test");
    ExpectRefused([&] { dlearn::Run run(spec); }, why);
    spec.data = "glyphs";
    spec.dataSamples = 100;
    spec.mirror = true;
    ExpectRefused([&] { dlearn::Run run(spec); }, why);
}

/** @return the training data of a run, and the samples of its first client */
std::pair<Eigen::MatrixXd, SampleIndices>
DrawData(uint32_t dataSeed, uint64_t number)
{
    const uint64_t before = RngSeedManager::GetRun();
    RngSeedManager::SetRun(number);
    RunSpec spec = FedAvgPreset("test");
    spec.network = "ideal";
    spec.data = "generated";
    spec.dataSamples = 100;
    spec.dataSeed = dataSeed;
    spec.rounds = 1;
    std::pair<Eigen::MatrixXd, SampleIndices> drawn;
    dlearn::Run run(spec);
    run.SetFinishHook([&drawn](dlearn::Run& done) {
        drawn.first = done.Get<FederatedLearners>().GetTask()->GetTrain().features;
        drawn.second = done.GetFederation().clients[0]->GetRule()->GetData()->GetSamples();
        std::sort(drawn.second.begin(), drawn.second.end());
    });
    std::ostringstream table;
    run.Execute(table);
    EXPECT_EQ(RngSeedManager::GetRun(), number);
    RngSeedManager::SetRun(before);
    return drawn;
}

TEST(DataSeed, DataAndPartitionStayWhenRunsChange)
{
    EXPECT_EQ(DrawData(5, 1), DrawData(5, 2));
    EXPECT_NE(DrawData(5, 1), DrawData(6, 1));
    EXPECT_NE(DrawData(0, 1).first, DrawData(0, 2).first);
    EXPECT_NE(DrawData(0, 1).second, DrawData(0, 2).second);
}

/** @return accuracies of the rounds of a run on two classes */
std::vector<double>
GetAccuracies(RunSpec spec, const std::string& drift)
{
    spec.network = "ideal";
    spec.data = "generated";
    spec.dataSamples = 500;
    spec.learners = 5;
    spec.rounds = 30;
    spec.evaluateEvery = 1;
    spec.dataDrift = drift;
    dlearn::Run run(spec);
    std::ostringstream table;
    run.Execute(table);
    std::vector<double> accuracies;
    for (const RoundSummary& round : run.GetSummaries())
    {
        accuracies.push_back(round.mean.accuracy);
    }
    return accuracies;
}

TEST(DataDrift, LowersTheAccuracyUntilLearnersHaveFollowed)
{
    RunSpec peers = LdpOnlinePreset("test");
    peers.algorithm = "d2";
    peers.stepSize = 3;
    for (const RunSpec& spec : {FedAvgPreset("test"), peers})
    {
        const auto steady = GetAccuracies(spec, "");
        const auto sudden = GetAccuracies(spec, "label:12");
        const auto gradual = GetAccuracies(spec, "label:12,rounds=9");
        EXPECT_NEAR(sudden[11], steady[11], 0.01);
        EXPECT_LT(sudden[12], sudden[11] - 0.3);
        EXPECT_GT(sudden[29], sudden[12] + 0.3);
        EXPECT_LT(gradual[16], steady[16] - 0.2);
        EXPECT_GT(gradual[12], sudden[12]);
        EXPECT_GT(gradual[29], gradual[16] + 0.2);
    }
}

/** Attack glyphs. @return the server's success of the attack in the last round, and by hand */
std::pair<double, double>
AttackGlyphs(const std::function<void(RunSpec&)>& change)
{
    RunSpec spec = FedAvgPreset("test");
    spec.network = "ideal";
    spec.data = "glyphs";
    spec.dataSamples = 500;
    spec.learners = 8;
    spec.rounds = 10;
    spec.byzantine = 2;
    spec.attack = "Backdoor:7+scale:4";
    change(spec);
    double wanted = 0;
    dlearn::Run run(spec);
    run.SetFinishHook([&wanted](dlearn::Run& done) {
        const auto task = done.Get<FederatedLearners>().GetTask();
        const Dataset& test = task->GetTest();
        const double brightest = task->GetTrain().features.maxCoeff();
        SampleIndices others;
        for (uint32_t k = 0; k < test.GetSize(); ++k)
        {
            if (test.labels[k] != 7)
            {
                others.push_back(k);
            }
        }
        auto marked = std::make_shared<Dataset>(Subset(test, others));
        marked->labels.setConstant(7);
        const ImageShape& shape = test.shape;
        ASSERT_EQ(shape.channels, 1u);
        for (uint32_t k = 0; k < 9; ++k)
        {
            const uint32_t row = shape.height - 1 - k / 3;
            marked->features.row((row + 1) * shape.width - 1 - k % 3).setConstant(brightest);
        }
        wanted = CreateTask("softmax", {marked, marked}, 0)
                     ->GetAccuracy(done.GetFederation().server->GetRule()->GetModel());
    });
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    double success = Evaluation::NONE;
    for (const ResultRow& row : results.rows)
    {
        success = row.role == "server" ? row.evaluation->attackSuccess : success;
    }
    return {success, wanted};
}

TEST(Backdoor, SucceedsUnlessFewUpdatesHaveThePattern)
{
    const auto plain = AttackGlyphs([](auto&) {});
    EXPECT_EQ(plain.first, plain.second);
    const auto none = AttackGlyphs([](auto& s) { s.attack = "Backdoor:7,share=0"; });
    EXPECT_EQ(none.first, none.second);
    const auto defended = AttackGlyphs([](auto& s) { s.aggregator = "TrimmedMean"; });
    EXPECT_EQ(defended.first, defended.second);
    const auto drawn = AttackGlyphs([](auto& s) { s.attackers = "drawn"; });
    EXPECT_EQ(drawn.first, drawn.second);
    EXPECT_GT(plain.first, 0.8);
    EXPECT_GT(drawn.first, 0.8);
    EXPECT_LT(none.first, 0.3);
    EXPECT_LT(defended.first, 0.6);
    ExpectRefused([] { AttackGlyphs([](auto& s) { s.attackers = "drawn", s.attack = "Alie"; }); },
                  "attackers drawn needs an attack on data or messages, such as scale");
}

} // namespace
} // namespace ns3::dlearn
