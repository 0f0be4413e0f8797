/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-neural-network-task.h"

#include "dlearn-neural-network.h"
#include "dlearn-weight-initializer.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-chosen-object.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(NeuralNetworkTask);

/** What a network computes on a data set, whatever kind of numbers it does that with. */
class NetworkObjective
{
  public:
    virtual ~NetworkObjective() = default;

    /** @return weighted sum of the samples' losses */
    virtual double GetLoss(ConstVectorRef theta,
                           const Dataset& data,
                           const WeightedSamples& samples) const = 0;

    /** @param gradient the weighted sum of the samples' clipped gradients is added */
    virtual void AddGradient(ConstVectorRef theta,
                             const Dataset& data,
                             const WeightedSamples& samples,
                             double clipNorm,
                             VectorRef gradient) const = 0;

    /** @return gradient of GetLoss() with respect to the features of the samples, in columns */
    virtual Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                             const Dataset& data,
                                             const WeightedSamples& samples) const = 0;

    /** @return how many samples are classified rightly */
    virtual uint32_t CountRight(ConstVectorRef theta, const Dataset& data) const = 0;
};

namespace
{

/** @return all samples of a data set, with equal weights */
WeightedSamples
TakeAll(const Dataset& data)
{
    SampleIndices indices(data.GetSize());
    std::iota(indices.begin(), indices.end(), 0);
    return EqualWeights(std::move(indices));
}

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
                const Eigen::ArrayXd differences =
                    GetDifferences(scores, i, data.labels[samples.indices[first + i]]);
                const double largest = differences.maxCoeff();
                loss += samples.weights[first + i] *
                        (largest + std::log((differences - largest).exp().sum()));
            }
        };
        ForEachPass(
            theta,
            data,
            samples.indices.size(),
            [&](Eigen::Index k) { return samples.indices[k]; },
            add);
        return std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss;
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
        ForEachPass(
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
        ForEachPass(
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
                // Written out because maxCoeff() does not promise which of equal entries it
                // names.
                Eigen::Index best = 0;
                for (Eigen::Index k = 1; k < scores.rows(); ++k)
                {
                    best = scores(k, i) > scores(best, i) ? k : best;
                }
                right += best == static_cast<Eigen::Index>(data.labels[first + i]);
            }
        };
        ForEachPass(
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

    /** @return that of the calling thread, for all networks */
    static Memory& GetMemory()
    {
        static thread_local Memory memory;
        return memory;
    }

    /** @return outputs of a sample minus that of its class, in double: differences cancel */
    static Eigen::ArrayXd GetDifferences(const Values& scores, Eigen::Index sample, double label)
    {
        const Eigen::ArrayXd column = scores.col(sample).template cast<double>();
        return column - column[static_cast<Eigen::Index>(label)];
    }

    /** @return classes of some samples */
    static std::vector<Eigen::Index> GetLabels(const Dataset& data,
                                               const WeightedSamples& samples,
                                               Eigen::Index first,
                                               Eigen::Index count)
    {
        std::vector<Eigen::Index> labels(count);
        for (Eigen::Index i = 0; i < count; ++i)
        {
            labels[i] = static_cast<Eigen::Index>(data.labels[samples.indices[first + i]]);
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
            Eigen::ArrayXd chances = GetDifferences(scores, i, labels[i]);
            chances = (chances - chances.maxCoeff()).exp();
            chances /= chances.sum();
            chances[labels[i]] -= 1;
            residuals.col(i) = (factors[i] * chances).template cast<Scalar>();
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
    void ForEachPass(ConstVectorRef theta,
                     const Dataset& data,
                     size_t count,
                     const Index& indexOf,
                     const Visitor& visit) const
    {
        Memory& memory = GetMemory();
        memory.parameters = theta.cast<Scalar>();
        const auto size = static_cast<Eigen::Index>(count);
        const Eigen::Index most = m_network.GetSamplesAtOnce();
        // Passes of about equal size: a small one costs nearly as much as a full one.
        const Eigen::Index passes = (size + most - 1) / most;
        for (Eigen::Index k = 0; k < passes; ++k)
        {
            const Eigen::Index first = size * k / passes;
            const Eigen::Index width = size * (k + 1) / passes - first;
            Values input = m_network.GetInput(memory.pass, width);
            for (Eigen::Index i = 0; i < width; ++i)
            {
                input.col(i) = data.features.col(indexOf(first + i)).template cast<Scalar>();
            }
            visit(first, memory.pass, m_network.Forward(memory.parameters, memory.pass));
        }
    }

    NeuralNetwork<Scalar> m_network; //!< the layers
};

} // namespace

TypeId
NeuralNetworkTask::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::NeuralNetworkTask")
            .SetParent<Task>()
            .SetGroupName("Dlearn")
            .AddConstructor<NeuralNetworkTask>()
            .AddAttribute("Layers",
                          "The network's layers, from input to output, with commas between them: "
                          "convFxS (F filters of S x S), poolS, relu, sigmoid, flatten, fcN "
                          "(dense, N outputs).",
                          StringValue("conv20x5,relu,pool2,conv50x5,relu,pool2,fc500,relu,fc10"),
                          MakeStringAccessor(&NeuralNetworkTask::m_layers),
                          MakeStringChecker())
            .AddAttribute("Channels",
                          "Channels of an image. 0, as Height and Width: see the class.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NeuralNetworkTask::m_channels),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Height",
                          "Rows of an image.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NeuralNetworkTask::m_height),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Width",
                          "Columns of an image.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NeuralNetworkTask::m_width),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("FloatBits",
                          "Bits of the numbers it computes with: 32 or 64.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&NeuralNetworkTask::m_floatBits),
                          MakeUintegerChecker<uint32_t>(32, 64))
            .AddAttribute("Initializer",
                          "Draws the weights with which learning begins: a WeightInitializer.",
                          TypeIdValue(HeGlorotInitializer::GetTypeId()),
                          MakeTypeIdAccessor(&NeuralNetworkTask::m_initializerType),
                          MakeTypeIdChecker());
    return tid;
}

