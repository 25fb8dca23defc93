import { z } from 'zod';
import { fields, pathIds } from '../../../api/resource-fields.js';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { type Caller } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../../ledger/requests/recalculate.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { text } from '../../../platform/operations/schemas.js';
import { assertNotOwnStatement } from '../../approvers.js';
import { carryForward, type Difference, findDifference, payTrueUp, trueUpResponse } from '../../pay-difference.js';
import { lockRep } from '../../rep-lane.js';
import { type Discrepancy, discrepancy, discrepancyExample, resolutions } from '../discrepancy.js';
import { findDiscrepancy } from '../discrepancy-views.js';
import { closeDiscrepancy, isSameDelta, listDeltas } from '../record-discrepancies.js';
import { findVisibleDiscrepancy } from '../visible-discrepancy.js';

const params = z.strictObject({ discrepancyId: pathIds.discrepancyId });
const body = z.strictObject({
  action: z
    .enum(resolutions)
    .describe(
      'true_up: pay the delta in the approved period; carry_forward: pay it in the next open period; dismiss: pay nothing until the delta changes',
    ),
  reason: text(1000).describe('Why, for the people who read the list'),
  force: z.boolean().default(false).describe('With true_up, true: pay also a delta above the approval threshold'),
});
type Body = z.infer<typeof body>;

const result = z
  .object({
    ...trueUpResponse.omit({ action: true }).shape,
    action: z
      .enum(['none', 'requires_approval', 'trued_up', 'carried_forward', 'dismissed'])
      .describe(
        'none: there is no delta in the currency of the statement; requires_approval: nothing was written, send force',
      ),
    period: fields.period.optional().describe('The period that pays the delta, if it was carried forward'),
  })
  .describe('What was written');
type Result = z.input<typeof result>;

const response = z.object({ discrepancy, result });

function assertUnresolved({ status }: Discrepancy, { action }: Body): void {
  if (status !== 'resolved' && !(status === 'dismissed' && action === 'dismiss')) return;
  throw new Failure('invalid_transition', `The discrepancy is ${status} already.`, { status });
}

/** A person decides about the difference that they have read. */
function assertCurrent({ delta, otherCurrencies }: Discrepancy, { owed }: Difference): void {
  if (isSameDelta(listDeltas(delta, otherCurrencies), owed)) return;
  throw new Failure(
    'discrepancy_changed',
    `The delta is ${owed.delta} now. The list is updated within seconds; read the discrepancy again.`,
    { delta: owed.delta.toNumber() },
  );
}

interface Request {
  readonly key: { readonly repId: string; readonly period: string };
  readonly request: Body;
  readonly difference: Difference;
  readonly caller: Caller;
  readonly at: Date;
}

async function resolve(tx: Transaction, recalculate: Recalculate, resolving: Request): Promise<Result> {
  const { key, request, difference, caller, at } = resolving;
  const { owed } = difference;
  const delta = owed.delta.toNumber();
  const resolution = { reason: request.reason, caller, at };
  if (request.action === 'true_up')
    return payTrueUp(tx, recalculate, key, difference, { ...resolution, force: request.force });
  if (request.action === 'carry_forward') {
    if (owed.delta.isZero()) return { action: 'none', delta };
    const { eventId, period } = await carryForward(tx, recalculate, key, difference, { caller, at });
    await closeDiscrepancy(tx, key, { ...resolution, action: 'carry_forward', eventId }, owed.otherCurrencies);
    return { action: 'carried_forward', delta, eventId, period };
  }
  await closeDiscrepancy(tx, key, { ...resolution, action: 'dismiss', eventId: null });
  await recordAuditEntry(tx, caller, {
    trigger: 'discrepancy_dismissed',
    scope: 'statement',
    repId: key.repId,
    period: key.period,
    details: { delta: owed.delta.toString() },
    at,
  });
  return { action: 'dismissed', delta };
}

export const resolveDiscrepancy = operation({
  id: 'resolveDiscrepancy',
  summary: 'Pay the difference of an approved period there or in the next open period, or dismiss it until it changes',
  method: 'post',
  path: '/v1/discrepancies/:discrepancyId/resolve',
  access: 'manager',
  params,
  body,
  response,
  failures: {
    discrepancy_not_found: 404,
    invalid_transition: 409,
    discrepancy_changed: 409,
    statement_not_approved: 409,
    statement_locked: 409,
    fx_rate_missing: 409,
  },
  tool: {
    name: 'resolve_discrepancy',
    title: 'Resolve discrepancy',
    hints: effects.changes,
    description: {
      purpose: 'Pay or dismiss what an approved statement owes.',
      useWhen: 'a person has chosen the action.',
      notFor: 'true_up above 500, which a person must pay.',
      changes: 'true_up pays in the approved period, carry_forward in the next open one.',
    },
    arguments: {
      discrepancyId: 'UUID of list_discrepancies',
      action: 'What to do',
      reason: 'Reason',
      force: { always: false },
    },
    summary: ({ result: { action, delta } }) => `${action}: ${delta}.`,
  },
  async subject(tx, { params: { discrepancyId } }) {
    const found = await findDiscrepancy(tx, discrepancyId);
    if (found === null) return { paid: [], state: null };
    const { repId, period, status, delta, currency, otherCurrencies } = found;
    return { paid: [repId], state: { repId, period, status, delta, currency, otherCurrencies } };
  },
  example: {
    params: { discrepancyId: discrepancyExample.discrepancyId },
    body: { action: 'carry_forward', reason: 'January is paid already.' },
    response: {
      discrepancy: {
        ...discrepancyExample,
        status: 'resolved',
        resolution: {
          action: 'carry_forward',
          reason: 'January is paid already.',
          by: { repId: sampleIds.managerId, name: 'Mia Manager' },
          at: '2026-02-12T10:00:00.000Z',
          eventId: sampleIds.statementId,
        },
      },
      result: { action: 'carried_forward', delta: 620, eventId: sampleIds.statementId, period: '2026-02' },
    },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute(
    { params: { discrepancyId }, body: request },
    caller,
    { changes, clock },
  ): Promise<z.input<typeof response>> {
    return changes.run(caller, 'shared', async (tx, recalculate) => {
      const { repId, period } = await findVisibleDiscrepancy(tx, caller, discrepancyId);
      const key = { repId, period };
      await lockRep(tx, repId);
      assertNotOwnStatement(caller, repId);
      const at = clock.now();
      const present = (await findDiscrepancy(tx, discrepancyId)) as Discrepancy;
      assertUnresolved(present, request);
      const difference = await findDifference(tx, key, at);
      assertCurrent(present, difference);
      const done = await resolve(tx, recalculate, { key, request, difference, caller, at });
      return {
        discrepancy: (await findDiscrepancy(tx, discrepancyId)) as Discrepancy,
        result: done,
      };
    });
  },
});
