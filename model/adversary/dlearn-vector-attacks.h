/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_VECTOR_ATTACKS_H
#define DLEARN_VECTOR_ATTACKS_H

/**
 * @file
 * Attacks on vectors: Byzantine learners send vectors that they forge from the h vectors that they
 * know. An omniscient coalition knows the vectors of all honest learners, others know fewer. All
 * members of a coalition send the same vector.
 */

#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * Inner-product manipulation, or fall of empires: -tau times the honest mean. With tau = 1 it
 * is sign flipping; when the own vector is the only row, its sign is flipped.
 *
 * Xie, Koyejo and Gupta 2020, "Fall of Empires: Breaking Byzantine-tolerant SGD by Inner
 * Product Manipulation", UAI (tau is epsilon there).
 *
 * @param honest h x d, at least 1 x 1, finite
 * @param tau factor, finite
 * @return d numbers
 * @throw std::invalid_argument for other vectors or another factor
 */
ModelVector ForgeInnerProduct(RowMatrixRef<double> honest, double tau);

/**
 * A little is enough: mean + tau times the standard deviation (of h - 1 degrees of freedom; 0
 * for a single vector) of each coordinate. Baruch et al. subtract: their z is -tau.
 *
 * Baruch, Baruch and Goldberg 2019, "A Little Is Enough: Circumventing Defenses For
 * Distributed Learning", NeurIPS.
 *
 * @param honest h x d, at least 1 x 1, finite
 * @param tau factor, finite, of either sign
 * @return d numbers
 * @throw std::invalid_argument for other vectors or another factor
 */
ModelVector ForgeAlie(RowMatrixRef<double> honest, double tau);

/**
 * The z of Baruch et al., Algorithm 3, for n learners with f Byzantine ones:
 * with s = floor(n / 2 + 1) - f, the largest z with Phi(z) at most (n - f - s) / (n - f). It is 0
 * or less for small f / n; their attack is ForgeAlie() with tau = -z.
 *
 * @param n all learners
 * @param f Byzantine ones, 2f < n
 * @return z
 * @throw std::invalid_argument when 2f >= n, or for fewer than 3 learners, where z is infinite
 */
double GetAlieDeviation(uint32_t n, uint32_t f);

/** The steps of a search on a line. */
struct LineSearch
{
    double best{0};                                   //!< place of the largest value
    double value{0};                                  //!< the value there
    std::vector<std::pair<double, double>> evaluated; //!< all places and their values, in order
};

/** How to search on a line. */
struct LineSearchOptions
{
    uint32_t evaluations{20}; //!< how often the function is evaluated, at least 1
    double start{0};          //!< first place
    double step{10};          //!< first step, greater than 0
    double ratio{0.8};        //!< shrinks steps, between 0 and 1
};

/**
 * Look for a large value on a line: steps that double as long as the value grows, then steps
 * that shrink, forward only, taken when the value grows. As ByzFL's optimised attacks do
 * (Allouah et al. 2023, "Fixing by Mixing", appendix).
 *
 * @param function to be large
 * @param options how to search
 * @return the largest value found
 * @throw std::invalid_argument when an option is out of range
 */
LineSearch MaximizeOnLine(const std::function<double(double)>& function,
                          const LineSearchOptions& options);

/** The knowledge of a coalition in a round. */
struct HonestView
{
    /** @return the aggregate of all n vectors; empty when the round would be skipped */
    using Defence = std::function<ModelVector(RowMatrixRef<double>)>;

    /** An honest learner, one of the rows, for which alone a vector is forged. */
    struct Receiver
    {
        Eigen::Index row;    //!< of its own vector
        ModelVector weights; //!< k: that it gives to the learners of the rows
        double byzantine;    //!< that it gives to all members of the coalition, above 0
    };

    Eigen::Ref<const RowMatrix<double>> vectors; //!< k x d: those that it knows
    uint32_t byzantine{1};                       //!< f, its own size
    Defence defence{};                           //!< the aggregation that it attacks; null: unknown
    uint32_t honest{0};             //!< h, number of honest learners, known or not; 0 for k
    std::vector<uint32_t> places{}; //!< for each row the learner's place among all sources; empty
                                    //!< for 0, 1, ..., k-1
    std::optional<Receiver> receiver{}; //!< only for attacks that need it
};

/**
 * @ingroup dlearn
 * The interface of all attacks on vectors. An attack keeps nothing from one round to the next. The
 * same object serves a whole coalition, whose members all send the vector that it forges, to each
 * receiver its own if NeedsReceiver().
 */
class Attack : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Refuse a coalition that the attack does not suit, before the run.
     *
     * @param sources learners whose vectors it may know
     * @param honest h, honest learners
     * @param byzantine f, its size
     * @throw std::invalid_argument naming the mistake; everything suits unless overridden
     */
    virtual void Check(uint32_t /* sources */,
                       uint32_t /* honest */,
                       uint32_t /* byzantine */) const
    {
    }

    /**
     * @param view the coalition's knowledge; any part of what Check() got
     * @return d numbers, finite or not; empty when the coalition does not know enough, and
     *         should behave like honest learners
     * @throw std::invalid_argument when the view is not sufficient for the attack
     */
    virtual ModelVector Forge(const HonestView& view) = 0;

    /** @return whether it forges for one receiver at a time, which is for peers only; false unless
     *          overridden */
    virtual bool NeedsReceiver() const { return false; }

    /** Fix the random streams from a number on. @return how many are used; 0 unless overridden */
    virtual int64_t AssignStreams(int64_t /* stream */) { return 0; }
};

