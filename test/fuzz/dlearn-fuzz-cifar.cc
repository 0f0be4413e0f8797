/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-data-readers.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {std::string(3073, '\1'), std::string(2 * 3073, '\1'), "\x1f\x8b\x08"};
}

void
Fuzz(Input& input)
{
    const Dataset data = ReadCifar10({WriteFile(input.TakeRest())}, "cifar");
    data.Validate();
    Demand(data.GetFeatures() == 3072, "an image has 3 x 32 x 32 numbers");
}

} // namespace ns3::dlearn::fuzz
