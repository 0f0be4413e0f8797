/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-fltrust-server.h"
#include "ns3/dlearn-foolsgold-server.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-server-rule.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** @return server 0 of clients 1, 2, 3 with 1, 2, 5 samples, and a model of two entries */
ServerContext
MakeFlatContext()
{
    ServerContext context;
    context.samples = {{1, 1}, {2, 2}, {3, 5}};
    context.initialModel = Eigen::Vector2d(1, -1);
    return context;
}

/** @return a rule that is set up */
Ptr<ServerRule>
MakeRule(TypeId type, const std::vector<std::pair<std::string, double>>& attributes = {})
{
    ObjectFactory factory;
    factory.SetTypeId(type);
    const auto rule = factory.Create<ServerRule>();
    for (const auto& [name, value] : attributes)
    {
        rule->SetAttribute(name, DoubleValue(value));
    }
    rule->Setup(MakeFlatContext());
    return rule;
}

ClientUpdate
MakeFlatUpdate(LearnerId client, double x, double y, double weight = 1)
{
    ClientUpdate update;
    update.client = client;
    update.values = Eigen::Vector2d(x, y);
    update.weight = weight;
    update.staleness = weight < 1 ? 1 : 0;
    return update;
}

// Rounding of a few additions of numbers of order 1.
constexpr double ROUNDING = 1e-14;

void
ExpectModel(const Ptr<ServerRule>& rule, double x, double y)
{
    EXPECT_NEAR(rule->GetModel()[0], x, ROUNDING);
    EXPECT_NEAR(rule->GetModel()[1], y, ROUNDING);
}

TEST(FedAvgServer, AveragesThoseThatAreThereByTheirSamples)
{
    const auto rule = MakeRule(FedAvgServer::GetTypeId());
    rule->Aggregate({MakeFlatUpdate(1, 8, 0), MakeFlatUpdate(2, 0, 4), MakeFlatUpdate(3, -8, 1.6)});
    ExpectModel(rule, 1 + (8 - 40) / 8.0, -1 + (8 + 8) / 8.0); // (-3, 1)
    rule->Aggregate({MakeFlatUpdate(1, 3, 3), MakeFlatUpdate(2, 6, -3)});
    ExpectModel(rule, -3 + (3 + 12) / 3.0, 1 + (3 - 6) / 3.0); // (2, 0)
    rule->Aggregate({});
    ExpectModel(rule, 2, 0);
    EXPECT_EQ(rule->GetWork(), 0U);
    EXPECT_GT(rule->GetFlops(3), rule->GetFlops(2));
    EXPECT_EQ(rule->GetLedger(), nullptr);
}

// The mean of clients 1 and 2 weighs 3 samples, and client 3 alone 5.
TEST(FedAvgServer, GivesAMeanTheWeightOfItsMembers)
{
    const auto rule = MakeRule(FedAvgServer::GetTypeId());
    auto mean = MakeFlatUpdate(1, 8, 0);
    mean.members = {1, 2};
    rule->Aggregate({mean, MakeFlatUpdate(3, -8, 1.6)});
    ExpectModel(rule, 1 + (24 - 40) / 8.0, -1 + 8 / 8.0);
    EXPECT_TRUE(rule->TakesMeans());
    EXPECT_FALSE(MakeRule(FedAsyncServer::GetTypeId())->TakesMeans());
    const auto noisy = CreateObject<FedAvgServer>();
    noisy->SetAttribute("Noise", PointerValue(CreateObject<ServerNoise>()));
    EXPECT_FALSE(noisy->TakesMeans());
}

TEST(FedAvgServer, AveragesByTheSamplesThatClientsReport)
{
    for (const bool reported : {true, false})
    {
        const auto rule = CreateObject<FedAvgServer>();
        rule->SetAttribute("ReportedSamples", BooleanValue(reported));
        ServerContext context = MakeFlatContext();
        context.figures = {"loss", "samples"};
        rule->Setup(context);
        auto updates = {MakeFlatUpdate(1, 8, 0), MakeFlatUpdate(2, 0, 4)};
        std::vector<ClientUpdate> all(updates);
        all[0].figures = {9, 3};
        all[1].figures = {9, 1};
        rule->Aggregate(all);
        reported ? ExpectModel(rule, 1 + 3 * 8 / 4.0, -1 + 4 / 4.0)
                 : ExpectModel(rule, 1 + 8 / 3.0, -1 + 2 * 4 / 3.0);
    }
}

