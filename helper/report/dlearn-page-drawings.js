// SPDX-License-Identifier: GPL-2.0-only
// Drawings that no chart library is needed for: heat map, Gantt chart, map. Each returns how to
// draw it again, for another width.
'use strict';

// An SVG as wide as its box, drawn by a function of its width that returns its height.
function makeDrawing(box, draw) {
  const picture = svgElement('svg', {role: 'img'});
  box.append(picture);
  const again = () => {
    const width = Math.max(240, Math.floor(picture.parentElement.clientWidth - 28));
    picture.replaceChildren();
    const height = draw(picture, width);
    picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    picture.setAttribute('height', height);
  };
  again();
  return again;
}

function drawText(picture, x, y, text, anchor) {
  picture.append(svgElement('text', {x, y, 'text-anchor': anchor || 'start'}, text));
}

const CELL_COLORS = {received: '--c0', late: '--c4', lost: '--c6', latency: '--c5'};

// How strong a cell is, from 0 to 1: a share of the messages, or of the longest latency.
function weighCell(cell, kind, longest) {
  if (kind === 'latency') {
    return cell[4] / (longest || 1);
  }
  const count = cell[{received: 1, late: 2, lost: 3}[kind]];
  return cell[0] > 0 ? count / cell[0] : kind === 'received' ? 1 : 0;
}

// The text of a cell: of rounds of a learner, or of a link.
function describeCell(part, line, column, cell) {
  const from = column * part.size;
  const where = part.columns ? `from learner ${part.columns[column]} to ${line.node}`
    : part.size === 1 ? `learner ${line.node}, round ${from}`
      : `learner ${line.node}, rounds ${from} to ${from + part.size - 1}`;
  return `${where}: of ${cell[0]} expected ${cell[1]} in time, ${cell[2]} late, ${cell[3]} lost` +
    (cell.length > 4 && cell[4] !== null ? `, mean latency ${formatNumber(cell[4])} ms` : '');
}

// For each learner and bin of rounds, or each link, the share of the messages that arrived, was
// late or lost; of links the latency, too.
function makeHeat(part, box) {
  const kinds = {received: 'in time', late: 'late', lost: 'lost'};
  if (part.columns) {
    kinds.latency = 'latency';
  }
  const cells = part.lines.flatMap(line => line.cells).filter(cell => cell);
  let kind = cells.some(cell => cell[3] > 0) ? 'lost' : part.columns ? 'latency' : 'received';
  const longest = cells.reduce((most, cell) => Math.max(most, cell[4] || 0), 0);
  let again = null;
  box.append(element('div', {class: 'head'}, element('h3', {}, part.title),
                     makeSwitch(kinds, kind, choice => { kind = choice; again(); })),
             element('div', {class: 'dim'}, part.columns
               ? 'A line for each receiver. The stronger a cell, the larger the share of the messages, or the latency.'
               : 'A line for each learner. The stronger a cell, the larger the share of the messages that it ' +
                 'expected in the round; empty: no round closed.'));
  again = makeDrawing(box, (picture, width) => {
    const left = 46;
    const top = 6;
    const columns = part.lines.reduce((n, line) => Math.max(n, line.cells.length), 1);
    const w = (width - left) / columns;
    const h = Math.max(8, Math.min(20, 420 / part.lines.length));
    const labelEvery = Math.ceil(13 / h);
    part.lines.forEach((line, row) => {
      if (row % labelEvery === 0) {
        drawText(picture, left - 6, top + row * h + h / 2 + 4, line.node, 'end');
      }
      line.cells.forEach((cell, column) => {
        if (!cell) {
          return;
        }
        const spot = {x: left + column * w, y: top + row * h, width: Math.max(w - (w > 4), 0.5), height: h - 1};
        const weight = Math.sqrt(weighCell(cell, kind, longest)).toFixed(3);
        picture.append(
          svgElement('rect', {...spot, fill: 'var(--cell)'}),
          svgElement('rect', {...spot, fill: `var(${CELL_COLORS[kind]})`, 'fill-opacity': weight},
                     svgElement('title', {}, describeCell(part, line, column, cell))));
      });
    });
    const bottom = top + part.lines.length * h;
    for (const tick of findTicks(0, columns * part.size - 1, Math.max(2, width / 90))) {
      const x = left + (tick / part.size + 0.5) * w;
      if (!part.columns || Number.isInteger(tick)) {
        drawText(picture, x, bottom + 15, part.columns ? part.columns[tick] : tick,
                 x > width - 20 ? 'end' : 'middle');
      }
    }
    return bottom + 20;
  });
  box.append(element('div', {class: 'axis'}, part.columns ? 'sender' : 'round'));
  return again;
}

