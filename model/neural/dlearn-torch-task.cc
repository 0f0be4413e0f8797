/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-torch-task.h"

#include "dlearn-network-objective.h"
#include "dlearn-torch-module.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#ifdef DLEARN_WITH_TORCH
#include <dlfcn.h>
#endif

namespace ns3::dlearn
{

#ifdef DLEARN_WITH_TORCH

namespace
{

using LoadFunction = decltype(&DlearnLoadTorchModule);

/** @return the function of the library dlearn-torch, which is beside the library of this code */
LoadFunction
FindLoadFunction()
{
    std::string path = "libdlearn-torch.so";
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&FindLoadFunction), &here) != 0 && here.dli_fname)
    {
        const std::string file = here.dli_fname;
        path = file.substr(0, file.rfind('/') + 1) + path;
    }
    // Never closed: LibTorch has threads and registries that would not survive.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* function = library ? dlsym(library, "DlearnLoadTorchModule") : nullptr;
    if (!function)
    {
        throw std::runtime_error(std::string("TorchTask: cannot load LibTorch: ") + dlerror());
    }
    return reinterpret_cast<LoadFunction>(function);
}

} // namespace

#endif

bool
HasTorch()
{
#ifdef DLEARN_WITH_TORCH
    return true;
#else
    return false;
#endif
}

std::shared_ptr<const TorchModule>
LoadTorchModule([[maybe_unused]] const TorchSource& source)
{
#ifdef DLEARN_WITH_TORCH
    static const LoadFunction load = FindLoadFunction();
    return std::shared_ptr<const TorchModule>(load(source));
#else
    throw std::runtime_error("TorchTask: dlearn was built without LibTorch; on Debian: apt-get "
                             "install libtorch-dev, then configure and build again");
#endif
}

NS_OBJECT_ENSURE_REGISTERED(TorchTask);

namespace
{

class TorchObjective : public NetworkObjective
{
    using WayBack = TorchPass::WayBack;

  public:
    TorchObjective(std::shared_ptr<const TorchModule> module, uint32_t samplesAtOnce)
        : m_module(std::move(module)),
          m_samplesAtOnce(samplesAtOnce)
    {
    }

    double GetLoss(ConstVectorRef theta,
                   const Dataset& data,
                   const WeightedSamples& samples) const override
    {
        double loss = 0;
        const auto pass = m_module->Begin(theta);
        ForEachPass(samples.indices.size(),
                    m_samplesAtOnce,
                    [&](Eigen::Index first, Eigen::Index width) {
                        const Eigen::MatrixXf scores =
                            pass->Forward(GetInputs(data, samples, first, width), WayBack::NONE);
                        for (Eigen::Index i = 0; i < width; ++i)
                        {
                            loss += samples.weights[first + i] *
                                    GetCrossEntropy(scores.col(i).cast<double>(),
                                                    GetLabel(data, samples.indices[first + i]));
                        }
                    });
        return loss;
    }

    void AddGradient(ConstVectorRef theta,
                     const Dataset& data,
                     const WeightedSamples& samples,
                     double clipNorm,
                     VectorRef gradient) const override
    {
        const auto pass = m_module->Begin(theta);
        if (clipNorm == 0)
        {
            ForEachPass(
                samples.indices.size(),
                m_samplesAtOnce,
                [&](Eigen::Index first, Eigen::Index width) {
                    pass->AddGradient(
                        GoForward(*pass, data, samples, first, width, WayBack::TO_PARAMETERS),
                        gradient);
                });
            return;
        }
        // The norm of a sample's gradient needs a separate backward pass, whatever the module is.
        ModelVector own(theta.size());
        WeightedSamples sample = EqualWeights({0});
        for (size_t k = 0; k < samples.indices.size(); ++k)
        {
            own.setZero();
            sample.indices[0] = samples.indices[k];
            pass->AddGradient(GoForward(*pass, data, sample, 0, 1, WayBack::TO_PARAMETERS), own);
            // A gradient of norm 0 stays: c / 0 = inf is cut to 1.
            gradient += samples.weights[k] * std::min(clipNorm / own.norm(), 1.0) * own;
        }
    }

    Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                     const Dataset& data,
                                     const WeightedSamples& samples) const override
    {
        Eigen::MatrixXd gradient(data.GetFeatures(), samples.indices.size());
        const auto pass = m_module->Begin(theta);
        ForEachPass(
            samples.indices.size(),
            m_samplesAtOnce,
            [&](Eigen::Index first, Eigen::Index width) {
                gradient.middleCols(first, width) =
                    pass->GetInputGradient(
                            GoForward(*pass, data, samples, first, width, WayBack::TO_INPUTS))
                        .cast<double>();
            });
        return gradient;
    }

