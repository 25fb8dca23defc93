import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type DayRange, extendRange } from '../../kernel/day.js';
import { Failure, InvalidRequest } from '../../kernel/failure.js';
import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { inSavepoint } from '../../platform/database/savepoint.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { previewWrite } from '../../simulation/preview-write.js';
import { type PersonalEffect, toPersonalEffect } from '../../simulation/write-effect.js';
import { changeManagers, type ManagerChange, replaceManagers } from './change-managers.js';
import { changePerson, managerChange, type PersonChange } from './change-person.js';
import { changesReadFields } from './dated-value-views.js';
import { lockPeople } from './lock-people.js';
import { type PersonFilter } from './person-filter.js';
import { type Rep, repNotFound } from './rep.js';
import { listReps, workspaceToday } from './rep-views.js';

/** A value that the change gives a person, as texts; null for none. */
interface ChangedValue {
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
}

interface ChangedPerson {
  readonly repId: string;
  /** Null if there is no such person. */
  readonly name: string | null;
  readonly outcome: 'changed' | 'unchanged' | 'rejected';
  readonly changes: readonly ChangedValue[];
  readonly reason?: string;
}

interface ChangedPeople {
  readonly people: readonly ChangedPerson[];
  /** What a preview would do to commission; null if there are too many deals. */
  readonly effect?: PersonalEffect | null;
}

export type Chosen = { readonly repIds: readonly string[] } | { readonly filter: PersonFilter };

/** The ids of the chosen people, by name for a filter. */
export async function chosenPeople(tx: Transaction, clock: Clock, chosen: Chosen): Promise<readonly string[]> {
  if ('repIds' in chosen) return [...new Set(chosen.repIds)];
  const found = await listReps(tx, await workspaceToday(tx, clock), { profile: chosen.filter });
  return found.map(({ id }) => id);
}

interface Uses {
  readonly unitOfWork: UnitOfWork;
  readonly changes: CommissionChanges;
  readonly clock: Clock;
}

/**
 * Stores the values of each person in a separate transaction, so that each has an entry in the audit log and one who
 * cannot be changed stops no other, and the managers of all in one, which takes the lock of calculations once. Running
 * it again changes nothing more.
 */
export async function changePeople(
  uses: Uses,
  caller: Caller,
  repIds: readonly string[],
  change: PersonChange,
): Promise<ChangedPeople> {
  const read = () => uses.unitOfWork.read(caller, (tx) => loadPeople(tx, uses.clock, repIds));
  const before = await read();
  const rejected = rejectUnknown(repIds, before);
  for (const repId of hasValues(change) ? remaining(repIds, rejected) : [])
    await orReject(rejected, repId, () =>
      uses.changes.run(caller, 'none', async (tx, recalculate) => {
        await changePerson(tx, caller, repId, change);
        if (await changesReadFields(tx, change)) await recalculate.reps([repId], 'person');
      }),
    );
  if (change.managerId !== undefined) {
    const moved = remaining(repIds, rejected);
    const unmoved = await uses.changes.run(caller, 'exclusive', async (tx, recalculate) => {
      await lockPeople(tx);
      const today = await workspaceToday(tx, uses.clock);
      return moveEach(tx, moved, change, (moves) => changeManagers(tx, recalculate, today, moves));
    });
    for (const [repId, reason] of unmoved) rejected.set(repId, reason);
  }
  return { people: outcomes(repIds, before, await read(), rejected) };
}

/** What changePeople would do, also to commission if managers change. One transaction writes it, and is rolled back. */
export async function previewChange(
  uses: Uses,
  caller: Caller,
  repIds: readonly string[],
  change: PersonChange,
): Promise<ChangedPeople> {
  if (change.managerId === undefined)
    return withDryRun(true, (end) =>
      uses.changes.run(caller, 'none', async (tx) =>
        end({ people: (await tryChange(tx, uses, caller, repIds, change)).people }),
      ),
    );
  return previewWrite(uses, caller, toPersonalEffect, async (tx) => {
    const { people, affected } = await tryChange(tx, uses, caller, repIds, change);
    return { result: { people }, affected };
  });
}

