# SPDX-License-Identifier: GPL-2.0-only
"""The folder OUT of a campaign: its locks, its joblog, and what a run left behind."""

import fcntl
import os
import shlex
import tempfile

from .spec import Refusal, show

RUN_SCRIPT = '''#!/bin/sh
# Written by dlearn-campaign. One run of the campaign: sh run.sh ID
cd "$(dirname "$0")" || exit
id=$1
case $id in
{runs}
*)
    echo "run.sh: there is no run '$id'" >&2
    exit 2
    ;;
esac
if [ ! -x "$1" ]; then # on another host, where the program is elsewhere
    program=${{1##*/}}
    shift
    set -- "$program" "$@"
fi
rm -rf "runs/$id"
mkdir -p "runs/$id" || exit
"$@" --out="runs/$id" >"runs/$id/stdout.txt" 2>"runs/$id/stderr.txt" </dev/null
status=$?
# Of gathered files, to detect later damage.
for file in "runs/$id"/*.csv "runs/$id/results.jsonl" "runs/$id/summary.json"; do
    [ ! -f "$file" ] || printf '%s %s\\n' "$(wc -c <"$file")" "${{file##*/}}"
done >"runs/$id/sizes.txt"
echo $status >"runs/$id/exit.txt"
exit $status
'''


