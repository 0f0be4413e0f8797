/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rule-fixture.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-ledger.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** A of the baselines, I + W, with the weight of lost neighbours back on the diagonal. */
Eigen::MatrixXd
MixingMatrix(const Ring& ring)
{
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(Ring::LEARNERS, Ring::LEARNERS);
    for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
    {
        double rest = 1;
        for (const auto& [j, weight] : ring.graph.GetInNeighbors(i))
        {
            if (ring.inboxes[i].Find(j, ModelChannel::STATE))
            {
                a(i, j) = weight;
                rest -= weight;
            }
        }
        a(i, i) = rest;
    }
    return a;
}

/** Drop some messages: others in every round, from round 3 on. */
void
Lose(Ring& ring, uint32_t round)
{
    if (round >= 3)
    {
        ring.inboxes[round % 5].arrivals.clear();
        ring.inboxes[(round + 1) % 5].arrivals.erase({(round + 2) % 5, ModelChannel::STATE});
    }
}

/** In every round: what was sent, the model before, the weights, then what must follow. */
template <typename Expect>
void
ExpectRounds(const TypeId& type, Expect expect)
{
    Ring ring(type);
    ring.Setup();
    for (uint32_t t = 0; t < 40; ++t)
    {
        const Eigen::MatrixXd theta = ring.GetModels();
        const Eigen::MatrixXd y = ring.Begin(t);
        Lose(ring, t);
        const Eigen::MatrixXd expected = expect(ring, t, theta, y, MixingMatrix(ring));
        ring.End();
        ASSERT_LT((ring.GetModels() - expected).cwiseAbs().maxCoeff(), 1e-12) << "round " << t;
        ASSERT_GT((y - theta).norm(), 0) << "there is noise";
    }
}

TEST(Dsgd, EqualsTheMatrixForm)
{
    ExpectRounds(Dsgd::GetTypeId(),
                 [](const Ring& ring,
                    uint32_t t,
                    const Eigen::MatrixXd& theta,
                    const Eigen::MatrixXd& y,
                    const Eigen::MatrixXd& a) {
                     const Eigen::MatrixXd half =
                         theta - 0.1 / std::sqrt(t + 1.0) * ring.Gradients(theta, false);
                     const Eigen::MatrixXd own = a.diagonal().asDiagonal();
                     return Eigen::MatrixXd(half * own + y * (a - own).transpose());
                 });
}

TEST(Dola, EqualsTheMatrixForm)
{
    ExpectRounds(Dola::GetTypeId(),
                 [](const Ring& ring,
                    uint32_t t,
                    const Eigen::MatrixXd& theta,
                    const Eigen::MatrixXd& y,
                    const Eigen::MatrixXd& a) {
                     return Eigen::MatrixXd(y * a.transpose() - 0.1 / std::sqrt(t + 1.0) *
                                                                    ring.Gradients(theta, false));
                 });
}

TEST(Pdop, EqualsTheMatrixForm)
{
    ExpectRounds(Pdop::GetTypeId(),
                 [](const Ring& ring,
                    uint32_t t,
                    const Eigen::MatrixXd&,
                    const Eigen::MatrixXd& y,
                    const Eigen::MatrixXd& a) {
                     const Eigen::MatrixXd z = y * a.transpose();
                     return Eigen::MatrixXd(z - 0.1 * std::pow(0.97, t) * ring.Gradients(z, false));
                 });
}

// PDOP over a lossless network: sqrt(d) C alpha_0 q^(t-1) / (b p^t) in round t.
TEST(Pdop, RoundsArePricedByTheirNewestStep)
{
    Ring ring(Pdop::GetTypeId());
    ring.Setup();
    double expected = 0;
    for (uint32_t t = 0; t < 20; ++t)
    {
        ring.Begin(t);
        ring.End();
        expected +=
            t == 0 ? 0
                   : std::sqrt(3.0) * 2 * 0.1 * std::pow(0.97, t - 1) / (0.5 * std::pow(0.98, t));
    }
    EXPECT_NEAR(ring.rules[3]->GetLedger()->GetEpsilon(), expected, 1e-12 * expected);
}

