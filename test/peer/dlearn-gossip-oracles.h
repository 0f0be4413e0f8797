/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GOSSIP_ORACLES_H
#define DLEARN_GOSSIP_ORACLES_H

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace ns3::dlearn::test
{

using Matrix = Eigen::MatrixXd;

/**
 * An algorithm among n peers as its paper prints it: one column a learner, no part of dlearn. In
 * each round Step() gets the gradients at `x` and which messages arrive: heard(i, j) is 1 if i
 * hears j, else 0, also for those that are no neighbours; a missing neighbour leaves its weight to
 * i.
 */
struct GossipOracle
{
    virtual ~GossipOracle() = default;
    virtual void Step(const Matrix& g, const Matrix& heard) = 0;

    /** @return what learners keep, as many columns each, after the first Step() */
    virtual std::vector<Matrix*> GetState() = 0;

    /** Step() in which some learners take no part: they keep their state, and nobody hears them. */
    void StepWithout(const std::set<uint32_t>& absent, const Matrix& g, const Matrix& heard)
    {
        std::vector<Matrix> before;
        for (const Matrix* state : GetState())
        {
            before.push_back(*state);
        }
        Step(g, heard);
        for (size_t k = 0; k < before.size(); ++k)
        {
            Matrix& state = *GetState()[k];
            const Eigen::Index width = state.cols() / w.rows();
            for (const uint32_t learner : absent)
            {
                state.middleCols(learner * width, width) =
                    before[k].middleCols(learner * width, width);
            }
        }
    }

    /** @return W with the weights that arrived, and the rest on the diagonal */
    Matrix Realise(const Matrix& heard) const
    {
        Matrix a = w.cwiseProduct(heard);
        a.diagonal() = Eigen::VectorXd::Ones(w.rows()) - a.rowwise().sum();
        return a;
    }

    Matrix w;        //!< w_ij of receiver i and sender j; 0 on the diagonal
    Matrix x;        //!< d x n, models
    double eta{0.1}; //!< step
};

/** Koloskova, Stich and Jaggi 2019, Algorithm 2; with loss each receiver has its own copies. */
struct ChocoOracle : GossipOracle
{
    void Step(const Matrix& g, const Matrix& heard) override
    {
        const Eigen::Index n = w.rows();
        if (copies.size() == 0)
        {
            copies = Matrix::Zero(x.rows(), n * n);
        }
        const Matrix half = x - eta * g;
        q = half;
        for (Eigen::Index j = 0; j < n; ++j)
        {
            q.col(j) = compress(half.col(j) - copies.col(j * n + j));
        }
        for (Eigen::Index i = 0; i < n; ++i)
        {
            for (Eigen::Index j = 0; j < n; ++j)
            {
                copies.col(i * n + j) += (i == j ? 1 : heard(i, j)) * q.col(j);
            }
            x.col(i) = half.col(i);
            for (Eigen::Index j = 0; j < n; ++j)
            {
                x.col(i) += gamma * w(i, j) * (copies.col(i * n + j) - copies.col(i * n + i));
            }
        }
    }

    double gamma{0.2};
    std::function<Eigen::VectorXd(const Eigen::VectorXd&)> compress{
        [](const auto& v) { return v; }};

    std::vector<Matrix*> GetState() override { return {&x, &copies}; }

    Matrix copies; //!< column i n + j: the copy of j that i has
    Matrix q;
};

/** Tang et al. 2018, Algorithm 1. */
struct D2Oracle : GossipOracle
{
    void Step(const Matrix& g, const Matrix& heard) override
    {
        const Matrix half =
            before.size() == 0 ? Matrix(x - eta * g) : Matrix(2 * x - before - eta * (g - gBefore));
        before = x;
        gBefore = g;
        x = half * Realise(heard).transpose();
    }

    std::vector<Matrix*> GetState() override { return {&x, &before, &gBefore}; }

    Matrix before, gBefore;
};

/** Shi et al. 2015, equations (2.13) with W~ = (I + W) / 2. */
struct ExtraOracle : GossipOracle
{
    void Step(const Matrix& g, const Matrix& heard) override
    {
        const Matrix mixed = x * Realise(heard).transpose();
        const Matrix next =
            before.size() == 0
                ? Matrix(mixed - eta * g)
                : Matrix(x + mixed - (before + mixedBefore) / 2 - eta * (g - gBefore));
        before = x;
        mixedBefore = mixed;
        gBefore = g;
        x = next;
    }

    std::vector<Matrix*> GetState() override { return {&x, &before, &mixedBefore, &gBefore}; }

    Matrix before, mixedBefore, gBefore;
};

/** Nedic, Olshevsky and Shi 2017, Algorithm 2; what is lost is lost. */
struct PushDigingOracle : GossipOracle
{
    void Step(const Matrix& g, const Matrix& heard) override
    {
        const Eigen::Index n = w.rows();
        if (u.size() == 0)
        {
            u = x;
            v = Matrix::Ones(1, n);
            y = g;
        }
        else
        {
            y += g - gBefore;
        }
        Matrix c = Matrix::Zero(n, n);
        for (Eigen::Index j = 0; j < n; ++j)
        {
            const double share = 1.0 / (1 + (w.col(j).array() > 0).count());
            for (Eigen::Index i = 0; i < n; ++i)
            {
                c(i, j) = i == j ? share : (w(i, j) > 0 ? share * heard(i, j) : 0);
            }
        }
        u = (u - eta * y) * c.transpose();
        v = v * c.transpose();
        y = y * c.transpose();
        gBefore = g;
        x = u * v.row(0).cwiseInverse().asDiagonal();
    }

    std::vector<Matrix*> GetState() override { return {&x, &u, &v, &y, &gBefore}; }

    Matrix u, v, y, gBefore; //!< v: one row
};

/** He, Karimireddy and Jaggi 2022, Algorithm 2; tau of each learner from its neighbourhood. */
struct ClippingOracle : GossipOracle
{
    void Step(const Matrix& g, const Matrix& heard) override
    {
        m = m.size() == 0 ? g : Matrix(beta * m + (1 - beta) * g);
        const Matrix half = x - eta * m;
        const Matrix a = Realise(heard);
        for (Eigen::Index i = 0; i < w.rows(); ++i)
        {
            const double tau = byzantine > 0 ? Adapt(half, a, i) : radius;
            x.col(i).setZero();
            for (Eigen::Index j = 0; j < w.rows(); ++j)
            {
                const Eigen::VectorXd away = half.col(j) - half.col(i);
                const double clip = away.norm() > tau ? tau / away.norm() : 1;
                x.col(i) += a(i, j) * (half.col(i) + clip * away);
            }
        }
    }

    /** The cheapest set of vectors whose weights reach 1 - delta, by trying all of them. */
    double Adapt(const Matrix& half, const Matrix& a, Eigen::Index i) const
    {
        Eigen::VectorXd weights = w.row(i).transpose();
        std::sort(weights.data(), weights.data() + weights.size(), std::greater<>());
        const double delta = weights.head(byzantine).sum();
        double best = std::numeric_limits<double>::infinity();
        for (uint32_t set = 0; set < 1U << w.rows(); ++set)
        {
            double weight = 0;
            double sum = 0;
            for (Eigen::Index j = 0; j < w.rows(); ++j)
            {
                if ((set >> j & 1) == 1)
                {
                    weight += a(i, j);
                    sum += a(i, j) * (half.col(j) - half.col(i)).squaredNorm();
                }
            }
            best = weight >= 1 - delta - 1e-9 ? std::min(best, sum) : best;
        }
        return std::sqrt(best / delta);
    }

    std::vector<Matrix*> GetState() override { return {&x, &m}; }

    double radius{1};
    double beta{0};
    Eigen::Index byzantine{0}; //!< 0: radius is given
    Matrix m;
};

} // namespace ns3::dlearn::test

#endif // DLEARN_GOSSIP_ORACLES_H
