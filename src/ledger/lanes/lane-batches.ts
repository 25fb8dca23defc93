import { type RawBuilder, sql } from 'kysely';
import { chunkBySize } from '../../kernel/chunk.js';
import { type Day, type DayRange, extendRange } from '../../kernel/day.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { daysOfDeals } from '../input/deals-of-rep.js';
import { loadTeams } from '../input/hierarchy.js';
import { maxDealsOfLane } from './divide-windows.js';

/** Deals that the lanes of one transaction read together: about a hundred milliseconds of work. More need more memory. */
const maxDealsPerBatch = 1000;
/** A lane costs something without deals too. */
const maxLanesPerBatch = 500;

/** A lane with requests. */
interface LaneSize extends DayRange {
  readonly repId: string;
  /** The deals that the calculation reads: the rep's, and for cascade rules those of the reps below. */
  readonly deals: number;
}

/**
 * Divides those of the lanes that have requests into batches, each of which one transaction calculates. A manager with
 * cascade rules comes after the reps below, in another batch: the cascade reads what those batches have written. Requests
 * that arrive later only make a batch larger.
 */
export async function buildLaneBatches(tx: Transaction, repIds: readonly string[]): Promise<string[][]> {
  const sizes = await loadSizes(tx, repIds);
  const managerIds = await loadCascadeManagersAmong(tx, [...sizes.keys()]);
  return buildBatchesBySize(tx, sizes, managerIds);
}

/** Divides reps into batches for a calculation of the days that writes nothing; `managerIds` have cascade rules. */
export async function buildRepBatches(
  tx: Transaction,
  repIds: readonly string[],
  managerIds: readonly string[],
  days: DayRange,
): Promise<string[][]> {
  const sizeByRep = await loadSizesOn(tx, repIds, days);
  const sizes = new Map(repIds.map((repId) => [repId, sizeByRep.get(repId) as LaneSize]));
  const managersAmong = managerIds.filter((repId) => sizes.has(repId));
  return buildBatchesBySize(tx, sizes, managersAmong);
}

/**
 * Counts the deals that a calculation of the days reads; `managerIds` are those of the reps who have cascade rules. The
 * number is exact up to `most`.
 */
export async function countDealsOfReps(
  tx: Transaction,
  repIds: readonly string[],
  managerIds: readonly string[],
  { days, most }: { readonly days: DayRange; readonly most: number },
): Promise<number> {
  return countDealsOfLanes(tx, await loadSizesOn(tx, repIds, days, most), managerIds, most);
}

async function loadSizesOn(
  tx: Transaction,
  repIds: readonly string[],
  { from, to }: DayRange,
  most?: number,
): Promise<ReadonlyMap<string, LaneSize>> {
  const { rows } = await sql<LaneSize>`
    select q.rep_id as "repId", ${from}::text as "from", ${to}::text as "to", d.deals
    from (
      select rep_id, ${from}::date as from_day, ${to}::date as to_day from unnest(${repIds}::uuid[]) r (rep_id) offset 0
    ) q cross join lateral (${countDeals(tx.workspaceId, 'q', most)}) d`.execute(tx.db);
  return new Map(rows.map((row) => [row.repId, row]));
}

async function buildBatchesBySize(
  tx: Transaction,
  sizes: ReadonlyMap<string, LaneSize>,
  managerIds: readonly string[],
): Promise<string[][]> {
  const teams = await loadTeamIds(tx, managerIds);
  const ofTeams = await countTeamDeals(tx, sizes, teams);
  const sizeOf = (repId: string) => (sizes.get(repId)?.deals ?? 0) + (ofTeams.get(repId) ?? 0);
  const limits = { items: maxLanesPerBatch, size: maxDealsPerBatch };
  return groupByLevel([...sizes.keys()], teams).flatMap((level) => chunkBySize(level, sizeOf, limits));
}

/** Counts the deals that the calculation of the lanes reads; it may read fewer. */
export async function countDealsToCalculate(tx: Transaction, repIds: readonly string[]): Promise<number> {
  const sizes = await loadSizes(tx, repIds);
  return countDealsOfLanes(tx, sizes, await loadCascadeManagersAmong(tx, [...sizes.keys()]));
}

async function countDealsOfLanes(
  tx: Transaction,
  sizes: ReadonlyMap<string, LaneSize>,
  managerIds: readonly string[],
  most?: number,
): Promise<number> {
  const ofTeams = await countTeamDeals(tx, sizes, await loadTeamIds(tx, managerIds), most);
  return [...sizes].reduce((sum, [repId, { deals }]) => sum + deals + (ofTeams.get(repId) ?? 0), 0);
}