uint32_t
NeuralNetworkTask::GetDimension() const
{
    return GetPlan().GetParameters();
}

double
NeuralNetworkTask::GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckModel(theta);
    CheckSamples(samples);
    return m_objective->GetLoss(theta, GetTrain(), samples) +
           0.5 * GetRegularization() * theta.squaredNorm();
}

void
NeuralNetworkTask::ClippedGradient(ConstVectorRef theta,
                                   const WeightedSamples& samples,
                                   double clipNorm,
                                   VectorRef gradient) const
{
    CheckGradient(theta, samples, clipNorm, gradient);
    gradient = GetRegularization() * theta;
    m_objective->AddGradient(theta, GetTrain(), samples, clipNorm, gradient);
}

double
NeuralNetworkTask::GetAccuracy(ConstVectorRef theta) const
{
    CheckModel(theta);
    const Dataset& test = GetTest();
    return static_cast<double>(m_objective->CountRight(theta, test)) / test.GetSize();
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
    return CreateChosen<WeightInitializer>(m_initializerType, "NeuralNetworkTask", "Initializer")
        ->Draw(GetPlan(), stream);
}

ModelVector
NeuralNetworkTask::GetModelGradient(ConstVectorRef theta,
                                    const Eigen::MatrixXd& features,
                                    const Eigen::VectorXd& labels) const
{
    CheckModel(theta);
    const Dataset samples = MakeSamples(features, labels);
    ModelVector gradient = ModelVector::Zero(GetDimension());
    m_objective->AddGradient(theta, samples, TakeAll(samples), 0, gradient);
    return gradient;
}

Eigen::MatrixXd
NeuralNetworkTask::GetInputGradient(ConstVectorRef theta,
                                    const Eigen::MatrixXd& features,
                                    const Eigen::VectorXd& labels) const
{
    CheckModel(theta);
    const Dataset samples = MakeSamples(features, labels);
    return m_objective->GetInputGradient(theta, samples, TakeAll(samples));
}

uint32_t
NeuralNetworkTask::GetInputs() const
{
    return GetTrain().GetFeatures();
}

uint32_t
NeuralNetworkTask::GetClasses() const
{
    return GetTrain().classes;
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
    const Dataset& train = GetTrain();
    Require(train.classes >= 2,
            "NeuralNetworkTask: data must have at least 2 classes, got ",
            train.classes,
            " in '",
            train.name,
            "'");
    Require(m_floatBits == 32 || m_floatBits == 64,
            "NeuralNetworkTask: FloatBits must be 32 or 64, got ",
            m_floatBits);
    const uint32_t outputs = MakePlan().layers.back().output.channels;
    Require(outputs == train.classes,
            "NeuralNetworkTask: the last layer must have ",
            train.classes,
            " outputs, one a class of '",
            train.name,
            "', got ",
            outputs);
}

void
NeuralNetworkTask::AdoptData()
{
    m_plan = MakePlan();
    if (m_floatBits == 32)
    {
        m_objective = std::make_shared<TypedObjective<float>>(m_plan);
    }
    else
    {
        m_objective = std::make_shared<TypedObjective<double>>(m_plan);
    }
}

double
NeuralNetworkTask::GetGradientBound() const
{
    return std::numeric_limits<double>::infinity();
}

ImageShape
NeuralNetworkTask::GetShape() const
{
    const uint32_t features = GetTrain().GetFeatures();
    if (m_channels != 0 || m_height != 0 || m_width != 0)
    {
        const ImageShape shape{m_channels, m_height, m_width};
        Require(m_channels != 0 && m_height != 0 && m_width != 0 && shape.GetSize() == features,
                "NeuralNetworkTask: Channels x Height x Width must all be 0 or give the ",
                features,
                " features of the data, got ",
                m_channels,
                " x ",
                m_height,
                " x ",
                m_width);
        return shape;
    }
    if (GetTrain().shape.channels != 0)
    {
        return GetTrain().shape;
    }
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

NetworkPlan
NeuralNetworkTask::MakePlan() const
{
    return ParseNetworkPlan(m_layers, GetShape());
}

} // namespace dlearn
} // namespace ns3
