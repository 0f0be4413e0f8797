/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-stored-config.h"
#include "ns3/double.h"
#include "ns3/string.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** @return the command line that a text stands for */
std::vector<std::string>
Read(const std::string& text)
{
    const std::string path = testing::TempDir() + "dlearn-run-config.json";
    WriteTextFile(path, text);
    auto words = ReadRunConfig(path, "dlearn-fedavg");
    std::remove(path.c_str());
    return words;
}

TEST(RunConfig, IsACommandLine)
{
    const std::vector<std::string> words{"--RngSeed=3",
                                         "--RngRun=18446744073709551615",
                                         "--ChecksumEnabled=true",
                                         "--ns3::Node::SystemId=1",
                                         "--rounds=5",
                                         "--deadline=",
                                         "--mobility=false"};
    EXPECT_EQ(Read(R"({"program": "dlearn-fedavg", "seed": 3, "run": 18446744073709551615,
                       "parameters": {"rounds": "5", "deadline": "", "mobility": false},
                       "attributes": {"ns3::Node::SystemId": 1},
                       "globals": {"ChecksumEnabled": "true"}, "status": "complete"})"),
              words);
    EXPECT_TRUE(Read(R"({"parameters": {}})").empty());
    EXPECT_TRUE(Read(R"({"parameters": {"out": "one"}, "status": "complete"})").empty())
        << "results of a run that is repeated are not overwritten";
    EXPECT_EQ(Read(R"({"parameters": {"out": "one"}})"), std::vector<std::string>{"--out=one"});
}

TEST(RunConfig, RefusesWhatIsNone)
{
    ExpectRefused([] { Read("rounds=5"); }, "config must be JSON: line 1, column 1: ");
    ExpectRefused([] { Read(R"({"Parameters": {}})"); },
                  "an earlier run, or a JSON object with its");
    for (const std::string member : {"attribute", "Run", "global"})
    {
        ExpectRefused([&member] { Read(R"({"parameters": {}, ")" + member + R"(": {}})"); },
                      "no member '" + member +
                          "' is known; there are attributes, globals, parameters, program, run, "
                          "seed");
    }
    ExpectRefused([] { Read("[1]"); }, "config must be a summary.json of an earlier run");
    ExpectRefused([] { Read(R"({"parameters": 3})"); }, "'parameters' must be an object");
    ExpectRefused([] { Read(R"({"parameters": {"rounds": [3]}})"); },
                  "'rounds' must be a text, a number, true or false; got [3]");
    ExpectRefused([] { Read(R"({"program": "dlearn-cafcor", "parameters": {}})"); },
                  "config must be of a run of dlearn-fedavg, got one of dlearn-cafcor");
}

} // namespace

} // namespace ns3::dlearn
