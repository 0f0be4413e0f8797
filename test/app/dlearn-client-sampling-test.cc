/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-client-sampling.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace ns3::dlearn
{
namespace
{

using Clients = std::vector<LearnerId>;

const Clients TEN{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

/** @return what a server knows of ten clients that have not answered */
RoundView
MakeView(uint32_t round)
{
    RoundView view;
    view.round = round;
    for (const LearnerId id : TEN)
    {
        view.clients[id];
    }
    return view;
}

/** @return a sampling of ten clients on a stream of its own */
Ptr<UniformSampling>
MakeUniform(double fraction, uint32_t count, int64_t stream = 7)
{
    auto sampling = CreateObject<UniformSampling>();
    sampling->SetAttribute("Fraction", DoubleValue(fraction));
    sampling->SetAttribute("Count", UintegerValue(count));
    EXPECT_EQ(sampling->AssignStreams(stream), 1);
    sampling->Setup(TEN);
    return sampling;
}

TEST(UniformSampling, TakesAsManyAsItSays)
{
    EXPECT_EQ(MakeUniform(1, 0)->Choose(MakeView(0)), TEN);
    EXPECT_EQ(MakeUniform(1, 10)->Choose(MakeView(0)), TEN);
    const std::map<double, size_t> sizes{{0.01, 1}, {0.14, 1}, {0.16, 2}, {0.3, 3}, {0.95, 10}};
    for (const auto& [fraction, size] : sizes)
    {
        const auto sampling = MakeUniform(fraction, 0);
        EXPECT_EQ(sampling->Choose(MakeView(0)).size(), size) << fraction;
        EXPECT_EQ(sampling->CountChosen().fewest, size) << fraction;
        EXPECT_EQ(sampling->CountChosen().most, size) << fraction;
    }
    EXPECT_EQ(MakeUniform(0.1, 7)->Choose(MakeView(0)).size(), 7U) << "Count goes before Fraction";
}

// 20000 draws of 3 out of 10: each client is in B(20000, 0.3) of them and each pair in
// B(20000, 1/15). Beyond 6 standard deviations with probability 2e-9 each, 1e-7 in all.
TEST(UniformSampling, IsUniformOverSets)
{
    constexpr uint32_t DRAWS = 20000;
    const auto sampling = MakeUniform(0.3, 0);
    std::map<LearnerId, uint32_t> single;
    std::map<std::pair<LearnerId, LearnerId>, uint32_t> pairs;
    for (uint32_t round = 0; round < DRAWS; ++round)
    {
        const Clients chosen = sampling->Choose(MakeView(round));
        ASSERT_EQ(chosen.size(), 3U);
        for (size_t a = 0; a < 3; ++a)
        {
            ++single[chosen[a]];
            for (size_t b = a + 1; b < 3; ++b)
            {
                ASSERT_LT(chosen[a], chosen[b]); // in order, none twice
                ++pairs[{chosen[a], chosen[b]}];
            }
        }
    }
    ASSERT_EQ(single.size(), 10U);
    ASSERT_EQ(pairs.size(), 45U);
    const auto check = [](uint32_t count, double p) {
        EXPECT_NEAR(count, DRAWS * p, 6 * std::sqrt(DRAWS * p * (1 - p)));
    };
    for (const auto& [client, count] : single)
    {
        check(count, 0.3);
    }
    for (const auto& [pair, count] : pairs)
    {
        check(count, 1.0 / 15);
    }
}

// 20000 rounds: each client is in B(20000, p) of them, each pair in B(20000, p^2), a client in two
// rounds in a row in B(19999, p^2), and rounds without clients are B(20000, (1-p)^10), about 565.
// Beyond 6 standard deviations with probability 2e-9 each, 4e-7 in all three cases together.
TEST(PoissonSampling, DrawsEachClientIndependently)
{
    constexpr uint32_t DRAWS = 20000;
    for (const auto& [fraction, count, p] :
         {std::tuple(0.3, 0, 0.3), {1.0, 3, 0.3}, {0.02, 0, 0.02}})
    {
        const auto sampling = CreateObject<PoissonSampling>();
        sampling->SetAttribute("Fraction", DoubleValue(fraction));
        sampling->SetAttribute("Count", UintegerValue(count));
        sampling->AssignStreams(7);
        sampling->Setup(TEN);
        EXPECT_EQ(sampling->GetShare(), p);
        EXPECT_EQ(sampling->CountEnough(), 10U);
        EXPECT_EQ(sampling->CountChosen().fewest, 0U);
        std::map<LearnerId, uint32_t> single;
        std::map<LearnerId, uint32_t> again;
        std::map<std::pair<LearnerId, LearnerId>, uint32_t> pairs;
        uint32_t empty = 0;
        Clients before;
        for (uint32_t round = 0; round < DRAWS; ++round)
        {
            const Clients chosen = sampling->Choose(MakeView(round));
            empty += chosen.empty() ? 1 : 0;
            for (auto one = chosen.begin(); one != chosen.end(); ++one)
            {
                ++single[*one];
                again[*one] += std::count(before.begin(), before.end(), *one);
                for (auto other = one + 1; other != chosen.end(); ++other)
                {
                    ASSERT_LT(*one, *other);
                    ++pairs[{*one, *other}];
                }
            }
            before = chosen;
        }
        const auto check = [](uint32_t number, double share) {
            EXPECT_NEAR(number, DRAWS * share, 6 * std::sqrt(DRAWS * share * (1 - share)) + 1);
        };
        check(empty, std::pow(1 - p, 10));
        for (const LearnerId one : TEN)
        {
            check(single[one], p);
            check(again[one], p * p);
            for (LearnerId other = one + 1; other <= 10; ++other)
            {
                check(pairs[{one, other}], p * p);
            }
        }
    }
}

TEST(UniformSampling, IsFixedByItsStream)
{
    const auto same = [](int64_t a, int64_t b) {
        const auto first = MakeUniform(0.5, 0, a);
        const auto second = MakeUniform(0.5, 0, b);
        bool equal = true;
        for (uint32_t round = 0; round < 20; ++round)
        {
            equal = first->Choose(MakeView(0)) == second->Choose(MakeView(0)) && equal;
        }
        return equal;
    };
    EXPECT_TRUE(same(5, 5));
    EXPECT_FALSE(same(5, 6)); // equal with probability 252^-20
}

TEST(UniformSampling, RefusesWhatDoesNotFit)
{
    ExpectRefused([] { MakeUniform(0, 0); }, "CountedSampling: Fraction must be in (0, 1], got 0");
    ExpectRefused([] { MakeUniform(1, 11); },
                  "CountedSampling: Count must be at most the number of clients, 10; got 11");
}

/** @return a plan for ten clients */
Ptr<ScheduledSampling>
MakePlan(const std::string& plan)
{
    auto sampling = CreateObject<ScheduledSampling>();
    sampling->SetAttribute("Plan", StringValue(plan));
    sampling->Setup(TEN);
    EXPECT_EQ(sampling->AssignStreams(1), 0);
    return sampling;
}

TEST(ScheduledSampling, FollowsThePlanAndRepeatsIt)
{
    const auto sampling = MakePlan("1-3;5,4;10");
    for (const uint32_t start : {0, 3, 300})
    {
        EXPECT_EQ(sampling->Choose(MakeView(start)), (Clients{1, 2, 3}));
        EXPECT_EQ(sampling->Choose(MakeView(start + 1)), (Clients{4, 5})); // in order
        EXPECT_EQ(sampling->Choose(MakeView(start + 2)), Clients{10});
    }
    EXPECT_EQ(sampling->CountChosen().fewest, 1U);
    EXPECT_EQ(sampling->CountChosen().most, 3U);
    EXPECT_EQ(MakePlan("1-1")->Choose(MakeView(9)), Clients{1});
    EXPECT_EQ(MakePlan("8,1-3,10")->Choose(MakeView(0)), (Clients{1, 2, 3, 8, 10}));
    EXPECT_EQ(MakePlan("1;2;")->Choose(MakeView(2)),
              Clients{1}); // a last semicolon changes nothing
}

TEST(ScheduledSampling, RefusesWhatIsNoPlan)
{
    ExpectRefused([] { MakePlan(""); }, "sample plan: must not be empty");
    for (const std::string round : {"x", "3-1,2", "1-2-3", "", "1,,2", "0-1000000"})
    {
        ExpectRefused([&] { MakePlan("1;" + round + ";2"); },
                      "sample plan: must be clients or ranges such as 1-3;4,5, got '" + round +
                          "' in '1;" + round + ";2'");
    }
    ExpectRefused([] { MakePlan("1-3,2"); },
                  "sample plan: a round must name clients, each once; got '1-3,2'");
    for (const std::string client : {"0", "11"})
    {
        ExpectRefused([&] { MakePlan("1;" + client); },
                      "sample plan: there is no client " + client + ", see '1;" + client);
    }
    // The largest number there is must not make the reading of a range run over.
    ExpectRefused([] { MakePlan("4294967295"); }, "there is no client 4294967295");
    ExpectRefused([] { MakePlan("4294967290-4294967295"); }, "there is no client 4294967290");
}

/** @return what a server knows of ten clients: random numbers, some suspected or without answer */
RoundView
DrawView(uint32_t round, UniformRandomVariable& random)
{
    RoundView view = MakeView(round);
    for (auto& [id, client] : view.clients)
    {
        client.suspected = random.GetValue() < 0.2;
        client.figures["samples"] = random.GetInteger(1, 20);
        if (random.GetValue() < 0.8 && round > 0)
        {
            client.answered = random.GetInteger(0, round - 1);
            client.duration = Seconds(random.GetValue(1, 9));
            client.figures["loss"] = random.GetValue(0, 3);
            client.figures["rms"] = random.GetValue(0, 3);
            client.figures["seconds"] = random.GetValue(0.5, 1);
            client.figures["battery"] = random.GetValue(0, 100);
        }
    }
    return view;
}

Ptr<UniformRandomVariable>
MakeRandom(int64_t stream)
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    return random;
}

template <typename T>
Ptr<T>
MakeCounted(uint32_t count, double overSelection = 1)
{
    const auto sampling = CreateObject<T>();
    sampling->SetAttribute("Count", UintegerValue(count));
    sampling->SetAttribute("OverSelection", DoubleValue(overSelection));
    sampling->SetAttributeFailSafe("Figure", StringValue("battery"));
    sampling->AssignStreams(7);
    sampling->Setup(TEN);
    return sampling;
}

// All samplings there are, whatever the server knows, and later whoever has gone.
TEST(ClientSampling, ChoosesClientsWithinItsBounds)
{
    uint32_t types = 0;
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        if (!type.IsChildOf(ClientSampling::GetTypeId()) || !type.HasConstructor())
        {
            continue;
        }
        ++types;
        std::vector<std::vector<Clients>> runs(2);
        for (auto& rounds : runs)
        {
            const auto sampling = ObjectFactory(type.GetName()).Create<ClientSampling>();
            sampling->SetAttributeFailSafe("Plan", StringValue("1-3;4,5"));
            sampling->SetAttributeFailSafe("Figure", StringValue("battery"));
            sampling->SetAttributeFailSafe("Count", UintegerValue(4));
            sampling->SetAttributeFailSafe("OverSelection", DoubleValue(1.3));
            sampling->AssignStreams(3);
            sampling->Setup(TEN);
            EXPECT_LE(sampling->CountEnough(), sampling->CountChosen().most) << type;
            const auto random = MakeRandom(9);
            for (uint32_t round = 0; round < 100; ++round)
            {
                RoundView view = DrawView(round, *random);
                for (LearnerId id = round < 60 ? 11 : 1; id <= 10; ++id)
                {
                    random->GetValue() < 0.01 * round ? view.clients.erase(id) : 0;
                }
                const Clients chosen = sampling->Choose(view);
                const size_t few = round < 60 ? sampling->CountChosen().fewest
                                   : type.IsChildOf(RankedSampling::GetTypeId())
                                       ? std::min<size_t>(view.clients.size(), 6)
                                       : 0;
                EXPECT_GE(chosen.size(), few) << type;
                EXPECT_LE(chosen.size(), sampling->CountChosen().most) << type;
                EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end())) << type;
                EXPECT_EQ(std::set<LearnerId>(chosen.begin(), chosen.end()).size(), chosen.size());
                uint32_t alive = 0;
                for (const auto& [id, client] : view.clients)
                {
                    alive += client.suspected ? 0 : 1;
                }
                for (const LearnerId id : chosen)
                {
                    ASSERT_EQ(view.clients.count(id), 1U) << type;
                    EXPECT_TRUE(!view.clients.at(id).suspected || alive < 6 ||
                                type == UniformSampling::GetTypeId() ||
                                type == PoissonSampling::GetTypeId() ||
                                type == ScheduledSampling::GetTypeId())
                        << type;
                }
                rounds.push_back(chosen);
            }
        }
        EXPECT_EQ(runs[0], runs[1]) << type;
    }
    EXPECT_GE(types, 9U);
}

