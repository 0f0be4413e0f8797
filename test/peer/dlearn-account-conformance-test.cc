/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Every rule of peers with every privacy account, noise, unit of protection and aggregator that
 * there are types of: the combination is refused in one line, or its account bounds what two real
 * runs of the rule tell. The types are found by enumeration, so that a new class joins by itself.
 *
 * The two runs have neighbouring data, draw the same, hear the same and release the same: the
 * noise of the second run is whatever makes its releases those of the first. Then the loss is known
 * from the distances of what they hide. Messages are lost, late, in part, or do not leave; rounds
 * are cut off by crashes, or the learner only listens.
 */

#include "support/dlearn-own-components.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

constexpr uint32_t DIMENSION = 3;
constexpr uint32_t BATCH = 2;
constexpr uint32_t ROUNDS = 16;
constexpr uint32_t SHARD = ROUNDS * BATCH; // in passes, no record comes twice
constexpr double CLIP = 0.3;
constexpr double DELTA = 1e-5;

/** Noise that can be watched, or made to release what another one did. */
class TwinNoise : public NoiseMechanism
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::TwinNoise")
                                .SetParent<NoiseMechanism>()
                                .AddConstructor<TwinNoise>();
        return tid;
    }

    TwinNoise()
    {
        ObjectFactory factory;
        factory.SetTypeId(s_inner);
        m_inner = factory.Create<NoiseMechanism>();
        m_inner->AssignStreams(77);
    }

    NoiseLaw GetLaw() const override { return m_inner->GetLaw(); }

    double DoGetScale(uint32_t round) const override { return m_inner->GetScale(round); }

    void Perturb(uint32_t round, VectorRef vector) override
    {
        hidden = vector;
        if (twin)
        {
            vector = twin->released;
        }
        else
        {
            m_inner->Perturb(round, vector);
        }
        released = vector;
        used = true;
    }

    int64_t AssignStreams(int64_t) override { return 0; }

    static TypeId s_inner; //!< the mechanism that it stands for

    Ptr<TwinNoise> twin;  //!< whose releases are to be repeated; null for its own
    ModelVector hidden;   //!< last vector before noise
    ModelVector released; //!< the same with noise
    bool used{false};     //!< whether there was one in this round

  private:
    Ptr<NoiseMechanism> m_inner; //!< makes the noise
};

TypeId TwinNoise::s_inner;
NS_OBJECT_ENSURE_REGISTERED(TwinNoise);

/** One combination. */
struct Case
{
    TypeId rule;       //!< of the learner
    TypeId account;    //!< its PrivacyLedger
    TypeId noise;      //!< NoiseMechanism, or StateNoise and TrackerNoise
    TypeId unit;       //!< PrivacyUnit
    TypeId aggregator; //!< Aggregator itself for none

    std::string GetName() const
    {
        std::string name;
        for (const TypeId& type : {rule, account, noise, unit, aggregator})
        {
            name += type.GetName().substr(type.GetName().rfind(':') + 1) + " ";
        }
        return name;
    }
};

