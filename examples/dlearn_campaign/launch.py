# SPDX-License-Identifier: GPL-2.0-only
"""How runs are executed: by GNU parallel, here or on other hosts, or by Slurm."""

import ctypes
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

from .spec import Refusal
from .store import write_file

ATTEMPTS = 2  # a run that fails is tried once more
SLURM_TASKS = 1000  # an array of Slurm's has no more, unless it is configured otherwise
SLURM_SCRIPT = '''#!/bin/sh
# Written by dlearn-campaign. Each task of the array executes every {tasks}th line of slurm/pending.
#SBATCH --job-name={name}
#SBATCH --array=1-{tasks}{limit}
#SBATCH --output=slurm/%a.txt
cd {folder} || exit
failed=0
for id in $(sed -n "${{SLURM_ARRAY_TASK_ID}}~{tasks}p" slurm/pending); do
    for attempt in {attempts}; do
        begin=$(date +%s.%3N)
        sh run.sh "$id"
        status=$?
        end=$(date +%s.%3N)
        [ $status -ne 0 ] || break
    done
    [ $status -eq 0 ] || failed=1
    # A line as in a joblog of GNU parallel.
    duration=$(awk -v begin="$begin" -v end="$end" 'BEGIN {{ printf "%.3f", end - begin }}')
    printf '1\\t%s\\t%s\\t%s\\t0\\t0\\t%d\\t0\\tsh run.sh %s\\n' \\
        "$(uname -n)" "$begin" "$duration" "$status" "$id" >"slurm/$id.joblog"
done
exit $failed
'''


class Interrupted(Exception):
    """The user wants the campaign to end."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.number = number


def interrupt(number, _frame):
    raise Interrupted(number)


def require_parallel():
    path = shutil.which('parallel')
    if path:
        with open(path, 'rb') as file:
            if b'perl' in file.readline():  # another program of this name is not a Perl script
                return
    raise Refusal('GNU parallel is missing; on Debian: apt-get install parallel')


def check_options(name, path, options):
    """Have a program of dlearn refuse options that it does not know, before anything runs. Others
    need not know --help.

    name: of the program in the SPEC; path: where it is; options: a value of each of its options
    """
    if not os.path.basename(path).startswith('dlearn-'):
        return
    words = [f'--{option}={value}' for option, value in options.items()]
    child = subprocess.run([path, *words, '--help'], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if child.returncode:
        text = child.stderr.decode(errors='replace').strip()
        raise Refusal(f'program {name}: {text.partition("error: ")[2] or text}')


def write_pending(path, runs):
    write_file(path, ''.join(f'{run.id}\n' for run in runs))


def get_command(jobs, hosts):
    """The words of GNU parallel's command, to be executed in OUT."""
    words = ['parallel', '--joblog=+joblog', f'--retries={ATTEMPTS}', f'--jobs={jobs or "100%"}']
    if hosts:
        words += [f'--sshlogin={host}' for host in hosts]
        words += ['--workdir=...', '--transferfile=run.sh', '--return=runs/{}', '--cleanup']
    return words + ['sh', 'run.sh', '{}', '::::', 'pending']


def write_slurm_script(store, runs, name, jobs):
    """OUT/campaign.sbatch and the list of its runs."""
    os.makedirs(store.path('slurm'), exist_ok=True)
    write_pending(store.path('slurm', 'pending'), runs)
    script = SLURM_SCRIPT.format(name=re.sub(r'[^\w.-]', '_', name),
                                 tasks=min(len(runs), SLURM_TASKS),
                                 limit=f'%{jobs}' if jobs else '',
                                 folder=shlex.quote(store.folder),
                                 attempts=' '.join(map(str, range(1, ATTEMPTS + 1))))
    write_file(store.path('campaign.sbatch'), script)


def print_commands(kind, store, runs, name, jobs, hosts):
    """Prepare OUT for commands of the user's, and print these."""
    write_pending(store.path('pending'), runs)
    if kind == 'slurm':
        write_slurm_script(store, runs, name, jobs)
        print(f'cd {shlex.quote(store.folder)} && sbatch campaign.sbatch')
    else:
        command = shlex.join(get_command(jobs, hosts))
        print(f'cd {shlex.quote(store.folder)} && {command}')


def follow_parent():
    """In the child: when the runner is killed, GNU parallel begins no further run (SIGHUP)."""
    try:
        ctypes.CDLL(None).prctl(1, int(signal.SIGHUP))  # PR_SET_PDEATHSIG
    except AttributeError:
        pass  # not Linux: GNU parallel continues to the end, and the next runner waits for it


def execute(store, runs, jobs, hosts, watch):
    """Run GNU parallel and wait for it; watch() is called several times a second.

    A signal ends the runs, too, and raises Interrupted.
    """
    write_pending(store.path('pending'), runs)
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    child = None
    old = {number: signal.signal(number, interrupt) for number in signals}
    try:
        with open(store.path('parallel.log'), 'a+b') as log:
            begin = log.seek(0, os.SEEK_END)
            # Its own session: a Ctrl-C of the terminal reaches the runner only, which ends the
            # runs in an orderly way. Runs inherit the lock, which shows those that are left.
            # GNU parallel 20221122 starts nothing on other hosts where SHELL is not set.
            environment = {**os.environ, 'PARALLEL_SHELL': '/bin/sh'}
            child = subprocess.Popen(get_command(jobs, hosts), cwd=store.folder, env=environment,
                                     stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                     start_new_session=True, pass_fds=(store.workers,),
                                     preexec_fn=follow_parent)
            while child.poll() is None:
                watch()
                time.sleep(0.2)
            watch()
            log.seek(begin)
            return log.read().decode(errors='replace').strip()
    except Interrupted:
        for number in signals:
            signal.signal(number, signal.SIG_IGN)
        if child:
            end_child(child)
        raise
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def find_session(session):
    """The processes of a session, where there is a /proc."""
    members = []
    for name in os.listdir('/proc') if os.path.isdir('/proc/self') else []:
        try:
            with open(f'/proc/{name}/stat', encoding='utf-8', errors='replace') as file:
                fields = file.read().rpartition(')')[2].split()  # state, parent, group, session
        except OSError:
            continue  # it ended meanwhile, or is not a process
        if fields[0] != 'Z' and int(fields[3]) == session:
            members.append(int(name))
    return members


def end_child(child):
    """End GNU parallel and the runs. It passes SIGTERM on, except to a run that it is just
    starting; runs left after that get SIGTERM from here, and SIGKILL when that does not help."""
    child.terminate()
    try:
        child.wait(30)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    for attempt in range(100):
        members = find_session(child.pid)
        if not members:
            return
        for member in members:
            try:
                os.kill(member, signal.SIGTERM if attempt < 50 else signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.1)