TEST(CountedSampling, AsksMoreThanItNeeds)
{
    for (const auto& [count, asked] : std::map<uint32_t, size_t>{{3, 4}, {7, 10}, {9, 10}})
    {
        const auto sampling = MakeCounted<UniformSampling>(count, 1.3);
        EXPECT_EQ(sampling->Choose(MakeView(0)).size(), asked);
        EXPECT_EQ(sampling->CountChosen().most, asked);
        EXPECT_EQ(sampling->CountEnough(), count);
    }
}

TEST(RankedSampling, TakesTheBestAndTriesTheUnknown)
{
    const auto random = MakeRandom(11);
    const auto infinity = std::numeric_limits<double>::infinity();
    using Score = std::function<double(const ClientView&)>;
    const std::vector<std::pair<Ptr<ClientSampling>, Score>> rows{
        {MakeCounted<LossSampling>(3), [](auto& c) { return c.figures.at("loss"); }},
        {MakeCounted<FastestSampling>(3), [](auto& c) { return -c.duration.GetSeconds(); }},
        {MakeCounted<RoundRobinSampling>(3), [](auto& c) { return -1.0 * *c.answered; }},
        {MakeCounted<BestSampling>(3), [](auto& c) { return c.figures.at("battery"); }}};
    for (uint32_t round = 0; round < 50; ++round)
    {
        const RoundView view = DrawView(round, *random);
        for (const auto& [sampling, score] : rows)
        {
            Clients best;
            for (uint32_t place = 0; place < 3; ++place)
            {
                LearnerId next = 0;
                double most = -infinity;
                for (const auto& [id, client] : view.clients)
                {
                    const bool free = std::count(best.begin(), best.end(), id) == 0;
                    const double own = !client.answered ? infinity : score(client);
                    if (free && !client.suspected && (next == 0 || own > most))
                    {
                        next = id;
                        most = own;
                    }
                }
                best.push_back(next);
            }
            std::sort(best.begin(), best.end());
            EXPECT_EQ(sampling->Choose(view), best) << sampling->GetInstanceTypeId();
        }
    }
}

