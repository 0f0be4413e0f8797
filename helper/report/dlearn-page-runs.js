// SPDX-License-Identifier: GPL-2.0-only
// Runs as the page has them: a summary (summary.json), evaluated rounds (results.jsonl by column) and
// the times of closed rounds by role. Runs of the same name, which differ in their random numbers only,
// are a group.
'use strict';

// Metrics, with labels of their charts.
const METRICS = {
  loss: 'objective over all data seen',
  accuracy: 'fraction of the test samples classified correctly',
  error: 'squared distance to the best model',
  consensus: 'squared distance to the mean model',
  regret: 'loss above the least for all data seen',
};
for (const score of ['accuracy', 'loss']) {
  for (const [part, label] of [['mean', 'mean'], ['sd', 'standard deviation'],
                               ['worst_tenth', 'mean of the worst tenth'], ['jain', "Jain's index"]]) {
    METRICS[`client_${score}_${part}`] = `${label} over the clients, on their own test samples`;
  }
}
const LADDER = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]; // accuracies that a page says the time to
const NEUTRAL = ['out', 'threads', 'transcript', 'netanim', 'compare', 'mpi', 'partition-of-ranks', 'runs'];
const PRIVACY = ['threat-model', 'view', 'target-epsilon', 'clip', 'shared-noise', 'noise-recovery', 'mechanism',
  'privacy-unit', 'noise', 'noise-multiplier', 'noise-exponent', 'noise-exponent-step', 'state-noise-exponent',
  'tracker-noise-exponent', 'smoothness', 'delta', 'budget'];

// A number of JSON, which has infinity as a text; NaN for none.
function readNumber(value) {
  return value === 'inf' ? Infinity : value === '-inf' ? -Infinity : typeof value === 'number' ? value : NaN;
}

function readRound(columns, k) {
  const get = name => readNumber((columns[name] || [])[k]);
  const metrics = {};
  for (const name of Object.keys(METRICS).filter(metric => !Number.isNaN(get(metric)))) {
    metrics[name] = {mean: get(name), low: get(`${name}_low`), high: get(`${name}_high`)};
  }
  return {
    metrics, round: get('round'), time: get('time_s'), learners: get('learners'), epsilon: get('epsilon'),
    nominal: get('epsilon_nominal'), delivered: get('delivered'), bytes: get('tx_bytes'), joules: get('energy_j'),
  };
}

function readRun(data) {
  const summary = data.summary;
  for (const name of Object.keys(data.rounds).filter(key => `${key}_low` in data.rounds && !(key in METRICS))) {
    METRICS[name] = 'as the learner or the evaluator measures it';
  }
  const count = (data.rounds.round || []).length;
  const rounds = Array.from({length: count}, (_, k) => readRound(data.rounds, k));
  const times = Object.entries(data.times).map(([role, means]) => {
    const [compute, queue, air, again, wait, rest] = means.map(readNumber);
    return [role, {compute, queue, air, again, wait, rest}];
  });
  return {
    name: data.name, summary, rounds, times: Object.fromEntries(times), complete: summary.status === 'complete',
    epsilon: readNumber(summary.final.epsilon_max),
    end: rounds.length > 0 ? getEnd(rounds) : null,
  };
}

// The last round, with what the run had taken when all had ended: without a common clock an earlier one may
// have ended later, when a slow learner has dropped out since.
function getEnd(rounds) {
  const most = name => new Spread(rounds.map(round => round[name])).high;
  return {...rounds[rounds.length - 1], time: most('time'), bytes: most('bytes'), joules: most('joules')};
}

// All that may differ between groups: pairs of a name and a text.
function getSettings(summary) {
  const idle = new Set(summary.without_effect || []);
  return [
    ['program', summary.program],
    ...Object.entries(summary.parameters).filter(([name]) => !NEUTRAL.includes(name) && !idle.has(name)),
    ...Object.entries(summary.attributes),
    ...Object.entries(summary.globals).filter(([name]) => name !== 'RngRun' && name !== 'RngSeed'),
  ];
}

function groupRuns(runs) {
  const groups = new Map();
  for (const run of runs) {
    if (!groups.has(run.name)) {
      const {without_effect: idle, parameters} = run.summary;
      const known = (idle || []).filter(name => name in parameters);
      groups.set(run.name, {name: run.name, settings: getSettings(run.summary), members: [],
                            idle: known.map(name => [name, parameters[name]])});
    }
    groups.get(run.name).members.push(run);
  }
  const key = run => [BigInt(run.summary.seed), BigInt(run.summary.run)];
  const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
  for (const group of groups.values()) {
    group.members.sort((a, b) => compare(key(a)[0], key(b)[0]) || compare(key(a)[1], key(b)[1]));
    group.complete = group.members.filter(member => member.complete);
  }
  return [...groups.values()];
}

