/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-neural-network-task.h"

#include "dlearn-network-layers.h"
#include "dlearn-network-objective.h"
#include "dlearn-network-plan.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
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

/**
 * The values of a forward and a backward pass, for several samples at once. The memory is reused
 * from one call to the next; each thread has its own object.
 */
template <typename Scalar>
struct NetworkPass
{
    std::vector<GrowingMatrix<Scalar>> values;    //!< input and outputs, values x samples
    std::vector<GrowingMatrix<Scalar>> gradients; //!< of the loss with respect to these
    std::vector<GrowingMatrix<Scalar>> own;       //!< left by AddSquaredNorms()
    ColumnVector<Scalar> factors;                 //!< of the samples, for these gradients
    GrowingMatrix<Scalar> work;                   //!< of one layer at a time
};

/**
 * The layers of a network, in sequence. Its functions are called in this order:
 *
 * 1. the caller writes samples into GetInput(), one column each,
 * 2. Forward() computes the outputs of all layers and returns the last,
 * 3. the caller writes into GetOutputGradient() how the loss of each sample changes with them,
 * 4. Backward() carries that back to the outputs of all layers before,
 * 5. AddSquaredNorms() and Scale() may be called to limit what one sample contributes,
 * 6. GetGradient() sums the gradient with respect to the parameters over the samples: where step 5
 *    computed them for each sample, they are only added.
 *
 * Since each of the steps 4 and 6 is linear in the contribution of a sample, scaling between them
 * is equivalent to scaling in step 3: clipping needs no second backward pass, and of large layers
 * never the gradients of all samples at the same time.
 *
 * All parameters are one vector: layer by layer, weights (one row per output or filter, which runs
 * over channels, rows and columns), then biases. That is the order of PyTorch's parameters(). The
 * object has no state: several threads may use it, each with its own pass.
 */
template <typename Scalar>
class NeuralNetwork
{
  public:
    using Parameters = const Eigen::Ref<const ColumnVector<Scalar>>&; //!< of all layers
    using ParametersOut = Eigen::Ref<ColumnVector<Scalar>>; //!< of their size, to be written
    using Values = Eigen::Map<RowMatrix<Scalar>>;           //!< values x samples, in a pass

    explicit NeuralNetwork(const NetworkPlan& plan)
    {
        constexpr uint64_t MOST_SAMPLES = 64;
        constexpr uint64_t MOST_NUMBERS = 1 << 25; // of values in a pass
        Eigen::Index first = 0;
        size_t slot = 0;
        uint64_t numbers = plan.input.GetSize();
        for (const LayerPlan& layerPlan : plan.layers)
        {
            Place place{CreateNetworkLayer<Scalar>(layerPlan), first, 0, slot, slot};
            place.count = static_cast<Eigen::Index>(layerPlan.GetParameters());
            first += place.count;
            if (!place.layer->IsInPlace())
            {
                place.output = ++slot;
                // A convolution needs room for the patches of at least one row.
                numbers +=
                    layerPlan.output.GetSize() + layerPlan.GetFanIn() * layerPlan.output.width;
            }
            m_places.push_back(std::move(place));
        }
        while (m_places[m_learning].count == 0) // the last layer of a plan has parameters
        {
            ++m_learning;
        }
        m_samples = static_cast<Eigen::Index>(
            std::clamp<uint64_t>(MOST_NUMBERS / numbers, 1, MOST_SAMPLES));
    }

    /** Enough for products of matrices to pay off, not more than fits into memory. */
    Eigen::Index GetSamplesAtOnce() const { return m_samples; }

    /** Begin a pass with room for some samples. */
    Values GetInput(NetworkPass<Scalar>& pass, Eigen::Index samples) const
    {
        const size_t slots = m_places.back().output + 1;
        if (pass.values.size() < slots)
        {
            pass.values.resize(slots);
            pass.gradients.resize(slots);
        }
        pass.own.resize(std::max(pass.own.size(), m_places.size()));
        for (GrowingMatrix<Scalar>& own : pass.own)
        {
            own.Resize(0, 0);
        }
        pass.values[0].Resize(m_places[0].layer->GetPlan().input.GetSize(), samples);
        for (const Place& place : m_places)
        {
            pass.values[place.output].Resize(place.layer->GetPlan().output.GetSize(), samples);
        }
        return pass.values[0].Get();
    }

