/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-subset-rules.h"

#include "dlearn-weight-rules.h"

#include "ns3/dlearn-check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace ns3::dlearn
{

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace
{

using Subset = std::vector<Index>; //!< ascending positions

/** The best subset so far. */
class BestSubset
{
  public:
    /** @return whether a value is so small that it would be the best, rounding apart */
    bool Beats(double value) const { return m_subset.empty() || value < m_value - 1e-12 * m_value; }

    /** Take a subset if it is better. */
    void Offer(const Subset& subset, double value)
    {
        if (Beats(value))
        {
            m_subset = subset;
            m_value = value;
        }
    }

    /** @return weights of the mean of the best subset of so many points */
    VectorXd GetWeights(Index count) const
    {
        VectorXd weights = VectorXd::Zero(count);
        for (const Index i : m_subset)
        {
            weights(i) = 1.0 / m_subset.size();
        }
        return weights;
    }

  private:
    Subset m_subset;   //!< the best; empty before the first
    double m_value{0}; //!< its criterion, to be minimised
};

/** Refuse f and n that make too many subsets. */
void
RequireFewSubsets(const char* rule, uint32_t f, Index count)
{
    constexpr double MOST = 1e6;
    RequireMinority(rule, f, count);
    double subsets = 1;
    for (uint32_t k = 1; k <= f; ++k)
    {
        subsets *= static_cast<double>(count - f + k) / k;
    }
    Require(subsets <= MOST,
            rule,
            ": tries all subsets, and ",
            count,
            " vectors have ",
            subsets,
            " subsets without f=",
            f,
            " of them; at most ",
            MOST,
            " are allowed");
}

/** Searches subsets in lexicographic order, and drops beginnings that are too wide already. */
class DiameterSearch
{
  public:
    DiameterSearch(const MatrixXd& distances, size_t size)
        : m_distances(distances),
          m_size(size)
    {
    }

    /** Try all subsets that begin with m_chosen, whose squared diameter is given. */
    void Extend(Index next, double diameter)
    {
        if (m_chosen.size() == m_size)
        {
            m_best.Offer(m_chosen, diameter);
            return;
        }
        const Index last = m_distances.rows() - static_cast<Index>(m_size - m_chosen.size());
        for (Index i = next; i <= last; ++i)
        {
            double wider = diameter;
            for (const Index j : m_chosen)
            {
                wider = std::max(wider, m_distances(i, j));
            }
            if (m_best.Beats(wider))
            {
                m_chosen.push_back(i);
                Extend(i + 1, wider);
                m_chosen.pop_back();
            }
        }
    }

    /** @return the best of all that were tried */
    const BestSubset& GetBest() const { return m_best; }

  private:
    const MatrixXd& m_distances; //!< squared
    size_t m_size;               //!< of a subset
    Subset m_chosen;             //!< beginning of a subset
    BestSubset m_best;           //!< of all so far
};

/** @return largest eigenvalue of the covariance of a subset */
double
GetLargestVariance(const MatrixXd& products, const Subset& subset)
{
    MatrixXd centred = products(subset, subset);
    centred.colwise() -= centred.rowwise().mean().eval();
    centred.rowwise() -= centred.colwise().mean().eval();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(centred, Eigen::EigenvaluesOnly);
    return std::max(solver.eigenvalues().maxCoeff(), 0.0) / subset.size();
}

/** @return whether there was a next subset of 0..count-1 in lexicographic order */
bool
MoveToNext(Subset& subset, Index count)
{
    const auto size = static_cast<Index>(subset.size());
    Index k = size - 1;
    while (k >= 0 && subset[k] == count - size + k)
    {
        --k;
    }
    if (k < 0)
    {
        return false;
    }
    std::iota(subset.begin() + k, subset.end(), subset[k] + 1);
    return true;
}

} // namespace

VectorXd
GetMdaWeights(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    RequireFewSubsets("Mda", f, count);
    const MatrixXd distances = points.GetSquaredDistances();
    DiameterSearch search(distances, count - f);
    search.Extend(0, 0);
    return search.GetBest().GetWeights(count);
}

VectorXd
GetSmeaWeights(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    RequireFewSubsets("Smea", f, count);
    const MatrixXd& products = points.GetProducts();
    Subset subset(count - f);
    std::iota(subset.begin(), subset.end(), 0);
    BestSubset best;
    do
    {
        best.Offer(subset, GetLargestVariance(products, subset));
    } while (MoveToNext(subset, count));
    return best.GetWeights(count);
}

} // namespace ns3::dlearn
