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
    const std::string images("\0\0\x08\3\0\0\0\2\0\0\0\2\0\0\0\3", 16);
    const std::string labels("\0\0\x08\1\0\0\0\2\0\1", 10);
    return {"\34" + images + std::string(12, 'x') + labels};
}

void
Fuzz(Input& input)
{
    const auto bytes = input.TakeBytes(input.TakeByte());
    const std::string images = WriteFile({bytes.begin(), bytes.end()}, 0);
    const Dataset data = ReadIdx(images, WriteFile(input.TakeRest(), 1), "idx");
    data.Validate();
}

} // namespace ns3::dlearn::fuzz
