/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-erasure-code.h"

#include <algorithm>

#ifdef DLEARN_WITH_ISAL
#include <isa-l/erasure_code.h>
#endif

namespace ns3::dlearn
{

#ifdef DLEARN_WITH_ISAL

namespace
{

/** Bytes that ISA-L needs for each entry of a matrix. */
constexpr uint32_t TABLE_BYTES = 32;

/** @return the entries of a row of the code for @p pieces of data */
std::vector<uint8_t>
GetRow(uint32_t pieces, uint32_t row)
{
    std::vector<uint8_t> entries(pieces);
    for (uint32_t j = 0; j < pieces; ++j)
    {
        entries[j] = gf_inv(static_cast<uint8_t>((pieces + row) ^ j));
    }
    return entries;
}

/** @return the product of a matrix and pieces: a piece for each row */
std::vector<ErasureCode::Piece>
Multiply(std::vector<uint8_t> matrix, const std::vector<const ErasureCode::Piece*>& pieces)
{
    const auto columns = static_cast<int>(pieces.size());
    const auto rows = static_cast<int>(matrix.size() / pieces.size());
    const size_t size = pieces.front()->size();
    std::vector<uint8_t> tables(matrix.size() * TABLE_BYTES);
    ec_init_tables(columns, rows, matrix.data(), tables.data());
    std::vector<ErasureCode::Piece> products(rows, ErasureCode::Piece(size));
    std::vector<uint8_t*> from; // ISA-L does not write there
    std::vector<uint8_t*> to;
    for (const auto* piece : pieces)
    {
        from.push_back(const_cast<uint8_t*>(piece->data()));
    }
    for (auto& product : products)
    {
        to.push_back(product.data());
    }
    ec_encode_data(static_cast<int>(size), columns, rows, tables.data(), from.data(), to.data());
    return products;
}

} // namespace

bool
ErasureCode::IsAvailable()
{
    return true;
}

ErasureCode::Piece
ErasureCode::Encode(const std::vector<Piece>& data, uint32_t row)
{
    std::vector<const Piece*> pieces;
    for (const Piece& piece : data)
    {
        pieces.push_back(&piece);
    }
    return Multiply(GetRow(data.size(), row), pieces).front();
}

bool
ErasureCode::Decode(std::vector<std::optional<Piece>>& data,
                    const std::map<uint32_t, Piece>& parity)
{
    const auto size = static_cast<uint32_t>(data.size());
    std::vector<const Piece*> pieces; // those that are there, data first
    std::vector<uint8_t> matrix;      // their rows
    std::vector<uint32_t> missing;
    for (uint32_t j = 0; j < size; ++j)
    {
        if (!data[j])
        {
            missing.push_back(j);
            continue;
        }
        pieces.push_back(&*data[j]);
        matrix.resize(matrix.size() + size);
        matrix[matrix.size() - size + j] = 1;
    }
    for (auto row = parity.begin(); row != parity.end() && pieces.size() < size; ++row)
    {
        pieces.push_back(&row->second);
        const auto entries = GetRow(size, row->first);
        matrix.insert(matrix.end(), entries.begin(), entries.end());
    }
    std::vector<uint8_t> inverse(matrix.size());
    if (missing.empty() || pieces.size() < size ||
        gf_invert_matrix(matrix.data(), inverse.data(), static_cast<int>(size)) != 0)
    {
        return missing.empty();
    }
    std::vector<uint8_t> rows;
    for (const uint32_t j : missing)
    {
        rows.insert(rows.end(), inverse.begin() + j * size, inverse.begin() + (j + 1) * size);
    }
    auto found = Multiply(rows, pieces);
    for (size_t k = 0; k < missing.size(); ++k)
    {
        data[missing[k]] = std::move(found[k]);
    }
    return true;
}

#else

bool
ErasureCode::IsAvailable()
{
    return false;
}

ErasureCode::Piece
ErasureCode::Encode(const std::vector<Piece>& /* data */, uint32_t /* row */)
{
    return {}; // not called
}

bool
ErasureCode::Decode(std::vector<std::optional<Piece>>& /* data */,
                    const std::map<uint32_t, Piece>& /* parity */)
{
    return false; // not called
}

#endif

} // namespace ns3::dlearn
