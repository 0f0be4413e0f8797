/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TEST_GRAPHS_H
#define DLEARN_TEST_GRAPHS_H

#include "ns3/dlearn-graph.h"

namespace ns3::dlearn
{

/**
 * @param learners number of learners
 * @return the graph in which all learners exchange messages with all others
 */
inline Graph
Complete(uint32_t learners)
{
    Graph graph(learners);
    for (LearnerId a = 0; a < learners; ++a)
    {
        for (LearnerId b = a + 1; b < learners; ++b)
        {
            graph.AddEdge(a, b);
        }
    }
    return graph;
}

/**
 * @param learners number of learners
 * @param center one of them
 * @return the graph in which all others exchange messages with this one only
 */
inline Graph
Star(uint32_t learners, LearnerId center = 0)
{
    Graph graph(learners);
    for (LearnerId other = 0; other < learners; ++other)
    {
        if (other != center)
        {
            graph.AddEdge(center, other);
        }
    }
    return graph;
}

} // namespace ns3::dlearn

#endif // DLEARN_TEST_GRAPHS_H
