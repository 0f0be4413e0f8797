/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-frame-dissector.h"

namespace ns3::dlearn::fuzz
{

namespace
{

/** @return a valid fragment of four numbers */
std::string
MakeFragment()
{
    const std::vector<uint8_t> payload(16, 0);
    ModelHeader header;
    header.vectorLength = 4;
    header.payloadLength = header.messageLength = 16;
    header.Seal(payload.data());
    std::string bytes(ModelHeader::SIZE, '\0');
    header.Write(reinterpret_cast<uint8_t*>(bytes.data()));
    return bytes + std::string(payload.begin(), payload.end());
}

} // namespace

std::vector<std::string>
GetSeeds()
{
    const std::string part = MakeFragment();
    return {std::string("\0\1", 2) + part.substr(0, 40) + std::string("\0\x29", 2) +
                part.substr(40) + "\2\x31",
            std::string("\0\x05", 2) + "junk" + part + std::string("\3\1", 2)};
}

void
Fuzz(Input& input)
{
    OverheardStream stream(512);
    const auto visit = [](const ModelHeader& header, const uint8_t* payload) {
        Demand(header.IsValid() && header.IsIntact(payload), "only intact fragments are shown");
    };
    while (input.HasMore())
    {
        const uint8_t what = input.TakeByte();
        const uint32_t sequence = what & 64 ? input.TakeNumber() : input.TakeByte();
        if (what % 4 == 1)
        {
            stream.Begin(sequence);
        }
        else if (what % 4 == 2)
        {
            stream.Acknowledge(sequence, visit);
        }
        else if (what % 4 == 3)
        {
            stream.End(sequence);
        }
        else
        {
            const auto bytes = input.TakeBytes(40);
            stream.Add(sequence, bytes.data(), static_cast<uint32_t>(bytes.size()), visit);
        }
        Demand(stream.GetBytes() < (4 << 20), "a stream takes bounded memory");
    }
}

} // namespace ns3::dlearn::fuzz
