/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-groups.h"

#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-partitioner.h"

namespace ns3::dlearn
{

using namespace run_kinds;
using namespace run_needs;

namespace
{

void
AddSourceOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const bool linear = federation && s.IsLinearGaussian();
    table.Add("data", P | D | F, &s.data, (federation ? "linear-gaussian, " : "") + GetDataNames())
        .Theory(TheoryEffect::NONE);
    table
        .Add("data-dir",
             P | D | F,
             &s.dataDir,
             "where data sets are; default DLEARN_DATA, then ../shared/data")
        .Needs(IsInDataDirectory(s.data), "a data set that is there, such as mushrooms or mnist");
    table
        .Add("task",
             P | D | F,
             &s.task,
             "auto, logistic, softmax, least-squares, sine (not convex, with a known minimum), cnn "
             "(a convolutional network for images, 28 x 28 for instance), net:LAYERS, layers of "
             "convFxS (F filters of S x S), poolS, relu, sigmoid, flatten, fcN with commas between "
             "them, such as net:fc100,relu,fc10, or torch:FILE, a network in a TorchScript file "
             "(needs LibTorch)")
        .Governs({"NeuralNetworkTask::Layers", "TorchTask::File"})
        .Needs(!linear, DATA_SET);
    table.Add("partition", P | D | F, &s.partition, GetPartitionNames()).Needs(!linear, DATA_SET);
    table
        .Add("samples",
             D | F,
             &s.samples,
             federation ? "samples of a client in a round; 0: its whole share; auto: 50 of "
                          "linear-gaussian, of data sets the whole share"
                        : "samples of a round's gradient, at most all of the learner; auto or 0: "
                          "the scheme's")
        .Alias(federation ? OptionTable::Names{} : OptionTable::Names{"batch-size", "batch"})
        .Governs({"GradientTracking::Samples"})
        .Needs(!federation || !s.IsCafCor(), "algorithm fedavg; of cafcor see batch-size")
        .Theory(TheoryEffect::NONE);
}

void
AddPreparationOptions(RunSpec& s, OptionTable& table)
{
    table.Add("data-samples",
              P | D | F,
              &s.dataSamples,
              "of generated and glyphs: samples; 0: 8000 and 12500");
    table
        .Add("features",
             P | D | F,
             &s.features,
             "of a LIBSVM file: features of a sample, of which the last ones may be 0 in the whole "
             "file; 0: the largest index in it")
        .Needs(s.data == "mushrooms" ||
                   !(IsInDataDirectory(s.data) || s.data == "generated" || s.data == "glyphs"),
               "a LIBSVM file");
    table
        .Add("test-fraction",
             P | D | F,
             &s.testFraction,
             "share of the samples kept back for scoring, where there is no test set")
        .Needs(!HasTestSet(s.data), "data without a test set of its own");
    table
        .Add("unit-norm",
             P | D | F,
             &s.unitNorm,
             "divide the features by the largest norm of a sample; not with normalize or task sine")
        .Needs(!s.normalize && s.task != "sine", "normalize false and another task than sine");
    table.Add("normalize",
              P | D | F,
              &s.normalize,
              "images: mean 0 and variance 1 in each channel of the training data");
    table.Add("mirror", P | D | F, &s.mirror, "images: learn from the mirror images, too");
    table
        .Add("regularization",
             P | D | F,
             &s.regularization,
             "data sets: strength of the l2 regularization")
        .Governs({"Task::Regularization"});
    const bool linear = s.kind == RunKind::FEDERATION && s.IsLinearGaussian();
    table.AllNeed("data-samples", !linear, DATA_SET);
}

void
AddProblemOptions(RunSpec& s, OptionTable& table)
{
    table.Add("dimension", F, &s.dimension, "linear-gaussian: entries of the model")
        .Theory(TheoryEffect::NONE);
    table
        .Add("noise-std",
             F,
             &s.noiseStd,
             "linear-gaussian: noise on the targets; or a list, one a client")
        .Theory(TheoryEffect::NONE);
    table
        .Add("heterogeneity",
             F,
             &s.heterogeneity,
             "linear-gaussian: distance of each client's truth from the common one")
        .Theory(TheoryEffect::NONE);
    table.Add("initial-error", F, &s.initialError, "linear-gaussian: ||w* - w_0||^2")
        .Theory(TheoryEffect::NONE);
    table.Add("sparsity", F, &s.sparsity, "linear-gaussian: non-zero entries of w*; 0 for all")
        .Theory(TheoryEffect::NONE);
    table
        .Add("drift",
             F,
             &s.drift,
             "linear-gaussian: root mean squared step of w* from round to round")
        .Theory(TheoryEffect::NONE);
    table.AllNeed("dimension", s.IsLinearGaussian(), "data linear-gaussian");
}

} // namespace

void
AddDataOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Data", TheoryEffect::VOIDS);
    AddSourceOptions(s, table);
    AddPreparationOptions(s, table);
    AddProblemOptions(s, table);
}

} // namespace ns3::dlearn
