import { expect } from 'chai';
import fc from 'fast-check';
import { addDays } from '#src/kernel/day.js';
import {
  brokenChain,
  type Hierarchy,
  managerOn,
  managersAbove,
  type ReportingLine,
  withManager,
} from '#src/people/reps/reporting-lines.js';

const people = ['a', 'b', 'c', 'd', 'e'];
const dayAt = (index: number) => addDays('2026-01-01', index);
const days = { from: dayAt(0), to: dayAt(9) };

const change = fc.record({
  repId: fc.constantFrom(...people),
  managerId: fc.option(fc.constantFrom(...people)),
  from: fc.nat(9),
});
const changes = fc.array(
  change.filter(({ repId, managerId }) => repId !== managerId),
  { maxLength: 12 },
);
type Change = { repId: string; managerId: string | null; from: number };

function hierarchyOf(list: readonly Change[]): Map<string, readonly ReportingLine[]> {
  const hierarchy = new Map<string, readonly ReportingLine[]>();
  for (const { repId, managerId, from } of list)
    hierarchy.set(repId, withManager(hierarchy.get(repId) ?? [], managerId, dayAt(from)));
  return hierarchy;
}

/** The same by brute force: the manager of each rep on each of the days. */
function calendarOf(list: readonly Change[]): Map<string, (string | null)[]> {
  const calendar = new Map(people.map((id) => [id, Array.from({ length: 10 }, (): string | null => null)]));
  for (const { repId, managerId, from } of list) calendar.get(repId)?.fill(managerId, from);
  return calendar;
}

function climb(
  calendar: Map<string, (string | null)[]>,
  repId: string,
  index: number,
): { above: string[]; cyclic: boolean } {
  const above: string[] = [];
  for (let next = calendar.get(repId)?.[index] ?? null; next !== null; next = calendar.get(next)?.[index] ?? null) {
    if (next === repId || above.includes(next)) return { above, cyclic: true };
    above.push(next);
  }
  return { above, cyclic: false };
}

const indexes = Array.from({ length: 10 }, (_, index) => index);

describe('the reporting lines of a workspace', () => {
  it('hold for every day the manager that was set last', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const hierarchy = hierarchyOf(list);
        const calendar = calendarOf(list);
        for (const repId of people) {
          for (const index of indexes)
            expect(managerOn(hierarchy.get(repId) ?? [], dayAt(index))).to.equal(calendar.get(repId)?.[index]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('are rejected if and only if a rep is above themself on some day', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const hierarchy: Hierarchy = hierarchyOf(list);
        const calendar = calendarOf(list);
        const cyclic = people.some((id) => indexes.some((index) => climb(calendar, id, index).cyclic));
        expect(people.some((id) => brokenChain(hierarchy, id, days) !== null)).to.equal(cyclic);
      }),
      { numRuns: 1000 },
    );
  });

  it('lead to exactly the reps who are above on some day', () => {
    fc.assert(
      fc.property(changes, fc.constantFrom(...people), (list, repId) => {
        const hierarchy = hierarchyOf(list);
        fc.pre(people.every((id) => brokenChain(hierarchy, id, days) === null));
        const calendar = calendarOf(list);
        const above = new Set(indexes.flatMap((index) => climb(calendar, repId, index).above));
        expect([...managersAbove(hierarchy, repId, days)].sort()).to.deep.equal([...above].sort());
      }),
      { numRuns: 1000 },
    );
  });
});
