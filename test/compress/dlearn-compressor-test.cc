/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-compressor.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** One compressor, ready for vectors of 101 numbers, and what its documentation promises. */
struct Case
{
    std::string type;
    const char* attribute;
    uint32_t value;
    Encoding numbers;
    uint64_t bytes; //!< 8 + ceil(d b / 8), or K (4 + w)
};

constexpr uint32_t DIMENSION = 101;

void
PrintTo(const Case& c, std::ostream* os)
{
    *os << c.type << " " << c.value << " numbers " << +static_cast<uint8_t>(c.numbers);
}

class EveryCompressor : public testing::TestWithParam<Case>
{
  protected:
    static Ptr<Compressor> Make(int64_t stream, bool feedback)
    {
        ObjectFactory factory("ns3::dlearn::" + GetParam().type);
        factory.Set(GetParam().attribute, UintegerValue(GetParam().value));
        const auto compressor = factory.Create<Compressor>();
        compressor->Setup(DIMENSION, GetParam().numbers, feedback);
        compressor->AssignStreams(stream);
        return compressor;
    }

    static ModelVector Read(const PackedVector& packed)
    {
        ModelVector values(DIMENSION);
        EXPECT_TRUE(UnpackVector(packed, values));
        return values;
    }

    static ModelVector Draw(std::mt19937_64& engine)
    {
        std::normal_distribution<double> normal(0, 3);
        return ModelVector::NullaryExpr(DIMENSION, [&] { return normal(engine); });
    }
};

TEST_P(EveryCompressor, HasTheDocumentedSizeAndCanBeRead)
{
    std::mt19937_64 engine(1);
    for (const bool feedback : {false, true})
    {
        const auto compressor = Make(1, feedback);
        EXPECT_EQ(compressor->GetPackedSize(), GetParam().bytes);
        for (uint32_t trial = 0; trial < 50; ++trial)
        {
            const PackedVector packed = compressor->Compress(Draw(engine));
            EXPECT_EQ(packed.bytes.size(), GetParam().bytes);
            EXPECT_FALSE(IsDense(packed.encoding));
            EXPECT_TRUE(IsPackedSize(packed.encoding, DIMENSION, packed.bytes.size()));
            EXPECT_TRUE(Read(packed).allFinite());
        }
        EXPECT_EQ(Read(compressor->Compress(ModelVector::Zero(DIMENSION))),
                  ModelVector::Zero(DIMENSION));
    }
}

TEST_P(EveryCompressor, GivesTheSameBytesOnTheSameStream)
{
    std::mt19937_64 engine(2);
    const auto a = Make(7, false);
    const auto b = Make(7, false);
    for (uint32_t trial = 0; trial < 20; ++trial)
    {
        const ModelVector values = Draw(engine);
        EXPECT_EQ(a->Compress(values).bytes, b->Compress(values).bytes);
    }
}

// With feedback ||v - C(v)||^2 <= (1 - delta) ||v||^2 on average. The mean of n ratios, each in
// [0, 4] for all of these, exceeds its expectation by 16 sqrt(1 / (2 n)) with a probability of
// exp(-2 n 256 / (2 n 16)) = 1e-7; for n = 20,000 that is 0.08, and the streams are fixed.
TEST_P(EveryCompressor, IsAContractionWithFeedback)
{
    const double d = DIMENSION;
    const double s = GetParam().value;
    const double delta = GetParam().type == "QsgdCompressor"
                             ? 1 / (1 + std::min(d / s / s, std::sqrt(d) / s))
                             : s / d;
    std::mt19937_64 engine(3);
    const auto compressor = Make(3, true);
    const uint32_t trials = 20000;
    double mean = 0;
    for (uint32_t trial = 0; trial < trials; ++trial)
    {
        const ModelVector values = Draw(engine);
        const double ratio =
            (values - Read(compressor->Compress(values))).squaredNorm() / values.squaredNorm();
        ASSERT_LE(ratio, 4);
        mean += ratio / trials;
    }
    EXPECT_LT(mean, 1 - delta + 0.08);
}

