/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-encoding.h"
#include "ns3/dlearn-model-header.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {std::string("\0\3", 2) + std::string(12, '\1'),
            "\3\4" + std::string(20, '\1'),
            std::string("\6\10\0\0\200\77\3\0\0\0", 10) + std::string(8, '\2')};
}

void
Fuzz(Input& input)
{
    const auto encoding = static_cast<Encoding>(input.TakeByte() % ENCODINGS);
    ModelVector values(input.TakeByte());
    if (IsDense(encoding))
    {
        const size_t size = values.size() * GetNumberSize(encoding);
        std::vector<uint8_t> bytes = input.TakeBytes(size);
        bytes.resize(size);
        if (DecodeVector(bytes.data(), encoding, values))
        {
            Demand(values.allFinite(), "what is said to be finite is");
            std::vector<uint8_t> again(size);
            EncodeVector(values, encoding, again.data());
            Demand(again == bytes, "the numbers are written as they were");
        }
        return;
    }
    PackedVector packed{encoding, input.TakeBytes(SIZE_MAX)};
    if (IsPackedSize(encoding, values.size(), packed.bytes.size()))
    {
        UnpackVector(packed, values);
    }
}

} // namespace ns3::dlearn::fuzz