/** Minus the honest mean. @ingroup dlearn */
class SignFlippingAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override
    {
        return ForgeInnerProduct(view.vectors, 1);
    }
};

/** Inner-product manipulation: ForgeInnerProduct(). @ingroup dlearn */
class InnerProductAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override
    {
        return ForgeInnerProduct(view.vectors, m_tau);
    }

  private:
    double m_tau{2};
};

/** A little is enough with a fixed factor: ForgeAlie(). @ingroup dlearn */
class AlieAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override { return ForgeAlie(view.vectors, m_tau); }

  private:
    double m_tau{1.5};
};

/**
 * @ingroup dlearn
 * A little is enough as its authors do it: minus GetAlieDeviation() standard
 * deviations, of the n = h + f learners.
 */
class DerivedAlieAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    void Check(uint32_t sources, uint32_t honest, uint32_t byzantine) const override;
    ModelVector Forge(const HonestView& view) override;
};

/**
 * @ingroup dlearn
 * The vector of the same honest learner in every round.
 *
 * Karimireddy, He and Jaggi 2022, "Byzantine-Robust Learning on Heterogeneous Datasets via
 * Bucketing", ICLR.
 */
class MimicAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    void Check(uint32_t sources, uint32_t honest, uint32_t byzantine) const override;
    ModelVector Forge(const HonestView& view) override;

  private:
    uint32_t m_index{0}; //!< attribute Epsilon
};

/**
 * @ingroup dlearn
 * Dissensus: drives peers away from their neighbours. With the vectors x_k of the honest neighbours
 * of receiver i, their weights w_ik, and w_iB that of all Byzantine neighbours, these send to it
 *
 *   x_i - Epsilon sum_k w_ik (x_k - x_i) / w_iB,
 *
 * so that with Epsilon = 1 the weighted sum of what it receives is x_i: it learns nothing of the
 * others. He, Karimireddy and Jaggi 2022, "Byzantine-robust decentralized learning via
 * ClippedGossip", arXiv:2202.01545.
 */
class DissensusAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    bool NeedsReceiver() const override { return true; }

    ModelVector Forge(const HonestView& view) override;

  private:
    double m_epsilon{1};
};

/** Infinity in every entry. @ingroup dlearn */
class InfinityAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override
    {
        return ModelVector::Constant(view.vectors.cols(), INFINITE);
    }
};

/** NaN in every entry. @ingroup dlearn */
class NanAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override
    {
        return ModelVector::Constant(view.vectors.cols(), std::numeric_limits<double>::quiet_NaN());
    }
};

/** Independent normal numbers that do not depend on the honest vectors. @ingroup dlearn */
class GaussianAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override;

    int64_t AssignStreams(int64_t stream) override
    {
        m_random->SetStream(stream);
        return 1;
    }

  private:
    double m_mean{0};
    double m_deviation{1};
    Ptr<NormalRandomVariable> m_random{CreateObject<NormalRandomVariable>()};
};

/**
 * @ingroup dlearn
 * An attack with one parameter, tau, that knows the defence (HonestView::defence). It tries values
 * of tau and sends the vector that takes the aggregate farthest from the honest mean.
 *
 * Shejwalkar and Houmansadr 2021, "Manipulating the Byzantine", NDSS; the search is that of
 * MaximizeOnLine().
 */
class OptimalAttack : public Attack
{
  public:
    static TypeId GetTypeId();

    ModelVector Forge(const HonestView& view) override
    {
        return ForgeWith(view, Search(view).best);
    }

    /**
     * @param view the coalition's knowledge
     * @return the search for tau, by the distance of the aggregate from the honest mean
     * @throw std::invalid_argument when the view has no defence
     */
    LineSearch Search(const HonestView& view) const;

  private:
    virtual ModelVector ForgeWith(const HonestView& view, double tau) const = 0;

    uint32_t m_evaluations{20};
    double m_start{0};
    double m_delta{10};
    double m_ratio{0.8};
};

/** Inner-product manipulation with the best tau: ForgeInnerProduct(). @ingroup dlearn */
class OptimalInnerProductAttack : public OptimalAttack
{
  public:
    static TypeId GetTypeId();

  private:
    ModelVector ForgeWith(const HonestView& view, double tau) const override
    {
        return ForgeInnerProduct(view.vectors, tau);
    }
};

/** A little is enough with the best tau: ForgeAlie(). @ingroup dlearn */
class OptimalAlieAttack : public OptimalAttack
{
  public:
    static TypeId GetTypeId();

  private:
    ModelVector ForgeWith(const HonestView& view, double tau) const override
    {
        return ForgeAlie(view.vectors, tau);
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_VECTOR_ATTACKS_H
