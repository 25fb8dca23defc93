import { expect } from 'chai';
import fc from 'fast-check';
import {
  day,
  findUnknownPeriod,
  oneOf,
  pageNumber,
  parseSearch,
  period,
  readSearch,
  stringifySearch,
  text,
  year,
} from '#web/app/search.js';
import { isDealShow } from '#web/pages/data/deal-search.js';
import { ownPath } from '#web/pages/sign-in/own-path.js';
import { opensProgram } from '#web/pages/sign-in/return-address.js';

describe('the parameters of an address', () => {
  it('are written as people write them: a year has no quotation marks', () => {
    expect(stringifySearch({ period: '2026', name: 'Ana Silva', page: 2, trace: undefined, tab: null })).to.equal(
      '?period=2026&name=Ana+Silva&page=2',
    );
    expect(stringifySearch({})).to.equal('');
  });

  it('are texts, also if they look like numbers, JSON or truth values', () => {
    expect(parseSearch('?period=2026&query=007&a=1e5&b=true&c=null&d=%7B%7D&e=&f=x&f=y')).to.deep.equal({
      period: '2026',
      query: '007',
      a: '1e5',
      b: 'true',
      c: 'null',
      d: '{}',
      e: '',
      f: 'y',
    });
    expect(parseSearch('')).to.deep.equal({});
  });

  it('may name an unknown period, which is reported', () => {
    for (const period of ['2026-13', 'foo', '"2026"'])
      expect(findUnknownPeriod(stringifySearch({ period }))).to.equal(period);
    for (const search of ['', '?trace=x', '?period=2026', '?period=2026-Q4', '?period=1999-01'])
      expect(findUnknownPeriod(search), search).to.equal(null);
  });

  it('are the same after they were written and read', () => {
    const values = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(values, (search) => {
        expect(parseSearch(stringifySearch(search))).to.deep.equal({ ...search });
      }),
      { seed: 37, numRuns: 200 },
    );
  });

  for (const [title, read, value, expected] of [
    ['a year', period, '2026', '2026'],
    ['a month', period, '2026-12', '2026-12'],
    ['a month that does not exist', period, '2026-13', undefined],
    ['a word', period, 'foo', undefined],
    ['no period', period, undefined, undefined],
    ['a day', day, '2026-02-28', '2026-02-28'],
    ['a day that does not exist', day, '2026-02-30', undefined],
    ['a year for a grid', year, '2026', '2026'],
    ['five digits', year, '20261', undefined],
    ['the third page', pageNumber, '2', 2],
    ['a page as a number', pageNumber, 2, 2],
    ['the first page', pageNumber, '0', undefined],
    ['a negative page', pageNumber, '-1', undefined],
    ['half a page', pageNumber, '1.5', undefined],
    ['a page beyond all', pageNumber, '9'.repeat(40), undefined],
    ['a text of digits', text, '007', '007'],
    ['an empty text', text, '', undefined],
    ['a choice', oneOf('review', 'all'), 'all', 'all'],
    ['an unknown choice', oneOf('review', 'all'), 'toString', undefined],
  ] as const)
    it(`are absent if they are invalid: ${title}`, () => {
      expect(read(value as never)).to.equal(expected);
    });

  it('are only those of the page', () => {
    expect(readSearch({ period, trace: text })({ period: '2026-Q1', trace: '', other: 'x' })).to.deep.equal({
      period: '2026-Q1',
      trace: undefined,
    });
  });

  it('name only kinds of deals that exist', () => {
    expect(isDealShow('unpaid')).to.equal(true);
    for (const value of ['constructor', '', undefined, 5]) expect(isDealShow(value)).to.equal(false);
  });
});

describe('the page to return to after signing in', () => {
  for (const path of ['/', '/me', '/me?period=2026-06', '/statements/ana?period=2026&trace=x#line', '/deals/D%201'])
    it(`is one of the service: ${path}`, () => {
      expect(ownPath(path)).to.equal(path);
    });

  for (const next of [
    undefined,
    '',
    'me',
    '//evil.test',
    '/\\evil.test',
    '/\t/evil.test',
    '/\n/evil.test',
    '/\r\\evil.test',
    '/.//evil.test',
    '/x/..//evil.test',
    '/%2e//evil.test',
    '///evil.test',
    '//[',
    'https://evil.test',
    'javascript:alert(1)',
    ' /me',
  ])
    it(`is the first page, not another host: ${JSON.stringify(next) ?? 'nothing'}`, () => {
      expect(ownPath(next)).to.equal('/');
    });

  it('never leads to another host, whatever the text', () => {
    const unit = fc.constantFrom('/', '\\', '.', '\t', '\n', 'e', '@', ':', '%2f', '%5c', '?', '#', ' ');
    fc.assert(
      fc.property(fc.string({ unit }), (rest) => {
        expect(new URL(ownPath(`/${rest}`), 'https://own.test').origin).to.equal('https://own.test');
      }),
      { seed: 37, numRuns: 2000 },
    );
  });
});

describe('the address to which a cancelled agent returns', () => {
  it('is opened only if it is a page: a scheme starts a program', () => {
    for (const page of ['https://claude.ai/callback', 'http://127.0.0.1:5173/callback', 'HTTPS://claude.ai'])
      expect(opensProgram(page), page).to.equal(false);
    for (const program of [
      'cursor://x/callback',
      'com.example.app:/oauth',
      'httpsx://evil.test',
      'javascript:alert(1)',
    ])
      expect(opensProgram(program), program).to.equal(true);
  });
});
