#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The pages of real runs, in headless Chromium: report.html, the page of dlearn-compare and that of a campaign.

Each page is opened from disk on a light and a dark screen, and on both 400 pixels wide. Nothing may be said
on the console, nothing may be loaded besides, every chart and drawing must have something in it, also
after the buttons are pressed, charts must show values under the pointer, and nothing may be wider than
the screen. The tables of a comparison are those that dlearn-compare prints, which computes them for
itself, and what the scripts compute besides is compared with numbers by hand (dlearn-page-values.json).
Needs DLEARN_PROGRAMS, the folder of the programs. Without Chromium (chromium, chromium-browser or
google-chrome in PATH) the exit status is 77: skipped.
"""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'examples'))
sys.dont_write_bytecode = True
from dlearn_campaign import template  # noqa: E402

# Before everything else of the page: what goes wrong.
LISTEN = """<script>
window.faults = [];
addEventListener('error', e => faults.push(e.message), true);
addEventListener('unhandledrejection', e => faults.push(String(e.reason)));
</script>"""

# After everything else: what there is to see, told to the page around it.
LOOK = """<script>
function isBlank(canvas) {
  const copy = Object.assign(document.createElement('canvas'), {width: canvas.width, height: canvas.height});
  const context = copy.getContext('2d', {willReadFrequently: true});
  context.drawImage(canvas, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
  return pixels.every(p => p === pixels[0]);
}
// Move the pointer to the middle of each chart.
function hover() {
  for (const canvas of document.querySelectorAll('.chart canvas:last-of-type')) {
    const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent('mousemove', {
      bubbles: true, clientX: box.left + box.width / 2, clientY: box.top + box.height / 2}));
  }
}
function look() {
  const charts = [...document.querySelectorAll('.chart')];
  const drawings = [...document.querySelectorAll('main svg')];
  const page = makePage(JSON.parse(document.getElementById('data').textContent));
  return {
    page,
    charts: charts.length,
    blank: charts.filter(c => [...c.querySelectorAll('canvas')].every(isBlank)).length,
    drawings: drawings.length,
    empty: drawings.filter(d => d.getBBox().width < 100 || d.getBBox().height < 10).length,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    width: innerWidth,
    hovered: charts.filter(c => c.parentElement.querySelector('.legend').textContent.includes('at ')).length,
    axes: [...new Set([...document.querySelectorAll('.axis')].map(a => a.textContent))],
    events: document.querySelectorAll('.event').length,
    towns: document.querySelectorAll('svg .town').length,
    ways: document.querySelectorAll('svg path[stroke-dasharray]').length,
    spots: [...document.querySelectorAll('svg circle')].map(c => c.getAttribute('cx')).join(),
    drawn: Number(document.documentElement.dataset.drawn),
    resources: performance.getEntriesByType('resource').map(r => r.name),
    background: getComputedStyle(document.body).backgroundColor,
    library: typeof Dygraph !== 'undefined',
    faults: faults.concat([...document.querySelectorAll('.fault')].map(f => f.textContent)),
  };
}
setTimeout(() => {
  const before = look();
  document.querySelectorAll('main button').forEach(b => b.click());
  document.querySelectorAll('main details').forEach(d => { d.open = true; });
  document.querySelectorAll('main input[type=range]').forEach(slider => {
    slider.value = slider.max / 2;
    slider.dispatchEvent(new Event('input'));
  });
  hover();
  setTimeout(() => parent.postMessage({before, after: look()}, '*'), 300);
}, 700);
</script>"""

# Nodes with places: towns of the United States.
TOPOLOGY = ROOT / 'examples' / 'campaigns' / 'abilene.graphml'
# Expressions of the scripts and their values by hand.
VALUES = pathlib.Path(__file__).resolve().parent / 'inputs' / 'dlearn-page-values.json'

FRAME = """<!DOCTYPE html><body style="margin:0"><pre id="seen"></pre>
<script>addEventListener('message', e => { seen.textContent = JSON.stringify(e.data); });</script>
<iframe src="%s" style="border:0;width:%dpx;height:900px"></iframe>"""


def find_browser():
    for name in ('chromium', 'chromium-browser', 'google-chrome'):
        if shutil.which(name):
            return shutil.which(name)
    return None


def run(*command, cwd):
    """Run a program of dlearn, which must end well."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'{command}: {done.stderr}')
    return done.stdout


