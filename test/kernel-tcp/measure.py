#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Round times over this machine's TCP beside those of dlearn-fedavg.

    measure.py RELAY PROGRAM [--rounds=N] [--seconds=S] CELL...

RELAY and PROGRAM are the programs relay and dlearn-fedavg. A CELL is CLIENTS,SIZE,RATE,DELAY,LOSS:
in each round a server sends SIZE bytes to each of its clients, which answer with as many after 1 ms;
1 ms after the last answer the next round begins.
Each client is behind a link of its own with RATE Mbit/s, a DELAY of so many ms and a share LOSS of
lost packets. Prints a row a cell; exit status 1 if one is farther apart than its bounds: median 10 %
without loss, mean 25 % and median 15 % up to 0.05, else both 35 %. Without loss all rounds take the
same time, and a mean differs by the pauses of the machine only. What is apart is measured up to
twice more, because such a pause can also meet the round-trip time.

A link in user space takes longer than it says, so dlearn's delay is half of its round-trip time, the
median of 60 datagrams. Needs root, /dev/net/tun and iproute2.
"""

import csv
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile

COMPUTING = 0.001  # seconds of a client, and of the server

COMMON = '''
import socket, sys, threading, time
def tune(s):
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b'cubic')
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s
def receive(s, size):
    while size:
        got = len(s.recv(min(size, 1 << 20)))
        if not got:
            sys.exit()
        size -= got
clients, size, rounds, seconds = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
'''

SERVER = COMMON + '''
echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
echo.bind(('10.77.0.1', 5001))
echo.settimeout(0.3)
listeners = [tune(socket.create_server((f'10.77.{k}.1', 5000))) for k in range(clients)]
print('listening', flush=True)
connections = [tune(listener.accept()[0]) for listener in listeners]
trips = []
for _ in range(60):
    begin = time.monotonic()
    echo.sendto(b'p', ('10.77.0.2', 5002))
    try:
        echo.recv(9)
        trips.append(time.monotonic() - begin)
    except OSError:
        pass
    time.sleep(0.005)
print(sorted(trips)[len(trips) // 2], flush=True)
def exchange(connection):
    connection.sendall(bytes(size))
    receive(connection, size)
start = time.monotonic()
for _ in range(rounds):
    begin = time.monotonic()
    threads = [threading.Thread(target=exchange, args=(c,)) for c in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(float(sys.argv[5]))
    print(time.monotonic() - begin, flush=True)
    if time.monotonic() - start > seconds:
        break
'''

CLIENT = COMMON + '''
def client(k):
    while True:
        s = tune(socket.socket())
        s.bind((f'10.77.{k}.2', 0))
        try:
            s.connect((f'10.77.{k}.1', 5000))
            break
        except OSError:
            time.sleep(0.2)
    while True:
        receive(s, size)
        time.sleep(float(sys.argv[5]))
        s.sendall(bytes(size))
for k in range(clients):
    threading.Thread(target=client, args=(k,), daemon=True).start()
echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
echo.bind(('10.77.0.2', 5002))
while True:
    data, sender = echo.recvfrom(9)
    echo.sendto(data, sender)
'''


def call(command):
    subprocess.run(command.split(), check=True)


def get_real_time():
    """What a command begins with that is not to wait for other work of the machine, where allowed."""
    real_time = ['chrt', '--fifo', '50']
    allowed = subprocess.run([*real_time, 'true'], stderr=subprocess.DEVNULL, check=False)
    return real_time if allowed.returncode == 0 else []


def measure_kernel(relay, cell, rounds, seconds):
    """The round-trip time of the link, and the times of rounds."""
    clients, size, rate, delay, loss = cell
    real_time = get_real_time()
    # It would fill a core for ever when this program is killed.
    run = ['setpriv', '--pdeathsig', 'KILL', *real_time, relay]
    link = subprocess.Popen([*run, str(clients), str(rate * 1e6), str(delay / 1e3), str(loss), '100', '7'],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    link.stdout.readline()
    client = None
    arguments = ['-c', '', str(clients), str(size), str(rounds), str(seconds), str(COMPUTING)]
    try:
        for side, last in (('a', 1), ('b', 2)):
            call(f'ip netns add kt_{side}')
            call(f'ip -n kt_{side} link set lo up')
            for k in range(clients):
                call(f'ip link set kt{k}_{side} netns kt_{side}')
                call(f'ip -n kt_{side} addr add 10.77.{k}.{last}/24 dev kt{k}_{side}')
                call(f'ip -n kt_{side} link set kt{k}_{side} up')
        run = ['ip', 'netns', 'exec', 'kt_a', *real_time, sys.executable, *arguments]
        run[run.index('-c') + 1] = SERVER
        server = subprocess.Popen(run, stdout=subprocess.PIPE, text=True)
        server.stdout.readline()
        run = ['ip', 'netns', 'exec', 'kt_b', *real_time, sys.executable, *arguments]
        run[run.index('-c') + 1] = CLIENT
        client = subprocess.Popen(run, stderr=subprocess.DEVNULL)
        trip = float(server.stdout.readline())
        return trip, [float(line) for line in server.stdout]
    finally:
        link.terminate()
        link.wait()
        if client:
            client.kill()
        for side in 'ab':
            subprocess.run(['ip', 'netns', 'del', f'kt_{side}'], check=False)


def measure_dlearn(program, cell, trip, rounds):
    """The times of rounds."""
    clients, size, rate, _, loss = cell
    with tempfile.TemporaryDirectory() as out:
        subprocess.run(
            [program, '--network=p2p', '--transport=tcp', f'--learners={clients}', '--samples=2',
             f'--dimension={size // 4}', '--sparsity=1', '--heterogeneity=0', '--step-size=1e-9',
             f'--rate={rate}Mbps', f'--delay={trip / 2}s', f'--loss={loss}', f'--rounds={rounds}',
             '--client-flops=1e15', '--timeout=1000s', '--evaluate-every=1000000', f'--out={out}'],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(os.path.join(out, 'rounds.csv'), encoding='utf-8') as file:
            ends = [float(row['time_s']) for row in csv.DictReader(file) if row['role'] == 'server']
    return [b - a for a, b in zip(ends, ends[1:])]


def main():
    options = {'rounds': '200', 'seconds': '60'}
    given = [word for word in sys.argv[1:] if not word.startswith('--')]
    options.update(word[2:].split('=', 1) for word in sys.argv[1:] if word.startswith('--'))
    relay, program, cells = given[0], given[1], given[2:]
    rounds = int(options['rounds'])
    print(f'Linux {platform.release()}, cubic')
    print('clients   bytes Mbit/s  ms    loss rounds      kernel s mean median'
          '      dlearn s mean median    ratio')
    apart = 0
    for text in cells:
        numbers = text.split(',')
        cell = (int(numbers[0]), int(numbers[1]), float(numbers[2]), float(numbers[3]), float(numbers[4]))
        loss = cell[4]
        bounds = (math.inf, 0.1) if loss == 0 else (0.25, 0.15) if loss <= 0.05 else (0.35, 0.35)
        for _ in range(3):
            trip, kernel = measure_kernel(relay, cell, rounds, float(options['seconds']))
            simulated = measure_dlearn(program, cell, trip, max(rounds, 2))
            both = [(statistics.mean(times), statistics.median(times)) for times in (kernel, simulated)]
            ratios = [b / a for a, b in zip(*both)]
            far = any(abs(ratio - 1) > bound for ratio, bound in zip(ratios, bounds))
            print(f'{cell[0]:7} {cell[1]:7} {cell[2]:6g} {cell[3]:3g} {loss:7g} {len(kernel):6} '
                  f'{both[0][0]:18.5f} {both[0][1]:.5f} {both[1][0]:18.5f} {both[1][1]:.5f} '
                  f'{ratios[0]:8.2f} {ratios[1]:.2f}{"  apart" if far else ""}', flush=True)
            if not far:
                break
        apart += far
    print(f'{len(cells) - apart} of {len(cells)} within the bounds')
    return 1 if apart else 0


if __name__ == '__main__':
    sys.exit(main())