    Values Forward(Parameters parameters, NetworkPass<Scalar>& pass) const
    {
        for (const Place& place : m_places)
        {
            place.layer->Forward(parameters.segment(place.first, place.count),
                                 pass.values[place.input].Get(),
                                 pass.work,
                                 pass.values[place.output].Get());
        }
        return pass.values[m_places.back().output].Get();
    }

    Values GetOutputGradient(NetworkPass<Scalar>& pass) const
    {
        const size_t slot = m_places.back().output;
        const auto output = pass.values[slot].Get();
        return pass.gradients[slot].Resize(output.rows(), output.cols());
    }

    void Backward(Parameters parameters, NetworkPass<Scalar>& pass) const
    {
        for (size_t k = m_places.size() - 1; k > m_learning; --k)
        {
            BackwardOver(k, parameters, pass);
        }
    }

    /** Continue where Backward() ended, to the input. */
    Values GetInputGradient(Parameters parameters, NetworkPass<Scalar>& pass) const
    {
        for (size_t k = m_learning + 1; k > 0; --k)
        {
            BackwardOver(k - 1, parameters, pass);
        }
        return pass.gradients[0].Get();
    }

    /** The squared norm of each sample's gradient is added to the last argument. */
    void AddSquaredNorms(NetworkPass<Scalar>& pass, Eigen::Ref<Eigen::ArrayXd> squares) const
    {
        pass.factors.setOnes(squares.size());
        for (size_t k = m_learning; k < m_places.size(); ++k)
        {
            const Place& place = m_places[k];
            place.layer->AddSquaredNorms(pass.values[place.input].Get(),
                                         pass.gradients[place.output].Get(),
                                         pass.work,
                                         pass.own[k],
                                         squares);
        }
    }

    /** Multiply the gradient of each sample. */
    void Scale(NetworkPass<Scalar>& pass, const Eigen::ArrayXd& factors) const
    {
        pass.factors = factors.cast<Scalar>();
        for (size_t k = m_learning; k < m_places.size(); ++k)
        {
            auto own = pass.own[k].Get();
            for (Eigen::Index sample = 0; sample < own.rows(); ++sample)
            {
                if (factors[sample] == 0)
                {
                    own.row(sample).setZero(); // 0 times infinity would not be 0
                }
            }
            if (m_places[k].count > 0 && own.size() == 0)
            {
                // Each layer with parameters has its own output.
                pass.gradients[m_places[k].output].Get().array().rowwise() *=
                    pass.factors.array().transpose();
            }
        }
    }

    void GetGradient(NetworkPass<Scalar>& pass, ParametersOut gradient) const
    {
        for (size_t k = m_learning; k < m_places.size(); ++k)
        {
            const Place& place = m_places[k];
            auto part = gradient.segment(place.first, place.count);
            const auto own = pass.own[k].Get();
            if (own.size() > 0)
            {
                part.noalias() = own.transpose() * pass.factors;
                continue;
            }
            place.layer->GetGradient(pass.values[place.input].Get(),
                                     pass.gradients[place.output].Get(),
                                     pass.work,
                                     part);
        }
    }

  private:
    void BackwardOver(size_t layer, Parameters parameters, NetworkPass<Scalar>& pass) const
    {
        const Place& place = m_places[layer];
        const auto input = pass.values[place.input].Get();
        place.layer->Backward(parameters.segment(place.first, place.count),
                              input,
                              pass.values[place.output].Get(),
                              pass.gradients[place.output].Get(),
                              pass.work,
                              pass.gradients[place.input].Resize(input.rows(), input.cols()));
    }

