import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { findRepNames } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BlockedPerson, changeCredits } from './change-credits.js';
import { type BeginChange, previewFactChange, runFactChange } from './change-deal-facts.js';
import { creditsEffect } from './credits-effect.js';
import { type CreditedDeal, findCreditedDeal, toLineRecords } from './deal-credit-views.js';
import { allLines, creditLine, type EnteredLine, sourceOfSplits, splitSource } from './deal-credits.js';

const creditWarning = z
  .object({
    code: z
      .enum(['paid_twice', 'split_rules_exceed_100'])
      .describe(
        'paid_twice: approved statements keep what others are paid now, until the discrepancies are resolved; split_rules_exceed_100: credit rules got less than their percentage',
      ),
    message: z.string().describe('The warning in words'),
    currency: fields.currency.optional(),
    amount: z.number().optional().describe('Amount that is paid twice, in `currency`'),
  })
  .describe('A warning');

/** The lines of a deal in responses. */
export const dealCredits = z.object({
  dealId: fields.dealId,
  dealName: fields.dealName.nullable(),
  closeDate: fields.closeDate.nullable(),
  ownerRepId: z.string().nullable().describe('The rep who owns the deal (UUID); null for none'),
  source: splitSource,
  credits: z.array(creditLine).describe('Every line that counts; the owner has what the split lines leave'),
  warnings: z.array(creditWarning).describe('What to look at'),
});
type DealCredits = z.input<typeof dealCredits>;

/** The approved statements that a change leaves as they are. */
export const blockedStatements = z
  .object({
    statementLocked: z.literal(true).describe('Always true: approved statements blocked changes'),
    periods: z.array(z.string()).describe('The approved periods'),
    people: z
      .array(
        z
          .object({ repId: fields.repId, repName: fields.repName, period: fields.period })
          .describe('A person whose approved statement keeps its rows'),
      )
      .describe('The people whose approved statements keep their rows'),
  })
  .optional()
  .describe('Present if approved statements keep their rows. They get a discrepancy');

/** What the response of a change of facts of a deal says beside the facts. */
export const factOutcome = {
  blocked: blockedStatements,
  jobId: z.string().optional().describe('The job that calculates everyone affected; absent for a dry run'),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  byRep: creditsEffect.byRep.optional(),
  locked: creditsEffect.locked.optional(),
};

/** The response of a change, and of its dry run. */
export const changedDealCredits = dealCredits.extend({
  ...factOutcome,
  before: z.array(creditLine).optional().describe('With dryRun=true: the lines before the change'),
  after: z.array(creditLine).optional().describe('With dryRun=true: the lines after the change, as in `credits`'),
});
type ChangedDealCredits = z.input<typeof changedDealCredits>;

export async function describeCredits(tx: Transaction, deal: CreditedDeal): Promise<DealCredits> {
  const { dealId, dealName, closeDate, ownerId, credits } = deal;
  const lines = allLines(credits, ownerId);
  return {
    dealId,
    dealName,
    closeDate,
    ownerRepId: ownerId,
    source: sourceOfSplits(lines),
    credits: await toLineRecords(tx, lines),
    warnings: (credits?.exceeding ?? []).map((rule) => ({
      code: 'split_rules_exceed_100' as const,
      message: `The credit rule “${rule}” got less than its percentage, because the owner had no more.`,
    })),
  };
}

interface CreditsChangeRequest {
  readonly dealId: string;
  /** The lines of the request, once the people on them are known. */
  readonly lines: (tx: Transaction) => Promise<readonly EnteredLine[]>;
}

function beginCreditsChange(caller: Caller, { dealId, lines }: CreditsChangeRequest): BeginChange<DealCredits> {
  return async (tx) => {
    const deals = new Map([[dealId, await lines(tx)]]);
    return {
      trigger: 'credits',
      write: () => changeCredits(tx, caller, deals),
      describe: async () => describeCredits(tx, await findCreditedDeal(tx, caller, dealId)),
    };
  };
}

/** Changes the lines of one deal. */
export async function runCreditsChange(
  changes: CommissionChanges,
  clock: Clock,
  caller: Caller,
  request: CreditsChangeRequest,
): Promise<ChangedDealCredits> {
  const begin = beginCreditsChange(caller, request);
  return runFactChange({ changes, clock }, caller, begin, async (tx, { content, paidTwice, blocked, jobId }) => ({
    ...content,
    warnings: [...content.warnings, ...paidTwice],
    ...(await describeBlocked(tx, blocked)),
    jobId,
  }));
}

/** What {@link runCreditsChange} would do, without writing anything. */
export async function previewCreditsChange(
  changes: CommissionChanges,
  clock: Clock,
  caller: Caller,
  request: CreditsChangeRequest,
): Promise<ChangedDealCredits> {
  const begin = beginCreditsChange(caller, request);
  return previewFactChange({ changes, clock }, caller, begin, async (tx, { before, after, ...previewed }) => ({
    ...after,
    warnings: [...after.warnings, ...previewed.paidTwice],
    ...(await describeBlocked(tx, previewed.blocked)),
    dryRun: true,
    before: before.credits,
    after: after.credits,
    ...previewed.effect,
  }));
}

export async function describeBlocked(
  tx: Transaction,
  people: readonly BlockedPerson[],
): Promise<Pick<ChangedDealCredits, 'blocked'>> {
  if (people.length === 0) return {};
  const names = await findRepNames(
    tx,
    people.map(({ repId }) => repId),
  );
  return {
    blocked: {
      statementLocked: true,
      periods: [...new Set(people.map(({ period }) => period))].sort(),
      people: people.map((person) => ({ ...person, repName: names.get(person.repId) ?? '' })),
    },
  };
}
