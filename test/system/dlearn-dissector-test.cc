/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What tshark reads, by doc/dlearn.lua, of the pcap files of runs.
 */

#include "dlearn-system-fixture.h"

#include "ns3/dlearn-encoded-message.h"
#include "ns3/dlearn-parity-decoder.h"
#include "ns3/dlearn-repair-progress.h"
#include "ns3/ipv4-header.h"
#include "ns3/pcap-file.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/udp-header.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

namespace ns3::dlearn
{
namespace
{

/** A fragment, as tshark sees it. */
struct SeenFragment
{
    uint32_t round;    //!< field dlearn.round
    LearnerId sender;  //!< field dlearn.sender
    uint32_t channel;  //!< field dlearn.channel
    uint32_t encoding; //!< field dlearn.encoding
    uint32_t entries;  //!< field dlearn.entries
    uint64_t payload;  //!< field dlearn.payload_length
};

/** @return what a command prints */
std::string
Capture(const std::string& command)
{
    FILE* const pipe = popen(command.c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    {
        text += static_cast<char>(c);
    }
    EXPECT_EQ(pclose(pipe), 0) << command;
    return text;
}

/** Runs of three learners on a ring of point-to-point links, with a pcap file for each device. */
class Dissector : public testing::Test
{
  protected:
    static constexpr uint32_t LEARNERS = 3;

    Dissector()
        : m_folder(testing::TempDir() + "dlearn-dissector/")
    {
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
    }

    ~Dissector() override { std::filesystem::remove_all(m_folder); }

    void SetUp() override
    {
        if (std::system("tshark --version >/dev/null 2>&1") != 0)
        {
            GTEST_SKIP() << "there is no tshark";
        }
        if (std::getenv("DLEARN_MANUAL") == nullptr)
        {
            GTEST_SKIP() << "needs DLEARN_MANUAL, the folder of dlearn.lua";
        }
    }

    /** Run, and compare what was sent with what the files show. */
    void Compare(RunSpec spec, uint32_t encoding, uint32_t entries)
    {
        spec.learners = LEARNERS;
        spec.graph = "ring";
        spec.network = "p2p";
        spec.rounds = 4;
        dlearn::Run run(spec);
        PointToPointHelper().EnablePcap(m_folder + "run", run.GetNetwork().GetNodes());
        std::vector<uint32_t> nodes;
        for (LearnerId id = 0; id < LEARNERS; ++id)
        {
            nodes.push_back(run.GetNetwork().GetNodes().Get(id)->GetId());
        }
        std::ostringstream table;
        const RunResults results = run.Execute(table);
        std::map<LearnerId, uint64_t> sent;
        for (const ResultRow& row : results.rows)
        {
            sent[row.record.node] += row.record.txBytes;
        }
        for (LearnerId id = 0; id < LEARNERS; ++id)
        {
            uint64_t bytes = 0;
            std::set<uint32_t> rounds;
            for (const SeenFragment& fragment : Read(nodes[id]))
            {
                EXPECT_EQ(fragment.encoding, encoding);
                EXPECT_EQ(fragment.entries, entries);
                EXPECT_EQ(fragment.channel, static_cast<uint32_t>(ModelChannel::STATE));
                if (fragment.sender == id)
                {
                    bytes += 32 + fragment.payload;
                    rounds.insert(fragment.round);
                }
            }
            EXPECT_EQ(bytes, sent[id]) << "learner " << id;
            EXPECT_EQ(rounds, (std::set<uint32_t>{0, 1, 2, 3})) << "learner " << id;
        }
        Simulator::Destroy();
    }

  protected:
    /** @return what tshark says about a file */
    static std::string Dissect(const std::string& path, const std::string& options)
    {
        return Capture("tshark -X lua_script:'" + std::string(std::getenv("DLEARN_MANUAL")) +
                       "/dlearn.lua' -r '" + path + "' " + options + " 2>/dev/null");
    }

    /** @return a packet of some bytes */
    static Ptr<Packet> MakePacket(const std::vector<uint8_t>& bytes)
    {
        return Create<Packet>(bytes.data(), bytes.size());
    }

    /**
     * @param datagrams what they carry
     * @return path of a pcap file with them
     */
    std::string Record(const std::vector<Ptr<Packet>>& datagrams) const
    {
        const std::string path = m_folder + "datagrams.pcap";
        PcapFile file;
        file.Open(path, std::ios::out | std::ios::binary);
        file.Init(101); // packets of IP
        for (const auto& packet : datagrams)
        {
            UdpHeader udp;
            udp.SetSourcePort(4660);
            udp.SetDestinationPort(4660);
            packet->AddHeader(udp);
            Ipv4Header ip;
            ip.SetProtocol(17);
            ip.SetPayloadSize(packet->GetSize());
            packet->AddHeader(ip);
            file.Write(0, 0, packet);
        }
        file.Close();
        return path;
    }

    std::string m_folder; //!< of the pcap files

  private:
    /** @return all fragments in the files of a node */
    std::vector<SeenFragment> Read(uint32_t node) const
    {
        std::vector<SeenFragment> fragments;
        for (const auto& file : std::filesystem::directory_iterator(m_folder))
        {
            const std::string path = file.path().string();
            const std::string prefix = m_folder + "run-" + std::to_string(node) + "-";
            if (path.rfind(prefix, 0) != 0)
            {
                continue;
            }
            // What is malformed has empty columns.
            std::istringstream lines(
                Dissect(path,
                        "-Y 'dlearn.round or dlearn.malformed' -T fields -E occurrence=a "
                        "-e dlearn.round -e dlearn.sender -e dlearn.channel -e dlearn.encoding "
                        "-e dlearn.entries -e dlearn.payload_length"));
            for (std::string line; std::getline(lines, line);)
            {
                AddFragments(line, fragments);
            }
        }
        return fragments;
    }

    /** Read one packet: columns with one number for each of its fragments. */
    static void AddFragments(const std::string& line, std::vector<SeenFragment>& fragments)
    {
        std::vector<std::vector<uint64_t>> columns;
        std::istringstream words(line);
        for (std::string word; std::getline(words, word, '\t');)
        {
            columns.emplace_back();
            std::istringstream numbers(word);
            for (std::string number; std::getline(numbers, number, ',');)
            {
                columns.back().push_back(std::stoull(number));
            }
        }
        ASSERT_EQ(columns.size(), 6U) << line;
        for (size_t k = 0; k < columns[0].size(); ++k)
        {
            fragments.push_back({static_cast<uint32_t>(columns[0].at(k)),
                                 static_cast<LearnerId>(columns[1].at(k)),
                                 static_cast<uint32_t>(columns[2].at(k)),
                                 static_cast<uint32_t>(columns[3].at(k)),
                                 static_cast<uint32_t>(columns[4].at(k)),
                                 columns[5].at(k)});
        }
    }
};

TEST_F(Dissector, ReadsDatagramsOfOneFragment)
{
    RunSpec spec = LdpOnlinePreset("dissector");
    Compare(spec, 0, 112);
    spec.floatBits = 64;
    Compare(spec, 1, 112);
}

TEST_F(Dissector, ReadsPollsReportsAndParity)
{
    RepairDatagram report;
    report.kind = RepairDatagram::Kind::REPORT;
    report.round = 7;
    report.messageLength = 100;
    report.words = {8, 16, 24, 100};
    ParityDatagram parity;
    parity.round = 9;
    parity.vectorLength = 25;
    parity.messageLength = 100;
    parity.fragmentSize = 8;
    parity.blockFragments = 4;
    parity.block = 2;
    parity.row = 5;
    parity.piece.resize(8);
    const auto path = Record({MakePacket(report.Write()), MakePacket(parity.Write())});
    EXPECT_EQ(Dissect(path,
                      "-T fields -E occurrence=a -E separator=/s -e dlearn.kind -e dlearn.round "
                      "-e dlearn.message_length -e dlearn.words -e dlearn.row -e dlearn.block"),
              "2 7 100 8,16,24,100  \n3 9 100  5 2\n");
}

TEST_F(Dissector, KnowsTheChannelsOfUsers)
{
    const auto make = [](ModelChannel channel) {
        const ModelVector vector = ModelVector::Ones(5);
        return EncodedMessage(6, 2, channel, Encoding::FLOAT32, vector, 1440).CreateFragment(0);
    };
    const auto path = Record({make(MakeUserChannel(0)),
                              make(MakeUserChannel(15)),
                              make(static_cast<ModelChannel>(144)),
                              make(ModelChannel::REQUEST)});
    EXPECT_EQ(Dissect(path, "-Y dlearn.channel -T fields -e dlearn.channel -e _ws.col.Info"),
              "128\tround 2, learner 6, user0, float32, bytes 0 to 20 of 20\n"
              "143\tround 2, learner 6, user15, float32, bytes 0 to 20 of 20\n"
              "4\tround 2, learner 6, request, float32, bytes 0 to 20 of 20\n");
}

TEST_F(Dissector, ShowsFiguresBehindTheVector)
{
    const ModelVector vector = ModelVector::Constant(3, 0.5);
    EncodedMessage message(6, 2, ModelChannel::UPDATE, Encoding::FLOAT32, vector, 16);
    message.Append({20, 0.25}); // the first one is in two fragments
    const auto path = Record({message.CreateFragment(0), message.CreateFragment(1)});
    EXPECT_EQ(Dissect(path,
                      "-T fields -E occurrence=a -E separator=/s -e dlearn.figures -e dlearn.value "
                      "-e dlearn.figure"),
              "2 0.5,0.5,0.5 \n2  0.25\n");
}

// 7840 numbers of 4 bytes are two fragments of at most 16384 bytes each, over many TCP segments.
TEST_F(Dissector, PutsFragmentsOfStreamsTogether)
{
    RunSpec spec = LdpOnlinePreset("dissector");
    spec.data = "glyphs";
    spec.dataSamples = 100;
    spec.transport = "tcp";
    Compare(spec, 0, 7840);
}

TEST_F(Dissector, ReadsCompressedVectors)
{
    RunSpec spec = LdpOnlinePreset("dissector");
    spec.compress = "qsgd:8";
    Compare(spec, 6, 112);
    spec.compress = "top-k:10";
    Compare(spec, 3, 112);
}

} // namespace
} // namespace ns3::dlearn