    /** A layer, where its parameters are, and where a pass has its values. */
    struct Place
    {
        std::unique_ptr<NetworkLayer<Scalar>> layer; //!< its arithmetic
        Eigen::Index first;                          //!< of its parameters
        Eigen::Index count;                          //!< of its parameters
        size_t input;                                //!< number of its input in the pass
        size_t output;                               //!< of its output; the same if in place
    };

    std::vector<Place> m_places; //!< all layers
    size_t m_learning{0};        //!< the first layer with parameters: the way back ends there
    Eigen::Index m_samples{1};   //!< GetSamplesAtOnce()
};

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
        RunPasses(theta, data, samples.indices, add);
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
            Differentiate(pass, data, samples, first, scores, factors);
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
        RunPasses(theta, data, samples.indices, add);
    }

    Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                     const Dataset& data,
                                     const WeightedSamples& samples) const override
    {
        Eigen::MatrixXd gradient(data.GetFeatures(), samples.indices.size());
        const auto fill = [&](Eigen::Index first, NetworkPass<Scalar>& pass, const Values& scores) {
            const Eigen::Index width = scores.cols();
            const Eigen::ArrayXd weights = samples.weights.segment(first, width).array();
            Differentiate(pass, data, samples, first, scores, weights);
            gradient.middleCols(first, width) =
                m_network.GetInputGradient(GetMemory().parameters, pass).template cast<double>();
        };
        RunPasses(theta, data, samples.indices, fill);
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
        RunPasses(theta, data, FirstSamples(data.GetSize()), count);
        return right;
    }

  private:
    using Values = typename NeuralNetwork<Scalar>::Values;
    using Vector = ColumnVector<Scalar>;

    /** Memory of a thread. */
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

    /** The way back through the network; factors multiply each sample's loss. */
    void Differentiate(NetworkPass<Scalar>& pass,
                       const Dataset& data,
                       const WeightedSamples& samples,
                       Eigen::Index first,
                       const Values& scores,
                       const Eigen::ArrayXd& factors) const
    {
        Values residuals = m_network.GetOutputGradient(pass);
        for (Eigen::Index i = 0; i < scores.cols(); ++i)
        {
            const Eigen::Index label = GetLabel(data, samples.indices[first + i]);
            residuals.col(i) =
                (factors[i] * GetCrossEntropySlope(scores.col(i).template cast<double>(), label))
                    .template cast<Scalar>();
        }
        m_network.Backward(GetMemory().parameters, pass);
    }

    /**
     * Run samples through the network, some at once.
     *
     * @param visit called for each pass with the number of its first sample, itself, and the
     *        outputs of the network
     */
    template <typename Visitor>
    void RunPasses(ConstVectorRef theta,
                   const Dataset& data,
                   const SampleIndices& indices,
                   const Visitor& visit) const
    {
        Memory& memory = GetMemory();
        memory.parameters = theta.cast<Scalar>();
        ForEachPass(
            indices.size(),
            m_network.GetSamplesAtOnce(),
            [&](Eigen::Index first, Eigen::Index width) {
                Values input = m_network.GetInput(memory.pass, width);
                for (Eigen::Index i = 0; i < width; ++i)
                {
                    input.col(i) = data.features.col(indices[first + i]).template cast<Scalar>();
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
        MakeTypeId<NeuralNetworkTask, NetworkTask>("ns3::dlearn::NeuralNetworkTask")
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
    Require(m_floatBits == 32 || m_floatBits == 64,
            "NeuralNetworkTask: FloatBits must be 32 or 64, got ",
            m_floatBits);
}

void
NeuralNetworkTask::AdoptData()
{
    const Dataset& train = GetTrain();
    m_plan = ParseNetworkPlan(m_layers, GetShape());
    const uint32_t outputs = m_plan.layers.back().output.channels;
    Require(outputs == train.classes,
            "NeuralNetworkTask: the last layer must have {} outputs, one a class of '{}', got {}",
            train.classes,
            train.name,
            outputs);
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
