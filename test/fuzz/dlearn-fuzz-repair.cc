/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-repair-progress.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    RepairDatagram report;
    report.kind = RepairDatagram::Kind::REPORT;
    report.messageLength = 100;
    report.words = {0, 10, 90, 100};
    const auto bytes = report.Write();
    return {std::string(bytes.begin(), bytes.end()), std::string(30, '\1')};
}

/** A poll or report as it is read from a socket, and what a sender makes of it. */
void
Fuzz(Input& input)
{
    std::vector<uint8_t> bytes = input.TakeBytes(4096);
    auto datagram = RepairDatagram::Read(bytes.data(), bytes.size());
    if (datagram)
    {
        Demand(datagram->Write() == bytes, "what is read is written as it was");
    }
    else
    {
        // The checksum lets hardly any input pass: take the words as they come.
        datagram.emplace();
        datagram->messageLength = 4096;
        for (const uint8_t byte : bytes)
        {
            datagram->words.push_back(byte * 17);
        }
    }
    uint32_t last = 0;
    const auto ranges = datagram->GetRanges();
    for (const ByteRange& range : ranges)
    {
        Demand(range.begin >= last && range.begin < range.end, "ranges are in order");
        Demand(range.end <= datagram->messageLength, "ranges are within the message");
        last = range.end;
    }
    if (datagram->messageLength > 1 << 20)
    {
        return;
    }
    RepairProgress progress(datagram->messageLength, 64, {1}, {}, {});
    uint32_t sent = 0;
    while (progress.IsOpen())
    {
        for (; progress.HasPart(); progress.TakePart())
        {
            ++sent;
        }
        progress.BeginPoll();
        progress.TakeReport(1, ranges);
        progress.EndPoll();
    }
    const uint32_t fragments = (datagram->messageLength - 1) / 64 + 1;
    Demand(sent <= 6 * fragments, "repairs are bounded");
}

} // namespace ns3::dlearn::fuzz
