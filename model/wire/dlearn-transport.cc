/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-transport.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/node-list.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnTransport");

NS_OBJECT_ENSURE_REGISTERED(Transport);

TypeId
Transport::GetTypeId()
{
    static TypeId tid = MakeTypeId<Transport, Object>("ns3::dlearn::Transport")
                            .AddTraceSource("Departure",
                                            "The first byte of a message was handed to a socket.",
                                            MakeTraceSourceAccessor(&Transport::m_departureTrace),
                                            "ns3::dlearn::Transport::DepartureTracedCallback");
    return tid;
}

void
Transport::Setup(Ptr<Node> node, LearnerId self, const Peers& peers)
{
    NS_LOG_FUNCTION(this << node << self << peers.size());
    CheckAttributes();
    m_self = self;
    m_peers.clear();
    m_peerAt.clear();
    m_hasOthers = false;
    for (const auto& [peer, given] : peers)
    {
        const auto found = Endpoint::Find(given, GetPort());
        Require(found.has_value(),
                "Transport: address of peer {} must be an IP address or a socket address of UDP or "
                "TCP, got {}",
                peer,
                given);
        const Endpoint endpoint = *found;
        m_peers.emplace(peer, endpoint);
        const auto [other, fresh] = m_peerAt.try_emplace(endpoint, peer);
        Require(fresh,
                "Transport: peers {} and {} must not share the address {} and the port {}",
                other->second,
                peer,
                endpoint.ip,
                endpoint.port);
        Require(endpoint.ip.IsIpv6() == IsIpv6(),
                "Transport: the addresses of all peers of learner {} must be of the same version "
                "of IP, got {} and {}",
                self,
                m_peers.begin()->second.ip,
                endpoint.ip);
    }
    m_node = node;
}

const Endpoint&
Transport::GetAddress(LearnerId peer) const
{
    const auto found = m_peers.find(peer);
    Require(found != m_peers.end(),
            "Transport: learner {} can send to its neighbours only, got {}",
            m_self,
            peer);
    return found->second;
}

std::optional<LearnerId>
Transport::FindPeer(const Endpoint& endpoint)
{
    auto found = m_peerAt.find(endpoint);
    if (found == m_peerAt.end() && !m_hasOthers)
    {
        AddOtherAddresses(); // only now: in most networks no learner uses any
        found = m_peerAt.find(endpoint);
    }
    return found == m_peerAt.end() ? std::nullopt : std::make_optional(found->second);
}

void
Transport::AddOtherAddresses()
{
    m_hasOthers = true;
    std::multimap<IpAddress, LearnerId> peersAt;
    for (const auto& [peer, endpoint] : m_peers)
    {
        peersAt.emplace(endpoint.ip, peer);
    }
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto own = ListAddresses(**node);
        for (const NodeAddress& known : own)
        {
            const auto [first, last] = peersAt.equal_range(known.ip);
            for (auto peer = first; peer != last; ++peer)
            {
                for (const NodeAddress& other : own)
                {
                    m_peerAt.try_emplace({other.ip, m_peers.at(peer->second).port}, peer->second);
                }
            }
        }
    }
}

std::vector<ByteRange>
Transport::FindMissing(LearnerId from, ModelChannel channel, uint32_t round, uint32_t length) const
{
    return m_missing.IsNull() ? std::vector<ByteRange>{} : m_missing(from, channel, round, length);
}

std::vector<uint8_t>
Transport::CopyBytes(LearnerId from, ModelChannel channel, uint32_t round, ByteRange range) const
{
    return m_bytes.IsNull() ? std::vector<uint8_t>{} : m_bytes(from, channel, round, range);
}

void
Transport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_node = nullptr;
    m_fragment = ReceiveCallback();
    m_malformed = MalformedCallback();
    m_missing = MissingCallback();
    m_bytes = BytesCallback();
    Object::DoDispose();
}

bool
Transport::Deliver(std::optional<LearnerId> from, const uint8_t* bytes, uint32_t size)
{
    if (size < ModelHeader::SIZE)
    {
        ReportMalformed(size);
        return false;
    }
    ModelHeader header;
    header.Read(bytes);
    const uint8_t* payload = bytes + ModelHeader::SIZE;
    if (!header.IsValid() || header.payloadLength != size - ModelHeader::SIZE ||
        !header.IsIntact(payload))
    {
        ReportMalformed(size);
        return false;
    }
    m_fragment(from, header, payload);
    return true;
}

uint32_t
Transport::GetSmallestMtu() const
{
    uint32_t mtu = 65535;
    for (uint32_t index = 0; index < m_node->GetNDevices(); ++index)
    {
        mtu = std::min<uint32_t>(mtu, m_node->GetDevice(index)->GetMtu());
    }
    const uint32_t least = 128; // headers, and something to carry
    Require(mtu >= least,
            "Transport: MTU of the devices of node {} must be at least {}, got {}",
            m_node->GetId(),
            least,
            mtu);
    return mtu;
}

void
Transport::ReportMalformed(uint32_t size)
{
    NS_LOG_INFO("learner " << m_self << ": got " << size << " bytes that are not a fragment");
    m_malformed(size);
}

void
Transport::CountSent(const EncodedMessage& message, uint32_t size)
{
    NS_LOG_FUNCTION(this << size);
    m_txBytes += size;
    if (message.Leave())
    {
        m_departureTrace(message);
    }
}

} // namespace ns3::dlearn
