import { sql } from 'kysely';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DealContent, type DealTerms, type Projection, projectDeal } from './deal.js';
import { DealOwners } from './deal-owners.js';
import { loadDealTerms } from './load-deal-terms.js';
import { refreshAllDerivedCredits } from './refresh-credits.js';

const batchSize = 2000;

/**
 * Recomputes the standard values, the owner and the derived credit lines of every stored deal after a change of the
 * mapping or the time zone, and writes those that differ. Returns how many differ. The caller blocks writers of deals and
 * requests the calculation.
 */
export async function rebuildDealProjections(tx: Transaction): Promise<number> {
  const terms = await loadDealTerms(tx);
  const owners = new DealOwners(tx);
  let changed = 0;
  for (let after = ''; ; ) {
    const rows = await readBatch(tx, after);
    const last = rows.at(-1);
    if (last === undefined) break;
    changed += await reprojectBatch(tx, terms, owners, rows);
    after = last.dealId;
  }
  await refreshAllDerivedCredits(tx);
  return changed;
}

type Projected = Omit<Projection, 'givenRepId'> & { readonly repId: string | null };

interface StoredDeal extends Projected {
  readonly dealId: string;
  readonly content: DealContent;
}

async function readBatch(tx: Transaction, after: string): Promise<StoredDeal[]> {
  const { rows } = await sql<Projected & { dealId: string } & DealContent>`
    select deal_id as "dealId", fields, given, rep_id as "repId", name, trim_scale(amount)::text as amount, currency, stage,
      close_date as "closeDate", created_date as "createdDate", owner_id as "ownerId", owner_email as "ownerEmail",
      is_closed as "isClosed", is_won as "isWon"
    from deals
    where workspace_id = ${tx.workspaceId} and deal_id > ${after}
    order by deal_id limit ${batchSize}`.execute(tx.db);
  return rows.map(({ fields, given, ...row }) => ({ ...row, content: { fields, given } }));
}

async function reprojectBatch(
  tx: Transaction,
  terms: DealTerms,
  owners: DealOwners,
  rows: readonly StoredDeal[],
): Promise<number> {
  const projections = rows.map((row) => projectDeal(row.content, terms));
  await owners.preload(projections.map((projection) => ({ projection })));
  const differing = rows.flatMap((row, index) => {
    const now = projected(row, projections[index] as Projection, owners);
    return columns.some((column) => row[column] !== now[column]) ? [{ dealId: row.dealId, ...now }] : [];
  });
  if (differing.length > 0) await writeBatch(tx, differing);
  return differing.length;
}

/** A deal with a rep keeps it while it names the same owner: other people may have the member ids and addresses now. */
function projected(before: StoredDeal, { givenRepId, ...projection }: Projection, owners: DealOwners): Projected {
  const isSameOwner = before.ownerId === projection.ownerId && before.ownerEmail === projection.ownerEmail;
  if (isSameOwner && before.repId !== null) return { ...projection, repId: before.repId };
  return { ...projection, repId: owners.resolve({ ...projection, givenRepId }) ?? null };
}

const columns = [
  'repId',
  'name',
  'amount',
  'currency',
  'stage',
  'closeDate',
  'createdDate',
  'ownerId',
  'ownerEmail',
  'isClosed',
  'isWon',
] as const satisfies readonly (keyof Projected)[];

async function writeBatch(tx: Transaction, deals: readonly (Projected & { readonly dealId: string })[]): Promise<void> {
  await sql`
    update deals d set rep_id = n.rep_id, name = n.name, amount = n.amount, currency = n.currency, stage = n.stage,
      close_date = n.close_date, created_date = n.created_date, owner_id = n.owner_id, owner_email = n.owner_email,
      is_closed = n.is_closed, is_won = n.is_won
    from (select * from ${unnestRows(deals, [
      ['deal_id', 'text', (deal) => deal.dealId],
      ['rep_id', 'uuid', (deal) => deal.repId],
      ['name', 'text', (deal) => deal.name],
      ['amount', 'numeric', (deal) => deal.amount],
      ['currency', 'text', (deal) => deal.currency],
      ['stage', 'text', (deal) => deal.stage],
      ['close_date', 'date', (deal) => deal.closeDate],
      ['created_date', 'date', (deal) => deal.createdDate],
      ['owner_id', 'text', (deal) => deal.ownerId],
      ['owner_email', 'text', (deal) => deal.ownerEmail],
      ['is_closed', 'boolean', (deal) => String(deal.isClosed)],
      ['is_won', 'boolean', (deal) => String(deal.isWon)],
    ])}) n
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = n.deal_id`.execute(tx.db);
}
