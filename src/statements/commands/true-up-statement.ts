import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { dayInZone } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { newId } from '../../kernel/ids.js';
import { periodRange } from '../../kernel/period.js';
import { loadWorkspaceTerms } from '../../ledger/rep-terms.js';
import { UnitOfWork, type Work } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type Input, operation } from '../../platform/operation.js';
import { pathId, period } from '../../platform/schemas.js';
import { CLOCK } from '../../platform/tokens.js';
import { insertAdjustment } from '../adjustment-store.js';
import { generateVersion } from '../generate-version.js';
import { approvedTotals, differences, liveTotals } from '../live-totals.js';
import { lockRep } from '../lock-rep.js';
import { refuseOwnStatement } from '../own-statement.js';
import { recordStatementAct } from '../record-statement-act.js';
import { type StatementKey, statementNotApproved } from '../statement.js';
import { replaceApproved } from '../statement-store.js';
import { findHead, findVersion, type StoredStatement } from '../statement-views.js';

const params = z.strictObject({ repId: pathId });
const body = z.strictObject({ period, force: z.boolean().default(false) });

const response = z.object({
  action: z.enum(['none', 'requires_approval', 'trued_up']),
  delta: z.number(),
  approvalThreshold: z.number().optional(),
  eventId: z.string().optional(),
  version: z.int().optional(),
  otherCurrencies: z.array(z.object({ currency: z.string(), delta: z.number() })).optional(),
});
type Answer = z.input<typeof response>;

/** In the statement's currency; what goes beyond is not written without force. */
const approvalThreshold = 500;

@injectable()
export class TrueUpStatement {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The difference is taken and written under the rep's lane, so that a second one at the same time finds none. */
  async execute(
    { params: { repId }, body: wanted }: Input<{ repId: string }, unknown, z.infer<typeof body>>,
    caller: Caller,
  ): Promise<Answer> {
    const key = { workspaceId: caller.workspaceId, repId, period: wanted.period };
    return this.unitOfWork.run(caller, 'calculation', async (trx) => {
      await lockRep(trx, caller.workspaceId, repId);
      await refuseOwnStatement(trx, caller, repId);
      const head = await findHead(trx, key);
      const approved = head?.status === 'approved' ? await findVersion(trx, key, head.version) : null;
      if (approved === null) throw statementNotApproved();
      const { timeZone } = await loadWorkspaceTerms(trx, caller.workspaceId);
      const live = await liveTotals(trx, key, dayInZone(this.clock.now(), timeZone));
      const owed = differences(live, approvedTotals(approved));
      const delta = owed.get(approved.currency) ?? Decimal.zero;
      const others = [...owed].filter(([currency]) => currency !== approved.currency);
      const answer = {
        delta: delta.toNumber(),
        ...(others.length === 0
          ? {}
          : { otherCurrencies: others.map(([currency, amount]) => ({ currency, delta: amount.toNumber() })) }),
      };
      if (delta.isZero()) return { action: 'none', ...answer };
      if (!wanted.force && Decimal.of(approvalThreshold).isLessThan(delta.absolute()))
        return { action: 'requires_approval', ...answer, approvalThreshold };
      return { action: 'trued_up', ...answer, ...(await trueUp(trx, key, approved, delta, caller, this.clock.now())) };
    });
  }
}

/** One event for the difference, and a version that includes it in the place of the approved one. */
async function trueUp(
  trx: Work,
  key: StatementKey,
  approved: StoredStatement,
  delta: Decimal,
  caller: Caller,
  at: Date,
): Promise<{ eventId: string; version: number }> {
  const { workspaceId, repId, period: of } = key;
  const runId = newId();
  const entry = { workspaceId, repId, runId, actor: caller.actor };
  const eventId = await insertAdjustment(trx, entry, {
    kind: 'true_up',
    amount: delta.toString(),
    currency: approved.currency,
    period: of,
    earnedOn: periodRange(of).to,
    dealId: null,
    reason: `True-up of version ${approved.version}`,
  });
  await failpoint('trueup.afterInsert');
  const generation = { status: 'approved', at, actor: caller.actor } as const;
  const next = await generateVersion(trx, key, approved.currency, generation);
  await replaceApproved(trx, key, next);
  await recordStatementAct(trx, caller, {
    runId,
    trigger: 'true_up',
    repId,
    period: of,
    eventsWritten: 1,
    details: { eventId, delta: delta.toString(), before: approved.summary, after: next.summary, version: next.version },
    at,
  });
  return { eventId, version: next.version };
}

export const trueUpStatement = operation({
  id: 'trueUpStatement',
  summary:
    "Pay the difference between the approved total and what the period would come to now, in the statement's currency; differences in other currencies are told and not paid",
  method: 'post',
  path: '/v1/statements/:repId/true-up',
  access: 'manager',
  params,
  body,
  response,
  failures: { rep_not_found: 404, statement_not_approved: 409 },
  handler: TrueUpStatement,
});
