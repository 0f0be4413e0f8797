/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Federations over an ideal network, some clients a round, beside iterations that are written from
 * the papers: own matrices, own recursions.
 */

#include "dlearn-federation-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-local-data.h"

#include <cmath>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t TRAINERS = 4;
constexpr uint32_t MODELS = 12;
constexpr uint32_t EPOCHS = 3; // gradient steps of a client, each with all its samples
constexpr Eigen::Index ENTRIES = 3;
constexpr double CLOSE = 1e-10; // rounding, also of sums in another order
const char* const PLAN = "1-4;1,3;2;2-4;4,1";
const std::vector<std::vector<size_t>> CHOSEN{{0, 1, 2, 3}, {0, 2}, {1}, {1, 2, 3}, {0, 3}};

/** @return samples of a client, one a row: unequal numbers of them */
Eigen::MatrixXd
MakeRows(size_t client)
{
    return Eigen::MatrixXd::NullaryExpr(3 + 2 * client, ENTRIES, [client](auto i, auto j) {
        return std::sin(1.0 + 2 * i + 3 * j + 7 * client);
    });
}

ModelVector
MakeTargets(size_t client)
{
    return ModelVector::NullaryExpr(3 + 2 * client,
                                    [client](auto i) { return std::cos(2.0 * i + 5 * client); });
}

/** Moves w along a gradient; k counts its calls. */
using OwnStep = std::function<void(uint32_t k, const ModelVector& gradient, ModelVector& w)>;

/** The method in a few lines. */
ModelVector
Iterate(const std::function<OwnStep()>& makeServer,
        const std::function<OwnStep()>& makeClient,
        bool keeps,
        double proximal)
{
    ModelVector w = ModelVector::Constant(ENTRIES, 0.5);
    const OwnStep server = makeServer();
    std::vector<OwnStep> clients(TRAINERS);
    std::vector<uint32_t> taken(TRAINERS);
    for (uint32_t t = 0; t < MODELS; ++t)
    {
        ModelVector sum = ModelVector::Zero(ENTRIES);
        double total = 0;
        for (const size_t i : CHOSEN[t % CHOSEN.size()])
        {
            if (!clients[i] || !keeps)
            {
                clients[i] = makeClient();
                taken[i] = 0;
            }
            const Eigen::MatrixXd rows = MakeRows(i);
            ModelVector own = w;
            for (uint32_t k = 0; k < EPOCHS; ++k)
            {
                const ModelVector residual = rows * own - MakeTargets(i);
                const ModelVector gradient =
                    rows.transpose() * residual / rows.rows() + proximal * (own - w);
                clients[i](taken[i]++, gradient, own);
            }
            sum += rows.rows() * (own - w);
            total += rows.rows();
        }
        server(t, -sum / total, w);
    }
    return w;
}

OwnStep
MakePlain(double rate)
{
    return [rate](uint32_t, const ModelVector& g, ModelVector& w) { w -= rate * g; };
}

OwnStep
MakeHeavyBall(double rate, double beta, bool nesterov)
{
    return [=, v = ModelVector(ModelVector::Zero(ENTRIES))](uint32_t,
                                                            const ModelVector& g,
                                                            ModelVector& w) mutable {
        v = beta * v + g;
        w -= rate * (nesterov ? ModelVector(g + beta * v) : v);
    };
}

/** Kingma and Ba, 2015, Algorithm 1. */
OwnStep
MakeKingmaBa(double rate)
{
    return [=,
            m = ModelVector(ModelVector::Zero(ENTRIES)),
            v = ModelVector(ModelVector::Zero(ENTRIES))](uint32_t k,
                                                         const ModelVector& g,
                                                         ModelVector& w) mutable {
        for (Eigen::Index j = 0; j < ENTRIES; ++j)
        {
            m[j] = 0.9 * m[j] + 0.1 * g[j];
            v[j] = 0.999 * v[j] + 0.001 * g[j] * g[j];
            const double mean = m[j] / (1 - std::pow(0.9, k + 1));
            const double square = v[j] / (1 - std::pow(0.999, k + 1));
            w[j] -= rate * mean / (std::sqrt(square) + 1e-8);
        }
    };
}

/** Reddi et al., 2021, Algorithm 2, with Delta = -g. @param kind a, y or g */
OwnStep
MakeReddi(char kind, double rate)
{
    constexpr double TAU = 1e-3;
    return [=,
            m = ModelVector(ModelVector::Zero(ENTRIES)),
            v = ModelVector(ModelVector::Constant(ENTRIES, TAU * TAU))](uint32_t,
                                                                        const ModelVector& g,
                                                                        ModelVector& w) mutable {
        for (Eigen::Index j = 0; j < ENTRIES; ++j)
        {
            const double delta = -g[j];
            const double square = delta * delta;
            m[j] = kind == 'g' ? delta : 0.9 * m[j] + 0.1 * delta;
            v[j] = kind == 'a'   ? 0.99 * v[j] + 0.01 * square
                   : kind == 'g' ? v[j] + square
                                 : v[j] - 0.01 * square * (v[j] > square ? 1 : -1);
            w[j] += rate * m[j] / (std::sqrt(v[j]) + TAU);
        }
    };
}

