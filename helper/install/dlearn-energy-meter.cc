/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-energy-meter.h"

#include "ns3/basic-energy-source-helper.h"
#include "ns3/csma-net-device.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-interface-line.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/dlearn-wifi-stalls.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/loopback-net-device.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-radio-energy-model.h"
#include "ns3/wifi-tx-current-model.h"

#include <limits>
#include <set>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnEnergyMeter");
NS_OBJECT_ENSURE_REGISTERED(EnergyMeter);

namespace
{

constexpr double ENDLESS = 1e7; //!< joules of a source for three years of 0.1 W
constexpr double LONGEST = 9e9; //!< seconds that ns-3 can count
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN(); //!< joules

/** Refuse currents at which a source would last longer than the time of ns-3. */
void
CheckCurrents(const DeviceEnergyModel& model, double voltage)
{
    const TypeId type = model.GetInstanceTypeId();
    for (size_t k = 0; k < type.GetAttributeN(); ++k)
    {
        const TypeId::AttributeInformation info = type.GetAttribute(k);
        const Ptr<AttributeValue> value = info.checker->Create();
        const auto current = dynamic_cast<const DoubleValue*>(PeekPointer(value));
        if (current != nullptr && info.accessor->Get(&model, *value))
        {
            const double least = ENDLESS / LONGEST / voltage;
            Require(current->Get() >= least,
                    "{} must be at least {} A at a supply voltage of {} V, got {}",
                    type.GetAttributeFullName(k),
                    least,
                    voltage,
                    current->Get());
        }
    }
}

/**
 * A radio on a source that is never empty. ns-3's model counts no more joules once a radio was off,
 * as that of a station is for a moment when it gives up its access point.
 */
class EndlessRadioModel : public WifiRadioEnergyModel
{
    void ChangeState(int state) override
    {
        const bool off = state == static_cast<int>(WifiPhyState::OFF);
        WifiRadioEnergyModel::ChangeState(off ? static_cast<int>(WifiPhyState::IDLE) : state);
    }
};

/** Drop the packets that wait to be sent by a device. */
void
DropWaiting(const Ptr<NetDevice>& device)
{
    const auto control = device->GetNode()->GetObject<TrafficControlLayer>();
    const auto disc = control ? control->GetRootQueueDiscOnDevice(device) : nullptr;
    while (disc && disc->Dequeue())
    {
    }
    for (const auto& queue : DescribeLink(device).queues)
    {
        DynamicCast<Queue<Packet>>(queue)->Flush();
    }
}

/** @return whether a device only passes on what other devices of its node send and receive */
bool
IsMadeOf(const NetDevice& device)
{
    const std::string type = device.GetInstanceTypeId().GetName(); // of modules that may be missing
    return type == "ns3::BridgeNetDevice" || type == "ns3::MeshPointDevice";
}

} // namespace

// Radios

RadioEnergy::RadioEnergy(Ptr<Node> node, std::function<void()> changed, double efficiency)
    : m_changed(std::move(changed))
{
    for (uint32_t k = 0; node && k < node->GetNDevices(); ++k)
    {
        if (const auto radio = DynamicCast<WifiNetDevice>(node->GetDevice(k)))
        {
            m_radios.push_back(radio);
        }
    }
    const auto sources = node ? node->GetObject<EnergySourceContainer>() : nullptr;
    m_ownSources = sources != nullptr;
    if (m_ownSources)
    {
        AddModels(*sources);
    }
    else if (!m_radios.empty())
    {
        BasicEnergySourceHelper helper;
        helper.Set("BasicEnergySourceInitialEnergyJ", DoubleValue(ENDLESS));
        // The user's values are unused: the meter asks for updates, and the source is never empty.
        helper.Set("PeriodicEnergyUpdateInterval", TimeValue(Seconds(1)));
        helper.Set("BasicEnergyLowBatteryThreshold", DoubleValue(0.1));
        const Ptr<EnergySource> source = helper.Install(node).Get(0);
        m_sources.push_back(source);
        for (const auto& radio : m_radios)
        {
            const auto model = CreateObject<EndlessRadioModel>();
            source->AppendDeviceEnergyModel(model);
            model->SetEnergySource(source);
            radio->GetPhy()->SetWifiRadioEnergyModel(model);
            radio->GetPhy()->RegisterListener(model->GetPhyListener());
            CheckCurrents(*model, source->GetSupplyVoltage());
            if (efficiency > 0)
            {
                const auto current = CreateObject<LinearWifiTxCurrentModel>();
                current->SetAttribute("Eta", DoubleValue(efficiency));
                current->SetAttribute("Voltage", DoubleValue(source->GetSupplyVoltage()));
                current->SetAttribute("IdleCurrent", DoubleValue(model->GetIdleCurrentA()));
                model->SetTxCurrentModel(current);
            }
            m_models.emplace_back(model);
            model->TraceConnectWithoutContext("TotalEnergyConsumption",
                                              MakeCallback(&RadioEnergy::HandleChange, this));
        }
    }
}

