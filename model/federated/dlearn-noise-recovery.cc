/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-noise-recovery.h"

#include <algorithm>

namespace ns3::dlearn
{

ModelVector
MakeDropoutRequest(const std::vector<LearnerId>& clients, const std::vector<LearnerId>& dropouts)
{
    ModelVector request = ModelVector::Zero(clients.size());
    for (size_t place = 0; place < clients.size(); ++place)
    {
        request[place] =
            std::binary_search(dropouts.begin(), dropouts.end(), clients[place]) ? 1 : 0;
    }
    return request;
}

std::vector<uint32_t>
ReadDropoutRequest(const ModelVector& request)
{
    std::vector<uint32_t> dropouts;
    for (Eigen::Index place = 0; place < request.size(); ++place)
    {
        if (request[place] != 0 && request[place] != 1) // which every encoding of numbers keeps
        {
            return {};
        }
        if (request[place] == 1)
        {
            dropouts.push_back(place);
        }
    }
    return dropouts;
}

} // namespace ns3::dlearn
