/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-ranks.h"

#include "dlearn-process-guards.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-link-network.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/global-value.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <tuple>

namespace ns3::dlearn
{

namespace
{

/** Discards all output. */
class NullBuffer : public std::streambuf
{
  protected:
    int_type overflow(int_type character) override { return traits_type::not_eof(character); }
};

/** @return whether a word of the command line asks for ranks */
bool
AsksForRanks(const std::string& word)
{
    const auto start = std::min<size_t>(word.find_first_not_of('-'), word.size());
    const std::string text = start > 0 ? word.substr(start) : "";
    return text == "mpi" || text == "mpi=true" || text == "mpi=1" || text == "mpi=t";
}

/** @return the number of processes that the launcher of an MPI library has started */
int
CountStarted()
{
    int count = 1;
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) // Open MPI; MPICH and Slurm
    {
        const char* text = std::getenv(name);
        count = std::max(count, text ? std::atoi(text) : 1);
    }
    return count;
}

} // namespace

RankedProgram::RankedProgram(int& argc, char**& argv)
    : m_error(std::cerr.rdbuf())
{
    if (std::any_of(argv + std::min(argc, 1), argv + argc, AsksForRanks))
    {
        // Open MPI would print stack traces in addition to our message.
        setenv("OMPI_MCA_opal_signal", "", 0);
        Ranks::Enable(argc, argv);
        std::atexit(Ranks::Disable); // --help and the like end the program
        if (Ranks::GetOwn() != 0)
        {
            // Never destroyed, because the streams write to it until the process ends.
            const auto null = new NullBuffer;
            std::cout.rdbuf(null);
            std::cerr.rdbuf(null);
        }
    }
}

RankedProgram::~RankedProgram()
{
    Ranks::Disable();
}

void
RankedProgram::Do(const std::string& program, const std::function<void()>& body) const
{
    try
    {
        body();
    }
    catch (const std::exception& error)
    {
        if (!Ranks::AreEnabled())
        {
            throw;
        }
        if (!Ranks::HaveBegun())
        {
            Ranks::Agree(error.what()); // throws the message of the first failed rank
            throw;
        }
        std::ostream(m_error) << program << ": error: rank " << Ranks::GetOwn() << ": "
                              << error.what() << std::endl;
        Ranks::Abort();
    }
}

void
RefuseSeveralWholeRuns(const Invocation& invocation)
{
    Require(invocation.options.count("mpi") > 0 || CountStarted() <= 1,
            "this is one of ",
            CountStarted(),
            " processes that were started together, and each would simulate the whole run: give "
            "--mpi to divide it among them, or --mpi=false if that is wanted");
}

namespace
{

constexpr int64_t SHORTEST = 10; //!< milliseconds between exchanges
constexpr int64_t LONGEST = 500; //!< milliseconds, while there are events; less than the grace
constexpr int64_t SHARE = 1000;  //!< inverse of the largest interval as a share of the time so far
constexpr int64_t DOZE = 3600;   //!< seconds without events before longer intervals
constexpr int64_t PATIENCE = 100000000; //!< seconds without events before the end

/** @throw std::invalid_argument for an option by which learners of several ranks would share state
 */
void
RefuseApart(const RunSpec& spec)
{
    Require(spec.byzantine == 0 || !spec.omniscient || !LearnerAttack(spec.attack).SeesVectors(),
            "attackers who see all vectors cannot be on several ranks: set --omniscient=false");
    Require(spec.threatModel != "cdp",
            "threat-model cdp cannot be used with mpi on several ranks, where clients do not know "
            "the noise of the server");
    Require(!spec.noiseRecovery,
            "option noise-recovery cannot be used with mpi on several ranks, where workers do not "
            "know what others of them reveal");
}

/**
 * Connect all ranks by links without traffic, so that all have the same look-ahead: ns-3 uses the
 * shortest delay of the links that leave a rank.
 */
void
EqualizeLookAhead(Time lookAhead)
{
    NodeContainer nodes;
    for (uint32_t rank = 0; rank < Ranks::GetCount(); ++rank)
    {
        nodes.Create(1, rank);
    }
    for (uint32_t rank = 0; rank < nodes.GetN(); ++rank)
    {
        MakeP2pLink(nodes.Get(rank),
                    nodes.Get((rank + 1) % nodes.GetN()),
                    {DataRate("1Gbps"), lookAhead, 0},
                    MtuRange::LEAST,
                    LinkQueues());
    }
}

} // namespace

/** The state of a rank at an exchange. */
struct RankExchange::Standing
{
    RankProgress progress;                                               //!< of the monitor
    std::vector<std::pair<LearnerId, LearnerApplication::State>> states; //!< that have changed
    uint64_t events{0};                                                  //!< without exchanges
    int signal{0};                                                       //!< of the user; 0: none
    bool handsOver{false}; //!< whether there are rounds to evaluate

    /** @return the values that StateArchive passes between ranks */
    auto Tie() { return std::tie(progress, states, events, signal, handsOver); }
};

RankExchange::RankExchange(const RunLearners& learners, Monitor& monitor, Time lookAhead)
    : m_learners(learners.GetApplications()),
      m_told(m_learners.size(), LearnerApplication::State::NOT_STARTED),
      m_monitor(monitor),
      m_lookAhead(lookAhead)
{
}

void
RankExchange::Begin()
{
    if (Ranks::GetCount() > 1)
    {
        EqualizeLookAhead(m_lookAhead);
    }
    Ranks::Agree("");
    m_next = Simulator::Schedule(MilliSeconds(SHORTEST), &RankExchange::Exchange, this);
}