TEST(FedAvgServer, GivesNoWeightToUpdatesWithoutSamples)
{
    const auto rule = CreateObject<FedAvgServer>();
    ServerContext context = MakeFlatContext();
    context.figures = {"samples"};
    rule->Setup(context);
    std::vector<ClientUpdate> all{MakeFlatUpdate(1, 8, 0), MakeFlatUpdate(2, 0, 4)};
    all[0].figures = {3};
    all[1].figures = {-7}; // counts as 0
    rule->Aggregate(all);
    ExpectModel(rule, 1 + 8, -1);
    all[0].figures = {0};
    rule->Aggregate(all);
    ExpectModel(rule, 1 + 8, -1);
}

// The sum of samples times updates over 10, whoever is there and whatever clients report.
TEST(FedAvgServer, DividesByAFixedNumber)
{
    const auto rule = CreateObject<FedAvgServer>();
    rule->SetAttribute("Divisor", DoubleValue(10));
    ServerContext context = MakeFlatContext();
    context.figures = {"samples"};
    rule->Setup(context);
    std::vector<ClientUpdate> updates{MakeFlatUpdate(2, 0, 4), MakeFlatUpdate(3, -8, 2)};
    updates[0].figures = {1000};
    rule->Aggregate(updates);
    ExpectModel(rule, 1 + 5 * -8 / 10.0, -1 + (2 * 4 + 5 * 2) / 10.0); // (-3, 0.8)
    rule->Aggregate({});
    ExpectModel(rule, -3, 0.8);
    ExpectRefused([&] { rule->SetAttribute("Divisor", DoubleValue(1)); }, "cannot change any more");
    ExpectRefused([&] { rule->CheckPartialUpdates(); }, "Divisor must be 0, got 10");
}

/** @return a server with ClipQuantile 0.5 of clients with a sample each @param entries of a model
 */
Ptr<FedAvgServer>
MakeAdaptive(uint32_t clients,
             uint32_t entries,
             const std::vector<std::pair<std::string, double>>& attributes,
             Ptr<ServerNoise> noise = nullptr)
{
    const auto rule = CreateObject<FedAvgServer>();
    rule->SetAttribute("ClipQuantile", DoubleValue(0.5));
    rule->SetAttribute("Noise", PointerValue(noise));
    for (const auto& [name, value] : attributes)
    {
        rule->SetAttribute(name, DoubleValue(value));
    }
    ServerContext context;
    context.initialModel = ModelVector::Zero(entries);
    context.figures = {"within"};
    for (LearnerId client = 1; client <= clients; ++client)
    {
        context.samples[client] = 1;
    }
    rule->Setup(context);
    return rule;
}

// Algorithm 1 of Andrew et al., line by line, without noise: 20 clients with updates of norms 1 to
// 20. The clip ends where ten of them are within it.
TEST(FedAvgServer, AdaptsTheClipAsInThePaper)
{
    const auto rule = MakeAdaptive(20, 2, {{"ClipNorm", 0.1}});
    Eigen::Vector2d theta(0, 0);
    double clip = 0.1;
    for (int t = 0; t < 200; ++t)
    {
        EXPECT_NEAR(rule->GetModels({1}).front().figures.at(0) / clip, 1, 1e-10);
        Eigen::Vector2d sum(0, 0);
        double within = 0;
        std::vector<ClientUpdate> updates;
        for (LearnerId i = 1; i <= 20; ++i)
        {
            const Eigen::Vector2d whole = i * Eigen::Vector2d(std::cos(i + t), std::sin(i + t));
            const Eigen::Vector2d clipped = whole * std::min(1.0, clip / whole.norm());
            const bool bit = whole.norm() <= clip;
            updates.push_back(MakeFlatUpdate(i, clipped[0], clipped[1]));
            updates.back().figures = {bit ? 0.5 : -0.5};
            sum += clipped;
            within += bit;
        }
        theta += sum / 20;
        clip *= std::exp(-0.2 * (within / 20 - 0.5));
        rule->Aggregate(updates);
        EXPECT_LT((rule->GetModel() - theta).norm(), 1e-10) << t;
    }
    EXPECT_NEAR(rule->GetClip(), 10.5, 0.5);
    // What a hostile client sends counts as an update of the clip's norm, and half.
    const auto restore = rule->RememberLearned();
    ClientUpdate hostile = MakeFlatUpdate(1, 0, clip);
    hostile.figures = {0.5};
    rule->Aggregate({hostile});
    const ModelVector model = rule->GetModel();
    const double next = rule->GetClip();
    restore();
    hostile = MakeFlatUpdate(1, 0, 1e6);
    hostile.figures = {1e6};
    rule->Aggregate({hostile});
    EXPECT_LT((rule->GetModel() - model).norm(), 1e-10);
    EXPECT_EQ(rule->GetClip(), next);
}

