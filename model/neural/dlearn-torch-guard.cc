/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-torch-guard.h"

#include <ATen/Parallel.h>
#include <sstream>

namespace ns3::dlearn
{

void
PrepareTorchThread()
{
    [[maybe_unused]] static const bool process = [] {
        at::set_num_threads(1);
        try
        {
            at::set_num_interop_threads(1);
        }
        catch (const c10::Error&)
        {
            // Other code in this process has used LibTorch before: only asynchronous code in
            // a module would run there, and what it computes does not depend on it.
        }
        at::globalContext().setDeterministicAlgorithms(true, false);
        return true;
    }();
    // OpenMP, which LibTorch and oneDNN use, has a number of threads for each thread that calls.
    [[maybe_unused]] static thread_local const bool thread = (at::init_num_threads(), true);
}

std::string
GetTorchReason(const std::exception& error)
{
    const auto* known = dynamic_cast<const c10::Error*>(&error);
    const std::string text = known ? known->what_without_backtrace() : error.what();
    // TorchScript puts it behind its own stack of calls.
    const std::string mark = "RuntimeError: ";
    const size_t marked = text.rfind(mark);
    const size_t first = marked == std::string::npos ? 0 : marked + mark.size();
    return text.substr(first, text.find('\n', first) - first);
}

std::string
DescribeSizes(at::IntArrayRef sizes)
{
    std::ostringstream text;
    for (size_t k = 0; k < sizes.size(); ++k)
    {
        text << (k > 0 ? " x " : "") << sizes[k];
    }
    return text.str();
}

} // namespace ns3::dlearn
