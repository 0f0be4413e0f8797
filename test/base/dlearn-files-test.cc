/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

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
        ExpectRefused<std::runtime_error>([&] { ReadAll(file.GetPath(), 100); },
                                          file.GetPath() + ": cannot read: unexpected end of file");
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

} // namespace

using namespace ns3;

namespace
{

RowMatrix<double>
Read(const std::string& text)
{
    const std::string path = testing::TempDir() + "dlearn-csv-rows-test.csv";
    WriteTextFile(path, text);
    return ReadCsvRows(path);
}

} // namespace

TEST(CsvRows, ReadsNumbers)
{
    RowMatrix<double> wanted(2, 3);
    wanted << 1, -2.5, 3e30, 0.1, 1e-300, 7;
    EXPECT_EQ(Read("1,-2.5,3e30\n0.1,1e-300,7\n"), wanted);
    EXPECT_EQ(Read("\n 1 ,-2.5,\t3e30\r\n\r\n0.1,1e-300,+7"), wanted);
    EXPECT_EQ(Read("\xEF\xBB\xBF" // a byte order mark
                   "1,-2.5,3e30\n0.1,1e-300,7\n"),
              wanted);
    const RowMatrix<double> special = Read("nan,inf,-inf");
    EXPECT_TRUE(std::isnan(special(0, 0)));
    EXPECT_EQ(special(0, 1), HUGE_VAL);
    EXPECT_EQ(special(0, 2), -HUGE_VAL);
}

TEST(CsvRows, SaysWhereItIsWrong)
{
    ExpectRefused([] { Read("1,2\n3, x\n"); }, "test.csv:2:4: 'x' is not a number");
    ExpectRefused([] { Read("1\n\xEF\xBB\xBF\x32\n"); },
                  "test.csv:2:1: '\xEF\xBB\xBF\x32' is not a");
    ExpectRefused([] { Read("1,,2\n"); }, "test.csv:1:3: '' is not a number");
    ExpectRefused([] { Read("1,2,\n"); }, "test.csv:1:5: '' is not a number");
    ExpectRefused([] { Read(",1\n"); }, "test.csv:1:1: '' is not a number");
    ExpectRefused([] { Read("1 2\n"); }, "test.csv:1:1: '1 2' is not a number");
    ExpectRefused([] { Read("1,1e999\n"); }, "test.csv:1:3: '1e999' is not a number that a double");
    ExpectRefused([] { Read("1,2\n\n3\n"); }, "test.csv:3: vectors must be of one length, got 1");
    ExpectRefused([] { Read("1\n2,3\n"); }, "got 2 numbers after vectors of 1");
    ExpectRefused([] { Read("\n \n"); }, "contains no vector");
    ExpectRefused<std::runtime_error>([] { ReadCsvRows("/no/such/file"); }, "/no/such/file");
}

namespace ns3::dlearn
{

namespace
{

/** A folder for the files of a test. */
class OutputFiles : public testing::Test
{
  protected:
    OutputFiles()
        : m_folder(testing::TempDir() + "dlearn-output-file/")
    {
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
    }

    ~OutputFiles() override { std::filesystem::remove_all(m_folder); }

    /** @return how many files there are */
    size_t CountFiles() const
    {
        const std::filesystem::directory_iterator files(m_folder);
        return std::distance(begin(files), end(files));
    }

    const std::string m_folder; //!< ends with a slash
};

TEST_F(OutputFiles, OfALibraryAreWholeUnlessTheDiskIsFull)
{
    const std::string path = m_folder + "a.txt";
    WriteTextFile(path, "text");
    RequireWhole(path, "a.txt");
    EXPECT_EQ(ReadTextFile(path), "text");
    RequireWhole("/dev/null", "/dev/null");
    rlimit old{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit full = old;
    full.rlim_cur = 4; // no file may be larger, as if the disk were full
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
    ExpectRefused<std::runtime_error>([&] { RequireWhole(path, "a.txt"); },
                                      "cannot write 'a.txt': File too large");
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(ReadTextFile(path), "text");
}

TEST_F(OutputFiles, AppearWhenTheyAreCommitted)
{
    const std::string path = m_folder + "a.txt";
    WriteTextFile(path, "old");
    {
        OutputFile file(path);
        file.Write("new ");
        file.Write("text");
        EXPECT_EQ(ReadTextFile(path), "old");
        file.Commit();
        EXPECT_EQ(ReadTextFile(path), "new text");
    }
    EXPECT_EQ(CountFiles(), 1);
}

TEST_F(OutputFiles, LeaveNothingBehindUnlessTheyAreCommitted)
{
    const std::string path = m_folder + "a.txt";
    WriteTextFile(path, "old");
    OutputFile(path).Write("new");
    EXPECT_EQ(ReadTextFile(path), "old");
    EXPECT_EQ(CountFiles(), 1);
}

TEST_F(OutputFiles, AreReplacedAllOrNone)
{
    const std::string a = m_folder + "a.txt";
    const std::string b = m_folder + "b.txt";
    WriteTextFiles({{a, "1"}, {b, "1"}});
    std::filesystem::create_directory(m_folder + "c.txt");
    ExpectRefused<std::runtime_error>(
        [&] {
            WriteTextFiles({{a, "2"}, {b, std::nullopt}, {m_folder + "c.txt", "2"}});
        },
        "cannot write '" + m_folder + "c.txt': Is a directory");
    EXPECT_EQ(ReadTextFile(a), "1");
    EXPECT_EQ(ReadTextFile(b), "1");
    WriteTextFiles({{a, "2"}, {b, std::nullopt}});
    EXPECT_EQ(ReadTextFile(a), "2");
    EXPECT_FALSE(std::filesystem::exists(b));
    EXPECT_EQ(CountFiles(), 2);
}

TEST_F(OutputFiles, SayWhyTheyCanNotBeWritten)
{
    const auto path = m_folder + "no-such-directory/file.txt";
    ExpectRefused<std::runtime_error>([&] { WriteTextFile(path, "text"); },
                                      "cannot write '" + path + "': No such file or directory");
    if (std::filesystem::exists("/dev/full"))
    {
        ExpectRefused<std::runtime_error>([] { WriteTextFile("/dev/full", "text"); },
                                          "cannot write '/dev/full': No space left on device");
    }
}

} // namespace

} // namespace ns3::dlearn
