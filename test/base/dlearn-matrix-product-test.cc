/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-matrix-product.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace ns3::dlearn
{
namespace
{

/** Products against their definition, summed one by one in long double. */
template <typename Scalar>
class MatrixProduct : public testing::Test
{
  protected:
    using Matrix = RowMatrix<Scalar>;

    /** @return numbers from -1 to 1 */
    Matrix Random(Eigen::Index rows, Eigen::Index columns)
    {
        std::uniform_real_distribution<Scalar> uniform(-1, 1);
        return Matrix::NullaryExpr(rows, columns, [&] { return uniform(m_engine); });
    }

    /** Expect result = start + A B. */
    static void ExpectProduct(const Matrix& a,
                              const Matrix& b,
                              const Matrix& start,
                              const Matrix& result)
    {
        for (Eigen::Index i = 0; i < a.rows(); ++i)
        {
            for (Eigen::Index j = 0; j < b.cols(); ++j)
            {
                long double sum = start(i, j);
                for (Eigen::Index k = 0; k < a.cols(); ++k)
                {
                    sum += static_cast<long double>(a(i, k)) * b(k, j);
                }
                // However the k terms, of at most 1, are added: each partial sum is at most k.
                const Scalar limit =
                    (a.cols() + 1) * (a.cols() + 1) * std::numeric_limits<Scalar>::epsilon();
                EXPECT_NEAR(result(i, j), static_cast<double>(sum), limit);
            }
        }
    }

    std::mt19937 m_engine{3}; //!< random numbers
};

using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixProduct, Scalars);

TYPED_TEST(MatrixProduct, IsTheSumOfProducts)
{
    using Matrix = RowMatrix<TypeParam>;
    const Eigen::Index sizes[][3] = {{1, 1, 1}, {3, 5, 7}, {1, 40, 9}, {17, 1, 33}, {20, 64, 70}};
    for (const auto& [m, n, k] : sizes)
    {
        const Matrix a = this->Random(m, k);
        const Matrix b = this->Random(k, n);
        const Matrix aTransposed = a.transpose();
        const Matrix bTransposed = b.transpose();
        for (const TypeParam keep : {0, 1})
        {
            const Matrix before = this->Random(m, n);
            const Matrix start = keep * before;
            Matrix result = before;
            Multiply<TypeParam>(a, b, keep, result);
            this->ExpectProduct(a, b, start, result);
            result = before;
            Multiply<TypeParam>(aTransposed, b, keep, result, Transposed::FIRST);
            this->ExpectProduct(a, b, start, result);
            result = before;
            Multiply<TypeParam>(a, bTransposed, keep, result, Transposed::SECOND);
            this->ExpectProduct(a, b, start, result);
        }
    }
}

TYPED_TEST(MatrixProduct, TakesColumnsOfLargerMatrices)
{
    using Matrix = RowMatrix<TypeParam>;
    const Matrix a = this->Random(6, 30);
    const Matrix b = this->Random(8, 40);
    Matrix result = this->Random(6, 50);
    const Matrix before = result;
    Multiply<TypeParam>(a.middleCols(11, 8),
                        b.middleCols(20, 9),
                        TypeParam{1},
                        result.middleCols(4, 9));
    this->ExpectProduct(a.middleCols(11, 8),
                        b.middleCols(20, 9),
                        before.middleCols(4, 9),
                        result.middleCols(4, 9));
    result.middleCols(4, 9) = before.middleCols(4, 9);
    EXPECT_EQ(result, before) << "written beside its place";
}

TYPED_TEST(MatrixProduct, OverwritesWhateverWasThere)
{
    using Matrix = RowMatrix<TypeParam>;
    const Matrix a = this->Random(4, 5);
    const Matrix b = this->Random(5, 3);
    Matrix result = Matrix::Constant(4, 3, std::numeric_limits<TypeParam>::quiet_NaN());
    Multiply<TypeParam>(a, b, 0, result);
    EXPECT_TRUE(result.allFinite());
}

} // namespace
} // namespace ns3::dlearn
