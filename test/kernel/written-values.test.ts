import { expect } from 'chai';
import fc from 'fast-check';
import { readDateText } from '#src/kernel/date-text.js';
import { detectNumberFormat, numberFormats, readWrittenNumber } from '#src/kernel/number-text.js';

describe('numbers and days as files write them', () => {
  it('are the same with and without spaces around them', () => {
    const piece = fc.constantFrom('0', '1', '25', '000', '125', '.', ',', '-', '+');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const spaced = ` ${text} `;
        expect(detectNumberFormat(text), text).to.equal(detectNumberFormat(spaced));
        for (const format of [null, ...numberFormats])
          expect(readWrittenNumber(text, format), text).to.deep.equal(readWrittenNumber(spaced, format));
      }),
      { numRuns: 3000 },
    );
  });

  it('are read with spaces between their parts', () => {
    expect(readWrittenNumber(' $ 1,234.50 - ', null)).to.deep.equal({ value: '-1234.50', units: ['$'] });
    expect(readWrittenNumber(`1${',000'.repeat(130)}`, 'en')).to.deep.equal({
      value: `1${'0'.repeat(390)}`,
      units: [],
    });
    for (const text of ['2026-01-02T12:30', '2026-01-02  T 12:30', '2026-01-02 9:30 pm', '2026-01-02 09:30PM  Z'])
      expect(readDateText(text, 'ISO', 'UTC'), text).to.equal('2026-01-02');
    for (const text of ['2026-01-02 T', '2026-01-02 \n12:30', '2026-01-02 12:30 x'])
      expect(readDateText(text, 'ISO', 'UTC'), text).to.equal(null);
    expect(readDateText('1/2/26,  12:30 am +02:00', 'MDY', 'UTC')).to.equal('2026-01-01');
  });
});