TEST(RoundRobinSampling, GoesAroundIfNothingIsLost)
{
    const auto sampling = MakeCounted<RoundRobinSampling>(5);
    RoundView view = DrawView(0, *MakeRandom(1));
    Clients order;
    for (; view.round < 10; ++view.round)
    {
        for (auto& [id, client] : view.clients)
        {
            client.suspected = false;
        }
        for (const LearnerId id : sampling->Choose(view))
        {
            view.clients[id].answered = view.round;
            order.push_back(id);
        }
    }
    for (const LearnerId id : TEN)
    {
        EXPECT_EQ(std::count(order.begin(), order.end(), id), 5);
    }
}

// Two of the weights 1, 2, 7, in turn: 1 and 2 with 0.1 2/9 + 0.2 1/8, 1 and 7 with 0.1 7/9 +
// 0.7 1/3. Beyond 6 standard deviations with probability 2e-9 each.
TEST(PowerOfChoiceSampling, DrawsCandidatesInProportionToTheirSamples)
{
    constexpr int DRAWS = 20000;
    RoundView view;
    const std::vector<double> samples{1, 2, 7};
    for (LearnerId id = 1; id <= 3; ++id)
    {
        ClientView& client = view.clients[id];
        client.answered = 0;
        client.figures = {{"samples", samples[id - 1]}, {"loss", 1.0 / id}}; // the first is worst
    }
    const auto sampling = CreateObject<PowerOfChoiceSampling>();
    sampling->SetAttribute("Count", UintegerValue(1));
    sampling->AssignStreams(5);
    sampling->Setup({1, 2, 3});
    std::map<LearnerId, int> chosen;
    for (int k = 0; k < DRAWS; ++k)
    {
        ++chosen[sampling->Choose(view).at(0)];
    }
    const double first = 0.1 + 0.2 / 8 + 0.7 / 3;
    EXPECT_NEAR(chosen[1], DRAWS * first, 6 * std::sqrt(DRAWS * first * (1 - first)));
    EXPECT_EQ(chosen[1] + chosen[2], DRAWS) << "the third has the lowest loss";
}

