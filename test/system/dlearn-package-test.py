#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages of a build folder, and what is done with them: a program, the tool of campaigns,
and a project of CMake that is built with the library.

    dlearn-package-test.py BUILD_FOLDER

The packages are unpacked, not installed. Exit status 77 where there is no dpkg, which ctest shows.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv.pop(1))
PROJECT = '''cmake_minimum_required(VERSION 3.18)
project(mine CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(dlearn REQUIRED)
add_executable(mine ${SOURCE})
target_link_libraries(mine dlearn::dlearn)
'''


def run(*words, folder):
    """The standard output of a command, which must succeed."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f'{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}'
    return done.stdout


class PackageTest(unittest.TestCase):
    """One set of packages for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run('cpack', '-G', 'DEB', '-B', cls.folder, '--config', f'{BUILD}/CPackConfig.cmake',
            folder=cls.folder)
        cls.packages = sorted(glob.glob(f'{cls.folder}/*.deb'))
        for package in cls.packages:
            run('dpkg-deb', '-x', package, f'{cls.folder}/root', folder=cls.folder)
        cls.bin = f'{cls.folder}/root/usr/bin'

    def test_names(self):
        names = {os.path.basename(path).split('_')[0] for path in self.packages}
        self.assertEqual(names - {'libdlearn-torch'},
                         {'dlearn-programs', 'libdlearn', 'libdlearn-dev'})

    def test_dependencies(self):
        depends = {os.path.basename(path).split('_')[0]:
                   run('dpkg-deb', '-f', path, 'Depends', folder=self.folder)
                   for path in self.packages}
        self.assertIn('libns3', depends['libdlearn'])
        self.assertIn('libdlearn (= ', depends['dlearn-programs'])
        self.assertIn('libns3-dev', depends['libdlearn-dev'])

    def test_program(self):
        printed = run(f'{self.bin}/dlearn-fedavg', '--rounds=2', '--network=p2p', folder=self.folder)
        self.assertIn('Report: results/dlearn-fedavg/report.html', printed)
        linked = run('ldd', f'{self.bin}/dlearn-fedavg', folder=self.folder)
        self.assertIn(f'{os.path.realpath(self.folder)}/root', os.path.realpath(
            next(line.split()[2] for line in linked.splitlines() if 'libdlearn.so' in line)))

    def test_campaign(self):
        self.assertIn('SPEC', run(f'{self.bin}/dlearn-campaign', '--help', folder=self.folder))

    def test_learner(self):
        env = dict(os.environ, PYTHONPATH=f'{self.folder}/root/usr/lib/python3/dist-packages')
        subprocess.run(['python3', '-c', 'import dlearn_learner'], env=env, check=True)

    def test_project(self):
        folder = f'{self.folder}/mine'
        os.mkdir(folder)
        with open(f'{folder}/CMakeLists.txt', 'w', encoding='utf-8') as file:
            file.write(PROJECT)
        run('cmake', '-S', '.', '-B', 'build', f'-DCMAKE_PREFIX_PATH={self.folder}/root/usr',
            f'-DSOURCE={ROOT}/examples/dlearn-first-steps.cc', folder=folder)
        run('cmake', '--build', 'build', folder=folder)
        self.assertIn('accuracy: 0.964625', run('build/mine', folder=folder))


if __name__ == '__main__':
    if shutil.which('dpkg-deb') is None or shutil.which('dpkg-shlibdeps') is None:
        print('skipped: no dpkg; on Debian: apt-get install dpkg-dev')
        sys.exit(77)
    unittest.main()
