import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { type Caller, peopleBehind } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { requireAccounting } from './settings-views.js';

/** What one admin proposes has no effect until another one approves it. */
export interface Proposal {
  readonly status: 'proposed' | 'approved' | 'withdrawn';
  readonly proposedBy: string;
  readonly proposedById: string | null;
  readonly approvedBy: string | null;
}

export const proposalFields = {
  status: z
    .enum(['proposed', 'approved', 'withdrawn'])
    .describe('proposed: waits for another admin; approved: has its effect; withdrawn: has none'),
  proposedBy: z.string().describe('Who proposed it, as the audit log names them'),
  approvedBy: z.string().nullable().describe('Who approved it, as the audit log names them; null for nobody'),
};

/** The columns of a proposal as they were decided at `asOf`. */
export function proposalColumns(tx: Transaction): RawBuilder<unknown> {
  const isDecided = sql`decided_at <= ${tx.until}::timestamptz`;
  return sql`proposed_by as "proposedBy", proposed_by_id as "proposedById",
    case when ${isDecided} then status else 'proposed' end as status,
    case when status = 'approved' and ${isDecided} then decided_by end as "approvedBy"`;
}

/** Only people approve, and not what they have proposed themselves, unless the company lets one person do both. */
export async function assertMayApprove(
  tx: Transaction,
  caller: Caller,
  { proposedById }: Pick<Proposal, 'proposedById'>,
): Promise<void> {
  const { secondPerson } = await requireAccounting(tx);
  const isOwn = proposedById !== null && peopleBehind(caller).includes(proposedById);
  if (secondPerson && isOwn) throw new Failure('own_proposal', 'You have proposed it. Another admin approves it.');
  if (caller.repId === null)
    throw new Failure('forbidden', 'Only a person who is signed in approves proposals; keys do not.');
}

export function assertProposed({ status }: Pick<Proposal, 'status'>): void {
  if (status === 'proposed') return;
  throw new Failure('invalid_transition', `It is ${status}. Propose another one.`, { status });
}
