// SPDX-License-Identifier: GPL-2.0-only
// Draws the page from its data.
'use strict';

// Whether all cells of a column are numbers, with or without a unit or a range.
function isNumeric(rows, column) {
  return rows.every(row => row[column] === '' || /^-?[\d.]/.test(row[column]) || row[column] === 'inf' ||
                    row[column] === '-');
}

function makeTable(part, box) {
  const named = part.columns.length === 0;
  const numeric = part.rows[0].map((cell, k) => !named && isNumeric(part.rows, k));
  const header = named ? null : element('thead', {}, element('tr', {}, ...part.columns.map(
    (title, k) => element('th', {scope: 'col', class: numeric[k] ? 'number' : ''}, title))));
  const body = element('tbody', {}, ...part.rows.map(row => element('tr', {}, ...row.map(
    (cell, k) => element('td', {class: numeric[k] ? 'number' : named && k === 0 ? 'name' : ''}, cell)))));
  const table = element('div', {class: 'scroll'}, element('table', {}, header, body));
  if (part.folded) {
    box.append(element('details', {}, element('summary', {}, part.title), table));
  } else {
    box.append(element('h3', {}, part.title), table);
  }
  return null;
}

// Marks the boxes that take the whole width: tables of many columns, and those without a neighbour.
function widen(parts, boxes) {
  let alone = null;
  parts.forEach((part, k) => {
    const wide = part.type === 'table' && part.columns.length > 5;
    if (wide) {
      boxes[k].classList.add('wide');
    }
    if (wide && alone) {
      alone.classList.add('wide');
    }
    alone = wide || alone ? null : boxes[k];
  });
  if (alone) {
    alone.classList.add('wide');
  }
}

const MAKERS = {table: makeTable, heat: makeHeat, gantt: makeGantt, map: makeMap, grid: makeGrid};
if (haveCharts) {
  Object.assign(MAKERS, {curves: makeCurves, stack: makeStack});
}

function makeWarnings(warnings) {
  const group = warning => element('li', {}, warning.text, warning.more.length === 0 ? null
    : element('details', {}, element('summary', {}, `and ${warning.more.length} more like it`),
              element('ul', {}, ...warning.more.map(text => element('li', {}, text)))));
  return element('div', {class: 'box warnings'}, element('h3', {}, 'Warnings'),
                 element('div', {class: 'dim'}, 'Conditions of the theory that these settings do not ' +
                         'meet, and whatever kept learners from learning.'),
                 element('ul', {}, ...warnings.map(group)));
}

function makeToolbar(page, axes, redraw) {
  const all = {time: 'simulated time', rounds: 'rounds', bytes: 'bytes sent', joules: 'joules'};
  const names = Object.fromEntries(Object.entries(all).filter(([axis]) => axis in axes));
  return element('div', {class: 'toolbar'}, element('span', {class: 'dim'}, 'Curves against'),
                 makeSwitch(names, page.axis, choice => { page.axis = choice; redraw('curves'); }),
                 element('span', {class: 'dim'}, 'Drag to zoom, double-click to zoom out.'));
}

function makeHeader(page) {
  return [
    element('h1', {}, page.title),
    element('p', {class: 'dim', style: 'margin:0'}, page.subtitle),
    element('p', {class: 'sentence'}, page.sentence),
    page.command ? element('div', {}, element('div', {class: 'dim'},
                                                     'This command repeats the run:'),
                           element('code', {}, page.command)) : null,
    page.tiles ? element('div', {class: 'tiles'}, ...page.tiles.map(([value, name]) => element(
      'div', {class: 'tile'}, element('b', {}, value), element('span', {}, name)))) : null,
    page.warnings.length > 0 ? makeWarnings(page.warnings) : null,
    haveCharts || page.footer === '' ? null : element(
      'p', {class: 'note'}, 'There are no charts: dlearn was built without the chart library dygraphs.'),
  ].filter(part => part !== null);
}

// The content of the page: see makeReport(), makeComparison() and makeCampaign().
function makePage(data) {
  if (data.campaign) {
    return makeCampaign(data.campaign);
  }
  const runs = data.runs.map(readRun);
  const whole = {band: 'range', ...data};
  return data.detail ? makeReport(whole, runs) : makeComparison(whole, runs);
}

function drawPage() {
  const page = makePage(JSON.parse(document.getElementById('data').textContent));
  document.title = page.title;
  page.axis = 'time';
  const drawn = [];
  const redraw = type => drawn.filter(d => !type || d.type === type).forEach(d => d.again());
  const main = document.querySelector('main');
  main.replaceChildren(...makeHeader(page));
  document.getElementById('footer').textContent = page.footer;
  document.getElementById('license').hidden = !haveCharts;
  for (const section of page.sections) {
    const grid = element('div', {class: 'grid'});
    main.append(element('section', {}, element('h2', {}, section.title),
                        element('p', {class: 'note'}, section.note), grid));
    const parts = section.parts.filter(part => part.type in MAKERS);
    const curves = parts.find(part => part.type === 'curves');
    if (curves && !main.querySelector('.toolbar')) {
      grid.before(makeToolbar(page, curves.axes, redraw));
    }
    const boxes = parts.map(() => element('div', {class: 'box'}));
    grid.append(...boxes);
    widen(parts, boxes);
    parts.forEach((part, k) => {
      const again = MAKERS[part.type](part, boxes[k], page);
      if (again) {
        drawn.push({type: part.type, again});
      }
    });
  }
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth !== width) {
      width = innerWidth;
      ['heat', 'gantt', 'map'].forEach(redraw);
    }
  });
  watchColors(redraw);
  document.documentElement.dataset.drawn = drawn.length;
}

// Canvases are drawn again when their colours change, which on paper are the light ones.
function watchColors(redraw) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraw());
  addEventListener('beforeprint', () => {
    document.documentElement.dataset.theme = 'light';
    document.querySelectorAll('main details').forEach(d => { d.open = true; });
    redraw();
  });
  addEventListener('afterprint', () => {
    delete document.documentElement.dataset.theme;
    redraw();
  });
}

