import { loadPeriodicRuleIds } from '../earnings/periodic-rules.js';
import { asNumber, isAbsent } from '../engine/field-value.js';
import { type LineReason, type UnpaidLine } from '../engine/line-trace.js';
import { type RepInput, type RepResult } from '../engine/model.js';
import { type Rule } from '../engine/plan-config.js';
import { hasTierOfLines } from '../engine/rule-lines.js';
import { type Deal } from '../engine/slug.js';
import { decodeUnpaidLines, type Reason } from '../engine/trace.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { groupBy } from '../kernel/group-by.js';
import { naturalKey } from '../ledger/input/ledger-rows.js';
import { type RepTerms } from '../ledger/input/rep-terms.js';
import { isScore } from '../people/scores/score.js';

/** What facts of a deal lack or contradict: no rule decides it. */
export const factReasons = [
  'split_rules_exceed_100',
  'lines_differ',
  'line_field_missing',
  'refund_without_policy',
  'refund_line_missing',
] as const;
type FactReason = (typeof factReasons)[number];

/**
 * The reasons that are listed, in the order of the list. `period_not_ended` and `no_downstream_commission` are not: time
 * or a payment below resolves them.
 */
export const exceptionReasons = [
  'owner_unresolved',
  'no_close_date',
  'no_assignment',
  'plan_not_active',
  'outside_effective_dates',
  'outside_rule_dates',
  'no_fiscal_period',
  'statement_locked',
  'quota_missing',
  'variable_target_missing',
  'currency_mismatch',
  'fx_rate_missing',
  'value_out_of_range',
  'field_missing',
  'no_lines',
  'lines_differ',
  'line_field_missing',
  'rate_not_found',
  'amount_out_of_range',
  'deal_condition_failed',
  'rule_condition_failed',
  'below_lowest_tier',
  'below_floor_attainment',
  'cap_exhausted',
  'split_rules_exceed_100',
  'refund_without_policy',
  'refund_line_missing',
] as const satisfies readonly (Reason | FactReason)[];
export type ExceptionReason = (typeof exceptionReasons)[number];

function isListed(reason: Reason | null): reason is Extract<Reason, ExceptionReason> {
  return reason !== null && (exceptionReasons as readonly string[]).includes(reason);
}

/** A deal that did not pay a rep, or not by every rule, for one reason. */
export interface Exception {
  readonly reason: ExceptionReason;
  readonly dealId: string;
  readonly name: string | null;
  readonly stage: string | null;
  readonly closeDate: Day | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly repId: string | null;
  readonly rules: readonly {
    readonly planId: string | null;
    readonly ruleId: string | null;
    readonly ruleName: string | null;
  }[];
  readonly missing: readonly string[];
}

/** No plan version applies to the deal. Another plan of the rep may still apply. */
const placementReasons: ReadonlySet<Reason> = new Set(['no_assignment', 'plan_not_active', 'outside_effective_dates']);

/** The plan itself decides that the rule pays nothing: an exception only if no rule pays the rep for the deal. */
const termReasons: ReadonlySet<Reason> = new Set([
  ...placementReasons,
  'outside_rule_dates',
  'deal_condition_failed',
  'rule_condition_failed',
  'below_lowest_tier',
  'below_floor_attainment',
  'cap_exhausted',
]);

/** Decided before the deal passes the conditions of the plan. An open or lost deal is no exception for these reasons. */
const earlyReasons: ReadonlySet<Reason> = new Set([
  ...placementReasons,
  'outside_rule_dates',
  'no_fiscal_period',
  'currency_mismatch',
  'deal_condition_failed',
  'rule_condition_failed',
]);

/** Only the rules that measure a score read it: it lacks the fields of others and fails their conditions. */
const otherRuleReasons: ReadonlySet<Reason | null> = new Set<Reason>([
  'field_missing',
  'deal_condition_failed',
  'rule_condition_failed',
]);

type Outcome = RepResult['outcomes'][number];

/** Why a rule did not pay a deal, or not all of its lines. */
type Failed = Pick<Outcome, 'planId' | 'ruleId' | 'ruleName' | 'missing'> & {
  readonly reason: ExceptionReason | Reason | null;
};

/** The reasons of lines that are exceptions although the other lines pay. */
const lineReasons: Readonly<Partial<Record<LineReason, ExceptionReason>>> = {
  field_missing: 'line_field_missing',
  value_out_of_range: 'line_field_missing',
  rate_not_found: 'rate_not_found',
};

/**
 * The exceptions of one rep among the deals that closed in the days. `expected` are the ids of the rep's deals that are
 * won or have no stage. On deals of the team only the failures of the rep's own terms count: the deal's other exceptions
 * are the owner's.
 */
