/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-sampling.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <sstream>

namespace ns3::dlearn
{

namespace
{

constexpr double UNKNOWN = std::numeric_limits<double>::infinity(); //!< figure or score

std::vector<LearnerId>
ListClients(const RoundView& view)
{
    std::vector<LearnerId> clients;
    for (const auto& [id, client] : view.clients)
    {
        clients.push_back(id);
    }
    return clients;
}

} // namespace

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ClientSampling, Object);
NS_OBJECT_ENSURE_REGISTERED(CountedSampling);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(UniformSampling, CountedSampling);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(PoissonSampling, UniformSampling);
NS_OBJECT_ENSURE_REGISTERED(ScheduledSampling);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(RankedSampling, CountedSampling);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(FastestSampling, RankedSampling);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(RoundRobinSampling, RankedSampling);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LossSampling, RankedSampling);
NS_OBJECT_ENSURE_REGISTERED(BestSampling);
NS_OBJECT_ENSURE_REGISTERED(PowerOfChoiceSampling);
NS_OBJECT_ENSURE_REGISTERED(OortSampling);
NS_OBJECT_ENSURE_REGISTERED(FedCsSampling);

double
ClientView::GetFigure(const std::string& name, double unknown) const
{
    const auto figure = figures.find(name);
    return figure == figures.end() ? unknown : figure->second;
}

std::vector<LearnerId>
DrawWithoutReplacement(std::vector<LearnerId> items, size_t count, UniformRandomVariable& random)
{
    Require(count <= items.size(), "DrawWithoutReplacement: {} of {}", count, items.size());
    ShuffleFirst(items, count, random);
    items.resize(count);
    std::sort(items.begin(), items.end());
    return items;
}