const PHASE_COLORS = ['--c4', '--c2', '--c6', '--c0']; // queue, air, retransmission, wait

// The pieces of a bar: computing where it was, the other phases by their shares of the rest.
function cutBar(bar) {
  const pieces = [[bar.begin, bar.end, '--c1']];
  const rest = [[bar.opened, bar.begin], [bar.end, bar.closed]];
  const total = (bar.phases || []).reduce((sum, seconds) => sum + seconds, 0);
  for (const [from, to] of rest) {
    let at = from;
    (total > 0 ? bar.phases : [0, 0, 0, 1]).forEach((seconds, k) => {
      const next = at + (to - from) * seconds / (total || 1);
      pieces.push([at, next, PHASE_COLORS[k]]);
      at = next;
    });
  }
  return pieces;
}

// One round: for each learner when it computed, and the phases of the rest of the time.
function makeGantt(part, box) {
  const phased = part.bars.some(bar => bar.phases);
  const entries = phased ? part.phases.map((name, k) => legendEntry(PHASE_COLORS[k], name).entry)
    : [legendEntry('--c0', 'sending and waiting').entry];
  box.append(element('h3', {}, part.title),
             element('div', {class: 'legend'}, legendEntry('--c1', 'computing').entry, ...entries,
                     phased ? element('span', {class: 'dim'},
                                      'only computing is drawn when it was; the other ' +
                                      'colours share the rest of the time') : null));
  const begin = Math.min(...part.bars.map(bar => bar.opened));
  const end = Math.max(...part.bars.map(bar => bar.closed));
  const again = makeDrawing(box, (picture, width) => {
    const left = 46;
    const h = Math.max(8, Math.min(20, 420 / part.bars.length));
    const scale = (width - left - 8) / (end - begin || 1);
    const labelEvery = Math.ceil(13 / h);
    const bottom = part.bars.length * h;
    for (const tick of findTicks(begin, end, Math.max(2, width / 110))) {
      const x = left + (tick - begin) * scale;
      picture.append(svgElement('line', {x1: x, x2: x, y1: 0, y2: bottom, stroke: 'var(--grid)'}));
      drawText(picture, x, bottom + 15, formatNumber(tick), x > width - 30 ? 'end' : 'middle');
    }
    part.bars.forEach((bar, row) => {
      const y = row * h + 1;
      if (row % labelEvery === 0) {
        drawText(picture, left - 6, y + h / 2 + 3, bar.role === 'server' ? 'server' : bar.node, 'end');
      }
      const add = (from, to, color) => picture.append(svgElement('rect', {
        x: left + (from - begin) * scale, y, height: h - 2,
        width: Math.max((to - from) * scale, to > from ? 1 : 0), fill: `var(${color})`,
      }, svgElement('title', {}, `learner ${bar.node}, ${bar.role}: round open ` +
                    `${formatNumber(bar.opened)} s to ${formatNumber(bar.closed)} s, ` +
                    `computing ${formatNumber(bar.end - bar.begin)} s` +
                    (bar.phases || []).map((seconds, k) =>
                      `, ${part.phases[k]} ${formatNumber(seconds)} s`).join(''))));
      cutBar(bar).filter(([from, to]) => to > from).forEach(piece => add(...piece));
    });
    return bottom + 20;
  });
  box.append(element('div', {class: 'axis'}, 'simulated time (s)'));
  return again;
}

const ROLE_COLORS = {peer: '--c0', server: '--c1', client: '--c2', edge: '--c3', 'edge-server': '--c4', byzantine: '--c6'};

// Places of learners without positions: on a circle, a sole server in its centre.
function placeOnCircle(nodes) {
  const servers = nodes.filter(node => node.role === 'server').length;
  const around = nodes.length - (servers === 1 ? 1 : 0);
  let turn = 0;
  return nodes.map(node => {
    if (servers === 1 && node.role === 'server') {
      return {x: 0, y: 0};
    }
    const angle = 2 * Math.PI * turn++ / around;
    return {x: Math.sin(angle), y: Math.cos(angle)};
  });
}

// The end of a link at the edge of a node, as an arrow head.
function drawArrow(from, to, radius) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length <= 2 * radius) {
    return '';
  }
  const dx = (to.x - from.x) / length;
  const dy = (to.y - from.y) / length;
  const at = (back, side) => `${(to.x - dx * back - dy * side).toFixed(1)} ` +
    `${(to.y - dy * back + dx * side).toFixed(1)}`;
  return `M${at(radius, 0)}L${at(radius + 8, 3.5)}L${at(radius + 8, -3.5)}z`;
}

