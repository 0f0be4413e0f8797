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
 * Random numbers for plain functions, which get a stream number or a key instead of offering
 * AssignStreams(). What is drawn depends on it and on the seed and run of ns-3 (RngSeedManager),
 * hence so do generated data, partitions and splits.
 *
 * Normal numbers come from NormalStream where many are needed, fast, in any order. ns-3's
 * NormalRandomVariable draws about ten million numbers a second from one sequence. A round of
 * CafCor with n workers and d parameters needs up to n^2 d of them, and two workers must be able to
 * draw the same ones without asking each other. So noise comes from short-lived streams, each a
 * function of a 64-bit key alone; keys are drawn from ns-3's random streams (DrawKey()) and told
 * apart by round and worker (MixKey()).
 */

namespace ns3::dlearn
{

/**
 * Create a random variable on a stream of its own. Two variables on one stream would draw
 * from the same underlying numbers, so each of a function's variables has its own offset.
 *
 * @tparam Variable a RandomVariableStream
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
 * Shuffle in place: every order equally likely (Fisher and Yates).
 *
 * @param indices what to shuffle
 * @param random uniform random numbers; indices.size() - 1 of them are drawn
 */
void Shuffle(SampleIndices& indices, UniformRandomVariable& random);

/**
 * @param size number of samples
 * @param random uniform random numbers
 * @return the positions 0..size-1 in random order
 */
SampleIndices RandomOrder(uint32_t size, UniformRandomVariable& random);

/**
 * The first steps of a shuffle (Fisher and Yates): afterwards the first entries are a uniform
 * draw without replacement, in random order, whatever the order was before.
 *
 * @param items what to draw from
 * @param count how many to draw, at most items.size(); as many numbers are drawn
 * @param random uniform random numbers
 */
void ShuffleFirst(std::vector<uint32_t>& items, uint32_t count, UniformRandomVariable& random);

/**
 * @param random uniform random numbers; two are drawn
 * @return 64 random bits
 */
uint64_t DrawKey(UniformRandomVariable& random);

/**
 * Derive a key. For a fixed first argument, different numbers give different keys; what is
 * derived looks independent of what it came from (the finaliser of SplitMix64: Steele, Lea and
 * Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
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
 * Doornik, 2005, asks for). Exact up to the 53 bits of a double; made for simulation, not for
 * protecting anybody's data.
 */
class NormalStream
{
  public:
    /** @param key equal keys give equal numbers */
    explicit NormalStream(uint64_t key);

    /** @return the next number */
    double Next();

    /**
     * @param scale standard deviation
     * @param vector gets a number times scale added to each entry
     */
    void AddTo(double scale, VectorRef vector);

  private:
    std::array<uint64_t, 4> m_state; //!< of xoshiro256++
};

} // namespace ns3::dlearn

#endif // DLEARN_SEEDED_RANDOM_H
