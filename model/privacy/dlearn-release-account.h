/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RELEASE_ACCOUNT_H
#define DLEARN_RELEASE_ACCOUNT_H

#include "dlearn-privacy-account.h"
#include "dlearn-privacy-losses.h"

#include <optional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * An account of peers that adds up the PrivacyLosses of successive releases. The derived account
 * determines the cost of a release, by following how far apart two runs on neighbouring data can
 * be. This class keeps the two sums and the release that is under way.
 *
 * A release goes through two steps: the derived account calls Announce() when it is handed to the
 * network, and RecordRelease() when it is known whether it left the node.
 */
class ReleaseAccount : public PrivacyAccount
{
  public:
    static TypeId GetTypeId();
    ReleaseAccount();
    ~ReleaseAccount() override;

    double GetEpsilon() const override;
    double GetNominalEpsilon() const override;

    /** @return realised delta of releases by ternary rounding so far, at most 1; see PrivacyLosses
     */
    double GetTernaryDelta() const;

  protected:
    bool HasBegun() const override { return m_underWay || !m_nominal.IsZero(); }

    /** @param units of protection that the account follows; before the first release */
    void SetUnits(uint32_t units);

    /** @return units of protection */
    uint32_t GetUnits() const { return m_realised.GetUnits(); }

    /**
     * @param losses realised losses of a release
     * @return whether the budget allows it
     */
    bool IsAffordable(const PrivacyLosses& losses) const;

    /** @param losses realised losses of a release that may be leaving the node from now on */
    void Announce(const PrivacyLosses& losses) { m_underWay = losses; }

    /**
     * Record the release that was announced, or one that was not announced.
     *
     * @param nominal its losses as planned
     * @param realised its losses as it happened
     * @param transmitted whether any of it left the node; if not, it costs nothing
     */
    void RecordRelease(const PrivacyLosses& nominal,
                       const PrivacyLosses& realised,
                       bool transmitted);

  private:
    PrivacyLosses m_nominal;                 //!< of all releases, as planned
    PrivacyLosses m_realised;                //!< of those that left
    std::optional<PrivacyLosses> m_underWay; //!< of the one that may be leaving
};

} // namespace ns3::dlearn

#endif // DLEARN_RELEASE_ACCOUNT_H
