/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-message-receiver.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    std::string seed;
    for (const char offset : {'\0', '\x8', '\0'})
    {
        seed += std::string("\0\1\1\2\2", 5) + offset + "\x8\x10" + std::string(8, 'x');
    }
    return {seed, std::string("\1\6\1\0\1\0\x10\x10", 8) + std::string(16, '\1')};
}

/** Header and payload as they are read from a socket. */
void
Fuzz(Input& input)
{
    MessageAssembler assembler(4, 1 << 16);
    while (input.HasMore())
    {
        ModelHeader header;
        const bool raw = input.TakeByte() % 8 == 7;
        header.encoding = static_cast<Encoding>(input.TakeByte() % ENCODINGS);
        header.channel = static_cast<ModelChannel>(input.TakeByte() % 4 + 1);
        header.sender = input.TakeByte() % 3;
        header.round = input.TakeByte() % 8;
        header.fragmentOffset = input.TakeByte();
        header.payloadLength = input.TakeByte();
        header.messageLength = input.TakeByte();
        header.vectorLength = header.messageLength / 4;
        std::vector<uint8_t> payload = input.TakeBytes(header.payloadLength);
        payload.resize(header.payloadLength);
        if (raw)
        {
            auto bytes = input.TakeBytes(ModelHeader::SIZE);
            bytes.resize(ModelHeader::SIZE);
            header.Read(bytes.data());
            payload.resize(std::min(header.payloadLength, uint32_t{1} << 12));
        }
        if (!header.IsValid() || payload.size() < header.payloadLength)
        {
            continue;
        }
        header.Seal(payload.data());
        Demand(header.IsIntact(payload.data()), "a sealed fragment is intact");
        const MessageAssembler::Key key{header.sender, header.channel, header.round};
        if (assembler.Add(header, payload.data()) == MessageAssembler::Result::COMPLETE)
        {
            const auto flaw = assembler.GetFlaw(key);
            const auto arrival = assembler.Take(key);
            Demand(flaw != MessageAssembler::Flaw::NONE ||
                       (arrival && arrival->IsComplete() && arrival->values.allFinite()),
                   "a whole message without flaw is a finite vector");
        }
    }
    assembler.Clear();
    Demand(assembler.GetBytes() == 0, "an empty assembler takes no memory");
}

} // namespace ns3::dlearn::fuzz
