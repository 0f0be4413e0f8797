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

} // namespace
} // namespace ns3::dlearn
