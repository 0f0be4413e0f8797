/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-neural-network-task.h"

#include "dlearn-network-objective.h"
#include "dlearn-network-plan.h"
#include "dlearn-neural-network.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(NeuralNetworkTask);

namespace
{

/** One computes with float, one with double. */
template <typename Scalar>
class TypedObjective : public NetworkObjective
{
  public:
    explicit TypedObjective(const NetworkPlan& plan)
        : m_network(plan)
    {
    }

    double GetLoss(ConstVectorRef theta,
                   const Dataset& data,
                   const WeightedSamples& samples) const override
    {
        double loss = 0;
        const auto add = [&](Eigen::Index first, NetworkPass<Scalar>&, const Values& scores) {
            for (Eigen::Index i = 0; i < scores.cols(); ++i)
            {
                loss += samples.weights[first + i] *
                        GetCrossEntropy(scores.col(i).template cast<double>(),
                                        GetLabel(data, samples.indices[first + i]));
            }
        };
        RunPasses(
            theta,
            data,
            samples.indices.size(),
            [&](Eigen::Index k) { return samples.indices[k]; },
            add);
        return loss;
    }

    void AddGradient(ConstVectorRef theta,
                     const Dataset& data,
                     const WeightedSamples& samples,
                     double clipNorm,
                     VectorRef gradient) const override
    {
        const auto add = [&](Eigen::Index first, NetworkPass<Scalar>& pass, const Values& scores) {
            const Eigen::ArrayXd weights = samples.weights.segment(first, scores.cols()).array();
            // Clipping needs the sample's gradient first, then its weight.
            const Eigen::ArrayXd factors =
                clipNorm > 0 ? Eigen::ArrayXd::Ones(weights.size()) : weights;
            Differentiate(pass, scores, GetLabels(data, samples, first, scores.cols()), factors);
            if (clipNorm > 0)
            {
                Eigen::ArrayXd norms = Eigen::ArrayXd::Zero(weights.size());
                m_network.AddSquaredNorms(pass, norms);
                // A gradient of norm 0 stays: c / 0 = inf is cut to 1.
                m_network.Scale(pass, weights * (clipNorm / norms.sqrt()).min(1));
            }
            Vector& sum = GetMemory().gradient;
            sum.resize(theta.size());
            m_network.GetGradient(pass, sum);
            gradient += sum.template cast<double>();
        };
        RunPasses(
            theta,
            data,
            samples.indices.size(),
            [&](Eigen::Index k) { return samples.indices[k]; },
            add);
    }

    Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                     const Dataset& data,
                                     const WeightedSamples& samples) const override
    {
        Eigen::MatrixXd gradient(data.GetFeatures(), samples.indices.size());
        const auto fill = [&](Eigen::Index first, NetworkPass<Scalar>& pass, const Values& scores) {
            const Eigen::Index width = scores.cols();
            Differentiate(pass,
                          scores,
                          GetLabels(data, samples, first, width),
                          samples.weights.segment(first, width).array());
            gradient.middleCols(first, width) =
                m_network.GetInputGradient(GetMemory().parameters, pass).template cast<double>();
        };
        RunPasses(
            theta,
            data,
            samples.indices.size(),
            [&](Eigen::Index k) { return samples.indices[k]; },
            fill);
        return gradient;
    }

    uint32_t CountRight(ConstVectorRef theta, const Dataset& data) const override
    {
        uint32_t right = 0;
        const auto count = [&](Eigen::Index first, NetworkPass<Scalar>&, const Values& scores) {
            for (Eigen::Index i = 0; i < scores.cols(); ++i)
            {
                right +=
                    GetWinner(scores.col(i).template cast<double>()) == GetLabel(data, first + i);
            }
        };
        RunPasses(
            theta,
            data,
            data.GetSize(),
            [](Eigen::Index k) { return k; },
            count);
        return right;
    }

  private:
    using Values = typename NeuralNetwork<Scalar>::Values;
    using Vector = ColumnVector<Scalar>;

    /** What a thread computes in. */
    struct Memory
    {
        NetworkPass<Scalar> pass; //!< of the samples
        Vector parameters;        //!< of the network
        Vector gradient;          //!< with respect to them
    };

    static Memory& GetMemory()
    {
        static thread_local Memory memory;
        return memory;
    }

    static std::vector<Eigen::Index> GetLabels(const Dataset& data,
                                               const WeightedSamples& samples,
                                               Eigen::Index first,
                                               Eigen::Index count)
    {
        std::vector<Eigen::Index> labels(count);
        for (Eigen::Index i = 0; i < count; ++i)
        {
            labels[i] = GetLabel(data, samples.indices[first + i]);
        }
        return labels;
    }

