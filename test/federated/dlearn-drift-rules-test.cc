/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Methods for unequal clients, also personal ones, beside iterations that are written from their
 * papers: own matrices, own recursions. Some clients take part in a round, and clients have unequal
 * numbers of samples and steps.
 */

#include "app/dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-drift-rules.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-personal-rules.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-schedule.h"

#include <cmath>
#include <numeric>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t DRIFTERS = 4;
constexpr uint32_t DRIFT_ROUNDS = 12;
constexpr Eigen::Index WIDTH = 3;
constexpr double ETA = 0.1;                   // step of all clients
constexpr double SAME = 1e-10;                // rounding, also of sums in another order
const char* const ALL = "1-4";                // take part in all rounds
const char* const SOME = "1,3;2;2-4;4,1;1-4"; // in turn
const std::vector<std::vector<size_t>> TURNS{{0, 2}, {1}, {1, 2, 3}, {0, 3}, {0, 1, 2, 3}};

/** A client's objective, the mean of (x^T w - y)^2 / 2 over its samples. */
struct Shard
{
    explicit Shard(size_t i)
        : rows(Eigen::MatrixXd::NullaryExpr(
              3 + 2 * i,
              WIDTH,
              [i](auto k, auto j) { return std::sin(1.0 + 2 * k + 3 * j + 7 * i); })),
          targets(ModelVector::NullaryExpr(3 + 2 * i,
                                           [i](auto k) { return std::cos(2.0 * k + 5 * i); })),
          steps(2 + i)
    {
    }

    ModelVector Gradient(const ModelVector& w) const
    {
        return rows.transpose() * (rows * w - targets) / rows.rows();
    }

    double Loss(const ModelVector& w) const
    {
        return (rows * w - targets).squaredNorm() / (2 * rows.rows());
    }

    /** @return the model after all steps along gradient(own), from w */
    template <typename Gradient>
    ModelVector Descend(ModelVector w, Gradient gradient) const
    {
        for (uint32_t k = 0; k < steps; ++k)
        {
            w -= ETA * gradient(w);
        }
        return w;
    }

    Eigen::MatrixXd rows;
    ModelVector targets;
    uint32_t steps; // in a round, each with all samples
};

/** Calls the round of a method with those who take part in it. */
template <typename Round>
void
Iterate(bool some, Round round)
{
    for (uint32_t t = 0; t < DRIFT_ROUNDS; ++t)
    {
        round(some ? TURNS[t % TURNS.size()] : TURNS.back());
    }
}

const std::vector<Shard>&
GetShards()
{
    static const std::vector<Shard> shards{Shard(0), Shard(1), Shard(2), Shard(3)};
    return shards;
}

std::vector<ModelVector>
Zeros()
{
    return std::vector<ModelVector>(DRIFTERS, ModelVector::Zero(WIDTH));
}

const ModelVector FIRST = ModelVector::Constant(WIDTH, 0.5);

/** Notes which updates a server's rule gets. */
template <typename Rule>
class Noting : public Rule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::Noting" + Rule::GetTypeId().GetName())
                                .SetParent<Rule>()
                                .template AddConstructor<Noting>();
        return tid;
    }

    std::vector<std::pair<LearnerId, uint32_t>> got; //!< client and round

  protected:
    ModelVector Move(const std::vector<ClientUpdate>& updates) override
    {
        for (const ClientUpdate& update : updates)
        {
            got.emplace_back(update.client, update.round);
        }
        return Rule::Move(updates);
    }
};

/** A federation of these clients. */
class UnequalClients : public test::FederationTest
{
  protected:
    void Prepare(const std::string& server,
                 const std::string& client,
                 const char* plan,
                 const std::string& reports = "",
                 const std::string& network = "ideal")
    {
        Build(DRIFTERS, network, LocalSgd::GetTypeId());
        SetFloatBits(64);
        Set("Rounds", UintegerValue(DRIFT_ROUNDS));
        Set("Rule", StringValue("ns3::dlearn::" + server));
        m_server->GetSchedule()->SetAttribute(
            "Sampling",
            StringValue(std::string("ns3::dlearn::ScheduledSampling[Plan=") + plan + "]"));
        for (const auto& learner : m_federation.clients)
        {
            learner->SetAttribute("Rule", StringValue("ns3::dlearn::" + client));
            learner->SetAttribute("Reports", StringValue(reports));
            learner->GetRule()->SetAttribute("BatchSize", UintegerValue(100));
            learner->GetRule()->SetAttribute("StepSize", DoubleValue(ETA));
        }
    }

