/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-run-results.h"
#include "ns3/dlearn-run-table.h"

#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

/** @return what is printed of the energy of a run */
std::string
Print(const RunResults& results)
{
    std::ostringstream table;
    PrintEnergy(table, results);
    return table.str();
}

TEST(RunTable, EnergyIsOfAllAndOfTheServer)
{
    RunResults results;
    EXPECT_EQ(Print(results), "");
    results.roles = {"peer", "peer"};
    results.energy = {{0, 1.5}, {1, 2}};
    EXPECT_EQ(Print(results), "\n3.5 J spent by 2 learners\n");
    results.roles = {"server", "client"};
    EXPECT_EQ(Print(results), "\n3.5 J spent by 2 learners, 1.5 J of it by the server\n");
    results.battery = {{1, 8}};
    EXPECT_EQ(Print(results),
              "\n3.5 J spent by 2 learners, 1.5 J of it by the server; learner 1 has the least "
              "left, 8 J\n");
}

TEST(RunTable, ARunThatIsNotCompleteIsMarked)
{
    NamedRun whole{"plain", {}};
    NamedRun cut{"private", {}};
    std::ostringstream complete;
    PrintComparison(complete, {whole, cut});
    EXPECT_NE(complete.str().find("\n         run  time (s)"), std::string::npos) << complete.str();
    EXPECT_NE(complete.str().find("\n     private         0"), std::string::npos) << complete.str();
    cut.results.status = "interrupted";
    std::ostringstream table;
    PrintComparison(table, {whole, cut});
    EXPECT_NE(table.str().find("\n                  plain         0"), std::string::npos)
        << table.str();
    EXPECT_NE(table.str().find("\n  private (interrupted)         0"), std::string::npos)
        << table.str();
}

} // namespace
} // namespace ns3::dlearn
