/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-packed-vector.h"

#include "dlearn-qsgd-encoding.h"
#include "dlearn-sparse-encoding.h"

namespace ns3::dlearn
{

bool
IsPackedSize(Encoding encoding, uint64_t dimension, uint64_t size)
{
    if (encoding == Encoding::QSGD)
    {
        return size >= GetQsgdSize(1, dimension) && size <= GetQsgdSize(MAX_QSGD_LEVELS, dimension);
    }
    const uint64_t entrySize = GetSparseSize(1, GetSparseNumbers(encoding));
    return size >= entrySize && size <= entrySize * dimension && size % entrySize == 0;
}

bool
UnpackVector(const PackedVector& packed, VectorRef values)
{
    return packed.encoding == Encoding::QSGD
               ? DecodeQsgd(packed.bytes, values)
               : DecodeSparse(packed.bytes, GetSparseNumbers(packed.encoding), values);
}

} // namespace ns3::dlearn
