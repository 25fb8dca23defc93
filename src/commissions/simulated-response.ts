import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { trace } from '../earnings/commission-event.js';
import { parseRefundKey } from '../engine/clawback.js';
import { type Decision, type Outcome } from '../engine/model.js';
import { decodeTrace, ratio } from '../engine/trace.js';
import { sum } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { groupBy } from '../kernel/group-by.js';
import { type StoredVersion } from '../ledger/input/rep-terms.js';
import { eventPayable } from '../pay/payables/event-payable.js';
import { conditionTraces } from '../plans/condition-traces.js';
import { planWarnings } from '../plans/plan-warnings.js';
import { proration } from '../plans/quotas/proration.js';
import { maxResponseBytes } from '../platform/operations/operation.js';
import { unsaved } from '../simulation/unsaved-plan.js';
import { type SimulatedRep } from './simulation.js';
import { type SimulationHead } from './simulation-task.js';

const otherCurrencies = z
  .array(
    z
      .object({ currency: fields.currency, total: z.number().describe('Sum in this currency') })
      .describe('The sum of one currency'),
  )
  .optional()
  .describe(
    'Sums in other currencies, where versions of the plan have several; absent otherwise. They are never added',
  );

const refundId = z.string().optional().describe('The refund of the deal that takes the amount back');

const outcome = z
  .object({
    dealId: fields.dealId,
    refundId,
    ruleId: fields.ruleId.nullable(),
    ruleName: fields.ruleName.nullable(),
    paid: z.boolean().describe('Whether the rule would pay an amount other than 0'),
    amount: z.number().describe('Amount that the rule would pay, in `currency`'),
    currency: z
      .string()
      .optional()
      .describe('Currency of the amount, ISO 4217 code; absent if it is that of the response'),
    reason: z.string().nullable().describe('Why nothing would be paid, as a code; null if the rule pays'),
    conditions: conditionTraces,
    missing: z.array(z.string()).describe('Slugs of fields that the rule needs and the deal does not have'),
  })
  .describe('What one rule decided about a deal');

const ruleDeal = z
  .object({
    dealId: fields.dealId,
    refundId,
    amount: z.number().describe('Amount in `currency`'),
    currency: z
      .string()
      .optional()
      .describe('Currency of the amount and the base, ISO 4217 code; absent if it is that of the response'),
    base: z.number().describe('What the rate multiplies, in `currency`'),
    tierName: fields.tierName.nullable(),
    trace,
    payable: eventPayable.optional(),
  })
  .describe('What the rule would pay for one deal');

const releasedInPeriod = z
  .object({
    period: z.string().nullable().describe('The pay period; null for what waits for a day that is not known yet'),
    currency: fields.currency,
    amount: z.number().describe('What its statement releases'),
  })
  .describe('What one pay period releases, in one currency');

const attainment = z
  .array(
    z
      .object({
        measure: fields.measure,
        period: z.string().describe('Attainment period, such as 2026-Q1'),
        target: z.number().nullable().describe('Target that counts; null if no quota is set'),
        proration: proration.optional(),
        credit: fields.credit,
        attainment: fields.attainment,
      })
      .describe('Attainment of one quota'),
  )
  .describe('Attainment of every quota that the rules use');

export const simulatedResponse = z.object({
  planId: fields.planId.optional(),
  planVersionId: fields.planVersionId.optional(),
  period: fields.period,
  currency: fields.currency,
  total: z.number().describe('Sum of all reps, in `currency`'),
  otherCurrencies,
  warnings: planWarnings,
  omitted: z
    .array(z.enum(['reps.rules.deals', 'reps.outcomes']))
    .optional()
    .describe('Present if the response would exceed 8 MiB: the lists that are empty for this reason'),
  reps: z
    .array(
      z
        .object({
          repId: fields.repId,
          total: z.number().describe('Sum of the rep, in `currency`'),
          otherCurrencies,
          attainment,
          byPayPeriod: z
            .array(releasedInPeriod)
            .optional()
            .describe('What pay periods release of it, without balances and draws. Absent without payouts'),
          rules: z
            .array(
              z
                .object({
                  ruleId: fields.ruleId.optional(),
                  name: z.string().describe('Name of the rule'),
                  total: z.number().describe('Sum of the rule, in `currency`'),
                  otherCurrencies,
                  deals: z.array(ruleDeal).describe('What the rule would pay for each deal'),
                })
                .describe('What one rule would pay'),
            )
            .describe('What every rule would pay'),
          outcomes: z.array(outcome).describe('What every rule decided about every deal'),
        })
        .describe('The result of one rep'),
    )
    .describe('The result of every rep'),
});
type SimulationResponse = z.input<typeof simulatedResponse>;
type RepResponse = SimulationResponse['reps'][number];