// z = 1.5 on the sum of 20 clients' updates over C, and sigma_b = 4 on that of the b_i. The formula
// of tensorflow-privacy's QuantileAdaptiveClipSumQuery, (z^-2 - (2 sigma_b)^-2)^(-1/2),
// leaves 1.5271 for the updates. No update comes; the divisor is fixed. The samples' deviations are
// within 6.3 standard errors but for a probability below 1e-9.
TEST(FedAvgServer, SplitsTheNoiseBetweenUpdatesAndBits)
{
    constexpr double REST = 1.5270834311;
    constexpr double FIRST = 2; // clip
    constexpr int ROUNDS = 500;
    constexpr int ENTRIES_OF_MODEL = 200;
    const auto make = [&](double quantity) {
        const auto noise =
            CreateObjectWithAttributes<ServerNoise>("Scale", DoubleValue(1.5 * FIRST / 20));
        noise->AssignStreams(1);
        return MakeAdaptive(20,
                            ENTRIES_OF_MODEL,
                            {{"ClipNorm", FIRST}, {"ClipNoise", quantity / 20}, {"Divisor", 20}},
                            noise);
    };
    const auto rule = make(4);
    double ofUpdates = 0;
    double ofBits = 0;
    for (int t = 0; t < ROUNDS; ++t)
    {
        const double clip = rule->GetClip();
        const ModelVector before = rule->GetModel();
        rule->Aggregate({});
        ofUpdates += (20 / clip * (rule->GetModel() - before)).squaredNorm();
        ofBits += std::pow(20 * std::log(rule->GetClip() / clip) / 0.2, 2);
    }
    const double values = ROUNDS * ENTRIES_OF_MODEL;
    EXPECT_NEAR(std::sqrt(ofUpdates / values) / REST, 1, 6.3 / std::sqrt(2 * values));
    EXPECT_NEAR(std::sqrt(ofBits / ROUNDS) / 4, 1, 6.3 / std::sqrt(2.0 * ROUNDS));
    // The same noise hides two opposite updates with opposite bits: a distance of 2 / z, as
    // planned.
    std::vector<ModelVector> models;
    std::vector<double> bits;
    for (const double sign : {1.0, -1.0})
    {
        const auto one = make(4);
        ClientUpdate update;
        update.client = 7;
        update.values = ModelVector::Zero(ENTRIES_OF_MODEL);
        update.values[3] = sign * FIRST;
        update.figures = {sign / 2};
        one->Aggregate({update});
        models.push_back(20 / FIRST * one->GetModel());
        bits.push_back(-20 * std::log(one->GetClip() / FIRST) / 0.2);
    }
    const double distance =
        std::hypot((models[0] - models[1]).norm() / REST, (bits[0] - bits[1]) / 4);
    EXPECT_NEAR(distance, 2 / 1.5, 1e-9);
    ExpectRefused([&] { make(0.7); }, "FedAvgServer: ClipNoise must be greater than 0.0375");
    ExpectRefused(
        [&] {
            MakeRule(FedAvgServer::GetTypeId(), {{"ClipQuantile", 0.5}});
        },
        "ClipQuantile needs clients with AdaptiveClip");
}

