import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { dealId } from '../deals/deal.js';
import { type Day } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { day, money, text } from '../platform/operations/schemas.js';

const optionalDay = day.nullable().default(null);

/** What is stated of the contract of a deal. No plan reads it. */
export const contractTerms = z.strictObject({
  start: optionalDay.describe('First day of the contract, YYYY-MM-DD'),
  end: optionalDay.describe('Last day of the contract, YYYY-MM-DD'),
  months: z.int().min(1).max(600).nullable().default(null).describe('Months of the contract, if its end is not stated'),
  terminatedOn: optionalDay.describe('Day on which what is left of the contract ends, YYYY-MM-DD; null for never'),
  renewalOf: dealId.nullable().default(null).describe('Id of the deal whose contract it renews; null for new business'),
  value: money
    .refine((amount) => amount > 0, 'must be more than 0')
    .nullable()
    .default(null)
    .describe('Value of the contract in the currency of the company'),
  fields: z
    .record(text(100), day)
    .default({})
    .refine((days) => Object.keys(days).length <= 50, 'must have at most 50 days')
    .describe('Other days by name, such as go_live, which policies can name'),
});
type ContractTerms = z.output<typeof contractTerms>;

export interface Contract extends ContractTerms {
  readonly dealId: string;
}

export const contract = z
  .object({ dealId: fields.dealId, ...contractTerms.shape, updatedAt: fields.updatedAt })
  .describe('What is stated of the contract of a deal');

export const contractParams = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });

export const contractExample = {
  dealId: sampleIds.dealId,
  start: '2026-01-01',
  end: '2028-12-31',
  months: null,
  terminatedOn: null,
  renewalOf: null,
  value: 60_000,
  fields: { go_live: '2026-03-01' },
  updatedAt: '2026-01-02T08:00:00.000Z',
} as const;

/** The day of the contract with the name; null if it is not stated. */
export function contractDay(known: Contract | null, name: string): Day | null {
  if (known === null) return null;
  if (name === 'start' || name === 'end') return known[name];
  return known.fields[name] ?? null;
}

/** The end or the months of a contract are stated, and its days are in their order. */
export function assertContract({ dealId: id, start, end, months, terminatedOn, renewalOf }: Contract): void {
  if (end !== null && months !== null) throw invalidTerms('State the end of the contract, or its months, not both.');
  if (start !== null && end !== null && end < start) throw invalidTerms('The contract ends before it starts.');
  if (start !== null && terminatedOn !== null && terminatedOn < start)
    throw invalidTerms('The contract is terminated before it starts.');
  if (renewalOf === id) throw invalidTerms('A contract does not renew itself.');
}

function invalidTerms(message: string): Failure {
  return new Failure('invalid_terms', message);
}

export function contractNotFound(): Failure {
  return new Failure('contract_not_found', 'Nothing is stated of the contract of this deal.');
}
