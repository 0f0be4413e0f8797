/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_DATA_H
#define DLEARN_FEDERATED_DATA_H

#include "dlearn-run-spec.h"

#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-local-data.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the clients of a run learn from.
 */
struct FederatedData
{
    std::vector<Ptr<LocalData>> clients; //!< one a client
    std::vector<size_t> shards;          //!< samples that each client has; empty for fresh ones
    std::map<LearnerId, SampleIndices> origins; //!< see RunLearners::GetOrigins()
    std::vector<std::vector<uint64_t>> labels;  //!< of these by label, see CountLabels()
    Ptr<LinearGaussianProblem> problem;         //!< null for data sets
    Ptr<Task> task;                             //!< of all honest data; null for a problem
    ModelVector initialModel;                   //!< w_0
    std::string title;                          //!< says what it is
};

/**
 * @ingroup dlearn
 * @param spec a federation on linear-gaussian data
 * @return fresh samples in each round
 */
FederatedData DrawLinearGaussian(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec a federation on a data set
 * @param loaded the data set
 * @param flipLabels whether the Byzantine clients' labels are flipped
 * @return a shard for each client
 */
FederatedData ShareData(const RunSpec& spec, const LoadedData& loaded, bool flipLabels);

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_DATA_H
