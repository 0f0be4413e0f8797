/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A federated method in one file, both halves: SCAFFOLD (Karimireddy et al., 2020, option II). It
 * runs over any network, with all options, results files and the report:
 *
 *   dlearn-own-method --data=generated --learners=10 --partition=label --network=wifi-infra
 */

#include "ns3/core-module.h"
#include "ns3/dlearn-module.h"

using namespace ns3;
using namespace ns3::dlearn;

namespace mine
{

/** Steps along g + c - c_i. The server's c comes behind its model, and c_i goes behind the update.
 */
class Client : public LocalSgd
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("mine::Client").SetParent<LocalSgd>().AddConstructor<Client>();
        return tid;
    }

    MessageFormat GetFormat(ModelChannel /* channel */) const override
    {
        return {2 * m_task->GetDimension(), {}};
    }

  protected:
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) override
    {
        const ModelVector& c = m_received.values;
        m_own = m_own.size() > 0 ? m_own : ModelVector(ModelVector::Zero(c.size()));
        m_direction = c - m_own;
        const ModelVector model = LocalSgd::Train(start, samples);
        const double moved = CountSteps() * GetOptimizer().GetSchedule().Get(m_round);
        m_attached.values = m_own - c + (start - model) / moved;
        return model;
    }

    void DoEndRound(bool left) override { m_own = left ? m_attached.values : m_own; }

  private:
    ModelVector m_own; //!< c_i
};

/** Averages the updates as FedAvg, and the newest c_i of all clients. */
class Server : public FedAvgServer
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("mine::Server").SetParent<FedAvgServer>().AddConstructor<Server>();
        return tid;
    }

    MessageFormat GetFormat(ModelChannel /* channel */) const override
    {
        return {2 * static_cast<uint32_t>(m_model.size()), {}};
    }

    Outbox GetModels(const std::vector<LearnerId>& clients) const override
    {
        ModelVector both = ModelVector::Zero(2 * m_model.size());
        both.head(m_model.size()) = m_model;
        for (const auto& [client, control] : m_controls)
        {
            both.tail(m_model.size()) += control / m_context.samples.size();
        }
        return {{ModelChannel::MODEL, clients, both}};
    }

  protected:
    ModelVector Move(const std::vector<ClientUpdate>& updates) override
    {
        for (const ClientUpdate& update : updates)
        {
            m_controls[update.client] = update.values.tail(m_model.size());
        }
        return FedAvgServer::Move(updates);
    }

  private:
    std::map<LearnerId, ModelVector> m_controls; //!< c_i, 0 before the first
};

NS_OBJECT_ENSURE_REGISTERED(Client);
NS_OBJECT_ENSURE_REGISTERED(Server);

} // namespace mine

int
main(int argc, char* argv[])
{
    RunSpec spec = FedAvgPreset("dlearn-own-method");
    spec.clientRule = "mine::Client";
    spec.serverRule = "mine::Server";
    return RunProgram(spec).Main(argc, argv, __FILE__);
}
