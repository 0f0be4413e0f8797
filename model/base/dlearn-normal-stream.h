/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NORMAL_STREAM_H
#define DLEARN_NORMAL_STREAM_H

#include "dlearn-types.h"

#include "ns3/random-variable-stream.h"

#include <array>
#include <cstdint>

/**
 * @file
 * Many normal numbers, fast, in any order.
 *
 * ns-3's NormalRandomVariable draws about ten million numbers a second from one sequence. A
 * round of CafCor with n workers and d parameters needs up to n^2 d of them, and two workers
 * must be able to draw the same ones without asking each other. So noise comes from short-lived
 * streams, each a function of a 64-bit key alone; keys are drawn from ns-3's random streams
 * (DrawKey(), hence they depend on its seed, run and stream number) and told apart by round and
 * worker (MixKey()).
 */

namespace ns3::dlearn
{

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

#endif // DLEARN_NORMAL_STREAM_H