std::vector<LearnerId>
DrawInProportion(std::vector<std::pair<LearnerId, double>> items,
                 size_t count,
                 UniformRandomVariable& random)
{
    Require(count <= items.size(), "DrawInProportion: {} of {}", count, items.size());
    std::vector<LearnerId> drawn;
    while (drawn.size() < count)
    {
        const double total =
            std::accumulate(items.begin(), items.end(), 0.0, [](double sum, const auto& item) {
                return sum + item.second;
            });
        double rest = random.GetValue(0, total);
        auto item = items.begin();
        while (item + 1 != items.end() && rest >= item->second)
        {
            rest -= item->second;
            ++item;
        }
        drawn.push_back(item->first);
        items.erase(item);
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

TypeId
CountedSampling::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<CountedSampling, ClientSampling>("ns3::dlearn::CountedSampling")
            .AddAttribute(
                "Fraction",
                "Share of the clients that take part in a round, greater than 0, at most 1.",
                DoubleValue(1),
                MakeFixedAccessor(MakeDoubleAccessor(&CountedSampling::m_fraction),
                                  &CountedSampling::IsSetUp),
                MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Count",
                          "Number of clients in a round; 0: by their share.",
                          UintegerValue(0),
                          MakeFixedAccessor(MakeUintegerAccessor(&CountedSampling::m_count),
                                            &CountedSampling::IsSetUp),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("OverSelection",
                          "How many times as many clients take part, in case that some are slow or "
                          "fail; a round closes with the number of updates that there would be "
                          "otherwise.",
                          DoubleValue(1),
                          MakeFixedAccessor(MakeDoubleAccessor(&CountedSampling::m_overSelection),
                                            &CountedSampling::IsSetUp),
                          MakeDoubleChecker<double>(1.0));
    return tid;
}

void
CountedSampling::Setup(const std::vector<LearnerId>& clients)
{
    Require(m_fraction > 0 && m_fraction <= 1,
            "CountedSampling: Fraction must be in (0, 1], got {}",
            m_fraction);
    Require(m_count <= clients.size(),
            "CountedSampling: Count must be at most the number of clients, {}; got {}",
            clients.size(),
            m_count);
    Count(clients.size());
    Require(
        m_overSelection == 1 || m_enough < clients.size(),
        "CountedSampling: OverSelection must be 1 where all {} clients take part in a round; got "
        "{}",
        clients.size(),
        m_overSelection);
}

void
CountedSampling::Count(size_t clients)
{
    m_clients = clients;
    const auto share = static_cast<uint32_t>(std::lround(m_fraction * clients));
    m_enough = std::min<size_t>(m_count > 0 ? m_count : std::max(share, 1U), clients);
    // The tolerance keeps 1.3 times 10 at 13 in spite of binary fractions.
    const double asked = std::ceil(m_overSelection * m_enough - 1e-9);
    m_asked = static_cast<size_t>(std::min<double>(asked, clients));
}

std::vector<LearnerId>
CountedSampling::Choose(const RoundView& view)
{
    Count(view.clients.size());
    std::vector<LearnerId> alive;
    std::vector<LearnerId> suspected;
    for (const auto& [id, client] : view.clients)
    {
        (client.suspected ? suspected : alive).push_back(id);
    }
    const size_t count = std::min(m_asked, alive.size());
    std::vector<LearnerId> chosen = Pick(view, alive, count);
    chosen.insert(chosen.end(), suspected.begin(), suspected.begin() + (m_asked - count));
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

double
CountedSampling::GetShare() const
{
    const double share = m_count > 0 ? static_cast<double>(m_count) / m_clients : m_fraction;
    return std::min(1.0, m_overSelection * share);
}

int64_t
CountedSampling::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

std::vector<LearnerId>
UniformSampling::Choose(const RoundView& view)
{
    Count(view.clients.size());
    return Pick(view, ListClients(view), m_asked);
}

std::vector<LearnerId>
UniformSampling::Pick(const RoundView& /* view */,
                      const std::vector<LearnerId>& alive,
                      size_t count)
{
    return DrawWithoutReplacement(alive, count, *m_random);
}

std::vector<LearnerId>
PoissonSampling::Choose(const RoundView& view)
{
    Count(view.clients.size());
    std::vector<LearnerId> chosen;
    const auto all = ListClients(view);
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), [this](LearnerId) {
        return m_random->GetValue() < GetShare();
    });
    return chosen;
}

size_t
PoissonSampling::CountEnough() const
{
    return HasOverSelection() ? UniformSampling::CountEnough() : m_clients;
}

TypeId
ScheduledSampling::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ScheduledSampling, ClientSampling>("ns3::dlearn::ScheduledSampling")
            .AddAttribute("Plan",
                          "Clients of each round, such as 1-3;4,5, repeated.",
                          StringValue(""),
                          MakeFixedAccessor(MakeStringAccessor(&ScheduledSampling::m_plan),
                                            &ScheduledSampling::IsSetUp),
                          MakeStringChecker());
    return tid;
}

void
ScheduledSampling::Setup(const std::vector<LearnerId>& clients)
{
    const std::set<LearnerId> known(clients.begin(), clients.end());
    m_rounds.clear();
    std::istringstream rounds(m_plan);
    for (std::string round; std::getline(rounds, round, ';');)
    {
        const auto chosen = ParseRanges(round);
        Require(chosen.has_value(),
                "sample plan: must be clients or ranges such as 1-3;4,5, got '{}' in '{}'",
                round,
                m_plan);
        std::set<LearnerId> once(chosen->begin(), chosen->end());
        Require(once.size() == chosen->size(),
                "sample plan: a round must name clients, each once; got '{}' in '{}'",
                round,
                m_plan);
        for (const LearnerId client : *chosen)
        {
            Require(known.count(client) > 0,
                    "sample plan: there is no client {}, see '{}'",
                    client,
                    m_plan);
        }
        m_rounds.emplace_back(once.begin(), once.end());
    }
    Require(!m_rounds.empty(), "sample plan: must not be empty");
}

std::vector<LearnerId>
ScheduledSampling::Choose(const RoundView& view)
{
    std::vector<LearnerId> chosen = m_rounds.at(view.round % m_rounds.size());
    chosen.erase(std::remove_if(chosen.begin(),
                                chosen.end(),
                                [&](LearnerId id) { return view.clients.count(id) == 0; }),
                 chosen.end());
    return chosen;
}