TEST_P(EveryCompressor, PacksWhatIsNotFiniteAsThat)
{
    const double inf = std::numeric_limits<double>::infinity();
    for (const double poison : {std::nan(""), inf, -inf})
    {
        const PackedVector packed =
            Make(1, false)->Compress(ModelVector::Constant(DIMENSION, poison));
        EXPECT_EQ(packed.bytes.size(), GetParam().bytes);
        ModelVector values(DIMENSION);
        EXPECT_FALSE(UnpackVector(packed, values) && values.allFinite()) << poison;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    EveryCompressor,
    testing::Values(Case{"QsgdCompressor", "Levels", 1, Encoding::FLOAT32, 34},    // 202 bits
                    Case{"QsgdCompressor", "Levels", 7, Encoding::FLOAT16, 59},    // 404 bits
                    Case{"QsgdCompressor", "Levels", 100, Encoding::FLOAT64, 109}, // 808 bits
                    Case{"TopKCompressor", "K", 1, Encoding::FLOAT32, 8},
                    Case{"TopKCompressor", "K", 10, Encoding::FLOAT64, 120},
                    Case{"TopKCompressor", "K", 101, Encoding::FLOAT16, 606},
                    Case{"RandomKCompressor", "K", 1, Encoding::FLOAT64, 12},
                    Case{"RandomKCompressor", "K", 10, Encoding::FLOAT32, 80},
                    Case{"RandomKCompressor", "K", 50, Encoding::FLOAT16, 300}));

/** A compressor of a user, which keeps no promise. */
class BrokenCompressor : public Compressor
{
  public:
    explicit BrokenCompressor(PackedVector packed)
        : m_packed(std::move(packed))
    {
    }

    uint64_t GetPackedSize() const override { return 16; }

  private:
    PackedVector DoCompress(ConstVectorRef /* values */) override { return m_packed; }

    const PackedVector m_packed; //!< what it returns
};

TEST(Compressor, RefusesWhatATypeDoesNotPromise)
{
    const auto compress = [](Encoding encoding, size_t size) {
        BrokenCompressor compressor({encoding, std::vector<uint8_t>(size)});
        compressor.Setup(3, Encoding::FLOAT32, false);
        compressor.Compress(ModelVector::Zero(3));
    };
    compress(Encoding::SPARSE32, 16);
    const std::string rule = ": a vector must have a packed encoding that "
                             "16 bytes can be, as GetPackedSize() says, got ";
    ExpectRefused([&] { compress(Encoding::SPARSE32, 0); }, rule + "0 bytes of encoding 3");
    ExpectRefused([&] { compress(Encoding::SPARSE32, 8); }, rule + "8 bytes");
    ExpectRefused([&] { compress(Encoding::SPARSE64, 16); }, rule + "16 bytes of encoding 4");
    ExpectRefused([&] { compress(Encoding::FLOAT32, 16); }, rule + "16 bytes of encoding 0");
}

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

template <typename Kind>
Ptr<Kind>
Make(uint32_t kept, uint32_t dimension, bool feedback = false)
{
    const auto compressor = CreateObject<Kind>();
    compressor->SetAttribute("K", UintegerValue(kept));
    compressor->Setup(dimension, Encoding::FLOAT64, feedback);
    compressor->AssignStreams(4711);
    return compressor;
}

ModelVector
ReadPacked(const PackedVector& packed, uint32_t dimension)
{
    ModelVector values(dimension);
    EXPECT_TRUE(UnpackVector(packed, values));
    return values;
}

// Against a full sort. Small whole numbers make many ties.
TEST(TopKCompressor, SendsTheFirstOfASortByMagnitude)
{
    std::mt19937_64 engine(1);
    for (uint32_t trial = 0; trial < 2000; ++trial)
    {
        const uint32_t dimension = 1 + engine() % 40;
        const uint32_t kept = 1 + engine() % dimension;
        const ModelVector values = ModelVector::NullaryExpr(dimension, [&] {
            return static_cast<double>(engine() % 9) - 4;
        });
        std::vector<uint32_t> order(dimension);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return std::abs(values[a]) > std::abs(values[b]);
        });
        ModelVector expected = ModelVector::Zero(dimension);
        for (uint32_t k = 0; k < kept; ++k)
        {
            expected[order[k]] = values[order[k]];
        }
        const PackedVector packed = Make<TopKCompressor>(kept, dimension)->Compress(values);
        ASSERT_EQ(ReadPacked(packed, dimension), expected);
        ASSERT_EQ(packed.bytes.size(), kept * 12);
    }
}

TEST(TopKCompressor, NaNIsTheLargest)
{
    ModelVector values(4);
    values << 1, std::nan(""), 1e300, 2;
    const ModelVector read = ReadPacked(Make<TopKCompressor>(1, 4)->Compress(values), 4);
    EXPECT_TRUE(std::isnan(read[1]));
    EXPECT_EQ(read[2], 0);
}

