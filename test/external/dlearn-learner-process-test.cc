/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-learner-process.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

namespace ns3::dlearn
{
namespace
{

using namespace std::chrono_literals;

/** @return the message with which a question fails */
std::string
GetFailure(const std::string& command, std::chrono::milliseconds timeout = 20s, size_t size = 8)
{
    LearnerProcess process(command, 2, timeout);
    LearnerBytes question;
    question.PutArray(std::vector<double>(size));
    const auto read = [](LearnerBytes& answer) { answer.Take<uint32_t>(); };
    std::string message = "none";
    try
    {
        process.Ask(LearnerProcess::Question::TRAIN, question, read);
    }
    catch (const std::runtime_error& error)
    {
        message = error.what();
        EXPECT_EQ(message.find('\n'), std::string::npos);
        EXPECT_THROW(process.Ask(LearnerProcess::Question::TRAIN, question, read),
                     std::runtime_error);
    }
    return message;
}

const std::string FOUR = "printf '\\5\\0\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0' >&3; cat <&3 >/dev/null";

TEST(LearnerProcess, FailsWithOneLine)
{
    const std::string begin = "learner: process 2 ('";
    const std::map<std::string, std::string> ends{
        {"exit 7", "has closed the connection; its exit status is 7"},
        {"kill -9 $$", "has closed the connection; it was ended by signal 9"},
        {"echo one >&2; echo two; exit 1",
         "has closed the connection; its exit status is 1; it has written last: two"},
        {"exec 3>&-; cat", "has closed the connection; its exit status is 0"},
        {"echo no protocol >&3; cat <&3",
         "has begun an answer of 8031166572806565742 bytes, which is not one of the protocol"},
        {"printf '\\5\\0\\0\\0\\0\\0\\0\\0\\1boom' >&3; cat <&3",
         "has refused the question train: boom"},
        {"printf '\\2\\0\\0\\0\\0\\0\\0\\0\\0\\0' >&3; cat <&3",
         "has given a wrong answer to the question train: 1 numbers of 4 bytes are to follow, 1 "
         "bytes do"},
        {"printf '\\6\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0' >&3; cat <&3",
         "has given a wrong answer to the question train: 1 bytes too many"}};
    for (const auto& [command, end] : ends)
    {
        EXPECT_EQ(GetFailure(command), begin + command + "') " + end);
    }
    EXPECT_EQ(GetFailure(FOUR), "none");
}

TEST(LearnerProcess, WaitsNoLongerThanTheTimeout)
{
    // One that does not answer, and one that does not read, either.
    EXPECT_EQ(GetFailure("sleep 60", 100ms),
              "learner: process 2 ('sleep 60') has not answered within 0.1 s of real time");
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_NE(GetFailure("sleep 60", 100ms, 10000000).find("within 0.1 s"), std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST(LearnerProcess, LeavesNothingRunning)
{
    const std::string file = testing::TempDir() + "dlearn-learner-pids";
    const std::string begin = "echo $$ > " + file + "; sleep 60 & echo $! >> " + file + "; ";
    for (const std::string& command : {begin + FOUR, begin + "sleep 60"})
    {
        GetFailure(command, 500ms);
        std::ifstream pids(file);
        pid_t pid = 0;
        int count = 0;
        for (; pids >> pid; ++count)
        {
            for (int k = 0; k < 100 && kill(pid, 0) == 0; ++k) // init reaps it
            {
                std::this_thread::sleep_for(10ms);
            }
            std::ifstream state("/proc/" + std::to_string(pid) + "/stat");
            std::string text;
            std::getline(state, text);
            EXPECT_TRUE(text.empty() || text.find(") Z ") != std::string::npos) << text;
        }
        EXPECT_EQ(count, 2);
    }
    unlink(file.c_str());
}

} // namespace
} // namespace ns3::dlearn