/** The response as JSON, without deals and outcomes if they would make it too large. */
export function simulationJson(head: SimulationHead, reps: readonly SimulatedRep[]): string {
  const full = responseText(head, reps, true);
  if (full !== null) return full;
  const summary = responseText(head, reps, false);
  if (summary !== null) return summary;
  throw new Failure(
    'plan_too_complex',
    `The response would exceed ${maxResponseBytes} bytes even without deals and outcomes. Simulate fewer reps.`,
    { limit: maxResponseBytes },
  );
}

/** Null if the text exceeds the limit. It is built item by item, so that a huge text is never made. */
function responseText(head: SimulationHead, reps: readonly SimulatedRep[], isFull: boolean): string | null {
  const text = new BoundedText(maxResponseBytes);
  const { period, warnings } = head;
  const first = head.versions[0] as StoredVersion;
  const isStored = head.versions.length === 1 && first.planVersionId !== unsaved;
  const start: Omit<SimulationResponse, 'reps'> = {
    ...(first.planId === unsaved ? {} : { planId: first.planId }),
    ...(isStored ? { planVersionId: first.planVersionId } : {}),
    period,
    currency: first.currency,
    ...sumTotals(
      reps.flatMap((rep) => rep.decisions),
      first.currency,
    ),
    warnings: [...warnings],
    ...(isFull ? {} : { omitted: ['reps.rules.deals', 'reps.outcomes'] }),
  };
  const isComplete =
    text.add(`${JSON.stringify(start).slice(0, -1)},"reps":`) &&
    text.addList(reps, (rep) => addRep(text, head, rep, isFull)) &&
    text.add('}');
  return isComplete ? text.toString() : null;
}

/** The currency of the response: that of the first version. */
function currencyOf({ versions }: SimulationHead): string {
  return (versions[0] as StoredVersion).currency;
}

/** The sum in the currency of the response, and those in others besides. */
function sumTotals(
  decisions: readonly Decision[],
  currency: string,
): { readonly total: number; readonly otherCurrencies?: { currency: string; total: number }[] } {
  const byCurrency = groupBy(decisions, (decision) => decision.currency);
  const totalIn = (code: string) => sum((byCurrency.get(code) ?? []).map(({ amount }) => amount)).toNumber();
  const others = [...byCurrency.keys()].filter((code) => code !== currency).sort();
  return {
    total: totalIn(currency),
    ...(others.length === 0
      ? {}
      : { otherCurrencies: others.map((code) => ({ currency: code, total: totalIn(code) })) }),
  };
}

function addRep(text: BoundedText, head: SimulationHead, rep: SimulatedRep, isFull: boolean): boolean {
  const start: Omit<RepResponse, 'rules' | 'outcomes'> = {
    repId: rep.repId,
    ...sumTotals(rep.decisions, currencyOf(head)),
    attainment: rep.attainment.map((progress) => ({
      ...progress,
      attainment: ratio(progress.credit, progress.target),
    })),
    ...(rep.payable === undefined ? {} : { byPayPeriod: [...rep.payable.byPayPeriod] }),
  };
  const rules = [...groupBy(rep.decisions, (decision) => decision.ruleName)];
  return (
    text.add(`${JSON.stringify(start).slice(0, -1)},"rules":`) &&
    text.addList(rules, ([name, decisions]) => addRule(text, head, name, { ...rep, decisions }, isFull)) &&
    text.add(',"outcomes":') &&
    text.addList(isFull ? rep.outcomes : [], (decided) => text.add(JSON.stringify(toOutcomeResponse(head, decided)))) &&
    text.add('}')
  );
}