void
RadioEnergy::AddModels(const EnergySourceContainer& sources)
{
    for (auto source = sources.Begin(); source != sources.End(); ++source)
    {
        m_sources.push_back(*source);
        for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
        {
            const TypeId type = TypeId::GetRegistered(k);
            if (!type.IsChildOf(DeviceEnergyModel::GetTypeId()) ||
                type == LearnerBattery::GetTypeId()) // whose joules the learner counts
            {
                continue;
            }
            const auto models = (*source)->FindDeviceEnergyModels(type);
            m_models.insert(m_models.end(), models.Begin(), models.End());
        }
    }
}

double
RadioEnergy::AddUp() const
{
    double joules = 0;
    for (const auto& model : m_models)
    {
        joules += model->GetTotalEnergyConsumption();
    }
    return joules;
}

double
RadioEnergy::GetPower() const
{
    double power = 0;
    for (const auto& model : m_models)
    {
        power += m_off ? 0 : model->GetCurrentA() * m_sources.front()->GetSupplyVoltage();
    }
    return power;
}

double
RadioEnergy::GetCharge() const
{
    double charge = 0;
    for (const auto& source : m_sources)
    {
        charge += source->GetRemainingEnergy();
    }
    return charge;
}

void
RadioEnergy::SwitchOff()
{
    if (m_off)
    {
        return;
    }
    m_spent = GetSpent();
    m_off = true;
    for (const auto& radio : m_radios)
    {
        SwitchRadio(*radio, false);
    }
}

void
RadioEnergy::SwitchOn()
{
    if (!m_off)
    {
        return;
    }
    m_skipped = AddUp() - m_spent;
    m_off = false;
    for (const auto& radio : m_radios)
    {
        SwitchRadio(*radio, true);
    }
}

// Other devices

/**
 * The devices of a node without an energy model of ns-3: the bits that they send and receive, and
 * their switch. For point-to-point and CSMA devices it counts frames; when they are off, packets in
 * their queues are dropped, and nothing is received. For other devices, which cannot be switched
 * off, it counts the packets of IP.
 */
class EnergyMeter::OtherDevices
{
  public:
    using Listener = std::function<void(uint64_t bits)>;

    explicit OtherDevices(const Ptr<Node>& node)
    {
        for (uint32_t k = 0; node && k < node->GetNDevices(); ++k)
        {
            const auto device = node->GetDevice(k);
            if (!DynamicCast<WifiNetDevice>(device) && !DynamicCast<LoopbackNetDevice>(device) &&
                !IsMadeOf(*device))
            {
                m_devices.push_back(device);
            }
        }
    }

    /** @return the type of one of the devices; empty when there are none */
    std::string GetDeviceType() const
    {
        return m_devices.empty() ? "" : m_devices.back()->GetInstanceTypeId().GetName();
    }

    /** Begin to count bits; at most once. */
    void Watch(Listener sent, Listener received)
    {
        m_sent = std::move(sent);
        m_received = std::move(received);
        for (const auto& device : m_devices)
        {
            if (DynamicCast<PointToPointNetDevice>(device) || DynamicCast<CsmaNetDevice>(device))
            {
                const auto deaf = CreateObject<RateErrorModel>();
                deaf->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                deaf->SetRate(1);
                m_wired.push_back({device, nullptr, deaf});
                device->TraceConnectWithoutContext("PhyTxEnd",
                                                   MakeCallback(&OtherDevices::HandleTx, this));
                device->TraceConnectWithoutContext("MacRx",
                                                   MakeCallback(&OtherDevices::HandleRx, this));
                continue;
            }
            if (m_counted.empty())
            {
                WatchProtocol<Ipv4>(device->GetNode()->GetObject<Ipv4L3Protocol>());
                WatchProtocol<Ipv6>(device->GetNode()->GetObject<Ipv6L3Protocol>());
            }
            m_counted.insert(device);
        }
    }

    void SwitchOff()
    {
        for (Wired& wired : m_wired)
        {
            PointerValue errors;
            wired.device->GetAttribute("ReceiveErrorModel", errors);
            if (errors.GetObject() != wired.deaf)
            {
                wired.errors = errors.Get<ErrorModel>();
            }
            wired.deaf->Enable();
            wired.device->SetAttribute("ReceiveErrorModel", PointerValue(wired.deaf));
            DropWaiting(wired.device);
        }
    }

