import { dayInZone } from '#src/kernel/day.js';
import { previousPeriod, toPeriod } from '#src/kernel/period.js';
import { type Browser } from '#test/support/browser.js';

export interface TeamRow {
  readonly repId: string;
  readonly name: string;
  readonly status: string;
  readonly version: number;
  readonly summary: { readonly netPayout: number };
}

/** A period of the demo in which most statements are approved. */
export interface PayrollPeriod {
  readonly period: string;
  readonly rows: readonly TeamRow[];
}

/**
 * Approves the statements of the last month, except for one with a dispute, one draft and one that was not generated.
 * One person has no payroll id.
 */
export async function preparePayroll(browser: Browser): Promise<PayrollPeriod> {
  const { api } = browser.workspace;
  const period = previousPeriod(toPeriod(dayInZone(new Date(), 'UTC'), 'monthly'));
  const statements = async (): Promise<TeamRow[]> =>
    (await api.expect(200, 'GET', `/v1/statements?period=${period}`)).statements;
  const earners = (await statements()).filter(({ summary }) => summary.netPayout > 0);
  for (const [index, { repId }] of earners.slice(0, -1).entries())
    await api.expect(200, 'PATCH', `/v1/reps/${repId}`, { payrollId: String(7_757_869_432_010 + 17 * index) });
  const repIds = earners.slice(1).map(({ repId }) => repId);
  await api.expect(200, 'POST', '/v1/statements/generate', { period, repIds });
  const drafts = (await statements()).filter(({ status }) => status === 'draft');
  const rep = await browser.as(drafts[0]?.name ?? '');
  await rep.expect(201, 'POST', '/v1/disputes', { period, type: 'wrong_amount', description: '<b>Too low</b>' });
  await api.expect(200, 'POST', '/v1/statements/approve', {
    period,
    statements: drafts.slice(2).map(({ repId, version }) => ({ repId, version })),
  });
  return { period, rows: await statements() };
}

/** The pages of payroll, by the name of their picture. */
export async function payrollPages(browser: Browser): Promise<Readonly<Record<string, string>>> {
  const { period } = await preparePayroll(browser);
  return {
    payroll: `/payroll?period=${period}&layout=gusto`,
    'payroll-generic': `/payroll?period=${period}&layout=generic`,
    'payroll-adp': `/payroll?period=${period}&layout=adp`,
    'payroll-empty': '/payroll?period=2030-01',
    'payroll-statements': `/payroll-statements?period=${period}`,
    'payroll-people': '/people',
    holds: '/holds',
  };
}