// With all clients as candidates these are the highest losses.
TEST(PowerOfChoiceSampling, TakesTheHighestLossesOfItsCandidates)
{
    const auto choice = MakeCounted<PowerOfChoiceSampling>(3);
    choice->SetAttribute("Candidates", UintegerValue(10));
    const auto loss = MakeCounted<LossSampling>(3);
    const auto random = MakeRandom(12);
    for (uint32_t round = 0; round < 20; ++round)
    {
        const RoundView view = DrawView(round, *random);
        EXPECT_EQ(choice->Choose(view), loss->Choose(view));
    }
}

// Algorithm 1 of Lai et al. without exploration: |B| sqrt(mean of squares), sqrt(0.1 log R / L),
// (T / t)^2. T is the duration of the client at the percentile, which grows by 5 after 20 rounds
// whose utility is less than in the 20 before.
TEST(OortSampling, FollowsTheAlgorithmOfItsPaper)
{
    const auto sampling = MakeCounted<OortSampling>(3);
    sampling->SetAttribute("Exploration", DoubleValue(0));
    sampling->SetAttribute("LeastExploration", DoubleValue(0));
    const auto random = MakeRandom(13);
    std::vector<double> history;
    double percentile = 30;
    int exact = 0;
    int relaxed = 0;
    for (uint32_t round = 1; round < 120; ++round)
    {
        RoundView view = DrawView(round, *random);
        std::vector<double> durations;
        double sum = 0;
        for (auto& [id, client] : view.clients)
        {
            client.suspected = false;
            client.answered = id % 2 == 0 ? round - 1 : client.answered.value_or(0);
            client.figures["rms"] = random->GetValue(0, 3) / (1 + round / 20);
            client.duration = Seconds(random->GetValue(1, 9));
            durations.push_back(client.duration.GetSeconds());
            sum += *client.answered == round - 1 ? client.figures["samples"] * client.figures["rms"]
                                                 : 0;
        }
        history.push_back(sum);
        const size_t n = history.size();
        if (n >= 40 && n % 20 == 0)
        {
            double before = 0;
            double after = 0;
            for (size_t k = 0; k < 20; ++k)
            {
                before += history[n - 40 + k];
                after += history[n - 20 + k];
            }
            relaxed += before > after ? 1 : 0;
            percentile += before > after ? 5 : 0;
        }
        std::sort(durations.begin(), durations.end());
        const double preferred = durations[std::ceil(percentile / 10) - 1]; // of ten
        std::vector<std::pair<double, LearnerId>> utilities;
        for (const auto& [id, client] : view.clients)
        {
            double utility = client.figures.at("samples") * client.figures.at("rms") +
                             std::sqrt(0.1 * std::log(round + 1.0) / (*client.answered + 1.0));
            const double t = client.duration.GetSeconds();
            utility *= t > preferred ? (preferred / t) * (preferred / t) : 1;
            utilities.emplace_back(-utility, id);
        }
        std::sort(utilities.begin(), utilities.end());
        const Clients chosen = sampling->Choose(view);
        ASSERT_EQ(chosen.size(), 3U);
        Clients best;
        for (const auto& [utility, id] : utilities)
        {
            if (-utility >= 0.95 * -utilities[2].first)
            {
                best.push_back(id);
            }
        }
        for (const LearnerId id : chosen)
        {
            EXPECT_EQ(std::count(best.begin(), best.end(), id), 1) << round;
        }
        exact += best.size() == 3 ? 1 : 0;
    }
    EXPECT_GT(exact, 80) << "else the draw says little";
    EXPECT_GT(relaxed, 1);
}

