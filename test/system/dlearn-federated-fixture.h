/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_FIXTURE_H
#define DLEARN_FEDERATED_FIXTURE_H

#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{

/** A small federation: 4 clients, linear regression of 20 parameters, 12 rounds. */
inline RunSpec
SmallFederation(const std::string& network, const std::string& transport = "tcp")
{
    RunSpec options = FedAvgPreset("system-test");
    options.network = network;
    options.transport = transport;
    options.learners = 4;
    options.dimension = 20;
    options.samples = 10;
    options.rounds = 12;
    options.floatBits = 64;
    return options;
}

/** What a federation leaves behind. */
struct FederatedOutcome
{
    RunResults results;              //!< of the run
    std::vector<ModelVector> models; //!< the server's, after each round
    std::vector<double> errors;      //!< of each evaluated round
};

/** Collects the server's model at the end of each round. */
class ModelRecorder
{
  public:
    /** @param federation whose server to watch */
    explicit ModelRecorder(const Federation& federation)
        : m_server(federation.server)
    {
        m_server->TraceConnectWithoutContext("RoundEnd",
                                             MakeCallback(&ModelRecorder::Record, this));
    }

    std::vector<ModelVector> models; //!< after each round

  private:
    void Record(const RoundRecord& /* record */)
    {
        models.push_back(m_server->GetRule()->GetModel());
    }

    Ptr<FederatedServer> m_server; //!< watched
};

/**
 * Run a federation to its end. The run itself checks the conservation laws and throws when one
 * is broken.
 *
 * @param options what to run
 * @param customize called with the scenario before it runs
 * @return what is left
 */
inline FederatedOutcome
RunFederation(const RunSpec& options, const std::function<void(dlearn::Run&)>& customize = {})
{
    dlearn::Run scenario(options);
    if (customize)
    {
        customize(scenario);
    }
    ModelRecorder recorder(scenario.GetFederation());
    std::ostringstream table;
    FederatedOutcome outcome;
    outcome.results = scenario.Execute(table);
    outcome.models = recorder.models;
    for (const RoundSummary& summary : scenario.GetSummaries())
    {
        outcome.errors.push_back(summary.mean.error);
    }
    return outcome;
}

/** @return the rows of one node, in the order of its rounds */
inline std::vector<RoundRecord>
GetRows(const RunResults& results, LearnerId node)
{
    std::vector<RoundRecord> rows;
    for (const ResultRow& row : results.rows)
    {
        if (row.record.node == node)
        {
            rows.push_back(row.record);
        }
    }
    return rows;
}

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_FIXTURE_H