// Where to draw learners at towns: around the town.
function placeAtSites(part, spots, radius) {
  const turns = {};
  const counts = {};
  part.nodes.forEach(node => { counts[node.site] = (counts[node.site] || 0) + 1; });
  return spots.map((spot, k) => {
    const site = part.nodes[k].site;
    const turn = turns[site] = (turns[site] || 0) + 1;
    const angle = 2 * Math.PI * turn / counts[site] - Math.PI / 4;
    const away = radius + 5;
    return {x: spot.x + away * Math.cos(angle), y: spot.y + away * Math.sin(angle)};
  });
}

// The links between towns: the busier, the stronger; those that dropped packets in another colour.
function drawTrunks(picture, part, spots) {
  part.trunks.forEach(trunk => {
    const [from, to] = trunk.ends.map(k => spots[k]);
    picture.append(svgElement('line', {
      x1: from.x, y1: from.y, x2: to.x, y2: to.y, stroke: `var(${trunk.drops ? '--c6' : '--c0'})`,
      'stroke-width': 2 + 4 * trunk.busy, 'stroke-opacity': 0.25 + 0.75 * Math.sqrt(trunk.busy),
    }, svgElement('title', {}, trunk.tip)));
  });
}

function drawSites(picture, part, spots) {
  part.sites.forEach((site, k) => {
    const spot = spots[k];
    picture.append(svgElement('rect', {x: spot.x - 3, y: spot.y - 3, width: 6, height: 6, fill: 'var(--text)',
                                       'fill-opacity': site.known ? 1 : 0.4},
                              svgElement('title', {}, site.name + ', router ' + site.router + (site.known ? '' : ', place not known'))));
    if (part.sites.length <= 60) {
      picture.append(svgElement('text', {x: spot.x, y: spot.y - 8, 'text-anchor': 'middle', class: 'town'}, site.name));
    }
  });
}

// Where a learner is at a time: on straight lines between the places of its track.
function locate(track, time) {
  const next = track.findIndex(point => point[2] > time);
  const end = next < 0 ? track.length - 1 : next;
  const [from, to] = [track[next < 0 ? end : Math.max(0, next - 1)], track[end]];
  const share = to[2] > from[2] ? (time - from[2]) / (to[2] - from[2]) : 0;
  return {x: from[0] + share * (to[0] - from[0]), y: from[1] + share * (to[1] - from[1])};
}

// Whether a learner is down at a time.
function isDown(node, time) {
  return (node.changes || []).filter(([when]) => when <= time).reduce((down, change) => change[1], false);
}

// A slider of time, and a button that moves it from its beginning to its end in ten seconds.
function makePlayer(begin, end, show) {
  const label = element('span', {class: 'dim'});
  const slider = element('input', {type: 'range', min: begin, max: end, step: 'any', value: begin, 'aria-label': 'time'});
  let timer = null;
  const tell = () => {
    label.textContent = `at ${formatNumber(Number(slider.value))} s`;
    show(Number(slider.value));
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
  };
  slider.addEventListener('input', tell);
  const play = element('button', {type: 'button', click: () => {
    if (timer) {
      stop();
      return;
    }
    slider.value = Number(slider.value) < end ? slider.value : begin;
    timer = setInterval(() => {
      slider.value = Number(slider.value) + (end - begin) / 200;
      tell();
      if (Number(slider.value) >= end) {
        stop();
      }
    }, 50);
  }}, 'Play');
  return element('div', {class: 'toolbar'}, play, slider, label);
}

