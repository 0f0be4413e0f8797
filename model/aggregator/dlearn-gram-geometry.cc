/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gram-geometry.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-matrix-product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#ifdef DLEARN_WITH_OPENBLAS
#include <cblas.h>
#endif

namespace ns3::dlearn
{

GramGeometry::GramGeometry(Eigen::Index count, Measure measure)
    : m_count(count),
      m_measure(std::move(measure))
{
}

const Eigen::MatrixXd&
GramGeometry::GetProducts() const
{
    if (!m_products)
    {
        m_products = m_measure();
        RequireSize("GramGeometry", "products", m_products->rows(), m_count + 1);
        RequireSize("GramGeometry", "products", m_products->cols(), m_count + 1);
    }
    return *m_products;
}

Eigen::MatrixXd
GramGeometry::GetSquaredDistances() const
{
    const Eigen::VectorXd squares = GetProducts().diagonal().head(m_count);
    // The sum of squares first: it is the same on both sides of the diagonal.
    const auto sums = squares.replicate(1, m_count) + squares.transpose().replicate(m_count, 1);
    const auto inner = GetProducts().topLeftCorner(m_count, m_count);
    Eigen::MatrixXd distances = (sums - 2 * inner).cwiseMax(0.0);
    distances.diagonal().setZero();
    return distances;
}

Eigen::VectorXd
GramGeometry::GetDistancesFrom(const Eigen::VectorXd& weights) const
{
    const Eigen::MatrixXd& products = GetProducts();
    Eigen::VectorXd affine(m_count + 1);
    affine << weights, 1 - weights.sum();
    const Eigen::VectorXd inner = products * affine;
    const Eigen::ArrayXd squares =
        products.diagonal().array() - 2 * inner.array() + affine.dot(inner);
    return squares.head(m_count).max(0.0).sqrt().matrix();
}

double
GramGeometry::GetSquaredLength(const Eigen::VectorXd& weights) const
{
    Eigen::VectorXd all(m_count + 1);
    all << weights, -weights.sum();
    return std::max(all.dot(GetProducts() * all), 0.0);
}

GramGeometry
GramGeometry::Mix(const Eigen::MatrixXd& mixing) const
{
    RequireSize("GramGeometry", "mixing columns", mixing.cols(), m_count);
    return GramGeometry(mixing.rows(), [this, mixing] {
        const Eigen::Index rows = mixing.rows();
        Eigen::MatrixXd affine = Eigen::MatrixXd::Zero(rows + 1, m_count + 1);
        affine.topLeftCorner(rows, m_count) = mixing;
        affine.topRightCorner(rows, 1) = 1 - mixing.rowwise().sum().array();
        affine(rows, m_count) = 1; // the origin stays
        const Eigen::MatrixXd products = affine * GetProducts() * affine.transpose();
        return Eigen::MatrixXd((products + products.transpose()) / 2);
    });
}

namespace
{

// Coordinates at a time: their sums stay in the cache, and the pieces of rows are so long that the
// processor fetches ahead.
constexpr Eigen::Index BLOCK = 4096;

/** @return the rows for which a function is true, and the others */
template <typename Predicate>
UsableRows
SplitRows(Eigen::Index rows, Predicate isUsable)
{
    UsableRows result;
    for (Eigen::Index i = 0; i < rows; ++i)
    {
        if (isUsable(i))
        {
            result.indices.push_back(i);
        }
        else
        {
            result.excluded.push_back(static_cast<uint32_t>(i));
        }
    }
    return result;
}

/** @return whether all numbers are finite and not too large */
template <typename Scalar, typename Row>
bool
IsUsable(const Row& row)
{
    for (Eigen::Index begin = 0; begin < row.size(); begin += BLOCK)
    {
        const auto part = row.segment(begin, std::min(BLOCK, row.size() - begin));
        // The sum of squares is quick, and enough for all but very large numbers.
        if (!(part.squaredNorm() < 1e30) &&
            !(part.allFinite() && part.cwiseAbs().maxCoeff() <= GetLargestUsable<Scalar>()))
        {
            return false;
        }
    }
    return true;
}

} // namespace

template <typename Scalar>
UsableRows
FindUsableRows(RowMatrixRef<Scalar> rows)
{
    return SplitRows(rows.rows(), [&](Eigen::Index i) { return IsUsable<Scalar>(rows.row(i)); });
}

std::optional<uint32_t>
GetRemainingFaults(uint32_t f, const UsableRows& rows)
{
    if (rows.indices.size() < 2 * size_t{f} + 1)
    {
        return std::nullopt;
    }
    const auto excluded = static_cast<uint32_t>(rows.excluded.size());
    return f > excluded ? f - excluded : 0;
}

template <typename Scalar>
ColumnVector<Scalar>
GetWeightedSum(RowMatrixRef<Scalar> rows,
               const std::vector<Eigen::Index>& indices,
               const Eigen::VectorXd& weights)
{
    ColumnVector<Scalar> sum = ColumnVector<Scalar>::Zero(rows.cols());
    for (Eigen::Index begin = 0; begin < rows.cols(); begin += BLOCK)
    {
        const Eigen::Index width = std::min(BLOCK, rows.cols() - begin);
        auto part = sum.segment(begin, width);
        for (size_t k = 0; k < indices.size(); ++k)
        {
            const auto weight = static_cast<Scalar>(weights(k));
            if (weight != 0)
            {
                part += weight * rows.row(indices[k]).segment(begin, width).transpose();
            }
        }
    }
    return sum;
}

template UsableRows FindUsableRows<float>(RowMatrixRef<float>);
template UsableRows FindUsableRows<double>(RowMatrixRef<double>);
template ColumnVector<float> GetWeightedSum<float>(RowMatrixRef<float>,
                                                   const std::vector<Eigen::Index>&,
                                                   const Eigen::VectorXd&);
template ColumnVector<double> GetWeightedSum<double>(RowMatrixRef<double>,
                                                     const std::vector<Eigen::Index>&,
                                                     const Eigen::VectorXd&);

namespace
{

// Unused numbers after each row of a block: rows at a distance of 2^k bytes displace each other
// from the cache.
constexpr Eigen::Index GAP = 16;

/** Inner products of the rows of one block. */
template <typename Scalar>
using Square = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

#ifdef DLEARN_WITH_OPENBLAS

/** The lower triangle of C = A A^T. */
template <typename Scalar>
constexpr auto SYRK = &cblas_dsyrk;

template <>
constexpr auto SYRK<float> = &cblas_ssyrk;

/** @param square result: the lower triangle of block block^T, of the first columns */
template <typename Scalar>
void
MultiplyBlock(const RowMatrix<Scalar>& block, Eigen::Index width, Square<Scalar>& square)
{
    PrepareOpenBlas();
    // A square lies column after column; to the BLAS rows of a block are columns of its transpose.
    SYRK<Scalar>(CblasColMajor,
                 CblasLower,
                 CblasTrans,
                 static_cast<int>(block.rows()),
                 static_cast<int>(width),
                 1,
                 block.data(),
                 static_cast<int>(block.cols()),
                 0,
                 square.data(),
                 static_cast<int>(block.rows()));
}

#else

/** @param square result: the lower triangle of block block^T, of the first columns */
template <typename Scalar>
void
MultiplyBlock(const RowMatrix<Scalar>& block, Eigen::Index width, Square<Scalar>& square)
{
    square.setZero();
    square.template selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(width));
}

#endif

/** Measures products of rows from one centre or another. */
template <typename Scalar>
class GramAccumulator
{
  public:
    explicit GramAccumulator(RowMatrixRef<Scalar> rows)
        : m_rows(rows),
          m_usable(rows.rows(), true),
          m_scales(Eigen::VectorXd::Ones(rows.rows())),
          m_block(rows.rows(), std::min(BLOCK, rows.cols()) + GAP),
          m_square(rows.rows(), rows.rows())
    {
    }