def write_file(path, text):
    """Replace a file, whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix='.new-')
    with os.fdopen(handle, 'w', encoding='utf-8') as file:
        file.write(text)
    umask = os.umask(0)
    os.umask(umask)
    os.chmod(temporary, 0o666 & ~umask)
    os.replace(temporary, path)


class Run:
    """A cell with a seed."""

    def __init__(self, cell, seed):
        self.cell = cell
        self.seed = seed
        self.id = cell.get_id(seed)
        self.status = 'pending'  # or done, failed
        self.exit_code = None
        self.signal = None
        self.wall_s = None
        self.host = None
        self.reason = None  # of a failure
        self.damage = None  # why it is pending, although it was done


class Store:
    """The folder of a campaign."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self._locks = []

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def open(self, create):
        """Make the folder, unless it exists, and lock it against a second runner.

        create: whether it may be a new one
        """
        if not create and not os.path.exists(self.path('lock')):
            raise Refusal(f'OUT must be the folder of a campaign, got {self.folder}')
        if os.path.lexists(self.folder):
            if not os.path.isdir(self.folder):
                raise Refusal(f'OUT must be a folder, got the file {self.folder}')
            if os.listdir(self.folder) and not os.path.exists(self.path('lock')):
                raise Refusal(f'OUT must be new, empty or the folder of a campaign, got '
                              f'{self.folder}')
        try:
            os.makedirs(self.path('runs'), exist_ok=True)
            self.lock = self._open_lock('lock')
        except OSError as error:
            raise Refusal(f'OUT {self.folder}: {error.strerror}') from error
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self.lock, 20).decode(errors='replace').strip()
            raise Refusal(f'OUT {self.folder} is in use by another campaign, process {holder}') \
                from None
        os.truncate(self.lock, 0)
        os.write(self.lock, f'{os.getpid()}\n'.encode())

    def check_folder(self, folder, note):
        """Refuse a folder of the SPEC other than that of the runs that are there: they have the same
        ids, but $SPEC stands for other files. Were the folder a part of the ids, a campaign that is
        moved would do all of its runs again. So the folder is the same one, or at the same place as
        seen from OUT.

        note: whether to write down which folder it is
        """
        path = self.path('spec-folder')
        folder = os.path.realpath(folder)
        places = [show(folder), show(os.path.relpath(folder, os.path.realpath(self.folder)))]
        if os.path.exists(path):
            with open(path, encoding='utf-8', errors='replace') as file:
                known = file.read().split('\n')
            if not set(places) & set(known):
                raise Refusal(f'$SPEC must stand for the same folder as in the runs of OUT, '
                              f'{known[0]}, got {places[0]}; use another OUT, or delete {path} if '
                              'the folder was moved')
        if note:
            write_file(path, '\n'.join(places) + '\n')

    def wait_for_workers(self, say):
        """Take the lock that running runs hold, too. They may be left of a runner that was killed:
        those finish, and no new ones begin."""
        self.workers = self._open_lock('workers')
        try:
            fcntl.flock(self.workers, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say('waiting for the runs that a killed campaign left at work')
            fcntl.flock(self.workers, fcntl.LOCK_EX)

    def _open_lock(self, name):
        handle = os.open(self.path(name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        self._locks.append(handle)  # kept open
        return handle

    def write_run_script(self, runs, programs, folder):
        """run.sh, which knows the command of every run.

        programs: paths by name in the SPEC; folder: of the SPEC
        """
        lines = []
        for run in runs:
            words = [programs[run.cell.program]] + write_options(run.cell.get_options(folder), run.seed)
            lines.append(f'{run.id}) set -- {shlex.join(words)} ;;')
        write_file(self.path('run.sh'), RUN_SCRIPT.format(runs='\n'.join(lines)))

    def read_joblog(self):
        """The last line of each run in the joblogs of GNU parallel and of Slurm's tasks; one that
        says that it is done wins."""
        names = [self.path('joblog')]
        slurm = self.path('slurm')
        if os.path.isdir(slurm):
            names += [os.path.join(slurm, name) for name in sorted(os.listdir(slurm))
                      if name.endswith('.joblog')]
        entries = {}
        for name in names:
            if not os.path.exists(name):
                continue
            with open(name, encoding='utf-8', errors='replace') as file:
                for line in file:
                    fields = line.rstrip('\n').split('\t')
                    if len(fields) != 9 or not line.endswith('\n') or fields[0] == 'Seq':
                        continue
                    run = fields[8].split()[-1]
                    try:
                        entry = (int(fields[6]), int(fields[7]), float(fields[3]), fields[1])
                    except ValueError:
                        continue
                    if entries.get(run, (1, 1))[:2] != (0, 0):
                        entries[run] = entry
        return entries

    def forget(self, runs):
        """Take runs, which failed, out of the joblogs."""
        ids = {run.id for run in runs}
        path = self.path('joblog')
        if os.path.exists(path):
            with open(path, encoding='utf-8', errors='replace') as file:
                write_file(path, ''.join(line for line in file if line.split()[-1:] and
                                         line.split()[-1] not in ids and line.endswith('\n')))
        for run in runs:
            path = self.path('slurm', f'{run.id}.joblog')
            if os.path.exists(path):
                os.unlink(path)

    def find_outcomes(self, runs):
        """Look up what became of the runs. A run that ended well while the tool was ended is not in
        the joblog, but says so itself. One whose files are no longer those that it left is pending,
        as to repeat it mends them."""
        entries = self.read_joblog()
        for run in runs:
            run.status, run.damage = 'pending', None
            entry = entries.get(run.id)
            if entry:
                run.exit_code, run.signal, run.wall_s, run.host = entry
            if entry and entry[:2] != (0, 0):
                run.status = 'failed'
                run.reason = self._describe_failure(run)
            elif read_last_line(self.path('runs', run.id, 'exit.txt')) == '0':
                run.exit_code = 0
                run.damage = self._find_damage(run)
                run.status = 'pending' if run.damage else 'done'
            elif entry and os.path.isdir(self.path('runs', run.id)):
                run.damage = f'{self.path("runs", run.id, "exit.txt")} must say 0, as the joblog does'

    def _find_damage(self, run):
        """The damage since the end of the run, or None. Runs of older versions have no sizes.txt."""
        folder = self.path('runs', run.id)
        sizes = os.path.join(folder, 'sizes.txt')
        if not os.path.exists(sizes):
            return None
        with open(sizes, encoding='utf-8', errors='surrogateescape') as file:
            for line in file:
                size, _, name = line.strip().partition(' ')
                path = os.path.join(folder, name)
                found = str(os.path.getsize(path)) if os.path.isfile(path) else 'none'
                if found != size:
                    return f'{path} must have {size} bytes, as when the run ended, got {found}'
        return None

    def _describe_failure(self, run):
        code = f'signal {run.signal}' if run.signal else f'exit status {run.exit_code}'
        line = read_last_line(self.path('runs', run.id, 'stderr.txt'))
        return f'{code}: {line}' if line else f'{code}, without a word on stderr'


def write_options(options, seed):
    return [f'--{name}={text}' for name, text in options.items()] + [f'--RngRun={seed}']


def read_last_line(path):
    try:
        with open(path, 'rb') as file:
            file.seek(max(0, os.path.getsize(path) - 10000))
            lines = file.read().decode(errors='replace').split('\n')
    except OSError:
        return ''
    return next((line.strip() for line in reversed(lines) if line.strip()), '')
