/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Part of the library dlearn-torch.
 */

#include "dlearn-torch-products.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <cstring>
#include <memory>

namespace ns3::dlearn
{

namespace
{

/** What is counted in a thread. */
struct Count
{
    double products{0}; //!< up to now
    int depth{0};       //!< of counted operations: one may be done by way of another
};

thread_local Count g_count; //!< LibTorch calls functions without arguments of ours

/** An operation that is counted, while it runs. */
struct Operation : public at::ObserverContext
{
    double products{0};  //!< known at its beginning
    double perOutput{0}; //!< for each number that it returns
};

/** @return products of a convolution for each number that its filters are summed to or spread from
 */
double
GetProductsPerPlace(const at::Tensor& weight)
{
    return static_cast<double>(weight.numel()) / static_cast<double>(weight.size(0));
}

/**
 * @param name of an operation
 * @param in its arguments
 * @return its products; null when it is not one that is counted
 */
std::unique_ptr<Operation>
Examine(const char* name, c10::ArrayRef<const c10::IValue> in)
{
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    const auto numbers = [&in](size_t k) { return static_cast<double>(in[k].toTensor().numel()); };
    // The last dimension of the second factor: how often each number of the first is used.
    const auto columns = [&in](size_t k) { return static_cast<double>(in[k].toTensor().size(-1)); };
    auto operation = std::make_unique<Operation>();
    if (is("aten::mm") || is("aten::bmm"))
    {
        operation->products = numbers(0) * columns(1);
    }
    else if (is("aten::addmm") || is("aten::baddbmm"))
    {
        operation->products = numbers(1) * columns(2);
    }
    else if (is("aten::mv") || is("aten::dot"))
    {
        operation->products = numbers(0);
    }
    else if (is("aten::addmv"))
    {
        operation->products = numbers(1);
    }
    else if (is("aten::convolution"))
    {
        // input, weight, bias, stride, padding, dilation, transposed, ...
        const double each = GetProductsPerPlace(in[1].toTensor());
        const bool transposed = in[6].toBool();
        operation->products = transposed ? numbers(0) * each : 0;
        operation->perOutput = transposed ? 0 : each;
    }
    else if (is("aten::convolution_backward"))
    {
        // output's slope, input, weight, bias, stride, padding, dilation, transposed, output
        // padding, groups, which of the slopes by input, weight, bias are wanted
        const auto wanted = in[10].toBoolList();
        operation->products = numbers(in[7].toBool() ? 1 : 0) *
                              GetProductsPerPlace(in[2].toTensor()) * (wanted[0] + wanted[1]);
    }
    else
    {
        return nullptr;
    }
    return operation;
}

std::unique_ptr<at::ObserverContext>
Begin(const at::RecordFunction& function)
{
    auto operation = Examine(function.name(), function.inputs());
    g_count.depth += operation != nullptr;
    return operation;
}

void
End(const at::RecordFunction& function, at::ObserverContext* context)
{
    const auto* operation = static_cast<const Operation*>(context);
    if (operation == nullptr || --g_count.depth > 0)
    {
        return;
    }
    g_count.products += operation->products;
    if (operation->perOutput > 0)
    {
        g_count.products +=
            operation->perOutput * static_cast<double>(function.outputs().at(0).toTensor().numel());
    }
}

} // namespace

TorchProductCounter::TorchProductCounter()
{
    g_count = {};
    m_handle = at::addThreadLocalCallback(at::RecordFunctionCallback(&Begin, &End)
                                              .needsInputs(true)
                                              .needsOutputs(true)
                                              .scopes({at::RecordScope::FUNCTION}));
}

TorchProductCounter::~TorchProductCounter()
{
    at::removeCallback(m_handle);
}

double
TorchProductCounter::Get() const
{
    return g_count.products;
}

} // namespace ns3::dlearn
