/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rank-exchange.h"

#include "dlearn-process-guards.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-p2p-link.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/global-value.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <string>

namespace ns3::dlearn
{

namespace
{

constexpr int64_t SHORTEST = 10; //!< milliseconds between exchanges
constexpr int64_t LONGEST = 500; //!< likewise, while something happens; less than the grace
constexpr int64_t SHARE = 1000;  //!< of the simulated time so far that may lie between them
constexpr int64_t DOZE = 3600;   //!< seconds without any event, after which more may lie between
constexpr int64_t PATIENCE = 100000000; //!< seconds without any event; then none will come

/** @return the bytes of a value */
template <typename Value>
std::string
Save(Value value)
{
    StateArchive archive;
    archive(value);
    return archive.GetBytes();
}

/** @return the value of bytes that Save() made */
template <typename Value>
Value
Load(std::string bytes)
{
    StateArchive archive(std::move(bytes));
    Value value;
    archive(value);
    archive.CheckEnd();
    return value;
}

/** @throw std::invalid_argument for what learners of several ranks would have to share */
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
 * Join all ranks by links without traffic, so that each of them has the look-ahead of all: ns-3
 * takes the shortest delay of the links that leave a rank.
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
                    DataRate("1Gbps"),
                    lookAhead,
                    MtuRange::LEAST,
                    LinkQueues());
    }
}

} // namespace

struct RankExchange::Standing
{
    RankProgress progress;                                               //!< of the monitor
    std::vector<std::pair<LearnerId, LearnerApplication::State>> states; //!< that have changed
    uint64_t events{0};                                                  //!< without exchanges
    int signal{0};         //!< of the user; 0 for none
    bool handsOver{false}; //!< whether there are rounds to evaluate

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(progress, states, events, signal, handsOver);
    }
};

RankExchange::RankExchange(const RunLearners& learners, Monitor& monitor, Time lookAhead)
    : m_learners(learners.GetApplications()),
      m_told(m_learners.size(), LearnerApplication::State::NOT_STARTED),
      m_monitor(monitor),
      m_lookAhead(lookAhead),
      m_dimension(learners.GetTask() ? learners.GetTask()->GetDimension() : 0)
{
    constexpr size_t LARGE = 1000; // a shorter vector of this length may be something else
    m_dimension = m_dimension >= LARGE ? m_dimension : 0;
}

RankExchange::~RankExchange()
{
    m_next.Cancel();
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
    // Others may close rounds without a learner that has ended, but with the samples that it drew.
    own.handsOver = Ranks::GetOwn() != 0 && (ended || m_monitor.GetEvaluations().HasPending());
    return own;
}

void
RankExchange::HandOver()
{
    const bool first = Ranks::GetOwn() == 0;
    auto all = Ranks::Gather(Save(first ? RankHandover() : m_monitor.GetEvaluations().HandOver()));
    for (size_t rank = 1; rank < all.size(); ++rank)
    {
        m_monitor.Take(Load<RankHandover>(std::move(all[rank])));
    }
}

void
RankExchange::Exchange()
{
    ++m_exchanges;
    std::vector<Standing> all;
    for (std::string& bytes : Ranks::Share(Save(Describe())))
    {
        all.push_back(Load<Standing>(std::move(bytes)));
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
        Simulator::Stop(); // on all ranks, as all know the same
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
    Require(spec.runs == 1, "runs must be 1 with mpi, got ", spec.runs);
    // The largest packet for which ns-3 has room in a message between ranks.
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
