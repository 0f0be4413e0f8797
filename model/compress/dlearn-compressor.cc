/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-compressor.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(Compressor, Object);

void
Compressor::Setup(uint32_t dimension, Encoding numbers, bool feedback)
{
    Require(dimension >= 1, "Compressor: dimension must be at least 1, got ", dimension);
    Require(IsDense(numbers),
            "Compressor: numbers must have a dense encoding, got ",
            +static_cast<uint8_t>(numbers));
    m_dimension = dimension;
    m_numbers = numbers;
    m_feedback = feedback;
    DoSetup();
}

PackedVector
Compressor::Compress(ConstVectorRef values)
{
    Require(m_dimension > 0, "Compressor: Setup() must come before Compress()");
    RequireSize("Compressor", "vector", values.size(), m_dimension);
    PackedVector packed = DoCompress(values);
    Require(!IsDense(packed.encoding) && packed.bytes.size() == GetPackedSize() &&
                IsPackedSize(packed.encoding, m_dimension, packed.bytes.size()),
            GetInstanceTypeId().GetName(),
            ": a vector must have a packed encoding that ",
            GetPackedSize(),
            " bytes can be, as GetPackedSize() says, got ",
            packed.bytes.size(),
            " bytes of encoding ",
            +static_cast<uint8_t>(packed.encoding));
    return packed;
}

void
Compressor::DoSetup()
{
}

int64_t
Compressor::AssignStreams(int64_t /* stream */)
{
    return 0;
}

} // namespace ns3::dlearn