    void SwitchOn()
    {
        for (Wired& wired : m_wired)
        {
            wired.deaf->Disable(); // devices cannot lose their error model
            if (wired.errors)
            {
                wired.device->SetAttribute("ReceiveErrorModel", PointerValue(wired.errors));
            }
        }
    }

  private:
    /** A point-to-point or CSMA device. */
    struct Wired
    {
        Ptr<NetDevice> device;
        Ptr<ErrorModel> errors; //!< of received frames while it is on; may be null
        Ptr<ErrorModel> deaf;   //!< lets nothing pass, unless it is disabled
    };

    template <typename Ip>
    void WatchProtocol(const Ptr<Ip>& protocol)
    {
        if (protocol)
        {
            protocol->TraceConnectWithoutContext("Tx",
                                                 MakeCallback(&OtherDevices::HandleIpTx<Ip>, this));
            protocol->TraceConnectWithoutContext("Rx",
                                                 MakeCallback(&OtherDevices::HandleIpRx<Ip>, this));
        }
    }

    void HandleTx(Ptr<const Packet> packet) { m_sent(uint64_t{8} * packet->GetSize()); }

    void HandleRx(Ptr<const Packet> packet) { m_received(uint64_t{8} * packet->GetSize()); }

    template <typename Ip>
    void HandleIpTx(Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface)
    {
        if (m_counted.count(ip->GetNetDevice(interface)) > 0)
        {
            HandleTx(packet);
        }
    }

    template <typename Ip>
    void HandleIpRx(Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface)
    {
        if (m_counted.count(ip->GetNetDevice(interface)) > 0)
        {
            HandleRx(packet);
        }
    }

    std::vector<Ptr<NetDevice>> m_devices;
    std::vector<Wired> m_wired;
    std::set<Ptr<NetDevice>> m_counted; //!< whose packets of IP are counted
    Listener m_sent;
    Listener m_received;
};

// Computation

void
OperationCounter::Begin(Time time, double operations)
{
    m_busy = true;
    m_begin = Simulator::Now();
    m_time = time;
    m_operations = operations;
}

void
OperationCounter::End()
{
    m_done = GetDone();
    m_busy = false;
}

double
OperationCounter::GetDone() const
{
    const Time spent = Simulator::Now() - m_begin;
    return m_done + (!m_busy           ? 0
                     : spent >= m_time ? m_operations
                                       : m_operations * (spent.GetSeconds() / m_time.GetSeconds()));
}

double
OperationCounter::GetPower(double joules) const
{
    return m_busy && m_time.IsStrictlyPositive() ? joules * m_operations / m_time.GetSeconds() : 0;
}

// All together

