/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-animation.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/mobility-model.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#ifdef DLEARN_WITH_NETANIM
#include "ns3/animation-interface.h"
#endif

#include <cmath>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** Add the present position, in place of a record of the same time. */
void
AddPosition(LearnerId node, const MobilityModel& model, std::vector<PositionRecord>& records)
{
    const PositionRecord record{Simulator::Now(), node, model.GetPosition()};
    if (!records.empty() && records.back().time == record.time)
    {
        records.pop_back();
    }
    records.push_back(record);
}

} // namespace

PositionRecorder::PositionRecorder(const NodeContainer& learners)
    : m_records(learners.GetN())
{
    for (LearnerId node = 0; node < learners.GetN(); ++node)
    {
        const auto model = learners.Get(node)->GetObject<MobilityModel>();
        m_models.push_back(model);
        if (model)
        {
            AddPosition(node, *model, m_records[node]);
            m_traces.Add(model,
                         "CourseChange",
                         MakeCallback(&PositionRecorder::HandleCourse, this, node));
        }
    }
}

void
PositionRecorder::HandleCourse(LearnerId node, Ptr<const MobilityModel> model)
{
    AddPosition(node, *model, m_records[node]);
}

std::vector<PositionRecord>
PositionRecorder::GetRecords() const
{
    std::vector<PositionRecord> all;
    for (LearnerId node = 0; node < m_records.size(); ++node)
    {
        auto records = m_records[node];
        if (records.size() > 1 ||
            (!records.empty() && m_models[node]->GetPosition() != records.front().position))
        {
            AddPosition(node, *m_models[node], records);
        }
        all.insert(all.end(), records.begin(), records.end());
    }
    return all;
}

#ifdef DLEARN_WITH_NETANIM

namespace
{

struct Color
{
    uint8_t red;
    uint8_t green;
    uint8_t blue;
};

constexpr Color HELPER{160, 160, 160}; //!< of nodes without learner
constexpr Color AT_WORK{0, 150, 60};
constexpr Color BYZANTINE{240, 150, 0};
constexpr Color DONE{40, 90, 220};
constexpr Color DOWN{220, 30, 30};

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

class NetworkAnimation::Writer
{
  public:
    Writer(const std::string& path,
           const std::vector<Ptr<LearnerApplication>>& learners,
           const std::vector<std::pair<double, double>>& places)
        : m_path(path),
          m_file(path),
          m_learners(learners)
    {
        PlaceNodes(learners, places);
        // Over the empty file that OutputFile has made, and keeps from its name until Commit().
        m_animation = std::make_unique<AnimationInterface>(m_file.GetPart());
        m_animation->SetMaxPktsPerTraceFile(std::numeric_limits<uint64_t>::max()); // one file
        for (uint32_t k = 0; k < NodeList::GetNNodes(); ++k)
        {
            m_animation->UpdateNodeColor(k, HELPER.red, HELPER.green, HELPER.blue);
        }
        for (uint32_t k = 0; k < learners.size(); ++k)
        {
            HandleState(k, learners[k]->GetState(), learners[k]->GetState());
            Describe(k, learners[k]->GetRole());
            m_traces.Add(learners[k],
                         "StateTransition",
                         MakeCallback(&Writer::HandleState, this, k));
            m_traces.Add(learners[k], "RoundBegin", MakeCallback(&Writer::HandleRound, this, k));
        }
    }

    void Commit()
    {
        m_animation.reset(); // writes the end
        RequireWhole(m_file.GetPart(), m_path);
        m_file.Commit();
    }

  private:
    void HandleState(uint32_t k, LearnerApplication::State /* old */, LearnerApplication::State now)
    {
        const Color color = GetColor(*m_learners[k], now);
        m_animation->UpdateNodeColor(m_learners[k]->GetNode(), color.red, color.green, color.blue);
    }

    void HandleRound(uint32_t k, LearnerId /* learner */, uint32_t round)
    {
        Describe(k, "round " + std::to_string(round));
    }

    /** Write beside the node of a learner. */
    void Describe(uint32_t k, const std::string& text)
    {
        m_animation->UpdateNodeDescription(m_learners[k]->GetNode(),
                                           std::to_string(m_learners[k]->GetLearnerId()) + ": " +
                                               text);
    }

    std::string m_path;
    OutputFile m_file; //!< gets its name when all is written
    std::vector<Ptr<LearnerApplication>> m_learners;
    std::unique_ptr<AnimationInterface> m_animation;
    TraceConnections m_traces;
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
