/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sparse-encoding.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-network-order.h"

#include <algorithm>
#include <functional>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t INDEX_SIZE = 4; //!< bytes of an index

/// The sparse encodings are numbered as the dense ones of their values.
constexpr uint8_t FIRST_SPARSE = static_cast<uint8_t>(Encoding::SPARSE32);
static_assert(static_cast<uint8_t>(Encoding::SPARSE64) - FIRST_SPARSE ==
                      static_cast<uint8_t>(Encoding::FLOAT64) &&
                  static_cast<uint8_t>(Encoding::SPARSE16) - FIRST_SPARSE ==
                      static_cast<uint8_t>(Encoding::FLOAT16),
              "sparse and dense encodings have the same order");

} // namespace

Encoding
GetSparseEncoding(Encoding numbers)
{
    return static_cast<Encoding>(static_cast<uint8_t>(numbers) + FIRST_SPARSE);
}

Encoding
GetSparseNumbers(Encoding encoding)
{
    return static_cast<Encoding>(static_cast<uint8_t>(encoding) - FIRST_SPARSE);
}

uint64_t
GetSparseSize(uint64_t count, Encoding numbers)
{
    return count * (INDEX_SIZE + GetNumberSize(numbers));
}

std::vector<uint8_t>
EncodeSparse(const std::vector<uint32_t>& indices, ConstVectorRef values, Encoding numbers)
{
    RequireSize("EncodeSparse", "values", values.size(), indices.size());
    Require(std::adjacent_find(indices.begin(), indices.end(), std::greater_equal<>()) ==
                indices.end(),
            "EncodeSparse: indices must ascend, each once");
    std::vector<uint8_t> bytes(GetSparseSize(indices.size(), numbers));
    uint8_t* next = bytes.data();
    for (const uint32_t index : indices)
    {
        Put32(next, index);
        next += INDEX_SIZE;
    }
    EncodeVector(values, numbers, next);
    return bytes;
}

bool
DecodeSparse(const std::vector<uint8_t>& bytes, Encoding numbers, VectorRef values)
{
    const uint64_t entrySize = GetSparseSize(1, numbers);
    const size_t count = bytes.size() / entrySize;
    if (bytes.size() % entrySize != 0 || count > static_cast<size_t>(values.size()))
    {
        return false;
    }
    ModelVector entries(count);
    DecodeVector(bytes.data() + count * INDEX_SIZE, numbers, entries);
    values.setZero();
    int64_t last = -1;
    for (size_t k = 0; k < count; ++k)
    {
        const int64_t index = Get32(bytes.data() + k * INDEX_SIZE);
        if (index <= last || index >= values.size())
        {
            return false;
        }
        values[index] = entries[static_cast<Eigen::Index>(k)];
        last = index;
    }
    return true;
}

} // namespace ns3::dlearn
