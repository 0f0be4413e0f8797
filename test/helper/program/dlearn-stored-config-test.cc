/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-stored-config.h"
#include "ns3/double.h"
#include "ns3/string.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** What ns3::ConfigStore is asked for. */
class StoredConfigs : public testing::Test
{
  protected:
    ~StoredConfigs() override
    {
        Config::Reset();
        std::remove(m_file.c_str());
    }

    /** Ask for it. */
    void Ask(const std::string& mode) const
    {
        Config::SetDefault("ns3::ConfigStore::Mode", StringValue(mode));
        Config::SetDefault("ns3::ConfigStore::Filename", StringValue(m_file));
    }

    const std::string m_file{testing::TempDir() + "dlearn-stored-config.txt"}; //!< its file
};

TEST_F(StoredConfigs, SaveWhatTheyLoad)
{
    Config::SetDefault("ns3::dlearn::FlopsCompute::Flops", DoubleValue(1234567));
    Ask("Save");
    {
        StoredConfig saved;
        EXPECT_TRUE(saved.ReadWords().empty());
        saved.Save();
    }
    EXPECT_NE(ReadTextFile(m_file).find("default ns3::dlearn::FlopsCompute::Flops \"1.23457e+06\""),
              std::string::npos);
    Config::Reset();
    Ask("Load");
    const StoredConfig loaded;
    ASSERT_FALSE(loaded.ReadWords().empty());
    EXPECT_EQ(loaded.ReadWords().front(), "--ns3::dlearn::FlopsCompute::Flops=1.23457e+06");
}

TEST_F(StoredConfigs, RefuseWhatHasNoEffect)
{
    Config::SetDefault("ns3::ConfigStore::Filename", StringValue(m_file));
    ExpectRefused([] { StoredConfig(); }, "has no effect without ns3::ConfigStore::Mode");
    Config::Reset();
    Config::SetDefault("ns3::ConfigStore::Mode", StringValue("Save"));
    ExpectRefused([] { StoredConfig(); }, "Mode=Save needs ns3::ConfigStore::Filename");
    Ask("Load");
    ExpectRefused<std::runtime_error>([] { StoredConfig().ReadWords(); }, m_file);
    WriteTextFile(m_file, "default ns3::dlearn::FlopsCompute::Flops 3\n");
    ExpectRefused([] { StoredConfig().ReadWords(); }, m_file + ", line 1: must be 'default' or");
    WriteTextFile(m_file, "value /NodeList/0/$ns3::Node/Id \"3\"\n");
    ExpectRefused([] { StoredConfig().ReadWords(); }, "values of single objects are not loaded");
    WriteTextFile(m_file, "global ChecksumEnabled \"true\"\nglobal ChecksumEnabled \"false\"\n");
    ExpectRefused([] { StoredConfig().ReadWords(); },
                  m_file + ", line 2: ChecksumEnabled is there twice");
}

// As on a disk that has no more room.
TEST_F(StoredConfigs, LeaveWhatWasThereWhenTheyCannotBeWritten)
{
    WriteTextFile(m_file, "precious");
    Ask("Save");
    const StoredConfig config;
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{1000, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW(config.Save(), std::runtime_error);
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, before);
    EXPECT_EQ(ReadTextFile(m_file), "precious");
    EXPECT_FALSE(std::filesystem::exists(m_file + ".part"));
    config.Save();
    EXPECT_NE(ReadTextFile(m_file).find("ConfigStore::Filename \"" + m_file + "\"\n"),
              std::string::npos);
}

} // namespace

} // namespace ns3::dlearn