RankExchange::Standing
RankExchange::Describe()
{
    Standing own;
    own.progress = m_monitor.GetProgress();
    own.events = Simulator::GetEventCount() - m_exchanges;
    own.signal = Interruption::GetSignal();
    bool ended = false;
    for (LearnerId id = 0; id < m_learners.size(); ++id)
    {
        const auto state = m_learners[id]->GetState();
        if (IsOnThisRank(*m_learners[id]->GetNode()) && state != m_told[id])
        {
            own.states.emplace_back(id, state);
            m_told[id] = state;
            ended = ended || m_learners[id]->IsDone();
        }
    }
    // Others may close rounds after the end of a learner, with the samples that it drew.
    own.handsOver = Ranks::GetOwn() != 0 && (ended || m_monitor.GetEvaluations().HasPending());
    return own;
}

void
RankExchange::HandOver()
{
    const bool first = Ranks::GetOwn() == 0;
    auto all =
        Ranks::Gather(SaveState(first ? RankHandover() : m_monitor.GetEvaluations().HandOver()));
    for (size_t rank = 1; rank < all.size(); ++rank)
    {
        m_monitor.Take(LoadState<RankHandover>(std::move(all[rank])));
    }
}

void
RankExchange::Exchange()
{
    ++m_exchanges;
    std::vector<Standing> all;
    for (std::string& bytes : Ranks::Share(SaveState(Describe())))
    {
        all.push_back(LoadState<Standing>(std::move(bytes)));
    }
    if (std::any_of(all.begin(), all.end(), [](const auto& rank) { return rank.handsOver; }))
    {
        HandOver();
    }
    Follow(all);
    const Time interval = GetInterval();
    const bool dead = Simulator::Now() - m_busy > Seconds(PATIENCE);
    if (Interruption::GetSignal() != 0 || dead)
    {
        Simulator::Stop(); // on all ranks, which have the same information
    }
    else
    {
        m_next = Simulator::Schedule(interval, &RankExchange::Exchange, this);
    }
}

void
RankExchange::Follow(const std::vector<Standing>& all)
{
    RankProgress others;
    uint64_t events = 0;
    for (uint32_t rank = 0; rank < all.size(); ++rank)
    {
        events += all[rank].events;
        Interruption::Adopt(all[rank].signal);
        if (rank == Ranks::GetOwn())
        {
            continue;
        }
        others.Add(all[rank].progress);
        for (const auto& [id, state] : all[rank].states)
        {
            m_learners[id]->MirrorState(state);
        }
    }
    if (events != m_events)
    {
        m_events = events;
        m_busy = Simulator::Now();
    }
    m_monitor.Proceed(others);
}

bool
RankExchange::Gather(RunObservers& observers, RunDisturbances& disturbances)
{
    StateArchive own;
    uint64_t events = Simulator::GetEventCount() - m_exchanges;
    if (Ranks::GetOwn() != 0)
    {
        own(events);
        observers.VisitRank(own);
        disturbances.VisitRank(own);
    }
    auto all = Ranks::Gather(own.GetBytes());
    m_otherEvents = -static_cast<int64_t>(m_exchanges);
    for (uint32_t rank = 1; rank < all.size(); ++rank)
    {
        StateArchive archive(std::move(all[rank]));
        archive(events);
        m_otherEvents += static_cast<int64_t>(events);
        observers.VisitRank(archive);
        disturbances.VisitRank(archive);
        archive.CheckEnd();
    }
    return Ranks::GetOwn() == 0;
}

Time
RankExchange::GetInterval() const
{
    const Time now = Simulator::Now();
    const Time idle = now - m_busy;
    const Time usual = Max(MilliSeconds(SHORTEST), Min(MilliSeconds(LONGEST), now / SHARE));
    return idle > Seconds(DOZE) ? Max(usual, idle) : usual;
}

void
RefuseOnRanks(const RunSpec& spec)
{
    const auto refuse = [](bool given, const std::string& what) {
        Require(!given, "option ", what, " cannot be used with mpi");
    };
    refuse(spec.MeasuresEnergy(), "energy or battery");
    refuse(!spec.netanim.empty(), "netanim");
    refuse(!spec.learner.empty(), "learner");
    refuse(!spec.evaluator.empty(), "evaluator");
    refuse(!spec.planner.empty(), "planner");
    refuse(!spec.uplinkAllocation.empty(), "uplink-allocation");
    refuse(!spec.uplinkPower.empty(), "uplink-power");
    refuse(spec.links.rfind("windows:", 0) == 0, "links windows:");
    refuse(spec.uplink != "packets", "uplink");
    refuse(spec.keepPersonal, "keep-personal");
    refuse(spec.clientTest > 0, "client-test");
    Require(spec.runs == 1, "runs must be 1 with mpi, got ", spec.runs);
    // The largest packet that fits into ns-3's messages between ranks.
    Require(spec.mtu <= 1500, "mtu must be at most 1500 with mpi, got ", spec.mtu);
    if (Ranks::GetCount() > 1)
    {
        RefuseApart(spec);
    }
    StringValue simulator;
    GlobalValue::GetValueByName("SimulatorImplementationType", simulator);
    Require(simulator.Get() == "ns3::DistributedSimulatorImpl",
            "SimulatorImplementationType must be ns3::DistributedSimulatorImpl with mpi, got ",
            simulator.Get());
}

} // namespace ns3::dlearn
