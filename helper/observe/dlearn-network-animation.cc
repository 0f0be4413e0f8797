/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-animation.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-trace-connections.h"

#ifdef DLEARN_WITH_NETANIM
#include "ns3/animation-interface.h"
#include "ns3/dlearn-files.h"
#include "ns3/mobility-model.h"
#include "ns3/node-list.h"
#include "ns3/node.h"

#include <cmath>
#include <limits>
#endif

namespace ns3::dlearn
{

#ifdef DLEARN_WITH_NETANIM

namespace
{

/** A colour as NetAnim has it. */
struct Color
{
    uint8_t red;   //!< share of red
    uint8_t green; //!< share of green
    uint8_t blue;  //!< share of blue
};

constexpr Color HELPER{160, 160, 160}; //!< of nodes without learner
constexpr Color AT_WORK{0, 150, 60};   //!< of a learner that goes on
constexpr Color BYZANTINE{240, 150, 0};
constexpr Color DONE{40, 90, 220};
constexpr Color DOWN{220, 30, 30};

/** @return the colour of a learner */
Color
GetColor(const LearnerApplication& learner, LearnerApplication::State state)
{
    switch (state)
    {
    case LearnerApplication::State::STOPPED:
        return DOWN;
    case LearnerApplication::State::FINISHED:
        return DONE;
    default:
        return learner.IsByzantine() ? BYZANTINE : AT_WORK;
    }
}

/** Give nodes without a mobility model a place: that of a learner, or one in a circle. */
void
PlaceNodes(const std::vector<Ptr<LearnerApplication>>& learners,
           const std::vector<std::pair<double, double>>& places)
{
    constexpr double RADIUS = 50;
    const auto place = [](const Ptr<Node>& node, double x, double y) {
        if (!node->GetObject<MobilityModel>())
        {
            AnimationInterface::SetConstantPosition(node, x, y);
        }
    };
    for (size_t k = 0; k < places.size() && k < learners.size(); ++k)
    {
        place(learners[k]->GetNode(), places[k].first, places[k].second);
    }
    for (uint32_t k = 0; k < NodeList::GetNNodes(); ++k)
    {
        const double angle = 2 * M_PI * k / NodeList::GetNNodes();
        place(NodeList::GetNode(k), RADIUS * (1 + std::cos(angle)), RADIUS * (1 + std::sin(angle)));
    }
}

} // namespace

/** Tells ns-3's AnimationInterface of learners. */
class NetworkAnimation::Writer
{
  public:
    Writer(const std::string& path,
           const std::vector<Ptr<LearnerApplication>>& learners,
           const std::vector<std::pair<double, double>>& places)
        : m_path(path),
          m_file(path)
    {
        PlaceNodes(learners, places);
        // Over the empty file that OutputFile has made, and keeps from its name until Commit().
        m_animation = std::make_unique<AnimationInterface>(m_file.GetPart());
        m_animation->SetMaxPktsPerTraceFile(std::numeric_limits<uint64_t>::max()); // one file
        for (uint32_t k = 0; k < NodeList::GetNNodes(); ++k)
        {
            m_animation->UpdateNodeColor(k, HELPER.red, HELPER.green, HELPER.blue);
        }
        m_seen.reserve(learners.size()); // traces know where they are
        for (const auto& learner : learners)
        {
            m_seen.push_back({this, learner});
            Show(m_seen.back(), learner->GetState());
            Describe(*learner, learner->GetRole());
            m_traces.Add(learner, "StateTransition", GetStateCallback(m_seen.back()));
            m_traces.Add(learner, "RoundBegin", GetRoundCallback(m_seen.back()));
        }
    }

    /** Complete the file. */
    void Commit()
    {
        m_animation.reset(); // writes the end
        RequireWhole(m_file.GetPart(), m_path);
        m_file.Commit();
    }

  private:
    /** A learner that is watched. */
    struct Seen
    {
        Writer* writer;                  //!< to tell
        Ptr<LearnerApplication> learner; //!< what is watched

        /** Sink of the trace StateTransition. */
        void HandleState(LearnerApplication::State /* old */, LearnerApplication::State now)
        {
            writer->Show(*this, now);
        }

        /** Sink of the trace RoundBegin. */
        void HandleRound(LearnerId /* learner */, uint32_t round)
        {
            writer->Describe(*learner, "round " + std::to_string(round));
        }
    };

    /** @return the sink of the trace StateTransition */
    static CallbackBase GetStateCallback(Seen& seen)
    {
        return MakeCallback(&Seen::HandleState, &seen);
    }

    /** @return the sink of the trace RoundBegin */
    static CallbackBase GetRoundCallback(Seen& seen)
    {
        return MakeCallback(&Seen::HandleRound, &seen);
    }

    /** Paint the node of a learner. */
    void Show(const Seen& seen, LearnerApplication::State state)
    {
        const Color color = GetColor(*seen.learner, state);
        m_animation->UpdateNodeColor(seen.learner->GetNode(), color.red, color.green, color.blue);
    }

    /** Write beside the node of a learner. */
    void Describe(const LearnerApplication& learner, const std::string& text)
    {
        m_animation->UpdateNodeDescription(learner.GetNode(),
                                           std::to_string(learner.GetLearnerId()) + ": " + text);
    }

    std::string m_path;                              //!< of the file
    OutputFile m_file;                               //!< its name when all is written
    std::unique_ptr<AnimationInterface> m_animation; //!< writes it
    std::vector<Seen> m_seen;                        //!< the learners
    TraceConnections m_traces;                       //!< all that call them
};

NetworkAnimation::NetworkAnimation(const std::string& path,
                                   const std::vector<Ptr<LearnerApplication>>& learners,
                                   const std::vector<std::pair<double, double>>& places)
    : m_writer(std::make_unique<Writer>(path, learners, places))
{
}

void
NetworkAnimation::Commit()
{
    m_writer->Commit();
    m_writer.reset();
}

#else

class NetworkAnimation::Writer
{
};

NetworkAnimation::NetworkAnimation(const std::string& /* path */,
                                   const std::vector<Ptr<LearnerApplication>>& /* learners */,
                                   const std::vector<std::pair<double, double>>& /* places */)
{
    Require(false, "netanim needs ns-3's module netanim, without which this ns-3 was built");
}

void
NetworkAnimation::Commit()
{
}

#endif

NetworkAnimation::~NetworkAnimation() = default;

} // namespace ns3::dlearn
