import { type z } from 'zod';
import { asNumber } from '../engine/field-value.js';
import { type Decision, type RepResult } from '../engine/model.js';
import { type Deal } from '../engine/slug.js';
import { decodeInputs } from '../engine/trace.js';
import { type DayRange, isWithin } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period } from '../kernel/period.js';
import { toCalendar } from '../kernel/period-calendar.js';
import { naturalKey } from '../ledger/input/ledger-rows.js';
import { describeGroup, type eventPayable } from '../pay/payables/event-payable.js';
import { groupInputs, listRuleTerms, type PaidDeal, type PayFacts } from '../pay/payables/pay-facts.js';
import { buildGroups, type LoadedGroup } from '../pay/payables/pay-groups.js';
import { PayPeriods } from '../pay/payables/pay-periods.js';
import { type PayableRow, toComputedRow } from '../pay/payables/payable-rows.js';
import { sumReleases } from '../pay/payables/releases-by-period.js';
import { type SimulatedRepData } from '../simulation/simulated-reps.js';
import { type SimulationHead } from './simulation-task.js';

/** When the simulated commission of a rep is paid. */
export interface SimulatedPayable {
  /** What pay periods release, in order; the period is null for what none of them releases. */
  readonly byPayPeriod: readonly {
    readonly period: Period | null;
    readonly currency: string;
    readonly amount: number;
  }[];
  ofDecision(decision: Decision): z.input<typeof eventPayable> | undefined;
}

/** The payables of each rep for what is earned in the range; undefined while payouts are off. */
export function simulatePayables(
  head: SimulationHead,
  reps: readonly SimulatedRepData[],
  results: ReadonlyMap<string, RepResult>,
  range: DayRange,
): (repId: string) => SimulatedPayable | undefined {
  const { payouts } = head;
  const [first] = reps;
  if (payouts === null || first === undefined) return () => undefined;
  const payPeriods = new PayPeriods(payouts.segments, toCalendar(head.fiscalYears));
  const rows = [...results].flatMap(([repId, { decisions }]) =>
    decisions.map((decision) => toDecidedRow(repId, decision)),
  );
  const facts = assumeFacts(head, { ...payouts.facts, workspace: first.terms.workspace }, reps, rows);
  const groups = buildGroups(rows, facts, payPeriods.firstDay);
  return (repId) => {
    const ofRep = (groups.get(repId) ?? []).flatMap((group) => earnedIn(group, range) ?? []);
    const byKey = new Map(ofRep.map((group) => [group.key, group]));
    return {
      byPayPeriod: sumReleases({ groups: ofRep }, payPeriods, head.asOf).map((sum) => ({
        ...sum,
        amount: sum.amount.toNumber(),
      })),
      ofDecision(decision) {
        const group = byKey.get(`${naturalKey(decision)}|${decision.currency}`);
        return group === undefined ? undefined : describeGroup(group, head.asOf);
      },
    };
  };
}

/** The row of a decision that is not stored. */
export function toDecidedRow(repId: string, { amount, trace, ...decision }: Decision): PayableRow {
  const { planId, planVersionId, ruleId, ruleName, phase, category, currency, earnedOn, dealKey } = decision;
  const inputs = phase === 'cascade' ? decodeInputs(trace) : null;
  const ids = { repId, planId, planVersionId, ruleId, ruleName, dealKey };
  return toComputedRow({ ...ids, phase, category, amount: amount.toString(), currency, earnedOn, inputs });
}

/** The stored facts with the simulated deals, rules, invoices and rows in place of the stored ones. */
function assumeFacts(
  { payouts, versions }: SimulationHead,
  stored: PayFacts,
  reps: readonly SimulatedRepData[],
  rows: readonly PayableRow[],
): PayFacts {
  const { inputs = [], invoices = [] } = payouts ?? {};
  const deals = reps.flatMap((rep) => [...rep.deals, ...rep.teamDeals.map(({ deal }) => deal)]);
  return {
    ...stored,
    rules: new Map([...stored.rules, ...versions.flatMap(listRuleTerms)]),
    deals: new Map([...stored.deals, ...deals.map((deal) => [deal.dealId, toPaidDeal(deal)] as const)]),
    invoices: new Map([...stored.invoices, ...groupBy(invoices, ({ dealId }) => dealId)]),
    refunds: new Map([...stored.refunds, ...deals.map(({ dealId, refunds = [] }) => [dealId, refunds] as const)]),
    inputs: groupInputs([...inputs, ...rows]),
  };
}

function toPaidDeal(deal: Deal): PaidDeal {
  const { dealAmount, currency } = deal.standard;
  return {
    ...deal,
    amount: asNumber(dealAmount)?.toString() ?? null,
    currency: typeof currency === 'string' ? currency : null,
  };
}

/** The group with the rows of the range; null without any. */
function earnedIn(group: LoadedGroup, range: DayRange): LoadedGroup | null {
  const rows = group.rows.filter(({ day }) => isWithin(day, range));
  return rows.length === 0 ? null : { ...group, rows };
}
