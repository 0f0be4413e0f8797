// SPDX-License-Identifier: GPL-2.0-only
// Groups of runs beside one another: tables, tests, curves.
'use strict';

const CURVE_POINTS = 600; // most points that a page draws of a curve
const AXES = {
  time: ['simulated time (s)', round => round.time],
  rounds: ['round', round => round.round],
  bytes: ['sent by all learners (bytes)', round => round.bytes],
  joules: ['spent by all learners (joules)', round => round.joules],
};
const BANDS = {range: 'from the lowest to the highest', sd: 'of the standard deviation to either side',
               ci: 'that is the 95 % interval of the mean'};

// Between two evaluated rounds, a spent amount is drawn as high as at the second one: never too low.
function jumps(figure) {
  return figure === 'epsilon' || figure === 'nominal';
}

function getFigure(round, figure) {
  if (jumps(figure)) {
    return {mean: round[figure], low: round[figure], high: round[figure]};
  }
  return round.metrics[figure] || {mean: NaN};
}

// A point for each round with a finite mean, in a band over the learners. Where the abscissa would fall, as
// when a slow learner drops out of a run without a common clock, it stays where it is. A figure that jumps
// never falls.
function makeCurve(rounds, figure, axis) {
  const curve = [];
  for (const round of rounds) {
    const point = {...getFigure(round, figure), x: AXES[axis][1](round)};
    if (!Number.isFinite(point.mean) || Number.isNaN(point.x)) {
      continue;
    }
    const last = curve[curve.length - 1];
    if (last && jumps(figure)) {
      ['mean', 'low', 'high'].forEach(end => { point[end] = Math.max(point[end], last[end]); });
    }
    if (last && point.x <= last.x) {
      point.x = last.x;
      curve.pop();
    }
    curve.push(point);
  }
  return curve;
}

// Of several points in a row the last one, with a band that takes in all of theirs, so that no extreme is
// hidden.
function thinCurve(curve, limit) {
  if (curve.length <= limit) {
    return curve;
  }
  const size = Math.floor((curve.length - 2) / (limit - 1)) + 1;
  const thin = [curve[0]];
  for (let begin = 1; begin < curve.length; begin += size) {
    const some = curve.slice(begin, begin + size);
    const [low, high] = [Math.min(...some.map(p => p.low)), Math.max(...some.map(p => p.high))];
    thin.push({...some[some.length - 1], low, high});
  }
  return thin;
}

function interpolate(curve, x, jump) {
  const next = curve.findIndex(point => point.x >= x);
  const [a, b] = [curve[next - 1], curve[next]];
  return b.x === x || jump ? b.mean : a.mean + (b.mean - a.mean) * (x - a.x) / (b.x - a.x);
}

// The mean of the curves of several runs, from where all have begun to where the first ends, as a mean over
// other runs would jump there.
function mergeCurves(curves, limit, jump, band) {
  const known = curves.filter(curve => curve.length > 0);
  const begin = Math.max(...known.map(curve => curve[0].x));
  const end = Math.min(...known.map(curve => curve[curve.length - 1].x));
  let all = [...new Set(known.flatMap(curve => curve.map(point => point.x)))].sort((a, b) => a - b);
  all = all.filter(x => x >= begin && x <= end);
  if (all.length > limit) {
    const every = all;
    all = Array.from({length: limit}, (_, k) => every[Math.floor(k * (every.length - 1) / (limit - 1))]);
  }
  return all.map(x => {
    const spread = new Spread(known.map(curve => interpolate(curve, x, jump)));
    const [low, high] = spread.getBand(spread.count > 1 ? band : 'range');
    return {x, mean: spread.mean, low, high};
  });
}

// Whether bands are over seeds, and not over learners.
function haveSeeds(groups) {
  return groups.some(group => group.members.length > 1);
}

function drawGroup(group, figure, axis, overSeeds, band) {
  if (!overSeeds) {
    return thinCurve(makeCurve(group.members[0].rounds, figure, axis), CURVE_POINTS);
  }
  // A run that was cut short would cut the band short, too.
  const runs = group.complete.length > 0 ? group.complete : group.members;
  return mergeCurves(runs.map(run => makeCurve(run.rounds, figure, axis)), CURVE_POINTS / 2, jumps(figure), band);
}

function haveJoules(rounds) {
  return rounds.length > 0 && !Number.isNaN(rounds[rounds.length - 1].joules);
}

