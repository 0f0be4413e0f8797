/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-transport.h"

#include "ns3/dlearn-check.h"
#include "ns3/net-device.h"

#include <algorithm>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Transport);

TypeId
Transport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::Transport").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

void
Transport::Setup(Ptr<Node> node, LearnerId self, const Peers& peers)
{
    m_node = node;
    m_self = self;
    m_peers = peers;
}

void
Transport::SetCallbacks(ReceiveCallback fragment, MalformedCallback malformed)
{
    m_fragment = fragment;
    m_malformed = malformed;
}

void
Transport::DoDispose()
{
    m_node = nullptr;
    m_fragment = ReceiveCallback();
    m_malformed = MalformedCallback();
    Object::DoDispose();
}

bool
Transport::Deliver(const uint8_t* bytes, uint32_t size)
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
    m_fragment(header, payload);
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
    m_malformed(size);
}

uint64_t
Transport::GetTxBytes() const
{
    return m_txBytes;
}

uint64_t
Transport::GetRxBytes() const
{
    return m_rxBytes;
}

uint64_t
Transport::GetTxRefused() const
{
    return m_txRefused;
}

} // namespace dlearn
} // namespace ns3