// Updates of all three are the same, d: v_t = d (1 - beta^t) / (1 - beta), and
// w_T = w_0 + eta d sum_t (1 - beta^t) / (1 - beta).
// Values of foolsgold() of the authors (github.com/DistributedML/FoolsGold), rewritten in NumPy.
TEST(FoolsGoldServer, WeighsAsItsAuthorsDo)
{
    RowMatrix<double> histories(6, 3);
    histories << 1, 2, 0, 2, -1, 1, 0, 1, 3, -1, 1, 1, 3, 1, 0, 3, 2, 0;
    Eigen::VectorXd wanted(6);
    wanted << 0.03085246391556873, 1, 0.39884684579375473, 0.39884684579375473, 0, 0;
    EXPECT_LT((GetFoolsGoldWeights(histories) - wanted).norm(), 1e-13);
    histories.row(5).setZero(); // has no direction, so no other has the same
    EXPECT_EQ(GetFoolsGoldWeights(histories)(5), 1);
    EXPECT_EQ(GetFoolsGoldWeights(RowMatrix<double>::Ones(1, 3))(0), 1);
}

TEST(FoolsGoldServer, ComparesSumsOfUpdates)
{
    const auto rule = MakeRule(FoolsGoldServer::GetTypeId());
    rule->Aggregate({MakeFlatUpdate(1, 1, 0), MakeFlatUpdate(2, 2, 0), MakeFlatUpdate(3, 0, 3)});
    ExpectModel(rule, 1, 2); // clients 1 and 2 have the same direction
    const auto restore = rule->RememberLearned();
    // The histories are (1, 0) again, (2, 0) and (0, 2).
    rule->Aggregate({MakeFlatUpdate(1, 0, 0), MakeFlatUpdate(2, 0, 0), MakeFlatUpdate(3, 0, -1)});
    ExpectModel(rule, 1, 1);
    rule->Aggregate({MakeFlatUpdate(1, 0, 0), MakeFlatUpdate(2, 0, 0)});
    ExpectModel(rule, 1, 1);
    EXPECT_EQ(rule->GetSkipped(), 1u);
    restore();
    rule->Aggregate({MakeFlatUpdate(1, -1, -1), MakeFlatUpdate(3, 0, -3)});
    ExpectModel(rule, 0.5, 0); // (0, -1) and (0, 0): no cosine
}

/** @return FLTrust whose root data are one sample x = (3, 4), y = 2, learned by a step of 0.1 */
Ptr<FlTrustServer>
MakeTrusting(const char* clientRule = "ns3::dlearn::LocalSgd")
{
    auto samples = std::make_shared<Dataset>();
    samples->features = Eigen::Vector2d(3, 4);
    samples->labels = Eigen::VectorXd::Constant(1, 2);
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetAttribute("Regularization", DoubleValue(0));
    task->SetData(samples, nullptr);
    const auto data = CreateObject<ShardData>();
    data->SetShard(task, {0}, 0);
    const auto rule = ObjectFactory(clientRule).Create<ClientRule>();
    rule->SetAttribute("StepSize", DoubleValue(0.1));
    const auto server = CreateObject<FlTrustServer>();
    server->SetRoot(rule, data);
    server->AssignStreams(1);
    server->Setup(MakeFlatContext());
    return server;
}

// Algorithm 2 of the paper, line by line.
TEST(FlTrustServer, TrustsWhatItsOwnSamplesSay)
{
    const auto server = MakeTrusting();
    Eigen::Vector2d model(1, -1);
    const Eigen::Vector2d x(3, 4);
    const std::vector<Eigen::Vector2d> rounds[] = {{{-1, 5}, {20, 30}, {-3, -4}},
                                                   {{-6, -8}, {0, -0.1}, {4, -3.1}}};
    for (const auto& updates : rounds)
    {
        const Eigen::Vector2d trusted = -0.1 * (x.dot(model) - 2) * x; // of (x'w - y)^2 / 2
        double total = 0;
        Eigen::Vector2d sum(0, 0);
        std::vector<ClientUpdate> given;
        for (size_t i = 0; i < updates.size(); ++i)
        {
            const double cosine = updates[i].dot(trusted) / (updates[i].norm() * trusted.norm());
            const double score = cosine > 0 ? cosine : 0;
            sum += score * (trusted.norm() / updates[i].norm()) * updates[i];
            total += score;
            given.push_back(MakeFlatUpdate(i + 1, updates[i][0], updates[i][1]));
        }
        model += sum / total;
        server->Aggregate(given);
        ExpectModel(server, model[0], model[1]);
    }
    // None has the direction.
    const Eigen::Vector2d against = (x.dot(model) - 2) * x;
    server->Aggregate({MakeFlatUpdate(1, against[0], against[1]), MakeFlatUpdate(2, 0, 0)});
    ExpectModel(server, model[0], model[1]);
    EXPECT_EQ(server->GetSkipped(), 1u);
}

