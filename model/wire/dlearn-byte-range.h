/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BYTE_RANGE_H
#define DLEARN_BYTE_RANGE_H

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Bytes of a message in a row.
 */
struct ByteRange
{
    uint32_t begin; //!< the first
    uint32_t end;   //!< behind the last, more than begin

    /** @return whether two ranges are the same */
    friend bool operator==(const ByteRange& a, const ByteRange& b)
    {
        return a.begin == b.begin && a.end == b.end;
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_BYTE_RANGE_H
