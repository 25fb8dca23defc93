import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { dayInZone } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { newId } from '../../kernel/ids.js';
import { periodRange } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { type Recalculate } from '../../ledger/recalculate.js';
import { type FrozenPeriod, loadRepTerms, type RepTerms } from '../../ledger/rep-terms.js';
import { storeTruedUpRows } from '../../ledger/trued-up-state.js';
import { type Work } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { type Input, operation } from '../../platform/operation.js';
import { period } from '../../platform/schemas.js';
import { insertAdjustment, insertTrueUpLines } from '../adjustment-store.js';
import { assertNotOwnStatement, listApprovers } from '../approvers.js';
import { calculateOwed, type Owed } from '../owed.js';
import { lockRep } from '../rep-lane.js';
import { type StatementKey, statementNotApproved } from '../statement.js';
import { generateVersion, recordStatementEntry, replaceApproved } from '../statement-store.js';
import { findHead, findVersion, type StoredStatement } from '../statement-views.js';
import { trueUpLine, trueUpLineAnswer } from '../true-up-line.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  period: period.describe('The approved period'),
  force: z.boolean().default(false).describe('true: pay also a delta above the approval threshold'),
});

const response = z.object({
  action: z
    .enum(['none', 'requires_approval', 'trued_up'])
    .describe(
      'none: there is no difference; requires_approval: nothing was written; trued_up: the difference was written',
    ),
  delta: z
    .number()
    .describe("Difference between a new calculation of the period and the approved total, in the statement's currency"),
  lines: z.array(trueUpLine).optional().describe('The lines of the delta, largest first. Absent if the delta is 0'),
  approvalThreshold: z
    .number()
    .optional()
    .describe("Absolute delta above which a true-up needs force, in the statement's currency"),
  approvers: z
    .array(
      z
        .object({
          repId: fields.repId,
          name: z.string().describe('Name of the person'),
          role: z.string().describe('Role of the person'),
        })
        .describe('A person who may approve'),
    )
    .optional()
    .describe('People who may approve a delta above the threshold'),
  how: z.string().optional().describe('How to approve the true-up'),
  eventId: fields.eventId.optional(),
  version: z.int().optional().describe('New version of the statement'),
  otherCurrencies: z
    .array(
      z
        .object({ currency: fields.currency, delta: z.number().describe('Difference in this currency') })
        .describe('Delta of one currency'),
    )
    .optional()
    .describe('Deltas in other currencies'),
});
type Answer = z.input<typeof response>;

/** In the statement's currency. A larger delta needs force. */
const approvalThreshold = 500;

@injectable()
export class TrueUpStatement {
  constructor(
    @inject(CommissionChanges) private readonly changes: CommissionChanges,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The difference is read and written while holding the rep's lane, so a concurrent true-up finds no difference. */
  async execute(
    { params: { repId }, body: request }: Input<{ repId: string }, unknown, z.infer<typeof body>>,
    caller: Caller,
  ): Promise<Answer> {
    const key = { workspaceId: caller.workspaceId, repId, period: request.period };
    return this.changes.run(caller, 'shared', async (trx, recalculate) => {
      await lockRep(trx, caller.workspaceId, repId);
      assertNotOwnStatement(caller, repId);
      const at = this.clock.now();
      const approved = await findApproved(trx, key, at);
      const { delta, lines, otherCurrencies } = approved.owed;
      const answer = {
        delta: delta.toNumber(),
        ...(otherCurrencies.length === 0
          ? {}
          : { otherCurrencies: otherCurrencies.map((other) => ({ ...other, delta: other.delta.toNumber() })) }),
      };
      if (delta.isZero()) return { action: 'none', ...answer };
      const withLines = { ...answer, lines: lines.map(trueUpLineAnswer) };
      if (!request.force && Decimal.of(approvalThreshold).isLessThan(delta.absolute()))
        return { action: 'requires_approval', ...withLines, approvalThreshold, ...(await approval(trx, key)) };
      return { action: 'trued_up', ...withLines, ...(await trueUp(trx, recalculate, key, approved, caller, at)) };
    });
  }
}

/** An approved statement with the difference that it owes. */
interface Approved {
  readonly terms: RepTerms;
  readonly frozen: FrozenPeriod;
  readonly statement: StoredStatement;
  readonly owed: Owed;
}

async function findApproved(trx: Work, key: StatementKey, at: Date): Promise<Approved> {
  const terms = await loadRepTerms(trx, key.workspaceId, key.repId);
  const frozen = terms.frozen.find(({ period: of }) => of === key.period);
  const head = frozen === undefined ? null : await findHead(trx, key);
  const latest = head === null ? null : await findVersion(trx, key, head.version);
  if (frozen === undefined || latest === null) throw statementNotApproved();
  const asOf = dayInZone(at, terms.workspace.timeZone);
  return { terms, frozen, statement: latest, owed: await calculateOwed(trx, terms, frozen, latest, asOf) };
}

async function approval(trx: Work, { workspaceId, repId }: StatementKey): Promise<Pick<Answer, 'approvers' | 'how'>> {
  return {
    approvers: await listApprovers(trx, workspaceId, repId),
    how: 'Check the lines. Then send the same request with force: true, as one of the approvers or with an API key of the workspace.',
  };
}

/** Writes one event for the difference, and a version that includes it, which replaces the approved version. */
async function trueUp(
  trx: Work,
  recalculate: Recalculate,
  key: StatementKey,
  { terms, frozen, statement: approved, owed }: Approved,
  caller: Caller,
  at: Date,
): Promise<{ eventId: string; version: number }> {
  const { workspaceId, repId, period: of } = key;
  const runId = newId();
  const entry = { workspaceId, repId, runId, actor: caller.actor };
  const eventId = await insertAdjustment(trx, entry, {
    kind: 'true_up',
    amount: owed.delta.toString(),
    currency: approved.currency,
    period: of,
    earnedOn: periodRange(of).to,
    dealId: null,
    reason: `True-up of version ${approved.version}`,
  });
  await insertTrueUpLines(trx, entry, { eventId, period: of, lines: owed.lines });
  await failpoint('trueup.afterInsert');
  await storeTruedUpRows(trx, recalculate, terms, frozen, owed.rows);
  const generation = { status: 'approved', at, actor: caller.actor } as const;
  const next = await generateVersion(trx, key, approved.currency, generation);
  await replaceApproved(trx, key, next);
  await recordStatementEntry(trx, caller, {
    runId,
    trigger: 'true_up',
    repId,
    period: of,
    eventsWritten: 1,
    details: {
      eventId,
      delta: owed.delta.toString(),
      before: approved.summary,
      after: next.summary,
      version: next.version,
      lines: owed.lines.slice(0, maxAuditedLines),
    },
    at,
  });
  return { eventId, version: next.version };
}

const maxAuditedLines = 100;

export const trueUpStatement = operation({
  id: 'trueUpStatement',
  summary:
    "Pay the difference between the approved total and a new calculation of the period for the rep and everyone below, listed by deal and rule, in the statement's currency. Differences in other currencies are reported and not paid",
  method: 'post',
  path: '/v1/statements/:repId/true-up',
  access: 'manager',
  params,
  body,
  response,
  failures: { rep_not_found: 404, statement_not_approved: 409 },
  example: {
    params: { repId: sampleIds.repId },
    body: { period: '2026-02' },
    answer: { action: 'requires_approval', delta: 620, approvalThreshold: 500 },
  },
  handler: TrueUpStatement,
});
