/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-short-runs.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <filesystem>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

#ifdef DLEARN_WITH_NETANIM

using boost::property_tree::ptree;

const std::string GREEN = "0 150 60";
const std::string BLUE = "40 90 220";
const std::string RED = "220 30 30";
const std::string GRAY = "160 160 160";

/** Runs with a file for NetAnim, which is read back. */
class NetworkAnimationTest : public testing::Test
{
  protected:
    void TearDown() override { std::filesystem::remove(m_path); }

    /** @return the root of the file of a run */
    ptree Animate(RunSpec spec)
    {
        spec.netanim = m_path;
        m_results = test::Execute(spec);
        ptree file;
        read_xml(m_path, file);
        return file.get_child("anim");
    }

    /** @return the values that a node is given, one after the other: "c" colours, "d" texts */
    static std::vector<std::string> GetUpdates(const ptree& anim,
                                               const std::string& kind,
                                               const std::string& node)
    {
        std::vector<std::string> values;
        for (const auto& [name, element] : anim)
        {
            const auto get = [&](const char* key) {
                return element.get<std::string>(std::string("<xmlattr>.") + key, "");
            };
            if (name == "nu" && get("p") == kind && get("id") == node)
            {
                values.push_back(kind == "c" ? get("r") + " " + get("g") + " " + get("b")
                                             : get("descr"));
            }
        }
        return values;
    }

    /** Folder of this test's own, as tests run side by side. */
    const std::string m_path{testing::TempDir() + "dlearn-animation-" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() +
                             ".xml"};
    RunResults m_results; //!< of the last run
};

TEST_F(NetworkAnimationTest, HasWhatLearnersDo)
{
    RunSpec spec = test::ThreePeers();
    spec.churn = "crash:1@5ms";
    const ptree anim = Animate(spec);
    const auto healthy = GetUpdates(anim, "c", "0");
    ASSERT_FALSE(healthy.empty());
    EXPECT_NE(std::find(healthy.begin(), healthy.end(), GREEN), healthy.end());
    EXPECT_EQ(healthy.back(), BLUE);
    EXPECT_EQ(GetUpdates(anim, "c", "1").back(), RED);
    const auto texts = GetUpdates(anim, "d", "2");
    EXPECT_EQ(texts.back(), "2: round 9");
    EXPECT_EQ(std::count(texts.begin(), texts.end(), "2: peer"), 1);
    EXPECT_EQ(std::count_if(texts.begin(),
                            texts.end(),
                            [](const auto& text) { return text.find("round") < text.size(); }),
              10);
}

TEST_F(NetworkAnimationTest, ChangesNothing)
{
    for (const char* network : {"p2p", "wifi-infra", "csma"})
    {
        RunSpec spec = test::ThreePeers();
        spec.network = network;
        const ptree anim = Animate(spec);
        const auto with = m_results.rows;
        const auto without = test::Execute(spec).rows;
        ASSERT_EQ(with.size(), without.size());
        for (size_t k = 0; k < with.size(); ++k)
        {
            EXPECT_EQ(with[k].record.closed, without[k].record.closed) << network << k;
        }
        EXPECT_GT(anim.count("node"), 2U);
    }
}

TEST_F(NetworkAnimationTest, NodesWithoutLearnersAreGray)
{
    RunSpec spec = test::ThreePeers();
    spec.network = "wifi-infra"; // with an access point that is no learner
    const ptree anim = Animate(spec);
    EXPECT_EQ(GetUpdates(anim, "c", "3").back(), GRAY);
}

TEST_F(NetworkAnimationTest, AFileThatCanNotBeWrittenIsRefused)
{
    RunSpec spec = test::ThreePeers();
    spec.netanim = "/no/such/folder/x.xml";
    ExpectRefused<std::runtime_error>([&] { test::Execute(spec); },
                                      "cannot write '/no/such/folder/x.xml'");
}

TEST_F(NetworkAnimationTest, TheFolderOfTheResultsMayBeNew)
{
    RunSpec spec = test::ThreePeers();
    spec.out = testing::TempDir() + "dlearn-new-folder-of-an-animation";
    spec.netanim = spec.out + "/animation.xml";
    test::Execute(spec);
    EXPECT_EQ(std::filesystem::remove_all(spec.out), 2U); // with the file
}

#endif

} // namespace
} // namespace ns3::dlearn
