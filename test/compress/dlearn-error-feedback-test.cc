/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-compressor.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t ENTRIES = 100;

/** A compressor behind error feedback, its receiver, and the sums of what both have handled. */
class Channel
{
  public:
    Channel(const std::string& type, const char* attribute, uint32_t value, Encoding numbers)
    {
        ObjectFactory factory("ns3::dlearn::" + type);
        factory.Set(attribute, UintegerValue(value));
        m_compressor = factory.Create<Compressor>();
        m_compressor->Setup(ENTRIES, numbers, true);
        m_compressor->AssignStreams(17);
    }

    void Send(ModelVector values)
    {
        meant += values;
        m_feedback.Correct(values);
        ModelVector read(ENTRIES);
        ASSERT_TRUE(UnpackVector(m_compressor->Compress(values), read));
        received += read;
        m_feedback.Keep(values, read);
    }

    const ModelVector& GetResidual() const { return m_feedback.GetResidual(); }

    ModelVector meant{ModelVector::Zero(ENTRIES)};    //!< sum of what was given to Send()
    ModelVector received{ModelVector::Zero(ENTRIES)}; //!< sum of what was read

  private:
    Ptr<Compressor> m_compressor;
    ErrorFeedback m_feedback;
};

struct FeedbackCase
{
    const char* type;
    const char* attribute;
    uint32_t value;
    Encoding numbers;
};

const FeedbackCase FEEDBACK_CASES[] = {{"QsgdCompressor", "Levels", 1, Encoding::FLOAT32},
                                       {"QsgdCompressor", "Levels", 15, Encoding::FLOAT32},
                                       {"TopKCompressor", "K", 3, Encoding::FLOAT16},
                                       {"TopKCompressor", "K", 10, Encoding::FLOAT32},
                                       {"RandomKCompressor", "K", 10, Encoding::FLOAT16},
                                       {"RandomKCompressor", "K", 10, Encoding::FLOAT64}};

// Nothing is lost: the numbers below are of size 100 at most, of which double keeps 1e-14, and
// 2000 rounds of that make less than 1e-10.
TEST(ErrorFeedback, WhatIsReceivedAndTheResidualSumToTheTruth)
{
    for (const FeedbackCase& c : FEEDBACK_CASES)
    {
        Channel channel(c.type, c.attribute, c.value, c.numbers);
        std::mt19937_64 engine(1);
        std::normal_distribution<double> normal(0, 1);
        for (uint32_t round = 0; round < 2000; ++round)
        {
            channel.Send(ModelVector::NullaryExpr(ENTRIES, [&] { return normal(engine); }));
            const double gap = (channel.received + channel.GetResidual() - channel.meant).norm();
            ASSERT_LT(gap, 1e-10) << c.type << " round " << round;
        }
    }
}

// Lemma 3 of Karimireddy et al. 2019: E||e||^2 <= 4 (1 - delta) / delta^2 max ||v||^2. The
// mean over the rounds is held against three times that. A compressor that is no contraction,
// such as QSGD with one level or random-k when they are scaled to be unbiased, has a residual
// that grows without end.
TEST(ErrorFeedback, TheResidualStaysBounded)
{
    for (const FeedbackCase& c : FEEDBACK_CASES)
    {
        const double d = ENTRIES;
        const double s = c.value;
        const double delta = c.type == std::string("QsgdCompressor")
                                 ? 1 / (1 + std::min(d / s / s, std::sqrt(d) / s))
                                 : s / d;
        Channel channel(c.type, c.attribute, c.value, c.numbers);
        const ModelVector values = ModelVector::LinSpaced(ENTRIES, -1, 1);
        double mean = 0;
        const uint32_t rounds = 3000;
        for (uint32_t round = 0; round < rounds; ++round)
        {
            channel.Send(values);
            mean += channel.GetResidual().squaredNorm() / rounds;
        }
        EXPECT_LT(mean, 3 * 4 * (1 - delta) / (delta * delta) * values.squaredNorm()) << c.type;
        // Hence the average of what is received goes to the truth.
        EXPECT_LT((channel.received / rounds - values).norm(), 0.1 * values.norm()) << c.type;
    }
}

TEST(ErrorFeedback, WhatIsNotFiniteIsForgotten)
{
    const double inf = std::numeric_limits<double>::infinity();
    ErrorFeedback feedback;
    feedback.Keep((ModelVector(4) << 1, 1e39, inf, std::nan("")).finished(),
                  (ModelVector(4) << 0.5, inf, inf, 0).finished());
    ModelVector next = ModelVector::Ones(4);
    feedback.Correct(next);
    EXPECT_EQ(next, (ModelVector(4) << 1.5, 1, 1, 1).finished());
}

} // namespace
} // namespace ns3::dlearn
