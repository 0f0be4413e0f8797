/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-multiple-access-channel.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <boost/math/special_functions/expint.hpp>
#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

const char* const CALM = "ns3::dlearn::ChannelInversion[Truncation=1]"; //!< without fading
constexpr double POWER = 0.1;                                           //!< W: 20 dBm
constexpr double DISTANCE = 20;                                         //!< m

/** The receiver is learner 0, all others are at one place. */
class MultipleAccessChannelTest : public testing::Test
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    static Ptr<Node> MakeNode(double x)
    {
        const auto place = CreateObject<ConstantPositionMobilityModel>();
        place->SetPosition({x, 0, 0});
        const auto node = CreateObject<Node>();
        node->AggregateObject(place);
        return node;
    }

    /** @param power control @param fading of the channel */
    void Build(uint32_t clients, const std::string& power, const std::string& fading = "")
    {
        m_channel->SetAttribute("PowerControl", StringValue(power));
        if (fading != "default")
        {
            m_channel->SetAttribute("Fading", StringValue(fading));
        }
        const auto node = MakeNode(DISTANCE);
        m_channel->Attach(0, MakeNode(0), [](const auto&, double) {});
        std::map<LearnerId, double> weights;
        for (LearnerId id = 1; id <= clients; ++id)
        {
            m_channel->Attach(id, node, [this, id](const auto&, double joules) {
                m_joules += joules;
                m_left.push_back(id);
            });
            weights[id] = 1;
            m_clients.push_back(id);
        }
        SetWeights(weights);
        m_channel->AssignStreams(17);
    }

    void SetWeights(const std::map<LearnerId, double>& weights)
    {
        m_channel->SetReceiver(0, weights, [this](uint32_t round, const auto& sum) {
            m_sums[round] = {sum, Simulator::Now()};
        });
    }

    void Send(LearnerId client, const ModelVector& update, uint32_t round = 0)
    {
        m_channel->Send(client,
                        std::make_shared<const EncodedMessage>(client,
                                                               round,
                                                               ModelChannel::UPDATE,
                                                               Encoding::FLOAT64,
                                                               update,
                                                               1440));
    }

    /** Hide updates in noise, and note the exposures. */
    void Protect(double noise, bool receiver, bool allowed = true)
    {
        m_channel->Protect(noise, receiver, [this, allowed](uint32_t round, const auto& exposures) {
            EXPECT_EQ(round, 0U);
            m_exposures = exposures;
            return allowed;
        });
    }

    /** All clients send the same update. @return the mean that the receiver gets */
    ModelVector SendAll(const ModelVector& update)
    {
        m_channel->Await(0, m_clients, m_clients);
        for (const LearnerId client : m_clients)
        {
            Send(client, update);
        }
        Simulator::Run();
        return m_sums.at(0).first.mean;
    }

    void Set(const char* name, double value) { m_channel->SetAttribute(name, DoubleValue(value)); }

    void Renew()
    {
        m_channel = CreateObject<MultipleAccessChannel>();
        m_clients.clear();
        m_joules = 0;
    }

    void SwitchNoiseOff() { Set("NoiseFigure", -300); }

    Ptr<MultipleAccessChannel> m_channel{CreateObject<MultipleAccessChannel>()};
    std::vector<LearnerId> m_clients;
    std::map<uint32_t, std::pair<MultipleAccessChannel::Sum, Time>> m_sums; //!< and when
    std::vector<LearnerId> m_left;
    std::map<LearnerId, double> m_exposures;
    double m_joules{0};
};

// sigma^2 / (rho K^2), where sigma^2 is k T B F / 2 and rho the power at the receiver, 46.6777 dB
// and 30 dB a decade below that of the clients; the entries have a mean square of C^2 / d. The mean
// of d squares of normal numbers is off by more than 6 sqrt(2 / d) with probability 2e-9.
TEST_F(MultipleAccessChannelTest, TheMeanSquaredErrorIsThatOfTheNoise)
{
    constexpr uint32_t ENTRIES = 100000;
    for (const double bandwidth : {1e6, 4e6})
    {
        for (const uint32_t clients : {1U, 8U})
        {
            Renew();
            Set("Bandwidth", bandwidth);
            Set("NoiseFigure", 9);
            Set("Clip", 3);
            Build(clients, CALM);
            const ModelVector update = ModelVector::Constant(ENTRIES, 3 / std::sqrt(1e5));
            const double error = (SendAll(update) - update).squaredNorm() / ENTRIES;
            const double noise = 1.380649e-23 * 290 * bandwidth * std::pow(10, 0.9) / 2;
            const double rho = POWER * std::pow(10, -4.66777) / std::pow(DISTANCE, 3);
            const double expected = 9.0 / ENTRIES * noise / (rho * clients * clients);
            EXPECT_NEAR(error / expected, 1, 6 * std::sqrt(2.0 / ENTRIES));
            EXPECT_NEAR(m_joules, clients * POWER * ENTRIES / bandwidth, 1e-9 * m_joules);
            // An entry a symbol, whatever the number of clients.
            EXPECT_NEAR(m_sums.at(0).second.GetSeconds(), ENTRIES / bandwidth, 1e-9);
            Simulator::Destroy();
        }
    }
}