TEST(FlTrustServer, NeedsRootDataAndAPlainRule)
{
    ExpectRefused([] { MakeRule(FlTrustServer::GetTypeId()); },
                  "FlTrustServer: there must be root data (SetRoot()), got none");
    ExpectRefused([] { MakeTrusting("ns3::dlearn::Scaffold"); },
                  "FlTrustServer: the rule that trains on root data must get a model and return");
}

TEST(FedAvgServer, MomentumFollowsItsClosedForm)
{
    constexpr double BETA = 0.7;
    constexpr double ETA = 0.25;
    const auto rule =
        MakeRule(FedAvgServer::GetTypeId(), {{"Momentum", BETA}, {"LearningRate", ETA}});
    double steps = 0;
    for (uint32_t t = 1; t <= 20; ++t)
    {
        rule->Aggregate(
            {MakeFlatUpdate(1, 2, 4), MakeFlatUpdate(2, 2, 4), MakeFlatUpdate(3, 2, 4)});
        steps += (1 - std::pow(BETA, t)) / (1 - BETA);
        EXPECT_NEAR(rule->GetModel()[0], 1 + ETA * 2 * steps, 1e-12) << t;
        EXPECT_NEAR(rule->GetModel()[1], -1 + ETA * 4 * steps, 1e-12) << t;
    }
}

// FedBuff: sum_i n_i s_i Delta_i / sum_i n_i; a buffer of stale updates takes a short step. One
// client may be there twice.
TEST(FedAvgServer, WeighsWhatIsStale)
{
    const auto rule = MakeRule(FedAvgServer::GetTypeId());
    rule->Aggregate(
        {MakeFlatUpdate(2, 4, 0, 0.5), MakeFlatUpdate(2, 0, 8), MakeFlatUpdate(1, 5, 5, 0.1)});
    ExpectModel(rule, 1 + (2 * 2 + 0.5) / 5, -1 + (2 * 8 + 0.5) / 5);
    const auto alone = MakeRule(FedAvgServer::GetTypeId());
    alone->Aggregate({MakeFlatUpdate(3, 4, 4, 0.25)});
    ExpectModel(alone, 2, 0);
}

TEST(FedAsyncServer, MixesOneAfterTheOther)
{
    const auto rule = MakeRule(FedAsyncServer::GetTypeId(), {{"Mixing", 0.5}});
    ClientUpdate fresh = MakeFlatUpdate(1, 2, 3);
    fresh.base = std::make_shared<const ModelVector>(Eigen::Vector2d(1, -1));
    rule->Aggregate({fresh}); // w_1 = (3, 2)
    ExpectModel(rule, 2, 0.5);
    ClientUpdate stale = MakeFlatUpdate(2, 1, 1, 0.5);
    stale.base = fresh.base; // w_2 = (2, 0), share 1/4
    ClientUpdate last = MakeFlatUpdate(3, 0, 0);
    last.base = std::make_shared<const ModelVector>(Eigen::Vector2d(8, 8));
    rule->Aggregate({stale, last});
    ExpectModel(rule, (0.75 * 2 + 0.25 * 2 + 8) / 2, (0.75 * 0.5 + 8) / 2);
    const ModelVector before = rule->GetModel();
    rule->Aggregate({});
    EXPECT_EQ(rule->GetModel(), before);
    ExpectRefused([&] { rule->Aggregate({MakeFlatUpdate(1, 0, 0)}); },
                  "FedAsyncServer: an update needs the model it began with");
    EXPECT_GT(rule->GetFlops(2), rule->GetFlops(1));
}

