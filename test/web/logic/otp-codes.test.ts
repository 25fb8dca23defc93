import { expect } from 'chai';
import fc from 'fast-check';
import { codeAfter, codeWithout } from '#web/components/otp-code.js';

describe('the boxes of a code', () => {
  for (const [title, code, box, text, expected] of [
    ['the first digit', '', 0, '2', '2'],
    ['the next digit', '2', 1, '3', '23'],
    ['a digit in a later box comes next', '2', 5, '3', '23'],
    ['a selected digit is replaced, and those behind it', '000000', 0, '2', '2'],
    ['by the same digit too', '000000', 0, '0', '0'],
    ['a digit behind the one of the box', '23', 0, '24', '4'],
    ['a digit before the one of the box', '23', 0, '42', '4'],
    ['the same digit again', '23', 0, '22', '2'],
    ['a pasted code', '', 0, '123456', '123456'],
    ['a pasted code with spaces', '', 0, '123 456', '123456'],
    ['a pasted code in a later box', '98', 2, '123456', '123456'],
    ['a filled-in code over another one', '923456', 0, '123456', '123456'],
    ['two digits in an empty box', '1', 1, '23', '123'],
    ['too many digits', '12345', 5, '67', '123456'],
    ['no digit', '12', 2, 'x', '12'],
    ['an emptied box', '123', 1, '', '1'],
  ] as const)
    it(`take ${title}: ${code || 'nothing'} and ${JSON.stringify(text)} in box ${box + 1} is ${expected}`, () => {
      expect(codeAfter(code, box, text)).to.equal(expected);
    });

  it('have the code that is typed after a wrong one, from its first digit on', () => {
    const codes = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(codes, codes, (wrong, right) => {
        const typed = [...right].reduce((code, digit, box) => codeAfter(code, box, digit), wrong);
        expect(typed).to.equal(right);
      }),
      { seed: 37, numRuns: 300 },
    );
  });

  for (const [code, box, rest, next] of [
    ['', 0, '', 0],
    ['1', 0, '', 0],
    ['123', 3, '12', 2],
    ['123', 5, '12', 2],
    ['123', 1, '1', 1],
    ['123456', 5, '12345', 5],
  ] as const)
    it(`lose a digit backwards: ${code || 'nothing'} in box ${box + 1} leaves ${rest || 'nothing'}`, () => {
      expect(codeWithout(code, box)).to.deep.equal({ code: rest, box: next });
    });
});
