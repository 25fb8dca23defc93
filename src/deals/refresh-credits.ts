import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import { type CreditLine, selectLines } from '../engine/credit-lines.js';
import {
  type CompiledCreditRule,
  compileCreditRules,
  type DerivedLines,
  deriveLines,
  namedPeople,
} from '../engine/credit-rules.js';
import { type DealLine } from '../engine/deal-line.js';
import { readsSummaryOfLines } from '../engine/line-summary.js';
import { type Deal } from '../engine/slug.js';
import { type Day } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { linesOfDeal } from '../ledger/input/lines-of-deals.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { findCreditSources } from './credit-sources.js';
import { type DealContent, type DealTerms, toEngineDeal } from './deal.js';
import { type StoredCredits } from './deal-credits.js';
import { DealOwners } from './deal-owners.js';
import { loadDealTerms } from './load-deal-terms.js';
import { loadCreditRules } from './stored-credit-rules.js';

/** A deal whose lines changed. */
export interface CreditsChange {
  readonly dealId: string;
  readonly repId: string | null;
  readonly closeDate: Day | null;
  readonly before: StoredCredits | null;
  readonly after: StoredCredits | null;
}

/** The workspace's rules, compiled, with the terms by which deals are read. */
interface CreditTerms {
  readonly rules: readonly CompiledCreditRule[];
  /** Whether a rule reads what deals have of lines. */
  readonly readsLines: boolean;
  readonly deals: DealTerms;
}

const batchSize = 2000;

/**
 * Computes the lines that count on the deals, from what was entered, reported and derived by rules, and stores those that
 * differ, with their history. Returns the changes.
 */
export async function refreshCredits(tx: Transaction, dealIds: readonly string[]): Promise<CreditsChange[]> {
  if (dealIds.length === 0) return [];
  const terms = await loadCreditTerms(tx);
  const ids = sql`array(select id from ${unnestRows(dealIds, [['id', 'text', (dealId) => dealId]])})`;
  return refreshBatch(tx, terms, new DealOwners(tx), await readDeals(tx, terms, sql`d.deal_id = any(${ids})`));
}

/** {@link refreshCredits} of every deal; the caller blocks writers of deals. */
export async function refreshAllCredits(tx: Transaction): Promise<CreditsChange[]> {
  const terms = await loadCreditTerms(tx);
  const owners = new DealOwners(tx);
  const changes: CreditsChange[] = [];
  for (let after = ''; ; ) {
    const deals = await readDeals(tx, terms, sql`d.deal_id > ${after} order by d.deal_id limit ${sql.lit(batchSize)}`);
    const last = deals.at(-1);
    if (last === undefined) return changes;
    changes.push(...(await refreshBatch(tx, terms, owners, deals)));
    after = last.dealId;
  }
}

/** {@link refreshAllCredits} after a change of people or of the mapping, which rules and reported lines read. */
export async function refreshAllDerivedCredits(tx: Transaction): Promise<CreditsChange[]> {
  const { hasRules, hasReported } = await findCreditSources(tx);
  return hasRules || hasReported ? refreshAllCredits(tx) : [];
}

async function loadCreditTerms(tx: Transaction): Promise<CreditTerms> {
  const rules = await loadCreditRules(tx);
  const deals = await loadDealTerms(tx);
  if (rules.length === 0) return { rules: [], readsLines: false, deals };
  const { field_mapping: mapping } = await tx.db
    .selectFrom('workspaces')
    .select('field_mapping')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const compiled = compileCreditRules(rules, mapping.measures, deals.timeZone, await loadCalendar(tx));
  return { rules: compiled, readsLines: readsSummaryOfLines(rules), deals };
}

interface ReadDeal extends DealContent {
  readonly dealId: string;
  readonly repId: string | null;
  readonly closeDate: Day | null;
  readonly credits: StoredCredits | null;
  readonly lines: readonly DealLine[] | null;
}

async function readDeals(
  tx: Transaction,
  { readsLines }: CreditTerms,
  condition: RawBuilder<unknown>,
): Promise<ReadDeal[]> {
  const { rows } = await sql<ReadDeal>`
    select d.deal_id as "dealId", d.rep_id as "repId", d.close_date as "closeDate", d.fields, d.given, d.credits,
      ${readsLines ? linesOfDeal(tx.workspaceId) : sql`null`} as lines
    from deals d where d.workspace_id = ${tx.workspaceId} and ${condition}`.execute(tx.db);
  return rows;
}

async function refreshBatch(
  tx: Transaction,
  { rules, deals: dealTerms }: CreditTerms,
  owners: DealOwners,
  deals: readonly ReadDeal[],
): Promise<CreditsChange[]> {
  const entered = await loadEnteredLines(
    tx,
    owners,
    deals.map(({ dealId }) => dealId),
  );
  const credits = await selectCredits(
    rules,
    owners,
    deals.map((deal) => ({
      deal: rules.length === 0 ? null : withLines(toEngineDeal(deal.dealId, deal, dealTerms), deal.lines),
      entered: entered.get(deal.dealId) ?? [],
    })),
  );
  const changes = deals.flatMap(({ dealId, repId, closeDate, credits: before }, index) => {
    const after = credits[index] ?? null;
    return isDeepStrictEqual(before, after) ? [] : [{ dealId, repId, closeDate, before, after }];
  });
  if (changes.length > 0) await storeCredits(tx, changes);
  return changes;
}