def make_pages(programs, folder):
    """A run with everything that a report can show, a federation, and a comparison."""
    run(f'{programs}/dlearn-ldp-online', '--learners=6', '--graph=complete', '--network=p2p', '--loss=0.1',
        '--transport=udp', '--deadline=50ms', '--rounds=60', '--evaluate-every=5', '--churn=crash:3@1s',
        '--byzantine=1', '--attack=SignFlipping', '--aggregator=Median', '--energy',
        '--tx-joules-per-bit=1e-7', '--rx-joules-per-bit=1e-7', '--out=peers', cwd=folder)
    for network, *energy in (('p2p', '--energy', '--tx-joules-per-bit=1e-7', '--rx-joules-per-bit=1e-7'),
                             ('wifi-infra',)):
        for seed in (1, 2, 3):
            run(f'{programs}/dlearn-fedavg', f'--network={network}', '--learners=4', '--data=glyphs',
                '--data-samples=400', '--rounds=6', '--step-size=0.2', '--client-test=0.2', f'--RngRun={seed}',
                f'--out={network}-{seed}', *energy, cwd=folder)
    for name, target, seeds in (('compare', 'accuracy:0.1', (1, 2, 3)), ('pair', '', (1,))):
        (folder / f'{name}.txt').write_text(run(
            f'{programs}/dlearn-compare', f'--target={target}', f'--out={name}.html',
            *[f'{network}-{seed}' for network in ('p2p', 'wifi-infra') for seed in seeds], 'peers', cwd=folder))
    run(f'{programs}/dlearn-ldp-online', '--network=wifi-adhoc', '--mobility=random-waypoint,speed=20',
        '--learners=5', '--rounds=40', '--client-flops=5e6', '--out=motion', cwd=folder)
    run(f'{programs}/dlearn-fedavg', f'--network=backbone:{TOPOLOGY}', '--learners=12', '--rounds=5',
        '--cross-traffic=constant:20Mbps:*to0', '--out=towns', cwd=folder)
    run(f'{programs}/dlearn-wireless-edge', '--rounds=3', '--out=demo', cwd=folder)
    cells = [{'state': state, 'word': word, 'note': word, 'coordinates': ['a', loss],
              'figures': [[0.5, 0.75], []], 'done': 2, 'warned': 1, 'warnings': ['seed 1: so'],
              'runs': [[1, None, 'done'], [2, 'peers/report.html', 'done']], 'command': 'probe'}
             for state, word, loss in (('done', '', '0'), ('failed', 'failed', '0.5'))]
    (folder / 'index.html').write_text(template.make_page({'campaign': {
        'title': 'campaign', 'about': '', 'counts': '2 cells', 'names': ['who', 'loss'], 'cells': cells,
        'figures': [['accuracy', 1, 4], ['loss', 1, 4]]}}))
    return {'report of peers': 'peers/report.html', 'report of a federation': 'p2p-1/report.html',
            'comparison': 'compare.html', 'pair': 'pair.html', 'campaign': 'index.html',
            'motion': 'motion/report.html', 'towns': 'towns/report.html',
            'demo': 'demo/report.html'}


def browse(browser, folder, *arguments):
    """What Chromium says on stdout, and the lines of the console of the page."""
    done = subprocess.run(
        [browser, '--headless', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr',
         f'--user-data-dir={folder}/profile', '--virtual-time-budget=6000', *arguments],
        capture_output=True, text=True, timeout=120)
    return done.stdout, [line for line in done.stderr.splitlines() if 'CONSOLE' in line]


