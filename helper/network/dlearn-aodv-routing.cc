/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-protocol-routing.h"

#include "ns3/aodv-helper.h"
#include "ns3/aodv-routing-protocol.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Ad hoc On-Demand Distance Vector routing (RFC 3561): a route is searched when it is needed.
 */
class AodvRouting : public ProtocolRouting<AodvHelper, aodv::RoutingProtocol>
{
  public:
    /** @return the type, for the attribute system */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::AodvRouting")
                                .SetParent<RadioRouting>()
                                .SetGroupName("Dlearn")
                                .AddConstructor<AodvRouting>();
        return tid;
    }
};

NS_OBJECT_ENSURE_REGISTERED(AodvRouting);

} // namespace ns3::dlearn