// Learners and links, with a scale where positions are in metres; or learners at the towns of a network.
function makeMap(part, box) {
  const roles = [...new Set(part.nodes.map(node => node.role))].sort();
  const legend = element('div', {class: 'legend'}, ...roles.map(
    role => legendEntry(ROLE_COLORS[role] || '--c7', role === 'byzantine' ? 'attacker' : role, 'dot').entry),
    part.nodes.some(node => node.stopped)
      ? element('span', {class: 'dim'}, 'hollow: had ended before the end of the run, or closed no round') : null,
    part.nodes.some(node => node.track)
      ? element('span', {class: 'dim'}, 'dashed: the way of a learner from its first place; the slider moves ' +
                'learners, hollow while they are down') : null,
    part.sites
      ? element('span', {class: 'dim'}, 'squares: routers; the stronger a link, the busier; ' +
                'red: it dropped packets') : null);
  box.append(element('h3', {}, part.title), legend);
  const places = part.nodes.every(node => 'x' in node) ? part.nodes : placeOnCircle(part.nodes);
  const tracks = part.nodes.map(node => node.track || []);
  const sites = part.sites || [];
  const xs = [...places.map(p => p.x), ...sites.map(p => p.x), ...tracks.flat().map(p => p[0])];
  const ys = [...places.map(p => p.y), ...sites.map(p => p.y), ...tracks.flat().map(p => p[1])];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  let time = null; // until the slider is moved, learners are drawn at their first places
  const again = makeDrawing(box, (picture, width) => {
    const margin = 24;
    const room = Math.min(430, width) - 2 * margin;
    const scale = Math.min((width - 2 * margin) / (right - left || 1e-9), room / (high - low || 1e-9),
                           right === left && high === low ? 1 : Infinity);
    const shift = (width - (right - left) * scale) / 2;
    const place = (x, y) => ({x: shift + (x - left) * scale, y: margin + (high - y) * scale});
    const radius = part.nodes.length <= 40 ? 11 : part.nodes.length <= 120 ? 7 : 4.5;
    const towns = sites.map(p => place(p.x, p.y));
    const centres = places.map((p, k) => time === null || tracks[k].length === 0 ? p : locate(tracks[k], time))
      .map(p => place(p.x, p.y));
    const spots = part.sites ? placeAtSites(part, centres, radius) : centres;
    if (part.sites) {
      drawTrunks(picture, part, towns);
      drawSites(picture, part, towns);
    }
    let lines = '';
    let arrows = '';
    for (const [a, b, towards] of part.sites ? [] : part.edges) {
      lines += `M${spots[a].x.toFixed(1)} ${spots[a].y.toFixed(1)}` +
        `L${spots[b].x.toFixed(1)} ${spots[b].y.toFixed(1)}`;
      arrows += towards === 1 ? drawArrow(spots[b], spots[a], radius)
        : towards === 2 ? drawArrow(spots[a], spots[b], radius) : '';
    }
    // Many lines would melt into one dark blot.
    const opacity = Math.max(0.12, Math.min(0.6, 120 / (part.edges.length + 1)));
    picture.append(svgElement('path', {d: lines, stroke: 'var(--dim)', 'stroke-opacity': opacity, fill: 'none'}),
                   svgElement('path', {d: arrows, fill: 'var(--dim)'}));
    tracks.forEach((track, k) => picture.append(drawTrack(track.map(p => place(...p)), part.nodes[k])));
    part.nodes.forEach((node, k) => picture.append(drawNode(
      time === null ? node : {...node, stopped: isDown(node, time)}, k, spots[k], radius)));
    let height = (high - low) * scale + 2 * margin;
    if (part.unit && scale < Infinity && right + high > left + low) {
      drawScale(picture, scale, part.unit, height + 6, width);
      height += 18;
    }
    return height;
  });
  const times = tracks.flat().map(point => point[2]);
  if (times.length > 0) {
    box.append(makePlayer(Math.min(...times), Math.max(...times), moment => { time = moment; again(); }));
  }
  return again;
}

// The way of a learner that moved, from its first place, where the learner is drawn.
function drawTrack(spots, node) {
  const way = spots.map(spot => `${spot.x.toFixed(1)} ${spot.y.toFixed(1)}`).join('L');
  return svgElement('path', {d: way ? `M${way}` : '', fill: 'none', 'stroke-width': 1.5, 'stroke-dasharray': '4 3',
                             stroke: `var(${ROLE_COLORS[node.role] || '--c7'})`});
}

function drawNode(node, number, spot, radius) {
  const color = `var(${ROLE_COLORS[node.role] || '--c7'})`;
  const group = svgElement('g', {}, svgElement('title', {}, node.tip));
  const shape = {fill: node.stopped ? 'var(--box)' : color, stroke: node.stopped ? color : 'var(--box)',
                 'stroke-width': node.stopped ? 2.5 : 1};
  group.append(node.role === 'byzantine'
    ? svgElement('rect', {...shape, x: spot.x - radius * 0.9, y: spot.y - radius * 0.9,
                          width: radius * 1.8, height: radius * 1.8})
    : svgElement('circle', {...shape, cx: spot.x, cy: spot.y, r: radius}));
  if (radius > 9) {
    group.append(svgElement('text', {
      x: spot.x, y: spot.y + 3.5, 'text-anchor': 'middle',
      style: `font-size:10px;fill:${node.stopped ? 'var(--text)' : 'var(--box)'}`}, number));
  }
  return group;
}

function drawScale(picture, scale, unit, y, width) {
  const length = findTicks(0, width / 4 / scale, 2.5).pop();
  if (length > 0) {
    const end = 20 + length * scale;
    picture.append(svgElement('path', {d: `M20 ${y - 4}v4H${end}v-4`, fill: 'none', stroke: 'var(--dim)'}));
    drawText(picture, end + 6, y + 2, `${formatNumber(length)} ${unit}`);
  }
}
