// SPDX-License-Identifier: GPL-2.0-only
// The sections of the report of a run; others may be compared with it.
'use strict';

const MOST_LIMITS = 10; // rows of tables of what limits a round
const PHASES = ['computing', 'in queues', 'sending', 'sending again', 'waiting'];
const TABLE_ROWS = 200; // rounds of a table
const EXTREME_LEARNERS = 5; // at each end of a ranking

function nameRole(role) {
  return role === 'byzantine' ? 'attacker' : role;
}

// "5 learners", "20 clients and a server", or "20 clients, 2 edge servers and a server".
function describeLearners(detail) {
  const edges = detail.map.nodes.filter(node => node.role === 'edge-server').length;
  const others = detail.map.nodes.length - Math.min(detail.map.nodes.length, detail.servers) - 2 * edges;
  return countOf(others, detail.servers + edges > 0 ? 'client' : 'learner') +
    (edges > 0 ? `, ${countOf(edges, 'edge server')}` : '') + (detail.servers > 0 ? ' and a server' : '');
}

// "accuracy 0.846, loss 0.7417": means of a round.
function describeMetrics(round) {
  return ['accuracy', 'loss', 'error'].filter(name => name in round.metrics).map(
    name => `${name} ${formatRounded(round.metrics[name].mean)}`).join(', ');
}

function describeOutcome({summary, rounds, end, epsilon}) {
  const status = summary.status === 'complete' ? ''
    : `The run is not complete: ${summary.status}${summary.reason ? `, ${summary.reason}` : ''}. `;
  if (!end) {
    return status + 'No round was evaluated.';
  }
  const count = summary.final.rounds;
  const most = Math.max(...rounds.map(round => round.learners));
  const delivered = readNumber(summary.final.delivered);
  const {'time-from': from, runs} = summary.parameters;
  return [
    `${status}After ${countOf(count, 'round')}` +
      (end.round + 1 < count ? `, of which round ${end.round} was evaluated last, at ` : ' and ') +
      `${formatRounded(end.time)} s of simulated time: ${describeMetrics(end)}` +
      (end.learners < most ? `, mean over the ${end.learners} of ${most} learners that closed this round; the ` +
        'others had ended before, and do not count.'
        : end.learners === 1 ? '.' : `, mean over ${end.learners} learners.`),
    summary.ready_s > 0 ? `All learners were ready after ${formatRounded(summary.ready_s)} s` +
      (from === 'start' ? ', which are in all times.' : '; times count from then on.') : '',
    runs !== undefined && runs !== '1'
      ? `This page is of the first of ${runs} runs; model_error.csv has the mean error of all.` : '',
    epsilon === Infinity ? 'No privacy is guaranteed: epsilon is infinite.'
      : epsilon > 0 ? `The largest epsilon spent is ${formatRounded(epsilon)}.` : '',
    Number.isNaN(delivered) ? ''
      : `Of the messages that rounds waited for, ${formatShare(delivered)} arrived in time.`,
  ].filter(text => text).join(' ');
}

// The headline figures, each a value and its name.
function makeTiles({summary, end, epsilon}, detail) {
  const {totals, final} = summary;
  const delivered = readNumber(final.delivered);
  return [
    ...['accuracy', 'loss', 'error'].filter(name => end && name in end.metrics).map(
      name => [formatRounded(end.metrics[name].mean), `final ${name}`]),
    [String(final.rounds), 'rounds closed'],
    ...(totals.closed_rounds > 0 ? [[`${formatRounded(detail.end_s)} s`, 'simulated time']] : []),
    [formatBytes(totals.tx_bytes), 'sent in all'],
    ...('energy_j' in totals ? [[`${formatRounded(totals.energy_j)} J`, 'spent by all']] : []),
    ...(Number.isNaN(delivered) ? [] : [[formatShare(delivered), 'delivered in all rounds']]),
    ...(Number.isNaN(epsilon) ? [] : [[formatRounded(epsilon), 'largest epsilon']]),
  ];
}

// When each accuracy of the ladder was reached, and its cost.
function makeLadderTable(rounds) {
  const reached = LADDER.map(value => [value, findReached(rounds, {metric: 'accuracy', value})]);
  const rows = reached.filter(([, round]) => round).map(([value, round]) => [
    formatRounded(value), formatRounded(round.time), String(round.round), String(round.learners),
    formatBytes(round.bytes), formatCell(round.epsilon)]);
  return makeTablePart('Time to accuracy', ['accuracy', 'time (s)', 'round', 'learners', 'sent', 'epsilon'], rows);
}

