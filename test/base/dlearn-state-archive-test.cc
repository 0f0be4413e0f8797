/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-normal-draws.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/dlearn-types.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** A kind of value. */
enum class Colour : uint8_t
{
    RED,
    BLUE
};

/** Some of everything that can be visited. */
struct Everything
{
    bool flag{false};                                                    //!< a bool
    uint64_t number{0};                                                  //!< a number
    double real{0};                                                      //!< another
    Colour colour{Colour::RED};                                          //!< an enumeration
    std::string text;                                                    //!< a string
    Time time;                                                           //!< a time
    ModelVector vector;                                                  //!< a vector
    Eigen::MatrixXd matrix;                                              //!< a matrix
    Eigen::ArrayXd array;                                                //!< an array
    std::vector<bool> bits;                                              //!< bits
    std::vector<std::deque<int32_t>> lists;                              //!< sequences
    std::map<std::pair<uint32_t, Colour>, std::optional<double>> values; //!< a map
    std::multimap<uint32_t, std::string> names;                          //!< another
    std::set<uint32_t> numbers;                                          //!< a set
    std::shared_ptr<const ModelVector> one;                              //!< shared
    std::shared_ptr<const ModelVector> other;                            //!< with this

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive.Begin("everything");
        archive(flag, number, real, colour, text, time, vector, matrix, array, bits, lists);
        archive(values, names, numbers, one, other);
    }
};

/** @return one of everything */
Everything
MakeEverything()
{
    Everything all;
    all.flag = true;
    all.number = std::numeric_limits<uint64_t>::max() - 3;
    all.real = -0.1;
    all.colour = Colour::BLUE;
    all.text = std::string("a\0b", 3);
    all.time = NanoSeconds(-17);
    all.vector = ModelVector::LinSpaced(5, 1, 2);
    all.matrix = Eigen::MatrixXd::Identity(2, 3);
    all.array = Eigen::ArrayXd::Constant(1, std::numeric_limits<double>::infinity());
    all.bits = {true, false, true};
    all.lists = {{1, -2}, {}, {3}};
    all.values = {{{1, Colour::RED}, 2.5}, {{1, Colour::BLUE}, std::nullopt}};
    all.names = {{1, "x"}, {1, "y"}};
    all.numbers = {4, 7};
    all.one = std::make_shared<const ModelVector>(ModelVector::Ones(2));
    all.other = all.one;
    return all;
}

/** @return the bytes of a state */
template <typename State>
std::string
Save(State& state)
{
    StateArchive archive;
    archive(state);
    return archive.GetBytes();
}

TEST(StateArchive, GivesBackWhatItSaved)
{
    Everything saved = MakeEverything();
    Everything loaded;
    loaded.numbers = {99}; // is replaced
    loaded.names = {{5, "z"}};
    StateArchive archive(Save(saved));
    archive(loaded);
    archive.CheckEnd();
    EXPECT_EQ(loaded.flag, saved.flag);
    EXPECT_EQ(loaded.number, saved.number);
    EXPECT_EQ(loaded.real, saved.real);
    EXPECT_EQ(loaded.colour, saved.colour);
    EXPECT_EQ(loaded.text, saved.text);
    EXPECT_EQ(loaded.time, saved.time);
    EXPECT_EQ(loaded.vector, saved.vector);
    EXPECT_EQ(loaded.matrix, saved.matrix);
    EXPECT_EQ(loaded.array(0), saved.array(0));
    EXPECT_EQ(loaded.bits, saved.bits);
    EXPECT_EQ(loaded.lists, saved.lists);
    EXPECT_EQ(loaded.values, saved.values);
    EXPECT_EQ(loaded.names, saved.names);
    EXPECT_EQ(loaded.numbers, saved.numbers);
    EXPECT_EQ(*loaded.one, *saved.one);
    EXPECT_EQ(loaded.one, loaded.other); // is still the same object
    EXPECT_EQ(Save(loaded), Save(saved));
}

TEST(StateArchive, LeavesOutVectorsOfAModelsSize)
{
    Everything saved = MakeEverything();
    saved.array = Eigen::ArrayXd::Ones(5); // of an account, perhaps: is kept
    StateArchive archive;
    archive.LeaveOut(5);
    archive(saved);
    EXPECT_EQ(saved.vector.size(), 5); // still has it
    Everything loaded;
    loaded.vector = ModelVector::Ones(5);
    StateArchive loading(archive.GetBytes());
    loading(loaded);
    loading.CheckEnd();
    EXPECT_EQ(loaded.vector.size(), 0);
    EXPECT_EQ(loaded.array.size(), 5);
    EXPECT_EQ(*loaded.one, *saved.one); // of two numbers
    EXPECT_EQ(loaded.matrix, saved.matrix);
}

TEST(StateArchive, RefusesBytesThatEndAnywhere)
{
    Everything saved = MakeEverything();
    const std::string bytes = Save(saved);
    for (size_t size = 0; size < bytes.size(); ++size)
    {
        StateArchive archive(bytes.substr(0, size));
        Everything loaded;
        EXPECT_THROW(archive(loaded), std::invalid_argument) << size;
    }
    StateArchive longer(bytes + "x");
    Everything loaded;
    longer(loaded);
    ExpectRefused([&] { longer.CheckEnd(); },
                  "the saved state does not fit the run: 1 bytes are left after everything");
}