/** One learner with data of its own. */
class Run
{
  public:
    /**
     * @param which the combination
     * @param flipped records whose label has the other sign, which moves a clipped gradient as far
     *        as the account allows
     * @param stiff whether the smoothness L is 4, or hardly anything, where bounds are tight
     */
    Run(const Case& which, const std::set<uint32_t>& flipped, bool stiff)
    {
        auto data = std::make_shared<Dataset>();
        std::mt19937 generator(3);
        std::normal_distribution<double> normal;
        data->features =
            Eigen::MatrixXd::NullaryExpr(DIMENSION, SHARD, [&] { return normal(generator); });
        data->features = (stiff ? 2 : 0.1) * data->features.colwise().normalized();
        data->labels = Eigen::VectorXd::NullaryExpr(SHARD, [&flipped](Eigen::Index k) {
            // Some gradients are clipped wherever they are taken, others follow the state.
            const double label = k % 2 == 0 ? 50 : 0.1;
            return flipped.count(static_cast<uint32_t>(k)) > 0 ? -label : label;
        });
        task = CreateObjectWithAttributes<LeastSquaresTask>("ClipNorm", DoubleValue(CLIP));
        task->SetData(data, nullptr);
        SampleIndices shard(SHARD);
        for (uint32_t k = 0; k < SHARD; ++k)
        {
            shard[k] = k;
        }
        // The last two draw different samples in any case.
        const bool replacement = which.unit == SampleUnit::GetTypeId() ||
                                 which.rule == GradientTracking::GetTypeId() ||
                                 which.rule == DpSgdGrowing::GetTypeId();
        stream = CreateObjectWithAttributes<SampleStream>("Replacement", BooleanValue(replacement));
        stream->SetShard(shard, BATCH);
        stream->AssignStreams(5);

        ObjectFactory factory;
        factory.SetTypeId(which.rule);
        rule = factory.Create<UpdateRule>();
        const TypeIdValue noise(TwinNoise::GetTypeId());
        TwinNoise::s_inner = which.noise;
        if (!rule->SetAttributeFailSafe("NoiseMechanism", noise))
        {
            rule->SetAttribute("StateNoise", noise);
            rule->SetAttribute("TrackerNoise", noise);
        }
        rule->SetAttribute("PrivacyLedger", TypeIdValue(which.account));
        rule->SetAttribute("PrivacyUnit", TypeIdValue(which.unit));
        if (which.aggregator != Aggregator::GetTypeId())
        {
            rule->SetAttribute("Aggregator", TypeIdValue(which.aggregator));
            rule->SetAttribute("Byzantine", UintegerValue(1));
        }
        rule->SetAttributeFailSafe("Samples", UintegerValue(BATCH));
        rule->SetAttributeFailSafe("StepSize", DoubleValue(0.8));
        rule->SetAttributeFailSafe("Gamma", DoubleValue(1));
        LearnerContext context;
        context.task = task;
        context.stream = stream;
        const Neighbors neighbors{{{1, 0.3}, {2, 0.2}, {3, 0.2}}, {{1, 0.3}, {2, 0.4}}};
        context.neighbors = {{ModelChannel::STATE, neighbors}, {ModelChannel::TRACKER, neighbors}};
        context.initialModel = ModelVector::Constant(DIMENSION, 0.1);
        rule->Setup(context);
    }

    /** @return its noises, one or two */
    std::vector<Ptr<TwinNoise>> GetNoises() const
    {
        if (const auto peer = DynamicCast<PeerRule>(rule))
        {
            return {DynamicCast<TwinNoise>(peer->GetNoiseMechanism())};
        }
        const auto tracking = DynamicCast<GradientTracking>(rule);
        return {DynamicCast<TwinNoise>(tracking->GetStateNoise()),
                DynamicCast<TwinNoise>(tracking->GetTrackerNoise())};
    }

    Ptr<LeastSquaresTask> task; //!< what it learns
    Ptr<SampleStream> stream;   //!< its data
    Ptr<UpdateRule> rule;       //!< what it does
};

/** @return what came in a round, random */
Inbox
DrawInbox(const UpdateRule& rule, uint32_t round, std::mt19937& generator)
{
    std::uniform_real_distribution<double> uniform(0, 1);
    Inbox inbox;
    for (const auto& source : rule.GetExpected())
    {
        const double fate = uniform(generator);
        if (fate < 0.3)
        {
            continue; // lost
        }
        Arrival arrival;
        arrival.round = round;
        arrival.values = ModelVector::NullaryExpr(rule.GetLength(source.second), [&] {
            return uniform(generator); // also what push-sum takes for a mass
        });
        if (fate < 0.5)
        {
            for (Eigen::Index k = 0; k < arrival.values.size(); ++k)
            {
                arrival.present.push_back(uniform(generator) < 0.5);
                arrival.values[k] *= arrival.present.back() ? 1 : 0;
            }
        }
        inbox.arrivals[source] = arrival;
    }
    inbox.transmitted = uniform(generator) < 0.75;
    return inbox;
}

