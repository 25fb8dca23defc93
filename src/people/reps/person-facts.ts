import { factsOf } from '../../platform/files/facts.js';
import { restoreReportingLines } from './change-managers.js';
import { assertHeadcount, countHeads } from './headcount.js';
import { listPayCurrencies, type PayCurrency, restorePayCurrencies } from './pay-currency-store.js';
import { findRepsBy, type KnownRep, loadHierarchy, removeReps } from './rep-store.js';
import { workspaceToday } from './rep-views.js';
import { type ReportingLine } from './reporting-lines.js';
import { upsertPeople } from './upsert-people.js';

/** A person with everything that a file of people may change. Only what is stored has more than the address. */
export interface PersonFact extends Partial<KnownRep> {
  readonly email: string;
  readonly managers?: readonly ReportingLine[];
  readonly payCurrencies?: readonly PayCurrency[];
}
type StoredPerson = Required<PersonFact>;

export const personFacts = factsOf<PersonFact>({
  key: ['email'],
  terms: [
    'repId',
    'name',
    'role',
    'active',
    'crmMemberId',
    'payrollId',
    'title',
    'team',
    'location',
    'fields',
    'hireDate',
    'endDate',
    'managers',
    'payCurrencies',
  ],
  async load(tx, people) {
    const stored = await findRepsBy(
      tx,
      people.map(({ email }) => email),
      [],
    );
    const lines = await loadHierarchy(tx);
    const currencies = await listPayCurrencies(
      tx,
      stored.map(({ repId }) => repId),
    );
    return stored.map((rep) => ({
      ...rep,
      managers: lines.get(rep.repId) ?? [],
      payCurrencies: currencies.get(rep.repId) ?? [],
    }));
  },
  /** Creates no rep: it only takes back what a file of people has changed, which `upsertPeople` writes. */
  async store(tx, changes, { caller, clock, recalculate }) {
    const heads = await countHeads(tx);
    const removed = changes.flatMap(({ before, after }) => (after === null ? (before?.repId ?? []) : []));
    const restored = changes.flatMap(({ after }) => (after === null ? [] : [after as StoredPerson]));
    const present = new Map(changes.map(({ before }) => [before?.email, before?.fields ?? {}]));
    const context = { caller, today: await workspaceToday(tx, clock), beforeCommissionChange: () => undefined };
    const people = restored.map(({ repId: _, managers: __, payCurrencies: ___, fields, ...person }) => {
      const cleared = Object.keys(present.get(person.email) ?? {}).map((slug) => [slug, null] as const);
      return { ...person, fields: { ...Object.fromEntries(cleared), ...fields } };
    });
    await upsertPeople(tx, recalculate, context, people);
    const lines = [...restored.map(({ repId, managers }) => [repId, managers] as const)];
    const ofRemoved = removed.map((repId) => [repId, []] as const);
    const moved = await restoreReportingLines(tx, new Map([...lines, ...ofRemoved]));
    await restorePayCurrencies(tx, caller, new Map(restored.map(({ repId, payCurrencies }) => [repId, payCurrencies])));
    await removeReps(tx, removed);
    assertHeadcount(heads, await countHeads(tx));
    return [...moved].flatMap(([repId, days]) => (removed.includes(repId) ? [] : [{ repId, days }]));
  },
});
