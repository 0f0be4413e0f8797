/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TORCH_GUARD_H
#define DLEARN_TORCH_GUARD_H

/**
 * @file
 * How the library dlearn-torch calls LibTorch. Private to that library.
 */

#include <stdexcept>
#include <string>
#include <torch/script.h>

namespace ns3::dlearn
{

/** Make the settings of LibTorch without which results would depend on threads. */
void PrepareTorchThread();

/** @return the informative line of a message that also lists places in the code */
std::string GetTorchReason(const std::exception& error);

/** @return the sizes of a tensor, to read */
std::string DescribeSizes(at::IntArrayRef sizes);

/**
 * Call LibTorch, in the mode that makes results a function of the arguments.
 *
 * @param file what the message begins with
 * @param rule what did not work, if it throws
 * @param call what to call
 * @return what it returns
 * @throw std::invalid_argument instead of what LibTorch throws
 */
template <typename Call>
auto
GuardTorch(const std::string& file, const std::string& rule, const Call& call)
{
    PrepareTorchThread();
    // TorchScript would otherwise watch the first calls and then compute in another order.
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    try
    {
        return call();
    }
    catch (const std::invalid_argument&)
    {
        throw;
    }
    catch (const std::exception& error)
    {
        throw std::invalid_argument("TorchTask: '" + file + "': " + rule + ": " +
                                    GetTorchReason(error));
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_TORCH_GUARD_H
