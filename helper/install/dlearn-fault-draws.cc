/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fault-draws.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <set>

namespace ns3::dlearn
{

namespace
{

/** Collects faults. */
class FaultWriter
{
  public:
    FaultWriter(const Graph& graph, Time begin, Time end, UniformRandomVariable& random)
        : m_graph(graph),
          m_begin(begin),
          m_end(end),
          m_random(random)
    {
    }

    /** @return whether a coin shows heads */
    bool Toss() { return m_random.GetValue(0, 1) < 0.5; }

    /** @return a probability up to a limit, of three digits */
    std::string DrawProbability(uint32_t thousandths)
    {
        return FormatShortest(m_random.GetInteger(1, thousandths) / 1000.0);
    }

    /** @return all links, or one, or one direction of it */
    std::string DrawLink()
    {
        if (Toss())
        {
            return "*";
        }
        const auto [a, b] = DrawPair();
        return std::to_string(a) + (Toss() ? "-" : "to") + std::to_string(b);
    }

    /** @return two neighbours */
    std::pair<LearnerId, LearnerId> DrawPair()
    {
        const auto pairs = m_graph.GetPairs();
        auto pair = pairs[m_random.GetInteger(0, pairs.size() - 1)];
        if (Toss())
        {
            std::swap(pair.first, pair.second);
        }
        return pair;
    }

    /** @return a learner */
    std::string DrawLearner()
    {
        return std::to_string(m_random.GetInteger(0, m_graph.GetSize() - 1));
    }

    /** Add an event, and the one that ends it. */
    void AddSpan(const std::string& begin, const std::string& end)
    {
        const double half = (m_end - m_begin).GetSeconds() / 2;
        const double first = m_random.GetValue(0, half);
        Add(begin, first);
        Add(end, m_random.GetValue(half, 2 * half));
    }

    /** Add an event that stays, so many seconds after the beginning. */
    void Add(const std::string& event, double seconds)
    {
        const Time time = Min(m_begin + Seconds(seconds), m_end);
        m_events.push_back(event + "@" + std::to_string(time.GetNanoSeconds()) + "ns");
    }

    void AddPartition()
    {
        const auto [one, other] = DrawPair();
        std::string group = std::to_string(one);
        for (LearnerId learner = 0; learner < m_graph.GetSize(); ++learner)
        {
            if (learner != one && learner != other && Toss())
            {
                group += "," + std::to_string(learner);
            }
        }
        AddSpan("partition:" + group, "heal");
    }

    void AddCrashes()
    {
        std::set<std::string> learners{DrawLearner(), DrawLearner()};
        for (const std::string& learner : learners)
        {
            AddSpan("crash:" + learner, "restart:" + learner);
        }
    }

    void AddCheckpoints(LearnerId server)
    {
        const std::string learner = std::to_string(server);
        const std::string crash = "crash:" + learner;
        Add("checkpoint=" + std::to_string(m_random.GetInteger(2, 20)) + ":" + learner, 0);
        const bool crashes =
            std::any_of(m_events.begin(), m_events.end(), [&](const std::string& event) {
                return event.rfind(crash + "@", 0) == 0;
            });
        if (!crashes)
        {
            AddSpan(crash, "restart:" + learner);
        }
    }

    /** Add one kind of fault. */
    void AddKind(uint32_t kind)
    {
        const std::string link = DrawLink();
        const auto [a, b] = DrawPair();
        const std::string pair = std::to_string(a) + "-" + std::to_string(b);
        switch (kind)
        {
        case 0:
            AddPartition();
            break;
        case 1:
            AddSpan("down:" + pair, "up:" + pair);
            break;
        case 2:
            AddSpan("burst=0," + DrawProbability(1000) + "," + DrawProbability(100) + "," +
                        DrawProbability(500) + ":" + link,
                    "burst=0,0,0,1:" + link);
            break;
        case 3:
            AddSpan("corrupt=" + DrawProbability(300) + ":" + link, "corrupt=0:" + link);
            break;
        case 4:
            AddSpan("duplicate=" + DrawProbability(500) + ":" + link, "duplicate=0:" + link);
            break;
        case REORDER:
            AddSpan("reorder=" + DrawProbability(500) + "," +
                        std::to_string(m_random.GetInteger(1, 20)) + "ms:" + link,
                    "reorder=0,1ms:" + link);
            break;
        case 6:
            AddCrashes();
            break;
        default:
            Add("drift=" + FormatShortest(m_random.GetInteger(1, 100000) * (Toss() ? 1.0 : -1.0)) +
                    ":" + DrawLearner(),
                0);
        }
    }

    /** Kinds of faults. */
    static constexpr uint32_t KINDS = 8;
    /** That of packets held back. */
    static constexpr uint32_t REORDER = 5;

    /** @return the events */
    const std::vector<std::string>& GetEvents() const { return m_events; }

  private:
    const Graph& m_graph;              //!< which learners exchange messages
    Time m_begin;                      //!< of the span
    Time m_end;                        //!< of the span
    UniformRandomVariable& m_random;   //!< draws
    std::vector<std::string> m_events; //!< so far
};

} // namespace

std::vector<std::string>
DrawFaults(const Graph& graph,
           Time begin,
           Time end,
           const DrawableFaults& drawable,
           UniformRandomVariable& random)
{
    Require(!graph.GetPairs().empty(), "DrawFaults: there must be neighbours");
    Require(begin < end, "DrawFaults: the span must end after its beginning");
    FaultWriter writer(graph, begin, end, random);
    for (uint32_t kind = 0; kind < FaultWriter::KINDS; ++kind)
    {
        const bool wanted = writer.Toss(); // also for what is left out, so that all others stay
        if (wanted && (drawable.reorder || kind != FaultWriter::REORDER))
        {
            writer.AddKind(kind);
        }
    }
    if (writer.GetEvents().empty())
    {
        writer.AddKind(random.GetInteger(0, FaultWriter::REORDER - 1));
    }
    if (drawable.server && writer.Toss())
    {
        writer.AddCheckpoints(*drawable.server);
    }
    return writer.GetEvents();
}

} // namespace ns3::dlearn