    void Finish()
    {
        std::vector<Ptr<LocalData>> data;
        for (const Shard& shard : GetShards())
        {
            auto set = std::make_shared<Dataset>();
            set->features = shard.rows.transpose();
            set->labels = shard.targets;
            const auto task = CreateObject<LeastSquaresTask>();
            task->SetAttribute("Regularization", DoubleValue(0));
            task->SetData(set, nullptr);
            SampleIndices all(shard.rows.rows());
            std::iota(all.begin(), all.end(), 0);
            const auto own = CreateObject<ShardData>();
            own->SetEpochs(shard.steps);
            own->SetShard(task, all, 0);
            data.push_back(own);
        }
        Connect(data, FIRST);
        Run();
        EXPECT_EQ(m_server->GetRecords().size(), DRIFT_ROUNDS);
    }

    void ExpectModel(const ModelVector& expected)
    {
        EXPECT_LT((m_server->GetRule()->GetModel() - expected).norm(), SAME);
        EXPECT_GT((expected - FIRST).norm(), 0.1);
    }

    template <typename Rule>
    Ptr<Rule> GetClient(size_t i) const
    {
        return DynamicCast<Rule>(m_federation.clients[i]->GetRule());
    }

    /** Lose messages. */
    template <typename Rule>
    void LoseSome(const std::string& client)
    {
        const std::string type = Noting<Rule>::GetTypeId().GetName();
        Prepare(type.substr(std::string("ns3::dlearn::").size()), client, ALL, "", "p2p,loss=0.3");
        SetTransport("ns3::dlearn::UdpTransport");
        ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(60)));
        for (const auto& learner : m_federation.clients)
        {
            learner->TraceConnectWithoutContext("Update",
                                                MakeCallback(&UnequalClients::NoteSent, this));
        }
    }

    void NoteSent(LearnerId client, uint32_t round, const ModelVector& update)
    {
        m_sent[{client, round}] = update;
    }

    std::map<std::pair<LearnerId, uint32_t>, ModelVector> m_sent;
};

// Karimireddy et al., 2020, Algorithm 1 with option II, and a global step of 1.
TEST_F(UnequalClients, ScaffoldEqualsItsPaper)
{
    for (const bool some : {false, true})
    {
        Prepare("ScaffoldServer", "Scaffold", some ? SOME : ALL);
        Finish();
        ModelVector x = FIRST;
        ModelVector c = ModelVector::Zero(WIDTH);
        auto ci = Zeros();
        Iterate(some, [&](const auto& chosen) {
            ModelVector dx = ModelVector::Zero(WIDTH);
            ModelVector dc = ModelVector::Zero(WIDTH);
            for (const size_t i : chosen)
            {
                const Shard& shard = GetShards()[i];
                const ModelVector y = shard.Descend(x, [&](const ModelVector& w) {
                    return ModelVector(shard.Gradient(w) - ci[i] + c);
                });
                const ModelVector next = ci[i] - c + (x - y) / (shard.steps * ETA);
                dx += (y - x) / chosen.size();
                dc += (next - ci[i]) / DRIFTERS;
                ci[i] = next;
            }
            x += dx;
            c += dc;
        });
        ExpectModel(x);
        const auto server = DynamicCast<ScaffoldServer>(m_server->GetRule());
        EXPECT_LT((server->GetControl() - c).norm(), SAME);
        EXPECT_LT((GetClient<Scaffold>(1)->GetControl() - ci[1]).norm(), SAME);
        EXPECT_EQ(m_server->GetExchange()->GetMessageSize(ModelChannel::MODEL).bytes,
                  32U + 2 * WIDTH * 8);
        TearDown();
    }
}

// c is the mean of the control variates that came with the newest updates that arrived. A lost one
// is made up for by the next of its client that arrives.
TEST_F(UnequalClients, ScaffoldAgreesWithTheUpdatesThatArrived)
{
    LoseSome<ScaffoldServer>("Scaffold");
    Finish();
    const auto server = DynamicCast<Noting<ScaffoldServer>>(m_server->GetRule());
    EXPECT_LT(server->got.size(), m_sent.size());
    auto arrived = Zeros();
    for (const auto& [client, round] : server->got)
    {
        arrived[client - 1] = m_sent.at({client, round}).tail(WIDTH);
    }
    ModelVector mean = ModelVector::Zero(WIDTH);
    for (size_t i = 0; i < DRIFTERS; ++i)
    {
        mean += arrived[i] / DRIFTERS;
    }
    EXPECT_LT((server->GetControl() - mean).norm(), SAME);
    for (const auto& [sent, update] : m_sent) // in the order of rounds
    {
        arrived[sent.first - 1] = update.tail(WIDTH);
    }
    for (size_t i = 0; i < DRIFTERS; ++i)
    {
        EXPECT_EQ(GetClient<Scaffold>(i)->GetControl(), arrived[i]);
    }
}

