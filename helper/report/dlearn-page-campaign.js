// SPDX-License-Identifier: GPL-2.0-only
// The page of a campaign: a table of its cells, which can be sorted and searched.
'use strict';

// Mean over seeds; where there is more than one with the standard deviation and, on lines below, the 95 %
// interval of the mean and the least and the greatest. The key is for sorting.
function makeSpreadCell(values, factor, digits, done) {
  const spread = new Spread(values.map(value => readNumber(value) * factor));
  if (spread.count === 0) {
    return {key: '', nodes: ['']};
  }
  const write = value => Math.abs(value) < 1e5 ? value.toFixed(digits) : formatRounded(value, 3);
  const few = spread.count < done ? [` (${spread.count} runs)`] : [];
  if (!Number.isFinite(spread.mean)) {
    return {key: 'inf', nodes: ['infinite', ...few]};
  }
  const more = spread.count === 1 ? [] : [` ± ${write(spread.deviation)}`, element(
    'small', {}, `95 %: ${spread.getBand('ci').map(write).join(' to ')}`, element('br'),
    spread.getBand('range').map(write).join(' to '))];
  return {key: String(spread.mean), nodes: [write(spread.mean), ...more, ...few]};
}

function makeFolded(summary, ...nodes) {
  return element('details', {}, element('summary', {}, summary), ...nodes);
}

// The cells of a row of the table: a key for sorting and choosing, and nodes.
function makeCampaignRow(cell, campaign, shown) {
  const plain = text => ({key: text, nodes: [text]});
  return [
    ...cell.coordinates.map(plain),
    {key: cell.word, nodes: [cell.note]},
    ...shown.map(k => makeSpreadCell(cell.figures[k], ...campaign.figures[k].slice(1), cell.done)),
    {key: cell.warned ? String(cell.warned) : '', nodes: cell.warned === 0 ? [] : [makeFolded(
      countOf(cell.warned, 'run'), element('ul', {}, ...cell.warnings.map(text => element('li', {}, text))))]},
    {key: '', nodes: cell.runs.flatMap(([seed, link, status]) => [
      link ? element('a', {href: link}, seed) : element('span', {title: status}, seed), ' '])},
    {key: '', nodes: cell.command ? [makeFolded('show', element('code', {}, cell.command))] : []},
  ];
}

// Empty ones last, numbers by size.
function compareKeys(a, b, sign) {
  if (a === '' || b === '') {
    return a === b ? 0 : a === '' ? 1 : -1;
  }
  const [x, y] = [a, b].map(key => key === 'inf' ? Infinity : Number(key));
  return sign * (Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x < y ? -1 : x > y ? 1 : 0);
}

function makeGrid(campaign, box) {
  const shown = campaign.figures.map((figure, k) => k).filter(
    k => campaign.cells.some(cell => cell.figures[k].length > 0));
  const heads = [...campaign.names.map(name => [name, 'choose']), ['state', 'choose'],
                 ...shown.map(k => [campaign.figures[k][0], 'number']),
                 ['warnings', 'number'], ['seeds', ''], ['command', '']];
  const rows = campaign.cells.map(cell => {
    const cells = makeCampaignRow(cell, campaign, shown);
    const getClass = k => k === campaign.names.length ? 'remark' : heads[k][1] === 'number' ? 'number' : '';
    const nodes = cells.map((part, k) => element('td', {class: getClass(k)}, ...part.nodes));
    return {keys: cells.map(({key}) => key), node: element('tr', {class: cell.state}, ...nodes)};
  });
  const body = element('tbody', {}, ...rows.map(row => row.node));
  const count = element('span', {class: 'dim'});
  const choices = heads.map(() => null);
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const {keys, node} of rows) {
      const text = node.textContent.toLowerCase();
      node.hidden = !words.every(word => text.includes(word)) ||
        choices.some((choice, k) => choice && choice.selectedIndex > 0 && choice.value !== keys[k]);
    }
    count.textContent = `${rows.filter(row => !row.node.hidden).length} of ${rows.length} cells`;
  };
  const hint = 'rows with these words';
  const search = element('input', {type: 'search', placeholder: hint, 'aria-label': hint, input: filter});
  const cells = heads.map(([name, kind], k) => {
    const sort = () => {
      const sign = cells[k].getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      cells.forEach(other => other.removeAttribute('aria-sort'));
      cells[k].setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
      rows.sort((a, b) => compareKeys(a.keys[k], b.keys[k], sign));
      body.append(...rows.map(row => row.node));
    };
    if (kind === 'choose') {
      const values = [...new Set(rows.map(row => row.keys[k]))];
      choices[k] = element('select', {'aria-label': `only rows with this ${name}`, change: filter},
                           new Option('all', ''), ...values.map(value => new Option(value || '(fine)', value)));
    }
    return element('th', {class: kind === 'number' ? 'number' : ''},
                   element('button', {type: 'button', click: sort}, name), choices[k]);
  });
  box.classList.add('wide');
  box.append(element('div', {class: 'toolbar'}, search, count),
             element('div', {class: 'scroll cells'}, element(
               'table', {}, element('thead', {}, element('tr', {}, ...cells)), body)));
  filter();
  return null;
}

function makeCampaign(campaign) {
  const note = 'Numbers are means over seeds ± standard deviations of the runs\' last values, below them the ' +
    '95 % interval of the mean (Student\'s t) and the lowest and highest run: accuracy and loss are means over ' +
    'the learners, MB is what all learners handed to sockets, epsilon the largest that one of them has spent. A ' +
    'click on a heading sorts, a seed leads to the report of its run; all numbers are in results.sqlite.';
  return {title: campaign.title, subtitle: campaign.about, sentence: campaign.counts, warnings: [], footer: '',
          sections: [{title: 'Cells', note, parts: [{...campaign, type: 'grid', columns: []}]}]};
}