TEST(StateArchive, AsksForNoMoreMemoryThanThereAreBytes)
{
    Everything saved = MakeEverything();
    const std::string bytes = Save(saved);
    for (size_t place = 0; place < bytes.size(); ++place)
    {
        std::string damaged = bytes;
        damaged[place] = '\xff';
        StateArchive archive(damaged);
        Everything loaded;
        try
        {
            archive(loaded); // may go well: a number is another one
        }
        catch (const std::invalid_argument&)
        {
        }
    }
}

TEST(StateArchive, RefusesTheStateOfSomethingElse)
{
    StateArchive saving;
    saving.Begin("apples");
    StateArchive loading(saving.GetBytes());
    ExpectRefused([&] { loading.Begin("pears"); },
                  "the saved state does not fit the run: expected that of pears after the "
                  "beginning");
}

/** @return numbers that a variable draws next */
template <typename Variable>
std::vector<double>
DrawSome(Variable& variable, size_t count)
{
    std::vector<double> numbers;
    for (size_t k = 0; k < count; ++k)
    {
        numbers.push_back(variable.GetValue());
    }
    return numbers;
}

TEST(StateArchive, RandomVariablesGoOnWhereTheyWere)
{
    Ptr<UniformRandomVariable> uniform = CreateObject<UniformRandomVariable>();
    uniform->SetStream(7);
    DrawSome(*uniform, 1000);
    const std::string bytes = Save(uniform);
    const auto expected = DrawSome(*uniform, 10);
    Ptr<UniformRandomVariable> other = CreateObject<UniformRandomVariable>();
    other->SetStream(8);
    StateArchive archive(bytes);
    archive(other);
    EXPECT_EQ(DrawSome(*other, 10), expected);
}

TEST(StateArchive, NormalDrawsAreThoseOfNs3FromAnyPosition)
{
    const Ptr<NormalRandomVariable> plain = CreateObject<NormalRandomVariable>();
    plain->SetStream(3);
    const auto expected = DrawSome(*plain, 30);
    for (size_t before = 0; before < 20; ++before) // whole and half pairs
    {
        NormalDraws draws;
        draws.SetStream(3);
        auto numbers = DrawSome(draws, before);
        const std::string bytes = Save(draws);
        NormalDraws other;
        other.SetStream(4);
        DrawSome(other, before + 1);
        StateArchive archive(bytes);
        archive(other);
        const auto rest = DrawSome(other, 30 - before);
        numbers.insert(numbers.end(), rest.begin(), rest.end());
        EXPECT_EQ(numbers, expected) << before;
    }
}

/** A part with state. */
class Counter : public Object
{
  public:
    /** @return the registered type */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::Counter").SetParent<Object>();
        return tid;
    }

    /** @param archive saves or loads what changes during a run */
    void VisitState(StateArchive& archive)
    {
        ++visits;
        archive(count);
    }

    uint32_t count{0};  //!< its state
    uint32_t visits{0}; //!< calls of VisitState()
};

DLEARN_STATE_ENSURE_REGISTERED(Counter);

/** A part that inherits a state, and does not say whether it has more. */
class FasterCounter : public Counter
{
};

TEST(StateArchive, VisitsAPartOfSeveralOwnersOnce)
{
    Ptr<Counter> part = CreateObject<Counter>();
    Ptr<Counter> none;
    part->count = 5;
    StateArchive saving;
    saving(part, none, part);
    EXPECT_EQ(part->visits, 1U);
    Ptr<Counter> other = CreateObject<Counter>();
    StateArchive loading(saving.GetBytes());
    loading(other, none, other);
    loading.CheckEnd();
    EXPECT_EQ(other->count, 5U);
}

TEST(StateArchive, RefusesAPartWhoseExactTypeIsNotRegistered)
{
    Ptr<Counter> part = CreateObject<FasterCounter>();
    EXPECT_FALSE(HasRegisteredState(*part));
    ExpectRefused(
        [&] {
            StateArchive archive;
            archive(part);
        },
        "the state of ns3::dlearn::test::Counter cannot be saved: it has no VisitState() "
        "registered with "
        "DLEARN_STATE_ENSURE_REGISTERED");
}

TEST(StateArchive, SchedulesEventsInTheirOldOrder)
{
    std::string order;
    EventId events[3];
    const auto schedule = [&](size_t k, Time delay) {
        return Simulator::Schedule(delay, [&order, k] { order += std::to_string(k); });
    };
    events[1] = schedule(1, NanoSeconds(5));
    events[0] = schedule(0, NanoSeconds(5)); // same time: runs after 1
    StateArchive saving;
    for (size_t k = 0; k < 3; ++k)
    {
        saving.VisitEvent(events[k], [&, k](Time delay) { return schedule(k, delay); });
    }
    Simulator::Destroy();
    StateArchive loading(saving.GetBytes());
    for (size_t k = 0; k < 3; ++k)
    {
        events[k] = EventId();
        loading.VisitEvent(events[k], [&, k](Time delay) { return schedule(k, delay); });
    }
    loading.ScheduleEvents();
    EXPECT_TRUE(events[2].IsExpired());
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), NanoSeconds(5));
    Simulator::Destroy();
    EXPECT_EQ(order, "10");
}

} // namespace

} // namespace ns3::dlearn
