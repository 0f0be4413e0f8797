/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAPH_H
#define DLEARN_GRAPH_H

#include "ns3/dlearn-types.h"

#include <Eigen/Core>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A directed weighted graph of learners.
 *
 * The weight w_ij > 0 is the one that learner i gives to what it receives from learner j:
 * messages flow j -> i. An undirected graph is one with w_ij = w_ji, made by AddEdge().
 * Neighbours are always listed in increasing order, so that sums over them have one order.
 */
class Graph
{
  public:
    /** Weights by sender, in increasing order of the sender. */
    using Row = std::map<LearnerId, double>;

    /** @param learners number of learners, at least 1 */
    explicit Graph(uint32_t learners);

    /** @return number of learners */
    uint32_t GetSize() const { return static_cast<uint32_t>(m_in.size()); }

    /**
     * Set one directed weight.
     *
     * @param receiver i, the learner that applies the weight
     * @param sender j, another learner
     * @param weight w_ij, finite and greater than 0
     */
    void SetWeight(LearnerId receiver, LearnerId sender, double weight);

    /**
     * Join two learners in both directions.
     *
     * @param a one learner
     * @param b another learner
     * @param weight w_ab = w_ba, finite and greater than 0
     */
    void AddEdge(LearnerId a, LearnerId b, double weight = 1.0);

    /**
     * @param receiver i
     * @param sender j
     * @return w_ij; 0 when i does not receive from j
     */
    double GetWeight(LearnerId receiver, LearnerId sender) const;

    /**
     * @param receiver i
     * @return the learners that i receives from, with their weights
     */
    const Row& GetInNeighbors(LearnerId receiver) const;

    /**
     * @param sender j
     * @return the learners that receive from j, with the weights they give it
     */
    const Row& GetOutNeighbors(LearnerId sender) const;

    /**
     * @param receiver i
     * @return sum_j w_ij, which LDP-OL calls |w_ii|
     */
    double GetInWeight(LearnerId receiver) const;

    /** @return each undirected pair a < b joined in at least one direction, in order */
    std::vector<std::pair<LearnerId, LearnerId>> GetPairs() const;

    /** @return whether w_ij = w_ji for all i, j */
    bool IsSymmetric() const { return m_in == m_out; }

    /** @return whether every learner reaches every other when directions are ignored */
    bool IsConnected() const;

    /** @return the learners that cannot be reached from learner 0, directions ignored */
    std::vector<LearnerId> GetUnreachable() const;

    /** @return W of LDP-OL: w_ij off the diagonal, w_ii = -sum_j w_ij */
    Eigen::MatrixXd GetCouplingMatrix() const;

    /** Optional data from a file: one entry for each learner, or empty. */
    std::vector<std::string> names;
    /** Optional positions in metres or (longitude, latitude) in degrees; or empty. */
    std::vector<std::pair<double, double>> positions;

  private:
    /**
     * @param id of a learner
     * @param what is asked of it, for the message
     * @throw std::invalid_argument when there is no such learner
     */
    void CheckLearner(LearnerId id, const char* what) const;

    std::vector<Row> m_in;  //!< by receiver
    std::vector<Row> m_out; //!< by sender
};

/**
 * @param graph where the learners are
 * @param learners some of them
 * @return them (at most ten) for a message, with names where they have some:
 *         "3 (Oslo), 7 (Rome) and 2 more"
 */
std::string ListLearners(const Graph& graph, const std::vector<LearnerId>& learners);

/**
 * @ingroup dlearn
 * The edges of at least one of two graphs. A network is built for both.
 *
 * @param first gives its names, positions, and its weights where both have an edge
 * @param second as many learners
 * @return a graph with the edges of both
 * @throw std::invalid_argument when the numbers of learners differ
 */
Graph UniteGraphs(const Graph& first, const Graph& second);

/**
 * @ingroup dlearn
 * Refuse a graph that is not connected, ignoring directions.
 *
 * @param graph the graph
 * @param what what to call it in the message
 * @throw std::invalid_argument listing the learners (at most ten) that learner 0 cannot reach
 */
void RequireConnected(const Graph& graph, const std::string& what = "Graph");

} // namespace ns3::dlearn

#endif // DLEARN_GRAPH_H
