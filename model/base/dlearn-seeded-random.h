/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SEEDED_RANDOM_H
#define DLEARN_SEEDED_RANDOM_H

#include "dlearn-types.h"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @file
 * Random variables for plain functions, which get a stream number instead of offering
 * AssignStreams(). What is drawn depends on the stream number and on the seed and run of
 * ns-3 (RngSeedManager), hence so do generated data, partitions and splits.
 */

/**
 * @ingroup dlearn
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
 * @ingroup dlearn
 * Shuffle in place: every order equally likely (Fisher and Yates).
 *
 * @param indices what to shuffle
 * @param random uniform random numbers; indices.size() - 1 of them are drawn
 */
void Shuffle(SampleIndices& indices, UniformRandomVariable& random);

/**
 * @ingroup dlearn
 * @param size number of samples
 * @param random uniform random numbers
 * @return the positions 0..size-1 in random order
 */
SampleIndices RandomOrder(uint32_t size, UniformRandomVariable& random);

} // namespace ns3::dlearn

#endif // DLEARN_SEEDED_RANDOM_H
