/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COORDINATE_RULES_H
#define DLEARN_COORDINATE_RULES_H

#include "dlearn-gram-geometry.h"

#include "ns3/dlearn-types.h"

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace ns3::dlearn
{

/** Puts the smaller of two places first. */
struct Comparator
{
    uint32_t low;  //!< place that gets the smaller number
    uint32_t high; //!< place that gets the larger number
};

/**
 * Batcher's odd-even merge sort for any number of places (Knuth, The Art of Computer Programming 3,
 * section 5.2.2, Algorithm M): a fixed sequence of comparators, which sorts many columns at once.
 *
 * @param count number of places
 * @param first first wanted place
 * @param last last wanted place, at least first
 * @return comparators in order, without those that affect no wanted place
 */
std::vector<Comparator> MakeSortingNetwork(uint32_t count, uint32_t first, uint32_t last);

/**
 * @ingroup dlearn
 * An aggregation rule that is a function of the n sorted numbers of each coordinate.
 */
class CoordinateRule
{
  public:
    /** Coordinates of a tile, which stays in the cache. */
    static constexpr Eigen::Index WIDTH = 64;

    /** n x WIDTH numbers; the wanted rows are sorted downwards in each column. */
    template <typename Scalar>
    using Tile = Eigen::Array<Scalar, Eigen::Dynamic, WIDTH, Eigen::RowMajor>;

    template <typename Scalar>
    using Line = Eigen::Array<Scalar, 1, WIDTH>;

    virtual ~CoordinateRule() = default;

    /** Rows of a sorted tile that the rule reads. */
    struct Range
    {
        uint32_t first; //!< the first
        uint32_t last;  //!< the last
    };

    /**
     * @param count n
     * @param f number of Byzantine rows
     * @return the sorted numbers that the rule needs
     * @throw std::invalid_argument when 2f >= n
     */
    virtual Range GetWanted(uint32_t count, uint32_t f) const = 0;

    /**
     * @param sorted n x WIDTH
     * @param f number of Byzantine rows
     * @param result gets WIDTH numbers
     */
    virtual void Reduce(const Tile<float>& sorted, uint32_t f, Line<float>& result) const = 0;
    /** @copydoc Reduce(const Tile<float>&,uint32_t,Line<float>&) const */
    virtual void Reduce(const Tile<double>& sorted, uint32_t f, Line<double>& result) const = 0;
};

/** Median: the middle number, or the mean of the two middle ones. */
class CoordinateMedian : public CoordinateRule
{
  public:
    Range GetWanted(uint32_t count, uint32_t f) const override;
    void Reduce(const Tile<float>& sorted, uint32_t f, Line<float>& result) const override;
    void Reduce(const Tile<double>& sorted, uint32_t f, Line<double>& result) const override;
};

/**
 * Trimmed mean: the mean without the f smallest and the f largest numbers.
 *
 * Yin, Chen, Ramchandran and Bartlett 2018, "Byzantine-Robust Distributed Learning: Towards
 * Optimal Statistical Rates", ICML; the median too.
 */
class CoordinateTrimmedMean : public CoordinateRule
{
  public:
    Range GetWanted(uint32_t count, uint32_t f) const override;
    void Reduce(const Tile<float>& sorted, uint32_t f, Line<float>& result) const override;
    void Reduce(const Tile<double>& sorted, uint32_t f, Line<double>& result) const override;
};

/**
 * Mean around the median: the mean of the n - c f numbers nearest to the median; of two that are
 * equally near, the smaller counts.
 *
 * With c = 1 Xie, Koyejo and Gupta 2018, "Generalized Byzantine-tolerant SGD", arXiv:1802.10116;
 * with c = 2 the second half of Bulyan, El Mhamdi, Guerraoui and Rouault 2018, "The Hidden
 * Vulnerability of Distributed Learning in Byzantium", ICML, section 4.
 */
class CoordinateMeamed : public CoordinateRule
{
  public:
    /** @param factor c, with n > c f */
    explicit CoordinateMeamed(uint32_t factor = 1)
        : m_factor(factor)
    {
    }

    Range GetWanted(uint32_t count, uint32_t f) const override;
    void Reduce(const Tile<float>& sorted, uint32_t f, Line<float>& result) const override;
    void Reduce(const Tile<double>& sorted, uint32_t f, Line<double>& result) const override;

  private:
    uint32_t m_factor; //!< c
};

/**
 * Apply a rule to every coordinate.
 *
 * @param rows n x d
 * @param indices m usable rows
 * @param mixing k x m weights of the k points to aggregate; empty for the rows themselves
 * @param f number of Byzantine points
 * @param rule the rule
 * @return d numbers
 */
template <typename Scalar>
ColumnVector<Scalar> ReduceCoordinates(RowMatrixRef<Scalar> rows,
                                       const std::vector<Eigen::Index>& indices,
                                       const Eigen::MatrixXd& mixing,
                                       uint32_t f,
                                       const CoordinateRule& rule);

} // namespace ns3::dlearn

#endif // DLEARN_COORDINATE_RULES_H
