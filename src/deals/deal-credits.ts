import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type CreditKind, type CreditLine, creditEffects, creditKinds, withOwner } from '../engine/credit-lines.js';
import { maxPercents } from '../engine/credit-rules.js';
import { creditRole } from '../engine/plan-config.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { email } from '../people/reps/rep.js';
import { text, uuid } from '../platform/operations/schemas.js';

/** The column `credits` of a deal: the lines that count; null if the deal is its owner's. */
export interface StoredCredits {
  readonly lines: readonly CreditLine[];
  /** The credit rules that got less than their percentage. */
  readonly exceeding?: readonly string[];
}

/** The reps on the lines. */
export function repsIn(credits: StoredCredits | null): string[] {
  if (credits === null) return [];
  return [...new Set(credits.lines.flatMap(({ repId }) => repId ?? []))];
}

/** Every line of a deal, its owner's included. */
export function allLines(credits: StoredCredits | null, ownerId: string | null): readonly CreditLine[] {
  return withOwner(credits?.lines ?? [], ownerId);
}

/** A line as it is entered or reported: all of a deal from one source replace those of this source. */
export type EnteredLine = Omit<CreditLine, 'source' | 'rule'>;

export const maxLinesOfDeal = 50;

/** Whether the split lines total 100 %, or there are none. */
export function totalsHundred(
  lines: readonly { readonly kind: CreditKind; readonly percent: string | number }[],
): boolean {
  const splits = lines.filter(({ kind }) => kind === 'split');
  return splits.length === 0 || addPercents(splits).equals(Decimal.of(100));
}

function addPercents(lines: readonly { readonly percent: string | number }[]): Decimal {
  return sum(lines.map(({ percent }) => Decimal.of(percent)));
}

const creditPercent = z
  .number()
  .positive()
  .max(maxPercents.overlay)
  .refine((percent) => Number(percent.toFixed(6)) === percent, 'must have at most 6 decimals');

/** What a line gives a person, in requests. */
export const lineTerms = {
  kind: z
    .enum(creditKinds)
    .default('split')
    .describe('split: a part of the deal; overlay: a credit in addition to the splits'),
  role: creditRole.optional().describe('What the person does on the deal, such as SE; rules may name it'),
  percent: creditPercent.describe(
    'Percentage of the deal, up to 6 decimals: at most 100 for a split, 1,000 for an overlay',
  ),
  affects: z.enum(creditEffects).default('both').describe('What the line counts for: the quota, the payout, or both'),
};

const sentLine = z
  .strictObject({
    repId: uuid.nullable().optional().describe('The person, as a rep (UUID); null for the house, which earns nothing'),
    email: email.optional().describe('The person by e-mail address, in any case, in place of repId'),
    crmMemberId: text(200).optional().describe('The person by the id in the CRM, in place of repId'),
    ...lineTerms,
  })
  .refine(
    ({ repId, email: address, crmMemberId }) =>
      [repId, address, crmMemberId].filter((person) => person !== undefined).length === 1,
    'give one of repId, email and crmMemberId',
  )
  .refine(({ kind, percent }) => percent <= maxPercents[kind], { path: ['percent'], message: 'must be at most 100' })
  .describe('One credit line');
export type SentLine = z.infer<typeof sentLine>;

export const sentLines = z
  .array(sentLine)
  .min(1)
  .max(maxLinesOfDeal)
  .describe('All lines of the deal. Split lines total 100');

export const creditLine = z
  .object({
    repId: fields.repId.nullable(),
    repName: fields.repName.nullable(),
    kind: z.enum(creditKinds).describe('split: a part of the deal; overlay: a credit in addition to the splits'),
    role: z.string().nullable().describe('What the person does on the deal; null if not given'),
    percent: z.number().describe('Percentage of the deal'),
    affects: z.enum(creditEffects).describe('What the line counts for: the quota, the payout, or both'),
    source: z
      .enum(['api', 'crm', 'rule', 'owner'])
      .describe('Who gives the line: a person or the API, the CRM, a credit rule, or the ownership of the deal'),
    rule: z.string().optional().describe('Name of the credit rule'),
  })
  .describe('A credit line that counts; without a rep it is the house, which earns nothing');
export type CreditLineRecord = z.input<typeof creditLine>;

/** Where the split lines of a deal come from. */
export const splitSource = z
  .enum(['api', 'crm', 'rule', 'owner'])
  .describe('Where the split lines come from: the API, the CRM, credit rules, or the ownership of the deal');

export function sourceOfSplits(lines: readonly CreditLine[]): z.input<typeof splitSource> {
  const sources = lines.flatMap(({ kind, source }) => (kind === 'split' ? [source] : []));
  return sources.find((source) => source !== 'owner') ?? 'owner';
}

/** Rejects split lines that do not total 100, and two lines of one person, kind and role. */
export function assertValidLines(lines: readonly EnteredLine[]): void {
  const keys = lines.map(({ repId, kind, role }) => JSON.stringify([repId, kind, role]));
  const repeated = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (repeated >= 0) {
    const { repId, kind, role } = lines[repeated] as EnteredLine;
    throw new Failure(
      'credit_repeated',
      `Line ${repeated + 1} has the person, the kind and the role of an earlier line. Add their percentages, or give another role.`,
      { repId, kind, role },
    );
  }
  if (totalsHundred(lines)) return;
  const total = addPercents(lines.filter(({ kind }) => kind === 'split'));
  throw new Failure(
    'splits_must_total_100',
    `The split lines total ${total} %. They must total 100 %; give what no rep earns to the house, with repId null.`,
    { total: total.toNumber() },
  );
}

export const creditsExample = [
  {
    repId: sampleIds.repId,
    repName: 'Ben',
    kind: 'split' as const,
    role: null,
    percent: 100,
    affects: 'both' as const,
    source: 'api' as const,
  },
];
