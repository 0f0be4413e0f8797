/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Rules without noise equal the iterations of their papers, also when messages are lost; what loss
 * does to them, and what messages do that come late.
 */

#include "dlearn-gossip-oracles.h"
#include "dlearn-rule-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-gossip-rules.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using test::Matrix;

void
SetEach(const Ring& ring, const std::string& name, const AttributeValue& value)
{
    for (const auto& rule : ring.rules)
    {
        rule->SetAttribute(name, value);
    }
}

/** Messages that did not arrive in a round: others in every round, from round 3 on. */
std::vector<std::pair<LearnerId, LearnerId>>
GetLost(uint32_t round)
{
    const auto learner = [round](uint32_t k) { return (round + k) % Ring::LEARNERS; };
    if (round < 3)
    {
        return {};
    }
    return {{learner(0), learner(1)}, {learner(0), learner(4)}, {learner(1), learner(2)}};
}

/** @return which messages are in the inboxes */
Matrix
GetHeard(const Ring& ring)
{
    Matrix heard = Matrix::Zero(Ring::LEARNERS, Ring::LEARNERS);
    for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
    {
        for (const auto& [source, arrival] : ring.inboxes[i].arrivals)
        {
            heard(i, source.first) = 1;
        }
    }
    return heard;
}

void
StartLikeRing(test::GossipOracle& oracle, const Ring& ring)
{
    oracle.w = Matrix::Zero(Ring::LEARNERS, Ring::LEARNERS);
    for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
    {
        for (const auto& [j, weight] : ring.graph.GetInNeighbors(i))
        {
            oracle.w(i, j) = weight;
        }
    }
    oracle.x = ring.GetModels();
}

/** Forty rounds beside the paper's iteration, with loss and learners that take no part. */
void
ExpectSame(Ring& ring, test::GossipOracle& oracle)
{
    ring.Setup();
    StartLikeRing(oracle, ring);
    for (uint32_t t = 0; t < 40; ++t)
    {
        ring.absent.clear();
        if (t % 4 == 3)
        {
            ring.absent.insert(t % 5);
        }
        ring.Begin(t);
        for (const auto& [to, from] : GetLost(t))
        {
            ring.inboxes[to].arrivals.erase({from, ModelChannel::STATE});
        }
        oracle.StepWithout(ring.absent, ring.Gradients(oracle.x, false), GetHeard(ring));
        ring.End();
        const double largest = std::max(1.0, oracle.x.cwiseAbs().maxCoeff());
        ASSERT_LT((ring.GetModels() - oracle.x).cwiseAbs().maxCoeff(), 1e-10 * largest)
            << "round " << t;
    }
    EXPECT_GT(oracle.x.norm(), 0.1);
}

/** @return the largest entry alone, the first of equal ones */
ModelVector
KeepLargest(const ModelVector& vector)
{
    Eigen::Index largest = 0;
    vector.cwiseAbs().maxCoeff(&largest);
    ModelVector kept = ModelVector::Zero(vector.size());
    kept[largest] = vector[largest];
    return kept;
}

TEST(ChocoSgd, EqualsThePaper)
{
    Ring ring(ChocoSgd::GetTypeId());
    SetEach(ring, "Gamma", DoubleValue(0.3));
    ring.compress = KeepLargest;
    test::ChocoOracle oracle;
    oracle.gamma = 0.3;
    oracle.compress = KeepLargest;
    ExpectSame(ring, oracle);
}

TEST(D2, EqualsThePaper)
{
    Ring ring(D2::GetTypeId());
    test::D2Oracle oracle;
    ExpectSame(ring, oracle);
}

TEST(Extra, EqualsThePaper)
{
    Ring ring(Extra::GetTypeId());
    test::ExtraOracle oracle;
    ExpectSame(ring, oracle);
}

TEST(PushDiging, EqualsThePaper)
{
    Ring ring(PushDiging::GetTypeId());
    SetEach(ring, "StepSize", DoubleValue(0.05));
    test::PushDigingOracle oracle;
    oracle.eta = 0.05;
    ExpectSame(ring, oracle);
}

TEST(ClippedGossip, EqualsThePaper)
{
    Ring ring(ClippedGossip::GetTypeId());
    SetEach(ring, "Radius", DoubleValue(0.2));
    SetEach(ring, "Momentum", DoubleValue(0.9));
    test::ClippingOracle oracle;
    oracle.radius = 0.2;
    oracle.beta = 0.9;
    ExpectSame(ring, oracle);
}

