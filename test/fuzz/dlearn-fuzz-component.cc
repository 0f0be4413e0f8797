/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-part.h"
#include "ns3/type-id.h"

#include <sanitizer/lsan_interface.h>

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {"\1Krum:0.5",
            "\2Clipping:2",
            "\3Alie:1.5",
            "\4topk:0.1",
            "\5ldp-online,step=0.1",
            "\6PolynomialStaleness:0.5",
            "\7ns3::UniformRandomVariable[Min=0.5|Max=1]"};
}

void
Fuzz(Input& input)
{
    // A factory of ns-3 does not free an object that refuses an attribute.
    const __lsan::ScopedDisabler leaks;
    const uint8_t which = input.TakeByte();
    const std::string text = input.TakeRest();
    switch (which % 8)
    {
    case 1:
        Demand(ParseAggregator(text) != nullptr, "an aggregator that is read is made");
        break;
    case 2:
        AddPreAggregators(text, ParseAggregator("Average"));
        break;
    case 3:
        ParseAttack(text);
        break;
    case 4:
        ParseComponent(GetCompressorFamily(), text).Create<Object>();
        break;
    case 5:
        ParseComponent(GetPeerRuleFamily(), text).Create<Object>();
        break;
    case 6:
        ParseComponent(GetStalenessFamily(), text).Create<Object>();
        break;
    default: {
        // All attributes of a type of ns-3, as on the command line.
        const TypeId type = TypeId::GetRegistered(which * 7 % TypeId::GetRegisteredN());
        for (size_t k = 0; k < type.GetAttributeN(); ++k)
        {
            const auto info = type.GetAttribute(k);
            IsValid(text, *info.checker, *info.initialValue);
        }
    }
    }
}

} // namespace ns3::dlearn::fuzz
