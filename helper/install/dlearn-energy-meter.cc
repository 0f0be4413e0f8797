/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-energy-meter.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <limits>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnEnergyMeter");
NS_OBJECT_ENSURE_REGISTERED(EnergyMeter);

namespace
{

constexpr uint32_t MOST_RESTARTS = 100; //!< of a learner that closes no round
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN(); //!< joules

} // namespace

TypeId
EnergyMeter::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::EnergyMeter")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
            .AddConstructor<EnergyMeter>()
            .AddAttribute("JoulesPerOperation",
                          "Joules of a floating-point operation.",
                          DoubleValue(1e-9),
                          MakeDoubleAccessor(&EnergyMeter::m_joulesPerOperation),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("TxJoulesPerBit",
                          "Joules of a bit that a device sends for which ns-3 has no energy model; "
                          "-1 when this is not known.",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&EnergyMeter::m_txJoulesPerBit),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("RxJoulesPerBit",
                          "Joules of a bit that such a device receives; -1 when this is not known.",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&EnergyMeter::m_rxJoulesPerBit),
                          MakeDoubleChecker<double>(-1, 1));
    return tid;
}

EnergyMeter::EnergyMeter() = default;

EnergyMeter::~EnergyMeter() = default;

void
EnergyMeter::DoDispose()
{
    m_look.Cancel();
    m_learner = nullptr;
    m_battery = nullptr;
    m_draw = nullptr;
    m_radio.reset();
    Object::DoDispose();
}

void
EnergyMeter::Install(Ptr<LearnerApplication> learner, Ptr<Battery> battery)
{
    NS_LOG_FUNCTION(this << learner << battery);
    Require(!learner->GetObject<EnergyMeter>(),
            "EnergyMeter: learner ",
            learner->GetLearnerId(),
            " has a meter already");
    for (const double joules : {m_txJoulesPerBit, m_rxJoulesPerBit})
    {
        Require(joules == -1 || joules >= 0,
                "joules of a bit must be at least 0, or -1 when they are not known; got ",
                joules);
    }
    m_learner = learner;
    m_battery = battery;
    m_radio = std::make_unique<RadioEnergy>(learner->GetNode(), [this] { LookSoon(); });
    m_draw = FindLearnerBattery(*learner);
    m_bits = std::make_unique<DeviceBits>(learner->GetNode(), *m_radio);
    if (m_txJoulesPerBit < 0 || m_rxJoulesPerBit < 0)
    {
        m_unknown = m_bits->GetDeviceType();
    }
    else
    {
        m_bits->Watch([this](uint64_t bits) { CountBits(bits, m_txJoulesPerBit, m_txBits); },
                      [this](uint64_t bits) { CountBits(bits, m_rxJoulesPerBit, m_rxBits); });
    }
    if (battery)
    {
        const std::string name = "battery of learner " + std::to_string(learner->GetLearnerId());
        Require(!m_radio->HasOwnSources(),
                name,
                " has no effect: its node has an energy source of its own");
        Require(IsKnown(), name, " needs ", GetUnknown());
        battery->Begin();
        LookSoon();
    }
    learner->AggregateObject(this); // which lives as long as what calls it
    learner->TraceConnectWithoutContext("Compute", MakeCallback(&EnergyMeter::HandleCompute, this));
    learner->TraceConnectWithoutContext("StateTransition",
                                        MakeCallback(&EnergyMeter::HandleState, this));
    learner->TraceConnectWithoutContext("RoundEnd",
                                        MakeCallback(&EnergyMeter::HandleRoundEnd, this));
}

bool
EnergyMeter::CountsBits() const
{
    return m_bits && !m_bits->GetDeviceType().empty();
}

bool
EnergyMeter::IsKnown() const
{
    // The models on a node's own sources say all that the user wants to count.
    return m_radio && (m_unknown.empty() || m_radio->HasOwnSources());
}

double
EnergyMeter::GetSpent() const
{
    if (!IsKnown())
    {
        return UNKNOWN;
    }
    double bits = 0;
    if (m_txJoulesPerBit >= 0 && m_rxJoulesPerBit >= 0)
    {
        bits = m_txJoulesPerBit * static_cast<double>(m_txBits) +
               m_rxJoulesPerBit * static_cast<double>(m_rxBits);
    }
    return m_radioBefore + m_radio->GetSpent() + bits +
           m_joulesPerOperation * m_operations.GetDone() - m_missing;
}

