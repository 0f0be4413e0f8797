/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-transport.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/node-list.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnTransport");

NS_OBJECT_ENSURE_REGISTERED(Transport);

namespace
{

/**
 * @param peer for the message
 * @param address of the peer
 * @param port of peers whose address has none
 * @return address and port
 */
InetSocketAddress
ToSocketAddress(LearnerId peer, const Address& address, uint16_t port)
{
    if (InetSocketAddress::IsMatchingType(address))
    {
        return InetSocketAddress::ConvertFrom(address);
    }
    Require(Ipv4Address::IsMatchingType(address),
            "Transport: address of peer ",
            peer,
            " must be an Ipv4Address or InetSocketAddress, got ",
            address);
    return {Ipv4Address::ConvertFrom(address), port};
}

} // namespace

TypeId
Transport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::Transport")
                            .SetParent<Object>()
                            .SetGroupName("Dlearn")
                            .AddTraceSource("Departure",
                                            "The first byte of a message was handed to a socket.",
                                            MakeTraceSourceAccessor(&Transport::m_departureTrace),
                                            "ns3::dlearn::Transport::DepartureTracedCallback");
    return tid;
}

void
Transport::CheckAttributes() const
{
}

void
Transport::Setup(Ptr<Node> node, LearnerId self, const Peers& peers)
{
    NS_LOG_FUNCTION(this << node << self << peers.size());
    CheckAttributes();
    m_node = node;
    m_self = self;
    m_peers.clear();
    m_peerAt.clear();
    m_hasOthers = false;
    for (const auto& [peer, given] : peers)
    {
        const auto address = ToSocketAddress(peer, given, GetPort());
        m_peers.emplace(peer, address);
        const auto [other, fresh] =
            m_peerAt.try_emplace({address.GetIpv4(), address.GetPort()}, peer);
        Require(fresh,
                "Transport: peers ",
                other->second,
                " and ",
                peer,
                " must not share the address ",
                address.GetIpv4(),
                " and the port ",
                address.GetPort());
    }
}

const InetSocketAddress&
Transport::GetAddress(LearnerId peer) const
{
    const auto found = m_peers.find(peer);
    Require(found != m_peers.end(),
            "Transport: learner ",
            m_self,
            " can send to its neighbours only, got ",
            peer);
    return found->second;
}

std::optional<LearnerId>
Transport::FindPeer(Ipv4Address address, uint16_t port)
{
    auto found = m_peerAt.find({address, port});
    if (found == m_peerAt.end() && !m_hasOthers)
    {
        AddOtherAddresses(); // only now: in most networks no learner uses any
        found = m_peerAt.find({address, port});
    }
    return found == m_peerAt.end() ? std::nullopt : std::make_optional(found->second);
}

void
Transport::AddOtherAddresses()
{
    m_hasOthers = true;
    std::multimap<Ipv4Address, LearnerId> peersAt;
    for (const auto& [peer, address] : m_peers)
    {
        peersAt.emplace(address.GetIpv4(), peer);
    }
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const Ptr<Ipv4> ipv4 = (*node)->GetObject<Ipv4>();
        std::vector<Ipv4Address> own;
        for (uint32_t k = 1; ipv4 && k < ipv4->GetNInterfaces(); ++k) // 0 is loopback
        {
            for (uint32_t a = 0; a < ipv4->GetNAddresses(k); ++a)
            {
                own.push_back(ipv4->GetAddress(k, a).GetLocal());
            }
        }
        for (const Ipv4Address known : own)
        {
            const auto [first, last] = peersAt.equal_range(known);
            for (auto peer = first; peer != last; ++peer)
            {
                for (const Ipv4Address other : own)
                {
                    m_peerAt.try_emplace({other, m_peers.at(peer->second).GetPort()}, peer->second);
                }
            }
        }
    }
}

void
Transport::SetCallbacks(ReceiveCallback fragment, MalformedCallback malformed)
{
    m_fragment = fragment;
    m_malformed = malformed;
}

void
Transport::SetRepairCallbacks(MissingCallback missing, BytesCallback bytes)
{
    m_missing = missing;
    m_bytes = bytes;
}

int64_t
Transport::AssignStreams(int64_t /* stream */)
{
    return 0;
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
Transport::GetPacketSize() const
{
    return GetFragmentSize() + ModelHeader::SIZE;
}

void
Transport::PreferNewest()
{
}

bool
Transport::IsWaitingForTurn(uint32_t /* round */) const
{
    return false;
}

bool
Transport::RepeatsFragments() const
{
    return false;
}

double
Transport::CountRoundTrips(uint64_t /* bytes */) const
{
    return 0;
}

bool
Transport::IsReliable() const
{
    return false;
}

void
Transport::Count(std::map<std::string, uint64_t>& totals) const
{
    totals["tx_refused_fragments"] += m_txRefused;
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
            "Transport: MTU of the devices of node ",
            m_node->GetId(),
            " must be at least ",
            least,
            ", got ",
            mtu);
    return mtu;
}

void
Transport::ReportMalformed(uint32_t size)
{
    NS_LOG_INFO("learner " << m_self << ": got " << size << " bytes that are no fragment");
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

void
Transport::VisitState(StateArchive& archive)
{
    archive(m_txBytes, m_rxBytes, m_txRefused);
}

} // namespace ns3::dlearn
