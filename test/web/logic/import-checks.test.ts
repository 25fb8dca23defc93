import { expect } from 'chai';
import { checkColumn } from '#web/features/imports/checks.js';
import { type DateFormat } from '#web/features/imports/dates.js';
import { type ImportKey, keepColumn, skipColumn } from '#web/features/imports/kind.js';
import { importKinds } from '#web/features/imports/kinds.js';
import { person, plan } from './samples.js';

const context = {
  people: [person('Ana Silva', { crmMemberId: 'M-1' }), person('Zoë Brandt', { email: 'zoe-brandt@halden.test' })],
  plans: [plan('AE plan FY26', [])],
  standard: {},
};

function check(kind: ImportKey, target: string, cells: readonly string[], format: DateFormat | null = null): string {
  const { tone, words } = checkColumn(importKinds[kind], target, cells, context, { dates: format, numbers: null });
  return `${tone}: ${words.replaceAll('\u00a0', ' ')}`;
}

describe('what a column shows about its target', () => {
  for (const cell of [
    '5',
    '-5',
    '−5',
    '1,234.56',
    '1.234,56',
    "1'234.50",
    '1 234,56',
    '(500.00)',
    '$280,000',
    '-$5',
    '1.234,56 €',
    'USD 12',
    '12 EUR',
    '+3',
  ])
    it(`is a number: ${cell}`, () => {
      expect(check('deals', 'dealAmount', [cell])).to.equal('good: 1 of 1 are numbers');
    });

  for (const cell of ['', ' ', 'n/a', '-', '1e5 euros', 'Q1 2026', '$'])
    it(`is no number: ${JSON.stringify(cell)}`, () => {
      expect(check('deals', 'dealAmount', [cell, '5'])).to.equal('info: 1 of 2 are numbers');
    });

  for (const [title, target, cells, words] of [
    ['all are numbers', 'dealAmount', ['5', '6'], 'good: 2 of 2 are numbers'],
    ['none is a number', 'dealAmount', ['x', 'y'], 'warning: 0 of 2 are numbers'],
    ['no row at all', 'dealAmount', [], 'good: 0 of 0 are numbers'],
    ['every id is there once', 'dealId', ['D1', 'D2'], 'good: 2 of 2 unique'],
    ['an id is there twice', 'dealId', ['D1', ' D1 ', 'D2'], 'info: 2 of 3 unique'],
    [
      'owners by name, address and id',
      'ownerId',
      ['ana silva', 'zoe-brandt@halden.test', 'm-1', 'Gone'],
      'info: 3 of 4 known',
    ],
    ['few values', 'dealStage', ['Won', 'Lost', 'Won'], 'good: 2 values'],
    ['one value', 'dealStage', ['Won', ''], 'good: 1 value'],
    ['no value', 'dealStage', ['', ' '], 'none: Empty'],
    ['many values', 'dealName', Array.from({ length: 20 }, (_, at) => `Deal ${at}`), 'good: 20 of 20'],
    [
      'many values with gaps',
      'dealName',
      ['', ...Array.from({ length: 20 }, (_, at) => `Deal ${at}`)],
      'info: 20 of 21',
    ],
    [
      'a kept column with gaps',
      keepColumn,
      ['', ...Array.from({ length: 20 }, (_, at) => `Deal ${at}`)],
      'good: 20 of 21',
    ],
    ['a kept column of numbers', keepColumn, ['1.234,50', '12,5 %', ''], 'good: 2 numbers'],
    ['a kept column of dates', keepColumn, ['31.12.2026', '1.1.26'], 'good: 2 dates'],
    ['a kept column with one text', keepColumn, ['1.234,50', 'k.A.'], 'good: 2 values'],
    ['a column that is left out', skipColumn, ['', 'x', ' '], 'none: 2 of 3 empty'],
  ] as const)
    it(`${title}: ${words}`, () => {
      expect(check('deals', target, cells)).to.equal(words);
    });

  for (const [title, cells, chosen, words] of [
    ['year first', ['2026-01-31'], null, 'good: 1 date'],
    ['not decided', ['1/2/2026'], null, 'warning: Day or month first? Choose above'],
    ['chosen by the person', ['1/2/2026'], 'DMY', 'good: Day first'],
    ['shown by the cells', ['1/31/2026', '1/2/2026'], 'MDY', 'info: Month first, shown by 1 row'],
    ['chosen against the cells', ['1/31/2026', '1/30/2026'], 'DMY', 'warning: Month first, shown by 2 rows'],
  ] as const)
    it(`dates: ${title}`, () => {
      expect(check('deals', 'closeDate', cells, chosen)).to.equal(words);
    });

  it('plans and people by name, whatever their accents', () => {
    expect(check('assignments', 'plan', ['ae PLAN fy26', 'Other'])).to.equal('info: 1 of 2 known');
    expect(check('assignments', 'person', ['Zoe Brandt', 'Zoë BRANDT'])).to.equal('good: 2 of 2 known');
  });

  it('targets of a period', () => {
    expect(check('quotas', 'period:2026-Q1', ['250,000', '', '1'])).to.equal('good: Q1 2026, 2 targets');
  });
});
