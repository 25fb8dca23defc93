import { z } from 'zod';
import { type Caller, roles } from '../../kernel/caller.js';
import { type Day } from '../../kernel/day.js';
import { findDayOrderIssue } from '../../kernel/day-order.js';
import { Failure, type Issue, rejectAny } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { day, text } from '../../platform/operations/schemas.js';
import { changeManagers, type ManagerChange, movesAnyone } from './change-managers.js';
import { profileFields } from './dated-field.js';
import { assertNotOwnRates, isReadByTables } from './dated-value-views.js';
import { storeEmployments } from './employment-store.js';
import { type Employment, isSameEmployment } from './employment-views.js';
import { assertHeadcount, countHeads } from './headcount.js';
import { lockPeople } from './lock-people.js';
import { type PayCurrencyChange, payCurrencyChange, storePayCurrencies } from './pay-currency-store.js';
import { assertNotOwnPayrollId, takenPayrollIds } from './payroll-ids.js';
import { changedValues, type FieldValues } from './person-field.js';
import { listPersonFields } from './person-field-views.js';
import { changedProfile, isSameProfile, noProfile, profileChange } from './profile.js';
import { email, payrollId } from './rep.js';
import {
  claimUnresolvedDeals,
  endSessions,
  findRepsBy,
  insertReps,
  type KnownRep,
  loadHierarchy,
  updateReps,
} from './rep-store.js';
import { isSameLines } from './reporting-lines.js';
import { type BeforeCommissionChange } from './run-people-change.js';

export const person = z
  .strictObject({
    email: email.describe('E-mail address, which identifies the rep; stored in lower case'),
    name: text(200).describe('Name of the rep'),
    role: z.enum(roles).optional().describe('Role; rep by default for a new person'),
    active: z.boolean().optional().describe('Whether the rep may sign in; true by default for a new person'),
    crmMemberId: text(200).nullable().optional().describe('Id of the rep in the CRM, by which deals find their owner'),
    payrollId: payrollId.optional(),
    ...profileChange,
    managerEmail: email
      .nullable()
      .optional()
      .describe('E-mail address of the manager from managerFrom on; null for none'),
    managerFrom: day.optional().describe('First day of the new manager, YYYY-MM-DD; today by default'),
    hireDate: day.nullable().optional().describe('First day of employment, YYYY-MM-DD; prorated quotas begin on it'),
    endDate: day.nullable().optional().describe('Last day of employment, YYYY-MM-DD; null for none'),
    ...payCurrencyChange,
  })
  .describe('A rep to create or to update');
/** An existing rep keeps their name if none is given. */
export type Person = Omit<z.infer<typeof person>, 'name'> & { readonly name?: string | undefined };

/** The stored and the new state of one entry of the request. */
interface Upsert {
  readonly known: KnownRep | undefined;
  readonly next: KnownRep;
}

