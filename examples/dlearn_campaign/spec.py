# SPDX-License-Identifier: GPL-2.0-only
"""What a campaign runs: reads a SPEC, refuses what makes no sense, expands grids to cells."""

import hashlib
import itertools
import json
import math
import os
import re

OPTION = re.compile(r'[A-Za-z][A-Za-z0-9-]*|ns3(::\w+)+')
OWN = {'RngRun': 'seeds', 'out': 'OUT'}  # options that the campaign sets, and their sources
SHARED = {'program', 'options', 'grid', 'seeds', 'cases'}
BLOCK = SHARED | {'labels'}
FILE = SHARED | {'labels', 'title', 'about', 'blocks'}
DIGITS = 100  # of a whole number, at most; Python refuses to convert some thousands


class Refusal(Exception):
    """A mistake of the user: one line that names thing, value and rule."""


def show(value):
    """A value as the SPEC has it."""
    return json.dumps(value, ensure_ascii=False)


def require(holds, thing, rule, value):
    if not holds:
        raise Refusal(f'{thing} must be {rule}, got {show(value)}')


def is_scalar(value):
    return isinstance(value, (str, int, float))  # bool is an int


def check_texts(value, where):
    """Refuse texts that files and the database cannot hold: names and values, wherever they are."""
    if isinstance(value, str):
        try:
            value.encode()
            sound = '\0' not in value
        except UnicodeEncodeError:
            sound = False
        require(sound, where, 'a text that UTF-8 can hold, without null characters', value)
    elif isinstance(value, dict):
        for name, member in value.items():
            check_texts(name, f'{where}: a name')
            check_texts(member, f'{where}: {name}')
    elif isinstance(value, list):
        for k, member in enumerate(value):
            check_texts(member, f'{where}[{k}]')


def count(number, thing):
    """Such as "1 cell", "2 cells"."""
    return f'{number} {thing}' + ('' if number == 1 else 's')


class Case:
    """What holds for some cells of a grid only: further options, or why they are impossible."""

    def __init__(self, member, where):
        require(isinstance(member, dict), where, 'an object', member)
        refuse_unknown(member, {'when', 'options', 'impossible'}, where)
        self.where = where
        self.when = member.get('when')
        require(isinstance(self.when, dict) and self.when, f'{where}: when',
                'an object that names labels or keys of the grid', self.when)
        for name, values in self.when.items():
            values = values if isinstance(values, list) else [values]
            require(values and all(value is None or is_scalar(value) for value in values),
                    f'{where}: when: {name}', 'a value or a list of values', self.when[name])
            self.when[name] = values
        if ('options' in member) == ('impossible' in member):
            raise Refusal(f'{where} must have either options or impossible, got '
                          f'{show(sorted(member))}')
        self.options = read_options(member.get('options', {}), f'{where}: options', True)
        self.reason = member.get('impossible')
        if 'impossible' in member:
            require(isinstance(self.reason, str) and self.reason.strip(),
                    f'{where}: impossible', 'a reason in words', self.reason)
        self.cells = 0  # to which it applies

    def matches(self, coordinates):
        return all(name in coordinates and show(coordinates[name]) in map(show, values)
                   for name, values in self.when.items())


class Cell:
    """One combination of a grid: a program and its options, for all seeds."""

    def __init__(self, program, coordinates, options, seeds, reason):
        self.number = None  # from 0, in the order of the SPEC
        self.program = program
        self.coordinates = coordinates  # name: value, label, or None: not given
        self.options = options  # name: text
        self.seeds = seeds
        self.reason = reason  # why it is impossible, or None

    def describe(self):
        return ', '.join(f'{name}={value if isinstance(value, str) else show(value)}'
                         for name, value in self.coordinates.items()) or self.program

    def get_id(self, seed):
        """The name of a run; the same run has the same name in every SPEC. The folder that $SPEC
        stands for is no part of it, so that a campaign that is moved keeps its runs; that it is the
        same for all of them, Store.check_folder() sees to."""
        run = json.dumps([self.program, sorted(self.options.items()), seed])
        return hashlib.sha256(run.encode()).hexdigest()[:12]

    def get_options(self, folder):
        """The options with the SPEC's folder in place of $SPEC."""
        return {name: re.sub(r'\$SPEC\b', lambda _: folder, value)
                for name, value in self.options.items()}


