import { sql } from 'kysely';
import { loadPayrollLayout } from '../../exports/load-payroll-file.js';
import { csvFile, fileHash } from '../../exports/payroll-csv.js';
import { type Layout } from '../../exports/payroll-layouts.js';
import { batchColumns, toTeamExport } from '../../exports/team-export.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { loadRange } from '../../ledger/input/calendar.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { summaryFrom } from '../../statements/snapshot.js';
import { readTeamStatements, type TeamMemberStatement } from '../../statements/team-statements.js';
import { listPaid } from '../payables/pay-currency.js';
import { batchedLines } from '../payables/statement-payouts.js';
import { unpaidReps } from '../payables/unpaid.js';

/** What a batch pays a person in one currency. */
export interface BatchLine {
  readonly member: TeamMemberStatement;
  readonly currency: string;
  readonly commission: Decimal;
  readonly bonus: Decimal;
  readonly adjustment: Decimal;
  readonly amount: Decimal;
}

/** What approved statements of the period pay, less what batches that are not cancelled contain of it. */
export async function collectLines(tx: Transaction, period: Period): Promise<BatchLine[]> {
  const { currency } = await loadWorkspaceTerms(tx);
  const repIds = await unpaidReps(tx, period);
  const members = await readTeamStatements(tx, period, currency, { repIds, everyone: false });
  const batched = await loadBatched(tx, period, repIds);
  return members
    .filter(({ status }) => status === 'approved')
    .flatMap((member) => listPaid(member.payTotals ?? [], member.pay).map((paid) => ({ member, paid })))
    .map(({ member, paid: { currency: paidIn, payable, commission, bonus } }): BatchLine => {
      const before = batched.get(`${member.repId}|${paidIn}`) ?? nothing;
      return {
        member,
        currency: paidIn,
        commission: commission.minus(before.commission),
        bonus: bonus.minus(before.bonus),
        adjustment: payable.minus(commission).minus(bonus).minus(before.adjustment),
        amount: payable.minus(before.amount),
      };
    })
    .filter(({ amount }) => amount.sign() > 0);
}

const nothing = { commission: Decimal.zero, bonus: Decimal.zero, adjustment: Decimal.zero, amount: Decimal.zero };

async function loadBatched(
  tx: Transaction,
  period: Period,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, typeof nothing>> {
  const { rows } = await sql<Record<'key' | keyof typeof nothing, string>>`
    select concat(l.rep_id, '|', l.currency) as key, sum(l.commission)::text as commission, sum(l.bonus)::text as bonus,
      sum(l.adjustment)::text as adjustment, sum(l.amount)::text as amount
    from ${batchedLines}
    where l.workspace_id = ${tx.workspaceId} and l.period = ${period} and l.rep_id = any(${repIds}::uuid[])
    group by l.rep_id, l.currency`.execute(tx.db);
  return new Map(
    rows.map(({ key, commission, bonus, adjustment, amount }) => [
      key,
      {
        commission: Decimal.of(commission),
        bonus: Decimal.of(bonus),
        adjustment: Decimal.of(adjustment),
        amount: Decimal.of(amount),
      },
    ]),
  );
}

export function sumLines(lines: readonly BatchLine[]): { readonly currency: string; readonly payable: string }[] {
  return [...groupBy(lines, ({ currency }) => currency)]
    .map(([currency, inIt]) => ({ currency, payable: sum(inIt.map(({ amount }) => amount)).toString() }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

export interface BatchFile {
  readonly filename: string;
  readonly content: Buffer;
  readonly sha256: string;
  readonly rowCount: number;
}

/** The payroll file of the lines. */
export async function writeBatchFile(
  tx: Transaction,
  { period, layout, part }: { readonly period: Period; readonly layout: Layout; readonly part: number },
  lines: readonly BatchLine[],
): Promise<BatchFile> {
  const { currency } = await loadWorkspaceTerms(tx);
  const team = await toTeamExport(
    {
      period,
      days: await loadRange(tx, period),
      currency,
      members: [...new Set(lines.map(({ member }) => member))],
      rows: lines.map(({ member, commission, bonus, adjustment, ...line }) => ({
        member,
        amounts: { currency: line.currency, summary: summaryFrom(commission, bonus, adjustment) },
      })),
      part,
    },
    batchColumns,
  );
  const file = await loadPayrollLayout(tx, layout, team);
  const content = Buffer.from(await csvFile(file.columns, file.lines, ','));
  const filename = file.filename.replace(/^statements-/, 'payout-');
  return { filename, content, sha256: fileHash(content), rowCount: file.lines.length };
}