TEST(OortSampling, ExploresLessAndLess)
{
    RoundView view = DrawView(0, *MakeRandom(1));
    for (LearnerId id = 1; id <= 10; ++id)
    {
        view.clients[id].suspected = false;
        view.clients[id].answered.reset();
        if (id > 5)
        {
            view.clients[id].answered = 0;
        }
    }
    for (const auto& [round, unknown] : std::map<uint32_t, int>{{1, 4}, {40, 2}, {300, 1}})
    {
        view.round = round; // 0.9 0.98^1 5 = 4.4, 0.9 0.98^40 5 = 2.01, and 0.2 of 5
        const Clients chosen = MakeCounted<OortSampling>(5)->Choose(view);
        EXPECT_EQ(std::count_if(chosen.begin(), chosen.end(), [](auto id) { return id <= 5; }),
                  unknown)
            << round;
    }
    view = DrawView(0, *MakeRandom(1));
    EXPECT_EQ(MakeCounted<OortSampling>(5)->Choose(view).size(), 5U) << "nothing is known";
}

// Algorithm 3 of Nishio and Yonetani, with t_UD the training and t_UL the rest.
TEST(FedCsSampling, FollowsTheAlgorithmOfItsPaper)
{
    const auto random = MakeRandom(14);
    std::set<size_t> sizes;
    for (uint32_t round = 1; round < 50; ++round)
    {
        const auto sampling = MakeCounted<FedCsSampling>(10);
        sampling->SetAttribute("Deadline", TimeValue(Seconds(10)));
        RoundView view = DrawView(round, *random);
        std::map<LearnerId, std::pair<double, double>> times;
        for (auto& [id, client] : view.clients)
        {
            client.suspected = false;
            client.answered = 0;
            const double training = random->GetValue(0.5, 4);
            client.figures["seconds"] = training;
            client.duration = Seconds(training + random->GetValue(1, 4));
            times[id] = {training, client.duration.GetSeconds() - training};
        }
        Clients joined;
        double theta = 0;
        while (!times.empty())
        {
            LearnerId best = 0;
            double most = 0;
            double later = 0;
            for (const auto& [id, time] : times)
            {
                const double add = time.second + std::max(0.0, time.first - theta);
                if (1 / add > most)
                {
                    best = id;
                    most = 1 / add;
                    later = theta + add;
                }
            }
            times.erase(best);
            if (later < 10)
            {
                joined.push_back(best);
                theta = later;
            }
        }
        std::sort(joined.begin(), joined.end());
        sizes.insert(joined.size());
        EXPECT_EQ(sampling->Choose(view), joined);
        sampling->SetAttribute("Deadline", TimeValue(Seconds(1)));
        EXPECT_EQ(sampling->Choose(view).size(), 1U) << "the fastest";
    }
    EXPECT_GT(sizes.size(), 1U);
}

} // namespace
} // namespace ns3::dlearn
