/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-network.h"
#include "ns3/dlearn-trace-network.h"
#include "ns3/node.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <zlib.h>

namespace ns3::dlearn
{
namespace
{

using test::Exact;
using test::ExchangeNet;
using test::TemporaryFile;

TEST(CellularTraceTest, RepeatsAfterItsLastTime)
{
    const TemporaryFile file("3\n5\r\n5\n20", true);
    const CellularTrace trace(file.GetPath());
    EXPECT_EQ(trace.GetCount(), 4U);
    EXPECT_EQ(trace.GetPeriod(), MilliSeconds(20));
    const int64_t expected[] = {3, 5, 5, 20, 23, 25, 25, 40, 43};
    for (uint64_t k = 0; k < std::size(expected); ++k)
    {
        EXPECT_EQ(trace.GetTime(k), MilliSeconds(expected[k])) << k;
    }
    // Hours later, and beyond 2^32 ms.
    EXPECT_EQ(trace.GetTime(4000000001), MilliSeconds(20000000005));
}

TEST(CellularTraceTest, FindsTheFirstOpportunityFromATimeOn)
{
    // With a time 0, whose repetitions come together with the end of the period before.
    for (const std::string text : {"0\n0\n4\n4\n7\n", "2\n", "1\n2\n3\n", "0\n5\n5\n"})
    {
        const TemporaryFile file(text);
        const CellularTrace trace(file.GetPath());
        for (int64_t half = 0; half < 60; ++half)
        {
            for (const int64_t shift : {-1, 0, 1}) // nanoseconds
            {
                const Time time = NanoSeconds(std::max<int64_t>(0, half * 500000 + shift));
                uint64_t first = 0;
                while (trace.GetTime(first) < time)
                {
                    ++first;
                }
                EXPECT_EQ(trace.FindFrom(time), first) << text << " at " << time;
            }
        }
    }
}

TEST(CellularTraceTest, RefusesWhatIsNoTrace)
{
    const std::string whole = "time must be a whole number of milliseconds from 0 to 4294967295";
    const std::pair<std::string, std::string> rows[] = {
        {"1\n2.5\n", ":2: " + whole + ", got '2.5'"},
        {"1\n\n2\n", ":2: " + whole + ", got ''"},
        {"1\n4294967296\n", ":2: " + whole + ", got '4294967296'"},
        {"1\n7\n7\n6\n", ":4: time must be at least the one before it, 7, got 6"},
        {"", ": a trace must have at least one packet opportunity"},
        {"0\n0\n", ": a trace must have a time greater than 0, all are 0"},
    };
    for (const auto& [text, message] : rows)
    {
        const TemporaryFile file(text);
        ExpectRefused([&] { CellularTrace trace(file.GetPath()); }, file.GetPath() + message);
    }
    ExpectRefused<std::runtime_error>([] { CellularTrace trace("/no/such/trace"); },
                                      "/no/such/trace: cannot open");
}

/** Learner 0 is the server. */
NetworkSetup
Server()
{
    NetworkSetup setup;
    setup.server = 0;
    return setup;
}

/** Every link is at the start of the trace. */
const std::string AT_START = ",randomstart=false";

/** A trace network whose learners send plain datagrams and note when they come. */
class TraceStar
{
  public:
    TraceStar(const std::string& path, uint32_t learners, const NetworkSetup& setup = Server())
        : m_network(CreateNetwork("trace:" + path)),
          arrivals(learners)
    {
        m_network->Build(Star(learners), setup);
        m_network->AssignStreams(7);
        for (LearnerId id = 0; id < learners; ++id)
        {
            m_sockets.push_back(
                Socket::CreateSocket(m_network->GetNodes().Get(id), UdpSocketFactory::GetTypeId()));
            m_sockets.back()->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
            m_sockets.back()->SetRecvCallback(
                Callback<void, Ptr<Socket>>([this, id](Ptr<Socket> socket) {
                    while (socket->Recv())
                    {
                        arrivals[id].push_back(Simulator::Now());
                    }
                }));
        }
    }

    ~TraceStar() { Simulator::Destroy(); }

    /** Send packets in one event, each of some bytes with its IP and UDP headers. */
    void SendAt(Time when, LearnerId from, LearnerId to, uint32_t count, uint32_t bytes = 1500)
    {
        const InetSocketAddress target(m_network->GetAddress(from, to), 9);
        Simulator::Schedule(when, [this, from, target, count, bytes] {
            for (uint32_t k = 0; k < count; ++k)
            {
                m_sockets[from]->SendTo(Create<Packet>(bytes - 28), 0, target);
            }
        });
    }

