import { sql } from 'kysely';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type EnteredLine } from './deal-credits.js';
import { type ReportedLine } from './reported-lines.js';

/** Replaces the lines that people or the API gave on each of the deals; no lines remove them. */
export function replaceEnteredLines(
  tx: Transaction,
  deals: ReadonlyMap<string, readonly EnteredLine[]>,
): Promise<void> {
  return replaceLines(
    tx,
    'api',
    mapLines(deals, (line) => ({ ...line, ownerId: null })),
  );
}

/** Replaces the lines that the CRM reported on each of the deals; no lines remove them. */
export function replaceReportedLines(
  tx: Transaction,
  deals: ReadonlyMap<string, readonly ReportedLine[]>,
): Promise<void> {
  return replaceLines(
    tx,
    'crm',
    mapLines(deals, (line) => ({ ...line, repId: null, affects: 'both' })),
  );
}

type StoredLine = EnteredLine & { readonly ownerId: string | null };

function mapLines<Line>(
  deals: ReadonlyMap<string, readonly Line[]>,
  toStored: (line: Line) => StoredLine,
): Map<string, StoredLine[]> {
  return new Map([...deals].map(([dealId, lines]) => [dealId, lines.map(toStored)]));
}

async function replaceLines(
  tx: Transaction,
  source: 'api' | 'crm',
  deals: ReadonlyMap<string, readonly StoredLine[]>,
): Promise<void> {
  const ids = [...deals.keys()];
  await sql`
    delete from deal_credits
    where workspace_id = ${tx.workspaceId} and source = ${source}
      and deal_id = any(array(select id from ${unnestRows(ids, [['id', 'text', (id) => id]])}))`.execute(tx.db);
  const lines = [...deals].flatMap(([dealId, ofDeal]) =>
    ofDeal.map((line, position) => ({ ...line, dealId, position })),
  );
  if (lines.length === 0) return;
  await sql`
    insert into deal_credits (workspace_id, deal_id, source, position, rep_id, owner_id, kind, role, percent, affects)
    select ${tx.workspaceId}::uuid, deal_id, ${source}, position, rep_id, owner_id, kind, role, percent, affects
    from ${unnestRows(lines, [
      ['deal_id', 'text', (line) => line.dealId],
      ['position', 'smallint', (line) => line.position],
      ['rep_id', 'uuid', (line) => line.repId],
      ['owner_id', 'text', (line) => line.ownerId],
      ['kind', 'text', (line) => line.kind],
      ['role', 'text', (line) => line.role],
      ['percent', 'numeric', (line) => line.percent],
      ['affects', 'text', (line) => line.affects],
    ])}`.execute(tx.db);
}
