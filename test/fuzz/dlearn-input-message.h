/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_INPUT_MESSAGE_H
#define DLEARN_INPUT_MESSAGE_H

#include "dlearn-fuzz.h"

#include "ns3/dlearn-model-header.h"

/**
 * @file
 * What attackers of whole runs send.
 */

namespace ns3::dlearn::fuzz
{

/** What the header of a fragment says, where it is right. */
struct Truth
{
    LearnerId sender{0};                //!< who sends
    uint32_t rounds{1};                 //!< of the run
    uint32_t length{1};                 //!< numbers of a model
    std::vector<ModelChannel> channels; //!< that the receiver listens to
};

/**
 * @param input says what is wrong
 * @param what of its bits: 2 for a header, in which 4: any round, 8: any length, 16: any offset,
 * 32: any length of the message; 64: as many bytes as a whole vector has
 * @param truth what is right
 * @return bytes of the input, maybe behind a header with a checksum that is right
 */
std::vector<uint8_t> TakeMessage(Input& input, uint8_t what, const Truth& truth);

} // namespace ns3::dlearn::fuzz

#endif // DLEARN_INPUT_MESSAGE_H
