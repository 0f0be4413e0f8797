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
 * Learner i gives the weight w_ij > 0 to vectors of learner j: messages flow j -> i. An undirected
 * graph has w_ij = w_ji (AddEdge()). Neighbours are in increasing order, so that sums over them
 * have one order.
 */
class Graph
{
  public:
    /** Weights by sender, in increasing order of the sender. */
    using Row = std::map<LearnerId, double>;

    /** @param learners number of learners, at least 1 */
    explicit Graph(uint32_t learners);

    uint32_t GetSize() const { return static_cast<uint32_t>(m_in.size()); }

    /** Set w_ij, finite and greater than 0, of receiver i and sender j, which must differ. */
    void SetWeight(LearnerId receiver, LearnerId sender, double weight);

    /** Set w_ab = w_ba, finite and greater than 0. */
    void AddEdge(LearnerId a, LearnerId b, double weight = 1.0);

    /** @return w_ij; 0 when receiver i does not receive from sender j */
    double GetWeight(LearnerId receiver, LearnerId sender) const;

    /** @return the learners from which i receives, with their weights */
    const Row& GetInNeighbors(LearnerId receiver) const;

    /** @return the learners that receive from j, with the weights that they give to j */
    const Row& GetOutNeighbors(LearnerId sender) const;

    /** @return sum_j w_ij, which LDP-OL calls |w_ii| */
    double GetInWeight(LearnerId receiver) const;

    /** @return each pair a < b with an edge in at least one direction, in order */
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

/** @return learners (at most ten), with names if the graph has any: "3 (Oslo), 7 (Rome)" */
std::string ListLearners(const Graph& graph, const std::vector<LearnerId>& learners);

/**
 * @param first gives names, positions, and the weights of edges that both have
 * @param second another graph with as many learners
 * @return a graph with the edges of both
 * @throw std::invalid_argument when the numbers of learners differ
 */
Graph UniteGraphs(const Graph& first, const Graph& second);

/**
 * Refuse a graph that is not connected, ignoring directions; @p what names it in the message.
 *
 * @throw std::invalid_argument listing learners that learner 0 cannot reach
 */
void RequireConnected(const Graph& graph, const std::string& what = "Graph");

/**
 * Find the groups of learners that no message from outside reaches, the sources of the graph of
 * strongly connected components.
 *
 * @param graph a directed graph
 * @param backwards whether to transpose the weights
 * @return at least one group, in increasing order of their first learners, each in increasing
 * order. A single group reaches all others: its learners are the roots of the spanning trees
 */
std::vector<std::vector<LearnerId>> FindSourceGroups(const Graph& graph, bool backwards = false);

/**
 * Refuse a pair of directed graphs over which gradient tracking cannot reach consensus.
 *
 * Assumption 1 of Chen, Wang and Zhang, "Differentially private gradient-tracking-based distributed
 * stochastic optimization over directed graphs": the graph of R (states) and the graph of C^T
 * (trackers) each contain a spanning tree, and some learner is a root of spanning trees in both. In
 * the graph of R an edge is a message: the state of a root reaches all others. In the graph of C^T
 * an edge is a message taken backwards: the trackers of all others flow to a root. The paper notes
 * that the assumption is necessary for consensus. Strong connectivity of both graphs is sufficient.
 *
 * @param states graph of R: learner i receives the state of j when R_ij > 0
 * @param trackers graph of C, not of its transpose: learner i receives the tracker of j when
 *        C_ij > 0; of as many learners
 * @return the learners that are roots in both graphs, at least one, in increasing order
 * @throw std::invalid_argument naming every condition that fails and the learners: the groups that
 * no message from outside reaches (R), the groups whose trackers reach no learner outside (C^T), or
 * the roots of each graph; also for graphs of different sizes
 */
std::vector<LearnerId> RequireTrackingAssumption(const Graph& states, const Graph& trackers);

/** A node of a network that is not a learner: a router in a town. */
struct Site
{
    std::string name; //!< such as "Denver"
    uint32_t node{0}; //!< number of the node in ns-3
    /** (Longitude, latitude) in degrees, if known. */
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
