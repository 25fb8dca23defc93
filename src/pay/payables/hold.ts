import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { day, text } from '../../platform/operations/schemas.js';

/** The terms of a hold in requests that may change later. */
export const holdChange = {
  to: day.nullable().describe('Last day of the hold, YYYY-MM-DD; null for none'),
  note: text(1000).nullable().describe('Free text, such as why the hold ended; null for none'),
};

export const hold = z
  .object({
    holdId: z.string().describe('Id of the hold (UUID)'),
    repId: fields.repId.nullable(),
    repName: fields.repName.nullable(),
    dealId: fields.dealId.nullable(),
    ruleName: fields.ruleName.nullable(),
    from: z.string().describe('First day of the hold, YYYY-MM-DD'),
    to: z.string().nullable().describe('Last day of the hold, YYYY-MM-DD; null for none'),
    reason: z.string().describe('Why, for the people whose pay is held to read'),
    note: z.string().nullable().describe('Free text; null for none'),
    createdBy: z.string().describe('Who entered the hold, as the audit log names them'),
    createdAt: fields.createdAt,
  })
  .describe('Days on whose statements nothing is paid for a rep, a deal or a rule');
export type Hold = z.input<typeof hold>;

export function holdNotFound(): Failure {
  return new Failure('hold_not_found', 'There is no hold with this id in this workspace.');
}

/** Rejects a person's decisions on their own pay, also where a hold of a deal or a rule contains it. */
export async function assertNotOwnPay(
  tx: Transaction,
  caller: Caller,
  { repId, dealId, ruleName }: Pick<Hold, 'repId' | 'dealId' | 'ruleName'>,
): Promise<void> {
  const people = peopleBehind(caller).filter((person) => repId === null || repId === person);
  if (people.length === 0) return;
  const { rows } = await sql<{ isOwn: boolean }>`
    select exists (select from commission_events e
      where e.workspace_id = ${tx.workspaceId} and e.rep_id = any(${people}::uuid[]) and e.status = 'earned'
        and (${dealId}::text is null or e.deal_key = ${dealId})
        and (${ruleName}::text is null or e.rule_name = ${ruleName})) as "isOwn"`.execute(tx.db);
  if (repId === null && rows[0]?.isOwn !== true) return;
  throw new Failure('forbidden', 'You cannot hold or release your own pay. Another admin must do it.');
}

export const holdExample = {
  holdId: sampleIds.holdId,
  repId: sampleIds.repId,
  repName: 'Ben',
  dealId: sampleIds.dealId,
  ruleName: null,
  from: '2026-02-20',
  to: null,
  reason: 'The customer disputes the contract.',
  note: null,
  createdBy: 'api-key',
  createdAt: '2026-02-20T08:00:00.000Z',
} as const;
