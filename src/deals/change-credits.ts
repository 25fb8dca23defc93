import { sql } from 'kysely';
import { type CreditLine } from '../engine/credit-lines.js';
import { type Caller, peopleBehind } from '../kernel/caller.js';
import { type DayRange } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AffectedReps, affectedByCredits } from './affected-reps.js';
import { replaceEnteredLines } from './deal-credit-store.js';
import { dealNotFound } from './deal-credit-views.js';
import { allLines, type EnteredLine, repsIn } from './deal-credits.js';
import { lockDeals } from './deal-store.js';
import { type CreditsChange, refreshCredits } from './refresh-credits.js';

/** What a change of lines affects. */
interface ChangedCredits {
  readonly changes: readonly CreditsChange[];
  readonly affected: ReadonlyMap<string, AffectedReps>;
}

/**
 * Replaces the lines that people or the API gave for the deals; no lines remove them. Rejects a change of the lines of a
 * person behind the request.
 */
export async function changeCredits(
  tx: Transaction,
  caller: Caller,
  deals: ReadonlyMap<string, readonly EnteredLine[]>,
): Promise<ChangedCredits> {
  const stored = await lockDeals(tx, [...deals.keys()]);
  for (const dealId of deals.keys()) if (stored.get(dealId)?.deleted !== false) throw dealNotFound();
  tx.markAffected([...stored.values()].flatMap(({ repId, credits }) => [repId, ...repsIn(credits)]));
  await replaceEnteredLines(tx, deals);
  const changes = await refreshCredits(tx, [...deals.keys()]);
  tx.markAffected(changes.flatMap(({ after }) => repsIn(after)));
  for (const change of changes) assertNotOwnLines(caller, change);
  return { changes, affected: await affectedByCredits(tx, changes) };
}

function assertNotOwnLines(caller: Caller, { repId: ownerId, before, after }: CreditsChange): void {
  const linesOf = (person: string, lines: readonly CreditLine[]) =>
    JSON.stringify(
      lines
        .filter(({ repId }) => repId === person)
        .map(({ kind, role, percent, affects }) => [kind, role, percent, affects])
        .sort(),
    );
  const own = peopleBehind(caller).find(
    (person) => linesOf(person, allLines(before, ownerId)) !== linesOf(person, allLines(after, ownerId)),
  );
  if (own === undefined) return;
  throw new Failure(
    'forbidden',
    'You cannot change credit lines that pay you, also not with a key that you created or by approving the request of an agent. Another admin must do it.',
  );
}

/** A person whose approved statement keeps its rows. */
export interface BlockedPerson {
  readonly repId: string;
  readonly period: string;
}

/** The approved periods of the people that contain affected days. */
export async function findBlockedPeople(
  tx: Transaction,
  affected: ReadonlyMap<string, DayRange>,
): Promise<BlockedPerson[]> {
  if (affected.size === 0) return [];
  const { rows } = await sql<BlockedPerson>`
    select s.rep_id as "repId", s.period from ${unnestRows(
      [...affected],
      [
        ['rep_id', 'uuid', ([repId]) => repId],
        ['from_day', 'date', ([, { from }]) => from],
        ['to_day', 'date', ([, { to }]) => to],
      ],
    )}
    join statement_periods s on s.workspace_id = ${tx.workspaceId} and s.rep_id = input.rep_id
      and s.status = 'approved' and s.from_day <= input.to_day and s.to_day >= input.from_day
    order by s.rep_id, s.from_day`.execute(tx.db);
  return rows;
}
