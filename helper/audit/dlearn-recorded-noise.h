/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RECORDED_NOISE_H
#define DLEARN_RECORDED_NOISE_H

#include "ns3/dlearn-noise-mechanism.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One vector before and after noise was added.
 */
struct NoiseRecord
{
    uint32_t round{0};  //!< t
    ModelVector before; //!< without noise
    ModelVector after;  //!< what is released
};

/**
 * @ingroup dlearn
 * A noise mechanism that notes what it does, for an audit. In the run that is audited it adds the
 * noise of another mechanism. In a twin, the same rule on other data, it makes what the twin
 * releases equal to what the audited run released: the noise absorbs the difference of the data,
 * and how likely that is is the privacy loss.
 */
class RecordedNoise : public NoiseMechanism
{
  public:
    static TypeId GetTypeId();

    NoiseLaw GetLaw() const override;

    /** @throw std::logic_error in a twin that asks for other rounds than the audited run */
    void Perturb(uint32_t round, VectorRef vector) override;
    int64_t AssignStreams(int64_t stream) override;

    /** @param inner makes the noise, and says of which scale it is */
    void SetInner(Ptr<NoiseMechanism> inner) { m_inner = inner; }

    /** One release of the audited run, as its twin is to repeat it. */
    struct Target
    {
        NoiseRecord record; //!< of the audited run
        bool told{true};    //!< whether `after` was revealed: then the twin releases the same,
                            //!< else its own vector with the noise of the audited run
        double shift{0};    //!< added to all entries where they were not learned
    };

    /** @param targets every release that is to follow; none is left to chance */
    void Absorb(std::vector<Target> targets);

    /** @return all that was done, in order */
    const std::vector<NoiseRecord>& GetRecords() const { return m_records; }

  protected:
    void DoDispose() override;

  private:
    double DoGetScale(uint32_t round) const override;

    Ptr<NoiseMechanism> m_inner;        //!< makes the noise
    bool m_absorbs{false};              //!< whether this is a twin's
    std::vector<Target> m_targets;      //!< of a twin
    std::vector<NoiseRecord> m_records; //!< so far
};

} // namespace ns3::dlearn

#endif // DLEARN_RECORDED_NOISE_H