    /**
     * The way back through the network.
     *
     * @param pass after Forward()
     * @param scores outputs
     * @param labels of the samples
     * @param factors what to multiply each sample's loss with
     */
    void Differentiate(NetworkPass<Scalar>& pass,
                       const Values& scores,
                       const std::vector<Eigen::Index>& labels,
                       const Eigen::ArrayXd& factors) const
    {
        Values residuals = m_network.GetOutputGradient(pass);
        for (Eigen::Index i = 0; i < scores.cols(); ++i)
        {
            residuals.col(i) =
                (factors[i] *
                 GetCrossEntropySlope(scores.col(i).template cast<double>(), labels[i]))
                    .template cast<Scalar>();
        }
        m_network.Backward(GetMemory().parameters, pass);
    }

    /**
     * Run samples through the network, some at once.
     *
     * @param theta a model
     * @param data has the samples
     * @param count how many samples
     * @param indexOf position in the data of each
     * @param visit called for each pass with the number of its first sample, itself, and the
     *        outputs of the network
     */
    template <typename Index, typename Visitor>
    void RunPasses(ConstVectorRef theta,
                   const Dataset& data,
                   Eigen::Index count,
                   const Index& indexOf,
                   const Visitor& visit) const
    {
        Memory& memory = GetMemory();
        memory.parameters = theta.cast<Scalar>();
        ForEachPass(
            count,
            m_network.GetSamplesAtOnce(),
            [&](Eigen::Index first, Eigen::Index width) {
                Values input = m_network.GetInput(memory.pass, width);
                for (Eigen::Index i = 0; i < width; ++i)
                {
                    input.col(i) = data.features.col(indexOf(first + i)).template cast<Scalar>();
                }
                visit(first, memory.pass, m_network.Forward(memory.parameters, memory.pass));
            });
    }

    NeuralNetwork<Scalar> m_network; //!< the layers
};

} // namespace

TypeId
NeuralNetworkTask::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::NeuralNetworkTask")
            .SetParent<NetworkTask>()
            .SetGroupName("Dlearn")
            .AddConstructor<NeuralNetworkTask>()
            .AddAttribute("Layers",
                          "The network's layers, from input to output, with commas between them: "
                          "convFxS (F filters of S x S), poolS, relu, sigmoid, flatten, fcN "
                          "(dense, N outputs).",
                          StringValue("conv20x5,relu,pool2,conv50x5,relu,pool2,fc500,relu,fc10"),
                          MakeStringAccessor(&NeuralNetworkTask::m_layers),
                          MakeStringChecker())
            .AddAttribute("FloatBits",
                          "Bits of the numbers used in the computation: 32 or 64.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&NeuralNetworkTask::m_floatBits),
                          MakeUintegerChecker<uint32_t>(32, 64))
            .AddAttribute("Initializer",
                          "Draws the weights with which learning begins.",
                          TypeIdValue(HeGlorotInitializer::GetTypeId()),
                          MakePartAccessor(&NeuralNetworkTask::m_initializer, nullptr),
                          MakePartChecker<WeightInitializer>());
    return tid;
}

double
NeuralNetworkTask::GetFlopsPerSample() const
{
    double products = 0;
    for (const LayerPlan& layer : GetPlan().layers)
    {
        // Forwards, back to the weights, and but for the first layer back to the input.
        products += layer.GetProducts() * (products > 0 ? 3 : 2);
    }
    return 2 * products;
}

ModelVector
NeuralNetworkTask::DrawInitialModel(int64_t stream) const
{
    return m_initializer->Draw(GetPlan(), stream);
}

const NetworkPlan&
NeuralNetworkTask::GetPlan() const
{
    GetTrain(); // refuses when there are no data
    return m_plan;
}

void
NeuralNetworkTask::CheckData() const
{
    NetworkTask::CheckData();
    const Dataset& train = GetTrain();
    Require(m_floatBits == 32 || m_floatBits == 64,
            "NeuralNetworkTask: FloatBits must be 32 or 64, got ",
            m_floatBits);
    const uint32_t outputs = MakePlan().layers.back().output.channels;
    Require(outputs == train.classes,
            "NeuralNetworkTask: the last layer must have {} outputs, one a class of '{}', got {}",
            train.classes,
            train.name,
            outputs);
}

void
NeuralNetworkTask::AdoptData()
{
    m_plan = MakePlan();
    if (m_floatBits == 32)
    {
        SetObjective(std::make_shared<TypedObjective<float>>(m_plan));
    }
    else
    {
        SetObjective(std::make_shared<TypedObjective<double>>(m_plan));
    }
}

ImageShape
NeuralNetworkTask::GetShape() const
{
    const ImageShape named = GetNamedShape();
    if (named.channels != 0)
    {
        return named;
    }
    const uint32_t features = GetTrain().GetFeatures();
    for (const uint32_t channels : {1, 3})
    {
        const auto side = static_cast<uint32_t>(std::lround(std::sqrt(features / channels)));
        if (uint64_t{channels} * side * side == features)
        {
            return {channels, side, side};
        }
    }
    return {1, 1, features};
}

} // namespace ns3::dlearn