    /**
     * Measure all products from a centre row, and detect the usable rows.
     *
     * @return whether the centre is usable; else nothing was measured
     */
    bool MeasureFrom(Eigen::Index centre)
    {
        m_centre = centre;
        m_sums = Eigen::MatrixXd::Zero(m_rows.rows(), m_rows.rows());
        for (Eigen::Index begin = 0; begin < m_rows.cols(); begin += BLOCK)
        {
            const Eigen::Index width = std::min(BLOCK, m_rows.cols() - begin);
            for (Eigen::Index i = 0; i < m_rows.rows(); ++i)
            {
                FillRow(i, begin, width);
            }
            MultiplyBlock(m_block, width, m_square);
            if (Repair(begin, width))
            {
                MultiplyBlock(m_block, width, m_square);
            }
            if (!m_usable[centre])
            {
                return false;
            }
            for (Eigen::Index j = 0; j < m_rows.rows(); ++j)
            {
                const Eigen::Index below = m_rows.rows() - j;
                m_sums.col(j).tail(below).array() +=
                    m_scales(j) * m_scales.tail(below).array() *
                    m_square.col(j).tail(below).template cast<double>().array();
            }
        }
        return true;
    }

    /** @return the rows that are not known to be unusable */
    UsableRows GetUsable() const
    {
        return SplitRows(m_rows.rows(), [this](Eigen::Index i) { return m_usable[i]; });
    }

