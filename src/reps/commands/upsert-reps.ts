import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller, roles } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Issue, invalid } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { type Work } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { day, text } from '../../platform/schemas.js';
import { CLOCK } from '../../platform/tokens.js';
import { changeManagers, type ManagerChange } from '../change-managers.js';
import { assertHeadcount, countHeads } from '../headcount.js';
import { email, payrollId, type Rep, rep } from '../rep.js';
import { claimUnresolvedDeals, endSessions, findRepsBy, insertReps, type StoredRep, updateReps } from '../rep-store.js';
import { listReps, workspaceToday } from '../rep-views.js';

const person = z.strictObject({
  email,
  name: text(200),
  role: z.enum(roles).optional(),
  active: z.boolean().optional(),
  crmMemberId: text(200).nullable().optional(),
  payrollId: payrollId.optional(),
  managerEmail: email.nullable().optional(),
  managerFrom: day.optional(),
});
type Person = z.infer<typeof person>;

const body = z.strictObject({ reps: z.array(person).min(1).max(10_000) });

/** What becomes of one entry of the body. */
interface Upsert {
  readonly stored: StoredRep | undefined;
  readonly next: StoredRep;
}

@injectable()
export class UpsertReps {
  constructor(
    @inject(CommissionChanges) private readonly changes: CommissionChanges,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ body: { reps: people } }: Input<unknown, unknown, z.infer<typeof body>>, caller: Caller) {
    rejectAny(issuesWithin(people));
    const { workspaceId } = caller;
    return this.changes.run(caller, 'exclusive', async (trx, recalculate) => {
      const stored = await findRepsBy(
        trx,
        workspaceId,
        addressesIn(people),
        people.flatMap((one) => one.crmMemberId ?? []),
      );
      const byEmail = new Map(stored.map((one) => [one.email, one]));
      const upserts = people.map((one) => upsertOf(one, byEmail.get(one.email)));
      const ids = new Map([...stored, ...upserts.map(({ next }) => next)].map((one) => [one.email, one.repId]));
      rejectAny([...unknownManagers(people, ids), ...takenMemberIds(upserts, stored)]);
      await writeReps(trx, workspaceId, upserts);
      const claimants = await claimUnresolvedDeals(
        trx,
        workspaceId,
        upserts.filter(isNewToTheCrm).map(({ next }) => next),
      );
      await recalculate.reps(claimants, 'rep_change');
      const today = await workspaceToday(trx, workspaceId, this.clock);
      await changeManagers(trx, recalculate, workspaceId, today, managerChanges(people, ids));
      const repIds = upserts.map(({ next }) => next.repId);
      const byId = new Map((await listReps(trx, workspaceId, today, { repIds })).map((one) => [one.id, one]));
      return { reps: repIds.map((repId) => byId.get(repId) as Rep) };
    });
  }
}

function rejectAny([first, ...more]: readonly Issue[]): void {
  if (first !== undefined) throw invalid(first, ...more);
}

function issuesWithin(people: readonly Person[]): Issue[] {
  const emails = new Set<string>();
  return people.flatMap((one, index): Issue[] => {
    const issues: Issue[] = [];
    if (emails.has(one.email))
      issues.push({ path: `reps.${index}.email`, message: `${one.email} is listed more than once` });
    if (one.managerEmail === one.email)
      issues.push({ path: `reps.${index}.managerEmail`, message: 'must be somebody else' });
    if (one.managerFrom !== undefined && one.managerEmail === undefined) {
      issues.push({
        path: `reps.${index}.managerFrom`,
        message: 'needs a managerEmail, or null to end the reporting line',
      });
    }
    emails.add(one.email);
    return issues;
  });
}

function addressesIn(people: readonly Person[]): string[] {
  return [...new Set(people.flatMap((one) => [one.email, ...(one.managerEmail ? [one.managerEmail] : [])]))];
}

/** What is not said stays as it is. */
function upsertOf(one: Person, stored: StoredRep | undefined): Upsert {
  const next = {
    repId: stored?.repId ?? newId(),
    email: one.email,
    name: one.name,
    role: one.role ?? stored?.role ?? 'rep',
    active: one.active ?? stored?.active ?? true,
    crmMemberId: one.crmMemberId === undefined ? (stored?.crmMemberId ?? null) : one.crmMemberId,
    payrollId: one.payrollId === undefined ? (stored?.payrollId ?? null) : one.payrollId,
  };
  return { stored, next };
}

function unknownManagers(people: readonly Person[], ids: ReadonlyMap<string, string>): Issue[] {
  return people.flatMap(({ managerEmail }, index): Issue[] => {
    if (!managerEmail || ids.has(managerEmail)) return [];
    return [{ path: `reps.${index}.managerEmail`, message: `nobody here has the e-mail ${managerEmail}` }];
  });
}

/** Judged by how it is after the whole request, so that two reps may swap theirs. */
function takenMemberIds(upserts: readonly Upsert[], stored: readonly StoredRep[]): Issue[] {
  const changing = new Set(upserts.map(({ next }) => next.repId));
  const holders = new Map(stored.filter((one) => !changing.has(one.repId)).map((one) => [one.crmMemberId, one.repId]));
  return upserts.flatMap(({ next: { repId, crmMemberId } }, index): Issue[] => {
    if (crmMemberId === null) return [];
    if (holders.has(crmMemberId)) return [{ path: `reps.${index}.crmMemberId`, message: 'belongs to another rep' }];
    holders.set(crmMemberId, repId);
    return [];
  });
}

async function writeReps(trx: Work, workspaceId: string, upserts: readonly Upsert[]): Promise<void> {
  const before = await countHeads(trx, workspaceId);
  const changed = upserts.filter(({ stored, next }) => stored !== undefined && !isSame(stored, next));
  await updateReps(
    trx,
    workspaceId,
    changed.map(({ next }) => next),
  );
  await insertReps(
    trx,
    workspaceId,
    upserts.filter(({ stored }) => stored === undefined).map(({ next }) => next),
  );
  assertHeadcount(before, await countHeads(trx, workspaceId));
  const loggedOut = changed.filter(({ stored, next }) => stored?.role !== next.role || (stored.active && !next.active));
  await endSessions(
    trx,
    workspaceId,
    loggedOut.map(({ next }) => next.repId),
  );
}

function isSame(a: StoredRep, b: StoredRep): boolean {
  return (
    a.name === b.name &&
    a.role === b.role &&
    a.active === b.active &&
    a.crmMemberId === b.crmMemberId &&
    a.payrollId === b.payrollId
  );
}

function isNewToTheCrm({ stored, next }: Upsert): boolean {
  return stored === undefined || stored.crmMemberId !== next.crmMemberId;
}

function managerChanges(people: readonly Person[], ids: ReadonlyMap<string, string>): ManagerChange[] {
  return people.flatMap(({ email: address, managerEmail, managerFrom }, index): ManagerChange[] => {
    if (managerEmail === undefined) return [];
    const managerId = managerEmail === null ? null : (ids.get(managerEmail) as string);
    return [{ repId: ids.get(address) as string, managerId, from: managerFrom, path: `reps.${index}.managerEmail` }];
  });
}

export const upsertReps = operation({
  id: 'upsertReps',
  summary: 'Create or change people by e-mail, all or none, with whom they report to',
  method: 'put',
  path: '/v1/reps',
  access: 'admin',
  body,
  response: z.object({ reps: z.array(rep) }),
  failures: { rep_limit_reached: 403, last_admin: 409 },
  handler: UpsertReps,
});