// Wang et al., 2020, section 4, with plain steps: tau_i of them.
TEST_F(UnequalClients, FedNovaEqualsItsPaper)
{
    for (const bool some : {false, true})
    {
        Prepare("FedNovaServer", "LocalSgd", some ? SOME : ALL, "seconds+steps");
        Finish();
        ModelVector x = FIRST;
        Iterate(some, [&](const auto& chosen) {
            double n = 0;
            for (const size_t i : chosen)
            {
                n += GetShards()[i].rows.rows();
            }
            double effective = 0;
            ModelVector direction = ModelVector::Zero(WIDTH);
            for (const size_t i : chosen)
            {
                const Shard& shard = GetShards()[i];
                const double p = shard.rows.rows() / n;
                const ModelVector y =
                    shard.Descend(x, [&](const ModelVector& w) { return shard.Gradient(w); });
                effective += p * shard.steps;
                direction += p * (x - y) / (ETA * shard.steps);
            }
            x -= effective * ETA * direction;
        });
        ExpectModel(x);
        TearDown();
    }
}

// Acar et al., 2021, Algorithm 1; g is the paper's gradient of L_k at theta_k.
TEST_F(UnequalClients, FedDynEqualsItsPaper)
{
    constexpr double ALPHA = 0.4;
    for (const bool some : {false, true})
    {
        Prepare("FedDynServer[Proximal=0.4]", "FedDyn[Proximal=0.4]", some ? SOME : ALL);
        Finish();
        ModelVector theta = FIRST;
        ModelVector h = ModelVector::Zero(WIDTH);
        auto g = Zeros();
        Iterate(some, [&](const auto& chosen) {
            ModelVector mean = ModelVector::Zero(WIDTH);
            ModelVector moved = ModelVector::Zero(WIDTH);
            for (const size_t i : chosen)
            {
                const Shard& shard = GetShards()[i];
                const ModelVector own = shard.Descend(theta, [&](const ModelVector& w) {
                    return ModelVector(shard.Gradient(w) - g[i] + ALPHA * (w - theta));
                });
                g[i] -= ALPHA * (own - theta);
                mean += own / chosen.size();
                moved += own - theta;
            }
            h -= ALPHA / DRIFTERS * moved;
            theta = mean - h / ALPHA;
        });
        ExpectModel(theta);
        EXPECT_LT((GetClient<FedDyn>(2)->GetControl() - g[2]).norm(), SAME);
        TearDown();
    }
}

// A client adds up what it sent, the server what arrived, so that lost updates stay between them.
TEST_F(UnequalClients, FedDynAddsUpTheUpdatesThatArrived)
{
    LoseSome<FedDynServer>("FedDyn[Proximal=0.4]");
    m_server->GetRule()->SetAttribute("Proximal", DoubleValue(0.4));
    Finish();
    const auto server = DynamicCast<Noting<FedDynServer>>(m_server->GetRule());
    EXPECT_LT(server->got.size(), m_sent.size());
    ModelVector h = ModelVector::Zero(WIDTH);
    for (const auto& [client, round] : server->got)
    {
        h -= 0.4 / DRIFTERS * m_sent.at({client, round});
    }
    EXPECT_LT((server->GetControl() - h).norm(), SAME);
    auto own = Zeros();
    for (const auto& [sent, update] : m_sent)
    {
        own[sent.first - 1] -= 0.4 * update;
    }
    for (size_t i = 0; i < DRIFTERS; ++i)
    {
        EXPECT_LT((GetClient<FedDyn>(i)->GetControl() - own[i]).norm(), SAME);
    }
}

// Li et al., ICLR 2020, Algorithm 2.
TEST_F(UnequalClients, QFedAvgEqualsItsPaper)
{
    for (const double q : {0.0, 0.5, 2.0})
    {
        Prepare("QFedAvgServer", "LocalSgd", SOME, "loss");
        m_server->GetRule()->SetAttribute("Q", DoubleValue(q));
        Finish();
        ModelVector w = FIRST;
        Iterate(true, [&](const auto& chosen) {
            ModelVector sum = ModelVector::Zero(WIDTH);
            double h = 0;
            for (const size_t k : chosen)
            {
                const Shard& shard = GetShards()[k];
                const ModelVector own =
                    shard.Descend(w, [&](const ModelVector& v) { return shard.Gradient(v); });
                const double loss = shard.Loss(w);
                const ModelVector dw = (w - own) / ETA;
                sum += std::pow(loss, q) * dw;
                h += q * std::pow(loss, q - 1) * dw.squaredNorm() + std::pow(loss, q) / ETA;
            }
            w -= sum / h;
        });
        ExpectModel(w);
        TearDown();
    }
}

