/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_LAYERS_H
#define DLEARN_NETWORK_LAYERS_H

#include "dlearn-network-layer.h"

#include <memory>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Create a layer of any kind.
 *
 * @tparam Scalar float or double
 * @param plan kind and sizes
 * @return the layer
 */
template <typename Scalar>
std::unique_ptr<NetworkLayer<Scalar>> CreateNetworkLayer(const LayerPlan& plan);

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_LAYERS_H
