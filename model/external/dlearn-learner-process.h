/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_PROCESS_H
#define DLEARN_LEARNER_PROCESS_H

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-task.h"
#include "ns3/dlearn-types.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The body of a message to or from a LearnerProcess: numbers, little-endian, and arrays of them,
 * each after its length as a number of 64 bits.
 */
class LearnerBytes
{
  public:
    /** @param bytes of a message that arrived */
    explicit LearnerBytes(std::string bytes = {})
        : m_bytes(std::move(bytes))
    {
    }

    const std::string& Get() const { return m_bytes; }

    /** Append a number. */
    template <typename Number>
    void Put(Number number)
    {
        static_assert(std::is_arithmetic_v<Number>);
        m_bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
    }

    /** Append an array. @param array with data() and size() */
    template <typename Array>
    void PutArray(const Array& array)
    {
        Put(static_cast<uint64_t>(array.size()));
        m_bytes.append(reinterpret_cast<const char*>(array.data()),
                       static_cast<size_t>(array.size()) * sizeof(*array.data()));
    }

    /** @return the next number @throw std::invalid_argument when it is not there */
    template <typename Number>
    Number Take()
    {
        Number number;
        std::memcpy(&number, Next(1, sizeof(number)), sizeof(number));
        return number;
    }

    /** @return the next array @throw std::invalid_argument when it is not there */
    template <typename Array>
    Array TakeArray()
    {
        constexpr size_t SIZE = sizeof(*Array().data());
        const auto count = Take<uint64_t>();
        const char* bytes = Next(count, SIZE);
        Array array;
        array.resize(static_cast<decltype(array.size())>(count));
        if (count > 0)
        {
            std::memcpy(array.data(), bytes, count * SIZE);
        }
        return array;
    }

    /** @return the next names, each an array of letters, digits and _
     *  @throw std::invalid_argument for others */
    std::vector<std::string> TakeNames();

    /** @throw std::invalid_argument when something is left */
    void RequireEnd() const
    {
        Require(m_taken == m_bytes.size(), "{} bytes too many", m_bytes.size() - m_taken);
    }

  private:
    /** @return the next bytes */
    const char* Next(uint64_t count, size_t size)
    {
        Require(count <= (m_bytes.size() - m_taken) / size,
                "{} numbers of {} bytes are to follow, {} bytes do",
                count,
                size,
                m_bytes.size() - m_taken);
        m_taken += count * size;
        return m_bytes.data() + m_taken - count * size;
    }

    std::string m_bytes;
    size_t m_taken{0};
};

/** What a process says of itself: its answer to the question HELLO. @ingroup dlearn */
struct LearnerHello
{
    /** What a process does. */
    enum Ability : uint32_t
    {
        TRAINS = 1,
        EVALUATES = 2,
        HAS_GRADIENT = 4,
        PLANS = 8,
        TIMES = 16 //!< says how long training takes
    };

    uint32_t abilities{0};             //!< a sum of them
    double flops{0};                   //!< of a sample; 0: the default
    ModelVector initial;               //!< initial model, or empty
    std::vector<uint64_t> samples;     //!< of each learner, of its own data
    std::vector<std::string> figures;  //!< that it sends with updates or, as a planner, needs
    std::vector<std::string> metrics;  //!< of its evaluation, besides loss and accuracy
    std::vector<std::string> settings; //!< of its plans

    /** @return all values */
    auto Tie() const
    {
        return std::tie(abilities, flops, initial, samples, figures, metrics, settings);
    }
};

/** How a process scores a model. @ingroup dlearn */
struct LearnerScores
{
    double loss{std::numeric_limits<double>::quiet_NaN()};     //!< over given samples
    double accuracy{std::numeric_limits<double>::quiet_NaN()}; //!< NaN: none
    std::map<std::string, double> metrics;                     //!< LearnerHello::metrics
};

