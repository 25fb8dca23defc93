import { sql } from 'kysely';
import { findRow } from '../../engine/rate-lookup.js';
import { type RateTable } from '../../engine/rate-table.js';
import { isAttainmentField } from '../../engine/rule-table.js';
import { type Deal } from '../../engine/slug.js';
import { type Day, type DayRange } from '../../kernel/day.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { EventLoopSlice } from '../../kernel/waiting.js';
import { hasPartOf, isExpectedToPay } from '../../ledger/input/deals-of-rep.js';
import { loadDealsWithLines, type OwnedDeal } from '../../ledger/input/load-window.js';
import { loadPersonFacts } from '../../ledger/input/person-facts.js';
import { loadWorkspaceTerms, type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type KeyValues, keysReader, looksUpLines } from './table-lookup.js';

export const maxCoveredDeals = 20_000;
const dealsPerPage = 1_000;
export const maxMissing = 100;
const maxNamed = 5;

/** Values without a row, with what has them. */
interface MissingRow {
  readonly values: KeyValues;
  deals: number;
  lookups: number;
  readonly dealIds: string[];
  lastDeal: string | null;
  /** The close date of the latest deal. */
  readonly lastDay: Day;
}

interface Coverage {
  /** Deals that were looked up. */
  readonly deals: number;
  /** Deals for which a row is missing. */
  readonly missingDeals: number;
  /** Whether there are older deals that were not looked at. */
  readonly isTruncated: boolean;
  /** Most deals first. */
  readonly missing: readonly MissingRow[];
}

/**
 * Which deals that closed in the days and should pay meet no row of the table, the latest first. Tables by attainment are
 * looked up for periods, so that no deal counts. `repIds`: only deals in which one of them has a part.
 */
export async function computeCoverage(
  tx: Transaction,
  table: RateTable,
  days: DayRange,
  repIds: readonly string[] | null,
): Promise<Coverage> {
  const found = { deals: 0, missingDeals: 0, isTruncated: false };
  const missing = new Map<string, MissingRow>();
  if (table.keys.some(({ field }) => isAttainmentField(field))) return { ...found, missing: [] };
  const workspace = await loadWorkspaceTerms(tx);
  const readKeys = keysReader(table, workspace.measures);
  const slice = new EventLoopSlice();
  let read = 0;
  for await (const page of readPages(tx, workspace, days, repIds)) {
    if (read >= maxCoveredDeals) return { ...found, isTruncated: true, missing: byNumberOfDeals(missing) };
    read += page.length;
    const people = await loadPersonFacts(tx, [...new Set(page.flatMap(({ repId }) => repId ?? []))]);
    for (const { deal, repId } of page) {
      await slice.pause();
      const sources = sourcesOf(table, deal);
      const values = sources.map((source) => readKeys(source, people.get(repId ?? ''), deal.closeDate));
      const without = values.filter((looked) => findRow(table, looked, deal.closeDate) === null);
      found.deals += sources.length === 0 ? 0 : 1;
      found.missingDeals += without.length === 0 ? 0 : 1;
      for (const looked of without) addMissing(missing, looked, deal);
    }
  }
  return { ...found, missing: byNumberOfDeals(missing) };
}

/** What is looked up for a deal: itself, or each of its lines. */
function sourcesOf(table: RateTable, deal: Deal): readonly Deal[] {
  return looksUpLines(table) ? (deal.lines ?? []).map((line) => ({ ...deal, line })) : [deal];
}

function addMissing(missing: Map<string, MissingRow>, values: KeyValues, { dealId, closeDate }: Deal): void {
  const key = JSON.stringify(values.map((value) => value ?? null));
  const empty = { values, deals: 0, lookups: 0, dealIds: [], lastDeal: null, lastDay: closeDate };
  const row = getOrInsert(missing, key, () => empty);
  row.lookups += 1;
  // The lines of a deal are looked up one after another.
  if (row.lastDeal === dealId) return;
  row.lastDeal = dealId;
  row.deals += 1;
  if (row.dealIds.length < maxNamed) row.dealIds.push(dealId);
}

function byNumberOfDeals(missing: ReadonlyMap<string, MissingRow>): MissingRow[] {
  return [...missing.values()].sort((a, b) => b.deals - a.deals || b.lookups - a.lookups).slice(0, maxMissing);
}

/** The deals page by page, the latest close date first. */
async function* readPages(
  tx: Transaction,
  workspace: WorkspaceTerms,
  { from, to }: DayRange,
  repIds: readonly string[] | null,
): AsyncGenerator<readonly OwnedDeal[]> {
  const isVisible = repIds === null ? sql`true` : hasPartOf(tx.workspaceId, sql`d`, repIds);
  for (let after: Deal | null = null; ; ) {
    const follows =
      after === null
        ? sql`true`
        : sql`(d.close_date < ${after.closeDate}::date or d.close_date = ${after.closeDate}::date and d.deal_id > ${after.dealId})`;
    const page: OwnedDeal[] = await loadDealsWithLines(
      tx,
      { workspace },
      sql`d.close_date between ${from}::date and ${to}::date and ${isExpectedToPay} and ${isVisible} and ${follows}
        order by d.close_date desc, d.deal_id limit ${dealsPerPage}`,
    );
    if (page.length > 0) yield page;
    if (page.length < dealsPerPage) return;
    after = page.at(-1)?.deal ?? null;
  }
}
