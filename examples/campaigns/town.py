#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Write the cars of a small town as floating car data of SUMO:

    town.py SPEED CARS > town.xml

Two roads of 400 m cross at (200, 200). Every five seconds a car enters at one of their four ends, in
turn, drives SPEED m/s, goes straight on or turns at the crossing, and leaves the town at another end.
"""

import sys

ENDS = [(0, 200), (200, 0), (400, 200), (200, 400)]  # west, south, east, north
GAP = 5  # seconds between two cars


def place(car, way):
    """Where a car is after so many metres."""
    (x, y), middle = (ENDS[car % 4], 200) if way <= 200 else (ENDS[(car + 1 + car // 4 % 3) % 4], 200)
    share = abs(way - 200) / 200  # of the way between the crossing and the end
    return middle + share * (x - middle), middle + share * (y - middle)


def main():
    speed, cars = float(sys.argv[1]), int(sys.argv[2])
    step = 2.5 if speed > 10 else 5  # seconds
    print('<fcd-export>')
    for k in range(int((GAP * (cars - 1) + 400 / speed) / step) + 2):  # the last one is without cars
        print(f'<timestep time="{k * step:.2f}">')
        for car in range(cars):
            way = speed * (k * step - GAP * car)
            if 0 <= way <= 400:
                x, y = place(car, way)
                print(f'<vehicle id="car{car}" x="{x:g}" y="{y:g}"/>')
        print('</timestep>')
    print('</fcd-export>')


if __name__ == '__main__':
    main()
