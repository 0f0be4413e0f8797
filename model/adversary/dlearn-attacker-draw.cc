/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attacker-draw.h"

#include "dlearn-message-behaviors.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/pointer.h"

#include <utility>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(AttackerDraw, Object);

/** Attacks in the rounds in which its learner is drawn. */
class DrawnBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();

    DrawnBehavior(Ptr<AttackerDraw> draw, Ptr<ByzantineBehavior> attack)
        : m_draw(draw),
          m_attack(attack)
    {
    }

    void Deliver(const AttackContext& context) override
    {
        const bool drawn = m_draw->IsDrawn(context.learner, context.round);
        (drawn ? m_attack : m_honest)->Deliver(context);
    }

    void Cancel() override { m_attack->Cancel(); }

    int64_t AssignStreams(int64_t stream) override { return m_attack->AssignStreams(stream); }

  protected:
    void DoDispose() override
    {
        m_attack->Dispose();
        ByzantineBehavior::DoDispose();
    }

  private:
    Ptr<AttackerDraw> m_draw;
    Ptr<ByzantineBehavior> m_attack; //!< attribute Attack
    Ptr<ByzantineBehavior> m_honest{CreateObject<HonestBehavior>()};
};

NS_OBJECT_ENSURE_REGISTERED(DrawnBehavior);

TypeId
DrawnBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::DrawnBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddAttribute("Attack",
                                          "Behaviour in rounds in which the learner is drawn.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&DrawnBehavior::m_attack),
                                          MakePartChecker<ByzantineBehavior>());
    return tid;
}

void
AttackerDraw::Setup(std::vector<LearnerId> learners, uint32_t count)
{
    Require(count <= learners.size(),
            "AttackerDraw: count must be at most the number of learners, {}, got {}",
            learners.size(),
            count);
    m_learners = std::move(learners);
    m_count = count;
}

bool
AttackerDraw::IsDrawn(LearnerId learner, uint32_t round)
{
    while (m_drawn.size() <= round)
    {
        ShuffleFirst(m_learners, m_count, *m_random);
        m_drawn.emplace_back(m_learners.begin(), m_learners.begin() + m_count);
    }
    return m_drawn[round].count(learner) > 0;
}

Ptr<ByzantineBehavior>
AttackerDraw::CreateBehavior(Ptr<ByzantineBehavior> attack)
{
    return CreateObject<DrawnBehavior>(this, attack);
}

int64_t
AttackerDraw::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
