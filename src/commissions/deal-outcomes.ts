import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type DealRecord } from '../deals/deal.js';
import { loadPeriodicRuleIds } from '../earnings/periodic-rules.js';
import { type Outcome } from '../engine/model.js';
import { type Reason, reasons } from '../engine/trace.js';
import { type Day } from '../kernel/day.js';
import { computeWindow } from '../ledger/input/load-window.js';
import { loadRepInput } from '../ledger/input/rep-input.js';
import { type RepTerms, type WorkspaceTerms } from '../ledger/input/rep-terms.js';
import { calculateInSlices } from '../ledger/lanes/calculate-in-slices.js';
import { conditionTraces } from '../plans/condition-traces.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** What a rule paid on the deal, or why it paid nothing. */
export const dealOutcome = z
  .object({
    repId: fields.repId.nullable(),
    planId: fields.planId.nullable(),
    planVersionId: fields.planVersionId.nullable(),
    ruleId: fields.ruleId.nullable(),
    ruleName: fields.ruleName.nullable(),
    paid: z.boolean().describe('Whether the rule paid an amount other than 0'),
    amount: z.number().describe('Amount of the rule, in the currency of its event'),
    reason: z.enum(reasons).nullable().describe('Why nothing was paid; null if the rule paid'),
    conditions: conditionTraces,
    missing: z.array(z.string()).describe('Slugs of fields that the rule needs and the deal does not have'),
  })
  .describe('What one rule decided about the deal');
export type DealOutcome = z.input<typeof dealOutcome>;

/** A deal, explained for its owner or for a manager above. It is sent to a worker thread, so it contains only data. */
export interface ExplainedDeal {
  readonly repId: string;
  readonly dealId: string;
  readonly closeDate: Day;
  readonly workspace: WorkspaceTerms;
  readonly today: Day;
}

/** What the rules of the rep decide about the deal; see {@link calculateOutcomes}. */
export type ExplainDeal = (tx: Transaction, deal: ExplainedDeal) => Promise<DealOutcome[]>;

/** What the rules of the rep decide about the deal. The rep is its owner or a manager above. Writes nothing. */
export async function loadOutcomes(
  tx: Transaction,
  repId: string | null,
  deal: DealRecord,
  workspace: WorkspaceTerms,
  today: Day,
  explain: ExplainDeal,
): Promise<DealOutcome[]> {
  const { closeDate, deal_id: dealId } = deal;
  if (deal.deleted_at !== null) return [notCalculated(repId, 'deal_deleted')];
  if (repId === null) return [notCalculated(repId, 'owner_unresolved')];
  if (closeDate === null) return [notCalculated(repId, 'no_close_date')];
  return explain(tx, { repId, dealId, closeDate, workspace, today });
}

/** Runs the engine over the calculation window of the deal: every deal in it can decide what this one pays. */
export async function calculateOutcomes(
  tx: Transaction,
  terms: RepTerms,
  { repId, dealId, closeDate, today }: ExplainedDeal,
): Promise<DealOutcome[]> {
  const window = computeWindow(terms, { from: closeDate, to: closeDate });
  const { outcomes } = await calculateInSlices(await loadRepInput(tx, terms, window, today, { explain: { dealId } }));
  const periodic = loadPeriodicRuleIds(terms.versions);
  return outcomes
    .filter((outcome) => outcome.dealKey === dealId && !periodic.has(outcome.ruleId ?? ''))
    .map((outcome) => toOutcomeResponse(repId, outcome));
}

function toOutcomeResponse(
  repId: string,
  { dealKey: _, amount, conditions, missing, ...outcome }: Outcome,
): DealOutcome {
  return { repId, ...outcome, amount: amount.toNumber(), conditions: [...conditions], missing: [...missing] };
}

function notCalculated(repId: string | null, reason: Reason): DealOutcome {
  return {
    repId,
    planId: null,
    planVersionId: null,
    ruleId: null,
    ruleName: null,
    paid: false,
    amount: 0,
    reason,
    conditions: [],
    missing: [],
  };
}