// A chart of a figure of all groups against each axis that any of them has; null when there is nothing to
// draw, or nothing but zeros.
function makeCurvesPart(groups, figure, title, label, band) {
  const axes = {};
  let worth = false;
  for (const [axis, [description]] of Object.entries(AXES)) {
    if (axis === 'joules' && !groups.some(group => group.members.some(member => haveJoules(member.rounds)))) {
      continue;
    }
    const curves = groups.map(group => drawGroup(group, figure, axis, haveSeeds(groups), band));
    worth = worth || curves.flat().some(point => point.mean !== 0 || point.high !== 0);
    const finite = (curve, end) => curve.map(point => Number.isFinite(point[end]) ? point[end] : null);
    axes[axis] = {label: description, curves: curves.map(curve => {
      const [low, high] = [finite(curve, 'low'), finite(curve, 'high')];
      const band = low.some((end, k) => end !== high[k]) ? [low, high] : [];
      return [finite(curve, 'x'), finite(curve, 'mean'), ...band];
    })};
  }
  const names = groups.map(group => group.name);
  return worth ? {type: 'curves', title, label, jumps: jumps(figure), names, axes} : null;
}

function makeLearningSection(groups, band) {
  const overSeeds = haveSeeds(groups);
  const members = groups.flatMap(group => group.members);
  const longest = Math.max(...members.map(member => member.rounds.length));
  const limit = overSeeds ? CURVE_POINTS / 2 : CURVE_POINTS;
  let note = overSeeds
    ? 'A curve is the mean over the runs with different seeds, from where all have begun to where the first ' +
      `ends, in a band ${BANDS[band]}; it is of complete runs, if there is one.`
    : 'A point is an evaluated round at the time when the last learner had closed it: the mean over the ' +
      'learners that closed it, in a band from the lowest to the highest learner.';
  if (longest > limit) {
    note += ` Of ${longest} evaluated rounds at most ${limit} points are drawn` +
      (overSeeds ? '.' : '; each band takes in the rounds left out.');
  }
  if (members.some(member => member.rounds.some(
    round => Object.values(round.metrics).some(metric => Math.abs(metric.high) === Infinity)))) {
    note += ' Infinite values are not drawn; the tables have them.';
  }
  const names = ['accuracy', ...Object.keys(METRICS).filter(name => name !== 'accuracy')];
  const parts = names.map(name => makeCurvesPart(
    groups, name, (name[0].toUpperCase() + name.slice(1)).replaceAll('_', ' '), METRICS[name], band));
  const section = makeSection('Learning', note, parts);
  return section.parts.length > 0 ? section : {...section, note: 'No round was evaluated.'};
}

// A table of figures, each with a spread for each row: a column for each figure, if none is of several
// runs; else a row for each figure and row, with its mean and how it spreads. Those of a row that add up
// stand together (parts).
function makeFiguresTable(title, heads, rows, figures, parts = false) {
  if (!figures.some(figure => figure.spreads.some(spread => spread.count > 1))) {
    return makeTablePart(title, [...heads, ...figures.map(figure => figure.name)], rows.map((row, k) =>
      [...row, ...figures.map(figure => formatCell(figure.spreads[k].mean, figure.format))]));
  }
  const put = (row, name) => parts ? [...row, name] : [name, ...row];
  const write = (figure, k) => {
    const spread = figure.spreads[k];
    const format = value => formatCell(value, figure.format);
    const [low, high] = spread.getBand('ci');
    return [...put(rows[k], figure.name), format(spread.mean), format(spread.deviation),
            Number.isNaN(low) ? '' : `${format(low)} to ${format(high)}`, format(spread.low), format(spread.high)];
  };
  const places = parts ? rows.flatMap((row, k) => figures.map(figure => [figure, k]))
    : figures.flatMap(figure => rows.map((row, k) => [figure, k]));
  return makeTablePart(title, [...put(heads, parts ? 'part' : 'figure'), 'mean', 'standard deviation',
                               '95 % interval of the mean', 'lowest', 'highest'],
                       places.filter(([figure, k]) => figure.spreads[k].count > 0).map(place => write(...place)));
}

// A figure of complete runs, by group.
function makeFigure(groups, name, get, format) {
  return {name, spreads: groups.map(group => new Spread(group.complete.map(get))), format};
}

// How many runs of a group count, and how many do not as they are not complete.
function formatCount(group) {
  const left = group.members.length - group.complete.length;
  return group.complete.length + (left === 0 ? '' : ` (${left} left out)`);
}

function makeGroupsTable(groups) {
  const atEnd = get => member => member.end ? get(member.end) : NaN;
  const metrics = Object.keys(METRICS).filter(metric => metric !== 'consensus').map(metric =>
    makeFigure(groups, metric, atEnd(end => end.metrics[metric] ? end.metrics[metric].mean : NaN)));
  return makeFiguresTable('At the last evaluated round', ['runs of', 'seeds'],
                          groups.map(group => [group.name, formatCount(group)]), [
                            ...metrics,
                            makeFigure(groups, 'time (s)', atEnd(end => end.time)),
                            makeFigure(groups, 'sent', atEnd(end => end.bytes), formatBytes),
                            makeFigure(groups, 'energy (J)', atEnd(end => end.joules)),
                            makeFigure(groups, 'epsilon of the whole run', member => member.epsilon),
                          ]);
}

