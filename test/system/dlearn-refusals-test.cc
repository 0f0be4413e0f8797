/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-files.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** What a program refuses. */
struct Refusal
{
    std::string command; //!< for a shell, begins with the program's name
    std::string message; //!< beginning of the line on stderr, after the program's name
};

/** @return a variable of the environment; empty when it is not set */
std::string
GetVariable(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/** @return the cases of refusals.txt: a line with a command, and an indented one with its message
 */
std::vector<Refusal>
ReadRefusals(const std::string& path)
{
    std::vector<Refusal> refusals;
    std::istringstream lines(ReadTextFile(path));
    for (std::string line; std::getline(lines, line);)
    {
        const size_t text = line.find_first_not_of(' ');
        if (text == std::string::npos || line[text] == '#')
        {
            continue;
        }
        if (text == 0)
        {
            refusals.push_back({line, ""});
        }
        else if (!refusals.empty())
        {
            refusals.back().message = line.substr(text);
        }
    }
    return refusals;
}

/** Runs programs in an empty folder. */
class Refusals : public testing::Test
{
  protected:
    Refusals()
        : m_folder(testing::TempDir() + "dlearn-refusals")
    {
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
    }

    ~Refusals() override { std::filesystem::remove_all(m_folder); }

    /** Expect that a program refuses its command line, and leaves nothing behind. */
    void Expect(const Refusal& refusal)
    {
        const std::string program = refusal.command.substr(0, refusal.command.find(' '));
        // Children take the working folder and the environment from here, results go to stderr.
        // For the address sanitizer: ns-3 does not free an object whose attribute throws, and a
        // segmentation fault in ns-3 is for the program to explain.
        const std::string command = "cd '" + m_folder +
                                    "' && PATH=\"$DLEARN_PROGRAMS:"
                                    "$DLEARN_PROGRAMS/study:$PATH\" "
                                    "DLEARN_DATA=/no/data "
                                    "ASAN_OPTIONS=detect_leaks=0:handle_segv=0 " +
                                    ExpandInputs(refusal.command) + " 2>&1 >/dev/null";
        FILE* const pipe = popen(command.c_str(), "r");
        ASSERT_NE(pipe, nullptr);
        std::string errors;
        for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
        {
            errors += static_cast<char>(c);
        }
        const int status = pclose(pipe);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << "status " << status;
        const std::string prefix = program + ": error: ";
        ASSERT_EQ(errors.substr(0, prefix.size()), prefix) << errors;
        const std::string message = errors.substr(prefix.size());
        const std::string expected = ExpandInputs(refusal.message);
        EXPECT_EQ(message.substr(0, expected.size()), expected);
        EXPECT_EQ(message.find('\n'), message.size() - 1) << "more than one line:\n" << errors;
        EXPECT_TRUE(std::filesystem::is_empty(m_folder)) << "left something behind";
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
    }

  private:
    /** @return a text with the folder of the input files in place of $INPUTS */
    static std::string ExpandInputs(std::string text)
    {
        const std::string name = "$INPUTS";
        for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
        {
            text.replace(at, name.size(), GetVariable("DLEARN_INPUTS"));
        }
        return text;
    }

    const std::string m_folder; //!< working folder of the programs
};

TEST_F(Refusals, AreOneLineThatNamesThingValueAndRule)
{
    if (GetVariable("DLEARN_PROGRAMS").empty())
    {
        GTEST_SKIP() << "DLEARN_PROGRAMS does not say where the programs are";
    }
    const auto refusals = ReadRefusals(GetVariable("DLEARN_INPUTS") + "/refusals.txt");
    ASSERT_GE(refusals.size(), 200U);
    for (const Refusal& refusal : refusals)
    {
        SCOPED_TRACE(refusal.command);
        ASSERT_FALSE(refusal.message.empty());
        Expect(refusal);
    }
}

} // namespace

} // namespace ns3::dlearn
