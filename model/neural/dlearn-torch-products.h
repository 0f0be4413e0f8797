/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TORCH_PRODUCTS_H
#define DLEARN_TORCH_PRODUCTS_H

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Counts the multiplications in matrix products and convolutions, forwards and back, that LibTorch
 * does in this thread while the counter exists. What is done value by value (activations,
 * normalization, biases) is not counted.
 */
class TorchProductCounter
{
  public:
    TorchProductCounter();
    ~TorchProductCounter();
    TorchProductCounter(const TorchProductCounter&) = delete;
    TorchProductCounter& operator=(const TorchProductCounter&) = delete;

    /** @return multiplications up to now */
    double Get() const;

  private:
    uint64_t m_handle; //!< of the observer
};

} // namespace ns3::dlearn

#endif // DLEARN_TORCH_PRODUCTS_H
