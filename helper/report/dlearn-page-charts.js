// SPDX-License-Identifier: GPL-2.0-only
// Charts, which the chart library draws.
'use strict';

const haveCharts = typeof Dygraph !== 'undefined';

const EVENT_COLORS = {
  crashed: '--c6', left: '--c7', stopped: '--c7', restarted: '--c2', 'budget-spent': '--c3',
  'battery-empty': '--c3', 'neighbor-suspected': '--c4', 'client-suspected': '--c4',
  'waited-for': '--c4', 'handed-over': '--c5', disassociated: '--c6',
  'link-up': '--c2', 'link-down': '--c1', isolated: '--c6', 'all-down': '--c6', failed: '--c6', interrupted: '--c6',
};

function eventColor(event) {
  return EVENT_COLORS[event.event] || '--c7';
}

// The options that all charts share.
function chartOptions() {
  return {
    legend: 'never',
    gridLineColor: styleColor('--grid'),
    axisLineColor: styleColor('--line'),
    axisLabelFontSize: 12,
    axisLabelWidth: 62,
    gridLineWidth: 0.8,
    highlightCircleSize: 4,
    xRangePad: 8,
    strokeWidth: 2,
  };
}

// Where on an axis a moment is: between the rounds that were evaluated before and after it.
function placeTime(clock, axis, time) {
  const times = clock.time;
  const x = clock[axis];
  if (axis === 'time' || times.length === 0) {
    return time;
  }
  const next = times.findIndex(t => t >= time);
  if (next <= 0) {
    return next === 0 ? x[0] : x[x.length - 1];
  }
  const share = (time - times[next - 1]) / (times[next] - times[next - 1] || 1);
  return x[next - 1] + share * (x[next] - x[next - 1]);
}

// Rows for the library: of all curves' abscissae; null where a curve has no point.
function joinCurves(curves) {
  const rows = new Map();
  curves.forEach(([x, mean, low, high], k) => x.forEach((at, i) => {
    if (!rows.has(at)) {
      rows.set(at, new Array(curves.length).fill(null));
    }
    rows.get(at)[k] = [(low || mean)[i], mean[i], (high || mean)[i]];
  }));
  return [...rows].sort((a, b) => a[0] - b[0]).map(([x, row]) => [x, ...row]);
}

// A curve that jumps is as high between two points as at the second one. The library holds a value until the
// next point, so each value begins at the point before.
function holdNext([x, ...lines]) {
  return [x, ...lines.map(line => [...line.slice(1), ...line.slice(-1)])];
}

// A logarithmic axis shows no band below 0: it ends at the smallest number that it shows.
function clipRows(rows) {
  const shown = rows.flatMap(row => row.slice(1)).filter(p => p && p[1] > 0).map(p => p[1]);
  const least = shown.reduce((a, b) => Math.min(a, b), Infinity);
  return rows.map(([x, ...points]) => [x, ...points.map(
    p => p && p[1] > 0 ? [Math.max(p[0], Math.min(least, p[1])), p[1], p[2]] : null)]);
}

// Whether values span more than two powers of ten: then a linear axis would show a flat line.
function isWide(curves) {
  const means = curves.flatMap(curve => curve[1]);
  if (means.some(y => y < 0)) {
    return false;
  }
  const positive = means.filter(y => y > 0);
  return positive.reduce((a, b) => Math.max(a, b), 0) >
    100 * positive.reduce((a, b) => Math.min(a, b), Infinity);
}

// The unique name of a curve in the library.
function seriesLabel(part, k) {
  return `${k}: ${part.names[k]}`;
}

// A chart of curves with bands against the axis of the page; returns how to draw it again.
function makeCurves(part, box, page) {
  const chart = element('div', {class: 'chart'});
  const xLabel = element('div', {class: 'axis'});
  const entries = part.names.map((name, k) => legendEntry(seriesColor(k), name));
  const at = element('span', {class: 'dim'});
  const anyAxis = Object.values(part.axes)[0];
  let log = isWide(anyAxis.curves);
  let graph = null;
  const scale = makeSwitch({linear: 'linear', log: 'log'}, log ? 'log' : 'linear', choice => {
    log = choice === 'log';
    draw();
  });
  const positive = anyAxis.curves.some(curve => curve[1].some(y => y > 0));
  box.append(
    element('div', {class: 'head'}, element('h3', {}, part.title), positive ? scale : null),
    element('div', {class: 'dim'}, part.label),
    element('div', {class: 'legend'}, ...(entries.length > 1 || part.names[0] !== 'this run'
      ? entries.map(e => e.entry) : [element('span', {}, entries[0].value)]), at),
    chart, xLabel);

  function showValues(curves, x, format) {
    at.textContent = x === null ? '' : `at ${format(x)}`;
    curves.forEach(([abscissae, mean, low, high], k) => {
      let i = -1;
      while (x !== null && i + 1 < abscissae.length && abscissae[i + 1] <= x) {
        ++i;
      }
      if (part.jumps && i >= 0 && abscissae[i] < x && i + 1 < abscissae.length) {
        ++i;
      }
      entries[k].value.textContent = i < 0 ? '' : formatNumber(mean[i]) +
        (low && low[i] !== high[i] ? ` (${formatNumber(low[i])} to ${formatNumber(high[i])})` : '');
    });
  }

  function draw() {
    const axis = part.axes[page.axis];
    const format = page.axis === 'bytes' ? formatBytes : formatNumber;
    const rows = joinCurves(part.jumps ? axis.curves.map(holdNext) : axis.curves);
    xLabel.textContent = axis.label;
    showValues(axis.curves, null, format);
    if (graph) {
      graph.destroy();
      graph = null;
    }
    if (rows.length === 0) { // such as joules of runs without meters
      chart.textContent = 'There are no values along this axis.';
      return;
    }
    const events = page.clock && page.axis in page.clock ? (page.events || []).map(
      event => ({...event, x: placeTime(page.clock, page.axis, event.time)})) : [];
    const dashed = (part.dashed || []).map(k => [seriesLabel(part, k), {strokePattern: [6, 5]}]);
    graph = new Dygraph(chart, log ? clipRows(rows) : rows, {
      ...chartOptions(),
      labels: ['x', ...part.names.map((name, k) => seriesLabel(part, k))],
      series: Object.fromEntries(dashed),
      colors: part.names.map((name, k) => styleColor(seriesColor(k))),
      customBars: true,
      connectSeparatedPoints: true,
      fillAlpha: 0.16,
      logscale: log,
      stepPlot: part.jumps && rows.length > 1,
      drawPoints: rows.length <= (part.jumps ? 1 : 40), // a step begins where the one before ends
      pointSize: 2.5,
      axes: {
        x: {axisLabelFormatter: format, pixelsPerLabel: page.axis === 'bytes' ? 75 : 50},
        y: {axisLabelFormatter: formatNumber, axisLabelWidth: 46},
      },
      highlightCallback: (event, x) => showValues(axis.curves, x, format),
      unhighlightCallback: () => showValues(axis.curves, null, format),
      underlayCallback: (canvas, area, g) => drawMarks(canvas, area, g, events, part),
      drawCallback: g => placeEvents(chart, g, events),
    });
  }
  draw();
  return draw;
}

