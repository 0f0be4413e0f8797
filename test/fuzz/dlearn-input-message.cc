/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-input-message.h"

#include "ns3/dlearn-wire-attacks.h"

namespace ns3::dlearn::fuzz
{

namespace
{

/** Lends the attackers' way to make a fragment. */
class Sealer : public WireBehavior
{
  public:
    using WireBehavior::Seal;
};

} // namespace

std::vector<uint8_t>
TakeMessage(Input& input, uint8_t what, const Truth& truth)
{
    std::vector<uint8_t> bytes = input.TakeBytes(input.TakeByte());
    if (!(what & 2))
    {
        return bytes;
    }
    ModelHeader header;
    header.encoding = static_cast<Encoding>(input.TakeByte() % ENCODINGS);
    header.channel = truth.channels[input.TakeByte() % truth.channels.size()];
    header.round = what & 4 ? input.TakeNumber() : input.TakeByte() % truth.rounds;
    header.sender = truth.sender;
    header.vectorLength = what & 8 ? input.TakeNumber() : truth.length;
    if (what & 64)
    {
        bytes.resize(truth.length * std::max(GetNumberSize(header.encoding), 1U));
    }
    header.fragmentOffset = what & 16 ? input.TakeNumber() : 0;
    header.messageLength = what & 32 ? input.TakeNumber() : bytes.size();
    return Sealer::Seal(header, bytes);
}

} // namespace ns3::dlearn::fuzz