// The evaluated rounds as the program prints them.
function makeRoundsTable(rounds) {
  const metrics = ['loss', 'accuracy', 'error'];
  const every = Math.floor(rounds.length / TABLE_ROWS) + 1;
  const rows = rounds.filter((round, k) => k % every === 0 || k + 1 === rounds.length).map(round => [
    formatRounded(round.time), String(round.round), String(round.learners),
    ...metrics.map(name => name in round.metrics ? formatRounded(round.metrics[name].mean) : ''),
    formatCell(round.epsilon), formatShare(round.delivered)]);
  return makeTablePart(every === 1 ? 'All evaluated rounds' : `Every ${every}th evaluated round`,
                       ['time (s)', 'round', 'learners', ...metrics, 'epsilon', 'delivered'], rows, true);
}

// The epsilons of the section; alone: without other runs, so that the chart has the planned ones.
function describeSpent(epsilon, drawn, alone) {
  if (epsilon === Infinity) {
    return 'An epsilon is infinite where nothing bounds it: no privacy is guaranteed there.' +
      (drawn ? ' The chart leaves it out.' : '');
  }
  if (!(epsilon > 0) && !drawn) {
    return 'No privacy budget was spent, or none was accounted for.';
  }
  return 'The largest epsilon that an honest learner has spent by what truly left it' +
    (alone ? ', and what it would have spent if every message had left and arrived as planned.' : '.') +
    (drawn ? ' Between two evaluated rounds it is drawn as high as at the second of them, which is never too ' +
     'low.' : '');
}

function makePrivacySection({summary, epsilon}, detail, groups, band) {
  const given = readNumber((summary.privacy || {}).budget);
  const budget = Number.isFinite(given) && given > 0 ? given : NaN;
  const part = makeCurvesPart(groups, 'epsilon', 'Epsilon spent', 'largest epsilon', band);
  const alone = groups.length === 1;
  if (part && alone) {
    const planned = makeCurvesPart(groups, 'nominal', '', '', band);
    part.names = planned ? ['spent', 'planned'] : ['spent'];
    if (planned) {
      part.dashed = [1];
      Object.entries(part.axes).forEach(([name, axis]) => axis.curves.push(planned.axes[name].curves[0]));
    }
  }
  if (part) {
    Object.assign(part, {limit: Number.isNaN(budget) ? null : budget, limit_name: 'budget'});
  }
  const figures = [['spent', epsilon], ['planned until then', readNumber(detail.epsilon_nominal_max)],
                   ['budget', budget]];
  const table = makeTablePart('Largest epsilon of an honest learner', [], figures.filter(
    ([, value]) => !Number.isNaN(value)).map(([name, value]) => [name, formatRounded(value)]));
  return makeSection('Privacy', describeSpent(epsilon, Boolean(part), alone), alone ? [part, table] : [part]);
}

function describeBins(size) {
  return size === 1 ? '' : ` Numbers are means over ${size} rounds in a row.`;
}

// Where the time of a round of a role goes: by phases where they are known.
function makeTimeStack(role, bins) {
  const known = bins.every(([, times]) => times[4] !== null);
  const rows = bins.map(([first, [compute, queue, air, again, wait, rest]]) =>
    known ? [first, compute, queue, air, again, wait] : [first, compute, rest]);
  return {type: 'stack', title: `A round of a ${role}`, label: 'mean simulated time (s)', rows,
          names: known ? PHASES : ['computing', 'sending and waiting']};
}

// The learners that rounds waited for, and the devices that sent longest on the air.
function makeLimitTables({last, radios}) {
  const most = rows => rows.sort((a, b) => b[1] - a[1]).slice(0, MOST_LIMITS);
  const total = last.reduce((sum, [, rounds]) => sum + rounds, 0);
  return [
    makeTablePart('Whose message came last, so that the round waited for it', ['learner', 'rounds', 'share'],
      most(last).map(([node, rounds]) => [String(node), String(rounds), formatShare(rounds / total)])),
    makeTablePart('On the air', ['learner', 'time on the air', 'rate (Mbit/s)', 'SNR where it receives (dB)',
                                 'sent again', 'given up'],
      most(radios).map(([name, busy, rate, snr, again, lost]) => [
        name, formatShare(busy), formatCell(readNumber(rate)), formatCell(readNumber(snr)), String(again),
        String(lost)]))];
}

