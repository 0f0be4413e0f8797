/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STREAM_POSITION_H
#define DLEARN_STREAM_POSITION_H

#include "ns3/random-variable-stream.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param stream a random variable
 * @return its position in its stream of random numbers
 */
std::string GetStreamPosition(const RandomVariableStream& stream);

/**
 * @ingroup dlearn
 * @param stream a random variable
 * @param position from GetStreamPosition() of one with the same seed, run and stream number
 * @throw std::invalid_argument when it is none
 */
void SetStreamPosition(const RandomVariableStream& stream, const std::string& position);

} // namespace ns3::dlearn

#endif // DLEARN_STREAM_POSITION_H
