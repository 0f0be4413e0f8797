/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-seeded-random.h"

#include <cmath>
#include <numeric>

namespace ns3::dlearn
{

namespace
{

constexpr uint64_t GOLDEN = 0x9e3779b97f4a7c15; //!< 2^64 over the golden ratio, odd

uint64_t
Finalise(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

inline uint64_t
RotateLeft(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

/** One step of xoshiro256++. */
inline uint64_t
NextBits(std::array<uint64_t, 4>& s)
{
    const uint64_t result = RotateLeft(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = RotateLeft(s[3], 45);
    return result;
}

/** Uniform in (0, 1]. */
double
NextUniform(std::array<uint64_t, 4>& s)
{
    return static_cast<double>((NextBits(s) >> 11) + 1) * 0x1p-53;
}

constexpr int LAYERS = 256;
constexpr double TAIL = 3.6541528853610088; //!< where the lowest layer's tail begins

/** exp(-x^2/2) cut into layers of equal area. */
struct Ziggurat
{
    std::array<double, LAYERS + 1> edge;   //!< right ends, from beyond the tail down to 0
    std::array<double, LAYERS + 1> height; //!< exp(-x^2/2) there
    std::array<double, LAYERS> step;       //!< edge over 2^52
    std::array<uint64_t, LAYERS> inside;   //!< positions below this need no further look

    Ziggurat()
    {
        const auto density = [](double x) { return std::exp(-x * x / 2); };
        // The lowest layer is a box up to TAIL and the tail beyond, of the same area.
        const double tail = std::sqrt(M_PI / 2) * std::erfc(TAIL * M_SQRT1_2);
        const double area = TAIL * density(TAIL) + tail;
        edge[0] = area / density(TAIL);
        edge[1] = TAIL;
        for (int i = 2; i < LAYERS; ++i)
        {
            const double top = density(edge[i - 1]) + area / edge[i - 1];
            edge[i] = std::sqrt(-2 * std::log(top));
        }
        edge[LAYERS] = 0;
        for (int i = 0; i <= LAYERS; ++i)
        {
            height[i] = density(edge[i]);
        }
        for (int i = 0; i < LAYERS; ++i)
        {
            step[i] = edge[i] * 0x1p-52;
            inside[i] = static_cast<uint64_t>(edge[i + 1] / edge[i] * 0x1p52);
        }
    }
};

const Ziggurat ZIGGURAT;

/** A number beyond TAIL (Marsaglia, 1964). */
double
NextOfTail(std::array<uint64_t, 4>& s)
{
    while (true)
    {
        const double x = -std::log(NextUniform(s)) / TAIL;
        const double y = -std::log(NextUniform(s));
        if (2 * y > x * x)
        {
            return TAIL + x;
        }
    }
}

/** A normal number that did not fall inside at once; 1 of 80. */
double
NextAtEdge(std::array<uint64_t, 4>& s, uint64_t bits)
{
    while (true)
    {
        const auto layer = static_cast<int>(bits & (LAYERS - 1));
        const double sign = (bits & LAYERS) ? -1 : 1;
        const uint64_t position = bits >> 12;
        const double x = static_cast<double>(position) * ZIGGURAT.step[layer];
        if (position < ZIGGURAT.inside[layer])
        {
            return sign * x;
        }
        if (layer == 0)
        {
            return sign * NextOfTail(s);
        }
        const double low = ZIGGURAT.height[layer];
        const double high = ZIGGURAT.height[layer + 1];
        if (low + NextUniform(s) * (high - low) < std::exp(-x * x / 2))
        {
            return sign * x;
        }
        bits = NextBits(s);
    }
}

inline double
NextNormal(std::array<uint64_t, 4>& s)
{
    const uint64_t bits = NextBits(s);
    const auto layer = static_cast<int>(bits & (LAYERS - 1));
    const uint64_t position = bits >> 12;
    if (__builtin_expect(position < ZIGGURAT.inside[layer], 1))
    {
        const double x = static_cast<double>(static_cast<int64_t>(position)) * ZIGGURAT.step[layer];
        // The sign is the toss of a coin: no branch.
        const std::array<double, 2> signs{1, -1};
        return x * signs[(bits >> 8) & 1];
    }
    return NextAtEdge(s, bits);
}

} // namespace

void
Shuffle(SampleIndices& indices, UniformRandomVariable& random)
{
    // Not std::shuffle, whose result differs between standard libraries.
    for (size_t left = indices.size(); left > 1; --left)
    {
        const uint32_t chosen = random.GetInteger(0, static_cast<uint32_t>(left - 1));
        std::swap(indices[left - 1], indices[chosen]);
    }
}

void
ShuffleFirst(std::vector<uint32_t>& items, uint32_t count, UniformRandomVariable& random)
{
    const auto last = static_cast<uint32_t>(items.size()) - 1;
    for (uint32_t k = 0; k < count; ++k)
    {
        std::swap(items[k], items[random.GetInteger(k, last)]);
    }
}

SampleIndices
RandomOrder(uint32_t size, UniformRandomVariable& random)
{
    SampleIndices order(size);
    std::iota(order.begin(), order.end(), 0U);
    Shuffle(order, random);
    return order;
}

uint64_t
DrawKey(UniformRandomVariable& random)
{
    const uint64_t high = random.GetInteger(0, 0xffffffff);
    const uint64_t low = random.GetInteger(0, 0xffffffff);
    return high << 32 | low;
}

uint64_t
MixKey(uint64_t key, uint64_t number)
{
    // Two rounds, so that key and number cannot make up for each other's changes.
    return Finalise(Finalise(key + GOLDEN) ^ (number + GOLDEN));
}

NormalStream::NormalStream(uint64_t key)
{
    for (uint64_t& word : m_state)
    {
        key += GOLDEN;
        word = Finalise(key);
    }
}

double
NormalStream::Next()
{
    return NextNormal(m_state);
}

void
NormalStream::AddTo(double scale, VectorRef vector)
{
    std::array<uint64_t, 4> state = m_state; // a copy that can stay in registers
    double* entry = vector.data();
    for (Eigen::Index k = 0; k < vector.size(); ++k)
    {
        entry[k] += scale * NextNormal(state);
    }
    m_state = state;
}

} // namespace ns3::dlearn
