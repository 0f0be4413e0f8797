/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TYPES_H
#define DLEARN_TYPES_H

/**
 * @file
 * The few names that every part of dlearn shares.
 *
 * A model, a gradient, a noise draw and a message all are one flat vector of
 * doubles. The type is called ModelVector because ns3::Vector is a position.
 */

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <vector>

/**
 * @defgroup dlearn Distributed learning
 *
 * Learners that are ns-3 applications and exchange real model vectors.
 */

namespace ns3::dlearn
{

/** A model, gradient, noise draw or message: one flat vector of doubles. */
using ModelVector = Eigen::VectorXd;

/** A read-only vector argument: binds to vectors, columns and segments without a copy. */
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;

/** A vector argument that the callee writes; the caller owns its storage. */
using VectorRef = Eigen::Ref<Eigen::VectorXd>;

/** Number of a learner: 0 to n-1, the same in the graph, on the wire and in the results. */
using LearnerId = uint32_t;

/** Positions of samples in a Dataset, repetitions allowed. */
using SampleIndices = std::vector<uint32_t>;

/** More than every number: no bound, or an epsilon that nothing limits. */
constexpr double INFINITE = std::numeric_limits<double>::infinity();

} // namespace ns3::dlearn

#endif // DLEARN_TYPES_H
