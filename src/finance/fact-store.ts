import { sql } from 'kysely';
import { chunk } from '../kernel/chunk.js';
import { anyOf, unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** What a fact of the books is about. */
export type FactKind = 'contract' | 'impairment' | 'opening_lot';

/** A fact about a deal. Null takes it back. */
interface StoredFact {
  readonly dealId: string;
  /** Distinguishes facts of one kind about one deal. */
  readonly name: string;
  readonly content: object | null;
}

const rowsPerStatement = 10_000;

/** Stores each fact in place of the one with its name. Earlier ones stay in the history. */
export async function insertFacts(tx: Transaction, kind: FactKind, facts: readonly StoredFact[]): Promise<void> {
  for (const part of chunk(facts, rowsPerStatement))
    await sql`
      insert into accounting_facts (workspace_id, kind, deal_id, name, content)
      select ${tx.workspaceId}::uuid, ${kind}, deal_id, name, content
      from ${unnestRows(part, [
        ['deal_id', 'text', ({ dealId }) => dealId],
        ['name', 'text', ({ name }) => name],
        ['content', 'jsonb', ({ content }) => (content === null ? null : JSON.stringify(content))],
      ])}`.execute(tx.db);
}

interface ReadFact<Content> {
  readonly dealId: string;
  readonly name: string;
  readonly content: Content;
  readonly updatedAt: string;
}

/** The facts of the deals, or those whose content names one of the reps, by deal and name; in a transaction with `asOf`, as they were then. */
export async function listFacts<Content>(
  tx: Transaction,
  kind: FactKind,
  of: { readonly dealIds: readonly string[] } | { readonly repIds: readonly string[] },
): Promise<ReadFact<Content>[]> {
  const { rows } = await sql<Omit<ReadFact<Content>, 'updatedAt'> & { readonly changedAt: Date }>`
    select "dealId", name, content, "changedAt" from (
      select distinct on (deal_id, name) deal_id as "dealId", name, content, changed_at as "changedAt"
      from accounting_facts
      where workspace_id = ${tx.workspaceId} and kind = ${kind}
        and changed_at <= coalesce(${tx.asOf}::timestamptz, 'infinity')
        ${'dealIds' in of ? sql`and deal_id = ${anyOf('text', of.dealIds)}` : sql``}
      order by deal_id, name, position desc
    ) f
    where content is not null ${'repIds' in of ? sql`and content ->> 'repId' = ${anyOf('text', of.repIds)}` : sql``}
    order by "dealId", name`.execute(tx.db);
  return rows.map(({ changedAt, ...row }) => ({ ...row, updatedAt: changedAt.toISOString() }));
}
