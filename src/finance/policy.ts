import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { text, uuid } from '../platform/operations/schemas.js';
import { type BookCalendar } from './book-calendar.js';
import { type Contract, contractDay } from './contract.js';
import { month } from './month.js';
import { type Proposal, proposalFields } from './proposal.js';
import { renewalTest } from './renewal-test.js';
import { conventions, isWithinMonths, type Length, type SpreadTerms } from './schedule.js';

const contractDayName = text(100).describe(
  'Name of a day of the contract of the deal: start, end, or one of its fields, such as go_live',
);

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
  scope: z
    .enum(['new', 'all'])
    .default('new')
    .describe(
      'new: decides about rows that are earned from the first month on; all: what is left of earlier rows of the policy is spread by it too',
    ),
  treatment: z.enum(['capitalise', 'expense']).describe('capitalise: the cost is an asset, which is amortised'),
  period: z
    .union([
      z.strictObject({ months: z.int().min(1).max(240).describe('Number of months') }).describe('Months'),
      z.strictObject({ until: contractDayName }).describe('Until a day of the contract'),
      z
        .strictObject({ contract: z.literal(true).describe('Always true') })
        .describe('The months of the contract, or until its end'),
    ])
    .describe('How long the cost is amortised'),
  start: contractDayName
    .default('earned')
    .describe(
      'The day with which the amortisation begins: earned, or the name of a day of the contract. Where the contract has no such day, the day on which the row is earned',
    ),
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
  allocate: z
    .enum(['by_credit'])
    .optional()
    .describe(
      'by_credit: a row of a period, such as a bonus of a quarter, is divided over the deals of the person in it by their positive credit, one cost for each deal. Absent: such rows are expense',
    ),
  expedientMonths: z
    .int()
    .min(0)
    .max(12)
    .default(12)
    .describe('A cost whose months are at most so many is expense at once; 0 for none'),
  renewals: z
    .strictObject({
      decision: z
        .enum(['commensurate', 'not_commensurate'])
        .describe('commensurate: renewals pay for themselves, so that the cost belongs to the contract'),
      reason: text(1000).describe('Why, for the auditor'),
    })
    .optional()
    .describe(
      'What the company has decided about renewals. The version stores it with the test of renewals at that instant',
    ),
  payrollTax: z
    .boolean()
    .default(false)
    .describe("true: the employer's payroll tax on the cost is a part of it, in the percentage of its day"),
};
const proposedTerms = z.object(policyTerms);
export type ProposedTerms = z.output<typeof proposedTerms>;

/** The terms as they are stored. */
export interface PolicyTerms extends Omit<ProposedTerms, 'renewals'> {
  readonly renewals?: z.output<typeof storedRenewals>;
}

const storedRenewals = policyTerms.renewals
  .unwrap()
  .extend({
    test: renewalTest.nullable().describe('The test of renewals of the policy then; null without a lot of it'),
  })
  .describe('What the company has decided about renewals, with the test that it has seen');

export const policyVersion = z
  .object({
    name: z.string().describe('Name of the policy'),
    version: fields.version,
    status: proposalFields.status,
    ...policyTerms,
    renewals: storedRenewals.optional(),
    warnings: z
      .array(z.enum(['benefit_shorter_than_renewals']))
      .describe(
        'benefit_shorter_than_renewals: renewals are not commensurate, and the cost is spread over the contract alone',
      ),
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

/** How the cost of a row is treated; `unassigned` where policies decide, and none about it, or its period is not known. */
export type Treatment = Capitalised | 'expense' | 'unassigned';

export interface Capitalised {
  readonly policy: StoredPolicy;
  readonly terms: SpreadTerms;
}

type PolicyRow = Pick<PayableRow, 'dealKey' | 'planId' | 'ruleName' | 'phase' | 'day'>;

/** The version that decides about the row: the latest one of the first policy that matches. Null: no policy is in force. */
export function findPolicy(
  approved: readonly StoredPolicy[],
  row: PolicyRow,
  { range }: Pick<BookCalendar, 'range'>,
): StoredPolicy | null | undefined {
  const inForce = approved.filter(({ from }) => range(from).from <= row.day);
  if (row.dealKey === null || inForce.length === 0) return null;
  const byName = new Map<string, StoredPolicy>();
  for (const policy of inForce) {
    const known = byName.get(policy.name);
    if (known === undefined || isLater(policy, known)) byName.set(policy.name, policy);
  }
  const ordered = [...byName.values()].sort((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1));
  return ordered.find((policy) => matches(policy, row));
}

export function findTreatment(
  approved: readonly StoredPolicy[],
  row: PolicyRow,
  contract: Contract | null,
  calendar: BookCalendar,
): Treatment {
  const policy = findPolicy(approved, row, calendar);
  if (policy === undefined) return 'unassigned';
  if (policy === null || policy.treatment === 'expense') return 'expense';
  const terms = spreadTermsOf(policy, contract);
  if (terms === null) return 'unassigned';
  return isWithinMonths(terms, row.day, policy.expedientMonths) ? 'expense' : { policy, terms };
}

/** How the policy spreads a cost of the deal; null if the contract does not say how long. */
export function spreadTermsOf(
  { period, start, convention }: PolicyTerms,
  contract: Contract | null,
): SpreadTerms | null {
  const length = lengthOf(period, contract);
  if (length === null) return null;
  return { length, convention, start: start === 'earned' ? null : contractDay(contract, start) };
}

function lengthOf(period: PolicyTerms['period'], contract: Contract | null): Length | null {
  if ('months' in period) return period;
  if ('contract' in period && contract !== null && contract.months !== null) return { months: contract.months };
  const until = contractDay(contract, 'until' in period ? period.until : 'end');
  return until === null ? null : { until };
}

/** The versions that decide later how a lot of the policy is spread, the earliest month first. */
export function listSpreading(approved: readonly StoredPolicy[], policy: StoredPolicy): StoredPolicy[] {
  return approved
    .filter(({ name, scope, treatment }) => name === policy.name && scope === 'all' && treatment === 'capitalise')
    .filter((version) => isLater(version, policy))
    .sort((a, b) => (isLater(a, b) ? 1 : -1));
}

function isLater(a: StoredPolicy, b: StoredPolicy): boolean {
  return a.from === b.from ? a.version > b.version : a.from > b.from;
}

function matches({ match }: PolicyTerms, { planId, ruleName, phase }: PolicyRow): boolean {
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
  scope: 'new',
  period: { months: 36 },
  start: 'earned',
  convention: 'full_month',
  correction: 'catch_up',
  expedientMonths: 12,
  payrollTax: false,
  warnings: [],
  proposedBy: 'rep:0198a1b2-0000-7000-8000-000000000002',
  approvedBy: 'rep:0198a1b2-0000-7000-8000-000000000003',
} as const;

export function toPolicyResponse({ proposedById: _, ...policy }: StoredPolicy): z.input<typeof policyVersion> {
  const isOfContract = !('months' in policy.period);
  const isShorter = policy.renewals?.decision === 'not_commensurate' && isOfContract;
  return { ...policy, match: { ...policy.match }, warnings: isShorter ? ['benefit_shorter_than_renewals'] : [] };
}
