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
import {
  carryForward,
  type Difference,
  findDifference,
  payTrueUp,
  toDeltas,
  trueUpResponse,
} from '../../pay-difference.js';
import { lockRep } from '../../rep-lane.js';
import { type Discrepancy, discrepancy, discrepancyExample, resolutions } from '../discrepancy.js';
import { findDiscrepancy } from '../discrepancy-views.js';
import { closeDiscrepancies } from '../record-discrepancies.js';
import { findVisibleDiscrepancy } from '../visible-discrepancy.js';

const params = z.strictObject({ discrepancyId: pathIds.discrepancyId });
const body = z.strictObject({
  action: z
    .enum(resolutions)
    .describe(
      'true_up: pay what the period owes, in every currency, in the approved period; carry_forward: pay it in the next open period; dismiss: pay nothing in this currency until the delta changes',
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
      .describe('none: there is no delta; requires_approval: nothing was written, send force'),
    period: fields.period.optional().describe('The period that pays the delta, if it was carried forward'),
  })
  .describe('What was written');
type Result = z.input<typeof result>;

const response = z.object({ discrepancy, result });

function assertUnresolved({ status }: Discrepancy, { action }: Body): void {
  if (status !== 'resolved' && !(status === 'dismissed' && action === 'dismiss')) return;
  throw new Failure('invalid_transition', `The discrepancy is ${status} already.`, { status });
}

/** A person decides about the differences that they have read. */
function assertCurrent({ currency, delta, otherCurrencies }: Discrepancy, { owed: { amounts } }: Difference): void {
  const read = new Map([{ currency, delta }, ...otherCurrencies].map((other) => [other.currency, other.delta]));
  const deltaNow = amounts.find((amount) => amount.currency === currency)?.delta.toNumber() ?? 0;
  if (read.size === amounts.length && amounts.every((amount) => read.get(amount.currency) === amount.delta.toNumber()))
    return;
  throw new Failure(
    'discrepancy_changed',
    `The delta is ${deltaNow} now, or that of another currency has changed. The list is updated within seconds; read the discrepancy again.`,
    { delta: deltaNow },
  );
}

interface Request {
  readonly key: { readonly repId: string; readonly period: string };
  readonly request: Body;
  readonly present: Discrepancy;
  readonly difference: Difference;
  readonly caller: Caller;
  readonly at: Date;
}

async function resolve(tx: Transaction, recalculate: Recalculate, resolving: Request): Promise<Result> {
  const { key, request, present, difference, caller, at } = resolving;
  const resolution = { reason: request.reason, caller, at };
  if (request.action === 'true_up')
    return payTrueUp(tx, recalculate, key, difference, { ...resolution, force: request.force });
  if (request.action === 'carry_forward') {
    if (difference.owed.amounts.length === 0) return { action: 'none', ...toDeltas(difference) };
    const { eventIds, period } = await carryForward(tx, recalculate, key, difference, resolution);
    return { action: 'carried_forward', ...toDeltas(difference, eventIds), period };
  }
  const { currency, delta } = present;
  await closeDiscrepancies(tx, key, { ...resolution, action: 'dismiss', eventIds: new Map() }, currency);
  await recordAuditEntry(tx, caller, {
    trigger: 'discrepancy_dismissed',
    scope: 'statement',
    repId: key.repId,
    period: key.period,
    details: { currency, delta: String(delta) },
    at,
  });
  return { action: 'dismissed', currency, delta };
}

export const resolveDiscrepancy = operation({
  id: 'resolveDiscrepancy',
  summary:
    'Pay the differences of an approved period there or in the next open period, in every currency, or dismiss one until it changes',
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
      result: {
        action: 'carried_forward',
        currency: 'USD',
        delta: 620,
        eventId: sampleIds.statementId,
        period: '2026-02',
      },
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
      const done = await resolve(tx, recalculate, { key, request, present, difference, caller, at });
      return {
        discrepancy: (await findDiscrepancy(tx, discrepancyId)) as Discrepancy,
        result: done,
      };
    });
  },
});
