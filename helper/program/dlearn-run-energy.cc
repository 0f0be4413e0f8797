/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-energy.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-round-phases.h"
#include "ns3/dlearn-run-warnings.h"
#include "ns3/double.h"
#include "ns3/node.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ns3::dlearn
{

namespace
{

/**
 * @param meters by learner
 * @param rows of all learners, of each in the order of its rounds; get joules
 */
void
FillRows(const std::vector<Ptr<EnergyMeter>>& meters, std::vector<ResultRow>& rows)
{
    std::vector<double> before(meters.size());
    MatchReadings(meters, rows, [&before](ResultRow& row, const EnergyMeter::Reading& reading) {
        double& spent = before[row.record.node];
        row.energy = reading.spent - spent;
        row.battery = reading.charge;
        spent = reading.spent;
    });
}

} // namespace

std::vector<DeviceProfile>
RunEnergy::MakeDevices(const RunSpec& spec, const RunLearners& learners)
{
    auto devices = learners.GetDevices();
    const size_t size = learners.GetGraph().GetSize();
    devices.resize(size);
    const bool columns = std::any_of(devices.begin(), devices.end(), [](const auto& device) {
        return device.battery || device.joulesPerOperation;
    });
    Require(!columns || spec.MeasuresEnergy(),
            "devices: columns battery and joules-per-operation need option energy");
    if (spec.battery.empty())
    {
        return devices;
    }
    Require(std::none_of(devices.begin(),
                         devices.end(),
                         [](const auto& device) { return device.battery.has_value(); }),
            "battery and a column battery of devices exclude each other");
    DeviceDistributions distributions;
    distributions.battery = spec.battery;
    const bool server = spec.kind == RunKind::FEDERATION;
    const auto drawn = DeviceProfiles::Draw(distributions,
                                            server ? size - 1 : size,
                                            RunStreams::DEVICES,
                                            GetDeviceOwners(spec.kind));
    for (LearnerId id = 0; id < size; ++id)
    {
        devices[id].battery = drawn[id].battery;
    }
    return devices;
}

RunEnergy::RunEnergy(const RunSpec& spec, const RunLearners& learners, Time begin)
{
    const auto devices = MakeDevices(spec, learners);
    if (!spec.MeasuresEnergy())
    {
        return;
    }
    std::map<uint32_t, LearnerId> nodes;
    for (const auto& learner : learners.GetApplications())
    {
        const LearnerId id = learner->GetLearnerId();
        const auto [other, isNew] = nodes.emplace(learner->GetNode()->GetId(), id);
        Require(isNew,
                "energy needs a node for each learner, as it is that of nodes; learners ",
                other->second,
                " and ",
                id,
                " share one");
        const auto meter = CreateObject<EnergyMeter>();
        learners.Configure(*meter);
        if (devices[id].joulesPerOperation)
        {
            meter->SetAttribute("JoulesPerOperation", DoubleValue(*devices[id].joulesPerOperation));
        }
        Ptr<Battery> battery;
        if (devices[id].battery)
        {
            battery = CreateObject<Battery>();
            learners.Configure(*battery);
            battery->SetAttribute("Capacity", DoubleValue(*devices[id].battery));
        }
        meter->Install(learner, battery, begin);
        m_meters.push_back(meter);
    }
    if (!spec.invocation.strict)
    {
        return; // compared with a run of which it is known
    }
    RequireKnown();
    const bool bits = !spec.txJoulesPerBit.empty() || !spec.rxJoulesPerBit.empty();
    const std::string idle = m_meters.front()->ExplainIdle("TxJoulesPerBit");
    Require(!bits || std::any_of(m_meters.begin(),
                                 m_meters.end(),
                                 [](const auto& meter) {
                                     return meter->ExplainIdle("TxJoulesPerBit").empty();
                                 }),
            "tx-joules-per-bit and rx-joules-per-bit have no effect: ",
            idle);
}

void
RunEnergy::RequireKnown() const
{
    const bool known = std::any_of(m_meters.begin(), m_meters.end(), [](const auto& meter) {
        return meter->IsKnown();
    });
    Require(known, "option energy has no effect: it needs ", m_meters.front()->GetUnknown());
}

std::vector<Ptr<const Object>>
RunEnergy::GetObjects() const
{
    std::vector<Ptr<const Object>> objects;
    for (const auto& meter : m_meters)
    {
        const auto more = meter->GetObjects();
        objects.insert(objects.end(), more.begin(), more.end());
    }
    return objects;
}

void
RunEnergy::TellMonitor(Monitor& monitor)
{
    for (const auto& meter : m_meters)
    {
        meter->SetRestartListener(
            [&monitor](Time time, LearnerId learner) { monitor.ExpectRestart(time, learner); });
    }
    if (!m_meters.empty())
    {
        monitor.SetMeter([this] { return GetSpent(); });
    }
    monitor.AddEndListener([this](bool over) {
        m_atEnd.clear();
        for (const auto& meter : m_meters)
        {
            meter->NoteEnd(over);
            if (over)
            {
                const double charge = meter->GetCharge(); // settles what was spent
                m_atEnd.push_back({0, meter->GetSpent(), charge});
            }
        }
    });
}

double
RunEnergy::GetSpent() const
{
    double total = Evaluation::NONE;
    for (const auto& meter : m_meters)
    {
        total = AddJoules(total, meter->GetSpent());
    }
    return total;
}

void
RunEnergy::Complete(RunResults& results) const
{
    std::map<std::string, std::set<LearnerId>> unknown;
    std::set<LearnerId> down;
    for (LearnerId id = 0; id < m_meters.size(); ++id)
    {
        EnergyMeter& meter = *m_meters[id];
        if (meter.IsKnown())
        {
            // Byzantine learners may go on after the end of learning: their rows count, too.
            const auto& readings = meter.GetReadings();
            const double ofRows = readings.empty() ? 0 : readings.back().spent;
            results.energy[id] =
                m_atEnd.empty() ? meter.GetSpent() : std::max(m_atEnd[id].spent, ofRows);
        }
        else
        {
            unknown[meter.GetUnknown()].insert(id);
        }
        if (meter.HasGivenUp())
        {
            down.insert(id);
        }
        // A node's own source may not have settled by then what it had given.
        const bool known = meter.HasBattery() && !m_atEnd.empty();
        const double charge = known ? m_atEnd[id].charge : meter.GetCharge();
        if (!std::isnan(charge))
        {
            results.battery[id] = charge;
        }
    }
    for (const auto& [what, learners] : unknown)
    {
        results.warnings.push_back("energy is not known of " + NameLearners(learners) +
                                   ": it needs " + what);
    }
    if (!down.empty())
    {
        results.warnings.push_back("restarts have ended of " + NameLearners(down) +
                                   ": batteries or what they harvest do not last for a round, none "
                                   "of which was closed in 100 restarts");
    }
    FillRows(m_meters, results.rows);
}

} // namespace ns3::dlearn