function makeTimeSection({bins, gantt, limits}) {
  const note = 'Computing is the simulated time of gradients, training or averaging. While a learner does not ' +
    'compute, its devices send, for the first time or again, or packets wait in them or for the medium, or it ' +
    'waits for others; this is measured from round to round. The round of a client ends when it has trained: ' +
    'what it then sends is in the rounds of the server.' + describeBins(bins.size);
  if (!gantt) {
    return makeSection('Where the time goes', 'No round was closed.', []);
  }
  const stacks = ['server', 'edge', 'edge-server', 'client', 'peer'].filter(role => role in bins.roles).map(
    role => makeTimeStack(role, bins.roles[role]));
  const some = gantt.all > gantt.bars.length ? `, the ${gantt.bars.length} learners that closed it last` : '';
  return makeSection('Where the time goes', note, [...stacks, {
    type: 'gantt', title: `The slowest round: ${gantt.round}${some}`, bars: gantt.bars, phases: PHASES.slice(1)},
    ...makeLimitTables(limits)]);
}

// The fate of the messages, by round: means over the rounds of each bin.
function makeMessagesStack({size, last, roles}) {
  const sums = new Map();
  for (const [first, , messages] of Object.values(roles).flat()) {
    const before = sums.get(first) || [0, 0, 0, 0];
    sums.set(first, messages.map((count, k) => before[k] + count));
  }
  const rows = [...sums].sort((a, b) => a[0] - b[0]).map(
    ([first, counts]) => [first, ...counts.map(count => count / (Math.min(first + size - 1, last) - first + 1))]);
  return {type: 'stack', title: 'Messages of a round, all learners', label: 'messages', rows,
          names: ['lost', 'late', 'rejected', 'used']};
}

function makeMessagesSection({bins, heat, links}) {
  const some = (part, title, ofAll) => title + (part.all > part.lines.length
    ? `: the ${part.lines.length} of ${part.all} ${ofAll} miss most` : '');
  const closed = heat.lines.length > 0;
  return makeSection('Messages', closed ? 'Expected = received + late + lost, and received = used + rejected.' +
    describeBins(bins.size) : 'No round was closed.', [
    closed ? makeMessagesStack(bins) : null,
    closed ? {...heat, type: 'heat', title: some(heat, 'Messages to each learner', 'that')} : null,
    links.lines.length > 0 ? {...links, type: 'heat', size: 1, title: some(
      links, 'Messages of each link, of those that left their sender', 'learners that')} : null,
  ]);
}

// Learners, the best first: by accuracy, else by loss, else by the share of messages that arrived in time.
function rankLearners(learners) {
  const share = learner => learner.expected > 0 ? learner.received / learner.expected : NaN;
  const known = get => learners.filter(learner => Number.isFinite(get(learner))).length > 1;
  const [figure, get] = [['accuracy', l => readNumber(l.accuracy)], ['loss', l => -readNumber(l.loss)],
                         ['messages in time', share]].find(([, key], k) => k === 2 || known(key));
  const compare = (x, y) => Number.isNaN(x) || Number.isNaN(y) ? Number.isNaN(x) - Number.isNaN(y)
    : Math.sign(y - x) || 0;
  return [figure, [...learners].sort((a, b) => compare(get(a), get(b))), share];
}

// All learners, or of many those that did worst and best.
function makeLearnersTable(learners) {
  const [figure, ranked, share] = rankLearners(learners);
  const all = ranked.length <= 2 * EXTREME_LEARNERS + 2;
  const rows = ranked.map((learner, k) => [
    String(k + 1), String(learner.node), nameRole(learner.role), String(learner.rounds),
    ...['accuracy', 'loss', 'epsilon'].map(name => formatCell(readNumber(learner[name]))),
    learner.client ? '' : formatShare(share(learner)),
    learner.client ? `${learner.received} of ${learner.expected}` : '',
  ]).filter((row, k) => all || k < EXTREME_LEARNERS || k + EXTREME_LEARNERS >= ranked.length);
  return makeTablePart(`${all ? 'Learners' : 'Best and worst learners'} by ${figure}`,
                       ['rank', 'learner', 'role', 'rounds', 'accuracy', 'loss', 'epsilon', 'delivered',
                        'its messages in time'], rows);
}