    /** @return products of the usable rows, by their indices; the origin comes last */
    Eigen::MatrixXd GetProducts(const std::vector<Eigen::Index>& indices) const
    {
        const Eigen::Index n = m_rows.rows();
        Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + 1, n + 1);
        all.topLeftCorner(n, n) = m_sums.template selfadjointView<Eigen::Lower>();
        all.row(n).head(n) = all.row(m_centre).head(n);
        all.col(n) = all.row(n).transpose();
        all(n, n) = all(m_centre, m_centre);
        all.row(m_centre).setZero();
        all.col(m_centre).setZero();
        std::vector<Eigen::Index> wanted = indices;
        wanted.push_back(n);
        return all(wanted, wanted);
    }

  private:
    /** Fill a row of the block with differences from the centre. */
    void FillRow(Eigen::Index i, Eigen::Index begin, Eigen::Index width)
    {
        const auto middle = m_rows.row(m_centre).segment(begin, width);
        auto row = m_block.row(i).head(width);
        if (!m_usable[i])
        {
            row.setZero();
        }
        else if (i != m_centre)
        {
            row = m_rows.row(i).segment(begin, width) - middle;
        }
        else
        {
            row = -middle; // the centre's own row would be 0: the origin has its place
        }
        if (m_scales(i) != 1)
        {
            row *= static_cast<Scalar>(1 / m_scales(i));
        }
    }

    /**
     * Repair squares that are out of range: rows that are not finite become unusable, others get a
     * scale, which they keep, as their next numbers are probably as large.
     *
     * @return whether anything in the block changed
     */
    bool Repair(Eigen::Index begin, Eigen::Index width)
    {
        if (!IsFinite(m_rows.row(m_centre).segment(begin, width), m_square(m_centre, m_centre)))
        {
            m_usable[m_centre] = false;
            return false;
        }
        bool changed = false;
        for (Eigen::Index i = 0; i < m_rows.rows(); ++i)
        {
            const double square = m_square(i, i);
            if (m_usable[i] && !(square > SMALL && square < 1 / SMALL))
            {
                changed = Repair(i, begin, width) || changed;
            }
        }
        return changed;
    }

    bool Repair(Eigen::Index i, Eigen::Index begin, Eigen::Index width)
    {
        auto row = m_block.row(i).head(width);
        if (!IsFinite(m_rows.row(i).segment(begin, width), m_square(i, i)))
        {
            m_usable[i] = false;
            row.setZero();
            return true;
        }
        if (!row.allFinite()) // the scale of the numbers before, if those were very small
        {
            m_scales(i) = 1;
            FillRow(i, begin, width);
        }
        const double largest = row.cwiseAbs().maxCoeff();
        if (largest == 0)
        {
            return false;
        }
        const double factor = std::ldexp(1.0, std::ilogb(largest));
        row *= static_cast<Scalar>(1 / factor);
        m_scales(i) *= factor;
        return true;
    }