/**
 * @ingroup dlearn
 * A process of the user, to which one asks questions over a socket pair; the manual has the
 * protocol. The shell starts it, with the socket as file descriptor 3. Its standard output
 * and standard error appear on the standard error of this program. It is to end when the socket is
 * closed; otherwise it is killed, with the processes that it has started.
 *
 * The first failure ends the process: no answer in time, a broken connection, an answer that is
 * not one, or one that refuses the question. It is a std::runtime_error of one line, with the last
 * line that the process has written; later questions fail with the same.
 */
class LearnerProcess
{
  public:
    /// Longest wait for an answer, in real time, unless one chooses another.
    static constexpr std::chrono::minutes PATIENCE{10};

    /** The first byte of a question. */
    enum class Question : uint8_t
    {
        HELLO = 1,
        TRAIN = 2,
        EVALUATE = 3,
        GRADIENT = 4,
        PLAN = 5
    };

    /**
     * Start the process.
     *
     * @param command of the shell
     * @param number of the process, for messages
     * @param timeout longest wait for an answer, in real time
     * @throw std::runtime_error when the system does not start it
     */
    LearnerProcess(const std::string& command, uint32_t number, std::chrono::milliseconds timeout);
    ~LearnerProcess();

    LearnerProcess(const LearnerProcess&) = delete;
    LearnerProcess& operator=(const LearnerProcess&) = delete;

    /**
     * @param learners that train
     * @param train data for processes; null: none
     * @param test data for processes; null: none
     * @return the first question to a process
     */
    static LearnerBytes MakeGreeting(uint32_t learners,
                                     const DatasetPtr& train,
                                     const DatasetPtr& test);

    /**
     * Ask the first question.
     *
     * @param greeting of MakeGreeting()
     * @param needed a sum of abilities that it must have
     * @param check throws std::invalid_argument if something else is wrong
     * @return what it says of itself
     */
    LearnerHello Greet(const LearnerBytes& greeting,
                       uint32_t needed,
                       const std::function<void(const LearnerHello&)>& check = {});

    /**
     * Ask for the scores of a model.
     *
     * @param model to score
     * @param samples of the loss; none: the process scores on test data only
     * @param metrics names of LearnerHello::metrics
     */
    LearnerScores Evaluate(ConstVectorRef model,
                           const WeightedSamples& samples,
                           const std::vector<std::string>& metrics);

    /**
     * Ask, and wait for the answer; several threads take turns.
     *
     * @param question what is asked
     * @param body of the question
     * @param read reads the whole body of the answer, or throws std::invalid_argument
     */
    void Ask(Question question,
             const LearnerBytes& body,
             const std::function<void(LearnerBytes&)>& read);

    /** @return threads that ask or wait for their turn */
    uint32_t CountAsking() const { return m_asking; }

  private:
    /** @return the answer's first byte and body */
    std::string Exchange(Question question, const LearnerBytes& body);

    /** Send or receive bytes. @param events POLLIN or POLLOUT */
    void Transfer(short events, char* bytes, size_t size);

    /** Show what the process has written, and keep its end. */
    void ReadErrors();

    /** End the process. @param grace for how long it may end by itself */
    void End(std::chrono::milliseconds grace);

    [[noreturn]] void Fail(const std::string& what);

    const std::string m_command;
    const uint32_t m_number;
    const std::chrono::milliseconds m_timeout;
    std::chrono::steady_clock::time_point m_deadline; //!< of the answer
    std::mutex m_turn;                                //!< guards all that follows
    std::atomic<uint32_t> m_asking{0};
    pid_t m_process{-1};   //!< -1: ended
    int m_status{0};       //!< with which it has ended, of waitpid()
    int m_socket{-1};      //!< to the process
    int m_errors{-1};      //!< its standard output and standard error
    std::string m_written; //!< the end of these
    std::string m_failure; //!< the first one, or empty
};

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_PROCESS_H