  private:
    Ptr<Network> m_network;
    std::vector<Ptr<Socket>> m_sockets;

  public:
    std::vector<std::vector<Time>> arrivals; //!< by receiver
};

std::vector<Time>
Milliseconds(const std::vector<int64_t>& times)
{
    std::vector<Time> result(times.size());
    std::transform(times.begin(), times.end(), result.begin(), [](auto t) {
        return MilliSeconds(t);
    });
    return result;
}

// Opportunities at 5, 5, 20, 25, 25, 40, 45, 45, 60 ... ms.
TEST(TraceNetworkTest, PacketsLeaveWhenTheTraceLetsThem)
{
    const TemporaryFile file("5\n5\n20\n");
    NetworkSetup setup = Server();
    setup.links.resize(3);
    setup.links[2].delay = MilliSeconds(7);
    TraceStar star(file.GetPath() + AT_START + ",delay=3ms", 3, setup);
    // Full packets: one an opportunity.
    star.SendAt(MilliSeconds(1), 0, 1, 4); // leave at 5, 5, 20, 25; the other of 25 is wasted
    // Two thirds of the opportunity of 40; the next takes the last third and has to wait for
    // the first of 45, of which 500 bytes are left: enough for 400, not for 200 more, which go
    // on in the second of 45.
    star.SendAt(MilliSeconds(26), 0, 1, 2, 500);
    star.SendAt(MilliSeconds(27), 0, 1, 1, 1500);
    star.SendAt(MilliSeconds(44), 0, 1, 1, 400);
    star.SendAt(MilliSeconds(44), 0, 1, 1, 200);
    // One that comes at the time of an opportunity uses it; one later by a nanosecond does not.
    star.SendAt(MilliSeconds(60), 0, 1, 1);
    star.SendAt(MilliSeconds(65) + NanoSeconds(1), 0, 1, 1);
    // The other direction and the other client follow the trace on their own.
    star.SendAt(MilliSeconds(1), 1, 0, 3);
    star.SendAt(MilliSeconds(21), 0, 2, 3);
    Simulator::Run();
    EXPECT_EQ(star.arrivals[1], Milliseconds({8, 8, 23, 28, 43, 43, 48, 48, 48, 63, 83}));
    EXPECT_EQ(star.arrivals[0], Milliseconds({8, 8, 23}));
    EXPECT_EQ(star.arrivals[2], Milliseconds({32, 32, 47}));
}

TEST(TraceNetworkTest, AnOutageOfADayEndsToTheNanosecond)
{
    const TemporaryFile file("0\n100000000\n");
    TraceStar star(file.GetPath() + AT_START, 2);
    star.SendAt(Time(0), 0, 1, 2);
    star.SendAt(NanoSeconds(1), 1, 0, 1, 28);
    Simulator::Run();
    EXPECT_EQ(star.arrivals[1], Milliseconds({1, 100000001}));
    EXPECT_EQ(star.arrivals[0], Milliseconds({100000001}));
}

TEST(TraceNetworkTest, DirectionsHaveTracesOfTheirOwn)
{
    const TemporaryFile base("");
    const std::string path = base.GetPath() + "x";
    std::ofstream(path + ".down") << "10\n";
    std::filesystem::copy_file(TemporaryFile("13\n", true).GetPath(), path + ".up.gz");
    {
        TraceStar star(path + AT_START, 2);
        star.SendAt(Time(0), 0, 1, 2);
        star.SendAt(Time(0), 1, 0, 2);
        Simulator::Run();
        EXPECT_EQ(star.arrivals[1], Milliseconds({11, 21}));
        EXPECT_EQ(star.arrivals[0], Milliseconds({14, 27}));
    }
    std::filesystem::remove(path + ".down");
    EXPECT_THROW(CreateNetwork("trace:" + path), std::runtime_error) << "only one of a pair";
    std::filesystem::remove(path + ".up.gz");
}

// The only opportunity ends the period of a second, so a packet sent at time 0 arrives a second
// minus the start of its link later.
TEST(TraceNetworkTest, ClientsStartAtRandomTimesOfTheTrace)
{
    const TemporaryFile file("1000\n");
    const uint32_t clients = 400;
    std::vector<std::vector<Time>> runs[2];
    for (auto& arrivals : runs)
    {
        TraceStar star(file.GetPath() + ",delay=0s", clients + 1);
        for (LearnerId client = 1; client <= clients; ++client)
        {
            star.SendAt(Time(0), 0, client, 1);
            star.SendAt(Time(0), client, 0, 1);
        }
        Simulator::Run();
        arrivals = star.arrivals;
    }
    EXPECT_EQ(runs[0], runs[1]);
    std::vector<double> counts(20);
    std::vector<Time> down;
    for (LearnerId client = 1; client <= clients; ++client)
    {
        ASSERT_EQ(runs[0][client].size(), 1U);
        down.push_back(runs[0][client][0]);
        EXPECT_LE(down.back(), Seconds(1));
        counts[std::min<int64_t>(19, down.back().GetMilliSeconds() / 50)] += 1;
    }
    std::sort(down.begin(), down.end());
    EXPECT_EQ(down, runs[0][0]) << "both directions of a link are at the same time of the trace";
    // Fails for one seed in a million.
    EXPECT_LT(test::ChiSquare(counts), test::ChiSquareBound(counts.size()));
}

TEST(TraceNetworkTest, TcpGetsThroughAnOutage)
{
    // 12 Mbit/s in the first second, nothing for 30 s, 12 Mbit/s for another second.
    std::string text;
    for (int time = 1; time <= 32000; ++time)
    {
        text += time <= 1000 || time > 31000 ? std::to_string(time) + "\n" : "";
    }
    const TemporaryFile file(text);
    const uint32_t size = 450000; // 1.8 MB, of which 1.5 MB at most can go before the outage
    ExchangeNet net("trace:" + file.GetPath() + AT_START,
                    Star(2),
                    size,
                    "ns3::dlearn::TcpTransport",
                    32,
                    Server());
    net.Open();
    net.SendAt(MilliSeconds(1), 0, {1}, 1, Exact(size));
    Simulator::Stop(Seconds(40));
    Simulator::Run();
    ASSERT_EQ(net.recorders[1].entries.size(), 1U);
    EXPECT_EQ(net.recorders[1].GetVectors()[0], Exact(size));
    EXPECT_GT(net.recorders[1].entries[0].when, Seconds(31));
    EXPECT_LT(net.recorders[1].entries[0].when, Seconds(32.1));
}

/** The time of every line of a trace. */
std::vector<int64_t>
ReadTimes(const std::string& path)
{
    std::vector<int64_t> times;
    char line[64];
    gzFile file = gzopen(path.c_str(), "rb");
    while (file && gzgets(file, line, sizeof(line)))
    {
        times.push_back(std::atoll(line));
    }
    gzclose(file);
    return times;
}

TEST(TraceNetworkTest, ASaturatedLinkUsesEveryOpportunityOfARealTrace)
{
    const char* data = std::getenv("DLEARN_DATA");
    const std::string folder = std::string(data ? data : "") + "/cellular-traces/";
    if (!data || !std::filesystem::is_directory(folder))
    {
        GTEST_SKIP() << "DLEARN_DATA does not name a folder with cellular-traces";
    }
    for (const std::string name : {"TMobile-LTE-short", "Verizon-EVDO-driving", "ATT-LTE-driving"})
    {
        const int64_t end = 8000; // milliseconds
        TraceStar star(folder + name + AT_START + ",queuesize=unlimited,delay=30ms", 2);
        star.SendAt(Time(0), 0, 1, 20000);
        star.SendAt(Time(0), 1, 0, 20000);
        Simulator::Stop(MilliSeconds(end + 30) + NanoSeconds(1));
        Simulator::Run();
        for (const bool down : {true, false})
        {
            std::vector<Time> expected;
            for (const int64_t time : ReadTimes(folder + name + (down ? ".down.gz" : ".up.gz")))
            {
                if (time <= end)
                {
                    expected.push_back(MilliSeconds(time + 30));
                }
            }
            EXPECT_GT(expected.size(), 100U);
            EXPECT_EQ(star.arrivals[down ? 1 : 0], expected) << name;
        }
    }
}

TEST(TraceNetworkTest, RefusesWhatItCanNotGive)
{
    const TemporaryFile file("5\n");
    const std::string name = "trace:" + file.GetPath();
    const auto refused = [&](const NetworkSetup& setup, const std::string& message) {
        ExpectRefused([&] { CreateNetwork(name)->Build(Star(3), setup); }, name + message);
    };
    refused({}, ": needs a server, the middle of the star of links");
    NetworkSetup setup = Server();
    setup.links.resize(3);
    setup.links[2].rate = DataRate("1Mbps");
    refused(setup, ": learner 2 can have no rate of its own, the rate follows the trace");
    Simulator::Destroy();
}

} // namespace
} // namespace ns3::dlearn
