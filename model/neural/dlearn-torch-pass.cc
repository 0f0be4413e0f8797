/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-torch-pass.h"

#include "dlearn-torch-guard.h"

#include "ns3/dlearn-check.h"

#include <torch/csrc/autograd/autograd.h>

namespace ns3::dlearn
{

FilePass::FilePass(const TorchCopies& copies, ConstVectorRef theta)
    : m_copies(copies),
      m_instance(copies.Take())
{
    Eigen::Index first = 0;
    for (const at::Tensor& parameter : m_instance->parameters)
    {
        Eigen::Map<Eigen::VectorXf> values(parameter.data_ptr<float>(), parameter.numel());
        values = theta.segment(first, values.size()).cast<float>();
        first += values.size();
    }
}

FilePass::~FilePass()
{
    m_copies.PutBack(std::move(m_instance));
}

Eigen::MatrixXf
FilePass::Forward(const Eigen::MatrixXf& inputs, WayBack back)
{
    const TorchSource& source = m_copies.GetSource();
    std::vector<int64_t> sizes{inputs.cols()};
    sizes.insert(sizes.end(), source.shape.begin(), source.shape.end());
    const at::AutoGradMode mode(back != WayBack::NONE);
    GuardTorch(source.file, "forward() failed for an input of " + DescribeSizes(sizes), [&] {
        m_inputs = at::empty(sizes, at::kFloat);
        Eigen::Map<Eigen::MatrixXf>(m_inputs.data_ptr<float>(), inputs.rows(), inputs.cols()) =
            inputs;
        // Only then: elsewhere it would hide that nothing depends on the parameters. A leaf that
        // requires a gradient must not be overwritten, as a module may do with what it gets.
        m_inputs.requires_grad_(back == WayBack::TO_INPUTS);
        const c10::IValue result =
            m_instance->module.forward({m_inputs.requires_grad() ? m_inputs.clone() : m_inputs});
        Require(result.isTensor(),
                "TorchTask: '",
                source.file,
                "': forward() must return one tensor, got ",
                result.tagKind());
        m_outputs = result.toTensor();
    });
    const std::vector<int64_t> wanted{inputs.cols(), source.classes};
    Require(m_outputs.sizes() == wanted && m_outputs.scalar_type() == at::kFloat,
            "TorchTask: '",
            source.file,
            "': forward() must return float numbers of ",
            DescribeSizes(wanted),
            " (samples x classes), got ",
            c10::toString(m_outputs.scalar_type()),
            " numbers of ",
            DescribeSizes(m_outputs.sizes()));
    const at::Tensor rows = m_outputs.detach().contiguous();
    return Eigen::Map<const Eigen::MatrixXf>(rows.data_ptr<float>(), source.classes, inputs.cols());
}

std::vector<at::Tensor>
FilePass::Differentiate(const std::vector<at::Tensor>& by, const Eigen::MatrixXf& slopes) const
{
    std::vector<at::Tensor> derivatives(by.size());
    if (!m_outputs.requires_grad())
    {
        return derivatives; // LibTorch would throw, but only when none of them is there
    }
    GuardTorch(m_copies.GetSource().file, "the way back failed", [&] {
        const at::Tensor weights = at::empty({slopes.cols(), slopes.rows()}, at::kFloat);
        Eigen::Map<Eigen::MatrixXf>(weights.data_ptr<float>(), slopes.rows(), slopes.cols()) =
            slopes;
        derivatives = torch::autograd::grad({m_outputs}, by, {weights}, false, false, true);
        for (at::Tensor& derivative : derivatives)
        {
            if (derivative.defined())
            {
                derivative = (derivative.is_sparse() ? derivative.to_dense() : derivative);
                derivative = derivative.contiguous();
            }
        }
    });
    return derivatives;
}

void
FilePass::AddGradient(const Eigen::MatrixXf& slopes, VectorRef gradient)
{
    TryGradient(slopes, gradient);
}

bool
FilePass::TryGradient(const Eigen::MatrixXf& slopes, VectorRef gradient)
{
    bool depends = false;
    Eigen::Index first = 0;
    const auto& parameters = m_instance->parameters;
    const auto derivatives = Differentiate(parameters, slopes);
    for (size_t k = 0; k < parameters.size(); ++k)
    {
        const Eigen::Index size = parameters[k].numel();
        if (derivatives[k].defined())
        {
            gradient.segment(first, size) +=
                Eigen::Map<const Eigen::VectorXf>(derivatives[k].data_ptr<float>(), size)
                    .cast<double>();
            depends = true;
        }
        first += size;
    }
    return depends;
}

Eigen::MatrixXf
FilePass::GetInputGradient(const Eigen::MatrixXf& slopes)
{
    const Eigen::Index features = m_inputs.numel() / slopes.cols();
    const at::Tensor derivative = Differentiate({m_inputs}, slopes).front();
    if (!derivative.defined())
    {
        return Eigen::MatrixXf::Zero(features, slopes.cols());
    }
    return Eigen::Map<const Eigen::MatrixXf>(derivative.data_ptr<float>(), features, slopes.cols());
}

std::map<std::string, at::Tensor>
FilePass::CopyBuffers() const
{
    std::map<std::string, at::Tensor> buffers;
    for (const auto& buffer : m_instance->module.named_buffers())
    {
        buffers[buffer.name] = buffer.value.clone();
    }
    return buffers;
}

} // namespace ns3::dlearn
