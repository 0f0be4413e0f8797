/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NOISE_LAW_H
#define DLEARN_NOISE_LAW_H

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The distribution of the noise on every entry of a released vector, independent between entries,
 * as far as the cost of a release depends on it. The meaning of the scale depends on the law:
 *
 * | law      | scale                                        | privacy of one release     |
 * |----------|----------------------------------------------|----------------------------|
 * | NONE     | -                                            | none                       |
 * | LAPLACE  | b of the density exp(-abs(x)/b)/(2b)         | pure epsilon               |
 * | GAUSSIAN | standard deviation                           | (epsilon, delta)           |
 * | TERNARY  | s: entries become -s, 0 or s, without bias   | delta alone                |
 */
enum class NoiseLaw : uint8_t
{
    NONE,
    LAPLACE,
    GAUSSIAN,
    TERNARY
};

/**
 * @ingroup dlearn
 * @param law a law
 * @return its name in lower case, for messages and results
 */
const char* ToString(NoiseLaw law);

} // namespace ns3::dlearn

#endif // DLEARN_NOISE_LAW_H
