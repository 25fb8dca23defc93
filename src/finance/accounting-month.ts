import { z } from 'zod';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BookMonths } from './book-months.js';
import { type Closing } from './closing.js';
import { listClosings } from './closing-views.js';
import { listMonths, type Month } from './month.js';
import { findPreparations, type Preparation } from './preparation.js';

export const accountingMonth = z
  .object({
    month: z.string().describe('The month, YYYY-MM'),
    status: z.enum(['open', 'prepared', 'closed']).describe('prepared: waits for the person who closes it'),
    version: z.int().nullable().describe('Version of the closing: 2 after it was reopened once; null while it is open'),
    hash: z
      .string()
      .nullable()
      .describe(
        'SHA-256 of the lines, and of the closing before: of the closing, or as prepared; null while it is open',
      ),
    preparedBy: z.string().nullable().describe('Who prepared it, as the audit log names them; null for nobody'),
    preparedAt: z.string().nullable().describe('When it was prepared, instant in ISO 8601; null unless it is prepared'),
    closedBy: z.string().nullable().describe('Who closed it, as the audit log names them; null while it is open'),
    closedAt: z.string().nullable().describe('When it was closed, instant in ISO 8601; null while it is open'),
    reopening: z
      .object({
        by: z.string().describe('Who requests to reopen it, as the audit log names them'),
        reason: z.string().describe('Why, as they entered it'),
      })
      .nullable()
      .describe('The request to reopen it, which waits for another person; null for none'),
    posted: z
      .object({
        reference: z.string().describe('Reference in the books of the company'),
        by: z.string().describe('Who recorded it, as the audit log names them'),
        at: z.string().describe('When, instant in ISO 8601'),
      })
      .nullable()
      .describe('That its journals were posted; null if that was not recorded'),
    earlier: z
      .array(
        z
          .object({
            version: z.int().describe('Version of the closing'),
            hash: z.string().describe('Its hash'),
            reason: z.string().nullable().describe('Why it was reopened'),
            reopenedBy: z.string().nullable().describe('Who reopened it, as the audit log names them'),
          })
          .describe('A closing that was reopened'),
      )
      .describe('Closings of the month that were reopened, the latest first'),
  })
  .describe('A month of the books');
export type AccountingMonth = z.input<typeof accountingMonth>;

export async function loadAccountingMonths(tx: Transaction, { from, current }: BookMonths): Promise<AccountingMonth[]> {
  const closings = await listClosings(tx);
  const preparations = await findPreparations(tx);
  return listMonths(from, current).map((month) =>
    describeMonth(
      month,
      closings.filter((closing) => closing.month === month),
      preparations.find((preparation) => preparation.month === month),
    ),
  );
}

function describeMonth(month: Month, closings: readonly Closing[], prepared: Preparation | undefined): AccountingMonth {
  const closed = closings.find(({ reopenedAt }) => reopenedAt === null);
  return {
    month,
    ...(closed === undefined ? describeOpen(prepared) : describeClosed(closed)),
    earlier: closings
      .filter(({ reopenedAt }) => reopenedAt !== null)
      .map(({ version, hash, reopenReason: reason, reopenedBy }) => ({ version, hash, reason, reopenedBy })),
  };
}

type State = Omit<AccountingMonth, 'month' | 'earlier'>;

function describeOpen(prepared: Preparation | undefined): State {
  return {
    status: prepared === undefined ? 'open' : 'prepared',
    version: null,
    hash: prepared?.hash ?? null,
    preparedBy: prepared?.actor ?? null,
    preparedAt: prepared?.preparedAt.toISOString() ?? null,
    closedBy: null,
    closedAt: null,
    reopening: null,
    posted: null,
  };
}

function describeClosed({ version, hash, preparedBy, closedBy, closedAt, ...closing }: Closing): State {
  const { reopenRequestedBy, reopenReason, postedBy, postedAt, postedReference } = closing;
  return {
    status: 'closed',
    version,
    hash,
    preparedBy,
    preparedAt: null,
    closedBy,
    closedAt: closedAt.toISOString(),
    reopening: reopenRequestedBy === null ? null : { by: reopenRequestedBy, reason: reopenReason ?? '' },
    posted:
      postedBy === null || postedAt === null
        ? null
        : { reference: postedReference ?? '', by: postedBy, at: postedAt.toISOString() },
  };
}

export const monthExample = {
  month: '2026-02',
  status: 'closed',
  version: 1,
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  preparedBy: 'rep:0198a1b2-0000-7000-8000-000000000002',
  preparedAt: null,
  closedBy: 'rep:0198a1b2-0000-7000-8000-000000000003',
  closedAt: '2026-03-05T09:00:00.000Z',
  reopening: null,
  posted: null,
  earlier: [],
} as const;