// All 6 pairs of 4 entries, and all 36 sequences of two such pairs, must be equally likely,
// also from one call to the next. By Hoeffding a frequency of n = 400,000 is off by more than
// 0.0056 with probability 2 exp(-2 n 0.0056^2) = 2.5e-11; for 36 of them that is 9e-10.
TEST(RandomKCompressor, EverySetIsEquallyLikelyWhateverCameBefore)
{
    const auto compressor = Make<RandomKCompressor>(2, 4);
    const uint32_t trials = 400000;
    const ModelVector ones = ModelVector::Ones(4);
    std::map<std::vector<bool>, uint32_t> counts;
    for (uint32_t trial = 0; trial < trials; ++trial)
    {
        std::vector<bool> sent;
        for (uint32_t half = 0; half < 2; ++half)
        {
            for (const double value : ReadPacked(compressor->Compress(ones), 4))
            {
                ASSERT_TRUE(value == 0 || value == 2); // d / K = 2
                sent.push_back(value != 0);
            }
        }
        ++counts[sent];
    }
    EXPECT_EQ(counts.size(), 36U);
    for (const auto& [sent, count] : counts)
    {
        EXPECT_NEAR(count / double(trials), 1 / 36.0, 0.0056);
    }
}

// An entry is d/K v_i or 0: by Hoeffding the mean of n = 20,000 is off by more than
// e d/K |v_i| with probability 2 exp(-2 n e^2); with e = 0.0253, for 50 entries, 7.6e-10.
TEST(RandomKCompressor, IsUnbiasedByItselfAndUnscaledWithFeedback)
{
    const uint32_t dimension = 50;
    const uint32_t kept = 20;
    const uint32_t trials = 20000;
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal(0, 2);
    const ModelVector values = ModelVector::NullaryExpr(dimension, [&] { return normal(engine); });
    const auto unbiased = Make<RandomKCompressor>(kept, dimension);
    const auto contraction = Make<RandomKCompressor>(kept, dimension, true);
    ModelVector mean = ModelVector::Zero(dimension);
    for (uint32_t trial = 0; trial < trials; ++trial)
    {
        mean += ReadPacked(unbiased->Compress(values), dimension) / trials;
        const ModelVector read = ReadPacked(contraction->Compress(values), dimension);
        ASSERT_EQ((read.array() == values.array()).count(), kept);
        ASSERT_EQ((read.array() == 0).count(), dimension - kept);
    }
    const double scale = static_cast<double>(dimension) / kept;
    for (uint32_t k = 0; k < dimension; ++k)
    {
        EXPECT_LT(std::abs(mean[k] - values[k]), 0.0253 * scale * std::abs(values[k])) << k;
    }
}

Ptr<QsgdCompressor>
Make(uint32_t levels, uint32_t dimension, bool feedback = false)
{
    const auto compressor = CreateObject<QsgdCompressor>();
    compressor->SetAttribute("Levels", UintegerValue(levels));
    compressor->Setup(dimension, Encoding::FLOAT32, feedback);
    compressor->AssignStreams(4711);
    return compressor;
}

/** @return the scale that travels */
float
GetScale(const PackedVector& packed)
{
    const uint32_t bits = uint32_t{packed.bytes[0]} << 24 | packed.bytes[1] << 16 |
                          packed.bytes[2] << 8 | packed.bytes[3];
    float scale;
    std::memcpy(&scale, &bits, sizeof(scale));
    return scale;
}

ModelVector
Read(const PackedVector& packed, uint32_t dimension)
{
    ModelVector values(dimension);
    EXPECT_TRUE(UnpackVector(packed, values));
    return values;
}

