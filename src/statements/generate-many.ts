import { sql } from 'kysely';
import { hasAmounts, hasTerms, sumEarnings } from '../earnings/commission-views.js';
import { hasStatedAmounts } from '../earnings/team-page.js';
import { type Caller, visibleReps } from '../kernel/caller.js';
import { chunkBySize } from '../kernel/chunk.js';
import { Failure } from '../kernel/failure.js';
import { groupBy } from '../kernel/group-by.js';
import { mapConcurrently } from '../kernel/waiting.js';
import { loadCalendar, loadRange } from '../ledger/input/calendar.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { hasOpenPay } from '../pay/payables/open-pay.js';
import { isUnavailable } from '../platform/database/database-errors.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { coveringPeriods } from './approval-holds.js';
import { generateForRep, type StatementParts } from './generate-one.js';
import { lockFreeReps } from './rep-lane.js';
import { generateVersions, type InsertedVersion } from './statement-store.js';
import { approvedAmong } from './statement-views.js';

/** A generated version, or why there is none: skipped for a reason, or failed with an error. */
export type Outcome =
  | { readonly statement: ReturnType<typeof toSummary> }
  | { readonly reason: string }
  | { readonly error: string };
export type Outcomes = Map<string, Outcome>;

/** Leaves database capacity for other requests. */
const concurrency = 2;
/** The lanes of a batch are held until its statements are stored, and their lines are in memory: some ten megabytes. */
const maxBatch = { items: 100, size: 4000 };

/** Generates new versions for people who exist, some batches at a time. */
export async function generateMany(
  repIds: readonly string[],
  requestedPeriod: string,
  caller: Caller,
  parts: StatementParts,
): Promise<Outcomes> {
  const deals = await parts.unitOfWork.read(caller, (tx) => dealsByRep(tx, requestedPeriod, repIds));
  const batches = chunkBySize(repIds, (repId) => deals.get(repId) ?? 0, maxBatch);
  const outcomes: Outcomes = new Map();
  await mapConcurrently(batches, concurrency, (batch) =>
    generateBatch(batch, requestedPeriod, caller, outcomes, parts),
  );
  return outcomes;
}

/**
 * Generates the statements of the batch in one transaction. Reps whose lane another transaction holds, and all of them
 * if the batch fails, are generated one by one: a failure of one rep does not stop the others.
 */
async function generateBatch(
  repIds: readonly string[],
  requestedPeriod: string,
  caller: Caller,
  outcomes: Outcomes,
  parts: StatementParts,
) {
  const generated = await generateTogether(repIds, requestedPeriod, caller, parts).catch(() => new Map());
  for (const repId of repIds)
    outcomes.set(repId, generated.get(repId) ?? (await generateAlone(repId, requestedPeriod, caller, parts)));
}

async function generateTogether(
  repIds: readonly string[],
  requestedPeriod: string,
  caller: Caller,
  { unitOfWork, laneRunner, clock }: StatementParts,
): Promise<Outcomes> {
  const { workspaceId, actor } = caller;
  await laneRunner.calculateNow(workspaceId, repIds);
  return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, async (tx) => {
    const locked = await lockFreeReps(tx, repIds);
    const approved = await approvedAmong(tx, { period: requestedPeriod }, locked);
    const covered = await coveringPeriods(tx, requestedPeriod, locked);
    const drafts = locked.filter((repId) => !approved.has(repId) && !covered.has(repId));
    const { currency } = await loadWorkspaceTerms(tx);
    const generation = { status: 'draft', at: clock.now(), actor } as const;
    const versions = await generateVersions(tx, { period: requestedPeriod }, drafts, currency, generation);
    return new Map<string, Outcome>([
      ...[...covered.keys()].map((repId) => [repId, { reason: 'statement_overlap' }] as const),
      ...[...approved].map((repId) => [repId, { reason: 'already_approved' }] as const),
      ...versions.map((version) => [version.repId, { statement: toSummary(version) }] as const),
    ]);
  });
}

async function generateAlone(
  repId: string,
  requestedPeriod: string,
  caller: Caller,
  parts: StatementParts,
): Promise<Outcome> {
  try {
    const covered = await parts.unitOfWork.read(caller, (tx) => coveringPeriods(tx, requestedPeriod, [repId]));
    if (covered.has(repId)) return { reason: 'statement_overlap' };
    const content = await generateForRep(
      parts,
      repId,
      requestedPeriod,
      caller,
      async (_trx, _key, _repName, newVersion) => newVersion,
    );
    return content === 'already_approved' ? { reason: content } : { statement: toSummary(content) };
  } catch (error) {
    if (error instanceof Failure) return { error: error.code };
    return { error: isUnavailable(error) ? 'database_unavailable' : 'internal_error' };
  }
}

function toSummary({ repId, version, statementId, summary }: InsertedVersion) {
  return { repId, version, statementId, netPayout: Number(summary.netPayout) };
}

/** The number of deals that each of the reps is paid on in the period. */
async function dealsByRep(
  tx: Transaction,
  requestedPeriod: string,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const earned = await sumEarnings(tx, await loadRange(tx, requestedPeriod), repIds);
  const byRep = groupBy(earned, ({ repId }) => repId);
  return new Map([...byRep].map(([repId, rows]) => [repId, rows.reduce((count, { deals }) => count + deals, 0)]));
}

/**
 * Every active rep that the caller may see, and inactive reps with an amount in the period or open pay. `withTerms`: without active
 * reps who have no plan, quota or amount in the period, neither earned nor in a draft.
 */
export async function listRepsOfPeriod(
  tx: Transaction,
  caller: Caller,
  requestedPeriod: string,
  withTerms: boolean,
): Promise<string[]> {
  const calendar = await loadCalendar(tx);
  const days = calendar.range(requestedPeriod);
  const isMeant = withTerms
    ? sql`(r.active and ${hasTerms(calendar, days)} or h.status = 'draft' and ${hasStatedAmounts})`
    : sql`r.active`;
  const repIds = visibleReps(caller);
  const { rows } = await sql<{ rep_id: string }>`
    select r.rep_id from reps r
    left join statement_periods h on h.workspace_id = r.workspace_id and h.rep_id = r.rep_id and h.period = ${requestedPeriod}
    where r.workspace_id = ${tx.workspaceId} ${repIds === null ? sql`` : sql`and r.rep_id = any(${repIds}::uuid[])`}
      and (${isMeant} or ${hasAmounts(days)} or ${await hasOpenPay(tx, days)})
    order by r.rep_id`.execute(tx.db);
  return rows.map((row) => row.rep_id);
}