def see(browser, folder, page, width, dark):
    """What the probe saw of a page on a screen."""
    text = (folder / page).read_text(encoding='utf-8')
    text = text.replace('<body>', '<body>' + LISTEN, 1)
    head, _, tail = text.rpartition('</body>')
    (folder / 'probed.html').write_text(head + LOOK + '</body>' + tail, encoding='utf-8')
    (folder / 'frame.html').write_text(FRAME % ('probed.html', width), encoding='utf-8')
    dom, console = browse(browser, folder, '--window-size=1400,1000',
                          f'--blink-settings=preferredColorScheme={0 if dark else 1}', '--dump-dom',
                          f'file://{folder}/frame.html')
    begin = dom.find('<pre id="seen">') + len('<pre id="seen">')
    seen = dom[begin:dom.find('</pre>', begin)].replace('&amp;', '&').replace('&lt;', '<').replace('&gt;', '>')
    return json.loads(seen) if seen else None, console


def check(name, seen, console, dark, width):
    """All complaints about a page on a screen."""
    if seen is None:
        return [f'{name}: the probe was not heard; console: {console}']
    types = [part['type'] for section in seen['before']['page']['sections'] for part in section['parts']]
    library = seen['before']['library']
    charts = sum(t in ('curves', 'stack') for t in types) if library else 0
    drawings = sum(t in ('heat', 'gantt', 'map') for t in types)
    complaints = [f'console: {line}' for line in console]
    for when in ('before', 'after'):
        what = seen[when]
        wanted = {'charts': charts, 'blank': 0, 'drawings': drawings, 'empty': 0, 'wide': 0, 'width': width,
                  'drawn': charts + drawings, 'resources': [], 'faults': []}
        complaints += [f'{when} the buttons: {key} is {what[key]} instead of {value}'
                       for key, value in wanted.items() if what[key] != value]
        red = int(what['background'].split('(')[1].split(',')[0])
        if (red < 100) != dark:
            complaints.append(f'background {what["background"]}')
    if seen['after']['hovered'] != charts or seen['before']['hovered'] != 0:
        complaints.append(f'values under the pointer in {seen["after"]["hovered"]} of {charts} charts')
    # Which have the axis that is chosen last.
    joules = name in ('report of peers', 'report of a federation', 'comparison', 'pair')
    last = 'spent by all learners (joules)' if joules else 'sent by all learners (bytes)'
    if library and charts and last not in seen['after']['axes']:
        complaints.append(f'no axis "{last}": {seen["after"]["axes"]}')
    if library and 'peers' in name and seen['before']['events'] == 0:
        complaints.append('no event on the charts')
    wanted = {'towns': {'towns': 11}, 'motion': {'towns': 0, 'ways': 5}}.get(name, {})
    complaints += [f'{key}: {seen["before"][key]} instead of {value}' for key, value in wanted.items()
                   if seen['before'][key] != value]
    if (seen['before']['spots'] != seen['after']['spots']) != (name == 'motion'):
        complaints.append('the slider of the map does not move learners, or others do')
    return [f'{name}, {width} px, {"dark" if dark else "light"}: {c}' for c in complaints]


def check_comparison(printed, page):
    """Complaints where a page has another sentence, cell or note than dlearn-compare printed."""
    section = next(section for section in page['sections'] if section['title'] == 'Comparison')
    words = [page['sentence'], section['note']] + [part['title'] for part in section['parts']]
    complaints = [f'not printed: {text}' for text in words if f'\n{text}\n' not in printed]
    lines = {' '.join(line.split()) for line in printed.splitlines()}
    rows = [row for part in section['parts'] for row in [part['columns'], *part['rows']]]
    complaints += [f'not printed: {row}' for row in rows if ' '.join(' '.join(row).split()) not in lines]
    if len(rows) < 20:
        complaints.append(f'only {len(rows)} rows to compare')
    return complaints