// Unbiased, and with the variance of rounding up with probability p: p (1 - p) steps squared.
// In units of a step N/S, n rounded entries lie in an interval of 1, so by Hoeffding their mean
// is off by more than e with probability 2 exp(-2 n e^2). With n = 20,000 and e = 0.0255, for
// 40 entries and 4 numbers of levels, that makes 1.6e-9 in all. The squared errors of all 40
// entries are in [0, 1], too: n = 800,000, e = 0.004, 4 times, 6e-11.
TEST(QsgdCompressor, IsUnbiasedWithTheVarianceOfTheRounding)
{
    const uint32_t dimension = 40;
    const uint32_t trials = 20000;
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal(0, 2);
    for (const uint32_t levels : {1U, 2U, 7U, 50U})
    {
        const ModelVector values =
            ModelVector::NullaryExpr(dimension, [&] { return normal(engine); });
        const double step = values.norm() / levels;
        const auto compressor = Make(levels, dimension);
        ModelVector mean = ModelVector::Zero(dimension);
        double variance = 0;
        for (uint32_t trial = 0; trial < trials; ++trial)
        {
            const ModelVector read = Read(compressor->Compress(values), dimension);
            mean += read / trials;
            variance += (read - values).squaredNorm() / trials;
        }
        EXPECT_LT((mean - values).lpNorm<Eigen::Infinity>() / step, 0.0255) << levels;
        double expected = 0;
        for (const double value : values)
        {
            const double part = std::abs(value) / step - std::floor(std::abs(value) / step);
            expected += part * (1 - part);
        }
        EXPECT_NEAR(variance / (step * step * dimension), expected / dimension, 0.004) << levels;
        const double omega = std::min(dimension / double(levels * levels),
                                      std::sqrt(dimension) / levels); // Lemma 3.1
        EXPECT_LE(expected * step * step, omega * values.squaredNorm());
    }
}

// A norm rounded down, or to nearest, would make a ratio exceed 1 and cut it: a bias too small
// for statistics.
TEST(QsgdCompressor, TheNormThatTravelsIsNeverTooSmall)
{
    std::mt19937_64 engine(2);
    std::uniform_real_distribution<double> exponent(-320, 38);
    for (uint32_t trial = 0; trial < 20000; ++trial)
    {
        const uint32_t dimension = 1 + trial % 3;
        double magnitude = std::pow(10.0, exponent(engine));
        if (trial % 4 < 2) // the double next to a float, where a rounded sum may fall short
        {
            magnitude = std::nextafter(static_cast<float>(magnitude), 1e39);
        }
        ModelVector values = ModelVector::Zero(dimension);
        values[0] = magnitude; // alone, or all alike
        if (trial % 2)
        {
            values.setConstant(-magnitude);
        }
        const PackedVector packed = Make(5, dimension)->Compress(values);
        const long double exact =
            std::sqrt(static_cast<long double>(trial % 2 ? dimension : 1)) * magnitude;
        const float scale = GetScale(packed);
        ASSERT_GE(scale, magnitude);
        ASSERT_GE(scale * (1 + 1e-15L), exact);
        // Not more than one float too large.
        ASSERT_LE(std::nextafter(scale, 0.0F), exact * (1 + 1e-15L));
        Read(packed, dimension); // all levels in range
    }
}

TEST(QsgdCompressor, KeepsWhatItsLevelsCanSay)
{
    // The norm is 5: steps of 1/5 of it hit every entry.
    const ModelVector values = (ModelVector(3) << 3, -4, 0).finished();
    for (uint32_t trial = 0; trial < 100; ++trial)
    {
        const ModelVector read = Read(Make(5, 3)->Compress(values), 3);
        EXPECT_LT((read - values).lpNorm<Eigen::Infinity>(), 1e-15);
    }
    // delta = 1 / (1 + omega), omega = min(3 / 25, sqrt(3) / 5) = 0.12.
    const ModelVector shrunk = Read(Make(5, 3, true)->Compress(values), 3);
    EXPECT_LT((shrunk - values / 1.12).lpNorm<Eigen::Infinity>(), 1e-6); // a float's precision
}

TEST(QsgdCompressor, TakesTheLevelsThatAnEntryCanHold)
{
    const auto compressor = CreateObject<QsgdCompressor>();
    EXPECT_FALSE(compressor->SetAttributeFailSafe("Levels", UintegerValue(0)));
    EXPECT_FALSE(compressor->SetAttributeFailSafe("Levels", UintegerValue(8388608)));
    EXPECT_TRUE(compressor->SetAttributeFailSafe("Levels", UintegerValue(8388607)));
    compressor->Setup(5, Encoding::FLOAT32, false);
    EXPECT_EQ(compressor->GetPackedSize(), 8 + 5 * 3U);
    // Steps of 1e-7 of the norm: about as fine as 32-bit numbers.
    const ModelVector values = ModelVector::LinSpaced(5, -1, 1.5);
    EXPECT_LT((Read(compressor->Compress(values), 5) - values).norm(), 1e-6);
}

} // namespace
} // namespace ns3::dlearn
