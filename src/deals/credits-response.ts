import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { type Day } from '../kernel/day.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { withDryRun } from '../platform/database/dry-run.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { findRepNames, workspaceToday } from '../reps/rep-views.js';
import { computeMovement, loadAffectedWithin, type Movement } from '../simulation/write-effect.js';
import {
  affectedOfAll,
  type BlockedPerson,
  changeCredits,
  findBlockedPeople,
  requestCreditCalculation,
} from './change-credits.js';
import { computePaidTwice, creditsEffect, describeEffect } from './credits-effect.js';
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
type CreditWarning = z.input<typeof creditWarning>;

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

/** The response of a change, and of its dry run. */
export const changedDealCredits = dealCredits.extend({
  blocked: blockedStatements,
  jobId: z.string().optional().describe('The job that calculates everyone affected; absent for a dry run'),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  before: z.array(creditLine).optional().describe('With dryRun=true: the lines before the change'),
  after: z.array(creditLine).optional().describe('With dryRun=true: the lines after the change, as in `credits`'),
  byRep: creditsEffect.byRep.optional(),
  locked: creditsEffect.locked.optional(),
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

/** Changes the lines of one deal. */
export async function runCreditsChange(
  changes: CommissionChanges,
  clock: Clock,
  caller: Caller,
  { dealId, lines }: CreditsChangeRequest,
): Promise<ChangedDealCredits> {
  return changes.run(caller, 'shared', async (tx, recalculate) => {
    const deals = new Map([[dealId, await lines(tx)]]);
    const warnings = await previewPaidTwice(tx, caller, deals, await workspaceToday(tx, clock));
    const changed = await changeCredits(tx, caller, deals);
    const blocked = await findBlockedPeople(tx, affectedOfAll(changed));
    const jobId = await requestCreditCalculation(tx, recalculate, caller, changed);
    const described = await describeCredits(tx, await findCreditedDeal(tx, caller, dealId));
    return {
      ...described,
      warnings: [...described.warnings, ...warnings],
      ...(await describeBlocked(tx, blocked)),
      jobId,
    };
  });
}

/** What {@link runCreditsChange} would do, without writing anything. */
export async function previewCreditsChange(
  changes: CommissionChanges,
  clock: Clock,
  caller: Caller,
  { dealId, lines }: CreditsChangeRequest,
): Promise<ChangedDealCredits> {
  return withDryRun<ChangedDealCredits>(true, (end) =>
    changes.run(caller, 'exclusive', async (tx) => {
      const deals = new Map([[dealId, await lines(tx)]]);
      const before = await describeCredits(tx, await findCreditedDeal(tx, caller, dealId));
      const { result, movement } = await computeMovement(tx, await workspaceToday(tx, clock), async () => {
        const affected = affectedOfAll(await changeCredits(tx, caller, deals));
        const after = await describeCredits(tx, await findCreditedDeal(tx, caller, dealId));
        const blocked = await findBlockedPeople(tx, affected);
        return { result: { after, blocked }, affected: await loadAffectedWithin(tx, affected) };
      });
      const { after, blocked } = result;
      return end({
        ...after,
        warnings: [...after.warnings, ...warnOfPaidTwice(movement)],
        ...(await describeBlocked(tx, blocked)),
        dryRun: true,
        before: before.credits,
        after: after.credits,
        ...(await describeEffect(tx, movement)),
      });
    }),
  );
}

/** Calculates the change only if an approved period keeps rows of it. */
async function previewPaidTwice(
  tx: Transaction,
  caller: Caller,
  deals: ReadonlyMap<string, readonly EnteredLine[]>,
  today: Day,
): Promise<CreditWarning[]> {
  const { movement } = await computeMovement(tx, today, async () => {
    const affected = affectedOfAll(await changeCredits(tx, caller, deals));
    const blocked = await findBlockedPeople(tx, affected);
    return { result: null, affected: blocked.length === 0 ? new Map() : await loadAffectedWithin(tx, affected) };
  });
  return warnOfPaidTwice(movement);
}

function warnOfPaidTwice(movement: Movement | null): CreditWarning[] {
  return movement === null ? [] : computePaidTwice(movement).map(toPaidTwice);
}

function toPaidTwice({ currency, amount }: { readonly currency: string; readonly amount: number }): CreditWarning {
  return {
    code: 'paid_twice',
    message: `${currency} ${amount.toFixed(2)} is paid twice until the discrepancies of the approved statements are resolved.`,
    currency,
    amount,
  };
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
