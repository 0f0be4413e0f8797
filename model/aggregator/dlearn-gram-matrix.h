/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAM_MATRIX_H
#define DLEARN_GRAM_MATRIX_H

#include "dlearn-usable-rows.h"

#include "ns3/dlearn-types.h"

namespace ns3::dlearn
{

/** Inner products of the usable rows of a matrix. */
struct GramMatrix
{
    UsableRows usable;        //!< the m rows that are
    Eigen::MatrixXd products; //!< (m+1) x (m+1), for GramGeometry; empty without usable rows
};

/**
 * Inner products of rows relative to a centre close to most of them, for GramGeometry.
 *
 * One symmetric product of n^2 d multiplications, in blocks of coordinates that stay in the
 * cache; sums over blocks are in double. OpenBLAS multiplies where the build found it, else
 * Eigen; on one thread, so that results do not depend on the number of processors.
 *
 * The centre is one of the rows. The first choice is a row of median norm, which no Byzantine
 * minority can push farther out than some honest row. When the products then show that most rows
 * are much closer to each other than to it, they are computed again from the row that has the
 * smallest median distance to the others: half of all rows are that close to it, so at least one
 * honest row is. Thus an outlier at 1e30 does not reduce the accuracy of honest rows.
 *
 * Rows that are not finite affect only their own products, and are left out; rows that are very
 * long or very short are multiplied scaled by a power of two, so that products of floats do not
 * overflow. Both are detected during the computation.
 *
 * @param rows n x d
 * @param reference d numbers that take the place of the origin; nullptr for the origin
 * @return which rows are usable, as of FindUsableRows(), and their products
 */
template <typename Scalar>
GramMatrix MeasureRowProducts(RowMatrixRef<Scalar> rows, const Scalar* reference = nullptr);

} // namespace ns3::dlearn

#endif // DLEARN_GRAM_MATRIX_H