template <typename T>
Ptr<StalenessPolicy>
MakePolicy(const std::vector<std::pair<std::string, double>>& attributes = {})
{
    const auto policy = CreateObject<T>();
    for (const auto& [name, value] : attributes)
    {
        if (name == "Limit")
        {
            policy->SetAttribute(name, UintegerValue(static_cast<uint64_t>(value)));
        }
        else
        {
            policy->SetAttribute(name, DoubleValue(value));
        }
    }
    policy->CheckAttributes();
    return policy;
}

TEST(StalenessPolicies, WeighAsTheySay)
{
    const std::vector<Ptr<StalenessPolicy>> all{MakePolicy<DiscardStale>(),
                                                MakePolicy<ConstantStaleness>(),
                                                MakePolicy<PolynomialStaleness>(),
                                                MakePolicy<HingeStaleness>()};
    for (const auto& policy : all)
    {
        EXPECT_EQ(policy->GetWeight(0), 1) << policy->GetInstanceTypeId();
    }
    EXPECT_EQ(all[0]->GetWeight(1), 0);
    EXPECT_EQ(all[1]->GetWeight(1000), 1);
    EXPECT_DOUBLE_EQ(all[2]->GetWeight(3), 0.5); // FedBuff's 1 / sqrt(1 + 3)
    EXPECT_DOUBLE_EQ(MakePolicy<PolynomialStaleness>({{"Exponent", 2}})->GetWeight(4), 0.04);
    EXPECT_EQ(MakePolicy<PolynomialStaleness>({{"Exponent", 0}})->GetWeight(4), 1);
    EXPECT_EQ(all[3]->GetWeight(4), 1);
    EXPECT_DOUBLE_EQ(all[3]->GetWeight(5), 1 / 11.0); // a = 10, b = 4 of Xie et al.
    EXPECT_DOUBLE_EQ(all[3]->GetWeight(14), 1 / 101.0);
    const auto hinge = MakePolicy<HingeStaleness>({{"Limit", 1}, {"Slope", 0.5}});
    EXPECT_DOUBLE_EQ(hinge->GetWeight(3), 0.5);
    EXPECT_GT(all[2]->GetWeight(std::numeric_limits<uint32_t>::max()), 0);
}

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

const std::string HALVING = "ns3::dlearn::GeometricSchedule[Initial=0.4|Ratio=0.5]";

/** @return all data of a client, whose gradient at a model is the same in all rounds */
Ptr<LocalData>
MakeSteadyData()
{
    auto set = std::make_shared<Dataset>();
    set->features = Eigen::MatrixXd::NullaryExpr(2, 4, [](auto i, auto j) {
        return 1 + std::sin(1.0 + 2 * i + 3 * j);
    });
    set->labels = Eigen::VectorXd::LinSpaced(4, 1, 2);
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetData(set, nullptr);
    const auto data = CreateObject<ShardData>();
    data->SetShard(task, {0, 1, 2, 3}, 0);
    data->AssignStreams(1);
    return data;
}

/** @return the update of a round, of one gradient step from the same model */
ModelVector
TakeStep(LocalSgd& rule, uint32_t round)
{
    rule.BeginRound(round, {Eigen::Vector2d(0.5, -1)});
    rule.Compute();
    const ModelVector update = rule.Send().values;
    rule.EndRound(true);
    return update;
}

// The order of the samples, and so the rounding of their sum, differs between rounds.
TEST(FederatedSteps, AClientsStepFollowsItsSchedule)
{
    const auto rule = CreateObject<LocalSgd>();
    rule->SetAttribute("StepSchedule", StringValue(HALVING));
    rule->Setup(MakeSteadyData());
    const ModelVector first = TakeStep(*rule, 0);
    EXPECT_GT(first.norm(), 0.1);
    for (const uint32_t round : {1, 3})
    {
        const ModelVector expected = first * std::pow(0.5, round);
        EXPECT_LT((TakeStep(*rule, round) - expected).norm(), 1e-14) << round;
    }
}

