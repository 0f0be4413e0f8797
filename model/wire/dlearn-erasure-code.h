/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ERASURE_CODE_H
#define DLEARN_ERASURE_CODE_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A systematic erasure code over GF(256): of k pieces of data and any number of pieces of parity,
 * up to 255 together, any k pieces give the data. Parity p is the sum over j < k of inv((k + p) xor
 * j) times data piece j, a row of a Cauchy matrix [Bloemer et al., 1995], of which every square
 * part has an inverse. ISA-L computes it (Debian: libisal-dev).
 */
class ErasureCode
{
  public:
    /** Pieces of data and parity of a block, at most. */
    static constexpr uint32_t LARGEST_BLOCK = 255;

    using Piece = std::vector<uint8_t>; //!< bytes

    /** @return whether the library was built with ISA-L; without, nothing else may be called */
    static bool IsAvailable();

    /**
     * @param data pieces of one size, from 1 to LARGEST_BLOCK
     * @param row which parity, less than LARGEST_BLOCK less the number of pieces
     * @return the piece of parity
     */
    static Piece Encode(const std::vector<Piece>& data, uint32_t row);

    /**
     * @param data the pieces of data; missing ones are not set, and are computed
     * @param parity pieces of parity by row, of the size of the others
     * @return whether there was as much parity as missing data
     */
    static bool Decode(std::vector<std::optional<Piece>>& data,
                       const std::map<uint32_t, Piece>& parity);
};

} // namespace ns3::dlearn

#endif // DLEARN_ERASURE_CODE_H
