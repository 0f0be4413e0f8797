/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A rule of peers that dlearn does not have: they move by the signs of their gradients, which no
 * outlier can change much. Its TypeId is all that it takes to run it over any network, with all
 * options, results files and the report:
 *
 *   dlearn-own-peer-rule --learners=10 --network=wifi-adhoc
 *   dlearn-own-peer-rule --mechanism=gaussian --noise=0.1 --step-size=0.1
 */

#include "ns3/core-module.h"
#include "ns3/dlearn-module.h"

using namespace ns3;
using namespace ns3::dlearn;

namespace mine
{

/** theta <- theta + sum over j of w_ij (theta_j - theta) - lambda_t sign(gradient). */
class SignDescent : public PeerRule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = AddParts(
            TypeId("mine::SignDescent").SetParent<PeerRule>().AddConstructor<SignDescent>(),
            {LaplaceMechanism::GetTypeId(), // noise on messages
             PrivacyLedger::GetTypeId(),    // no account, as none is known for it
             LearnerUnit::GetTypeId(),      // what an account would protect
             NoProjection::GetTypeId()},    // models may be anything
            PowerStep(0.05, 0.5));          // lambda_t = 0.05 / sqrt(t + 1)
        return tid;
    }

  protected:
    ModelVector Move(const Inbox& inbox) const override
    {
        return Mix(m_model, inbox) - GetStepSize(m_round) * m_gradient.cwiseSign();
    }
};

NS_OBJECT_ENSURE_REGISTERED(SignDescent);

} // namespace mine

int
main(int argc, char* argv[])
{
    RunSpec spec = LdpOnlinePreset("dlearn-own-peer-rule");
    spec.algorithm = "mine::SignDescent";
    spec.partition = "iid"; // learners with one class each would have nearly the same signs always
    spec.noise = 0;
    return RunProgram(spec).Main(argc, argv, __FILE__);
}
