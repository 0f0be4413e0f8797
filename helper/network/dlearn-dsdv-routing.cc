/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-protocol-routing.h"

#include "ns3/dsdv-helper.h"
#include "ns3/dsdv-routing-protocol.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Destination-Sequenced Distance Vector routing (Perkins and Bhagwat, 1994): tables that are sent
 * to neighbours from time to time.
 */
class DsdvRouting : public ProtocolRouting<DsdvHelper, dsdv::RoutingProtocol>
{
  public:
    /** @return the type, for the attribute system */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::DsdvRouting")
                                .SetParent<RadioRouting>()
                                .SetGroupName("Dlearn")
                                .AddConstructor<DsdvRouting>();
        return tid;
    }

  protected:
    Time MeasureReadyTime(uint32_t nodes) const override
    {
        // Measured: 5 nodes take less than 15 s, 10 less than 20 s; of 20 some take 45 s.
        return Seconds(15) + nodes * Seconds(2);
    }
};

NS_OBJECT_ENSURE_REGISTERED(DsdvRouting);

} // namespace ns3::dlearn
