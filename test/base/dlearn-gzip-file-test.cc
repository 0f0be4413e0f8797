/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-files.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace
{

using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

/** All bytes, read in pieces of the given size. */
std::string
ReadAll(const std::string& path, size_t piece)
{
    GzipFile file(path);
    std::string all;
    std::string buffer(piece, '\0');
    for (size_t got = piece; got == piece;)
    {
        got = file.Read(buffer.data(), piece);
        all.append(buffer, 0, got);
    }
    return all;
}

/** Bytes that compress badly, NUL and line feeds among them. */
std::string
MakeBytes(size_t size)
{
    std::string bytes(size, '\0');
    uint32_t state = 1;
    for (auto& byte : bytes)
    {
        state = state * 1664525 + 1013904223; // any fixed sequence does
        byte = static_cast<char>(state >> 24);
    }
    return bytes;
}

TEST(GzipFile, ReadsPlainAndCompressedAlike)
{
    const std::string bytes = MakeBytes(100000);
    const TemporaryFile plain(bytes);
    const TemporaryFile compressed(bytes, true);
    ASSERT_EQ(plain.GetBytes(), bytes);
    ASSERT_NE(compressed.GetBytes(), bytes);
    for (const size_t piece : {1, 1000, 1000000})
    {
        EXPECT_EQ(ReadAll(plain.GetPath(), piece), bytes);
        EXPECT_EQ(ReadAll(compressed.GetPath(), piece), bytes);
    }
    // A gzip file may consist of several parts, as "cat a.gz b.gz" makes.
    const TemporaryFile twice(compressed.GetBytes() + compressed.GetBytes());
    EXPECT_EQ(ReadAll(twice.GetPath(), 4096), bytes + bytes);
    EXPECT_EQ(ReadAll(TemporaryFile("").GetPath(), 10), "");
    EXPECT_EQ(ReadAll(TemporaryFile("", true).GetPath(), 10), "");
}

TEST(GzipFile, RefusesTruncatedData)
{
    const std::string whole = TemporaryFile(MakeBytes(300), true).GetBytes();
    // From 2 bytes on, the magic number says that it is gzip.
    for (size_t length = 2; length < whole.size(); ++length)
    {
        SCOPED_TRACE(std::to_string(length) + " of " + std::to_string(whole.size()) + " bytes");
        const TemporaryFile file(whole.substr(0, length));
        ExpectRefused<std::runtime_error>(
            [&] { ReadAll(file.GetPath(), 100); },
            file.GetPath() + ": cannot read: gzip data end too early, the file is truncated");
    }
}

TEST(GzipFile, RefusesDamagedData)
{
    std::string damaged = TemporaryFile(MakeBytes(300), true).GetBytes();
    damaged[damaged.size() - 8] ^= 1; // in the checksum
    const TemporaryFile file(damaged);
    ExpectRefused<std::runtime_error>([&] { ReadAll(file.GetPath(), 1000); },
                                      file.GetPath() + ": cannot read: incorrect data check");
}

TEST(GzipFile, RefusesWhatIsNoFile)
{
    ExpectRefused<std::runtime_error>([] { GzipFile("no/such-file"); },
                                      "no/such-file: cannot open: No such file or directory");
    ExpectRefused<std::runtime_error>([] { GzipFile("."); }, ".: cannot read: is a directory");
    ExpectRefused<std::runtime_error>([] { GzipFile("/dev/zero"); },
                                      "/dev/zero: cannot read: is not a regular file");
    ExpectRefused<std::runtime_error>([] { ReadTextFile("/dev/zero"); },
                                      "/dev/zero: cannot read: is not a regular file");
}

TEST(GzipFile, RefusesWhatFollowsTheData)
{
    const std::string whole = TemporaryFile(MakeBytes(300), true).GetBytes();
    for (const std::string more : {"x", "\x1f", "rubbish", "\n"})
    {
        const TemporaryFile file(whole + more);
        ExpectRefused<std::runtime_error>([&] { ReadAll(file.GetPath(), 100); },
                                          file.GetPath() + ": cannot read: has something else");
    }
}

// Zeros are compressed to a thousandth: 64 MiB to 64 KiB, which may unpack to that and no more.
TEST(GzipFile, RefusesToUnpackMoreThanOrdinaryData)
{
    const size_t most = size_t(1) << 26;
    const TemporaryFile full(std::string(most, '\0'), true);
    GzipFile file(full.GetPath());
    EXPECT_EQ(file.GetLimit(), most);
    EXPECT_EQ(ReadAll(full.GetPath(), most / 8 + 1).size(), most);
    const TemporaryFile bomb(full.GetBytes() + TemporaryFile("x", true).GetBytes());
    ExpectRefused<std::runtime_error>([&] { ReadAll(bomb.GetPath(), 4096); },
                                      bomb.GetPath() + ": unpacks to more than 67108864 bytes");
}

// Plain files of any size are read whole, and text files up to a size.
TEST(GzipFile, DoesNotLimitWhatIsNotCompressed)
{
    const size_t size = (size_t(1) << 26) + 1;
    const TemporaryFile plain(std::string(size, 'a'));
    EXPECT_EQ(ReadAll(plain.GetPath(), 1 << 20).size(), size);
    ExpectRefused([&] { ReadTextFile(plain.GetPath()); },
                  plain.GetPath() + ": must have at most 67108864 bytes, has 67108865");
}

} // namespace