class Campaign:
    """All cells of a SPEC."""

    def __init__(self, text):
        tree = parse_json(text)
        if isinstance(tree, list):
            tree = {'blocks': tree}
        require(isinstance(tree, dict), 'the SPEC', 'an object or a list of objects', tree)
        refuse_unknown(tree, FILE, 'the SPEC')
        for name in ('title', 'about'):
            require(isinstance(tree.get(name, ''), str), name, 'a text', tree.get(name))
        self.title = tree.get('title')
        self.about = tree.get('about')
        self.cells = []
        common = {name: value for name, value in tree.items() if name in BLOCK}
        if 'blocks' in tree:
            blocks = tree['blocks']
            require(isinstance(blocks, list) and blocks, 'blocks', 'a list of objects', blocks)
            shared = read_cases(common, '')
            cases = list(shared)
            for k, block in enumerate(blocks):
                where = f'blocks[{k}]: '
                own = read_cases(block, where) if isinstance(block, dict) else []
                cases += own
                self.cells += expand(inherit(common, block, where), shared + own, where)
        else:
            cases = read_cases(common, '')
            self.cells = expand(common, cases, '')
        self._check_cases(cases)
        self._check_duplicates()

    def _check_cases(self, cases):
        for case in cases:
            for name, values in case.when.items():
                known = {show(cell.coordinates[name]) for cell in self.cells
                         if name in cell.coordinates}
                if not known:
                    raise Refusal(f'{case.where}: when: {show(name)} is neither a label nor a key '
                                  'of the grid')
                for value in values:
                    if show(value) not in known:
                        raise Refusal(f'{case.where}: when: {name} must be one of '
                                      f'{", ".join(sorted(known))}, got {show(value)}')
            if not case.cells:
                raise Refusal(f'{case.where} applies to no cell: {show(case.when)}')

    def _check_duplicates(self):
        places, commands = {}, {}
        for number, cell in enumerate(self.cells):
            cell.number = number
            place = show([cell.program, sorted((n, show(v)) for n, v in cell.coordinates.items())])
            if place in places:
                raise Refusal(f'cell {cell.describe()} is there twice; tell them apart by labels')
            places[place] = cell
            if cell.reason is None:
                command = show([cell.program, sorted(cell.options.items())])
                other = commands.setdefault(command, cell)
                if other is not cell:
                    raise Refusal(f'cells {other.describe()} and {cell.describe()} are the same '
                                  f'run: {cell.program} with equal options')

    def check_paths(self, folder, out):
        """Refuse options that name a file of the working directory or of the SPEC's folder, which
        the runs would not find.

        folder: of the SPEC; out: in which runs begin
        """
        for cell in self.cells:
            options = cell.get_options(folder) if cell.reason is None else {}
            for name, value in options.items():
                path = find_relative_path(value, folder, out)
                if path:
                    raise Refusal(f'option {name}: runs begin in OUT, where they do not find {path}; '
                                  'write an absolute path, or one that begins with $SPEC/, as $SPEC '
                                  f'stands for the folder of the SPEC, got {show(value)}')

    def uses_folder(self):
        """Whether runs depend on the folder of the SPEC."""
        return any(cell.get_options('') != cell.options for cell in self.cells if cell.reason is None)

    def get_used_options(self, folder):
        """By program, all options of its cells, each with the first of its values."""
        used = {}
        for cell in self.cells:
            options = cell.get_options(folder) if cell.reason is None else {}
            for name, value in options.items():
                used.setdefault(cell.program, {}).setdefault(name, value)
        return used

    def get_coordinate_names(self):
        names = {}
        for cell in self.cells:
            names.update(dict.fromkeys(cell.coordinates))
        return list(names)

    def get_part(self, index, parts):
        """Cells of part 1, ..., parts. Cells are dealt like cards, each round one place further, so
        that every part has cells of all rows and columns."""
        return [cell for cell in self.cells
                if (cell.number + cell.number // parts) % parts == index - 1]


def find_relative_path(value, folder, out):
    """The relative path in a value such as FILE.txt or csv:DIR/FILE, if it is a file here or in
    folder, but not in out; a name without a dot or a slash may be anything else."""
    for path in (value, value.partition(':')[2]):
        if re.search('[./]', path) and not os.path.isabs(path):
            found = [os.path.isfile(os.path.normpath(os.path.join(place, path)))
                     for place in ('', folder, out)]
            if any(found) and not found[2]:
                return path
    return None


def refuse_twice(pairs):
    members = {}
    for name, value in pairs:
        if name in members:
            raise Refusal(f'member {show(name)} is there twice in one object')
        members[name] = value
    return members


def refuse_constant(text):
    raise Refusal(f'a number must be finite, got {text}')


def read_whole(text):
    if len(text) > DIGITS:
        raise Refusal(f'a whole number must have at most {DIGITS} digits, got {len(text)}: '
                      f'{text[:10]}...')
    return int(text)


def read_float(text):
    if not math.isfinite(float(text)):
        refuse_constant(text)
    return float(text)


def parse_json(text):
    try:
        tree = json.loads(text, object_pairs_hook=refuse_twice, parse_constant=refuse_constant,
                          parse_int=read_whole, parse_float=read_float)
        check_texts(tree, 'the SPEC')
        return tree
    except json.JSONDecodeError as error:
        raise Refusal(f'line {error.lineno}, column {error.colno}: not JSON: {error.msg}') from error
    except RecursionError as error:
        raise Refusal('the SPEC must not be nested so deeply') from error


def refuse_unknown(members, known, where):
    for name in members:
        if name not in known:
            raise Refusal(f'{where}: member {show(name)} is unknown; it may have '
                          f'{", ".join(sorted(known))}')


def check_option(name, where):
    if not OPTION.fullmatch(name):
        raise Refusal(f'{where}: an option must be a name such as loss or ns3::TYPE::ATTRIBUTE, '
                      f'without dashes before it, got {show(name)}')
    if name in OWN:
        raise Refusal(f'{where}: option {name} is set by the campaign, from {OWN[name]}')


def write_value(value, thing):
    """A value as on the command line."""
    require(is_scalar(value), thing, 'a text, a number, true or false', value)
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, float):
        return repr(value)
    text = str(value)
    require(text.isprintable(), thing, 'printable', value)
    return text


def read_options(members, where, removal=False):
    """Options by name; with removal null stands for: not this option."""
    require(isinstance(members, dict), where, 'an object', members)
    options = {}
    for name, value in members.items():
        check_option(name, where)
        options[name] = (None if removal and value is None
                         else write_value(value, f'{where}: {name}'))
    return options


def read_cases(members, where):
    cases = members.get('cases', [])
    require(isinstance(cases, list), f'{where}cases', 'a list of objects', cases)
    return [Case(case, f'{where}cases[{k}]') for k, case in enumerate(cases)]


def read_axis(name, axis, where):
    """Values of a key of the grid: pairs of coordinate and options."""
    thing = f'{where}grid: {name}'
    if isinstance(axis, dict):
        require(axis, thing, 'an object or a list with at least one value', axis)
        return [(label, read_options(options, f'{thing}: {label}', True))
                for label, options in axis.items()]
    require(isinstance(axis, list), thing, 'a list of values or an object of labels', axis)
    require(axis, thing, 'an object or a list with at least one value', axis)
    check_option(name, f'{where}grid')
    values = [(value, {name: None if value is None else write_value(value, thing)})
              for value in axis]
    texts = [options[name] for _, options in values]
    for text in texts:
        if texts.count(text) > 1:
            raise Refusal(f'{thing}: {"null" if text is None else text} is there twice')
    return values


def read_grid(grid, where):
    require(isinstance(grid, dict), f'{where}grid', 'an object', grid)
    axes = {name: read_axis(name, axis, where) for name, axis in grid.items()}
    setters = {}
    for name, values in axes.items():
        for option in {option for _, options in values for option in options}:
            other = setters.setdefault(option, name)
            if other != name:
                raise Refusal(f'{where}grid: {option} is set by {other} and by {name}; say in '
                              'cases what holds for both')
    return axes


def inherit(common, block, where):
    """A block with what all blocks have in common."""
    require(isinstance(block, dict), where.rstrip(': '), 'an object', block)
    refuse_unknown(block, BLOCK, where.rstrip(': '))
    members = {**common, **block}
    for name in ('options', 'grid', 'labels'):
        if isinstance(common.get(name), dict) and isinstance(block.get(name), dict):
            members[name] = {**common[name], **block[name]}
    return members


def expand(block, cases, where):
    """The cells of a block."""
    program = block.get('program')
    require(isinstance(program, str) and program and program.isprintable(), f'{where}program',
            'the name or path of a program', program)
    options = read_options(block.get('options', {}), f'{where}options')
    labels = block.get('labels', {})
    require(isinstance(labels, dict) and all(map(is_scalar, labels.values())), f'{where}labels',
            'an object of values', labels)
    seeds = block.get('seeds')
    require(isinstance(seeds, list) and seeds and all(
        type(seed) is int and 0 <= seed < 2**63 for seed in seeds), f'{where}seeds',
            'a list of whole numbers of at least 0 and below 2^63', seeds)
    require(len(set(seeds)) == len(seeds), f'{where}seeds', 'different', seeds)
    axes = read_grid(block.get('grid', {}), where)
    for name in labels:
        if name in axes:
            raise Refusal(f'{where}{show(name)} must not be a label and a key of the grid')
    cells = []
    for values in itertools.product(*axes.values()):
        coordinates = {**labels, **dict(zip(axes, (value for value, _ in values)))}
        settings = dict(options)
        for _, more in values:
            settings.update(more)
        reason = None
        for case in cases:
            if case.matches(coordinates):
                case.cells += 1
                settings.update(case.options)
                reason = reason or case.reason
        settings = {name: text for name, text in settings.items() if text is not None}
        cells.append(Cell(program, coordinates, settings, seeds, reason))
    return cells
