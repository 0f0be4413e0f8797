/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RADIO_POWERS_H
#define DLEARN_RADIO_POWERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Powers with which learners send, as a user of a program writes them.
 *
 * @param text a power in dBm for all, such as 23, or a range from which each learner's is drawn
 *        uniformly, such as 10:23
 * @param learners how many
 * @param stream random stream of the drawing (1 used)
 * @return one power per learner, in dBm
 * @throw std::invalid_argument naming the text and the rule
 */
std::vector<double> DrawPowers(const std::string& text, uint32_t learners, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_RADIO_POWERS_H