export interface UpsertedPerson {
  readonly repId: string;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

/** Creates or changes the people, all or none. Issues have the path `reps.<index>.<field>`. */
export async function upsertPeople(
  tx: Transaction,
  recalculate: Recalculate,
  {
    caller,
    today,
    beforeCommissionChange,
  }: {
    readonly caller: Caller;
    readonly today: Day;
    readonly beforeCommissionChange: BeforeCommissionChange;
  },
  people: readonly Person[],
): Promise<UpsertedPerson[]> {
  rejectAny(issuesWithin(people));
  await lockPeople(tx);
  const stored = await findRepsBy(
    tx,
    addressesIn(people),
    people.flatMap((incoming) => incoming.crmMemberId ?? []),
  );
  const known = new Map(stored.map((rep) => [rep.email, rep]));
  const definitions = people.some(({ fields }) => fields !== undefined) ? await listPersonFields(tx) : [];
  const values = people.map(({ fields, email: address }, index) =>
    changedValues(definitions, fields, known.get(address)?.fields ?? {}, `reps.${index}.fields`),
  );
  rejectAny(values.flatMap(({ issues }) => issues));
  const upserts = people.map((incoming, index) =>
    toUpsert(incoming, known.get(incoming.email), values[index]?.values ?? {}),
  );
  const ids = new Map([...stored, ...upserts.map(({ next }) => next)].map((rep) => [rep.email, rep.repId]));
  assertRights(caller, upserts);
  assertNotOwnPayrollId(caller, upserts);
  await assertNotOwnRates(tx, caller, upserts);
  rejectAny([
    ...unnamed(upserts),
    ...unknownManagers(people, ids),
    ...takenMemberIds(upserts, stored),
    ...wrongEmployments(upserts),
    ...(await takenPayrollIds(tx, caller, upserts, (index) => `reps.${index}.payrollId`)),
  ]);
  const before = await loadHierarchy(tx);
  const managers = managerChanges(people, ids);
  // Rejects an invalid hierarchy before people are written or the workspace is locked.
  const moves = movesAnyone(before, managers, today);
  const employed = upserts.filter(changesEmployment).map(({ next }) => next);
  if (moves || employed.length > 0 || upserts.some(isNewToTheCrm)) beforeCommissionChange();
  await writeReps(tx, upserts);
  await storeEmployments(tx, employed);
  const repaid = await storePayCurrencies(tx, caller, payCurrencyChanges(people, ids, today));
  await recalculate.reps(
    employed.map(({ repId }) => repId),
    'rep_change',
  );
  await recalculateProfiles(tx, recalculate, upserts);
  const named = upserts.filter(isNewToTheCrm).map(({ next }) => next);
  await recalculate.reps(await claimUnresolvedDeals(tx, named), 'rep_change');
  if (named.length > 0) await recalculate.namedPeople();
  await changeManagers(tx, recalculate, today, managers);
  const after = await loadHierarchy(tx);
  return upserts.map(({ known: was, next }): UpsertedPerson => {
    const { repId } = next;
    if (was === undefined) return { repId, outcome: 'created' };
    const isUnchanged =
      isSame(was, next) && !repaid.has(repId) && isSameLines(before.get(repId) ?? [], after.get(repId) ?? []);
    return { repId, outcome: isUnchanged ? 'unchanged' : 'changed' };
  });
}

function unnamed(upserts: readonly Upsert[]): Issue[] {
  return upserts.flatMap(({ next }, index): Issue[] =>
    next.name === '' ? [{ path: `reps.${index}.name`, message: 'is required for a new rep' }] : [],
  );
}

function issuesWithin(people: readonly Person[]): Issue[] {
  const seen = new Set<string>();
  return people.flatMap((incoming, index): Issue[] => {
    const issues: Issue[] = [];
    if (seen.has(incoming.email))
      issues.push({ path: `reps.${index}.email`, message: `${incoming.email} is given more than once` });
    if (incoming.managerEmail === incoming.email)
      issues.push({ path: `reps.${index}.managerEmail`, message: 'must be another person' });
    if (incoming.managerFrom !== undefined && incoming.managerEmail === undefined) {
      issues.push({
        path: `reps.${index}.managerFrom`,
        message: 'needs a managerEmail, or null to end the reporting line',
      });
    }
    if (incoming.payCurrencyFrom !== undefined && incoming.payCurrency === undefined)
      issues.push({ path: `reps.${index}.payCurrencyFrom`, message: 'needs a payCurrency, or null to end it' });
    seen.add(incoming.email);
    return issues;
  });
}

function addressesIn(people: readonly Person[]): string[] {
  return [
    ...new Set(
      people.flatMap((incoming) => [incoming.email, ...(incoming.managerEmail ? [incoming.managerEmail] : [])]),
    ),
  ];
}

/** Fields that are not given stay unchanged. */
function toUpsert(incoming: Person, known: KnownRep | undefined, fields: FieldValues): Upsert {
  const next = {
    repId: known?.repId ?? newId(),
    email: incoming.email,
    name: incoming.name ?? known?.name ?? '',
    role: incoming.role ?? known?.role ?? 'rep',
    active: incoming.active ?? known?.active ?? true,
    crmMemberId: incoming.crmMemberId === undefined ? (known?.crmMemberId ?? null) : incoming.crmMemberId,
    payrollId: incoming.payrollId === undefined ? (known?.payrollId ?? null) : incoming.payrollId,
    ...changedProfile(incoming, known ?? noProfile, fields),
    ...toEmployment(incoming, known ?? noEmployment),
  };
  return { known, next };
}

const noEmployment: Employment = { hireDate: null, endDate: null };

function toEmployment({ hireDate, endDate }: Person, known: Employment): Employment {
  return {
    hireDate: hireDate === undefined ? known.hireDate : hireDate,
    endDate: endDate === undefined ? known.endDate : endDate,
  };
}

function unknownManagers(people: readonly Person[], ids: ReadonlyMap<string, string>): Issue[] {
  return people.flatMap(({ managerEmail }, index): Issue[] => {
    if (!managerEmail || ids.has(managerEmail)) return [];
    return [{ path: `reps.${index}.managerEmail`, message: unknownManager(managerEmail) }];
  });
}

export function unknownManager(managerEmail: string): string {
  return `no rep of the workspace has the e-mail ${managerEmail}`;
}

/** Checks the state after the whole request, so that two reps may swap their member ids. */
function takenMemberIds(upserts: readonly Upsert[], stored: readonly KnownRep[]): Issue[] {
  const changing = new Set(upserts.map(({ next }) => next.repId));
  const holders = new Map(stored.filter((rep) => !changing.has(rep.repId)).map((rep) => [rep.crmMemberId, rep.repId]));
  return upserts.flatMap(({ next: { repId, crmMemberId } }, index): Issue[] => {
    if (crmMemberId === null) return [];
    if (holders.has(crmMemberId)) return [{ path: `reps.${index}.crmMemberId`, message: 'belongs to another rep' }];
    holders.set(crmMemberId, repId);
    return [];
  });
}

/** Whatever names the caller's columns have, rights stay as they are where the caller may not change them. */
function assertRights({ mayChangeRights }: Caller, upserts: readonly Upsert[]): void {
  if (mayChangeRights !== false) return;
  const changed = upserts.some(({ known = { role: 'rep', active: true, payrollId: null }, next }) => {
    const isSameAccess = known.role === next.role && known.active === next.active;
    return !isSameAccess || known.payrollId !== next.payrollId;
  });
  if (changed) throw new Failure('forbidden', 'This caller may not change roles, activity and payroll ids of people.');
}

async function writeReps(tx: Transaction, upserts: readonly Upsert[]): Promise<void> {
  const before = await countHeads(tx);
  const changed = upserts.filter(({ known, next }) => known !== undefined && !isSame(known, next));
  await updateReps(
    tx,
    changed.map(({ next }) => next),
  );
  await insertReps(
    tx,
    upserts.filter(({ known }) => known === undefined).map(({ next }) => next),
  );
  assertHeadcount(before, await countHeads(tx));
  const loggedOut = changed.filter(({ known, next }) => known?.role !== next.role || (known.active && !next.active));
  await endSessions(
    tx,
    loggedOut.map(({ next }) => next.repId),
  );
}

/** A rate table may read the title, the team and the location. */
async function recalculateProfiles(
  tx: Transaction,
  recalculate: Recalculate,
  upserts: readonly Upsert[],
): Promise<void> {
  const changed = upserts.filter(
    ({ known, next }) => known !== undefined && profileFields.some((field) => known[field] !== next[field]),
  );
  if (changed.length === 0 || !(await isReadByTables(tx, profileFields))) return;
  await recalculate.reps(
    changed.map(({ next }) => next.repId),
    'person',
  );
}

function changesEmployment({ known, next }: Upsert): boolean {
  return !isSameEmployment(known ?? noEmployment, next);
}

function wrongEmployments(upserts: readonly Upsert[]): Issue[] {
  return upserts.flatMap(({ next: { hireDate, endDate } }, index): Issue[] => {
    const issue = findDayOrderIssue(['hireDate', hireDate], ['endDate', endDate]);
    return issue === null ? [] : [{ ...issue, path: `reps.${index}.${issue.path}` }];
  });
}

function isSame(a: KnownRep, b: KnownRep): boolean {
  return (
    a.name === b.name &&
    a.role === b.role &&
    a.active === b.active &&
    a.crmMemberId === b.crmMemberId &&
    a.payrollId === b.payrollId &&
    isSameProfile(a, b) &&
    isSameEmployment(a, b)
  );
}

function isNewToTheCrm({ known, next }: Upsert): boolean {
  return known === undefined || known.crmMemberId !== next.crmMemberId;
}

function managerChanges(people: readonly Person[], ids: ReadonlyMap<string, string>): ManagerChange[] {
  return people.flatMap(({ email: address, managerEmail, managerFrom }, index): ManagerChange[] => {
    if (managerEmail === undefined) return [];
    const managerId = managerEmail === null ? null : (ids.get(managerEmail) as string);
    return [{ repId: ids.get(address) as string, managerId, from: managerFrom, path: `reps.${index}.managerEmail` }];
  });
}

function payCurrencyChanges(
  people: readonly Person[],
  ids: ReadonlyMap<string, string>,
  today: Day,
): PayCurrencyChange[] {
  return people.flatMap(({ email: address, payCurrency: currency, payCurrencyFrom: from = today }) =>
    currency === undefined ? [] : [{ repId: ids.get(address) as string, from, currency }],
  );
}
