/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAPH_H
#define DLEARN_GRAPH_H

#include "ns3/dlearn-types.h"

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <optional>
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

    /** GetInNeighbors() or GetOutNeighbors(). */
    using NeighborsOf = const Row& (Graph::*)(LearnerId) const;

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
    bool IsConnected() const { return GetUnreachable().empty(); }

    /** @return the learners that cannot be reached from learner 0, directions ignored */
    std::vector<LearnerId> GetUnreachable() const;

    /** @return W of LDP-OL: w_ij off the diagonal, w_ii = -sum_j w_ij */
    Eigen::MatrixXd GetCouplingMatrix() const;

    /** Optional data from a file: one entry for each learner, or empty. */
    std::vector<std::string> names;
    /** Optional positions in metres or (longitude, latitude) in degrees; or empty. */
    std::vector<std::pair<double, double>> positions;

  private:
    void CheckLearner(LearnerId id, const char* what) const;

    std::vector<Row> m_in;  //!< by receiver
    std::vector<Row> m_out; //!< by sender
};

/**
 * @param graph has the names of the learners, if any
 * @param learners some learners
 * @return these (at most ten) for a message: "3 (Oslo), 7 (Rome) and 2 more"
 */
std::string ListLearners(const Graph& graph, const std::vector<LearnerId>& learners);

/**
 * The edges of at least one of two graphs. A network is built for both.
 *
 * @param first gives its names, positions, and its weights where both have an edge
 * @param second as many learners
 * @return a graph with the edges of both
 * @throw std::invalid_argument when the numbers of learners differ
 */
Graph UniteGraphs(const Graph& first, const Graph& second);

/**
 * Refuse a graph that is not connected, ignoring directions.
 *
 * @param graph the graph
 * @param what its name in the message
 * @throw std::invalid_argument listing the learners (at most ten) that learner 0 cannot reach
 */
void RequireConnected(const Graph& graph, const std::string& what = "Graph");

/**
 * Find the groups of learners that nothing from outside reaches along the flow of messages, j -> i
 * when w_ij > 0: the sources of the graph of strongly connected components.
 *
 * @param graph a directed graph
 * @param backwards whether every message goes the other way, so with the transposed weights
 * @return at least one group, in increasing order of their first learners; within a group, all
 *         reach each other and stand in increasing order. A single group reaches all others: its
 *         learners are the roots of the spanning trees
 */
std::vector<std::vector<LearnerId>> FindSourceGroups(const Graph& graph, bool backwards = false);

/**
 * Refuse a pair of directed graphs over which gradient tracking cannot agree.
 *
 * Assumption 1 of Chen, Wang and Zhang, "Differentially private gradient-tracking-based distributed
 * stochastic optimization over directed graphs", asks that the graph of R (states) and the graph of
 * C^T (trackers) each contain a spanning tree, and that some learner is a root of spanning trees in
 * both. In the graph of R an edge is a message: a root is a learner whose state reaches all others.
 * In the graph of C^T an edge is a message taken backwards: a root is a learner that the trackers
 * of all others flow to. The paper notes, after the assumption, that it is necessary for consensus
 * of states and trackers. Strong connectivity of both graphs is sufficient.
 *
 * @param states graph of R: learner i receives the state of j when R_ij > 0
 * @param trackers graph of C, not of its transpose: learner i receives the tracker of j when
 *        C_ij > 0; of as many learners
 * @return the learners that are roots in both graphs, at least one, in increasing order
 * @throw std::invalid_argument naming every part that fails and, with names where they have some,
 *        the learners that show it: the groups that nothing from outside reaches (R), the groups
 *        whose trackers reach no learner outside (C^T), or the roots of each graph; also for graphs
 *        of different sizes
 */
std::vector<LearnerId> RequireTrackingAssumption(const Graph& states, const Graph& trackers);

/** A node of a network that is not a learner: a router in a town. */
struct Site
{
    std::string name; //!< for people: "Denver"
    uint32_t node{0}; //!< number of the node in ns-3
    /** (Longitude, latitude) in degrees; empty where it is not known. */
    std::optional<std::pair<double, double>> place;
};

/** The geography of a network: its sites, the links that join them, and the learners at each. */
struct SiteMap
{
    std::vector<Site> sites;                           //!< empty: the network has none
    std::vector<std::pair<uint32_t, uint32_t>> trunks; //!< links between sites
    std::vector<uint32_t> siteOf;                      //!< the site of each learner
};

} // namespace ns3::dlearn

#endif // DLEARN_GRAPH_H