// Li et al., ICML 2021, Algorithm 1, with FedAvg as the global method. The loss of a message does
// not touch a personal model but for the round that the client misses.
TEST_F(UnequalClients, DittoEqualsItsPaper)
{
    constexpr double LAMBDA = 0.7;
    Prepare("FedAvgServer", "Ditto[Lambda=0.7]", SOME);
    Finish();
    ModelVector w = FIRST;
    std::vector<ModelVector> v(DRIFTERS, FIRST);
    Iterate(true, [&](const auto& chosen) {
        ModelVector sum = ModelVector::Zero(WIDTH);
        double n = 0;
        for (const size_t i : chosen)
        {
            const Shard& shard = GetShards()[i];
            v[i] = shard.Descend(v[i], [&](const ModelVector& own) {
                return ModelVector(shard.Gradient(own) + LAMBDA * (own - w));
            });
            sum += shard.rows.rows() *
                   shard.Descend(w, [&](const ModelVector& own) { return shard.Gradient(own); });
            n += shard.rows.rows();
        }
        w = sum / n;
    });
    ExpectModel(w);
    for (size_t i = 0; i < DRIFTERS; ++i)
    {
        EXPECT_LT((*GetClient<Ditto>(i)->FindPersonalModel() - v[i]).norm(), SAME);
        EXPECT_GT((v[i] - w).norm(), 0.01);
    }
}

// Arivazhagan et al., 2019: the last entry is each client's own, and any rule of a server averages
// the others.
TEST_F(UnequalClients, FedPerEqualsItsPaper)
{
    for (const bool robust : {false, true})
    {
        Prepare(robust ? "RobustServer[Aggregator=ns3::dlearn::AverageAggregator|LearningRate=1]"
                       : "FedAvgServer",
                "FedPer[PersonalEntries=1]",
                SOME);
        Finish();
        std::vector<ModelVector> v(DRIFTERS, FIRST);
        ModelVector w = FIRST;
        Iterate(true, [&](const auto& chosen) {
            ModelVector sum = ModelVector::Zero(WIDTH - 1);
            double n = 0;
            for (const size_t i : chosen)
            {
                const Shard& shard = GetShards()[i];
                const double weight = robust ? 1 : shard.rows.rows();
                v[i].head(WIDTH - 1) = w.head(WIDTH - 1);
                v[i] = shard.Descend(v[i],
                                     [&](const ModelVector& own) { return shard.Gradient(own); });
                sum += weight * v[i].head(WIDTH - 1);
                n += weight;
            }
            w.head(WIDTH - 1) = sum / n;
        });
        ExpectModel(w);
        EXPECT_LT((*GetClient<FedPer>(3)->FindPersonalModel() - v[3]).norm(), SAME);
        EXPECT_EQ(m_server->GetExchange()->GetMessageSize(ModelChannel::UPDATE).bytes,
                  32U + (WIDTH - 1) * 8);
        TearDown();
    }
}

TEST_F(UnequalClients, RefuseWhatTheirMethodsDoNotAllow)
{
    const auto expect = [this](const std::string& why) {
        ExpectRefused([this] { Finish(); }, why);
        TearDown();
    };
    Prepare("ScaffoldServer", "LocalSgd", ALL);
    expect("channel model have 6 entries for the server, and 3 entries for client 1");
    Prepare("ScaffoldServer", "Scaffold[Optimizer=ns3::dlearn::AdamOptimizer]", ALL);
    expect("Optimizer must be a ns3::dlearn::SgdOptimizer with Momentum 0");
    Prepare("ScaffoldServer", "Scaffold", ALL);
    m_federation.clients[2]->GetExchange()->SetAttribute(
        "Compressor",
        StringValue("ns3::dlearn::TopKCompressor"));
    expect("a Compressor that sends every entry, got ns3::dlearn::TopKCompressor");
    Prepare("FedNovaServer", "LocalSgd", ALL, "loss");
    expect("clients must report the figure steps");
    Prepare("FedNovaServer", "LocalSgd", ALL, "steps");
    Set("UsePartial", BooleanValue(true));
    expect("the rule needs whole updates");
    Prepare("FedDynServer", "FedDyn", ALL);
    expect("FedDyn: Proximal must be finite and greater than 0, got 0");
    Prepare("FedAvgServer", "FedPer", ALL);
    expect("FedPer: PersonalEntries must be from 1 to 2");
}

} // namespace
} // namespace ns3::dlearn