/** A federation with real data and rules. */
class FederatedOptimizers : public test::FederationTest
{
  protected:
    /** @return the server's model at the end */
    ModelVector Train(const std::string& server,
                      const std::string& client,
                      bool keeps = false,
                      double proximal = 0)
    {
        Build(TRAINERS, "ideal", LocalSgd::GetTypeId());
        SetFloatBits(64);
        Set("Rounds", UintegerValue(MODELS));
        m_server->GetSchedule()->SetAttribute(
            "Sampling",
            StringValue(std::string("ns3::dlearn::ScheduledSampling[Plan=") + PLAN + "]"));
        m_server->GetRule()->SetAttribute("Optimizer", StringValue("ns3::dlearn::" + server));
        std::vector<Ptr<LocalData>> data;
        for (size_t i = 0; i < TRAINERS; ++i)
        {
            const auto rule = m_federation.clients[i]->GetRule();
            rule->SetAttribute("Optimizer", StringValue("ns3::dlearn::" + client));
            rule->SetAttribute("BatchSize", UintegerValue(100));
            rule->SetAttribute("KeepState", BooleanValue(keeps));
            rule->SetAttribute("Proximal", DoubleValue(proximal));
            data.push_back(MakeData(i));
        }
        Connect(data, ModelVector::Constant(ENTRIES, 0.5));
        Run();
        EXPECT_EQ(m_server->GetRecords().size(), MODELS);
        const ModelVector model = m_server->GetRule()->GetModel();
        TearDown();
        return model;
    }

    static Ptr<LocalData> MakeData(size_t client)
    {
        auto set = std::make_shared<Dataset>();
        set->features = MakeRows(client).transpose();
        set->labels = MakeTargets(client);
        const auto task = CreateObject<LeastSquaresTask>();
        task->SetAttribute("Regularization", DoubleValue(0));
        task->SetData(set, nullptr);
        SampleIndices all(MakeRows(client).rows());
        std::iota(all.begin(), all.end(), 0);
        const auto data = CreateObject<ShardData>();
        data->SetEpochs(EPOCHS);
        data->SetShard(task, all, 0);
        return data;
    }
};

const char* const SGD = "SgdOptimizer[LearningRate=0.1]";

TEST_F(FederatedOptimizers, OfServersEqualTheirPapers)
{
    const std::vector<std::pair<std::string, std::function<OwnStep()>>> methods{
        {"SgdOptimizer[LearningRate=0.7]", [] { return MakePlain(0.7); }},
        {"SgdOptimizer[LearningRate=0.7|Momentum=0.9]",
         [] { return MakeHeavyBall(0.7, 0.9, false); }},
        {"SgdOptimizer[LearningRate=0.7|Momentum=0.9|Nesterov=true]",
         [] { return MakeHeavyBall(0.7, 0.9, true); }},
        {"AdamOptimizer[LearningRate=0.1|Beta2=0.99|Epsilon=0.001|BiasCorrection=false]",
         [] { return MakeReddi('a', 0.1); }},
        {"YogiOptimizer[LearningRate=0.1|Beta2=0.99]", [] { return MakeReddi('y', 0.1); }},
        {"AdagradOptimizer[LearningRate=0.1|Epsilon=0.001]", [] { return MakeReddi('g', 0.1); }},
    };
    ModelVector last = ModelVector::Zero(ENTRIES);
    for (const auto& [server, make] : methods)
    {
        const ModelVector model = Train(server, SGD);
        const ModelVector expected = Iterate(
            make,
            [] { return MakePlain(0.1); },
            false,
            0);
        EXPECT_LT((model - expected).norm(), CLOSE) << server;
        EXPECT_GT((model - last).norm(), 1e-4) << server << " does as the one before";
        last = model;
    }
}

TEST_F(FederatedOptimizers, OfClientsEqualTheirPapersWithinRoundsAndOver)
{
    const std::vector<std::pair<std::string, std::function<OwnStep()>>> methods{
        {"SgdOptimizer[LearningRate=0.1|Momentum=0.8]",
         [] { return MakeHeavyBall(0.1, 0.8, false); }},
        {"AdamOptimizer[LearningRate=0.05]", [] { return MakeKingmaBa(0.05); }},
    };
    for (const auto& [client, make] : methods)
    {
        ModelVector other = ModelVector::Zero(ENTRIES);
        for (const bool keeps : {false, true})
        {
            const ModelVector model = Train("SgdOptimizer[LearningRate=1]", client, keeps);
            const ModelVector expected = Iterate([] { return MakePlain(1); }, make, keeps, 0);
            EXPECT_LT((model - expected).norm(), CLOSE) << client << " " << keeps;
            EXPECT_GT((model - other).norm(), 1e-3) << client << " " << keeps;
            other = model;
        }
    }
}

// Li et al., MLSys 2020.
TEST_F(FederatedOptimizers, FedProxEqualsItsPaper)
{
    const auto client = [] { return MakePlain(0.1); };
    const ModelVector model = Train("SgdOptimizer[LearningRate=1]", SGD, false, 2);
    EXPECT_LT((model - Iterate([] { return MakePlain(1); }, client, false, 2)).norm(), CLOSE);
}

} // namespace
} // namespace ns3::dlearn