// Of n = 10,000 draws the share of those below g is 1 - exp(-g) (Rayleigh fading), and the mean of
// the power P g / |h|^2 of the others is P g E_1(g). Both are means of numbers in [0, 1] and [0,
// P]: by Hoeffding off by more than 0.033 and 0.033 P with probability 2 exp(-2 n 0.033^2) = 7e-10.
TEST_F(MultipleAccessChannelTest, DeepFadesAreTruncated)
{
    constexpr uint32_t CLIENTS = 10000;
    constexpr double G = 0.2;
    SwitchNoiseOff();
    Build(CLIENTS, "ns3::dlearn::ChannelInversion", "default");
    const ModelVector update = ModelVector::Constant(4, 0.5);
    const ModelVector mean = SendAll(update);
    EXPECT_TRUE(mean.isApprox(update, 1e-9));
    const auto& sum = m_sums.at(0).first;
    EXPECT_EQ(sum.members.size() + sum.truncated.size(), CLIENTS);
    EXPECT_EQ(sum.members, m_left);
    EXPECT_NEAR(1.0 * sum.truncated.size() / CLIENTS, 1 - std::exp(-G), 0.033);
    const double most = POWER * 4e-6;
    EXPECT_NEAR(m_joules / CLIENTS, most * G * boost::math::expint(1, G), 0.033 * most);
}

// The mean of n = 10,000 cosines in [-1, 1] is off by more than 0.066 with probability
// 2 exp(-n 0.066^2 / 2) = 7e-10 (Hoeffding).
TEST_F(MultipleAccessChannelTest, PhaseErrorsShortenTheSum)
{
    SwitchNoiseOff();
    Set("PhaseError", 0.5);
    Build(10000, CALM);
    EXPECT_NEAR(SendAll(ModelVector::Constant(1, 1))[0], std::exp(-0.125), 0.066);
}

// A client that takes 1 + e for a channel of 1 arrives with Re(1 / (1 + e)). The mean over the
// phase of e is 1 where |e| < 1, else 0, and e is complex normal of variance v, so that the mean is
// 1 - exp(-1 / v). The standard deviation is less than 2 (truncated at |1 + e| = 0.001): with
// n = 10,000 a difference of 0.12 has probability 2e-9.
TEST_F(MultipleAccessChannelTest, EstimatesOfTheChannelMayBeWrong)
{
    SwitchNoiseOff();
    Set("EstimateVariance", 0.5);
    Build(10000, "ns3::dlearn::ChannelInversion[Truncation=1e-6]");
    EXPECT_NEAR(SendAll(ModelVector::Constant(1, 1))[0], 1 - std::exp(-2), 0.12);
}

// The amplitude of Rayleigh fading of power 1 has mean sqrt(pi) / 2 and variance 1 - pi / 4, so
// that the mean of n = 10,000 is off by more than 6 standard deviations, 0.032 of it, with
// probability 2e-9.
TEST_F(MultipleAccessChannelTest, FullPowerIsRightInTheMean)
{
    SwitchNoiseOff();
    Build(10000, "ns3::dlearn::FullPower", "default");
    EXPECT_NEAR(SendAll(ModelVector::Constant(1, 1))[0], 1, 0.032);
    EXPECT_TRUE(m_sums.at(0).first.truncated.empty());
    EXPECT_NEAR(m_joules, 10000 * POWER * 1e-6, 1e-12);
}

TEST_F(MultipleAccessChannelTest, TheMeanIsWeightedAndClipped)
{
    SwitchNoiseOff();
    Set("Clip", 2);
    Build(4, CALM);
    SetWeights({{1, 1}, {2, 0.5}, {3, 0.25}, {4, 1}});
    m_channel->Await(0, m_clients, m_clients);
    Send(1, ModelVector::Constant(1, 6)); // shortened to 2
    Send(2, ModelVector::Constant(1, -3));
    Send(3, ModelVector::Constant(1, 8));
    Send(4, ModelVector::Constant(1, NAN)); // no signal
    Simulator::Run();
    EXPECT_NEAR(m_sums.at(0).first.mean[0], (2 - 1.5 + 2) / 1.75, 1e-9);
    std::map<std::string, uint64_t> totals;
    m_channel->Count(totals);
    EXPECT_EQ(totals.at("air_clipped"), 1U);
    EXPECT_EQ(totals.at("air_slots"), 1U);
}

