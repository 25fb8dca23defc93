import { z } from 'zod';

/** Header and first rows of a file, for the person who matches its columns. */
export const fileSample = z
  .object({
    header: z.array(z.string()).describe('Names of the columns, as the file has them'),
    rows: z.array(z.array(z.string())).describe('The first rows'),
    count: z.int().describe('Number of all rows, without the header'),
  })
  .describe('The beginning of the file');
export type FileSample = z.infer<typeof fileSample>;

/** What an import of the file did, or would do. */
export const fileResult = z
  .object({
    accepted: z.int().describe('Number of rows that created or changed something'),
    unchanged: z.int().describe('Number of rows that equal what is stored, or are older'),
    rejected: z.int().describe('Number of rejected rows'),
    reasons: z
      .array(
        z
          .object({
            row: z.int().describe('Number of the row, from 1, without the header'),
            reason: z.string().describe('What is wrong with the row'),
          })
          .describe('One rejected row'),
      )
      .describe('The first 20 rejected rows'),
    totals: z
      .array(
        z
          .object({
            currency: z.string().describe('ISO 4217 code'),
            amount: z.number().describe('Sum of the amounts in this currency'),
          })
          .describe('The control total of one currency'),
      )
      .describe('Control totals of a file of deals; empty for others'),
    unknownOwners: z.array(z.string()).describe('Owners that no rep is, at most 20'),
  })
  .describe('What the file did, or would do');
export type FileResult = z.infer<typeof fileResult>;

const maxReasons = 20;

interface Rejection {
  readonly row: number;
  readonly reason?: string | undefined;
  readonly outcome?: string;
}

/** The responses of the imports, as far as the summary needs them. */
interface ImportAnswer {
  readonly accepted: number;
  readonly unchanged: number;
  readonly stale?: number;
  readonly rejected: number | readonly Rejection[];
  readonly results?: readonly Rejection[];
  readonly totals?: readonly { readonly currency: string; readonly amount: number }[];
  readonly unknownOwners?: readonly { readonly owner: string }[];
}

/** People are written as one list; the rows that it lacks were rejected before. */
type WrittenPeople = readonly { readonly outcome: string }[];

/** The summary of what an import answers, or of what its transaction wrote. */
export function summarize(answer: ImportAnswer | WrittenPeople, rows: number): FileResult {
  if (Array.isArray(answer)) return summarizePeople(answer as WrittenPeople, rows);
  const {
    accepted,
    unchanged,
    stale = 0,
    rejected,
    results = [],
    totals = [],
    unknownOwners = [],
  } = answer as ImportAnswer;
  const rejections = typeof rejected === 'number' ? results.filter(({ outcome }) => outcome === 'rejected') : rejected;
  return {
    accepted,
    unchanged: unchanged + stale,
    rejected: rejections.length,
    reasons: rejections.slice(0, maxReasons).map(({ row, reason = '' }) => ({ row, reason })),
    totals: totals.map(({ currency, amount }) => ({ currency, amount })),
    unknownOwners: unknownOwners.slice(0, maxReasons).map(({ owner }) => owner),
  };
}

function summarizePeople(people: WrittenPeople, rows: number): FileResult {
  const unchanged = people.filter(({ outcome }) => outcome === 'unchanged').length;
  return {
    accepted: people.length - unchanged,
    unchanged,
    rejected: rows - people.length,
    reasons: [],
    totals: [],
    unknownOwners: [],
  };
}