TEST(Pdop, WarnsWhenTheNoiseDecaysFasterThanTheStep)
{
    Ring ring(Pdop::GetTypeId());
    ring.rules[0]->SetAttribute("StepRatio", DoubleValue(0.99));
    ring.Setup();
    ASSERT_EQ(ring.rules[0]->GetWarnings().size(), 1U);
    EXPECT_EQ(ring.rules[0]->GetWarnings()[0],
              "q < p < 1 (PDOP): q = StepRatio = 0.99, p = Ratio of the noise = 0.98");
    EXPECT_TRUE(ring.rules[1]->GetWarnings().empty());
}

void
SetAll(Ring& ring, const std::string& name, double value)
{
    for (const auto& rule : ring.rules)
    {
        rule->SetAttribute(name, DoubleValue(value));
    }
}

// theta + gamma_t (W theta + sent) - lambda_t g by definition. What DpSgdGrowing draws is seen
// from a second stream with the same number.
TEST(CoupledBaselines, EqualTheMatrixForm)
{
    for (const TypeId& type : {DpSgdGrowing::GetTypeId(), TernarySgd::GetTypeId()})
    {
        Ring ring(type);
        SetAll(ring, "Coupling", 0.8);
        ring.Setup();
        std::vector<Ptr<SampleStream>> twins;
        for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
        {
            twins.push_back(CreateObject<SampleStream>());
            twins[i]->SetShard(ring.streams[i]->GetShard(), Ring::BATCH);
            twins[i]->AssignStreams(100 + i);
        }
        for (uint32_t t = 0; t < 20; ++t)
        {
            const Eigen::MatrixXd theta = ring.GetModels();
            const Eigen::MatrixXd sent = ring.Begin(t);
            Eigen::MatrixXd gradients(Ring::DIMENSION, Ring::LEARNERS);
            for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
            {
                const SampleIndices batch =
                    type == TernarySgd::GetTypeId()
                        ? twins[i]->Draw(t)
                        : twins[i]->DrawDistinct(t, std::min(t + 1, Ring::SHARD));
                gradients.col(i) = ring.MeanGradient(theta.col(i), batch.begin(), batch.end());
            }
            ring.inboxes[t % 5].arrivals.erase({(t + 1) % 5, ModelChannel::STATE});
            Eigen::MatrixXd expected = theta - 0.1 * std::pow(t + 1.0, -0.9) * gradients;
            for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
            {
                for (const auto& [source, arrival] : ring.inboxes[i].arrivals)
                {
                    expected.col(i) += 0.8 * std::pow(t + 1.0, -0.6) * 0.3 *
                                       (sent.col(source.first) - theta.col(i));
                }
            }
            ring.End();
            ASSERT_LT((ring.GetModels() - expected).cwiseAbs().maxCoeff(), 1e-12)
                << type << ", round " << t;
        }
    }
}

TEST(DpSgdGrowing, TakesTheSamplesThatItSays)
{
    Ring ring(DpSgdGrowing::GetTypeId());
    SetAll(ring, "SampleFactor", 0.7);
    SetAll(ring, "SampleExponent", 1.5);
    ring.Setup();
    const auto rule = DynamicCast<DpSgdGrowing>(ring.rules[0]);
    // floor(0.7 t^1.5) + 1 by hand: 0.7, 1.98, 3.64, 5.6, 7.8; the shard has 8.
    const std::vector<uint32_t> expected{1, 1, 2, 4, 6, 8, 8, 8};
    for (uint32_t t = 0; t < expected.size(); ++t)
    {
        EXPECT_EQ(rule->GetSampleCount(t), expected[t]) << t;
        rule->BeginRound(t);
        EXPECT_EQ(rule->GetWork(), expected[t]) << t;
    }
    EXPECT_EQ(rule->GetSampleCount(4294967295U), Ring::SHARD);
    EXPECT_FALSE(rule->SetAttributeFailSafe("SampleFactor", DoubleValue(-1)));
    EXPECT_FALSE(rule->SetAttributeFailSafe("SampleExponent", DoubleValue(-1)));
}

