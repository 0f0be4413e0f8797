/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Links in user space between TUN devices, so that the TCP on both ends is that of the kernel:
 *
 *     relay LINKS RATE_BPS DELAY_S LOSS QUEUE_PACKETS SEED
 *
 * makes the devices ktK_a and ktK_b for each link K, from 0 on, prints "ready", and joins them by a
 * link with a rate, a delay, independent loss and a finite queue in each direction.
 */

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <random>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

namespace
{

/** A packet under way. */
struct Packet
{
    double leaves;           //!< time when its last bit is on the link
    double arrives;          //!< the delay later
    std::vector<char> bytes; //!< of IP
};

/** A direction of a link. */
struct Direction
{
    int from;                 //!< device of the sender
    int to;                   //!< device of the receiver
    double free{0};           //!< time when the link has sent all packets
    std::deque<Packet> queue; //!< packets under way
};

/** @return a new TUN device */
int
OpenTun(const std::string& name)
{
    const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    ifreq request{};
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0)
    {
        perror("relay: /dev/net/tun");
        exit(1);
    }
    return device;
}

/** @return seconds */
double
GetTime()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 7)
    {
        fputs("usage: relay LINKS RATE_BPS DELAY_S LOSS QUEUE_PACKETS SEED\n", stderr);
        return 2;
    }
    const double rate = atof(argv[2]);
    const double delay = atof(argv[3]);
    const double loss = atof(argv[4]);
    const auto most = strtoul(argv[5], nullptr, 10);
    std::mt19937_64 generator(strtoul(argv[6], nullptr, 10));
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<Direction> directions;
    for (unsigned long k = 0; k < strtoul(argv[1], nullptr, 10); ++k)
    {
        const int a = OpenTun("kt" + std::to_string(k) + "_a");
        const int b = OpenTun("kt" + std::to_string(k) + "_b");
        directions.push_back({a, b, 0, {}});
        directions.push_back({b, a, 0, {}});
    }
    std::vector<pollfd> polls;
    for (const Direction& direction : directions)
    {
        polls.push_back({direction.from, POLLIN, 0});
    }
    puts("ready");
    fflush(stdout);
    static char buffer[70000];
    while (true)
    {
        double next = GetTime() + 0.05;
        for (Direction& direction : directions)
        {
            for (ssize_t size; (size = read(direction.from, buffer, sizeof buffer)) > 0;)
            {
                const double now = GetTime();
                const auto waiting =
                    std::count_if(direction.queue.begin(),
                                  direction.queue.end(),
                                  [now](const Packet& p) { return p.leaves > now; });
                if (static_cast<unsigned long>(waiting) > most)
                {
                    continue;
                }
                // 2 bytes of PPP, as on ns-3's point-to-point links
                direction.free =
                    std::max(direction.free, now) + 8.0 * static_cast<double>(size + 2) / rate;
                if (uniform(generator) >= loss)
                {
                    direction.queue.push_back(
                        {direction.free, direction.free + delay, {buffer, buffer + size}});
                }
            }
            auto& queue = direction.queue;
            while (!queue.empty() && queue.front().arrives <= GetTime())
            {
                if (write(direction.to, queue.front().bytes.data(), queue.front().bytes.size()) < 0)
                {
                    perror("relay: a packet is lost"); // a device that is not up yet
                }
                queue.pop_front();
            }
            next = queue.empty() ? next : std::min(next, queue.front().arrives);
        }
        const timespec wait{0, static_cast<long>(1e9 * std::max(next - GetTime(), 0.0))};
        ppoll(polls.data(), polls.size(), &wait, nullptr);
    }
}
