/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-process.h"

#include "ns3/dlearn-network-order.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace ns3::dlearn
{

namespace
{

using namespace std::chrono_literals;

constexpr int LEARNER_SOCKET = 3;               //!< file descriptor of the process
constexpr uint64_t LARGEST_ANSWER = 1ULL << 36; //!< bytes
constexpr uint64_t ANSWER_PART = 1ULL << 28;    //!< bytes
constexpr int SOCKET_BUFFER = 1 << 23;          //!< bytes
constexpr size_t WRITTEN_KEPT = 4096;           //!< bytes of what a process has written

/** The names of the questions, by their numbers. */
const std::array<const char*, 6> QUESTIONS{"", "hello", "train", "evaluate", "gradient", "plan"};

constexpr uint32_t PROTOCOL_VERSION = 2;

void
CheckSystem(int result, const char* what)
{
    if (result != 0)
    {
        throw std::system_error(errno, std::generic_category(), what);
    }
}

/** Close a file descriptor, unless it is -1, and make it so. */
void
CloseDescriptor(int& descriptor)
{
    if (descriptor >= 0)
    {
        close(descriptor);
        descriptor = -1;
    }
}

/** @return the last line of a text with printable characters */
std::string
FindLastLine(std::string text)
{
    text.erase(text.find_last_not_of(" \n\r\t") + 1);
    text.erase(0, text.rfind('\n') + 1);
    return text;
}

/** @return how a process has ended, in words */
std::string
DescribeEnd(int status)
{
    return WIFSIGNALED(status) ? "it was ended by signal " + std::to_string(WTERMSIG(status))
                               : "its exit status is " + std::to_string(WEXITSTATUS(status));
}

} // namespace

std::vector<std::string>
LearnerBytes::TakeNames()
{
    std::vector<std::string> names;
    for (auto left = Take<uint32_t>(); left > 0; --left)
    {
        const auto name = TakeArray<std::string>();
        const bool word = std::all_of(name.begin(), name.end(), [](unsigned char letter) {
            return std::isalnum(letter) || letter == '_';
        });
        Require(word && !name.empty(), "a name must have letters, digits and _ only");
        names.push_back(name);
    }
    return names;
}

LearnerProcess::LearnerProcess(const std::string& command,
                               uint32_t number,
                               std::chrono::milliseconds timeout)
    : m_command(command),
      m_number(number),
      m_timeout(timeout)
{
    int sockets[2];
    int pipes[2];
    CheckSystem(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), "socketpair");
    m_socket = sockets[0];
    for (const int end : sockets) // as large as the system lets them be, for large models
    {
        setsockopt(end, SOL_SOCKET, SO_SNDBUF, &SOCKET_BUFFER, sizeof(SOCKET_BUFFER));
    }
    CheckSystem(pipe2(pipes, O_CLOEXEC), "pipe2");
    m_errors = pipes[0];
    fcntl(m_errors, F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, pipes[1], STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&files, sockets[1], LEARNER_SOCKET);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // Signals of the terminal are for this program, which then ends the process.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::string shell = "sh";
    std::string option = "-c";
    std::string text = command;
    char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
    errno = posix_spawn(&m_process, "/bin/sh", &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    close(pipes[1]);
    close(sockets[1]);
    CheckSystem(errno, "posix_spawn");
}

LearnerProcess::~LearnerProcess()
{
    End(5s);
}

LearnerBytes
LearnerProcess::MakeGreeting(uint32_t learners, const DatasetPtr& train, const DatasetPtr& test)
{
    LearnerBytes question;
    question.Put(PROTOCOL_VERSION);
    question.Put(learners);
    question.Put(RngSeedManager::GetSeed());
    question.Put(RngSeedManager::GetRun());
    question.Put(train ? train->GetFeatures() : 0);
    question.Put(train ? train->classes : 0);
    const Dataset none;
    for (const DatasetPtr& part : {train, test})
    {
        question.PutArray(part ? part->features : none.features);
        question.PutArray(part ? part->labels : none.labels);
    }
    return question;
}

LearnerHello
LearnerProcess::Greet(const LearnerBytes& greeting,
                      uint32_t needed,
                      const std::function<void(const LearnerHello&)>& check)
{
    LearnerHello hello;
    Ask(Question::HELLO, greeting, [&](LearnerBytes& answer) {
        const auto version = answer.Take<uint32_t>();
        Require(version == PROTOCOL_VERSION,
                "it has version {} of the protocol, dlearn has {}",
                version,
                PROTOCOL_VERSION);
        hello.abilities = answer.Take<uint32_t>();
        hello.flops = answer.Take<double>();
        hello.initial = answer.TakeArray<ModelVector>();
        hello.samples = answer.TakeArray<std::vector<uint64_t>>();
        hello.figures = answer.TakeNames();
        hello.metrics = answer.TakeNames();
        hello.settings = answer.TakeNames();
        Require((hello.abilities & needed) == needed,
                "it does not {}, for which it was started",
                needed == LearnerHello::PLANS ? "plan" : "evaluate");
        Require(std::isfinite(hello.flops) && hello.flops >= 0,
                "operations of a sample must be finite and at least 0, got {}",
                hello.flops);
        if (check)
        {
            check(hello);
        }
    });
    return hello;
}

LearnerScores
LearnerProcess::Evaluate(ConstVectorRef model,
                         const WeightedSamples& samples,
                         const std::vector<std::string>& metrics)
{
    LearnerBytes body;
    body.PutArray(samples.indices);
    body.PutArray(samples.weights);
    body.PutArray(model);
    LearnerScores scores;
    Ask(Question::EVALUATE, body, [&](LearnerBytes& answer) {
        scores.loss = answer.Take<double>();
        scores.accuracy = answer.Take<double>();
        const auto values = answer.TakeArray<std::vector<double>>();
        RequireSize("the answer", "metrics", values.size(), metrics.size());
        for (size_t k = 0; k < values.size(); ++k)
        {
            scores.metrics[metrics[k]] = values[k];
        }
    });
    return scores;
}

void
LearnerProcess::Ask(Question question,
                    const LearnerBytes& body,
                    const std::function<void(LearnerBytes&)>& read)
{
    ++m_asking;
    const std::lock_guard<std::mutex> turn(m_turn);
    --m_asking;
    const std::string name = QUESTIONS.at(static_cast<size_t>(question));
    if (!m_failure.empty())
    {
        throw std::runtime_error(m_failure);
    }
    m_deadline = std::chrono::steady_clock::now() + m_timeout;
    LearnerBytes bytes(Exchange(question, body));
    try
    {
        if (bytes.Take<uint8_t>() != 0)
        {
            Fail("has refused the question " + name + ": " + FindLastLine(bytes.Get().substr(1)));
        }
        read(bytes);
        bytes.RequireEnd();
    }
    catch (const std::invalid_argument& error)
    {
        Fail("has given a wrong answer to the question " + name + ": " + error.what());
    }
}

std::string
LearnerProcess::Exchange(Question question, const LearnerBytes& body)
{
    LearnerBytes head;
    head.Put(static_cast<uint64_t>(1 + body.Get().size()));
    head.Put(static_cast<uint8_t>(question));
    for (const std::string* bytes : {&head.Get(), &body.Get()})
    {
        Transfer(POLLOUT, const_cast<char*>(bytes->data()), bytes->size()); // which only reads them
    }
    uint64_t size = 0;
    Transfer(POLLIN, reinterpret_cast<char*>(&size), sizeof(size));
    if (size == 0 || size > LARGEST_ANSWER)
    {
        Fail("has begun an answer of " + std::to_string(size) +
             " bytes, which is not one of the protocol");
    }
    std::string answer;
    while (answer.size() < size) // memory for what comes, not for what is claimed
    {
        const size_t before = answer.size();
        answer.resize(std::min(size, before + ANSWER_PART));
        Transfer(POLLIN, answer.data() + before, answer.size() - before);
    }
    return answer;
}

void
LearnerProcess::Transfer(short events, char* bytes, size_t size)
{
    using Milliseconds = std::chrono::milliseconds;
    while (size > 0)
    {
        pollfd files[] = {{m_socket, events, 0}, {m_errors, POLLIN, 0}};
        const auto left =
            std::chrono::duration_cast<Milliseconds>(m_deadline - std::chrono::steady_clock::now());
        if (left <= 0ms)
        {
            Fail(FormatText("has not answered within {} s of real time",
                            std::chrono::duration<double>(m_timeout).count()));
        }
        poll(files, 2, static_cast<int>(std::min<Milliseconds>(left, 1h).count()));
        ReadErrors();
        const ssize_t count = events == POLLIN
                                  ? recv(m_socket, bytes, size, MSG_DONTWAIT)
                                  : send(m_socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
        {
            Fail("has closed the connection");
        }
        bytes += std::max<ssize_t>(count, 0);
        size -= static_cast<size_t>(std::max<ssize_t>(count, 0));
    }
}

void
LearnerProcess::ReadErrors()
{
    char bytes[WRITTEN_KEPT];
    ssize_t count = 0;
    while (m_errors >= 0 && (count = read(m_errors, bytes, sizeof(bytes))) > 0)
    {
        std::cerr.write(bytes, count);
        m_written.append(bytes, static_cast<size_t>(count));
        m_written.erase(0, m_written.size() - std::min(m_written.size(), WRITTEN_KEPT));
    }
    if (count == 0) // nothing more can come
    {
        CloseDescriptor(m_errors);
    }
}

void
LearnerProcess::End(std::chrono::milliseconds grace)
{
    CloseDescriptor(m_socket);
    if (m_process >= 0)
    {
        const auto end = std::chrono::steady_clock::now() + grace;
        bool ended = false;
        while (!(ended = waitpid(m_process, &m_status, WNOHANG) != 0) &&
               std::chrono::steady_clock::now() < end)
        {
            std::this_thread::sleep_for(5ms);
        }
        kill(-m_process, SIGKILL); // with what it has started
        if (!ended)
        {
            waitpid(m_process, &m_status, 0);
        }
        m_process = -1;
    }
    ReadErrors();
    CloseDescriptor(m_errors);
}

void
LearnerProcess::Fail(const std::string& what)
{
    const bool closed = what == "has closed the connection";
    End(closed ? 2s : 0s);
    const std::string line = FindLastLine(m_written);
    const bool told = line.empty() || what.find(line) != std::string::npos;
    m_failure = FormatText("learner: process {} ('{}') {}{}{}",
                           m_number,
                           m_command,
                           what,
                           closed ? "; " + DescribeEnd(m_status) : "",
                           told ? "" : "; it has written last: " + line);
    throw std::runtime_error(m_failure);
}

} // namespace ns3::dlearn