// How many samples of each class each learner was given.
function makeLabelsTable({names, all, rows}) {
  const some = rows.length < all ? `, the first ${rows.length} learners` : '';
  return makeTablePart(`Samples by label${some}`, ['learner', ...names, 'all'], rows.map(([node, counts]) => [
    String(node), ...counts.map(String), String(counts.reduce((sum, count) => sum + count, 0))]), rows.length > 20);
}

// The place of each town: where it is or, when that is not known, in the middle of those that it is joined
// to; null when too little is known. On a flat map that has true proportions at its middle latitude.
function placeTowns({sites, trunks}) {
  let places = sites.map(site => site.place);
  for (let pass = 0; pass < sites.length; ++pass) {
    places = places.map((place, k) => {
      const joined = trunks.filter(({ends}) => ends.includes(k));
      const near = joined.map(({ends: [a, b]}) => places[a === k ? b : a]).filter(p => p);
      const mean = i => near.reduce((sum, p) => sum + p[i], 0) / near.length;
      return place || (near.length > 0 ? [mean(0), mean(1)] : null);
    });
  }
  if (places.length === 0 || places.includes(null)) {
    return null;
  }
  const latitudes = places.map(place => place[1]);
  const narrow = Math.cos((Math.min(...latitudes) + Math.max(...latitudes)) / 2 * Math.PI / 180);
  return places.map(([longitude, latitude]) => ({x: longitude * narrow, y: latitude}));
}

// A link between towns with the share of time in which it sent, and the packets that it dropped.
function makeTrunk({ends, links}, sites) {
  const names = ends.map(k => sites[k].name);
  const known = links.map((link, k) => link && [names[1 - k], ...link]).filter(link => link);
  const drops = known.reduce((sum, [, , , dropped]) => sum + dropped, 0);
  const texts = known.map(
    ([to, busy, bytes]) => `to ${to} busy ${formatRounded(100 * busy)} % of the time, ${bytes} bytes`);
  return {ends, busy: Math.max(0, ...known.map(([, busy]) => busy)), drops,
          tip: [names.join(' - '), ...texts, `${drops} packets dropped`].join(', ')};
}

// When a learner was down from then on, and when not.
function findChanges(events, id) {
  const down = {left: true, crashed: true, stopped: true, 'battery-empty': true, restarted: false};
  return events.filter(([, node, , event]) => node === id && event in down).map(
    ([time, , , event]) => [Number(time), down[event]]);
}

function makeMapPart(detail) {
  const {nodes, edges, positions, places, tracks, towns} = detail.map;
  const spots = positions || places;
  const sites = placeTowns(towns);
  const of = id => sites ? sites[towns.site_of[id]] : spots ? {x: spots[id][0], y: spots[id][1]} : {};
  const unit = positions && !sites ? 'm' : '';
  const part = {type: 'map', unit, edges: edges.list, nodes: nodes.map((node, id) => ({
    role: node.role, stopped: node.stopped, ...of(id),
    ...(spots && String(id) in tracks ? {track: tracks[id], changes: findChanges(detail.events.list, id)} : {}),
    ...(sites ? {site: towns.site_of[id]} : {}),
    tip: [`learner ${id}${node.name && ` ${node.name}`}`, nameRole(node.role),
          node.last === null ? 'closed no round' : `last round ${node.last}`,
          ...(node.epsilon === null ? [] : [`epsilon ${formatRounded(readNumber(node.epsilon))}`]),
          ...(sites ? [`at ${towns.sites[towns.site_of[id]].name}`] : [])].join(', '),
  }))};
  if (sites) {
    part.sites = sites.map((spot, k) => (
      {...spot, name: towns.sites[k].name, router: k, known: towns.sites[k].place !== null}));
    part.trunks = towns.trunks.map(trunk => makeTrunk(trunk, towns.sites));
  }
  part.title = `${describeLearners(detail)}, ${countOf(edges.all, 'link')}` +
    (edges.list.length < edges.all ? ` (${edges.list.length} drawn)` : '') +
    (sites ? `, at ${sites.length} towns joined by ${towns.trunks.length} trunks`
      : spots ? '' : ', drawn on a circle');
  return part;
}

// Events as a table, after how many there are of each kind.
function makeEventsSection({counts, all, most, list}) {
  const rows = list.slice(0, most).map(event => event.map(cell => cell === null ? '' : String(cell)));
  const note = Object.entries(counts).map(([event, count]) => `${count} ${event}`).join(', ') +
    (rows.length < all ? `. The first ${rows.length} are shown; events.csv has all` : '');
  return makeSection('Events', note ? `${note}.` : 'Nothing out of the ordinary.',
                     [makeTablePart('Events', ['time (s)', 'learner', 'round', 'event', 'detail'], rows, true)]);
}

