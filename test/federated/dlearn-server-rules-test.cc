/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-fedasync-server.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-staleness-policy.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

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

/** A user's rule with an error. */
class FaultyServer : public ServerRule
{
  public:
    ModelVector next; //!< what it makes of any updates

    double GetFlops(size_t /* updates */) const override { return 0; }

  protected:
    void CheckAttributes() const override {}

    ModelVector Move(const std::vector<ClientUpdate>& /* updates */) override { return next; }
};

TEST(ServerRule, NamesItselfWhenItMakesNoModel)
{
    const auto rule = CreateObject<FaultyServer>();
    rule->Setup(MakeFlatContext());
    const std::string name = rule->GetInstanceTypeId().GetName();
    rule->next = Eigen::Vector2d(1, std::nan(""));
    ExpectRefused([&] { rule->Aggregate({MakeFlatUpdate(1, 8, 0)}); },
                  name + ": the model that the rule makes must be finite; it is not, of 1 updates "
                         "that are");
    rule->next = Eigen::Vector3d(1, 2, 3);
    ExpectRefused([&] { rule->Aggregate({MakeFlatUpdate(1, 8, 0)}); },
                  name + ": the model that the rule makes must have 2 entries, got 3");
    ExpectModel(rule, 1, -1);
}

// Updates of all three are the same, d: v_t = d (1 - beta^t) / (1 - beta), and
// w_T = w_0 + eta d sum_t (1 - beta^t) / (1 - beta).
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

TEST(FedAsyncServer, MixingOfOneTakesTheClientsModel)
{
    const auto rule = MakeRule(FedAsyncServer::GetTypeId(), {{"Mixing", 1}});
    ClientUpdate update = MakeFlatUpdate(1, 2, 3);
    update.base = std::make_shared<const ModelVector>(Eigen::Vector2d(10, 20));
    rule->Aggregate({update});
    ExpectModel(rule, 12, 23);
}

TEST(ServerRules, RefuseAttributesOutOfRange)
{
    const TypeId avg = FedAvgServer::GetTypeId();
    ExpectRefused(
        [&] {
            MakeRule(avg, {{"LearningRate", 0}});
        },
        "FedAvgServer: LearningRate must be finite and greater than 0, got 0");
    ExpectRefused(
        [&] {
            MakeRule(avg, {{"Momentum", 1}});
        },
        "FedAvgServer: Momentum must be in [0, 1), got 1");
    ExpectRefused(
        [&] {
            MakeRule(FedAsyncServer::GetTypeId(), {{"Mixing", 0}});
        },
        "FedAsyncServer: Mixing must be in (0, 1], got 0");
}

TEST(ServerRules, RefuseAContextOrUpdatesThatDoNotFit)
{
    for (const TypeId& type : {FedAvgServer::GetTypeId(), FedAsyncServer::GetTypeId()})
    {
        const std::string name = type.GetName();
        ObjectFactory factory(name);
        const auto other = factory.Create<ServerRule>();
        const auto refuse = [&](auto change, const std::string& message) {
            ServerContext context = MakeFlatContext();
            change(context);
            ExpectRefused([&] { other->Setup(context); }, name + ": " + message);
        };
        refuse([](auto& c) { c.samples.clear(); }, "a server needs clients, got none");
        refuse([](auto& c) { c.initialModel.resize(0); }, "the initial model must not be empty");
        refuse([](auto& c) { c.initialModel[1] = std::numeric_limits<double>::infinity(); },
               "the initial model must be finite");
        refuse([](auto& c) { c.samples[0] = 1; }, "server 0 must not be its own client");
        refuse([](auto& c) { c.samples[2] = 0; }, "client 2 must have at least 1 sample, got 0");
        const auto rule = MakeRule(type);
        ExpectRefused([&] { rule->Setup(MakeFlatContext()); },
                      name + ": Setup() must be called once");
        ExpectRefused([&] { rule->Aggregate({MakeFlatUpdate(4, 0, 0)}); },
                      "ServerRule: learner 4 is no client");
        ClientUpdate update = MakeFlatUpdate(1, 0, 0);
        update.values = ModelVector::Zero(3);
        ExpectRefused([&] { rule->Aggregate({update}); },
                      "ServerRule: update must have 2 entries, got 3");
    }
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

} // namespace
} // namespace ns3::dlearn
