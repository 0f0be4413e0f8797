/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rule-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-dsgd.h"
#include "ns3/dlearn-peer-rule.h"

#include <gtest/gtest.h>

namespace mine
{

using namespace ns3;
using namespace ns3::dlearn;

/** Its author has forgotten its GetTypeId(). */
class Nameless : public PeerRule
{
  protected:
    ModelVector Move(const Inbox& inbox) const override { return MixAndDescend(inbox); }
};

/** Its author has forgotten its parts. */
class Bare : public Nameless
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("mine::Bare").SetParent<PeerRule>().AddConstructor<Bare>();
        return tid;
    }
};

} // namespace mine

namespace ns3::dlearn
{
namespace
{

TEST(PeerRule, SaysThatItsPartsAreMissing)
{
    const Ring ring(Dsgd::GetTypeId());
    const auto bare = CreateObject<mine::Bare>();
    const std::string parts =
        ": has no parts; a rule of peers needs a GetTypeId() of its own, with "
        "PeerRule::AddParts()";
    ExpectRefused([&] { bare->Setup(ring.GetContext(0)); }, "mine::Bare" + parts);
    ExpectRefused([&] { bare->AssignStreams(1); }, "mine::Bare" + parts);
    ExpectRefused([&] { CreateObject<mine::Nameless>()->Setup(ring.GetContext(0)); },
                  "ns3::dlearn::PeerRule" + parts);
}

} // namespace
} // namespace ns3::dlearn