    uint32_t CountRight(ConstVectorRef theta, const Dataset& data) const override
    {
        uint32_t right = 0;
        const auto pass = m_module->Begin(theta);
        ForEachPass(data.GetSize(), m_samplesAtOnce, [&](Eigen::Index first, Eigen::Index width) {
            const Eigen::MatrixXf scores =
                pass->Forward(data.features.middleCols(first, width).cast<float>(), WayBack::NONE);
            for (Eigen::Index i = 0; i < width; ++i)
            {
                right += GetWinner(scores.col(i).cast<double>()) == GetLabel(data, first + i);
            }
        });
        return right;
    }

  private:
    /** @return features of some samples, in columns */
    static Eigen::MatrixXf GetInputs(const Dataset& data,
                                     const WeightedSamples& samples,
                                     Eigen::Index first,
                                     Eigen::Index width)
    {
        Eigen::MatrixXf inputs(data.GetFeatures(), width);
        for (Eigen::Index i = 0; i < width; ++i)
        {
            inputs.col(i) = data.features.col(samples.indices[first + i]).cast<float>();
        }
        return inputs;
    }

    /** @return derivatives of the weighted loss by the outputs, in columns, for the way back */
    static Eigen::MatrixXf GoForward(TorchPass& pass,
                                     const Dataset& data,
                                     const WeightedSamples& samples,
                                     Eigen::Index first,
                                     Eigen::Index width,
                                     WayBack back)
    {
        Eigen::MatrixXf scores = pass.Forward(GetInputs(data, samples, first, width), back);
        for (Eigen::Index i = 0; i < width; ++i)
        {
            scores.col(i) = (samples.weights[first + i] *
                             GetCrossEntropySlope(scores.col(i).cast<double>(),
                                                  GetLabel(data, samples.indices[first + i])))
                                .cast<float>();
        }
        return scores;
    }

    std::shared_ptr<const TorchModule> m_module; //!< computes the outputs
    Eigen::Index m_samplesAtOnce;                //!< of one pass, at most
};

} // namespace

TypeId
TorchTask::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<TorchTask, NetworkTask>("ns3::dlearn::TorchTask")
            .AddAttribute("File",
                          "TorchScript file with the network, from torch.jit.script() or "
                          "torch.jit.trace() of PyTorch.",
                          StringValue(""),
                          MakeStringAccessor(&TorchTask::m_file),
                          MakeStringChecker())
            .AddAttribute("SamplesAtOnce",
                          "Samples that go through the network together, at most: more are faster "
                          "and need more memory.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&TorchTask::m_samplesAtOnce),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

uint32_t
TorchTask::GetDimension() const
{
    return static_cast<uint32_t>(GetModule().GetInitialModel().size());
}

double
TorchTask::GetFlopsPerSample() const
{
    GetModule();
    return 2 * m_products;
}

ModelVector
TorchTask::DrawInitialModel(int64_t /* stream */) const
{
    return GetModule().GetInitialModel();
}

void
TorchTask::CheckData() const
{
    NetworkTask::CheckData();
    Require(!m_file.empty(), "TorchTask: File must name a TorchScript file, got none");
}

void
TorchTask::AdoptData()
{
    const ImageShape image = GetNamedShape();
    TorchSource source{m_file, {GetTrain().GetFeatures()}, GetTrain().classes};
    if (image.channels != 0)
    {
        source.shape = {image.channels, image.height, image.width};
    }
    m_module = LoadTorchModule(source);
    // A few samples, and one more so that they are not all alike.
    const Eigen::MatrixXd& features = GetTrain().features;
    const Eigen::Index count = std::min<Eigen::Index>(features.cols(), 3);
    Eigen::MatrixXf inputs(features.rows(), count + 1);
    inputs << features.leftCols(count).cast<float>(), 0.5F * features.col(0).cast<float>();
    m_module->Check(inputs);
    m_products = m_module->CountProducts(inputs.col(0));
    SetObjective(std::make_shared<TorchObjective>(m_module, m_samplesAtOnce));
}

const TorchModule&
TorchTask::GetModule() const
{
    Require(m_module != nullptr, "TorchTask: SetData must be called first");
    return *m_module;
}

} // namespace ns3::dlearn
