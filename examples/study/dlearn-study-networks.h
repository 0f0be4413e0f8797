/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_NETWORKS_H
#define DLEARN_STUDY_NETWORKS_H

#include "dlearn-study-curve.h"
#include "dlearn-study-parameters.h"

#include <functional>
#include <memory>
#include <string>

/**
 * @file
 * Ours, not the papers': an experiment again over other networks, against simulated time and
 * against bytes.
 */

namespace ns3::dlearn
{

/** Builds the experiment over the network of the parameters that it is given. */
using NetworkExperiment = std::function<std::unique_ptr<Run>(const StudyParameters&)>;

/**
 * Run an experiment over an ideal network, wired ones and Wi-Fi, print a table and write
 * networks.csv, and the figures networks-time, networks-bytes and, where the task has an error of
 * its own, networks-error.
 *
 * Where TCP carries everything and no client is given up, the models have to be those of the ideal
 * network to the last bit, as a network can only be late then; this is checked.
 *
 * @param p of the study; network, transport and deadline are replaced
 * @param title of table and figures
 * @param deadline of a round over Wi-Fi where only the radio repeats what was lost (UDP), or
 * nothing does (broadcast); empty leaves these out
 * @param make the experiment
 * @return whether TCP changes nothing but times and bytes
 */
bool CompareNetworks(StudyParameters p,
                     const std::string& title,
                     const std::string& deadline,
                     const NetworkExperiment& make);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_NETWORKS_H
