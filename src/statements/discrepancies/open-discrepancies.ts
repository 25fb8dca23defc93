import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

export const openDiscrepancies = z
  .object({
    count: z.int().describe('Number of open discrepancies of all approved periods, one for each currency'),
    total: z.number().describe("Sum of their deltas in the workspace's currency"),
    otherCurrencies: z
      .array(
        z
          .object({ currency: fields.currency, total: z.number().describe('Sum of the deltas in this currency') })
          .describe('Sum of one currency'),
      )
      .describe('Sums of deltas in other currencies'),
  })
  .describe('What approved periods owe, according to the list of discrepancies');

/** The open discrepancies of the reps; null for everyone. */
export async function sumOpenDiscrepancies(
  tx: Transaction,
  repIds: readonly string[] | null,
  currency: string,
): Promise<z.input<typeof openDiscrepancies>> {
  const { rows } = await sql<{ currency: string; delta: string }>`
    select currency, delta::text as delta from discrepancies
    where workspace_id = ${tx.workspaceId} and status = 'open'
      ${repIds === null ? sql`` : sql`and rep_id = any(${repIds}::uuid[])`}`.execute(tx.db);
  const total = (column: string) =>
    sum(rows.filter((row) => row.currency === column).map((row) => Decimal.of(row.delta))).toNumber();
  const others = [...new Set(rows.map((row) => row.currency))].filter((other) => other !== currency).sort();
  return {
    count: rows.length,
    total: total(currency),
    otherCurrencies: others.map((other) => ({ currency: other, total: total(other) })),
  };
}
