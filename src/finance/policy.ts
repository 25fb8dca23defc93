import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { text, uuid } from '../platform/operations/schemas.js';
import { conventions } from './lot.js';
import { month } from './month.js';
import { type Proposal, proposalFields } from './proposal.js';

/** What a version of a policy says. */
export const policyTerms = {
  from: month.describe('First month in which rows are earned that it decides about, YYYY-MM; a month that is open'),
  position: z.int().min(1).max(1000).describe('Policies decide in the order of their positions, then of their names'),
  match: z
    .strictObject({
      planIds: z.array(uuid).min(1).max(500).optional().describe('Only rows of these plans (UUID)'),
      ruleNames: z.array(text(200)).min(1).max(500).optional().describe('Only rows of these rules'),
      phases: z
        .array(z.enum(['per_deal', 'cascade']))
        .min(1)
        .max(2)
        .optional()
        .describe('per_deal: rows of sellers; cascade: rows of managers that follow them'),
    })
    .describe('Which rows of deals it decides about; all without conditions'),
  treatment: z.enum(['capitalise', 'expense']).describe('capitalise: the cost is an asset, which is amortised'),
  months: z.int().min(1).max(240).describe('Months over which the cost is amortised'),
  convention: z
    .enum(conventions)
    .default('full_month')
    .describe(
      'full_month: the month in which it is earned is the first; next_month: the month after it; daily: by days',
    ),
  correction: z
    .enum(['catch_up', 'prospective'])
    .default('catch_up')
    .describe(
      'How a later change of a cost counts. catch_up: as if it had always been known, so that the first open month takes the difference of closed months; prospective: closed months keep the cost that they had, also none, and what is left is spread over what is left of the months',
    ),
  expedientMonths: z
    .int()
    .min(0)
    .max(12)
    .default(12)
    .describe('A cost whose months are at most so many is expense at once; 0 for none'),
};
const storedTerms = z.object(policyTerms);
export type PolicyTerms = z.output<typeof storedTerms>;

export const policyVersion = z
  .object({
    name: z.string().describe('Name of the policy'),
    version: fields.version,
    status: proposalFields.status,
    ...policyTerms,
    match: policyTerms.match
      .extend({ planIds: z.array(fields.planId).optional().describe('Only rows of these plans (UUID)') })
      .describe('Which rows of deals it decides about; all without conditions'),
    proposedBy: proposalFields.proposedBy,
    approvedBy: proposalFields.approvedBy,
  })
  .describe('A version of a policy, which never changes');

/** A version with who has proposed it. */
export interface StoredPolicy extends PolicyTerms, Proposal {
  readonly name: string;
  readonly version: number;
}

/** How the cost of a row is treated; `unassigned` where policies decide, and none about it. */
export type Treatment = PolicyTerms | 'expense' | 'unassigned';

/** The version that decides about a row that is earned in the month: the latest one of the first policy that matches. */
export function findTreatment(
  approved: readonly StoredPolicy[],
  row: Pick<PayableRow, 'dealKey' | 'planId' | 'ruleName' | 'phase'>,
  earnedIn: string,
): Treatment {
  const inForce = approved.filter(({ from }) => from <= earnedIn);
  if (row.dealKey === null || inForce.length === 0) return 'expense';
  const byName = new Map<string, StoredPolicy>();
  for (const policy of inForce) {
    const known = byName.get(policy.name);
    if (known === undefined || isLater(policy, known)) byName.set(policy.name, policy);
  }
  const ordered = [...byName.values()].sort((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1));
  const found = ordered.find((policy) => matches(policy, row));
  if (found === undefined) return 'unassigned';
  return found.treatment === 'expense' || found.months <= found.expedientMonths ? 'expense' : found;
}

function isLater(a: StoredPolicy, b: StoredPolicy): boolean {
  return a.from === b.from ? a.version > b.version : a.from > b.from;
}

function matches({ match }: PolicyTerms, { planId, ruleName, phase }: Parameters<typeof findTreatment>[1]): boolean {
  const { planIds, ruleNames, phases } = match;
  return (
    (planIds === undefined || (planId !== null && planIds.includes(planId))) &&
    (ruleNames === undefined || (ruleName !== null && ruleNames.includes(ruleName))) &&
    (phases === undefined || phases.includes(phase === 'cascade' ? 'cascade' : 'per_deal'))
  );
}

export const policyExample = {
  name: 'New business',
  version: 1,
  status: 'approved',
  from: '2026-01',
  position: 1,
  match: {},
  treatment: 'capitalise',
  months: 36,
  convention: 'full_month',
  correction: 'catch_up',
  expedientMonths: 12,
  proposedBy: 'rep:0198a1b2-0000-7000-8000-000000000002',
  approvedBy: 'rep:0198a1b2-0000-7000-8000-000000000003',
} as const;

export function toPolicyResponse({ proposedById: _, ...policy }: StoredPolicy): z.input<typeof policyVersion> {
  return { ...policy, match: { ...policy.match } };
}
