/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SPARSE_ENCODING_H
#define DLEARN_SPARSE_ENCODING_H

#include "dlearn-encoding.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param numbers a dense encoding
 * @return the sparse encoding whose values are written so
 */
Encoding GetSparseEncoding(Encoding numbers);

/**
 * @ingroup dlearn
 * @param encoding a sparse encoding
 * @return the dense encoding of its values
 */
Encoding GetSparseNumbers(Encoding encoding);

/**
 * @ingroup dlearn
 * @param count entries that are sent, k
 * @param numbers how their values are written, a dense encoding
 * @return k (4 + w), bytes on the wire
 */
uint64_t GetSparseSize(uint64_t count, Encoding numbers);

/**
 * @ingroup dlearn
 * Write some entries of a vector; a reader takes all others for 0. The format, for k entries
 * whose numbers have w bytes:
 *
 *     0                                  4 k
 *     k indices, 4 bytes each, ascending   k values, w bytes each
 *
 * @param indices which entries, ascending
 * @param values the entries, as many
 * @param numbers how to write the values, a dense encoding
 * @return the bytes
 */
std::vector<uint8_t> EncodeSparse(const std::vector<uint32_t>& indices,
                                  ConstVectorRef values,
                                  Encoding numbers);

/**
 * @ingroup dlearn
 * Read what EncodeSparse() wrote. Trusts nothing.
 *
 * @param bytes the bytes
 * @param numbers how the values are written, a dense encoding
 * @param values result, of the vector's full length
 * @return whether the bytes are some entries of such a vector: a whole number of them, with
 *         ascending indices in its range; the entries may be NaN or infinite
 */
bool DecodeSparse(const std::vector<uint8_t>& bytes, Encoding numbers, VectorRef values);

} // namespace ns3::dlearn

#endif // DLEARN_SPARSE_ENCODING_H
