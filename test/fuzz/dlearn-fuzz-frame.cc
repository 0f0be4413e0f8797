/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-frame-dissector.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    const std::string ip = std::string("\x45\0\0\x20\0\0\0\0\x40\x11\0\0\x0a\0\0\1\x0a\0\0\2", 20);
    const std::string udp = std::string("\0\1\0\2\0\x0c\0\0abcd", 12);
    return {std::string(1, '\0') + ip + udp,
            std::string("\1\0\x21", 3) + ip + udp,
            "\2" + std::string(12, '\1') + std::string("\x08\0", 2) + ip + udp,
            std::string("\3\x08\1\0\0", 5) + std::string(20, '\1') +
                std::string("\xaa\xaa\3\0\0\0\x08\0", 8) + ip + udp};
}

void
Fuzz(Input& input)
{
    const auto kind = static_cast<FrameKind>(input.TakeByte() % 5);
    const auto bytes = input.TakeBytes(SIZE_MAX);
    const Dissection dissection = DissectFrame(kind, bytes.data(), bytes.size());
    unsigned sum = 0;
    for (const OverheardSegment& segment : dissection.segments)
    {
        for (uint32_t k = 0; k < segment.size; ++k)
        {
            sum += segment.payload[k]; // within the frame, or a sanitizer says so
        }
    }
    Demand(sum <= 255 * bytes.size() * (dissection.segments.size() + 1), "a byte has eight bits");
}

} // namespace ns3::dlearn::fuzz
