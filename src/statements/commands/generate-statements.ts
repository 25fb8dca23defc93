import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { hasAmounts, sumEarnings } from '../../earnings/commission-views.js';
import { type Caller, visibleReps } from '../../kernel/caller.js';
import { chunkBySize } from '../../kernel/chunk.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { mapConcurrently } from '../../kernel/waiting.js';
import { loadRange } from '../../ledger/input/calendar.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { LaneRunner } from '../../ledger/lanes/lane-runner.js';
import { isUnavailable } from '../../platform/database/database-errors.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { pathId, period } from '../../platform/operations/schemas.js';
import { repNotFound } from '../../reps/rep.js';
import { knownReps } from '../../reps/rep-views.js';
import { coveringPeriods } from '../approval-holds.js';
import { lockFreeReps } from '../rep-lane.js';
import { generateVersions, type InsertedVersion } from '../statement-store.js';
import { approvedAmong } from '../statement-views.js';
import { generateForRep, type StatementParts } from './generate-statement.js';

const body = z.strictObject({
  period: period.describe('Period of the statements'),
  repIds: z
    .array(pathId)
    .min(1)
    .max(10_000)
    .optional()
    .describe('Only these reps (UUID); by default all active reps, and inactive ones with an amount in the period'),
});

const response = z.object({
  period: fields.period,
  generated: z.int().describe('Number of statements that were generated'),
  skipped: z.int().describe('Number of reps that were skipped'),
  errors: z.int().describe('Number of reps whose statement failed'),
  statements: z
    .array(
      z
        .object({
          repId: fields.repId,
          version: fields.version,
          statementId: fields.statementId,
          netPayout: z.number().describe('Net payout in the currency of the statement'),
        })
        .describe('A generated statement'),
    )
    .describe('The generated statements'),
  skippedReps: z
    .array(
      z
        .object({ repId: fields.repId, reason: z.string().describe('Why the rep was skipped, as a code') })
        .describe('A skipped rep'),
    )
    .describe(
      'Reps without a new statement: already_approved, or statement_overlap if another approved statement covers days of the period',
    ),
  errorReps: z
    .array(
      z.object({ repId: fields.repId, error: z.string().describe('What went wrong') }).describe('A failed statement'),
    )
    .describe('Reps whose statement failed'),
});

type Outcome =
  | { readonly statement: z.input<typeof response>['statements'][number] }
  | { readonly reason: string }
  | { readonly error: string };
type Outcomes = Map<string, Outcome>;

/** Leaves database capacity for other requests. */
const concurrency = 2;
/** The lanes of a batch are held until its statements are stored, and their lines are in memory: some ten megabytes. */
const maxBatch = { items: 100, size: 4000 };

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

/** The number of deals that each rep is paid on in the period. */
async function dealsByRep(tx: Transaction, requestedPeriod: string): Promise<ReadonlyMap<string, number>> {
  const earned = await sumEarnings(tx, await loadRange(tx, requestedPeriod), null);
  const byRep = groupBy(earned, ({ repId }) => repId);
  return new Map([...byRep].map(([repId, rows]) => [repId, rows.reduce((count, { deals }) => count + deals, 0)]));
}

/** Every active rep that the caller may see, and inactive reps with an amount in the period. */
async function listRepsOfPeriod(tx: Transaction, caller: Caller, requestedPeriod: string): Promise<string[]> {
  const days = await loadRange(tx, requestedPeriod);
  const repIds = visibleReps(caller);
  const { rows } = await sql<{ rep_id: string }>`
    select r.rep_id from reps r
    where r.workspace_id = ${tx.workspaceId} ${repIds === null ? sql`` : sql`and r.rep_id = any(${repIds}::uuid[])`}
      and (r.active or ${hasAmounts(days)})
    order by r.rep_id`.execute(tx.db);
  return rows.map((row) => row.rep_id);
}

function toResponse(requestedPeriod: string, outcomes: readonly (readonly [repId: string, outcome: Outcome])[]) {
  const statements = outcomes.flatMap(([, outcome]) => ('statement' in outcome ? outcome.statement : []));
  const skippedReps = outcomes.flatMap(([repId, outcome]) => ('reason' in outcome ? { repId, ...outcome } : []));
  const errorReps = outcomes.flatMap(([repId, outcome]) => ('error' in outcome ? { repId, ...outcome } : []));
  return {
    period: requestedPeriod,
    generated: statements.length,
    skipped: skippedReps.length,
    errors: errorReps.length,
    statements,
    skippedReps,
    errorReps,
  };
}

export const generateStatements = operation({
  id: 'generateStatements',
  summary:
    'Generate new versions for many reps independently. Approved statements, and periods whose days another approved statement covers, are skipped and listed',
  method: 'post',
  path: '/v1/statements/generate',
  access: 'manager',
  body,
  response,
  failures: {},
  example: {
    body: { period: '2026-02' },
    response: {
      period: '2026-02',
      generated: 1,
      skipped: 1,
      errors: 0,
      statements: [{ repId: sampleIds.repId, version: 1, statementId: sampleIds.statementId, netPayout: 10650 }],
      skippedReps: [{ repId: sampleIds.managerId, reason: 'statement_locked' }],
      errorReps: [],
    },
  },
  uses: { unitOfWork: UnitOfWork, laneRunner: LaneRunner, clock: CLOCK },
  async execute({ body: { period: requestedPeriod, repIds } }, caller, { unitOfWork, laneRunner, clock }) {
    const parts = { unitOfWork, laneRunner, clock };
    const { reps, known, deals } = await unitOfWork.read(caller, async (tx) => {
      const requested = [...new Set(repIds ?? (await listRepsOfPeriod(tx, caller, requestedPeriod)))];
      return {
        reps: requested,
        known: await knownReps(tx, requested),
        deals: await dealsByRep(tx, requestedPeriod),
      };
    });
    const batches = chunkBySize([...known], (repId) => deals.get(repId) ?? 0, maxBatch);
    const outcomes: Outcomes = new Map();
    await mapConcurrently(batches, concurrency, (batch) =>
      generateBatch(batch, requestedPeriod, caller, outcomes, parts),
    );
    return toResponse(
      requestedPeriod,
      reps.map((repId) => [repId, outcomes.get(repId) ?? { error: repNotFound().code }]),
    );
  },
});
