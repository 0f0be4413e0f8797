// SPDX-License-Identifier: GPL-2.0-only
// Numbers for people, and statistics of several numbers.
'use strict';

// Significant digits as printf's %g has them: of two that are equally near the even one, 1e-05, inf; - for NaN.
function formatRounded(value, digits = 4) {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) || value === null || value === undefined ? '-' : value > 0 ? 'inf' : '-inf';
  }
  if (value === 0) {
    return '0';
  }
  const exact = Math.abs(value).toExponential(20).replace('.', '');
  const tie = /^50*e/.test(exact.slice(digits)) && exact[digits - 1] % 2 === 0;
  const text = tie
    ? `${value < 0 ? '-' : ''}${exact[0]}.${exact.slice(1, digits)}${exact.slice(exact.indexOf('e'))}`
    : value.toExponential(digits - 1);
  const [mantissa, power] = text.split('e');
  return power >= -4 && power < digits ? String(Number(Number(text).toPrecision(digits)))
    : `${Number(mantissa)}e${power[0]}${power.slice(1).padStart(2, '0')}`;
}

// For a table: empty where there is none.
function formatCell(value, format = formatRounded) {
  return Number.isNaN(value) ? '' : format(value);
}

function formatBytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (Math.abs(value) >= 1000 && unit < units.length - 1) {
    value /= 1000;
    ++unit;
  }
  return `${formatRounded(value)} ${units[unit]}`;
}

// Four digits of a share near 1 would hide a few lost messages in thousands.
function formatShare(share) {
  return Number.isNaN(share) ? '-' : formatRounded(100 * share, share > 0.99 ? 5 : 4) + ' %';
}

function countOf(number, thing) {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

// The probability that Student's t is beyond t in either direction: the incomplete beta function
// I_x(n/2, 1/2) at x = n / (n + t^2), by its continued fraction (DLMF 8.17.22).
function findTail(t, freedom) {
  const fraction = (x, a, b) => {
    let value = 1;
    for (let k = 400; k > 0; --k) {
      const m = Math.floor(k / 2);
      const term = k % 2 ? -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1))
        : m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m));
      value = 1 + term * x / value;
    }
    return 1 / (a * value);
  };
  const [x, rest] = [freedom / (freedom + t * t), t * t / (freedom + t * t)];
  let beta = freedom % 2 ? Math.PI : 2;
  for (let a = freedom % 2 ? 0.5 : 1; a < freedom / 2; ++a) {
    beta *= a / (a + 0.5);
  }
  const front = x ** (freedom / 2) * Math.sqrt(rest) / beta;
  return x < (freedom / 2 + 1) / (freedom / 2 + 2.5) ? front * fraction(x, freedom / 2, 0.5)
    : 1 - front * fraction(rest, 0.5, freedom / 2);
}

const quantiles = new Map();

// The t that 95 % of Student's law are within.
function findQuantile(freedom) {
  let [low, high] = [0, 20];
  for (let k = 0; k < 60 && !quantiles.has(freedom); ++k) {
    const middle = (low + high) / 2;
    [low, high] = findTail(middle, freedom) > 0.05 ? [middle, high] : [low, middle];
  }
  quantiles.set(freedom, quantiles.get(freedom) || low);
  return quantiles.get(freedom);
}

// Mean and spread of numbers; NaN does not apply, and is skipped.
class Spread {
  constructor(values) {
    this.count = 0;
    this.low = this.high = this.mean = this.deviation = NaN;
    let [sum, squares] = [0, 0];
    for (const value of values.filter(v => !Number.isNaN(v))) {
      const before = this.count === 0 ? value : this.mean;
      sum += value;
      this.mean = sum / ++this.count;
      this.low = this.count === 1 ? value : Math.min(this.low, value);
      this.high = this.count === 1 ? value : Math.max(this.high, value);
      squares += (value - before) * (value - this.mean); // Welford (1962)
    }
    if (this.count > 1) {
      this.deviation = this.low === this.high ? 0 : Math.sqrt(squares / (this.count - 1));
    }
  }

  // Ends of what is drawn around the mean: range, sd (standard deviation) or ci (95 % interval of the mean).
  getBand(band) {
    const width = this.deviation *
      (band === 'ci' && this.count > 1 ? findQuantile(this.count - 1) / Math.sqrt(this.count) : 1);
    return band === 'range' ? [this.low, this.high] : [this.mean - width, this.mean + width];
  }
}

// Whether numbers are the same but for rounding: of means of many others the twelfth digit says nothing.
function areSame(differences, scale) {
  return Math.max(...differences) - Math.min(...differences) <= 1e-12 * scale;
}

// Student's t-test of pairs, whether the mean of their differences is 0; null for fewer than two, and
// for differences that are all the same, of which there is no distribution to speak of.
function testPairs(differences) {
  if (differences.length < 2 || areSame(differences, Math.max(...differences.map(Math.abs)))) {
    return null;
  }
  const spread = new Spread(differences);
  const error = spread.deviation / Math.sqrt(spread.count);
  const [low, high] = spread.getBand('ci');
  return {pairs: spread.count, difference: spread.mean, low, high,
          p: findTail(Math.abs(spread.mean) / error, spread.count - 1)};
}