    /** @return whether numbers can be used; reads them only if their square is suspicious */
    template <typename Numbers>
    static bool IsFinite(const Numbers& numbers, double square)
    {
        return square < 1 / SMALL ||
               (numbers.allFinite() && numbers.cwiseAbs().maxCoeff() <= GetLargestUsable<Scalar>());
    }

    static constexpr double SMALL = 1e-25; //!< squares between it and 1 / it are exact enough

    RowMatrixRef<Scalar> m_rows; //!< all
    std::vector<bool> m_usable;  //!< which rows are
    Eigen::VectorXd m_scales;    //!< factors that restore the rows of a block
    RowMatrix<Scalar> m_block;   //!< differences from the centre
    Square<Scalar> m_square;     //!< its products with itself
    Eigen::Index m_centre{0};    //!< which row is subtracted
    Eigen::MatrixXd m_sums;      //!< lower triangle of all products
};

/** @return a usable row of about median length, by a sample of its numbers; -1: no usable row */
template <typename Scalar>
Eigen::Index
FindMedianLength(RowMatrixRef<Scalar> rows, const std::vector<Eigen::Index>& usable)
{
    constexpr Eigen::Index PIECES = 16;
    const Eigen::Index width = std::min<Eigen::Index>(256, rows.cols());
    std::vector<std::pair<double, Eigen::Index>> lengths;
    for (const Eigen::Index i : usable)
    {
        double square = 0;
        for (Eigen::Index k = 0; k < PIECES; ++k)
        {
            const Eigen::Index begin = (rows.cols() - width) * k / (PIECES - 1);
            square += rows.row(i).segment(begin, width).template cast<double>().squaredNorm();
        }
        if (std::isfinite(square))
        {
            lengths.emplace_back(square, i);
        }
    }
    if (lengths.empty())
    {
        return usable.empty() ? -1 : usable.front();
    }
    const auto middle = lengths.begin() + lengths.size() / 2;
    std::nth_element(lengths.begin(), middle, lengths.end());
    return middle->second;
}

/** The row with the smallest median distance to all. */
struct Medoid
{
    Eigen::Index position{0};                                 //!< which
    double squaredRadius{std::numeric_limits<double>::max()}; //!< median squared distance
};

Medoid
FindMedoid(const Eigen::MatrixXd& products)
{
    const Eigen::Index count = products.rows() - 1;
    Medoid best;
    std::vector<double> distances(count);
    for (Eigen::Index i = 0; i < count; ++i)
    {
        for (Eigen::Index j = 0; j < count; ++j)
        {
            distances[j] = std::max(products(i, i) + products(j, j) - 2 * products(i, j), 0.0);
        }
        const auto middle = distances.begin() + count / 2;
        std::nth_element(distances.begin(), middle, distances.end());
        if (*middle < best.squaredRadius)
        {
            best = {i, *middle};
        }
    }
    return best;
}

} // namespace

template <typename Scalar>
GramMatrix
MeasureRowProducts(RowMatrixRef<Scalar> rows)
{
    // How much farther than from each other rows may be from the centre, squared: two digits.
    constexpr double TOLERANCE = 100;
    // Every further measurement needs a Byzantine row that was the medoid by rounding only.
    constexpr int ATTEMPTS = 4;
    GramAccumulator<Scalar> meter(rows);
    GramMatrix result{meter.GetUsable(), {}};
    Eigen::Index centre = FindMedianLength<Scalar>(rows, result.usable.indices);
    for (int attempt = 0; centre >= 0;)
    {
        const bool measured = meter.MeasureFrom(centre);
        result.usable = meter.GetUsable();
        if (!measured)
        {
            centre = FindMedianLength<Scalar>(rows, result.usable.indices);
            continue;
        }
        result.products = meter.GetProducts(result.usable.indices);
        const Medoid medoid = FindMedoid(result.products);
        const double away = result.products(medoid.position, medoid.position);
        if (++attempt == ATTEMPTS || away <= TOLERANCE * medoid.squaredRadius)
        {
            break;
        }
        centre = result.usable.indices[medoid.position];
    }
    return result;
}

template GramMatrix MeasureRowProducts<float>(RowMatrixRef<float>);
template GramMatrix MeasureRowProducts<double>(RowMatrixRef<double>);

} // namespace ns3::dlearn
