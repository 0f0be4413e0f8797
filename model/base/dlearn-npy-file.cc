/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-npy-file.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"

#include <regex>

namespace ns3::dlearn
{

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are here");

namespace
{

const std::string MAGIC = "\x93NUMPY";

constexpr size_t PREFIX = 10;    //!< bytes before the header of version 1
constexpr size_t ALIGNMENT = 64; //!< of the first number
constexpr size_t MOST = 1 << 30; //!< numbers in a file that is read

/** @return a file with no numbers yet */
std::string
BeginNpy(const std::string& shape)
{
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize((PREFIX + header.size()) / ALIGNMENT * ALIGNMENT + ALIGNMENT - PREFIX - 1, ' ');
    header += '\n';
    const auto size = static_cast<uint16_t>(header.size());
    return MAGIC + std::string{1, 0, static_cast<char>(size & 0xff), static_cast<char>(size >> 8)} +
           header;
}

void
Append(const ModelVector& model, std::string& file)
{
    file.append(reinterpret_cast<const char*>(model.data()), model.size() * sizeof(double));
}

void
ReadBytes(GzipFile& file, char* bytes, size_t size)
{
    Require(file.Read(bytes, size) == size, "{}: is cut off", file.GetPath());
}

/** @return the next bytes of a file */
std::string
ReadText(GzipFile& file, size_t size)
{
    std::string bytes(size, '\0');
    ReadBytes(file, bytes.data(), size);
    return bytes;
}

/** @return a number of bytes, the lowest first */
size_t
ToNumber(const std::string& bytes)
{
    size_t number = 0;
    for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte)
    {
        number = number << 8 | static_cast<unsigned char>(*byte);
    }
    return number;
}

/** @return the number of entries of a shape such as "3, 4" or "12," */
size_t
CountEntries(const std::string& path, const std::string& shape)
{
    static const std::regex NUMBER("[0-9]+");
    double entries = 1;
    for (std::sregex_iterator k(shape.begin(), shape.end(), NUMBER); k != std::sregex_iterator();
         ++k)
    {
        entries *= std::stod(k->str());
    }
    Require(entries >= 1 && entries <= MOST,
            "{}: must have 1 to {} numbers, its shape is ({})",
            path,
            MOST,
            shape);
    return static_cast<size_t>(entries);
}

template <typename Scalar>
ModelVector
ReadNumbers(GzipFile& file, size_t entries)
{
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> numbers(entries);
    ReadBytes(file, reinterpret_cast<char*>(numbers.data()), entries * sizeof(Scalar));
    return numbers.template cast<double>();
}

} // namespace

std::string
MakeNpy(const ModelVector& model)
{
    std::string file = BeginNpy(std::to_string(model.size()) + ",");
    Append(model, file);
    return file;
}

std::string
MakeNpy(const std::vector<ModelVector>& models)
{
    const Eigen::Index entries = models.empty() ? 0 : models.front().size();
    std::string file = BeginNpy(std::to_string(models.size()) + ", " + std::to_string(entries));
    for (const ModelVector& model : models)
    {
        Require(model.size() == entries, "MakeNpy: all models must have {} entries", entries);
        Append(model, file);
    }
    return file;
}

ModelVector
ReadNpy(const std::string& path)
{
    GzipFile file(path);
    std::string start(MAGIC.size() + 2, '\0');
    start.resize(file.Read(start.data(), start.size()));
    Require(start.size() == MAGIC.size() + 2 && start.rfind(MAGIC, 0) == 0,
            "{}: is not a file of NumPy, such as numpy.save() writes",
            path);
    const size_t length = ToNumber(ReadText(file, start[MAGIC.size()] == 1 ? 2 : 4));
    Require(length <= 65535, "{}: its header must have at most 65535 bytes, got {}", path, length);
    const std::string header = ReadText(file, length);
    static const std::regex DESCR("'descr': *'<f([48])'");
    static const std::regex ORDER("'fortran_order': *False");
    static const std::regex SHAPE("'shape': *\\(([0-9, ]*)\\)");
    std::smatch descr;
    std::smatch shape;
    Require(std::regex_search(header, descr, DESCR) && std::regex_search(header, ORDER) &&
                std::regex_search(header, shape, SHAPE),
            "{}: must have little-endian floats of 32 or 64 bits in C order, as "
            "numpy.ascontiguousarray(x, '<f8') makes; its header is {}",
            path,
            header.substr(0, header.find_last_not_of(" \n") + 1));
    const size_t entries = CountEntries(path, shape[1]);
    const ModelVector model =
        descr[1] == "4" ? ReadNumbers<float>(file, entries) : ReadNumbers<double>(file, entries);
    Require(model.allFinite(), "{}: all numbers must be finite", path);
    return model;
}

} // namespace ns3::dlearn
