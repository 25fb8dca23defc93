import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { type DealLine } from '../engine/deal-line.js';
import { linesOfDeal } from '../ledger/input/lines-of-deals.js';
import { anyOf, unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type CountedLines, type LineSource, noLines } from './deal-lines.js';

/**
 * Replaces the lines of one source of each deal; an empty list removes them. If the lines that count for a deal change,
 * they are appended to the history. Returns the ids of these deals.
 */
export async function replaceDealLines(
  tx: Transaction,
  source: LineSource,
  deals: ReadonlyMap<string, readonly DealLine[]>,
): Promise<string[]> {
  const ids = [...deals.keys()];
  const before = await loadCountedLines(tx, ids);
  await sql`
    delete from deal_lines where workspace_id = ${tx.workspaceId} and source = ${source}
      and deal_id = any(${ids}::text[])`.execute(tx.db);
  const rows = [...deals].flatMap(([dealId, lines]) => lines.map((line, position) => ({ dealId, line, position })));
  if (rows.length > 0)
    await sql`
      insert into deal_lines (workspace_id, deal_id, source, position, content)
      select ${tx.workspaceId}::uuid, deal_id, ${source}, position, content
      from ${unnestRows(rows, [
        ['deal_id', 'text', ({ dealId }) => dealId],
        ['position', 'smallint', ({ position }) => position],
        ['content', 'jsonb', ({ line }) => JSON.stringify(line)],
      ])}`.execute(tx.db);
  const after = await loadCountedLines(tx, ids);
  const changed = ids.filter((dealId) => !isDeepStrictEqual(before.get(dealId), after.get(dealId)));
  await appendHistory(
    tx,
    changed.map((dealId) => ({ dealId, ...(after.get(dealId) ?? noLines) })),
  );
  await listAsChanged(tx, changed);
  return changed;
}

/** A change of lines is a change of the deal: the feed of deals lists it again. */
async function listAsChanged(tx: Transaction, dealIds: readonly string[]): Promise<void> {
  if (dealIds.length === 0) return;
  await sql`
    update deals set changed_in = pg_current_xact_id()
    where workspace_id = ${tx.workspaceId} and deal_id = any(${dealIds}::text[])`.execute(tx.db);
}

async function appendHistory(
  tx: Transaction,
  changes: readonly (CountedLines & { readonly dealId: string })[],
): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    insert into deal_line_history (workspace_id, deal_id, lines, source)
    select ${tx.workspaceId}::uuid, deal_id, lines, source
    from ${unnestRows(changes, [
      ['deal_id', 'text', ({ dealId }) => dealId],
      ['lines', 'jsonb', ({ source, lines }) => (source === null ? null : JSON.stringify(lines))],
      ['source', 'text', ({ source }) => source],
    ])}`.execute(tx.db);
}

/** The lines that count on each deal that has some; in a transaction with `asOf`, as they were at that instant. */
export async function loadCountedLines(
  tx: Transaction,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, CountedLines>> {
  const ofDeal = sql`d.deal_id = any(${dealIds}::text[])`;
  const { rows } = await (tx.asOf === null
    ? sql<CountedLines & { dealId: string }>`
        select d.deal_id as "dealId", min(d.source) as source, ${linesOfDeal(tx.workspaceId)} as lines
        from deal_lines d where d.workspace_id = ${tx.workspaceId} and ${ofDeal} group by d.deal_id`
    : sql<CountedLines & { dealId: string }>`
        select distinct on (d.deal_id) d.deal_id as "dealId", d.source, coalesce(d.lines, '[]') as lines
        from deal_line_history d
        where d.workspace_id = ${tx.workspaceId} and ${ofDeal} and d.changed_at <= ${tx.until}::timestamptz
        order by d.deal_id, d.position desc`
  ).execute(tx.db);
  return new Map(rows.map(({ dealId, source, lines }) => [dealId, { source, lines }]));
}

/** The deals among those whose lines a calculation may read: all of them for a rule, and those with a refund that names lines. */
export async function dealsWithReadLines(tx: Transaction, dealIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (dealIds.length === 0 || (await hasRulesReadingLines(tx))) return new Set(dealIds);
  return dealsWithRefundedLines(tx, dealIds);
}

/** The deals among those with a refund that names lines. */
export async function dealsWithRefundedLines(
  tx: Transaction,
  dealIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ dealId: string }>`
    select distinct deal_id as "dealId" from deal_refunds
    where workspace_id = ${tx.workspaceId} and deal_id = ${anyOf('text', dealIds)} and lines is not null`.execute(
    tx.db,
  );
  return new Set(rows.map(({ dealId }) => dealId));
}

/** Whether a rule of a plan or of credits, a condition or the key of a table may read lines of deals. */
export async function hasRulesReadingLines(tx: Transaction): Promise<boolean> {
  const summary = String.raw`lines\.(count|families|products)`;
  const { rows } = await sql<{ reads: boolean }>`
    select exists (select from plan_rules where workspace_id = ${tx.workspaceId}
        and (definition ? 'lines' or definition::text ~* ${summary}))
      or exists (select from plan_versions where workspace_id = ${tx.workspaceId} and deal_conditions::text ~* ${summary})
      or exists (select from rate_tables where workspace_id = ${tx.workspaceId} and keys::text ~* ${summary})
      or exists (select from credit_rules r where workspace_id = ${tx.workspaceId} and to_jsonb(r)::text ~* ${summary})
      as reads`.execute(tx.db);
  return rows[0]?.reads === true;
}
