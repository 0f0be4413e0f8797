/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-torch-copies.h"

#include "dlearn-torch-guard.h"

#include "ns3/dlearn-check.h"

#include <fstream>
#include <map>

namespace ns3::dlearn
{

TorchCopies::TorchCopies(TorchSource source)
    : m_source(std::move(source))
{
    Load();
    FindParameters();
}

void
TorchCopies::Load()
{
    std::ifstream stream(m_source.file, std::ios::binary);
    Require(stream.peek() != std::ifstream::traits_type::eof(),
            "TorchTask: '",
            m_source.file,
            "' cannot be read, or is empty");
    const std::string rule = "must be a TorchScript file, as torch.jit.script(module).save() "
                             "writes it";
    m_original =
        GuardTorch(m_source.file, rule, [&] { return torch::jit::load(stream, at::kCPU); });
    Require(m_original.find_method("forward").has_value(),
            "TorchTask: '",
            m_source.file,
            "': the module must have a method forward()");
    m_original.train();
}

void
TorchCopies::FindParameters()
{
    std::map<const void*, std::string> names;
    std::vector<Eigen::VectorXd> parts;
    Eigen::Index size = 0;
    for (const auto& parameter : m_original.named_parameters())
    {
        const at::Tensor& tensor = parameter.value;
        if (!tensor.requires_grad())
        {
            continue;
        }
        const auto require = [&](bool condition, const auto&... rule) {
            Require(condition,
                    "TorchTask: '",
                    m_source.file,
                    "': parameter '",
                    parameter.name,
                    "' must ",
                    rule...);
        };
        require(tensor.scalar_type() == at::kFloat,
                "be 32-bit float, got ",
                c10::toString(tensor.scalar_type()));
        const auto [other, isNew] = names.insert({tensor.storage().data(), parameter.name});
        require(isNew || tensor.numel() == 0,
                "have numbers of its own, shares '",
                other->second,
                "'");
        const at::Tensor row = tensor.detach().contiguous();
        parts.push_back(
            Eigen::Map<const Eigen::VectorXf>(row.data_ptr<float>(), row.numel()).cast<double>());
        require(parts.back().allFinite(), "be finite");
        size += parts.back().size();
        m_learned.push_back(parameter.name);
    }
    Require(size > 0 && size <= UINT32_MAX,
            "TorchTask: '",
            m_source.file,
            "': the module must have from 1 to 4294967295 parameters that require a gradient, got ",
            size);
    m_initial.resize(size);
    size = 0;
    for (const Eigen::VectorXd& part : parts)
    {
        m_initial.segment(size, part.size()) = part;
        size += part.size();
    }
}

std::unique_ptr<TorchInstance>
TorchCopies::Take() const
{
    const std::lock_guard<std::mutex> lock(m_mutex);
    if (!m_idle.empty())
    {
        auto instance = std::move(m_idle.back());
        m_idle.pop_back();
        return instance;
    }
    auto instance = std::make_unique<TorchInstance>();
    GuardTorch(m_source.file, "cannot be copied", [&] {
        const at::NoGradGuard leaves; // copies are not computed from the original
        instance->module = m_original.deepcopy();
        std::map<std::string, at::Tensor> parameters;
        for (const auto& parameter : instance->module.named_parameters())
        {
            parameters[parameter.name] = parameter.value;
        }
        for (const std::string& name : m_learned)
        {
            at::Tensor& tensor = parameters.at(name);
            tensor.set_data(tensor.contiguous());
            tensor.requires_grad_(true);
            instance->parameters.push_back(tensor);
        }
    });
    return instance;
}

void
TorchCopies::PutBack(std::unique_ptr<TorchInstance> instance) const
{
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_idle.push_back(std::move(instance));
}

} // namespace ns3::dlearn
