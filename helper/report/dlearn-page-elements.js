// SPDX-License-Identifier: GPL-2.0-only
'use strict';

// An element with attributes (a function listens) and children; text is never HTML.
function element(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svgElement(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') {
      node.addEventListener(name, value);
    } else {
      node.setAttribute(name, value);
    }
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

// A value of a colour of the style sheet, for a canvas.
function styleColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function seriesColor(index) {
  return `--c${index % 8}`;
}

function formatNumber(value) {
  if (value === null || value === undefined) {
    return '';
  }
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e6 || size < 1e-4)
    ? Number(value.toPrecision(4)).toExponential().replace('e+', 'e')
    : String(Number(value.toPrecision(4)));
}

// About count round numbers between two.
function findTicks(low, high, count) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => span / s <= count) || 10 * power;
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; ++k) {
    ticks.push(Number((k * step).toPrecision(12)));
  }
  return ticks;
}

// Buttons of which one is pressed; choose is called with its name.
function makeSwitch(names, pressed, choose) {
  const buttons = Object.entries(names).map(([name, label]) => element('button', {
    type: 'button',
    'aria-pressed': String(name === pressed),
    click: event => {
      buttons.forEach(b => b.setAttribute('aria-pressed', String(b === event.currentTarget)));
      choose(name);
    },
  }, label));
  return element('span', {class: 'switch'}, ...buttons);
}

function legendEntry(color, text, shape) {
  const swatch = element('i', {class: shape || '', style: `background:var(${color})`});
  const value = element('b');
  const entry = element('span', {}, swatch, text + ' ', value);
  return {entry, value};
}