async function tryChange(
  tx: Transaction,
  { clock }: Uses,
  caller: Caller,
  repIds: readonly string[],
  change: PersonChange,
) {
  await lockPeople(tx);
  const before = await loadPeople(tx, clock, repIds);
  const rejected = rejectUnknown(repIds, before);
  for (const repId of hasValues(change) ? remaining(repIds, rejected) : [])
    await orReject(rejected, repId, () => inSavepoint(tx, () => changePerson(tx, caller, repId, change)));
  const affected = new Map<string, DayRange>();
  if (change.managerId !== undefined) {
    const today = await workspaceToday(tx, clock);
    const unmoved = await moveEach(tx, remaining(repIds, rejected), change, async (moves) => {
      for (const [repId, days] of await replaceManagers(tx, today, moves)) extendRange(affected, repId, days);
    });
    for (const [repId, reason] of unmoved) rejected.set(repId, reason);
  }
  return { people: outcomes(repIds, before, await loadPeople(tx, clock, repIds), rejected), affected };
}

/** Moves the people together, or each who can be moved. Returns why the others cannot. */
async function moveEach(
  tx: Transaction,
  repIds: readonly string[],
  change: PersonChange,
  move: (moves: readonly ManagerChange[]) => Promise<void>,
): Promise<Reasons> {
  const rejected: Reasons = new Map();
  const moveAll = async (ids: readonly string[]) => {
    const [terms] = await managerChange(tx, ids[0] as string, change);
    if (terms !== undefined) await inSavepoint(tx, () => move(ids.map((repId) => ({ ...terms, repId }))));
  };
  if (repIds.length === 0) return rejected;
  try {
    await moveAll(repIds);
  } catch (error) {
    if (rejection(error) === null) throw error;
    for (const repId of repIds) await orReject(rejected, repId, () => moveAll([repId]));
  }
  return rejected;
}

type Reasons = Map<string, string>;

async function orReject(rejected: Reasons, repId: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const reason = rejection(error);
    if (reason === null) throw error;
    rejected.set(repId, reason);
  }
}

function rejectUnknown(repIds: readonly string[], before: ReadonlyMap<string, Rep>): Reasons {
  return new Map(repIds.filter((repId) => !before.has(repId)).map((repId) => [repId, repNotFound().message]));
}

function remaining(repIds: readonly string[], rejected: Reasons): string[] {
  return repIds.filter((repId) => !rejected.has(repId));
}

/** Whether anything but the manager changes. */
function hasValues({ managerId: _, managerFrom: __, ...others }: PersonChange): boolean {
  return Object.values(others).some((value) => value !== undefined);
}

async function loadPeople(tx: Transaction, clock: Clock, repIds: readonly string[]): Promise<ReadonlyMap<string, Rep>> {
  const found = await listReps(tx, await workspaceToday(tx, clock), { repIds });
  return new Map(found.map((person) => [person.id, person]));
}

function outcomes(
  repIds: readonly string[],
  before: ReadonlyMap<string, Rep>,
  after: ReadonlyMap<string, Rep>,
  rejected: Reasons,
): ChangedPerson[] {
  return repIds.map((repId) => {
    const [old, next, reason] = [before.get(repId), after.get(repId), rejected.get(repId)];
    const name = old?.name ?? null;
    if (reason !== undefined) return { repId, name, outcome: 'rejected', changes: [], reason };
    const changes = old === undefined || next === undefined ? [] : differences(old, next);
    return { repId, name, outcome: changes.length === 0 ? 'unchanged' : 'changed', changes };
  });
}

function rejection(error: unknown): string | null {
  if (error instanceof InvalidRequest) return error.issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return error instanceof Failure ? error.message : null;
}

function differences(before: Rep, after: Rep): ChangedValue[] {
  const [old, next] = [valuesOf(before), valuesOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap((field) => {
    const [from, to] = [old[field] ?? null, next[field] ?? null];
    return from === to ? [] : [{ field, from, to }];
  });
}

/** The values that a change of people may concern, as texts. */
function valuesOf({ role, active, title, team, location, managerId, nextManager, fields = {} }: Rep) {
  const values: Record<string, string | null> = { role, active: String(active), title, team, location, managerId };
  if (nextManager !== undefined) values['nextManager'] = `${nextManager.managerId ?? 'none'} from ${nextManager.from}`;
  for (const [slug, value] of Object.entries(fields)) values[`fields.${slug}`] = String(value);
  return values;
}
