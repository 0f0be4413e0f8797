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
    return {std::string(1, '\0') + "+1 1:0.5 3:1\n-1 2:1e-3\n", "\0010.5 1:1\n1.5 2:2 # x\n"};
}

void
Fuzz(Input& input)
{
    const auto labels = input.TakeByte() % 2 ? LabelKind::TARGETS : LabelKind::CLASSES;
    const std::string text = input.TakeRest();
    if (!HasLongNumber(text))
    {
        const Dataset data = ReadLibsvm(WriteFile(text), labels);
        Demand(data.features.allFinite() && data.GetSize() >= 1, "there are finite samples");
    }
}

} // namespace ns3::dlearn::fuzz
