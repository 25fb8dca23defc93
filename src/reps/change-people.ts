import { sql } from 'kysely';
import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { Failure, InvalidRequest } from '../kernel/failure.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { withDryRun } from '../platform/database/dry-run.js';
import { type Transaction, type UnitOfWork } from '../platform/database/unit-of-work.js';
import { changeManagers } from './change-managers.js';
import { changePerson, managerChange, type PersonChange, storeChange } from './change-person.js';
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
 * Changes each person in transactions of their own, so that each has an entry in the audit log and one who cannot be
 * changed stops no other. Running it again changes nothing more.
 */
export async function changePeople(
  uses: Uses,
  caller: Caller,
  repIds: readonly string[],
  change: PersonChange,
): Promise<ChangedPerson[]> {
  const read = (repId: string) => uses.unitOfWork.read(caller, (tx) => findPerson(tx, uses.clock, repId));
  const people: ChangedPerson[] = [];
  for (const repId of repIds) {
    const before = await read(repId);
    people.push(
      await outcomeOf(before, repId, async () => {
        await storeChange(caller, repId, change, uses);
        return read(repId);
      }),
    );
  }
  return people;
}

/** What changePeople would do. One transaction takes the changes in their order, and is rolled back. */
export async function previewChange(
  { changes, clock }: Uses,
  caller: Caller,
  repIds: readonly string[],
  change: PersonChange,
): Promise<ChangedPerson[]> {
  return withDryRun(true, (end) =>
    changes.run(caller, 'none', async (tx, recalculate) => {
      const people: ChangedPerson[] = [];
      for (const repId of repIds) {
        const before = await findPerson(tx, clock, repId);
        await sql`savepoint before_person`.execute(tx.db);
        const outcome = await outcomeOf(before, repId, async () => {
          await changePerson(tx, caller, repId, change);
          const moves = await managerChange(tx, repId, change);
          await changeManagers(tx, recalculate, await workspaceToday(tx, clock), moves);
          return findPerson(tx, clock, repId);
        });
        if (outcome.outcome === 'rejected') await sql`rollback to savepoint before_person`.execute(tx.db);
        people.push(outcome);
      }
      return end(people);
    }),
  );
}

async function findPerson(tx: Transaction, clock: Clock, repId: string): Promise<Rep | undefined> {
  const [found] = await listReps(tx, await workspaceToday(tx, clock), { repIds: [repId] });
  return found;
}

async function outcomeOf(
  before: Rep | undefined,
  repId: string,
  write: () => Promise<Rep | undefined>,
): Promise<ChangedPerson> {
  const name = before?.name ?? null;
  try {
    if (before === undefined) throw repNotFound();
    const after = await write();
    const changes = after === undefined ? [] : differences(before, after);
    return { repId, name, outcome: changes.length === 0 ? 'unchanged' : 'changed', changes };
  } catch (error) {
    const reason = rejection(error);
    if (reason === null) throw error;
    return { repId, name, outcome: 'rejected', changes: [], reason };
  }
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
