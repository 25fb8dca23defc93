import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { unnestRows } from '../database/columns.js';
import { type Transaction } from '../database/unit-of-work.js';

/** Permits `uses` within any period of `seconds`, at most a day, because older uses are deleted. */
export interface UseLimit {
  readonly uses: number;
  readonly seconds: number;
}

/** The seconds until each subject may be used again. Subjects that may be used now are absent. */
export async function loadSecondsUntilUse(
  tx: Transaction,
  kind: string,
  subjects: readonly string[],
  { uses, seconds }: UseLimit,
): Promise<ReadonlyMap<string, number>> {
  if (subjects.length === 0) return new Map();
  const { rows } = await sql<{ subject: string; left: number }>`
    select input.subject, greatest(1, ceil(extract(epoch from u.used_at - now()) + ${seconds}))::integer as left
    from ${unnestRows(subjects, [['subject', 'text', (subject) => subject]])} cross join lateral (
      select used_at from limited_uses
      where workspace_id = ${tx.workspaceId} and kind = ${kind} and subject = input.subject
      order by used_at desc offset ${uses - 1} limit 1
    ) u
    where u.used_at > now() - make_interval(secs => ${seconds})`.execute(tx.db);
  return new Map(rows.map(({ subject, left }) => [subject, left]));
}

/** The uses of all subjects in the last seconds. */
export async function countUses(tx: Transaction, kind: string, seconds: number): Promise<number> {
  const { rows } = await sql<{ uses: number }>`
    select count(*)::integer as uses from limited_uses
    where workspace_id = ${tx.workspaceId} and kind = ${kind}
      and used_at > now() - make_interval(secs => ${seconds})`.execute(tx.db);
  return rows[0]?.uses ?? 0;
}

export async function recordUses(tx: Transaction, kind: string, subjects: readonly string[]): Promise<void> {
  if (subjects.length === 0) return;
  const uses = subjects.map((subject) => ({ subject, useId: newId() }));
  await sql`
    insert into limited_uses (workspace_id, use_id, kind, subject)
    select ${tx.workspaceId}, input.use_id, ${kind}, input.subject
    from ${unnestRows(uses, [
      ['use_id', 'uuid', ({ useId }) => useId],
      ['subject', 'text', ({ subject }) => subject],
    ])}`.execute(tx.db);
}

/** Records a use; rejects it if it exceeds the limit. Uses of one kind in a workspace are counted one after the other. */
export async function admitUse(
  tx: Transaction,
  kind: string,
  subject: string,
  limit: UseLimit,
  message: string,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`uses:${kind}:${tx.workspaceId}`}, 0))`.execute(tx.db);
  const retryAfter = (await loadSecondsUntilUse(tx, kind, [subject], limit)).get(subject);
  if (retryAfter !== undefined)
    throw new Failure('rate_limited', `${message} Try again in ${retryAfter} s.`, { retryAfter });
  await recordUses(tx, kind, [subject]);
}
