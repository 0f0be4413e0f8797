/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-files.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(OutputFiles, DoNotWaitForAReaderOfANamedPipe)
{
    const std::string path = m_folder + "pipe";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    ExpectRefused<std::runtime_error>([&] { WriteTextFile(path, "text"); },
                                      "cannot write '" + path + "': No such device or address");
    const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    WriteTextFile(path, "text");
    char text[5] = "";
    EXPECT_EQ(read(reader, text, 4), 4);
    EXPECT_STREQ(text, "text");
    close(reader);
}

} // namespace

} // namespace ns3::dlearn