// Terms go as t^-(v-u+p+s) = t^-1.4 while the samples grow, with v = 0.9, u = 0.6, p = 1, s = 0.1,
// and as t^-0.4 once they are all taken. From T to 8 T the sum of the first grows by less than
// T^-0.4 / (1 - 0.4...) of it, of the second as T^0.6, by 3.5.
TEST(DpSgdGrowing, TheAccountIsFiniteWhileSamplesGrow)
{
    const auto endless = CreateObject<LdpOnlineRefinedLedger>();
    const auto finite = CreateObject<LdpOnlineRefinedLedger>();
    double endlessEarly = 0;
    double finiteEarly = 0;
    const uint32_t early = 50000;
    for (uint32_t t = 0; t < 8 * early; ++t)
    {
        for (const auto& ledger : {endless, finite})
        {
            if (t == 0)
            {
                ledger->SetConstants(2, 1, -1);
            }
            ledger->Release({t, 4, std::pow(t + 1.0, 0.1), 0, NoiseLaw::LAPLACE}, true);
            const double gamma = 0.6 * std::pow(t + 1.0, -0.6);
            const uint32_t samples = ledger == finite ? std::min(t + 1, 100U) : t + 1;
            ledger->Update({t, 0.1 * std::pow(t + 1.0, -0.9), gamma, gamma, samples, 0});
        }
        if (t + 1 == early)
        {
            endlessEarly = endless->GetEpsilon();
            finiteEarly = finite->GetEpsilon();
        }
    }
    EXPECT_LT(endless->GetEpsilon(), 1.02 * endlessEarly);
    EXPECT_GT(finite->GetEpsilon(), 2 * finiteEarly);
}

// Phi -> lambda C / gamma ~ t^-0.3 does not stop delta from reaching 1.
TEST(TernarySgd, DeltaReachesOne)
{
    Ring ring(TernarySgd::GetTypeId());
    ring.Setup();
    const auto ledger = DynamicCast<const ReleaseAccount>(ring.rules[0]->GetLedger());
    ring.Begin(0);
    EXPECT_EQ(ring.rules[0]->GetLedger()->GetEpsilon(), 0) << "theta_0 holds no data";
    ring.End();
    double last = 0;
    uint32_t t = 1;
    for (; t < 5000 && ledger->GetTernaryDelta() < 1; ++t)
    {
        ring.Begin(t);
        ring.End();
        EXPECT_GT(ledger->GetTernaryDelta(), last);
        last = ledger->GetTernaryDelta();
    }
    EXPECT_LT(t, 5000U);
    EXPECT_EQ(ledger->GetTernaryDelta(), 1);
    EXPECT_TRUE(std::isinf(ledger->GetEpsilon()));
}

/** @return a ring with chords: strongly connected, with out-degrees 3, 2, 1, 1, 1 */
Graph
Unbalanced()
{
    Graph graph(Ring::LEARNERS);
    const std::vector<std::pair<LearnerId, LearnerId>>
        edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {0, 2}, {0, 3}, {1, 4}};
    for (const auto& [from, to] : edges)
    {
        graph.SetWeight(to, from, 0.1); // any weight will do: the rule does not look at it
    }
    return graph;
}

/** Learners on the unbalanced graph. */
class PushSum : public Ring
{
  public:
    /**
     * @param step alpha_0
     * @param exponent of the step
     * @param noise scale of the noise in all rounds
     */
    explicit PushSum(double step = 0.1, double exponent = 0.5, double noise = 0)
        : Ring(PushSumSgd::GetTypeId())
    {
        graph = Unbalanced();
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            const auto rule = DynamicCast<PushSumSgd>(rules[i]);
            rule->SetAttribute("StepSize", DoubleValue(step));
            rule->SetAttribute("StepExponent", DoubleValue(exponent));
            rule->GetNoiseMechanism()->SetAttribute("BaseScale", DoubleValue(noise));
            rule->GetNoiseMechanism()->SetAttribute("GrowthExponent", DoubleValue(0));
        }
    }

    /** @return w of all learners */
    Eigen::VectorXd GetMasses() const
    {
        Eigen::VectorXd masses(LEARNERS);
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            masses[i] = DynamicCast<PushSumSgd>(rules[i])->GetMass();
        }
        return masses;
    }

    /** Lose every message whose number, counted up from the first, is a multiple of `every`. */
    void Lose(uint32_t every)
    {
        for (Inbox& inbox : inboxes)
        {
            for (auto it = inbox.arrivals.begin(); it != inbox.arrivals.end();)
            {
                it = ++m_counted % every == 0 ? inbox.arrivals.erase(it) : std::next(it);
            }
        }
    }

  private:
    uint32_t m_counted{0}; //!< messages so far
};