TEST(Scclip, EqualsThePaper)
{
    Ring ring(Scclip::GetTypeId());
    SetEach(ring, "Byzantine", UintegerValue(1));
    test::ClippingOracle oracle;
    oracle.byzantine = 1;
    ExpectSame(ring, oracle);
}

// Without Byzantine neighbours, and with a large radius, both are DSGD.
TEST(Scclip, ClipsNothingWithoutByzantineNeighbours)
{
    for (const TypeId& type : {Scclip::GetTypeId(), ClippedGossip::GetTypeId()})
    {
        Ring ring(type);
        if (type == ClippedGossip::GetTypeId())
        {
            SetEach(ring, "Radius", DoubleValue(1e9));
        }
        test::ClippingOracle oracle;
        oracle.radius = std::numeric_limits<double>::infinity();
        ExpectSame(ring, oracle);
    }
}

/** Full gradients in each round. @return largest distance to the common optimum at the end */
double
MeasureError(const TypeId& type, uint32_t rounds)
{
    Ring ring(type);
    for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
    {
        const SampleIndices shard = ring.streams[i]->GetShard();
        ring.streams[i]->SetAttribute("Replacement", BooleanValue(false));
        ring.streams[i]->SetShard(shard, Ring::SHARD);
    }
    ring.Setup();
    for (uint32_t t = 0; t < rounds; ++t)
    {
        ring.Begin(t);
        ring.End();
    }
    // The gradients diag(h) (theta - x) of all samples sum to 0 at the mean sample.
    const ModelVector optimum = ring.task->GetTrain().features.rowwise().mean();
    return (ring.GetModels().colwise() - optimum).colwise().norm().maxCoeff();
}

TEST(GossipRules, ReachTheOptimumWhereDataDiffer)
{
    EXPECT_GT(MeasureError(Scclip::GetTypeId(), 500), 1e-3) << "DSGD does not";
    for (const TypeId& type : {D2::GetTypeId(), Extra::GetTypeId(), PushDiging::GetTypeId()})
    {
        EXPECT_LT(MeasureError(type, 500), 1e-9) << type;
    }
}

/** Rounds with lost messages; `late` gets them at the end of the next round. */
void
RunLossy(Ring& ring, uint32_t rounds, bool late, const std::function<void(uint32_t)>& check = {})
{
    std::vector<std::pair<std::pair<LearnerId, LearnerId>, Arrival>> missed;
    for (uint32_t t = 0; t < rounds; ++t)
    {
        ring.Begin(t);
        auto delivered = std::move(missed);
        missed.clear();
        for (const auto& [to, from] : t + 2 < rounds ? GetLost(t) : GetLost(0))
        {
            missed.push_back(
                {{to, from}, ring.inboxes[to].arrivals.at({from, ModelChannel::STATE})});
            ring.inboxes[to].arrivals.erase({from, ModelChannel::STATE});
        }
        for (const auto& [path, arrival] : delivered)
        {
            if (late)
            {
                ring.rules[path.first]->TakeLate(path.second, ModelChannel::STATE, arrival);
            }
        }
        ring.End();
        if (check)
        {
            check(t);
        }
    }
}

// A lost vector leaves an error in the sum of the corrections; a late one takes it away.
TEST(CorrectedRule, LateVectorsRestoreTheSum)
{
    for (const TypeId& type : {D2::GetTypeId(), Extra::GetTypeId()})
    {
        for (const bool late : {true, false})
        {
            Ring ring(type);
            ring.Setup();
            RunLossy(ring, 30, late);
            ModelVector sum = ModelVector::Zero(Ring::DIMENSION);
            for (const auto& rule : ring.rules)
            {
                sum += DynamicCast<CorrectedRule>(rule)->GetCorrection();
            }
            EXPECT_EQ(sum.norm() < 1e-12, late) << type << ", " << sum.norm();
        }
    }
}

// The public copies agree again after a late difference: then the mean model follows the mean
// gradient alone, as the weights are symmetric.
TEST(ChocoSgd, LateDifferencesAreAsGoodAsThoseInTime)
{
    for (const bool late : {true, false})
    {
        Ring ring(ChocoSgd::GetTypeId());
        ring.compress = KeepLargest;
        ring.Setup();
        double error = 0;
        Matrix before = ring.GetModels();
        RunLossy(ring, 30, late, [&](uint32_t) {
            const Matrix step = before - 0.1 * ring.Gradients(before, false);
            error = (ring.GetModels() - step).rowwise().mean().norm();
            before = ring.GetModels();
        });
        EXPECT_EQ(error < 1e-12, late) << error;
    }
}

