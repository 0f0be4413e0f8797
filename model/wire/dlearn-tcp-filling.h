/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_FILLING_H
#define DLEARN_TCP_FILLING_H

#include <cstdint>

/**
 * @file
 * What a stream of TcpTransport holds besides fragments; see there what it is for.
 */

namespace ns3::dlearn
{

/** Means nothing between fragments: no version of a header, skipped wherever one may begin. */
constexpr uint8_t TCP_FILLER = 0;

/** Begins a stream: the port of the learner that calls follows, high byte first. */
constexpr uint8_t TCP_GREETING = 0xff;

/** Bytes of a greeting: TCP_GREETING and a port. */
constexpr uint32_t TCP_GREETING_SIZE = 3;

} // namespace ns3::dlearn

#endif // DLEARN_TCP_FILLING_H
