/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DATA_POISONING_H
#define DLEARN_DATA_POISONING_H

#include "ns3/dlearn-dataset.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <cstdint>
#include <optional>

namespace ns3::dlearn
{

/** What Byzantine learners do to their samples before they train. @ingroup dlearn */
class DataPoisoning : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param data training data of all learners
     * @param shard positions of the samples of one learner
     * @return a copy of its samples, poisoned
     * @throw std::invalid_argument for a regression, and unless the data fit the attributes
     */
    Dataset Poison(const Dataset& data, const SampleIndices& shard) const;

    /**
     * @param train training data of all learners
     * @param test test data
     * @return test samples, of which a model classifies as many correctly as the poisoning wants;
     *         nothing unless overridden, and where there are none
     */
    virtual std::optional<Dataset> MakeTest(const Dataset& /* train */,
                                            const Dataset& /* test */) const
    {
        return std::nullopt;
    }

  private:
    /** Poison samples, which are classified. @param data of all learners */
    virtual void DoPoison(const Dataset& data, Dataset& samples) const = 0;
};

/** Exchanges the labels, y -> (classes - 1) - y. @ingroup dlearn */
class LabelFlipPoisoning : public DataPoisoning
{
  public:
    static TypeId GetTypeId();

  private:
    void DoPoison(const Dataset& data, Dataset& samples) const override;
};

/**
 * @ingroup dlearn
 * A backdoor: some samples get a pattern and the label Target, so that the model learns to classify
 * whatever has the pattern as Target (Gu, Dolan-Gavitt and Garg 2017, "BadNets: Identifying
 * Vulnerabilities in the Machine Learning Model Supply Chain", arXiv:1708.06733, section 4, "single
 * target attack"; of federations: Bagdasaryan et al. 2020, see ScaleBehavior).
 *
 * The pattern is a square of Size x Size pixels in the lower right corner of an image, in all
 * channels; of samples that are no images, the last Size features. They get the largest number of
 * the training data. Of n samples in the order of the shard, those k = 1, ..., n have it for which
 * floor(k Share) > floor((k - 1) Share): no random numbers.
 */
class BackdoorPoisoning : public DataPoisoning
{
  public:
    static TypeId GetTypeId();

    /** @copydoc DataPoisoning::MakeTest
     *
     * These are the test samples of other classes than Target, with the pattern and the label
     * Target: the accuracy on them is the success of the attack. */
    std::optional<Dataset> MakeTest(const Dataset& train, const Dataset& test) const override;

  private:
    void DoPoison(const Dataset& data, Dataset& samples) const override;

    /** Give one sample the pattern of this value, and the label. */
    void Mark(Dataset& samples, uint32_t sample, double value) const;

    uint32_t m_target{0}; //!< attribute Target
    double m_share{0.5};  //!< attribute Share
    uint32_t m_size{3};   //!< attribute Size
};

} // namespace ns3::dlearn

#endif // DLEARN_DATA_POISONING_H