// A slot of 1000 entries lasts 1 ms.
TEST_F(MultipleAccessChannelTest, TheReceiverClosesASlot)
{
    Build(4, CALM);
    const ModelVector update = ModelVector::Zero(1000);
    m_channel->Await(0, {1, 2, 3}, {1, 2, 3});
    Send(1, update);
    Send(4, update); // not asked
    Simulator::Schedule(MilliSeconds(5), [&] { Send(2, update); });
    Simulator::Schedule(MicroSeconds(5500), [&] {
        const auto sum = m_channel->Close(0); // it began when client 2 was not ready
        ASSERT_TRUE(sum.has_value());
        EXPECT_EQ(sum->members, std::vector<LearnerId>{1});
        EXPECT_FALSE(m_channel->Close(0).has_value());
        Send(3, update); // too late
    });
    Simulator::Run();
    EXPECT_TRUE(m_sums.empty());
    EXPECT_EQ(m_left, std::vector<LearnerId>{1});
    // A client that crashes does not send, but the slot still waits for it.
    m_channel->Await(1, m_clients, {1, 2});
    Send(1, update, 1);
    m_channel->Leave(1);
    Send(2, update, 1);
    Simulator::Run();
    EXPECT_EQ(m_sums.at(1).first.members, std::vector<LearnerId>{2});
    // So does a receiver.
    m_channel->Await(2, {1}, {1});
    Send(1, update, 2);
    Simulator::Schedule(MicroSeconds(500), [&] { m_channel->Settle(0, 2); });
    Simulator::Run();
    EXPECT_EQ(m_sums.size(), 1U);
}

// The noise on the sum of four updates of weight 1 is the one that they need: by less power, as 20
// dBm are far above that, or by noise of the clients. The mean of d squares as above.
TEST_F(MultipleAccessChannelTest, UpdatesHideInAsMuchNoiseAsTheyNeed)
{
    constexpr uint32_t ENTRIES = 100000;
    for (const bool receiver : {true, false})
    {
        Renew();
        Set("NoiseFigure", receiver ? 9 : -300);
        Build(4, "ns3::dlearn::FullPower[MeanGain=1]");
        Protect(0.7, receiver);
        const ModelVector update = ModelVector::Constant(ENTRIES, 1 / std::sqrt(1e5));
        const double error = (SendAll(update) - update).squaredNorm() / ENTRIES;
        EXPECT_NEAR(error * 16 / 0.49, 1, 6 * std::sqrt(2.0 / ENTRIES)) << receiver;
        EXPECT_NEAR(m_exposures.at(3), 1 / 0.7, 1e-9);
        // Of the clients' power all but the share 1 / (1 + s^2 d / (4 C^2)) is noise, and counts.
        const double joules = 4 * POWER * ENTRIES / 1e6;
        EXPECT_LT(m_joules, receiver ? 1e-3 * joules : joules * (1 + 1e-9));
        EXPECT_GT(m_joules, receiver ? 0 : joules * (1 - 1e-9));
        Simulator::Destroy();
    }
}

/** How an update is received, and hidden. */
struct Hidden
{
    std::string control;
    double phase;
    double estimate; //!< its variance
    bool receiver;
};

