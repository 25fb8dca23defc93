import { z } from 'zod';
import { sumEarnings } from '../commissions/commission-views.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period, periodRange } from '../kernel/period.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type Summary, summaryFrom, summed } from './snapshot.js';
import { otherCurrencies, statementStatuses, summary, summaryAnswer } from './statement.js';
import { listTeamStatements, type TeamStatementRow } from './statement-views.js';

export const teamStatements = z.object({
  period: z.string(),
  currency: z.string(),
  totals: summary,
  otherCurrencies,
  statements: z.array(
    z.object({
      repId: z.string(),
      name: z.string(),
      email: z.string(),
      status: z.enum(statementStatuses),
      version: z.int(),
      statementId: z.string().nullable(),
      currency: z.string(),
      summary,
      otherCurrencies,
    }),
  ),
});

export interface CurrencySummary {
  readonly currency: string;
  readonly summary: Summary;
}

/** One rep's place in the team's statements: the first summary is the main one. */
export interface TeamMemberStatement
  extends Pick<
    TeamStatementRow,
    'repId' | 'name' | 'email' | 'payrollId' | 'status' | 'statementId' | 'approvedAt' | 'approvedBy'
  > {
  readonly version: number;
  readonly main: CurrencySummary;
  readonly others: readonly CurrencySummary[];
}

/** Everyone who is active, has a statement, or earned something: the latest version, or what has been earned so far. */
export async function readTeamStatements(
  trx: Work,
  workspaceId: string,
  period: Period,
  currency: string,
): Promise<TeamMemberStatement[]> {
  const team = await listTeamStatements(trx, workspaceId, period);
  const earned = groupBy(await sumEarnings(trx, workspaceId, periodRange(period)), (row) => row.repId);
  return team
    .filter((rep) => rep.active || rep.version !== null || earned.has(rep.repId))
    .map(
      ({
        active: _active,
        version,
        currency: storedCurrency,
        summary: storedSummary,
        otherCurrencies: others,
        ...rep
      }) => {
        const live = (earned.get(rep.repId) ?? []).map((row) => ({
          currency: row.currency,
          summary: liveSummary(row),
        }));
        const person = { ...rep, version: version ?? 0 };
        if (storedCurrency === null || storedSummary === null) return { ...person, ...apart(live, currency) };
        return { ...person, main: { currency: storedCurrency, summary: storedSummary }, others: others ?? [] };
      },
    );
}

function liveSummary(row: { commission: string; bonus: string; adjustments: string }): Summary {
  return summaryFrom(Decimal.of(row.commission), Decimal.of(row.bonus), Decimal.of(row.adjustments));
}

/** Sums by currency, the given one first; amounts of two currencies are never added. */
export function apart(
  summaries: readonly CurrencySummary[],
  currency: string,
): { readonly main: CurrencySummary; readonly others: CurrencySummary[] } {
  const byCurrency = groupBy(summaries, (one) => one.currency);
  const sumIn = (one: string) => ({
    currency: one,
    summary: summed((byCurrency.get(one) ?? []).map((each) => each.summary)),
  });
  const others = [...byCurrency.keys()].filter((other) => other !== currency).sort();
  return { main: sumIn(currency), others: others.map(sumIn) };
}

export function teamAnswer(
  period: Period,
  currency: string,
  members: readonly TeamMemberStatement[],
): z.input<typeof teamStatements> {
  const totals = apart(
    members.flatMap((member) => [member.main, ...member.others]),
    currency,
  );
  return {
    period,
    currency,
    totals: summaryAnswer(totals.main.summary),
    otherCurrencies: totals.others.map(told),
    statements: members.map(({ main, others, payrollId: _id, approvedAt: _at, approvedBy: _by, ...person }) => ({
      ...person,
      ...told(main),
      otherCurrencies: others.map(told),
    })),
  };
}

function told({ currency, summary: texts }: CurrencySummary) {
  return { currency, summary: summaryAnswer(texts) };
}
