/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-row-products.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#ifdef DLEARN_WITH_OPENBLAS
// The BLAS's own names. Eigen could call them too (EIGEN_USE_BLAS), but then its templates
// would differ between the source files of one library.
extern "C"
{
    void ssyrk_(const char* triangle,
                const char* transposed,
                const int* n,
                const int* k,
                const float* alpha,
                const float* a,
                const int* aStride,
                const float* beta,
                float* c,
                const int* cStride);
    void dsyrk_(const char* triangle,
                const char* transposed,
                const int* n,
                const int* k,
                const double* alpha,
                const double* a,
                const int* aStride,
                const double* beta,
                double* c,
                const int* cStride);
    void openblas_set_num_threads(int threads);
}
#endif

namespace ns3
{
namespace dlearn
{

namespace
{

constexpr Eigen::Index BLOCK = 2048; // coordinates multiplied at a time

/** Inner products of the rows of one block. */
template <typename Scalar>
using Square = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

#ifdef DLEARN_WITH_OPENBLAS

void
CallSyrk(int n, int k, const float* a, int stride, float* c)
{
    const float one = 1;
    const float zero = 0;
    ssyrk_("L", "T", &n, &k, &one, a, &stride, &zero, c, &n);
}

void
CallSyrk(int n, int k, const double* a, int stride, double* c)
{
    const double one = 1;
    const double zero = 0;
    dsyrk_("L", "T", &n, &k, &one, a, &stride, &zero, c, &n);
}

/** @param square result: the lower triangle of block block^T, of the first columns */
template <typename Scalar>
void
MultiplyBlock(const RowMatrix<Scalar>& block, Eigen::Index width, Square<Scalar>& square)
{
    static const bool once = (openblas_set_num_threads(1), true);
    static_cast<void>(once);
    CallSyrk(block.rows(), width, block.data(), block.cols(), square.data());
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

/**
 * Scale a row so that its squares neither overflow nor vanish.
 *
 * @param row a piece of a row; scaled by a power of two when it has to be
 * @return what to multiply it with to have it back
 */
template <typename Row>
double
Tame(Row row)
{
    const double largest = row.cwiseAbs().maxCoeff();
    if (largest == 0 || (largest > 1e-12 && largest < 1e12))
    {
        return 1;
    }
    const int exponent = std::ilogb(largest);
    using Scalar = typename Row::Scalar;
    row = row.unaryExpr([exponent](Scalar x) { return std::ldexp(x, -exponent); }).eval();
    return std::ldexp(1.0, exponent);
}

/** @return (m+1) x (m+1) products relative to one of the m rows; the origin comes last */
template <typename Scalar>
Eigen::MatrixXd
MeasureFrom(RowMatrixRef<Scalar> rows,
            const std::vector<Eigen::Index>& indices,
            Eigen::Index centre,
            const Scalar* reference)
{
    const auto count = static_cast<Eigen::Index>(indices.size());
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(count, count);
    RowMatrix<Scalar> block(count, std::min(BLOCK, rows.cols()));
    Square<Scalar> square(count, count);
    Eigen::VectorXd scales(count);
    for (Eigen::Index begin = 0; begin < rows.cols(); begin += BLOCK)
    {
        const Eigen::Index width = std::min(BLOCK, rows.cols() - begin);
        const auto middle = rows.row(indices[centre]).segment(begin, width);
        for (Eigen::Index i = 0; i < count; ++i)
        {
            auto row = block.row(i).head(width);
            // The centre's own row would be 0: the origin has its place.
            if (i != centre)
            {
                row = rows.row(indices[i]).segment(begin, width) - middle;
            }
            else if (reference)
            {
                row = Eigen::Map<const Eigen::Matrix<Scalar, 1, Eigen::Dynamic>>(reference + begin,
                                                                                 width) -
                      middle;
            }
            else
            {
                row = -middle;
            }
            scales(i) = Tame(row);
        }
        MultiplyBlock(block, width, square);
        for (Eigen::Index j = 0; j < count; ++j)
        {
            const Eigen::Index below = count - j;
            sums.col(j).tail(below).array() +=
                scales(j) * scales.tail(below).array() *
                square.col(j).tail(below).template cast<double>().array();
        }
    }
    Eigen::MatrixXd products = Eigen::MatrixXd::Zero(count + 1, count + 1);
    products.topLeftCorner(count, count) = sums.selfadjointView<Eigen::Lower>();
    products.row(count).head(count) = products.row(centre).head(count);
    products.col(count) = products.row(count).transpose();
    products(count, count) = products(centre, centre);
    products.row(centre).setZero();
    products.col(centre).setZero();
    return products;
}

/** @return position of the row of median norm */
Eigen::Index
FindMedianNorm(const std::vector<double>& squaredNorms)
{
    std::vector<Eigen::Index> order(squaredNorms.size());
    std::iota(order.begin(), order.end(), 0);
    const auto middle = order.begin() + order.size() / 2;
    std::nth_element(order.begin(), middle, order.end(), [&](Eigen::Index a, Eigen::Index b) {
        return std::make_pair(squaredNorms[a], a) < std::make_pair(squaredNorms[b], b);
    });
    return *middle;
}

/** The row with the smallest median distance to all. */
struct Medoid
{
    Eigen::Index position{0};                                 //!< which
    double squaredRadius{std::numeric_limits<double>::max()}; //!< median squared distance
};

/** @return the medoid of points by their products */
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
Eigen::MatrixXd
MeasureRowProducts(RowMatrixRef<Scalar> rows, const UsableRows& usable, const Scalar* reference)
{
    // How much farther than from each other rows may be from the centre, squared: two digits.
    constexpr double TOLERANCE = 100;
    // Every further measurement needs a Byzantine row that was the medoid by rounding only.
    constexpr int ATTEMPTS = 4;
    Eigen::Index centre = FindMedianNorm(usable.squaredNorms);
    Eigen::MatrixXd products = MeasureFrom<Scalar>(rows, usable.indices, centre, reference);
    for (int attempt = 1; attempt < ATTEMPTS; ++attempt)
    {
        const Medoid medoid = FindMedoid(products);
        const double away = products(medoid.position, medoid.position);
        if (medoid.position == centre || away <= TOLERANCE * medoid.squaredRadius)
        {
            break;
        }
        centre = medoid.position;
        products = MeasureFrom<Scalar>(rows, usable.indices, centre, reference);
    }
    return products;
}

template Eigen::MatrixXd MeasureRowProducts<float>(RowMatrixRef<float>,
                                                   const UsableRows&,
                                                   const float*);
template Eigen::MatrixXd MeasureRowProducts<double>(RowMatrixRef<double>,
                                                    const UsableRows&,
                                                    const double*);

} // namespace dlearn
} // namespace ns3