function makeDifferencesTable(groups) {
  const settings = groups.map(group => new Map(group.settings));
  const rows = findDifferences(groups).map(
    name => [name, ...settings.map(map => map.has(name) ? map.get(name) : '-')]);
  return makeTablePart('Settings that differ', ['setting', ...groups.map(group => group.name)], rows);
}

// The loss of each private group compared with the least different one of less privacy.
function makePrivacyTable(groups) {
  const metric = chooseMetric(groups);
  const spent = groups.map(group => new Spread(group.complete.map(member => member.epsilon)));
  const epsilon = k => spent[k].count === 0 ? Infinity : spent[k].mean;
  const final = k => formatCell(new Spread(getFinals(groups[k], metric)).mean);
  const rows = [];
  groups.forEach((group, k) => {
    let [beside, others] = [k, []];
    groups.forEach((other, l) => {
      const differences = findDifferences([group, other]).filter(name => !PRIVACY.includes(name));
      const nearer = beside === k || differences.length < others.length ||
        (differences.length === others.length && epsilon(l) > epsilon(beside));
      if (epsilon(l) > epsilon(k) && nearer) {
        [beside, others] = [l, differences];
      }
    });
    if (beside !== k) {
      rows.push([group.name, groups[beside].name, others.join(', ') || 'nothing else',
                 formatRounded(epsilon(k)), final(k), final(beside)]);
    }
  });
  const columns = ['runs of', 'compared with', 'what else differs', 'epsilon', `last ${metric}`, 'of the other'];
  return makeTablePart('What privacy costs', columns, rows);
}

// Where the time of rounds went, by group and role.
function makeTimesTable(groups) {
  const parts = {
    computing: times => times.compute, 'in queues': times => times.queue, sending: times => times.air,
    'sending again': times => times.again, waiting: times => times.wait,
    'sending and waiting': times => Number.isNaN(times.wait) ? times.rest : NaN,
    'in all': times => times.compute + times.rest,
  };
  const places = groups.flatMap(group => {
    const roles = new Set(group.members.flatMap(member => Object.keys(member.times)));
    return [...roles].sort().map(role => [group, role]);
  });
  const spread = (group, role, get) => new Spread(
    group.complete.filter(member => role in member.times).map(member => get(member.times[role])));
  const figures = Object.entries(parts).map(
    ([name, get]) => ({name, spreads: places.map(([group, role]) => spread(group, role, get))}));
  return makeFiguresTable('Where the time of a round goes, in seconds: mean over rounds and learners',
                          ['runs of', 'learners'], places.map(([group, role]) => [group.name, role]), figures,
                          true);
}

// The cost of a target for each group.
function makeCostTable(groups, target) {
  const reached = groups.map(
    group => group.complete.map(member => findReached(member.rounds, target)).filter(round => round));
  const figure = (name, get, format) => (
    {name, spreads: reached.map(rounds => new Spread(rounds.map(get))), format});
  return makeFiguresTable(`Cost of ${target.metric} ${formatRounded(target.value)}, over the runs that reach it`,
                          ['runs of', 'reached by'],
                          groups.map((group, k) => [group.name, `${reached[k].length} of ${formatCount(group)}`]), [
                            figure('time (s)', round => round.time),
                            figure('round', round => round.round),
                            figure('sent', round => round.bytes, formatBytes),
                            figure('energy (J)', round => round.joules),
                            figure('epsilon until then', round => round.epsilon),
                          ]);
}

// Whether the others differ from the first group.
function makeTestTable(groups, metric) {
  const rows = groups.slice(1).map(group => {
    const differences = pairFinals(groups[0], group, metric);
    const test = testPairs(differences);
    const why = differences.length >= 2 ? 'the same difference in all pairs'
      : `${countOf(differences.length, 'pair')} of the same seed`;
    return [group.name, String(differences.length), formatCell(new Spread(differences).mean),
            test ? `${formatRounded(test.low)} to ${formatRounded(test.high)}` : '',
            test ? formatRounded(test.p, 3) : `no test: ${why}`];
  });
  return makeTablePart(`Difference in the last ${metric} from ${groups[0].name}: ` +
                       'paired t-test over runs of the same seed',
                       ['runs of', 'pairs n', 'mean difference', '95 % interval', 'p, two-sided'], rows);
}

