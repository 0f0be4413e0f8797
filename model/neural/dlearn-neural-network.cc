/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-neural-network.h"

#include <algorithm>

namespace ns3::dlearn
{

template <typename Scalar>
NeuralNetwork<Scalar>::NeuralNetwork(const NetworkPlan& plan)
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
            numbers += layerPlan.output.GetSize() + layerPlan.GetFanIn() * layerPlan.output.width;
        }
        m_places.push_back(std::move(place));
    }
    while (m_places[m_learning].count == 0) // the last layer of a plan has parameters
    {
        ++m_learning;
    }
    m_samples =
        static_cast<Eigen::Index>(std::clamp<uint64_t>(MOST_NUMBERS / numbers, 1, MOST_SAMPLES));
}

template <typename Scalar>
Eigen::Index
NeuralNetwork<Scalar>::GetSamplesAtOnce() const
{
    return m_samples;
}

template <typename Scalar>
typename NeuralNetwork<Scalar>::Values
NeuralNetwork<Scalar>::GetInput(NetworkPass<Scalar>& pass, Eigen::Index samples) const
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

template <typename Scalar>
typename NeuralNetwork<Scalar>::Values
NeuralNetwork<Scalar>::Forward(Parameters parameters, NetworkPass<Scalar>& pass) const
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

template <typename Scalar>
typename NeuralNetwork<Scalar>::Values
NeuralNetwork<Scalar>::GetOutputGradient(NetworkPass<Scalar>& pass) const
{
    const size_t slot = m_places.back().output;
    const auto output = pass.values[slot].Get();
    return pass.gradients[slot].Resize(output.rows(), output.cols());
}

template <typename Scalar>
void
NeuralNetwork<Scalar>::BackwardOver(size_t layer,
                                    Parameters parameters,
                                    NetworkPass<Scalar>& pass) const
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

template <typename Scalar>
void
NeuralNetwork<Scalar>::Backward(Parameters parameters, NetworkPass<Scalar>& pass) const
{
    for (size_t k = m_places.size() - 1; k > m_learning; --k)
    {
        BackwardOver(k, parameters, pass);
    }
}

template <typename Scalar>
typename NeuralNetwork<Scalar>::Values
NeuralNetwork<Scalar>::GetInputGradient(Parameters parameters, NetworkPass<Scalar>& pass) const
{
    for (size_t k = m_learning + 1; k > 0; --k)
    {
        BackwardOver(k - 1, parameters, pass);
    }
    return pass.gradients[0].Get();
}

template <typename Scalar>
void
NeuralNetwork<Scalar>::AddSquaredNorms(NetworkPass<Scalar>& pass,
                                       Eigen::Ref<Eigen::ArrayXd> squares) const
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

template <typename Scalar>
void
NeuralNetwork<Scalar>::Scale(NetworkPass<Scalar>& pass, const Eigen::ArrayXd& factors) const
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

template <typename Scalar>
void
NeuralNetwork<Scalar>::GetGradient(NetworkPass<Scalar>& pass, ParametersOut gradient) const
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

template class NeuralNetwork<float>;
template class NeuralNetwork<double>;

} // namespace ns3::dlearn
