/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-linear-gaussian-problem.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-type-id.h"

#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LinearGaussianProblem, Object);

LinearGaussianProblem::LinearGaussianProblem()
    : m_places(CreateObject<UniformRandomVariable>()),
      m_values(CreateObject<NormalRandomVariable>()),
      m_gammaEntries(CreateObject<NormalRandomVariable>()),
      m_driftEntries(CreateObject<NormalRandomVariable>())
{
}

LinearGaussianProblem::~LinearGaussianProblem() = default;

int64_t
LinearGaussianProblem::AssignStreams(int64_t stream)
{
    Require(m_truths.empty(), "LinearGaussianProblem: AssignStreams() must come before Draw()");
    m_places->SetStream(stream);
    m_values->SetStream(stream + 1);
    m_gammaEntries->SetStream(stream + 2);
    m_driftEntries->SetStream(stream + 3);
    return 4;
}

void
LinearGaussianProblem::CheckOptions(const LinearGaussianProblemOptions& options)
{
    const std::string where = "LinearGaussianProblem";
    Require(options.clients >= 1, where, ": clients must be at least 1, got ", options.clients);
    Require(options.dimension >= 1,
            where,
            ": dimension must be at least 1, got ",
            options.dimension);
    Require(options.sparsity <= options.dimension,
            where,
            ": sparsity must be at most ",
            options.dimension,
            " (dimension), got ",
            options.sparsity);
    RequireNonNegative(where, "initialError", options.initialError);
    RequireNonNegative(where, "heterogeneity", options.heterogeneity);
    RequireNonNegative(where, "drift", options.drift);
    Require(options.noiseStds.size() == 1 || options.noiseStds.size() == options.clients,
            where,
            ": noiseStds must have 1 entry or ",
            options.clients,
            ", one a client, got ",
            options.noiseStds.size());
    for (const double noiseStd : options.noiseStds)
    {
        RequireNonNegative(where, "noiseStds", noiseStd);
    }
    const bool isOdd = options.clients % 2 == 1;
    Require(options.heterogeneity == 0 || options.clients > 1,
            where,
            ": heterogeneity must be 0 for 1 client, which has no other to differ from, got ",
            options.heterogeneity);
    Require(options.heterogeneity == 0 || !isOdd || options.dimension > 1,
            where,
            ": heterogeneity must be 0 for an odd number of clients in 1 dimension, where no "
            "gammas of equal size sum to 0, got ",
            options.heterogeneity);
}

void
LinearGaussianProblem::Draw(const LinearGaussianProblemOptions& options)
{
    Require(m_truths.empty(), "LinearGaussianProblem: Draw() must be called only once");
    CheckOptions(options);
    m_options = options;
    const uint32_t nonZeros = options.sparsity > 0 ? options.sparsity : options.dimension;
    const ModelVector truth =
        DrawSparse(options.dimension, nonZeros, *m_places, *m_values).normalized();
    m_initialModel = (1 - std::sqrt(options.initialError)) * truth;
    DrawGammas();
    m_truths.push_back(truth);
}

ModelVector
LinearGaussianProblem::DrawDirection() const
{
    ModelVector direction(m_options.dimension);
    for (auto& entry : direction)
    {
        entry = m_gammaEntries->GetValue(0, 1);
    }
    return direction.normalized();
}

void
LinearGaussianProblem::DrawGammas()
{
    const uint32_t clients = m_options.clients;
    const double size = m_options.heterogeneity;
    if (size == 0)
    {
        m_gammas.assign(clients, ModelVector::Zero(m_options.dimension));
        return;
    }
    const uint32_t paired = clients % 2 == 0 ? clients : clients - 3;
    while (m_gammas.size() < paired)
    {
        const ModelVector gamma = size * DrawDirection();
        m_gammas.push_back(gamma);
        m_gammas.push_back(-gamma);
    }
    if (paired < clients)
    {
        const ModelVector first = DrawDirection();
        const ModelVector other = DrawDirection();
        const ModelVector second = (other - first.dot(other) * first).normalized();
        const ModelVector half = -0.5 * size * first;
        const ModelVector side = std::sqrt(0.75) * size * second;
        m_gammas.emplace_back(size * first);
        m_gammas.emplace_back(half + side);
        m_gammas.emplace_back(half - side);
    }
}

const LinearGaussianProblemOptions&
LinearGaussianProblem::GetOptions() const
{
    CheckDrawn();
    return m_options;
}

const ModelVector&
LinearGaussianProblem::GetInitialModel() const
{
    CheckDrawn();
    return m_initialModel;
}

const ModelVector&
LinearGaussianProblem::GetTruth(uint32_t round) const
{
    CheckDrawn();
    if (m_options.drift == 0)
    {
        return m_truths.front();
    }
    const Eigen::Array<bool, Eigen::Dynamic, 1> support = m_truths.front().array() != 0;
    const double scale = m_options.drift / std::sqrt(static_cast<double>(support.count()));
    while (m_truths.size() <= round)
    {
        ModelVector truth = m_truths.back();
        for (Eigen::Index entry = 0; entry < truth.size(); ++entry)
        {
            if (support[entry])
            {
                truth[entry] += scale * m_driftEntries->GetValue(0, 1);
            }
        }
        m_truths.push_back(truth);
    }
    return m_truths[round];
}

const ModelVector&
LinearGaussianProblem::GetGamma(uint32_t client) const
{
    CheckClient(client);
    return m_gammas[client];
}

double
LinearGaussianProblem::GetNoiseStd(uint32_t client) const
{
    CheckClient(client);
    return m_options.noiseStds.size() == 1 ? m_options.noiseStds.front()
                                           : m_options.noiseStds[client];
}

ModelVector
LinearGaussianProblem::GetClientTruth(uint32_t client, uint32_t round) const
{
    return GetTruth(round) - GetGamma(client);
}

void
LinearGaussianProblem::CheckDrawn() const
{
    Require(!m_truths.empty(), "LinearGaussianProblem: Draw() must be called first");
}

void
LinearGaussianProblem::CheckClient(uint32_t client) const
{
    CheckDrawn();
    Require(client < m_options.clients,
            "LinearGaussianProblem: client must be less than ",
            m_options.clients,
            ", got ",
            client);
}

} // namespace ns3::dlearn
