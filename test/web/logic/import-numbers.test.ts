import { expect } from 'chai';
import { numericCells, readNumberFormat } from '#web/features/imports/number-format.js';

describe('the format of the numbers of a file', () => {
  for (const [title, cells, format] of [
    ['a comma before a dot', ['1,234.56'], 'en'],
    ['a dot before a comma', ['€ 1.234,56'], 'eu'],
    ['decimals other than three', ['12.5'], 'en'],
    ['decimals after a comma', ['12,50'], 'eu'],
    ['several groups', ['1,234,567'], 'en'],
    ['several groups with dots', ['1.234.567'], 'eu'],
    ['a fraction below one', ['0.125'], 'en'],
    ['more than three digits before the separator', ['1234.125'], 'en'],
    ['one clear cell beside open ones', ['280,000', '12.5'], 'en'],
    ['both formats', ['1,234.56', '1.234,56'], null],
    ['no separator', ['5', '', 'n/a'], null],
  ] as const)
    it(`is shown by ${title}`, () => {
      expect(readNumberFormat(cells, ',')).to.deep.equal({ format, isGuess: false });
    });

  it('is shown by columns without a target where the amounts show none', () => {
    expect(readNumberFormat(['1.234'], ',', ['2,5'])).to.deep.equal({ format: 'eu', isGuess: false });
    expect(readNumberFormat(['1,234.50'], ',', ['2,5'])).to.deep.equal({ format: 'en', isGuess: false });
    expect(numericCells([['1,5', ''], ['x', '2.5'], ['31.12.2026']])).to.deep.equal(['1,5']);
  });

  it('is that of the reader for amounts with thousands alone, and never makes 280,000 a small number', () => {
    expect(readNumberFormat(['$280,000', '$1,500'], ',')).to.deep.equal({ format: 'en', isGuess: true });
    expect(readNumberFormat(['280.000'], '.')).to.deep.equal({ format: 'eu', isGuess: true });
    expect(readNumberFormat(['280.000'], ',')).to.deep.equal({ format: null, isGuess: false });
    expect(readNumberFormat(['280,000'], '.')).to.deep.equal({ format: null, isGuess: false });
    expect(readNumberFormat(['280,000', '280.000'], ',')).to.deep.equal({ format: null, isGuess: false });
  });
});
