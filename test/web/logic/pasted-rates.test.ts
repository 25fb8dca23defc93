import { expect } from 'chai';
import { readLines } from '#web/features/fx/rates.js';

const rateOf = (text: string) => readLines(`USD KRW 2026-02-02 ${text}`);
const of = (rate: string) => ({ rates: [{ from: 'USD', to: 'KRW', day: '2026-02-02', rate }] });

describe('pasted exchange rates', () => {
  for (const [text, rate] of [
    ['1385', '1385'],
    ['1.0837', '1.0837'],
    ['1,0837', '1.0837'],
    ['1385,125', '1385.125'],
    ['0,125', '0.125'],
    ['1.385', '1.385'],
  ] as const)
    it(`keep the exact text, with a decimal comma or point: ${text}`, () => {
      expect(rateOf(text)).to.deep.equal(of(rate));
    });

  it('are rejected if the separator can be one between thousands', () => {
    expect(rateOf('1,385')).to.deep.equal({
      problem: 'The rate 1,385 in line 1 can be 1385 or 1.385: write 1385 or 1.3850.',
    });
  });

  for (const text of ['1,385.50', '1.385,50', '1,234,567'])
    it(`are rejected with several separators: ${text}`, () => {
      expect(rateOf(text)).to.have.property('problem').that.includes('Line 1 must be');
    });
});
