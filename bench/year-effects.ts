import { type Effect, readValue, rowsWritten } from './effects.js';
import { type DatedDeal, rulesPerDeal, type SalesYear } from './sales-year.js';

/** The prefix of the tables: none for those of the service, `floor_` for the copies of the SQL. */
type Prefix = '' | 'floor_';

/** Every event with its history, the totals of every month, and the counters of the two quotas of every quarter. */
export function listFirstCalculationEffects(year: SalesYear, prefix: Prefix = ''): readonly Effect[] {
  const countRepPeriods = (unit: 'month' | 'quarter') =>
    readValue<number>(
      year.service.owner,
      `select count(distinct (rep_id, date_trunc('${unit}', close_date)))::int as value from deals where workspace_id = $1`,
      [year.workspace.workspaceId],
    );
  return [
    ...eventsWritten(year, year.deals * rulesPerDeal, prefix),
    expectRowsOfYear(year, `${prefix}rep_months`, () => countRepPeriods('month')),
    expectRowsOfYear(year, `${prefix}quotas`, async () => 2 * (await countRepPeriods('quarter'))),
  ];
}

/** The deal with its snapshot, and the events of the deal and of the later ones of its quarter with their history. */
export function listChangedDealEffects(
  year: SalesYear,
  deal: DatedDeal,
  { prefix = '', eventsPerDeal = rulesPerDeal }: { readonly prefix?: Prefix; readonly eventsPerDeal?: number } = {},
): readonly Effect[] {
  return [
    expectRowsOfYear(year, `${prefix}deals`, 1),
    expectRowsOfYear(year, `${prefix}deal_snapshots`, 1),
    ...eventsWritten(year, deal.dealsToQuarterEnd * eventsPerDeal, prefix),
  ];
}

/** So many events, and as many rows of their history. */
export function eventsWritten(year: SalesYear, events: number, prefix: Prefix = ''): readonly Effect[] {
  const tables = [`${prefix}commission_events`, `${prefix}commission_event_history`];
  return tables.map((table) => expectRowsOfYear(year, table, events));
}

export function expectRowsOfYear(
  { service, workspace }: SalesYear,
  table: string,
  expected: Effect['expected'],
): Effect {
  return rowsWritten(service.owner, `${table} where workspace_id = $1`, [workspace.workspaceId], expected);
}