def check_report(folder, page):
    """Complaints where a report has other numbers than summary.json."""
    summary = json.loads((folder / 'summary.json').read_text(encoding='utf-8'))
    tiles = {name: value for value, name in page['tiles']}
    final = summary['final']
    wanted = {'final accuracy': f'{final["accuracy"]:.4g}', 'final loss': f'{final["loss"]:.4g}',
              'rounds closed': str(final['rounds']), 'largest epsilon': f'{final["epsilon_max"]:.4g}',
              'delivered in all rounds': f'{100 * final["delivered"]:.4g} %',
              'spent by all': f'{summary["totals"]["energy_j"]:.4g} J'}
    complaints = [f'{name}: {tiles.get(name)} instead of {value}' for name, value in wanted.items()
                  if tiles.get(name) != value]
    titles = [section['title'] for section in page['sections']]
    if titles != ['Learning', 'Privacy', 'Where the time goes', 'Messages', 'Learners', 'Events', 'Settings']:
        complaints.append(f'sections: {titles}')
    if page['command'] != summary['command'] or 'dlearn-ldp-online' not in shlex.split(page['command'])[0]:
        complaints.append(f'command: {page["command"]}')
    return complaints


def check_values(browser, folder):
    """Complaints about expressions of the scripts; numbers may differ by 1e-6."""
    cases = json.loads(VALUES.read_text(encoding='utf-8'))
    page = template.make_page({'runs': []}).replace('drawPage();', 'null;')
    probe = ('<pre id="seen"></pre><script>document.getElementById("seen").textContent = JSON.stringify(%s.map('
             'text => { try { return eval(`(${text})`); } catch (error) { return String(error); } }));</script></body>')
    texts = json.dumps([text for text, _ in cases]).replace('<', '\\u003c')
    head, _, tail = page.rpartition('</body>')
    (folder / 'values.html').write_text(head + probe % texts + tail, encoding='utf-8')
    dom, console = browse(browser, folder, '--dump-dom', f'file://{folder}/values.html')
    text = dom.split('<pre id="seen">')[1].split('</pre>')[0]
    seen = json.loads(text.replace('&lt;', '<').replace('&gt;', '>').replace('&amp;', '&'))

    def same(a, b):
        if isinstance(a, list) and isinstance(b, list):
            return len(a) == len(b) and all(map(same, a, b))
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return abs(a - b) <= 1e-6 * max(1, abs(b))
        return a == b
    return console + [f'{text} is {json.dumps(value)} instead of {json.dumps(wanted)}'
                      for (text, wanted), value in zip(cases, seen) if not same(value, wanted)]


def main():
    browser = find_browser()
    if not browser:
        print('skipped: no Chromium; on Debian: apt-get install chromium')
        return 77
    programs = os.environ.get('DLEARN_PROGRAMS')
    if not programs:
        print('skipped: DLEARN_PROGRAMS is not set')
        return 77
    complaints = []
    with tempfile.TemporaryDirectory(prefix='dlearn-page-', ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        for title, path in make_pages(os.path.abspath(programs), folder).items():
            for width, dark in ((1300, False), (1300, True), (400, False), (400, True)):
                seen, console = see(browser, folder, path, width, dark)
                complaints += check(title, seen, console, dark, width)
            if seen and title in ('comparison', 'pair'):
                printed = (folder / path).with_suffix('.txt').read_text(encoding='utf-8')
                complaints += check_comparison(printed, seen['before']['page'])
            if seen and title == 'report of peers':
                complaints += check_report(folder / 'peers', seen['before']['page'])
        complaints += check_values(browser, folder)
        browse(browser, folder, f'--print-to-pdf={folder}/page.pdf', f'file://{folder}/peers/report.html')
        pdf = folder / 'page.pdf'
        if not pdf.exists() or not pdf.read_bytes().startswith(b'%PDF'):
            complaints.append('the report of peers does not print')
    print('\n'.join(complaints) or 'all pages are fine')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