function withLines(deal: Deal | null, lines: readonly DealLine[] | null): Deal | null {
  return deal === null || lines === null ? deal : { ...deal, lines };
}

/** A deal that is not stored, with the lines of the request; null for those that are stored for its id. */
interface SimulatedDeal {
  readonly deal: Deal;
  readonly lines: readonly CreditLine[] | null;
}

/** The lines that would count on the deals, each with what rules derive from its fields. */
export async function computeCredits(
  tx: Transaction,
  deals: readonly SimulatedDeal[],
): Promise<readonly (StoredCredits | null)[]> {
  const { rules } = await loadCreditTerms(tx);
  const owners = new DealOwners(tx);
  const entered = await loadEnteredLines(
    tx,
    owners,
    deals.map(({ deal }) => deal.dealId),
  );
  return selectCredits(
    rules,
    owners,
    deals.map(({ deal, lines }) => ({ deal, entered: lines ?? entered.get(deal.dealId) ?? [] })),
  );
}

/** The lines that count on each deal, of those that were entered and those that rules derive. */
async function selectCredits(
  rules: readonly CompiledCreditRule[],
  owners: DealOwners,
  deals: readonly { readonly deal: Deal | null; readonly entered: readonly CreditLine[] }[],
): Promise<(StoredCredits | null)[]> {
  const names = deals.flatMap(({ deal }) => (deal === null ? [] : namedPeople(rules, deal)));
  await owners.preload([...new Set(names)].map((name) => ({ projection: ownerNamed(name) })));
  return deals.map(({ deal, entered }) => {
    const derived = derive(rules, deal, owners);
    return toStoredCredits(selectLines([...entered, ...derived.lines]), derived.exceeding);
  });
}

/** Rules that give split lines have none where others were entered, so they exceed nothing. */
function toStoredCredits(lines: readonly CreditLine[], exceeding: readonly string[]): StoredCredits | null {
  if (lines.length === 0) return null;
  const isDerived = lines.some(({ kind, source }) => kind === 'split' && source === 'rule');
  return { lines, ...(isDerived && exceeding.length > 0 ? { exceeding } : {}) };
}

function derive(rules: readonly CompiledCreditRule[], deal: Deal | null, owners: DealOwners): DerivedLines {
  if (deal === null) return { lines: [], exceeding: [] };
  return deriveLines(rules, deal, (name) => owners.resolve(ownerNamed(name)) ?? null);
}

/** People are found as owners of deals are. */
function ownerNamed(name: string) {
  return { givenRepId: null, ownerId: name, ownerEmail: null };
}

/** The lines that were entered, and those that CRMs reported, with the people whom the members are now. */
async function loadEnteredLines(
  tx: Transaction,
  owners: DealOwners,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, readonly CreditLine[]>> {
  const { rows } = await sql<CreditLine & { dealId: string; ownerId: string | null }>`
    select deal_id as "dealId", source, rep_id as "repId", owner_id as "ownerId", kind, role, trim_scale(percent)::text as percent, affects
    from deal_credits
    where workspace_id = ${tx.workspaceId}
      and deal_id = any(array(select id from ${unnestRows(dealIds, [['id', 'text', (dealId) => dealId]])}))
    order by deal_id, source, position`.execute(tx.db);
  const members = rows.flatMap(({ ownerId }) => (ownerId === null ? [] : [{ projection: ownerNamed(ownerId) }]));
  await owners.preload(members);
  const byDeal = groupBy(rows, ({ dealId }) => dealId);
  const read = ({ source, repId, ownerId, kind, role, percent, affects }: (typeof rows)[number]): CreditLine => ({
    source,
    repId: ownerId === null ? repId : (owners.resolve(ownerNamed(ownerId)) ?? null),
    kind,
    role,
    percent,
    affects,
  });
  return new Map([...byDeal].map(([dealId, lines]) => [dealId, lines.map(read)]));
}

async function storeCredits(tx: Transaction, changes: readonly CreditsChange[]): Promise<void> {
  await sql`
    with changed as materialized (select * from ${unnestRows(changes, [
      ['deal_id', 'text', ({ dealId }) => dealId],
      ['credits', 'jsonb', ({ after }) => (after === null ? null : JSON.stringify(after))],
    ])}),
    history as (
      insert into deal_credit_history (workspace_id, deal_id, credits)
      select ${tx.workspaceId}::uuid, deal_id, credits from changed
    )
    update deals d set credits = changed.credits from changed
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = changed.deal_id`.execute(tx.db);
}