// Who goes back to an earlier model goes back to its step.
TEST(FederatedSteps, ServersFollowTheirScheduleModelByModel)
{
    const std::vector<Ptr<ServerRule>> rules{CreateObject<FedAvgServer>(),
                                             CreateObject<RobustServer>()};
    for (const auto& rule : rules)
    {
        rule->SetAttribute("StepSchedule", StringValue(HALVING));
        ServerContext context;
        context.samples = {{1, 1}};
        context.initialModel = ModelVector::Zero(2);
        context.updates = UpdateKind::DIFFERENCE;
        rule->Setup(context);
        rule->AssignStreams(1);
        const auto move = [&rule] {
            const double before = rule->GetModel()[0];
            ClientUpdate update;
            update.client = 1;
            update.values = ModelVector::Ones(2);
            rule->Aggregate({update});
            return rule->GetModel()[0] - before;
        };
        EXPECT_NEAR(move(), 0.4, 1e-15);
        rule->Aggregate({}); // without updates there is no new model
        const auto goBack = rule->RememberLearned();
        EXPECT_NEAR(move(), 0.2, 1e-15);
        EXPECT_NEAR(move(), 0.1, 1e-15);
        goBack();
        EXPECT_NEAR(move(), 0.2, 1e-15);
    }
}

/** @return the moves of a client in some rounds, each by two gradient steps from one model
 *  @param transmitted whether the updates leave the node */
std::vector<ModelVector>
TakeRounds(bool keeps, const std::vector<bool>& transmitted)
{
    const auto rule = CreateObject<LocalSgd>();
    rule->SetAttribute("Optimizer", StringValue("ns3::dlearn::SgdOptimizer[Momentum=0.5]"));
    rule->SetAttribute("StepSize", DoubleValue(0.01));
    rule->SetAttribute("LocalSteps", UintegerValue(1));
    rule->SetAttribute("KeepState", BooleanValue(keeps));
    rule->Setup(MakeSteadyData());
    std::vector<ModelVector> moves;
    for (size_t round = 0; round < transmitted.size(); ++round)
    {
        rule->BeginRound(round, ModelVector(Eigen::Vector2d(0.5, -1)));
        rule->Compute();
        moves.push_back(rule->Send().values);
        rule->EndRound(transmitted[round]);
    }
    return moves;
}

// The gradient is the same in all rounds: velocities g, 1.5 g, 1.75 g. A round of which nothing
// left the node is forgotten, as its update is.
TEST(FederatedSteps, AClientsStateGoesOnWithItsUpdates)
{
    const auto forgetful = TakeRounds(false, {true, true, true});
    const auto keeping = TakeRounds(true, {true, true, true});
    const auto losing = TakeRounds(true, {true, false, true});
    const ModelVector first = forgetful[0];
    EXPECT_GT(first.norm(), 1e-3);
    const std::vector<double> factors{1, 1.5, 1.75};
    for (size_t round = 0; round < 3; ++round)
    {
        EXPECT_LT((forgetful[round] - first).norm(), ROUNDING);
        EXPECT_LT((keeping[round] - factors[round] * first).norm(), ROUNDING);
        EXPECT_LT((losing[round] - factors[std::min<size_t>(round, 1)] * first).norm(), ROUNDING);
    }
}

// Who goes back to an earlier model has its optimizer's state, whatever came between.
TEST(FederatedSteps, ServersRememberTheStateOfTheirOptimizer)
{
    for (const char* optimizer : {"Sgd", "Adam", "Yogi", "Adagrad"})
    {
        const std::string type = std::string("ns3::dlearn::") + optimizer + "Optimizer";
        const auto rule = CreateObject<FedAvgServer>();
        rule->SetAttribute("Optimizer", StringValue(type));
        rule->Setup(MakeFlatContext());
        rule->Aggregate({MakeFlatUpdate(1, 3, -2)});
        const auto goBack = rule->RememberLearned();
        rule->Aggregate({MakeFlatUpdate(2, 1, 0.1)});
        const ModelVector next = rule->GetModel();
        goBack();
        rule->Aggregate({}); // no update: model and state stay
        rule->Aggregate({MakeFlatUpdate(2, 1, 0.1)});
        EXPECT_EQ(rule->GetModel(), next) << type;
    }
}

} // namespace
} // namespace ns3::dlearn