function makeComparisonSection(groups, target) {
  const tests = groups.length - 1;
  const note = tests === 0 ? ''
    : groups[0].members.length < 2 ? 'One run alone cannot tell a difference from chance.'
      : tests === 1 ? 'A difference with a p below 0.05 is unlikely to be chance.'
        : `Of these ${tests} differences, those with a p below 0.05 / ${tests} are unlikely to be chance ` +
          '(Bonferroni).';
  return makeSection('Comparison', note, [
    makeGroupsTable(groups), makeDifferencesTable(groups), makePrivacyTable(groups), makeTimesTable(groups),
    target ? makeCostTable(groups, target) : null,
    tests > 0 ? makeTestTable(groups, target ? target.metric : chooseMetric(groups)) : null,
  ]);
}

// Whether the difference of the best group from others may be chance.
function describeChance(groups, best, metric) {
  const doubtful = [];
  const untested = [];
  for (const other of groups.filter(group => group !== best)) {
    const test = testPairs(pairFinals(best, other, metric));
    if (!test) {
      untested.push(other.name);
    } else if (test.p >= 0.05 / Math.max(groups.length - 1, 1)) {
      doubtful.push(`${other.name} (p = ${formatRounded(test.p)}, ${test.pairs} pairs)`);
    }
  }
  return (doubtful.length === 0 ? ''
    : ` By a paired t-test its difference from ${doubtful.join(', ')} may be chance.`) +
    (untested.length === 0 ? '' : ' There are too few runs of the same seeds to tell its difference from ' +
     `${untested.join(', ')} from chance.`);
}

// Which groups did best.
function describeBest(groups) {
  const metric = chooseMetric(groups);
  const means = groups.map(group => new Spread(getFinals(group, metric)).mean);
  const spread = new Spread(means);
  const best = metric === 'accuracy' ? spread.high : spread.low;
  if (Number.isNaN(best)) {
    return groups.some(group => group.complete.length > 0) ? 'No round was evaluated.' : 'No run is complete.';
  }
  const winners = groups.filter((group, k) => formatRounded(means[k]) === formatRounded(best));
  const names = winners.map(group => group.name).join(', ');
  const who = winners.length === 1 ? `, of ${names}`
    : winners.length < groups.length ? `, of each of ${names}` : ', of all';
  const all = findDifferences(groups);
  const different = ['data', 'task'].filter(name => all.includes(name));
  const without = groups.filter((group, k) => group.complete.length > 0 && Number.isNaN(means[k]));
  return `The best mean ${metric} at the end is ${formatRounded(best)}${groups.length === 1 ? '' : who}.` +
    (winners.length === 1 ? describeChance(groups, winners[0], metric) : '') +
    (different.length === 0 ? ''
      : ` The runs differ in ${different.join(', ')}, so that they learn different things.`) +
    (without.length === 0 ? '' : ` There is no ${metric} of ${without.map(group => group.name).join(', ')}.`);
}

function warnOfRun(run) {
  const {summary, rounds} = run;
  const place = `${run.name} (RngRun ${summary.run})`;
  const most = Math.max(...rounds.map(round => round.learners));
  return [
    ...(run.complete ? [] : [`a run of ${place} is not complete: ${summary.status}`]),
    ...(run.end && run.end.learners < most
      ? [`at the end of ${place} ${run.end.learners} of ${most} learners are left, over which its last means ` +
         'are'] : []),
    ...summary.warnings.map(warning => `${run.name}: ${warning}`),
  ];
}

// The page of dlearn-compare.
function makeComparison(data, runs) {
  const groups = groupRuns(runs);
  const privacy = makeSection(
    'Privacy', 'The largest epsilon that an honest learner has spent. Between two evaluated rounds it is drawn ' +
    'as high as at the second of them, which is never too low.',
    [makeCurvesPart(groups, 'epsilon', 'Epsilon spent', 'largest epsilon', data.band)]);
  const rows = runs.map(
    ({name, summary}) => [name, summary.seed, summary.run, summary.status, summary.command]);
  return {
    title: `Comparison of ${countOf(runs.length, 'run')}`,
    subtitle: countOf(groups.length, 'configuration'),
    sentence: describeBest(groups),
    warnings: groupWarnings([describeLeftOut(groups), ...runs.flatMap(warnOfRun)].filter(warning => warning)),
    sections: [
      makeComparisonSection(groups, data.target || findCommonTarget(groups)),
      makeLearningSection(groups, data.band),
      ...(privacy.parts.length > 0 ? [privacy] : []),
      makeSection('Runs', '', [
        makeTablePart('All runs', ['runs of', 'seed', 'run', 'status', 'command'], rows, true)]),
    ],
    footer: 'Made from summary.json, rounds.csv and results.jsonl of each run by dlearn ' +
      `${runs[0].summary.dlearn_version} on ns-3 ${runs[0].summary.ns3_version}.`,
  };
}
