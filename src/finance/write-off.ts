import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { currency, day, money, text, uuid } from '../platform/operations/schemas.js';
import { entityCode } from './entity.js';
import { type Proposal, proposalFields } from './proposal.js';
import { mainEntity } from './settings-views.js';

export const writeOffTerms = {
  repId: uuid.describe('Id of the person who owes (UUID)'),
  entity: entityCode.default(mainEntity).describe('The entity to which it is owed, by code'),
  currency,
  amount: money.positive().describe('Amount that is written off, in `currency`; positive'),
  day: day.describe('Day on which it is written off, YYYY-MM-DD, in a month that is open'),
  reason: text(1000).describe('Why the company no longer expects it'),
};

export const writeOff = z
  .object({
    writeOffId: z.string().describe('Id of the write-off (UUID)'),
    repId: fields.repId,
    repName: fields.repName,
    entity: entityCode,
    currency: fields.currency,
    amount: z.number().describe('Amount that is written off, in `currency`'),
    day: z.string().describe('Day on which it is written off, YYYY-MM-DD'),
    reason: z.string().describe('Why the company no longer expects it'),
    ...proposalFields,
  })
  .describe(
    'What a person owes and the company no longer expects. At most what the person owes is written off, so later earnings take it back. Statements go on recovering it',
  );

export interface WriteOffTerms {
  readonly repId: string;
  readonly entity: string;
  readonly currency: string;
  /** Exact decimal text. */
  readonly amount: string;
  readonly day: string;
  readonly reason: string;
}

export interface StoredWriteOff extends WriteOffTerms, Proposal {
  readonly writeOffId: string;
  readonly repName: string;
}

export const writeOffExample = {
  writeOffId: '0198a1b2-0000-7000-8000-0000000000f1',
  repId: '0198a1b2-0000-7000-8000-000000000001',
  repName: 'Ben Ortiz',
  entity: 'main',
  currency: 'USD',
  amount: 7200,
  day: '2026-05-20',
  reason: 'Left the company; not recoverable',
  status: 'approved',
  proposedBy: 'rep:0198a1b2-0000-7000-8000-000000000002',
  approvedBy: 'rep:0198a1b2-0000-7000-8000-000000000003',
} as const;

export function toWriteOffResponse({ proposedById: _, ...stored }: StoredWriteOff): z.input<typeof writeOff> {
  return { ...stored, amount: Number(stored.amount) };
}