// The textbook's pair (x, w) for all learners at once, with the column-stochastic P; shares that
// were lost are taken out of P, and a learner whose message did not leave keeps all.
TEST(PushSumSgd, EqualsTheMatrixForm)
{
    PushSum ring(0.1, 0.5, 0.2);
    ring.Setup();
    Eigen::MatrixXd x = ring.GetModels();
    Eigen::RowVectorXd w = Eigen::RowVectorXd::Ones(Ring::LEARNERS);
    for (uint32_t t = 0; t < 40; ++t)
    {
        const Eigen::MatrixXd z = x * w.cwiseInverse().asDiagonal();
        ring.Begin(t);
        const Eigen::MatrixXd half = x - 0.1 / std::sqrt(t + 1.0) * ring.Gradients(z, false);
        std::vector<Eigen::VectorXd> sent(Ring::LEARNERS);
        for (const Inbox& inbox : ring.inboxes)
        {
            for (const auto& [source, arrival] : inbox.arrivals)
            {
                sent[source.first] = arrival.values;
            }
        }
        const LearnerId silent = t % 7;
        if (t > 5)
        {
            ring.Lose(9);
        }
        Eigen::MatrixXd next = Eigen::MatrixXd::Zero(Ring::DIMENSION, Ring::LEARNERS);
        Eigen::RowVectorXd masses = Eigen::RowVectorXd::Zero(Ring::LEARNERS);
        for (LearnerId j = 0; j < Ring::LEARNERS; ++j)
        {
            const double p = 1.0 / (1 + ring.graph.GetOutNeighbors(j).size());
            // The noise is what the message holds beyond p times the half-step.
            const Eigen::VectorXd noise = sent[j].head(3) - p * half.col(j);
            EXPECT_GT(noise.norm(), 0);
            EXPECT_NEAR(sent[j][3], p * w[j], 1e-15);
            const double kept = j == silent ? 1 : p;
            next.col(j) += kept * half.col(j);
            masses[j] += kept * w[j];
            for (const auto& [i, weight] : ring.graph.GetOutNeighbors(j))
            {
                if (j == silent)
                {
                    ring.inboxes[i].arrivals.erase({j, ModelChannel::STATE});
                }
                if (ring.inboxes[i].Find(j, ModelChannel::STATE))
                {
                    next.col(i) += p * half.col(j) + noise;
                    masses[i] += p * w[j];
                }
            }
            ring.inboxes[j].transmitted = j != silent;
        }
        ring.End();
        x = next;
        w = masses;
        const Eigen::MatrixXd models = x * w.cwiseInverse().asDiagonal();
        ASSERT_LT((ring.GetModels() - models).norm(), 1e-12 * (1 + models.norm())) << "round " << t;
        ASSERT_LT((ring.GetMasses() - w.transpose()).cwiseAbs().maxCoeff(), 1e-12);
    }
}

// Without steps push-sum is averaging. Without loss, all get the mean of the initial models; with a
// fifth of the messages lost they still agree, but on another value, and mass is lost.
TEST(PushSumSgd, LostMassBiasesTheAverage)
{
    for (const bool lossy : {false, true})
    {
        PushSum ring(0);
        ring.Setup();
        const Eigen::VectorXd mean = ring.GetModels().rowwise().mean();
        for (uint32_t t = 0; t < 300; ++t)
        {
            ring.Begin(t);
            if (lossy)
            {
                ring.Lose(5);
            }
            ring.End();
        }
        const Eigen::VectorXd reached = ring.GetModels().rowwise().mean();
        // The chain forgets its start at a rate below 0.9 a round.
        EXPECT_LT((ring.GetModels().colwise() - reached).norm(), 1e-10);
        if (lossy)
        {
            EXPECT_GT((reached - mean).norm(), 0.01);
            EXPECT_LT(ring.GetMasses().sum(), 1e-3);
        }
        else
        {
            EXPECT_LT((reached - mean).norm(), 1e-10);
            EXPECT_NEAR(ring.GetMasses().sum(), Ring::LEARNERS, 1e-12);
            EXPECT_GT(ring.GetMasses().maxCoeff() - ring.GetMasses().minCoeff(), 0.5)
                << "the graph is unbalanced";
        }
    }
}