export function findExceptions(
  terms: RepTerms,
  input: RepInput,
  result: RepResult,
  days: DayRange,
  expected: ReadonlySet<string>,
): Exception[] {
  const own = dealsIn(input.deals, days);
  const team = dealsIn(
    input.teamDeals.map(({ deal }) => deal),
    days,
  );
  const periodic = loadPeriodicRuleIds(terms.versions);
  const approved = {
    rows: new Set(input.fixed.filter(({ kind }) => kind === 'frozen').map(naturalKey)),
    blocked: new Set(result.blocked.map(naturalKey)),
  };
  const unpaidLines = findUnpaidLines(terms, result.decisions, approved.rows);
  const byDeal = new Map<string, Outcome[]>();
  for (const outcome of result.outcomes) {
    if (periodic.has(outcome.ruleId ?? '') && outcome.reason !== 'fx_rate_missing') continue;
    if (isScore(outcome.dealKey) && otherRuleReasons.has(outcome.reason)) continue;
    if (own.has(outcome.dealKey) || team.has(outcome.dealKey))
      getOrInsert(byDeal, outcome.dealKey, () => []).push(outcome);
  }
  return [...byDeal].flatMap(([dealId, outcomes]) => {
    const isOwn = own.has(dealId);
    const deal = { outcomes, isOwn, isExpected: isOwn && expected.has(dealId) };
    const facts = toFacts((own.get(dealId) ?? team.get(dealId)) as Deal);
    const failed = withLines(exceptional(deal, approved), unpaidLines.get(dealId) ?? []);
    const byReason = groupBy(failed, ({ reason }) => reason as ExceptionReason);
    return [...byReason].map(([reason, ofReason]) => ({
      reason,
      ...facts,
      repId: terms.repId,
      rules: ofReason.map(({ planId, ruleId, ruleName }) => ({ planId, ruleId, ruleName })),
      missing: [...new Set(ofReason.flatMap((outcome) => outcome.missing))],
    }));
  });
}

interface DealOutcomes {
  readonly outcomes: readonly Outcome[];
  readonly isOwn: boolean;
  /** The rep's own deal that is won or has no stage. */
  readonly isExpected: boolean;
}

/** Keys of the rows of approved statements, and of the rows that these statements block. */
interface ApprovedKeys {
  readonly rows: ReadonlySet<string>;
  readonly blocked: ReadonlySet<string>;
}

/** What lines of events lack, by deal. Approved rows keep their lines. */
function findUnpaidLines(
  { versions }: RepTerms,
  decisions: RepResult['decisions'],
  approved: ReadonlySet<string>,
): ReadonlyMap<string, readonly Failed[]> {
  const failed = decisions.flatMap((decision) => {
    const lines = approved.has(naturalKey(decision)) ? [] : decodeUnpaidLines(decision.trace);
    if (lines.length === 0) return [];
    const { planId, ruleId, ruleName, dealKey } = decision;
    const rule = versions.flatMap(({ rules }) => rules).find(({ id }) => id === ruleId);
    return [...groupBy(lines, ({ reason }) => lineReasons[reason])].flatMap(([reason, unpaid]) => {
      const missing = reason === 'line_field_missing' ? unpaid.flatMap((line) => fieldOf(rule, line) ?? []) : [];
      return reason === undefined ? [] : [{ dealKey, reason, planId, ruleId, ruleName, missing }];
    });
  });
  return groupBy(failed, ({ dealKey }) => dealKey);
}

/** The field of the number that the line lacks. */
function fieldOf(rule: Rule | undefined, { isCounted, hasTier }: UnpaidLine): string | undefined {
  if (!isCounted) return rule?.payoutBase ?? rule?.measure;
  return rule !== undefined && hasTierOfLines(rule) && !hasTier ? rule.tierValueField : 'line.quantity';
}

/** A rule that fails on the whole deal is not named again for its lines. */
function withLines(failed: readonly Failed[], unpaid: readonly Failed[]): Failed[] {
  const isNamed = (of: Failed) => failed.some(({ reason, ruleId }) => reason === of.reason && ruleId === of.ruleId);
  return [...failed, ...unpaid.filter((of) => !isNamed(of))];
}

/** The outcomes of a deal that are exceptions. */
function exceptional({ outcomes, isOwn, isExpected }: DealOutcomes, approved: ApprovedKeys): Outcome[] {
  const isPaid = outcomes.some((outcome) => outcome.paid);
  const isPlaced = outcomes.some(({ reason }) => reason === null || !placementReasons.has(reason));
  return outcomes.filter((outcome) => {
    const { reason, paid } = outcome;
    if (paid || !isListed(reason)) return false;
    if (termReasons.has(reason) && (isPaid || !isOwn)) return false;
    if (placementReasons.has(reason) && isPlaced) return false;
    if (earlyReasons.has(reason) && !isExpected) return false;
    // An approved row of amount 0 that would be 0 now as well is no exception.
    const key = rowKey(outcome);
    return reason === 'statement_locked' ? approved.blocked.has(key) : !approved.rows.has(key);
  });
}

function rowKey({ planId, ruleName, dealKey }: Outcome): string {
  return naturalKey({ planId: planId ?? '', ruleName: ruleName ?? '', dealKey });
}

function dealsIn(deals: readonly Deal[], days: DayRange): ReadonlyMap<string, Deal> {
  return new Map(deals.filter((deal) => isWithin(deal.closeDate, days)).map((deal) => [deal.dealId, deal]));
}

function toFacts({ dealId, closeDate, standard }: Deal) {
  const toText = (value: (typeof standard)['dealName']) => (isAbsent(value) ? null : String(value));
  return {
    dealId,
    closeDate,
    name: toText(standard.dealName),
    stage: toText(standard.dealStage),
    amount: asNumber(standard.dealAmount)?.toNumber() ?? null,
    currency: toText(standard.currency),
  };
}