TypeId
EnergyMeter::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<EnergyMeter, Object>("ns3::dlearn::EnergyMeter")
            .AddAttribute("JoulesPerOperation",
                          "Joules per floating-point operation.",
                          DoubleValue(1e-9),
                          MakeDoubleAccessor(&EnergyMeter::m_joulesPerOperation),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("TxJoulesPerBit",
                          "Joules per bit sent by a device without an energy model of ns-3; "
                          "-1 when this is not known.",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&EnergyMeter::m_txJoulesPerBit),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("RxJoulesPerBit",
                          "Joules per bit received by such a device; -1 when this is not known.",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&EnergyMeter::m_rxJoulesPerBit),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("RadioEfficiency",
                          "Radiated power of a Wi-Fi radio over what it draws more than idle while "
                          "it sends; 0: it draws TxCurrentA at any power. With uplink-power the "
                          "usual value is 0.1.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&EnergyMeter::m_radioEfficiency),
                          MakeDoubleChecker<double>(0, 1));
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
EnergyMeter::Install(Ptr<LearnerApplication> learner, Ptr<Battery> battery, Time begin)
{
    NS_LOG_FUNCTION(this << learner << battery << begin);
    Require(!learner->GetObject<EnergyMeter>(),
            "EnergyMeter: learner {} has a meter already",
            learner->GetLearnerId());
    for (const double joules : {m_txJoulesPerBit, m_rxJoulesPerBit})
    {
        Require(joules == -1 || joules >= 0,
                "joules of a bit must be at least 0, or -1 when they are not known; got ",
                joules);
    }
    m_learner = learner;
    m_battery = battery;
    Ptr<Node> node = learner->GetNode();
    for (uint32_t k = 0; node && k < node->GetNApplications(); ++k)
    {
        node = node->GetApplication(k)->GetObject<EnergyMeter>() ? nullptr : node;
    }
    m_radio = std::make_unique<RadioEnergy>(
        node,
        [this] { LookSoon(); },
        m_radioEfficiency);
    m_draw = FindLearnerBattery(*learner);
    m_others = std::make_unique<OtherDevices>(node);
    if (m_txJoulesPerBit < 0 || m_rxJoulesPerBit < 0)
    {
        m_unknown = m_others->GetDeviceType();
    }
    else
    {
        m_others->Watch([this](uint64_t bits) { CountBits(bits, m_txJoulesPerBit, m_txBits); },
                        [this](uint64_t bits) { CountBits(bits, m_rxJoulesPerBit, m_rxBits); });
    }
    if (battery)
    {
        const std::string name = "battery of learner " + std::to_string(learner->GetLearnerId());
        Require(!m_radio->HasOwnSources(),
                name,
                " has no effect: its node has its own energy source");
        Require(IsKnown(), "{} needs {}", name, GetUnknown());
        battery->Begin(begin);
    }
    if (begin > Simulator::Now())
    {
        m_look = Simulator::Schedule(begin - Simulator::Now(), &EnergyMeter::Begin, this);
    }
    else
    {
        m_begun = true;
        LookSoon();
    }
    learner->AggregateObject(this); // the meter lives as long as its traces
    learner->TraceConnectWithoutContext("Compute", MakeCallback(&EnergyMeter::HandleCompute, this));
    learner->TraceConnectWithoutContext("StateTransition",
                                        MakeCallback(&EnergyMeter::HandleState, this));
    learner->TraceConnectWithoutContext("RoundEnd",
                                        MakeCallback(&EnergyMeter::HandleRoundEnd, this));
    learner->GetExchange()->TraceConnectWithoutContext(
        "Radiation",
        MakeCallback(&EnergyMeter::HandleRadiation, this));
}

void
EnergyMeter::Begin()
{
    m_before = GetWanted();
    m_begun = true;
    LookSoon();
}

bool
EnergyMeter::CountsBits() const
{
    return m_others && !m_others->GetDeviceType().empty();
}

bool
EnergyMeter::IsKnown() const
{
    // On a node's own sources, the user chooses the models.
    return m_radio && (m_unknown.empty() || m_radio->HasOwnSources());
}

double
EnergyMeter::GetWanted() const
{
    double bits = 0;
    if (m_txJoulesPerBit >= 0 && m_rxJoulesPerBit >= 0)
    {
        bits = m_txJoulesPerBit * static_cast<double>(m_txBits) +
               m_rxJoulesPerBit * static_cast<double>(m_rxBits);
    }
    return m_radio->GetSpent() + bits + m_radiated + m_joulesPerOperation * m_operations.GetDone();
}

double
EnergyMeter::GetSpent() const
{
    return !IsKnown() ? UNKNOWN : m_begun ? GetWanted() - m_before - m_missing : 0;
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

void
EnergyMeter::CountBits(uint64_t bits, double joules, uint64_t& counter)
{
    Spend(joules * static_cast<double>(bits), [&] { counter += bits; });
}

void
EnergyMeter::HandleRadiation(double joules)
{
    Spend(joules, [&] { m_radiated += joules; });
}

void
EnergyMeter::Spend(double joules, const std::function<void()>& count)
{
    if (m_empty || (m_draw && m_draw->IsDepleted()) || (m_battery && m_battery->IsEmpty()))
    {
        return; // the device is off
    }
    Update(); // power that is harvested later cannot be spent now
    count();
    Update();
    if (m_draw)
    {
        m_draw->Draw(joules);
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
    if (m_battery && m_begun)
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
    if (m_battery && m_begun && !m_empty && !m_over)
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
        m_radio->SwitchOff();
        m_others->SwitchOff();
        m_restarts += m_learner->IsAwaitingPower() ? 1 : 0;
        const auto restart = HasGivenUp() ? std::nullopt : m_battery->FindRestart();
        if (restart)
        {
            m_look = Simulator::Schedule(*restart, &EnergyMeter::Look, this);
            if (m_listener)
            {
                m_listener(Simulator::Now() + *restart, m_learner->GetLearnerId());
            }
        }
        return;
    }
    if (m_empty)
    {
        NS_LOG_INFO("the battery of learner " << m_learner->GetLearnerId() << " is charged again");
        m_empty = false;
        m_radio->SwitchOn();
        m_others->SwitchOn();
        m_learner->RestorePower();
    }
    m_look.Cancel();
    if (const auto empty =
            m_battery->FindEmpty(m_radio->GetPower() + m_operations.GetPower(m_joulesPerOperation)))
    {
        m_look = Simulator::Schedule(*empty, &EnergyMeter::Look, this);
    }
}

} // namespace ns3::dlearn