TEST(ChocoSgd, RestartsEndTheErrorsOfLostDifferences)
{
    Ring ring(ChocoSgd::GetTypeId());
    SetEach(ring, "RestartEvery", UintegerValue(29));
    ring.compress = KeepLargest;
    ring.Setup();
    double error = 0;
    Matrix before = ring.GetModels();
    RunLossy(ring, 30, false, [&](uint32_t) {
        const Matrix step = before - 0.1 * ring.Gradients(before, false);
        error = (ring.GetModels() - step).rowwise().mean().norm();
        before = ring.GetModels();
    });
    EXPECT_LT(error, 1e-12);
}

// What did not leave is in no copy, and keeps all mass.
TEST(GossipRules, CountOnlyWhatLeft)
{
    Ring choco(ChocoSgd::GetTypeId());
    choco.Setup();
    const Matrix first = choco.Begin(0);
    choco.Begin(1); // round 0 counts as sent
    for (Inbox& inbox : choco.inboxes)
    {
        inbox.arrivals.clear();
        inbox.transmitted = false;
    }
    choco.End();
    choco.rules[0]->BeginRound(2);
    choco.rules[0]->Compute();
    const SampleIndices& log = choco.streams[0]->GetLog();
    const ModelVector model = choco.rules[0]->GetModel();
    const ModelVector half = model - 0.1 * choco.MeanGradient(model, log.end() - 2, log.end());
    // Of the two vectors before, the first is in the copy.
    EXPECT_TRUE(choco.rules[0]->Send()[0].values.isApprox(half - first.col(0), 1e-12));

    Ring push(PushDiging::GetTypeId());
    push.Setup();
    push.Begin(0);
    for (Inbox& inbox : push.inboxes)
    {
        inbox.arrivals.clear();
        inbox.transmitted = false;
    }
    push.End();
    for (const auto& rule : push.rules)
    {
        EXPECT_EQ(DynamicCast<PushDiging>(rule)->GetState()[2 * Ring::DIMENSION], 1);
    }
}

/** @return the sum of the states of all learners */
ModelVector
SumStates(const Ring& ring)
{
    ModelVector sum = ModelVector::Zero(2 * Ring::DIMENSION + 1);
    for (const auto& rule : ring.rules)
    {
        sum += DynamicCast<PushDiging>(rule)->GetState();
    }
    return sum;
}

// The sum of all v is the number of learners, and that of all y the sum of all gradients, once all
// mass has arrived: late, or in a later sum.
TEST(PushDiging, MassIsLostUnlessItComesLaterOrInASum)
{
    struct Case
    {
        bool late;
        TypeId compensation;
        bool kept;
    };

    for (const Case& one : {Case{false, NoCompensation::GetTypeId(), false},
                            Case{true, NoCompensation::GetTypeId(), true},
                            Case{false, RunningSum::GetTypeId(), true},
                            Case{true, RunningSum::GetTypeId(), true}})
    {
        Ring ring(PushDiging::GetTypeId());
        SetEach(ring, "StepSize", DoubleValue(0.01));
        SetEach(ring, "LossCompensation", TypeIdValue(one.compensation));
        ring.Setup();
        Matrix gradients;
        Matrix before = ring.GetModels();
        RunLossy(ring, 12, one.late, [&](uint32_t) {
            gradients = ring.Gradients(before, false);
            before = ring.GetModels();
        });
        const ModelVector sum = SumStates(ring);
        EXPECT_EQ(std::abs(sum[6] - 5) < 1e-12, one.kept) << sum[6];
        const ModelVector tracked = sum.segment(Ring::DIMENSION, Ring::DIMENSION);
        EXPECT_EQ((tracked - gradients.rowwise().sum()).norm() < 1e-12, one.kept);
    }
}

TEST(GossipRules, WarnOfWeightsThatTheTheoryExcludes)
{
    Ring ring(Extra::GetTypeId());
    LearnerContext context = ring.GetContext(0);
    context.neighbors[ModelChannel::STATE] = {{{1, 0.7}, {2, 0.5}}, {{1, 0.7}}};
    ring.rules[0]->Setup(context);
    EXPECT_EQ(ring.rules[0]->GetWarnings(),
              (std::vector<std::string>{
                  "symmetric weights: those of the learner's in- and out-neighbours differ",
                  "weight of the learner's own vector: sum_j w_ij <= 1, got 1.2"}));
}

} // namespace
} // namespace ns3::dlearn