// An exposure is how far an update moves what the server gets, over the standard deviation of the
// noise there; with phase errors the server could also use the imaginary part, so that it is more.
// What moves is the difference of two runs with the same random numbers, and that of d squares is
// off by more than 6 standard deviations, 3 % of the root, with probability 2e-9 a case and client.
TEST_F(MultipleAccessChannelTest, ExposuresAreNeverBelowTheTruth)
{
    constexpr uint32_t ENTRIES = 20000;
    constexpr uint32_t CLIENTS = 6;
    const std::map<LearnerId, double> weights{{1, 1}, {2, 0.5}, {3, 1}, {4, 0.2}, {5, 0.9}, {6, 1}};
    for (const Hidden& how : {Hidden{"ns3::dlearn::ChannelInversion", 0, 0, true},
                              Hidden{"ns3::dlearn::FullPower", 0, 0, true},
                              Hidden{"ns3::dlearn::FullPower", 0.8, 0, true},
                              Hidden{"ns3::dlearn::ChannelInversion", 0.8, 1, true},
                              Hidden{"ns3::dlearn::FullPower", 0.8, 1, true},
                              Hidden{"ns3::dlearn::ChannelInversion", 0, 0, false},
                              Hidden{"ns3::dlearn::FullPower", 0, 0, false}})
    {
        for (const double noise : {0.0001, 0.5}) // the first one for free
        {
            const auto run = [&](LearnerId moved) {
                Renew();
                Set("PhaseError", how.phase);
                Set("EstimateVariance", how.estimate);
                Set("Power", noise < 0.01 ? -60 : 20);
                Set("NoiseFigure", how.receiver ? 7 : -300);
                Build(CLIENTS, how.control, "default");
                SetWeights(weights);
                Protect(noise, how.receiver);
                m_channel->Await(0, m_clients, m_clients);
                for (const LearnerId client : m_clients)
                {
                    Send(client, ModelVector::Constant(ENTRIES, client == moved ? 1e-3 : 0));
                }
                Simulator::Run();
                Simulator::Destroy();
                return m_sums.at(0).first.mean;
            };
            const ModelVector still = run(0);
            const double spread = std::sqrt(still.squaredNorm() / ENTRIES);
            for (const auto& [client, exposure] : std::map(m_exposures))
            {
                const double moves = std::abs(run(client)[0] - still[0]) / 1e-3 / spread;
                EXPECT_LT(moves, exposure * 1.03) << how.control << client;
                EXPECT_TRUE(how.phase > 0 || moves > exposure / 1.03) << how.control << client;
                EXPECT_TRUE(how.estimate > 0 || exposure <= (1 + 1e-9) / noise);
            }
        }
    }
}

// |h|^2 and its estimate have the same law but for the error, so that about half are too small.
TEST_F(MultipleAccessChannelTest, WrongEstimatesExceedThePlan)
{
    Set("EstimateVariance", 0.01);
    Build(1000, "ns3::dlearn::ChannelInversion", "default");
    Protect(0.5, true);
    SendAll(ModelVector::Zero(4));
    const auto above = std::count_if(m_exposures.begin(), m_exposures.end(), [](const auto& one) {
        return one.second > 1.001 / 0.5;
    });
    EXPECT_GT(above, 100);
    EXPECT_LT(above, 600);
}

TEST_F(MultipleAccessChannelTest, NothingIsSentThatAnAccountForbids)
{
    Build(3, CALM);
    Protect(1, true, false);
    EXPECT_EQ(SendAll(ModelVector::Ones(5)).size(), 0);
    EXPECT_EQ(m_sums.at(0).first.truncated, m_clients);
    EXPECT_TRUE(m_left.empty());
    m_channel = CreateObject<MultipleAccessChannel>();
    Set("PhaseError", 0.1);
    ExpectRefused([&] { Protect(1, false); },
                  "MultipleAccessChannel: where only the noise of clients counts, PhaseError and "
                  "EstimateVariance must be 0, got 0.1 and 0");
}

// Three sparse updates of 1024 entries, in 256 symbols of 1 us.
TEST_F(MultipleAccessChannelTest, ProjectedUpdatesAreRecovered)
{
    Set("Projection", 0.25);
    SwitchNoiseOff();
    Build(3, CALM);
    m_channel->Await(0, m_clients, m_clients);
    ModelVector mean = ModelVector::Zero(1024);
    for (const LearnerId client : m_clients)
    {
        ModelVector update = ModelVector::Zero(1024);
        for (int k = 0; k < 8; ++k)
        {
            update[(client * 331 + k * k * 17) % 1024] = std::sin(client + 2.0 * k) / 4;
        }
        mean += update / 3;
        Send(client, update);
    }
    Simulator::Run();
    EXPECT_NEAR(m_sums.at(0).second.GetSeconds(), 256e-6, 1e-12);
    EXPECT_LT((m_sums.at(0).first.mean - mean).norm(), 1e-5 * mean.norm());
    EXPECT_EQ(m_sums.at(0).first.members.size(), 3U);
    ExpectRefused([&] { Protect(1, true); }, "Projection must be 1 with privacy");
}

TEST_F(MultipleAccessChannelTest, NeedsPositions)
{
    ExpectRefused([&] { m_channel->Attach(3, CreateObject<Node>(), {}); },
                  "MultipleAccessChannel: learner 3 needs a position");
    Build(1, CALM);
    ExpectRefused([&] { m_channel->SetReceiver(1, {}, {}); }, "learner 0 receives already");
}

} // namespace
} // namespace ns3::dlearn