// Names of settings that are not the same in all lists of settings, in their order.
function findDifferent(lists) {
  const values = lists.map(settings => new Map(settings));
  const names = new Set(lists.flatMap(settings => settings.map(([name]) => name)));
  return [...names].filter(name => values.some(map => map.get(name) !== values[0].get(name)));
}

// Names of settings that differ between groups, or that only some have; not those without effect in some,
// if their value is the same there.
function findDifferences(groups) {
  const different = findDifferent(groups.map(group => [...group.settings, ...group.idle]));
  return findDifferent(groups.map(group => group.settings)).filter(name => different.includes(name));
}

// The last mean of each member; NaN where there is none or the member is not complete.
function getFinals(group, metric) {
  return group.members.map(member => {
    const last = member.complete && member.end ? member.end.metrics[metric] : null;
    return last ? last.mean : NaN;
  });
}

// The last means of one group minus those of another, of runs with the same seed; exactly the same for all
// where they differ by rounding only.
function pairFinals(base, other, metric) {
  const [a, b] = [getFinals(base, metric), getFinals(other, metric)];
  const differences = [];
  let scale = 0;
  base.members.forEach((member, k) => other.members.forEach((twin, l) => {
    const pair = member.summary.seed === twin.summary.seed && member.summary.run === twin.summary.run;
    if (pair && Number.isFinite(a[k]) && Number.isFinite(b[l])) {
      differences.push(b[l] - a[k]);
      scale = Math.max(scale, Math.abs(a[k]), Math.abs(b[l]));
    }
  }));
  const same = differences.length > 0 && areSame(differences, scale);
  return same ? differences.map(() => differences[0]) : differences;
}

function chooseMetric(groups) {
  const known = metric => groups.some(group => getFinals(group, metric).some(v => !Number.isNaN(v)));
  return ['accuracy', 'loss'].find(known) || 'error';
}

// Whether more is better.
function rises(metric) {
  return (metric.includes('accuracy') && !metric.endsWith('_sd')) || metric.endsWith('_jain');
}

// The round that reaches a target and ended first: a slow learner may end a round after others have ended
// later ones.
function findReached(rounds, target) {
  const reached = rounds.filter(({metrics: {[target.metric]: metric}}) => metric &&
    (rises(target.metric) ? metric.mean >= target.value : metric.mean <= target.value));
  return reached.reduce((first, round) => first && first.time <= round.time ? first : round, null);
}

// The highest accuracy of the ladder that every complete run reaches; null for none.
function findCommonTarget(groups) {
  const runs = groups.flatMap(group => group.complete);
  return LADDER.map(value => ({metric: 'accuracy', value})).filter(
    target => runs.length > 0 && runs.every(run => findReached(run.rounds, target))).pop() || null;
}

function describeLeftOut(groups) {
  const all = groups.reduce((sum, group) => sum + group.members.length, 0);
  const left = all - groups.reduce((sum, group) => sum + group.complete.length, 0);
  return left === 0 ? ''
    : `${left} of ${all} runs ${left === 1 ? 'is' : 'are'} not complete and left out of means, costs and tests`;
}

// Warnings that differ in numbers only are one: its first text, and the others as more.
function groupWarnings(warnings) {
  const groups = new Map();
  for (const warning of warnings) {
    const kind = warning.replace(/[\d.,]+/g, '#');
    if (groups.has(kind)) {
      groups.get(kind).more.push(warning);
    } else {
      groups.set(kind, {text: warning, more: []});
    }
  }
  return [...groups.values()];
}

// A part of a section: a table without columns that are empty in all rows; null when there are no rows.
function makeTablePart(title, columns, rows, folded = false) {
  if (rows.length === 0) {
    return null;
  }
  const kept = rows[0].map((cell, k) => k).filter(k => rows.some(row => row[k] !== ''));
  return {type: 'table', title, columns: columns.length > 0 ? kept.map(k => columns[k]) : [],
          rows: rows.map(row => kept.map(k => row[k])), folded};
}

function makeSection(title, note, parts) {
  return {title, note, parts: parts.filter(part => part)};
}
