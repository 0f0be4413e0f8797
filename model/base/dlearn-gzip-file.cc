/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gzip-file.h"

#include "dlearn-regular-file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>
#include <zlib.h>

namespace ns3::dlearn
{

namespace
{

constexpr size_t BLOCK = size_t(1) << 16;       //!< bytes that are read at once
constexpr uint64_t LEAST = uint64_t(1) << 26;   //!< what any file may unpack to
constexpr uint64_t RATIO = 64;                  //!< a larger file may unpack to so much of its size
constexpr int GZIP_WINDOW = 15 + 16;            //!< for zlib: the largest window, gzip format
constexpr const char* MAGIC = "\x1f\x8b";       //!< what data in gzip format begin with
constexpr unsigned char EMPTY[] = {'\0', '\0'}; //!< stands for no bytes at all

} // namespace

/** An open file, and what zlib knows of it. */
class GzipFile::Source
{
  public:
    /** @param path the file */
    explicit Source(const std::string& path)
        : m_file(std::fopen(path.c_str(), "rb"), &std::fclose),
          m_block(BLOCK)
    {
        if (!m_file)
        {
            throw std::runtime_error(path + ": cannot open: " + std::strerror(errno));
        }
        m_stream.next_in = const_cast<unsigned char*>(EMPTY);
    }

    ~Source()
    {
        if (m_compressed)
        {
            inflateEnd(&m_stream);
        }
    }

    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    /** Find out whether the data are in gzip format. */
    void Begin()
    {
        Refill();
        m_compressed = AtMagic() && inflateInit2(&m_stream, GZIP_WINDOW) == Z_OK;
    }

    /**
     * @param buffer where to put the next bytes
     * @param size room in the buffer
     * @return how many there are; 0 only at the end of the file
     */
    size_t Read(char* buffer, size_t size)
    {
        if (!m_compressed)
        {
            if (m_stream.avail_in == 0)
            {
                Refill();
            }
            const size_t got = std::min<size_t>(size, m_stream.avail_in);
            std::memcpy(buffer, m_stream.next_in, got);
            m_stream.next_in += got;
            m_stream.avail_in -= static_cast<unsigned>(got);
            return got;
        }
        const auto room = static_cast<unsigned>(std::min(size, size_t(1) << 30));
        m_stream.next_out = reinterpret_cast<unsigned char*>(buffer);
        m_stream.avail_out = room;
        while (m_stream.avail_out == room && BeginMember())
        {
            Inflate();
        }
        return room - m_stream.avail_out;
    }

  private:
    /** Have more bytes of the file, unless it has ended. */
    void Refill()
    {
        // Those that are left go to the front, so that a magic number is in one piece.
        std::memmove(m_block.data(), m_stream.next_in, m_stream.avail_in);
        const size_t got = std::fread(m_block.data() + m_stream.avail_in,
                                      1,
                                      BLOCK - m_stream.avail_in,
                                      m_file.get());
        if (std::ferror(m_file.get()))
        {
            throw std::runtime_error(std::strerror(errno));
        }
        m_stream.next_in = m_block.data();
        m_stream.avail_in += static_cast<unsigned>(got);
    }

    /** @return whether the next bytes begin data in gzip format */
    bool AtMagic() const
    {
        return m_stream.avail_in >= 2 && std::memcmp(m_stream.next_in, MAGIC, 2) == 0;
    }

    /** @return whether there is a part to read: this one, or another that follows it */
    bool BeginMember()
    {
        if (!m_ended)
        {
            return true;
        }
        if (m_stream.avail_in < 2)
        {
            Refill();
        }
        if (m_stream.avail_in == 0)
        {
            return false;
        }
        if (!AtMagic())
        {
            throw std::runtime_error("has something else after its gzip data");
        }
        m_ended = false;
        return inflateReset(&m_stream) == Z_OK;
    }

    /** Decompress what there is. */
    void Inflate()
    {
        if (m_stream.avail_in == 0)
        {
            Refill();
            if (m_stream.avail_in == 0)
            {
                throw std::runtime_error("gzip data end too early, the file is truncated");
            }
        }
        const int status = inflate(&m_stream, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        {
            throw std::runtime_error(m_stream.msg ? m_stream.msg : "damaged gzip data");
        }
        m_ended = status == Z_STREAM_END;
    }

    std::unique_ptr<std::FILE, int (*)(std::FILE*)> m_file; //!< the bytes
    std::vector<unsigned char> m_block;                     //!< some of them
    z_stream m_stream{};                                    //!< where in the block, and the rest
    bool m_compressed{false};                               //!< whether it is in gzip format
    bool m_ended{false};                                    //!< whether a part of it has ended
};

GzipFile::GzipFile(const std::string& path)
    : m_path(path),
      m_limit(std::max(LEAST, RATIO * GetRegularFileSize(path))),
      m_source(std::make_unique<Source>(path))
{
    Try([this] {
        m_source->Begin();
        return size_t(0);
    });
}

GzipFile::~GzipFile() = default;

size_t
GzipFile::Try(const std::function<size_t()>& read)
{
    try
    {
        return read();
    }
    catch (const std::runtime_error& error)
    {
        throw std::runtime_error(m_path + ": cannot read: " + error.what());
    }
}

size_t
GzipFile::Read(char* buffer, size_t size)
{
    size_t done = 0;
    while (done < size)
    {
        const size_t got = Try([&] { return m_source->Read(buffer + done, size - done); });
        if (got == 0)
        {
            break;
        }
        done += got;
    }
    m_read += done;
    if (m_read > m_limit)
    {
        throw std::runtime_error(m_path + ": unpacks to more than " + std::to_string(m_limit) +
                                 " bytes, the most that is read of a compressed file of its size");
    }
    return done;
}

} // namespace ns3::dlearn
