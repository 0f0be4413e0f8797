/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sample-loss.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

Dataset
SampleLoss::MakeSamples(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels) const
{
    RequireSize("SampleLoss", "a sample", features.rows(), GetInputs());
    Require(features.cols() > 0, "SampleLoss: there must be at least 1 sample");
    Dataset samples;
    samples.name = "given samples";
    samples.features = features;
    samples.labels = labels;
    samples.classes = GetClasses();
    samples.Validate();
    return samples;
}

} // namespace ns3::dlearn