CountRange
ScheduledSampling::CountChosen() const
{
    const auto [fewest, most] =
        std::minmax_element(m_rounds.begin(), m_rounds.end(), [](const auto& a, const auto& b) {
            return a.size() < b.size();
        });
    return {fewest->size(), most->size()};
}

std::vector<LearnerId>
RankedSampling::Pick(const RoundView& view, const std::vector<LearnerId>& alive, size_t count)
{
    std::vector<std::pair<double, LearnerId>> ranked;
    for (const LearnerId id : alive)
    {
        const ClientView& client = view.clients.at(id);
        ranked.emplace_back(client.answered ? -GetScore(client) : -UNKNOWN, id);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<LearnerId> chosen;
    for (size_t k = 0; k < count; ++k)
    {
        chosen.push_back(ranked[k].second);
    }
    return chosen;
}

double
FastestSampling::GetScore(const ClientView& client) const
{
    return -client.duration.GetSeconds();
}

double
RoundRobinSampling::GetScore(const ClientView& client) const
{
    return -static_cast<double>(*client.answered);
}

double
LossSampling::GetScore(const ClientView& client) const
{
    return client.GetFigure("loss", UNKNOWN);
}

TypeId
BestSampling::GetTypeId()
{
    static TypeId tid = MakeTypeId<BestSampling, RankedSampling>("ns3::dlearn::BestSampling")
                            .AddAttribute("Figure",
                                          "Name of the figure, one of those that clients report.",
                                          StringValue(""),
                                          MakeStringAccessor(&BestSampling::m_figure),
                                          MakeStringChecker());
    return tid;
}

void
BestSampling::Setup(const std::vector<LearnerId>& clients)
{
    Require(!m_figure.empty(), "BestSampling: Figure must name a figure that clients report");
    RankedSampling::Setup(clients);
}

double
BestSampling::GetScore(const ClientView& client) const
{
    return client.GetFigure(m_figure, UNKNOWN);
}

TypeId
PowerOfChoiceSampling::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<PowerOfChoiceSampling, LossSampling>("ns3::dlearn::PowerOfChoiceSampling")
            .AddAttribute("Candidates",
                          "Number d of clients of which those with the highest loss take part, at "
                          "least as many as these; 0: twice as many.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PowerOfChoiceSampling::m_candidates),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

std::vector<LearnerId>
PowerOfChoiceSampling::Pick(const RoundView& view,
                            const std::vector<LearnerId>& alive,
                            size_t count)
{
    std::vector<std::pair<LearnerId, double>> samples;
    for (const LearnerId id : alive)
    {
        samples.emplace_back(id, view.clients.at(id).GetFigure("samples", 1));
    }
    const size_t wanted = m_candidates > 0 ? std::max<size_t>(m_candidates, count) : 2 * count;
    const auto candidates = DrawInProportion(samples, std::min(wanted, alive.size()), *m_random);
    return LossSampling::Pick(view, candidates, count);
}

TypeId
OortSampling::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<OortSampling, CountedSampling>("ns3::dlearn::OortSampling")
            .AddAttribute("Exploration",
                          "Share e of clients without an answer so far, in the first round.",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&OortSampling::m_exploration),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Decay",
                          "Factor of this share from round to round.",
                          DoubleValue(0.98),
                          MakeDoubleAccessor(&OortSampling::m_decay),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("LeastExploration",
                          "The share does not become smaller.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&OortSampling::m_least),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Penalty",
                          "Exponent alpha of the utility of slow clients; 0: time does not matter.",
                          DoubleValue(2),
                          MakeDoubleAccessor(&OortSampling::m_penalty),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

namespace
{

constexpr size_t WINDOW = 20;    //!< rounds between two decisions on Oort's percentile
constexpr double PACER_STEP = 5; //!< of it
constexpr double CUT_OFF = 0.95; //!< share of the utility of the last rank

/** @return Oort's |B| rms of a client's last answer */
double
GetStatisticalUtility(const ClientView& client)
{
    return client.GetFigure("samples", 0) * client.GetFigure("rms", 0);
}

} // namespace

double
OortSampling::FindPreferredDuration(const RoundView& view)
{
    std::vector<double> durations;
    double answers = 0;
    for (const auto& [id, client] : view.clients)
    {
        if (client.answered)
        {
            durations.push_back(client.duration.GetSeconds());
            answers += *client.answered + 1 == view.round ? GetStatisticalUtility(client) : 0;
        }
    }
    if (durations.empty())
    {
        return 0;
    }
    m_history.push_back(answers);
    const auto end = m_history.end();
    if (m_history.size() >= 2 * WINDOW && m_history.size() % WINDOW == 0 &&
        std::accumulate(end - 2 * WINDOW, end - WINDOW, 0.0) >
            std::accumulate(end - WINDOW, end, 0.0))
    {
        m_percentile = std::min(m_percentile + PACER_STEP, 100.0);
    }
    const auto rank = static_cast<size_t>(std::ceil(m_percentile / 100 * durations.size())) - 1;
    std::nth_element(durations.begin(), durations.begin() + rank, durations.end());
    return durations[rank];
}

std::vector<LearnerId>
OortSampling::Pick(const RoundView& view, const std::vector<LearnerId>& alive, size_t count)
{
    const double preferred = FindPreferredDuration(view);
    const double round = view.round + 1.0;
    std::vector<std::pair<LearnerId, double>> known;
    std::vector<LearnerId> unknown;
    std::vector<double> utilities;
    for (const LearnerId id : alive)
    {
        const ClientView& client = view.clients.at(id);
        if (!client.answered)
        {
            unknown.push_back(id);
            continue;
        }
        const double bonus = std::sqrt(0.1 * std::log(round) / (*client.answered + 1.0));
        const double duration = client.duration.GetSeconds();
        const double factor = duration > preferred ? std::pow(preferred / duration, m_penalty) : 1;
        utilities.push_back((GetStatisticalUtility(client) + bonus) * factor);
        known.emplace_back(id, utilities.back());
    }
    const double share = std::max(m_least, m_exploration * std::pow(m_decay, view.round));
    const size_t most = count - std::min<size_t>(share * count, unknown.size());
    const size_t exploited = std::min(most, known.size());
    std::vector<LearnerId> chosen;
    if (exploited > 0)
    {
        std::sort(utilities.rbegin(), utilities.rend());
        const double least = CUT_OFF * utilities[exploited - 1];
        known.erase(std::remove_if(known.begin(),
                                   known.end(),
                                   [least](const auto& item) { return item.second < least; }),
                    known.end());
        chosen = DrawInProportion(known, exploited, *m_random);
    }
    const auto explored = DrawWithoutReplacement(unknown, count - exploited, *m_random);
    chosen.insert(chosen.end(), explored.begin(), explored.end());
    return chosen;
}

TypeId
FedCsSampling::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<FedCsSampling, CountedSampling>("ns3::dlearn::FedCsSampling")
            .AddAttribute("Deadline",
                          "Estimated time within which the clients of a round have answered.",
                          TimeValue(Minutes(3)),
                          MakeTimeAccessor(&FedCsSampling::m_deadline),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

std::vector<LearnerId>
FedCsSampling::Pick(const RoundView& view, const std::vector<LearnerId>& alive, size_t count)
{
    auto candidates = DrawWithoutReplacement(alive, count, *m_random);
    std::vector<LearnerId> chosen;
    double elapsed = 0;
    while (!candidates.empty())
    {
        const auto add = [&](LearnerId id) {
            const ClientView& client = view.clients.at(id);
            const double training = client.GetFigure("seconds", 0);
            const double sending = std::max(client.duration.GetSeconds() - training, 0.0);
            return sending + std::max(training - elapsed, 0.0);
        };
        const auto next = std::min_element(candidates.begin(),
                                           candidates.end(),
                                           [&](auto a, auto b) { return add(a) < add(b); });
        const double later = elapsed + add(*next);
        if (later < m_deadline.GetSeconds() || chosen.empty())
        {
            chosen.push_back(*next);
            elapsed = later;
        }
        candidates.erase(next);
    }
    return chosen;
}

} // namespace ns3::dlearn
