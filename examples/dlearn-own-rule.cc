/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A server's rule that dlearn does not have: the mean of the clients' updates, each cut to a
 * largest norm. Its TypeId is all that it takes to run it over any network, with all options,
 * results files and the report:
 *
 *   dlearn-own-rule --data=generated --learners=10 --network=wifi-infra
 *   dlearn-own-rule --data=generated --server-rule=mine::CutMean,Limit=0.5
 */

#include "ns3/core-module.h"
#include "ns3/dlearn-module.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::dlearn;

namespace mine
{

/** w <- w + mean over i of u_i min(1, Limit / ||u_i||). */
class CutMean : public ServerRule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("mine::CutMean")
                                .SetParent<ServerRule>()
                                .AddConstructor<CutMean>()
                                .AddAttribute("Limit",
                                              "Largest norm of an update that counts in full.",
                                              DoubleValue(1),
                                              MakeDoubleAccessor(&CutMean::m_limit),
                                              MakeDoubleChecker<double>(1e-9));
        return tid;
    }

    double GetFlops(size_t updates) const override { return 4.0 * updates * GetModel().size(); }

  protected:
    void CheckAttributes() const override {}

    ModelVector Move(const std::vector<ClientUpdate>& updates) override
    {
        ModelVector sum = ModelVector::Zero(GetModel().size());
        for (const ClientUpdate& update : updates)
        {
            sum += update.values * std::min(1.0, m_limit / update.values.norm());
        }
        return GetModel() + sum / updates.size();
    }

  private:
    double m_limit{1}; //!< attribute Limit
};

NS_OBJECT_ENSURE_REGISTERED(CutMean);

} // namespace mine

int
main(int argc, char* argv[])
{
    RunSpec spec = FedAvgPreset("dlearn-own-rule");
    spec.serverRule = "mine::CutMean";
    return RunProgram(spec).Main(argc, argv, __FILE__);
}