function addRule(
  text: BoundedText,
  head: SimulationHead,
  name: string,
  { decisions, payable }: Pick<SimulatedRep, 'decisions' | 'payable'>,
  isFull: boolean,
): boolean {
  const { ruleId } = decisions[0] as Decision;
  const start = { ...(isUnsaved(ruleId) ? {} : { ruleId }), name, ...sumTotals(decisions, currencyOf(head)) };
  const toText = (decision: Decision) => JSON.stringify(toDealResponse(head, decision, payable?.ofDecision(decision)));
  return (
    text.add(`${JSON.stringify(start).slice(0, -1)},"deals":`) &&
    text.addList(isFull ? decisions : [], (decision) => text.add(toText(decision))) &&
    text.add('}')
  );
}

function toDealResponse(
  head: SimulationHead,
  decision: Decision,
  payable: z.input<typeof eventPayable> | undefined,
): z.input<typeof ruleDeal> {
  const { versions, timeZone } = head;
  const amount = decision.amount.toNumber();
  const explained = decodeTrace(decision.trace, {
    conditions: listConditions(decision, versions),
    lineConditions: findRule(decision, versions)?.lines?.conditions,
    day: decision.earnedOn,
    timeZone,
    tierName: decision.tierName,
    amount,
  });
  return {
    ...namesOfKey(decision.dealKey),
    amount,
    ...(decision.currency === currencyOf(head) ? {} : { currency: decision.currency }),
    base: decision.base.toNumber(),
    tierName: decision.tierName,
    trace: explained as z.input<typeof trace>,
    ...(payable === undefined ? {} : { payable }),
  };
}

function toOutcomeResponse(head: SimulationHead, decided: Outcome): z.input<typeof outcome> {
  const version = head.versions.find(({ planVersionId }) => planVersionId === decided.planVersionId);
  const currency = version?.currency ?? currencyOf(head);
  return {
    ...namesOfKey(decided.dealKey),
    ruleId: isUnsaved(decided.ruleId) ? null : decided.ruleId,
    ruleName: decided.ruleName,
    paid: decided.paid,
    amount: decided.amount.toNumber(),
    ...(currency === currencyOf(head) ? {} : { currency }),
    reason: decided.reason,
    conditions: [...decided.conditions],
    missing: [...decided.missing],
  };
}

function namesOfKey(dealKey: string): Pick<z.input<typeof outcome>, 'dealId' | 'refundId'> {
  return parseRefundKey(dealKey) ?? { dealId: dealKey };
}

/** A rule of an unsaved config has no id that another request could use. */
function isUnsaved(ruleId: string | null): boolean {
  return ruleId?.startsWith(unsaved) === true;
}

function listConditions(decision: Decision, versions: readonly StoredVersion[]) {
  const version = versions.find((candidate) => candidate.planVersionId === decision.planVersionId);
  return [...(version?.dealConditions ?? []), ...(findRule(decision, versions)?.conditions ?? [])];
}

function findRule({ planVersionId, ruleId }: Decision, versions: readonly StoredVersion[]) {
  const version = versions.find((candidate) => candidate.planVersionId === planVersionId);
  return version?.rules.find((candidate) => candidate.id === ruleId);
}

/** A text that is built in pieces up to a number of bytes. */
class BoundedText {
  private readonly pieces: string[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Returns false if the piece does not fit. */
  add(piece: string): boolean {
    this.bytes += Buffer.byteLength(piece);
    if (this.bytes > this.maxBytes) return false;
    this.pieces.push(piece);
    return true;
  }

  addList<T>(items: readonly T[], addItem: (item: T) => boolean): boolean {
    if (!this.add('[')) return false;
    for (const [index, item] of items.entries()) if ((index > 0 && !this.add(',')) || !addItem(item)) return false;
    return this.add(']');
  }

  toString(): string {
    return this.pieces.join('');
  }
}