/** What releases that left told, by law. */
struct Truth
{
    double epsilon{0}; //!< of Laplace noise
    double rate{0};    //!< of Gaussian noise
    double delta{0};   //!< of ternary rounding
    bool bare{false};  //!< whether something was told without noise

    void Add(const TwinNoise& first, const TwinNoise& second, uint32_t round)
    {
        const ModelVector gap = first.hidden - second.hidden;
        const double scale = first.GetScale(round);
        if (gap.lpNorm<Eigen::Infinity>() < 1e-13) // rounding
        {
            return;
        }
        switch (first.GetLaw())
        {
        case NoiseLaw::NONE:
            bare = true;
            break;
        case NoiseLaw::LAPLACE:
            epsilon += gap.lpNorm<1>() / scale;
            break;
        case NoiseLaw::GAUSSIAN:
            rate += gap.squaredNorm() / (2 * scale * scale);
            break;
        case NoiseLaw::TERNARY:
            // Not more than the sum over entries of what each alone tells.
            for (Eigen::Index k = 0; k < gap.size(); ++k)
            {
                const double x = std::clamp(first.hidden[k] / scale, -1.0, 1.0);
                const double y = std::clamp(second.hidden[k] / scale, -1.0, 1.0);
                delta += x * y >= 0 ? std::abs(x - y) : std::max(std::abs(x), std::abs(y));
            }
            break;
        }
    }
};

/** Two runs of one history; returns how much of the account is true, at most 1 if it holds. */
double
CompareRuns(const Case& which, const std::set<uint32_t>& flipped, uint32_t seed)
{
    Run first(which, {}, seed % 2 == 0);
    Run second(which, flipped, seed % 2 == 0);
    const auto noises = first.GetNoises();
    const auto twins = second.GetNoises();
    for (size_t k = 0; k < noises.size(); ++k)
    {
        twins[k]->twin = noises[k];
    }
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    Truth truth;
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        const Inbox inbox = DrawInbox(*first.rule, round, generator);
        const double fate = uniform(generator);
        const bool listens = fate < 0.25;
        const bool crashes = fate > 0.7;
        for (const Run* run : {&first, &second})
        {
            for (const auto& noise : run->GetNoises())
            {
                noise->used = false;
            }
            run->rule->BeginRound(round);
            run->rule->Compute();
            if (!listens)
            {
                run->rule->Send();
            }
            if (crashes)
            {
                run->rule->Abandon(inbox.transmitted);
            }
            else
            {
                run->rule->EndRound(inbox);
            }
        }
        for (size_t k = 0; k < noises.size(); ++k)
        {
            if (noises[k]->used && inbox.transmitted)
            {
                truth.Add(*noises[k], *twins[k], round);
            }
        }
    }
    const auto account = DynamicCast<const ReleaseAccount>(first.rule->GetLedger());
    EXPECT_NE(account, nullptr) << which.GetName();
    if (truth.bare)
    {
        return std::isinf(account->GetEpsilon()) ? 1 : 2;
    }
    if (truth.delta > 0)
    {
        return std::min(1.0, truth.delta) / account->GetTernaryDelta();
    }
    // The same conversion as in the account, so that it is the rates that are compared.
    const double told =
        truth.rate > 0 ? GaussianEpsilon(truth.rate, account->GetDelta()) : truth.epsilon;
    return told == 0 ? 0 : told / account->GetEpsilon();
}