/** The number of deals in the years of the requests, which contain every window except those with approved periods. */
async function loadSizes(tx: Transaction, repIds: readonly string[]): Promise<Map<string, LaneSize>> {
  const { rows } = await sql<LaneSize>`
    select q.rep_id as "repId", q.from_day as "from", q.to_day as "to", d.deals
    from (
      select rep_id, make_date(extract(year from min(from_day))::int, 1, 1) as from_day,
        make_date(extract(year from max(to_day))::int, 12, 31) as to_day
      from calculation_requests
      where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])
      group by rep_id
      offset 0
    ) q cross join lateral (${countDeals(tx.workspaceId, 'q')}) d`.execute(tx.db);
  const sizes = new Map(rows.map((row) => [row.repId, row]));
  // The reps keep the order of the call, because the order of the rows depends on the server's query plan.
  return new Map([...new Set(repIds)].flatMap((repId) => sizes.get(repId) ?? []).map((size) => [size.repId, size]));
}

/** Stops counting above `most`, by default the number from which a lane is divided. */
function countDeals(workspaceId: string, span: string, most = maxDealsOfLane) {
  const isOnDay = (day: RawBuilder<unknown>) =>
    sql`${day} between ${sql.ref(`${span}.from_day`)} and ${sql.ref(`${span}.to_day`)}`;
  return sql`
    select count(*)::int as deals from (
      ${daysOfDeals({ workspaceId, repId: sql.ref(`${span}.rep_id`), isOnDay })}
      limit ${sql.lit(most + 1)}
    ) counted`;
}

async function loadCascadeManagersAmong(tx: Transaction, repIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ repId: string }>`
    select distinct s.rep_id as "repId" from assignments s
    join plan_rules r on r.workspace_id = s.workspace_id and r.plan_id = s.plan_id and r.phase = 'cascade'
    where s.workspace_id = ${tx.workspaceId} and s.rep_id = any(${repIds}::uuid[])`.execute(tx.db);
  return rows.map(({ repId }) => repId);
}

/** The reps below each manager. */
type Teams = ReadonlyMap<string, ReadonlySet<string>>;

async function loadTeamIds(tx: Transaction, managerIds: readonly string[]): Promise<Teams> {
  const teams = await loadTeams(tx, managerIds);
  return new Map([...teams].map(([managerId, team]) => [managerId, new Set(team.map(({ repId }) => repId))]));
}

async function countTeamDeals(
  tx: Transaction,
  sizes: ReadonlyMap<string, LaneSize>,
  teams: Teams,
  most?: number,
): Promise<ReadonlyMap<string, number>> {
  const days = new Map<string, DayRange>();
  for (const [managerId, team] of teams) {
    const range = sizes.get(managerId) as DayRange;
    for (const repId of team) extendRange(days, repId, range);
  }
  if (days.size === 0) return new Map();
  const { rows } = await sql<{ repId: string; deals: number }>`
    select input.rep_id as "repId", d.deals from ${unnestRows(
      [...days],
      [
        ['rep_id', 'uuid', ([repId]) => repId],
        ['from_day', 'date', ([, { from }]): Day => from],
        ['to_day', 'date', ([, { to }]): Day => to],
      ],
    )} cross join lateral (${countDeals(tx.workspaceId, 'input', most)}) d`.execute(tx.db);
  const deals = new Map(rows.map((row) => [row.repId, row.deals]));
  const sum = (team: ReadonlySet<string>) => [...team].reduce((total, repId) => total + (deals.get(repId) ?? 0), 0);
  return new Map([...teams].map(([managerId, team]) => [managerId, sum(team)]));
}

/**
 * Groups the reps by level, the lowest first. A manager has a higher level than each of the given reps in the team. Of
 * two reps who have managed each other at different times, the one that is visited first counts as lower.
 */
function groupByLevel(repIds: readonly string[], teams: Teams): string[][] {
  const among = new Set(repIds);
  const heights = new Map<string, number>();
  const computeHeight = (repId: string): number => {
    const known = heights.get(repId);
    if (known !== undefined) return known;
    heights.set(repId, 0);
    const below = [...(teams.get(repId) ?? [])].filter((member) => among.has(member));
    const height = below.reduce((max, member) => Math.max(max, computeHeight(member) + 1), 0);
    heights.set(repId, height);
    return height;
  };
  const levels = new Map<number, string[]>();
  for (const repId of repIds) getOrInsert(levels, computeHeight(repId), () => []).push(repId);
  return [...levels.keys()].sort((a, b) => a - b).map((height) => levels.get(height) as string[]);
}
