/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-idx-reader.h"

#include "ns3/dlearn-gzip-file.h"

#include <array>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t IMAGES_MAGIC = 2051; //!< bytes (8), three dimensions (3)
constexpr uint32_t LABELS_MAGIC = 2049; //!< bytes (8), one dimension (1)

/** A file of which every message begins with its name. */
class IdxFile
{
  public:
    /** @param path the file */
    explicit IdxFile(const std::string& path)
        : m_file(path)
    {
    }

    /**
     * @param bytes gets as many bytes as it has room for
     * @param what they are, for the message when the file ends before
     */
    void Read(std::vector<uint8_t>& bytes, const std::string& what)
    {
        const size_t got = m_file.Read(reinterpret_cast<char*>(bytes.data()), bytes.size());
        if (got < bytes.size())
        {
            Refuse("ends too early: ", what, " should have ", bytes.size(), " bytes, got ", got);
        }
    }

    /**
     * @param what the number is, for the message
     * @return the next big-endian number
     */
    uint32_t ReadNumber(const std::string& what)
    {
        std::vector<uint8_t> bytes(4);
        Read(bytes, what);
        return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 |
               bytes[3];
    }

    /** @param wanted the magic number that the file must begin with */
    void CheckMagic(uint32_t wanted)
    {
        const uint32_t magic = ReadNumber("the magic number");
        if (magic != wanted)
        {
            Refuse("the magic number must be ", wanted, ", got ", magic);
        }
    }

    /** Refuse anything after the data. */
    void CheckEnd()
    {
        char more = 0;
        if (m_file.Read(&more, 1) > 0)
        {
            Refuse("has more bytes than its sizes say");
        }
    }

    /** @param bytes how many the sizes promise */
    void CheckFits(uint64_t bytes) const
    {
        if (bytes > m_file.GetLimit())
        {
            Refuse("should have ", bytes, " pixels, more than a file of its size unpacks to");
        }
    }

    /** @param parts of the message */
    template <typename... Parts>
    [[noreturn]] void Refuse(const Parts&... parts) const
    {
        std::ostringstream message;
        message << m_file.GetPath() << ": ";
        (message << ... << parts);
        throw std::runtime_error(message.str());
    }

  private:
    GzipFile m_file; //!< the bytes
};

} // namespace

Dataset
ReadIdx(const std::string& images, const std::string& labels, const std::string& name)
{
    IdxFile imageFile(images);
    imageFile.CheckMagic(IMAGES_MAGIC);
    const uint32_t count = imageFile.ReadNumber("the number of images");
    const uint32_t rows = imageFile.ReadNumber("the number of rows");
    const uint32_t columns = imageFile.ReadNumber("the number of columns");
    if (count == 0 || rows == 0 || columns == 0)
    {
        imageFile.Refuse("sizes must not be 0, got ", count, " x ", rows, " x ", columns);
    }
    IdxFile labelFile(labels);
    labelFile.CheckMagic(LABELS_MAGIC);
    const uint32_t labelCount = labelFile.ReadNumber("the number of labels");
    if (labelCount != count)
    {
        labelFile.Refuse("must have as many labels as ",
                         images,
                         " has images, ",
                         count,
                         "; got ",
                         labelCount);
    }
    const uint64_t pixels = uint64_t{rows} * columns;
    RequireDenseSize(images, pixels, count);
    imageFile.CheckFits(pixels * count);
    Dataset data;
    data.name = name;
    data.shape = {1, rows, columns};
    data.features.resize(static_cast<Eigen::Index>(pixels), count);
    data.labels.resize(count);
    std::vector<uint8_t> image(pixels);
    std::vector<uint8_t> label(1);
    uint32_t largest = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        imageFile.Read(image, "image " + std::to_string(k));
        labelFile.Read(label, "label " + std::to_string(k));
        for (uint64_t pixel = 0; pixel < pixels; ++pixel)
        {
            data.features(static_cast<Eigen::Index>(pixel), k) = image[pixel] / 255.0;
        }
        data.labels[k] = label[0];
        largest = std::max<uint32_t>(largest, label[0]);
    }
    imageFile.CheckEnd();
    labelFile.CheckEnd();
    data.classes = std::max(largest + 1, 2U);
    for (uint32_t k = 0; k < data.classes; ++k)
    {
        data.labelNames.push_back(std::to_string(k));
    }
    data.Validate();
    return data;
}

} // namespace ns3::dlearn