/** @return neighbouring data sets of a unit: which records differ */
std::vector<std::set<uint32_t>>
GetNeighbours(const Case& which)
{
    const auto stream = Run(which, {}, true).stream;
    if (which.unit == LearnerUnit::GetTypeId())
    {
        std::set<uint32_t> all;
        for (uint32_t k = 0; k < SHARD; ++k)
        {
            all.insert(k);
        }
        return {all};
    }
    if (which.unit == BatchUnit::GetTypeId())
    {
        std::vector<std::set<uint32_t>> batches;
        for (uint32_t round = 0; round < 4; ++round)
        {
            const SampleIndices batch = stream->Draw(round);
            batches.emplace_back(batch.begin(), batch.end());
        }
        return batches;
    }
    std::vector<std::set<uint32_t>> records;
    for (uint32_t k = 0; k < SHARD; ++k)
    {
        records.push_back({k});
    }
    return records;
}

/** Tries one combination: 1 if an account holds, 0 if it was refused. */
bool
Try(const Case& which, double& tightest)
{
    std::vector<std::set<uint32_t>> neighbours;
    try
    {
        neighbours = GetNeighbours(which);
    }
    catch (const std::invalid_argument& refusal)
    {
        EXPECT_EQ(std::string(refusal.what()).find('\n'), std::string::npos) << which.GetName();
        EXPECT_NE(std::string(refusal.what()), "") << which.GetName();
        return false;
    }
    for (size_t k = 0; k < neighbours.size(); ++k)
    {
        for (uint32_t seed = 0; seed < 4; ++seed)
        {
            const double ratio = CompareRuns(which, neighbours[k], 10 * k + seed);
            EXPECT_LE(ratio, 1 + 1e-9) << which.GetName() << ", neighbour " << k;
            tightest = std::max(tightest, ratio);
        }
    }
    return true;
}

class AccountConformance : public testing::TestWithParam<TypeId>
{
};

TEST_P(AccountConformance, EveryAccountHoldsOrIsRefused)
{
    uint32_t held = 0;
    uint32_t tried = 0;
    double tightest = 0;
    std::vector<TypeId> aggregators = test::GetOwnTypes(Aggregator::GetTypeId());
    aggregators.push_back(Aggregator::GetTypeId());
    const auto prototype = [] {
        ObjectFactory factory;
        factory.SetTypeId(GetParam());
        return factory.Create<UpdateRule>();
    }();
    TypeIdValue ignored;
    if (!prototype->GetAttributeFailSafe("Aggregator", ignored))
    {
        aggregators = {Aggregator::GetTypeId()};
    }
    for (const TypeId& account : test::GetOwnTypes(PrivacyAccount::GetTypeId()))
    {
        for (const TypeId& noise : test::GetOwnTypes(NoiseMechanism::GetTypeId()))
        {
            for (const TypeId& unit : test::GetOwnTypes(PrivacyUnit::GetTypeId()))
            {
                for (const TypeId& aggregator : aggregators)
                {
                    ++tried;
                    held += Try({GetParam(), account, noise, unit, aggregator}, tightest) ? 1 : 0;
                }
            }
        }
    }
    RecordProperty("held", held);
    RecordProperty("tried", tried);
    RecordProperty("tightest", std::to_string(tightest));
    EXPECT_GE(held, 12U) << "each law under each unit";
    EXPECT_LT(held, tried);
    EXPECT_GT(tightest, 0.4) << "runs that hardly differ test nothing";
}

/** @return the rules that can have an account; the others add no noise */
std::vector<TypeId>
GetPrivateRules()
{
    std::vector<TypeId> rules;
    for (const TypeId& type : test::GetOwnTypes(UpdateRule::GetTypeId()))
    {
        TypeId::AttributeInformation account;
        if (type.LookupAttributeByName("PrivacyLedger", &account))
        {
            rules.push_back(type);
        }
    }
    return rules;
}

INSTANTIATE_TEST_SUITE_P(Rules,
                         AccountConformance,
                         testing::ValuesIn(GetPrivateRules()),
                         [](const auto& info) {
                             const std::string name = info.param.GetName();
                             return name.substr(name.rfind(':') + 1);
                         });

} // namespace
