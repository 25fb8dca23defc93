import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const list = fileURLToPath(new URL('../../../test/requirements/requirements.md', import.meta.url));

/** The numbers of the rows that the list contains, in its order. */
function listedNumbers(): number[] {
  return [...readFileSync(list, 'utf8').matchAll(/^(\d+)\. \S/gm)].map(([, number]) => Number(number));
}

const registered = new Map<number, string>();

/** Declares the check of one row of the list. Its title is the number and the row in plain words. */
export function row(number: number, title: string, check: (this: Mocha.Context) => Promise<void> | void): void {
  const earlier = registered.get(number);
  if (earlier !== undefined) throw new Error(`row ${number} is declared twice: "${earlier}" and "${title}"`);
  registered.set(number, title);
  it(`${String(number).padStart(3, '0')} ${title}`, check);
}

/** Fails when a number of the list has no check, or a check has no number in the list. */
export function expectEveryRow(): void {
  const listed = listedNumbers();
  expect(listed, 'the list is numbered from 1 without gaps').to.deep.equal(
    Array.from({ length: 659 }, (_, index) => index + 1),
  );
  const unchecked = listed.filter((number) => !registered.has(number));
  expect(unchecked.join(' '), 'rows without a check').to.equal('');
  const unlisted = [...registered.keys()].filter((number) => !listed.includes(number));
  expect(unlisted.join(' '), 'checks without a row').to.equal('');
}