// Events for the charts; all stations associate in the beginning.
function makeEvents({most, list}) {
  const drawn = list.filter(([, , , event]) => event !== 'associated').slice(0, most);
  return drawn.map(([time, node, , event, detail]) => ({
    time: Number(time), event,
    text: `${time} s: ${node === null ? '' : `learner ${node} `}${event}${detail && ` (${detail})`}`}));
}

// The abscissae of the evaluated rounds by the name of the axis: to place an event on any of them.
function makeClock(rounds) {
  const every = Math.floor(rounds.length / CURVE_POINTS) + 1;
  const some = rounds.filter((round, k) => k % every === 0);
  const axes = Object.entries(AXES).filter(
    ([name]) => name !== 'joules' || rounds.length === 0 || haveJoules(rounds));
  return Object.fromEntries(axes.map(([name, [, get]]) => [name, some.map(get)]));
}

function makeSettingsSection(summary, given) {
  const sums = ['nodes', 'closed_rounds', 'expected', 'received', 'used', 'rejected', 'late', 'lost', 'tx_bytes',
    'rx_bytes', 'energy_j'];
  const options = Object.entries(summary.parameters);
  const text = pairs => pairs.map(([name, value]) => [name, String(value)]);
  return makeSection('Settings', '', [
    makeTablePart('Options that were given', [], options.filter(([name]) => given.includes(name))),
    makeTablePart('Attributes and global values that were given', [],
                  [...Object.entries(summary.attributes), ...Object.entries(summary.globals)]),
    makeTablePart('Run', [], text([['program', summary.program], ['seed', summary.seed], ['run', summary.run],
                                   ['simulator events', summary.events], ['dlearn', summary.dlearn_version],
                                   ['ns-3', summary.ns3_version]])),
    makeTablePart('Other options', [], options.filter(([name]) => !given.includes(name)), true),
    makeTablePart('Counters', [],
                  text(Object.entries(summary.totals).filter(([name]) => !sums.includes(name))), true),
  ]);
}

// The page of a run, with which others may be compared.
function makeReport(data, runs) {
  const [run] = runs;
  const {summary, rounds} = run;
  const {detail} = data;
  const groups = groupRuns(runs);
  const alone = groups.length === 1;
  const of = section => ({...section, title: section.title + (alone ? '' : `: ${run.name}`)});
  const leftOut = alone ? '' : describeLeftOut(groups);
  const warnings = [
    ...summary.warnings,
    ...runs.slice(1).flatMap(other => other.summary.warnings.map(warning => `${other.name}: ${warning}`)),
    ...(leftOut ? [leftOut] : []),
    ...(summary.conserved ? [] : ['Message counts do not add up in some rounds: expected = received + late + ' +
                                  'lost and received = used + rejected must hold.']),
  ];
  const learning = makeLearningSection(groups, data.band);
  learning.parts.push(...[makeLadderTable(rounds), makeRoundsTable(rounds)].filter(part => part));
  return {
    title: summary.program,
    subtitle: `${describeLearners(detail)}, seed ${summary.seed}, run ${summary.run}`,
    sentence: (alone ? '' : `${run.name}: `) + describeOutcome(run),
    command: summary.command,
    tiles: makeTiles(run, detail),
    warnings: groupWarnings(warnings),
    events: makeEvents(detail.events),
    clock: makeClock(rounds),
    sections: [
      learning,
      ...(alone ? [] : [makeComparisonSection(groups, findCommonTarget(groups))]),
      ...(runs.some(other => !Number.isNaN(other.epsilon))
        ? [makePrivacySection(run, detail, groups, data.band)] : []),
      of(makeTimeSection(detail)),
      of(makeMessagesSection(detail)),
      of(makeSection('Learners', '', [makeMapPart(detail), makeLearnersTable(detail.learners),
                                      makeLabelsTable(detail.labels)])),
      of(makeEventsSection(detail.events)),
      of(makeSettingsSection(summary, detail.given)),
    ],
    footer: 'Every number behind this page is in rounds.csv, results.jsonl, events.csv and summary.json beside ' +
      `it. dlearn ${summary.dlearn_version} on ns-3 ${summary.ns3_version}`,
  };
}
