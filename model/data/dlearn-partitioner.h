/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PARTITIONER_H
#define DLEARN_PARTITIONER_H

#include "dlearn-dataset.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @file
 * Partitions of samples among learners. Every partition gives each sample to exactly one learner
 * and each learner at least one sample; entry i of the result is the shard of learner i, its
 * positions in increasing order. Otherwise the functions throw std::invalid_argument.
 */

/**
 * Random shards of equal size (up to one sample), every such partition equally likely.
 *
 * @param data the samples, at least as many as learners
 */
std::vector<SampleIndices> PartitionIid(const Dataset& data, uint32_t learners, int64_t stream);

/**
 * As few classes a learner as possible. Of K classes, with m >= K learner i holds class floor(i K /
 * m) alone, and the learners of a class take its samples in turn (with m = 5 and K = 2 learners 0,
 * 1, 2 share class 0 and learners 3, 4 class 1); with m < K class c goes to learner floor(c m / K).
 *
 * @param data the samples, with classes; a class must have a sample for each of its learners
 */
std::vector<SampleIndices> PartitionByLabel(const Dataset& data, uint32_t learners);

/**
 * Sort the samples by label (equal ones keep their order) and cut them into contiguous
 * shards of equal size (up to one sample).
 *
 * @param data the samples, at least as many as learners; a regression is sorted by target
 */
std::vector<SampleIndices> PartitionSorted(const Dataset& data, uint32_t learners);

/**
 * Uneven classes: the samples of each class, in random order, are cut among the learners in
 * proportions drawn from a symmetric Dirichlet distribution, class by class (Hsu, Qi and
 * Brown, "Measuring the effects of non-identical data distribution for federated visual
 * classification", 2019). With a small alpha, few learners have most of a class; with a large one,
 * the result is close to equal shares.
 *
 * When a learner would get no sample, all proportions are drawn again, up to 100 draws in all;
 * after the last one each learner without a sample, in increasing order, gets the last sample of
 * the largest shard (the first of equal ones). So with a tiny alpha or very few samples the result
 * only approximates the distribution.
 *
 * @param data the samples, with classes, at least as many samples as learners
 * @param alpha concentration, from 1e-6 to 1e6
 */
std::vector<SampleIndices> PartitionDirichlet(const Dataset& data,
                                              uint32_t learners,
                                              double alpha,
                                              int64_t stream);

/**
 * Uneven sizes: all samples, in random order, are cut among the learners in proportions drawn from
 * a symmetric Dirichlet distribution, so that each has about the same mixture of classes (Li, Diao,
 * Chen and He, "Federated learning on non-IID data silos: an experimental study", ICDE 2022,
 * "quantity skew"). Learners without a sample get one as with PartitionDirichlet().
 *
 * @param data at least as many samples as learners
 * @param alpha concentration, from 1e-6 to 1e6
 */
std::vector<SampleIndices> PartitionQuantity(const Dataset& data,
                                             uint32_t learners,
                                             double alpha,
                                             int64_t stream);

/**
 * Samples of exactly K classes for each learner. As McMahan et al. ("Communication-efficient
 * learning of deep networks from decentralized data", 2017) deal 2 shards of one class to each of
 * 100 learners, this deals K shards of different classes to each of n learners: the classes that
 * have samples are dealt from a pack in random order, K to each learner in turn, those that it has
 * already are left to the next learner, and an empty pack is followed by another one. So of C
 * classes each has floor(n K / C) shards or one more. The samples of a class, in random order, are
 * cut into its shards, whose sizes differ by at most one.
 *
 * @param data the samples, with classes; a class must have a sample for each of its shards
 * @param classes number K of classes of a learner, with n K >= C >= K
 */
std::vector<SampleIndices> PartitionClasses(const Dataset& data,
                                            uint32_t learners,
                                            uint32_t classes,
                                            int64_t stream);

/**
 * The shards that the owners of the samples say: the owner with the smallest number is learner 0,
 * and so on.
 *
 * @param data the samples, with as many owners as learners
 */
std::vector<SampleIndices> PartitionByOwner(const Dataset& data, uint32_t learners);

/**
 * @param path file with a line for each sample, which has the number of its owner
 * @param samples number of samples
 * @return the owners
 */
std::vector<uint32_t> ReadOwners(const std::string& path, uint32_t samples);

/** @return the names of PartitionByName(), with the names of their parameters */
std::string GetPartitionNames();

/**
 * @param spec one of GetPartitionNames(), with a number in place of its capitals: "dirichlet:0.1";
 *        users and file are PartitionByOwner(); it is the reader of the data that sets the owners
 * @throw std::invalid_argument listing the names when the spec is unknown
 */
std::vector<SampleIndices> PartitionByName(const std::string& spec,
                                           const Dataset& data,
                                           uint32_t learners,
                                           int64_t stream);

/**
 * Features that differ from learner to learner: independent normal noise is added to each feature,
 * of variance sigma i / N for learner i = 1 to N (Li, Diao, Chen and He, "Federated learning on
 * non-IID data silos: an experimental study", ICDE 2022, section IV, noise-based feature
 * imbalance).
 *
 * @param data the samples, which change
 * @param shards of the N learners
 * @param sigma largest variance, at least 0
 * @param stream random stream (1 used)
 */
void AddFeatureNoise(Dataset& data,
                     const std::vector<SampleIndices>& shards,
                     double sigma,
                     int64_t stream);

/**
 * Images that are turned by another angle for each learner: those of learner i = 0 to N - 1 by
 * i times an angle to the left, about their centre. With 90 degrees there are four kinds of
 * learners, as with Ghosh, Chung, Yin and Ramchandran, "An efficient framework for clustered
 * federated learning", NeurIPS 2020, section 6 (Rotated MNIST).
 *
 * Pixels are interpolated bilinearly; what comes from outside of an image has the smallest number
 * of its channel in the data, black, also after NormalizeChannels().
 *
 * @param data the images, which change
 * @param shards of the N learners
 * @param degrees the angle
 * @throw std::invalid_argument for data that are no images, unless the angle is 0
 */
void RotateImages(Dataset& data, const std::vector<SampleIndices>& shards, double degrees);

} // namespace ns3::dlearn

#endif // DLEARN_PARTITIONER_H