double
EnergyMeter::GetCharge()
{
    if (!m_radio) // disposed with its learner
    {
        return UNKNOWN;
    }
    Update();
    return m_battery                  ? m_battery->GetCharge()
           : m_radio->HasOwnSources() ? m_radio->GetCharge()
                                      : UNKNOWN;
}

bool
EnergyMeter::HasGivenUp() const
{
    return m_restarts > MOST_RESTARTS;
}

void
EnergyMeter::CountBits(uint64_t bits, double joules, uint64_t& counter)
{
    if (m_empty || (m_draw && m_draw->IsDepleted()) || (m_battery && m_battery->IsEmpty()))
    {
        return; // the device is off
    }
    Update(); // what was harvested until now cannot be spent before it came
    counter += bits;
    Update();
    if (m_draw)
    {
        m_draw->Draw(joules * static_cast<double>(bits));
    }
    LookSoon();
}

void
EnergyMeter::HandleCompute(Time time, double operations)
{
    EndComputation();
    Update();
    m_operations.Begin(time, operations);
    if (m_draw)
    {
        m_draw->BeginDraw(m_joulesPerOperation * operations, time);
    }
    LookSoon();
}

void
EnergyMeter::HandleState(LearnerApplication::State left, LearnerApplication::State entered)
{
    using State = LearnerApplication::State;
    if (left == State::TRAINING && entered != State::TRAINING)
    {
        EndComputation();
    }
}

void
EnergyMeter::EndComputation()
{
    if (m_operations.IsBusy())
    {
        Update();
        m_operations.End();
        if (m_draw)
        {
            m_draw->EndDraw();
        }
        LookSoon();
    }
}

void
EnergyMeter::HandleRoundEnd(const RoundRecord& record)
{
    m_restarts = 0;
    m_readings.push_back({record.round, GetSpent(), GetCharge()});
}

void
EnergyMeter::Update()
{
    if (m_battery)
    {
        const double wanted = GetSpent() - m_used;
        const double given = m_battery->Use(wanted);
        m_missing += wanted - given;
        m_used += given;
    }
}

void
EnergyMeter::NoteEnd(bool over)
{
    if (m_empty)
    {
        return;
    }
    m_over = over;
    if (over)
    {
        m_look.Cancel();
    }
    else
    {
        LookSoon();
    }
}

void
EnergyMeter::LookSoon()
{
    if (m_battery && !m_empty && !m_over)
    {
        m_look.Cancel();
        m_look = Simulator::ScheduleNow(&EnergyMeter::Look, this);
    }
}

void
EnergyMeter::Look()
{
    Update();
    if (!m_empty && m_battery->IsEmpty())
    {
        NS_LOG_INFO("learner " << m_learner->GetLearnerId() << " has spent its battery");
        m_empty = true;
        m_learner->LosePower();
        EndComputation(); // of one that has finished, too
        SwitchOff();
        m_restarts += m_learner->IsAwaitingPower() ? 1 : 0;
        const auto restart = HasGivenUp() ? std::nullopt : m_battery->FindRestart();
        m_restart = restart ? Simulator::Now() + *restart : Time(0);
        if (restart)
        {
            m_look = Simulator::Schedule(*restart, &EnergyMeter::Look, this);
            TellRestart();
        }
        return;
    }
    if (m_empty)
    {
        NS_LOG_INFO("the battery of learner " << m_learner->GetLearnerId() << " is charged again");
        m_empty = false;
        SwitchOn();
        m_learner->RestorePower();
    }
    m_look.Cancel();
    if (const auto empty =
            m_battery->FindEmpty(m_radio->GetPower() + m_operations.GetPower(m_joulesPerOperation)))
    {
        m_look = Simulator::Schedule(*empty, &EnergyMeter::Look, this);
    }
}

void
EnergyMeter::SwitchOff()
{
    m_radio->SwitchOff();
    m_bits->SwitchOff();
}

void
EnergyMeter::SwitchOn()
{
    m_radio->SwitchOn();
    m_bits->SwitchOn();
}

void
EnergyMeter::TellRestart() const
{
    if (m_listener)
    {
        m_listener(m_restart, m_learner->GetLearnerId());
    }
}

} // namespace ns3::dlearn