// Lines across a chart: moments of events, and a limit.
function drawMarks(canvas, area, g, events, part) {
  canvas.save();
  canvas.setLineDash([3, 4]);
  for (const event of events) {
    const x = g.toDomXCoord(event.x);
    if (x >= area.x && x <= area.x + area.w) {
      canvas.strokeStyle = styleColor(eventColor(event));
      canvas.globalAlpha = 0.55;
      canvas.beginPath();
      canvas.moveTo(x, area.y);
      canvas.lineTo(x, area.y + area.h);
      canvas.stroke();
    }
  }
  canvas.globalAlpha = 1;
  const [low, high] = g.yAxisRange();
  if (part.limit && part.limit >= low && part.limit <= high) {
    const y = g.toDomYCoord(part.limit);
    canvas.strokeStyle = canvas.fillStyle = styleColor('--bad');
    canvas.beginPath();
    canvas.moveTo(area.x, y);
    canvas.lineTo(area.x + area.w, y);
    canvas.stroke();
    canvas.font = '12px sans-serif';
    canvas.fillText(`${part.limit_name} ${formatNumber(part.limit)}`, area.x + 6, y - 4);
  }
  canvas.restore();
}

// A dot on the top edge for each event, or for those too close to tell apart; hover for the text.
function placeEvents(chart, g, events) {
  chart.querySelectorAll('.event').forEach(mark => mark.remove());
  const area = g.getArea();
  let last = null;
  for (const event of [...events].sort((a, b) => a.x - b.x)) {
    const x = g.toDomXCoord(event.x);
    if (x < area.x || x > area.x + area.w) {
      continue;
    }
    if (last && x - last.x < 8) {
      last.mark.title += '\n' + event.text;
      continue;
    }
    const mark = element('span', {
      class: 'event',
      title: event.text,
      style: `left:${x}px;top:${area.y - 2}px;background:var(${eventColor(event)})`,
    });
    chart.append(mark);
    last = {x, mark};
  }
}

const LAYER_COLORS = {
  lost: '--c6', late: '--c4', rejected: '--c3', used: '--c0',
  computing: '--c1', 'sending and waiting': '--c0',
  'in queues': '--c4', sending: '--c2', 'sending again': '--c6', waiting: '--c0',
};

// Layers over one another by round.
function makeStack(part, box) {
  const chart = element('div', {class: 'chart'});
  const entries = part.names.map(name => legendEntry(LAYER_COLORS[name], name));
  const at = element('span', {class: 'dim'});
  box.append(element('h3', {}, part.title), element('div', {class: 'dim'}, part.label),
             element('div', {class: 'legend'}, ...entries.map(e => e.entry), at),
             chart, element('div', {class: 'axis'}, 'round'));
  const show = row => {
    at.textContent = row ? `at round ${row[0]}` : '';
    entries.forEach((e, k) => { e.value.textContent = row ? formatNumber(row[k + 1]) : ''; });
  };
  let graph = null;
  const draw = () => {
    if (graph) {
      graph.destroy();
    }
    // A step lasts until the next one: the last one, too.
    const last = part.rows[part.rows.length - 1];
    const step = part.rows.length > 1 ? last[0] - part.rows[part.rows.length - 2][0] : 0;
    graph = new Dygraph(chart, step > 0 ? [...part.rows, [last[0] + step, ...last.slice(1)]] : part.rows, {
      ...chartOptions(),
      labels: ['round', ...part.names],
      colors: part.names.map(name => styleColor(LAYER_COLORS[name])),
      stackedGraph: true,
      stepPlot: part.rows.length > 1,
      drawPoints: part.rows.length === 1,
      fillAlpha: 0.55,
      strokeWidth: 1,
      axes: {
        x: {axisLabelFormatter: formatNumber, pixelsPerLabel: 50},
        y: {axisLabelFormatter: formatNumber, axisLabelWidth: 46},
      },
      highlightCallback: (event, x, points, row) => show(part.rows[Math.min(row, part.rows.length - 1)]),
      unhighlightCallback: () => show(null),
    });
  };
  draw();
  return draw;
}
