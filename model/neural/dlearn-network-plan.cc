/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-plan.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

// Keeps sizes from overflowing.
constexpr uint64_t MOST_NUMBERS = 100000000;

/** Reads a line layer by layer. */
class Parser
{
  public:
    Parser(const std::string& text, const ImageShape& input)
        : m_text(text),
          m_shape(input)
    {
        m_plan.input = input;
    }

    NetworkPlan Read()
    {
        Require(!m_text.empty(), "layers must name at least one layer, got ''");
        for (size_t next = 0; next <= m_text.size();)
        {
            const size_t end = std::min(m_text.find(',', next), m_text.size());
            m_begin = next;
            m_word = m_text.substr(next, end - next);
            ++m_number;
            ReadLayer();
            next = end + 1;
        }
        Refuse(!m_plan.layers.empty() && m_plan.layers.back().kind == LayerKind::DENSE,
               "the last layer must be fcN, N being the number of classes");
        return m_plan;
    }

  private:
    /** Read the layer that m_word names. */
    void ReadLayer()
    {
        LayerPlan layer;
        layer.input = m_shape;
        if (m_word == "flatten")
        {
            m_flat = true;
            return;
        }
        if (m_word == "relu" || m_word == "sigmoid")
        {
            layer.kind = m_word == "relu" ? LayerKind::RELU : LayerKind::SIGMOID;
            layer.output = m_shape;
        }
        else if (const auto sizes = ReadSizes("conv", 2); !sizes.empty())
        {
            layer.kind = LayerKind::CONVOLUTION;
            layer.side = sizes[1];
            CheckSquare(layer.side);
            layer.output = {sizes[0], m_shape.height - sizes[1] + 1, m_shape.width - sizes[1] + 1};
        }
        else if (const auto sizes = ReadSizes("pool", 1); !sizes.empty())
        {
            layer.kind = LayerKind::MAX_POOL;
            layer.side = sizes[0];
            CheckSquare(layer.side);
            layer.output = {m_shape.channels, m_shape.height / sizes[0], m_shape.width / sizes[0]};
        }
        else if (const auto sizes = ReadSizes("fc", 1); !sizes.empty())
        {
            layer.kind = LayerKind::DENSE;
            layer.output = {sizes[0], 1, 1};
            m_flat = true;
        }
        else
        {
            Refuse(
                false,
                "it must be convFxS, poolS, relu, sigmoid, flatten or fcN, with F, S and N whole "
                "numbers of at least 1");
        }
        m_shape = layer.output;
        Refuse(m_shape.GetSize() <= MOST_NUMBERS,
               "a sample must have at most 100000000 values after each layer");
        m_parameters += layer.GetParameters();
        Refuse(m_parameters <= MOST_NUMBERS, "a network must have at most 100000000 parameters");
        m_plan.layers.push_back(layer);
    }

    /** @return the numbers, when m_word is such a layer; else nothing */
    std::vector<uint32_t> ReadSizes(const std::string& name, size_t count) const
    {
        if (m_word.rfind(name, 0) != 0)
        {
            return {};
        }
        const auto sizes = ParseWholeNumbers(std::string_view(m_word).substr(name.size()), 'x');
        const bool good = sizes && sizes->size() == count &&
                          std::find(sizes->begin(), sizes->end(), 0U) == sizes->end();
        return good ? *sizes : std::vector<uint32_t>();
    }

    /** @param side of a square that must fit into the image */
    void CheckSquare(uint32_t side) const
    {
        Refuse(!m_flat, "it needs an image, but the layers before have flattened it");
        Refuse(side <= m_shape.height && side <= m_shape.width,
               "its square of " + std::to_string(side) + " x " + std::to_string(side) +
                   " must fit into the " + std::to_string(m_shape.height) + " x " +
                   std::to_string(m_shape.width) + " values of its input");
    }

    /** Refuse the layer, by a rule, unless a condition holds. */
    void Refuse(bool condition, const std::string& rule) const
    {
        Require(condition,
                "layers: layer {}, '{}' at character {}: {}",
                m_number,
                m_word,
                m_begin + 1,
                rule);
    }

    const std::string& m_text; //!< the line
    NetworkPlan m_plan;        //!< the layers so far
    ImageShape m_shape;        //!< output of the layers so far
    bool m_flat{false};        //!< whether they have made a vector of the image
    uint64_t m_parameters{0};  //!< of the layers so far
    std::string m_word;        //!< the layer that is read
    size_t m_begin{0};         //!< where it begins
    uint32_t m_number{0};      //!< which it is, from 1
};

} // namespace

uint64_t
LayerPlan::GetFanIn() const
{
    const uint64_t square = uint64_t{input.channels} * side * side;
    return kind == LayerKind::CONVOLUTION ? square : kind == LayerKind::DENSE ? input.GetSize() : 0;
}

uint64_t
LayerPlan::GetFanOut() const
{
    const uint64_t square = uint64_t{output.channels} * side * side;
    return kind == LayerKind::CONVOLUTION ? square : kind == LayerKind::DENSE ? output.channels : 0;
}

uint64_t
LayerPlan::GetParameters() const
{
    return GetFanIn() > 0 ? output.channels * (GetFanIn() + 1) : 0;
}

double
LayerPlan::GetProducts() const
{
    return static_cast<double>(GetFanIn()) * static_cast<double>(output.GetSize());
}

uint32_t
NetworkPlan::GetParameters() const
{
    uint64_t sum = 0;
    for (const LayerPlan& layer : layers)
    {
        sum += layer.GetParameters();
    }
    return static_cast<uint32_t>(sum);
}

NetworkPlan
ParseNetworkPlan(const std::string& text, const ImageShape& input)
{
    return Parser(text, input).Read();
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(WeightInitializer, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(HeGlorotInitializer, WeightInitializer);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(FanInUniformInitializer, WeightInitializer);

ModelVector
HeGlorotInitializer::Draw(const NetworkPlan& plan, int64_t stream) const
{
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 0);
    ModelVector model = ModelVector::Zero(plan.GetParameters());
    double* next = model.data();
    for (auto layer = plan.layers.begin(); layer != plan.layers.end(); ++layer)
    {
        if (layer->GetParameters() == 0)
        {
            continue;
        }
        const auto after = std::find_if(layer + 1, plan.layers.end(), [](const LayerPlan& other) {
            return other.kind != LayerKind::MAX_POOL;
        });
        const bool rectified = after != plan.layers.end() && after->kind == LayerKind::RELU;
        const auto fanIn = static_cast<double>(layer->GetFanIn());
        const auto fanOut = static_cast<double>(layer->GetFanOut());
        const double deviation = std::sqrt(2 / (rectified ? fanIn : fanIn + fanOut));
        std::generate_n(next, layer->GetFanIn() * layer->output.channels, [&]() {
            return deviation * normal->GetValue();
        });
        next += layer->GetParameters();
    }
    return model;
}

ModelVector
FanInUniformInitializer::Draw(const NetworkPlan& plan, int64_t stream) const
{
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 0);
    ModelVector model(plan.GetParameters());
    double* next = model.data();
    for (const LayerPlan& layer : plan.layers)
    {
        const double bound = 1 / std::sqrt(static_cast<double>(layer.GetFanIn()));
        next = std::generate_n(next, layer.GetParameters(), [&]() {
            return uniform->GetValue(-bound, bound);
        });
    }
    return model;
}

} // namespace ns3::dlearn
