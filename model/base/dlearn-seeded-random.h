/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SEEDED_RANDOM_H
#define DLEARN_SEEDED_RANDOM_H

#include "dlearn-types.h"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

/**
 * @file
 * Random numbers for functions that take a stream number or a key. The numbers depend on it and on
 * the seed and run of ns-3 (RngSeedManager), and so do generated data, partitions and splits.
 *
 * A round of CafCor with n workers and d parameters needs up to n^2 d normal numbers, and two
 * workers must draw the same ones. ns-3's NormalRandomVariable draws about ten million numbers a
 * second from one sequence. Therefore NormalStream draws noise fast, as a function of a 64-bit key;
 * keys are drawn from ns-3's random streams (DrawKey()) and derived for each round and worker
 * (MixKey()).
 */

namespace ns3::dlearn
{

/**
 * Create a random variable on its own stream. Two variables on one stream would draw the same
 * underlying numbers, so each variable of a function has its own offset.
 *
 * @param stream first stream number of the caller; negative for automatic streams
 * @param offset number of the variable within the caller, from 0
 * @return the variable
 */
template <typename Variable>
Ptr<Variable>
CreateSeeded(int64_t stream, int64_t offset)
{
    Ptr<Variable> variable = CreateObject<Variable>();
    variable->SetStream(stream < 0 ? -1 : stream + offset);
    return variable;
}

/**
 * Shuffle in place: every order is equally likely (Fisher and Yates).
 *
 * @param indices the items
 * @param random uniform random numbers; indices.size() - 1 of them are drawn
 */
void Shuffle(SampleIndices& indices, UniformRandomVariable& random);

/** @return the positions 0..size-1 in random order */
SampleIndices RandomOrder(uint32_t size, UniformRandomVariable& random);

/**
 * The first steps of a shuffle (Fisher and Yates): afterwards the first entries are a uniform draw
 * without replacement, in random order, whatever the order was before.
 *
 * @param items the items
 * @param count number of items to draw, at most items.size(), and of random numbers
 * @param random uniform random numbers
 */
void ShuffleFirst(std::vector<uint32_t>& items, uint32_t count, UniformRandomVariable& random);

/** @return 64 random bits, from two uniform random numbers */
uint64_t DrawKey(UniformRandomVariable& random);

/**
 * Derive a key. For a fixed first argument, different numbers give different keys, which look
 * independent of the first one (the finaliser of SplitMix64: Steele, Lea and Flood, "Fast
 * Splittable Pseudorandom Number Generators", 2014).
 *
 * @param key a key
 * @param number round, worker, ...
 * @return another key
 */
uint64_t MixKey(uint64_t key, uint64_t number);

/**
 * @ingroup dlearn
 * Independent standard normal numbers, a function of a key.
 *
 * Uniform bits come from xoshiro256++ (Blackman and Vigna, "Scrambled Linear Pseudorandom Number
 * Generators", 2021), normal numbers by the ziggurat method (Marsaglia and Tsang, "The Ziggurat
 * Method for Generating Random Variables", 2000; layer and position from different bits, as
 * Doornik, 2005, requires). Exact up to the 53 bits of a double; for simulation, not to protect
 * real data.
 */
class NormalStream
{
  public:
    explicit NormalStream(uint64_t key);

    /** @return the next number */
    double Next();

    /** Add the next numbers times @p scale, the standard deviation, to the entries of a vector. */
    void AddTo(double scale, VectorRef vector);

  private:
    std::array<uint64_t, 4> m_state; //!< of xoshiro256++
};

} // namespace ns3::dlearn

#endif // DLEARN_SEEDED_RANDOM_H