TEST(PushSumSgd, TakesNothingButNewMass)
{
    PushSum ring(0);
    ring.Setup();
    ring.Begin(0);
    ring.End();
    const double before = ring.GetMasses()[4];
    ring.Begin(1);
    // Learner 4 hears 1 and 3: of the one only a part came, of the other an older vector.
    ring.inboxes[4].arrivals.at({1, ModelChannel::STATE}).present = {true, true, true, false};
    ring.inboxes[4].arrivals.at({3, ModelChannel::STATE}).round = 0;
    ring.End();
    EXPECT_NEAR(ring.GetMasses()[4], before / 2, 1e-15) << "it sends to one and keeps half";
    ring.Begin(2);
    // A mass that is not positive is no share of anything.
    ring.inboxes[4].arrivals.at({1, ModelChannel::STATE}).values[3] = 0;
    ring.inboxes[4].arrivals.at({3, ModelChannel::STATE}).values[3] = -1;
    ring.End();
    EXPECT_NEAR(ring.GetMasses()[4], before / 4, 1e-15);
    EXPECT_TRUE(ring.GetModels().allFinite());
}

TEST(PushSumSgd, ACrashLosesWhatWasPushed)
{
    PushSum ring(0);
    ring.Setup();
    ring.Begin(0);
    const ModelVector before = ring.rules[2]->GetModel();
    ring.rules[0]->Abandon(true);  // knows that its shares left
    ring.rules[1]->Abandon(false); // knows that nothing left
    ring.rules[2]->BeginRound(1);  // knows neither
    ring.rules[1]->BeginRound(1);
    EXPECT_EQ(ring.GetMasses()[0], 0.25) << "three out-neighbours";
    EXPECT_EQ(ring.GetMasses()[1], 1);
    EXPECT_EQ(ring.GetMasses()[2], 0.5);
    EXPECT_EQ(ring.rules[2]->GetModel(), before);
}

// Masses and steps as in the matrix form; the account from its documented formula.
TEST(PushSumSgd, RoundsArePricedByTheirFormula)
{
    PushSum ring(0.1, 0.5, 0.7);
    ring.Setup();
    std::vector<double> epsilon(Ring::LEARNERS, 0);
    std::vector<double> phi(Ring::LEARNERS, 0);
    for (uint32_t t = 0; t < 30; ++t)
    {
        const Eigen::VectorXd mass = ring.GetMasses();
        ring.Begin(t);
        if (t % 3 == 1)
        {
            ring.Lose(3);
        }
        ring.End();
        for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
        {
            const double p = 1.0 / (1 + ring.graph.GetOutNeighbors(i).size());
            const double step = 0.1 / std::sqrt(t + 1.0) / mass[i];
            const double psi = (1 + 1.5 * step) * phi[i] + 2 * step; // L = 1.5, C = 2
            epsilon[i] += std::sqrt(3.0) * psi / 0.7;
            phi[i] = p * mass[i] / ring.GetMasses()[i] * psi;
        }
    }
    for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
    {
        const auto ledger = ring.rules[i]->GetLedger();
        EXPECT_NEAR(ledger->GetEpsilon(), epsilon[i], 1e-12 * epsilon[i]);
        EXPECT_EQ(ledger->GetEpsilon(), ledger->GetNominalEpsilon()) << "all messages left";
    }
}

TEST(PushSumSgd, WarnsWhereTheGraphCanNotBeStronglyConnected)
{
    PushSum ring;
    LearnerContext context = ring.GetContext(0);
    context.neighbors[ModelChannel::STATE].in.clear();
    ring.rules[0]->Setup(context);
    ASSERT_EQ(ring.rules[0]->GetWarnings().size(), 1U);
    EXPECT_EQ(ring.rules[0]->GetWarnings()[0],
              "strongly connected graph (gradient push): the learner has 0 in-neighbours and 3 "
              "out-neighbours");
    ring.rules[1]->Setup(ring.GetContext(1));
    EXPECT_TRUE(ring.rules[1]->GetWarnings().empty());
}

} // namespace
} // namespace ns3::dlearn
