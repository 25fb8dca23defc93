import { type Browser } from '#test/support/browser.js';

/** The pages of a rep with the data of the demo, by the name of their picture. */
export async function repPages(browser: Browser): Promise<Readonly<Record<string, string>>> {
  const api = await browser.as('rep');
  const repId = browser.repId('rep');
  const statements = await api.expect(200, 'GET', `/v1/statements/${repId}/list`);
  const period = statements[0]?.period ?? '2026-Q3';
  const month = await latestMonth(browser);
  const { lineItems } = await api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${month}&live=true`);
  const { lineItems: ofStatement } = await api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`);
  const split = lineItems.find((line: { ruleName: string }) => line.ruleName === 'New business') ?? lineItems[0];
  const [largest] = [...ofStatement].sort((a, b) => b.amount - a.amount);
  return {
    'my-pay': `/me?period=${month}`,
    'my-pay-trace': `/me?period=${month}&trace=${split.eventId}`,
    'my-pay-empty': '/me?period=2030-01',
    deals: `/me/deals?period=${month}`,
    deal: `/deals/${split.dealId}`,
    'my-plan': '/me/plan',
    'if-i-close': '/me/simulate',
    statements: '/statements',
    statement: `/statements/${repId}?period=${period}`,
    'statement-trace': `/statements/${repId}?period=${period}&trace=${largest.eventId}`,
    questions: '/me/questions',
  };
}

/** The latest month in which the demo's rep has earned something. */
export async function latestMonth(browser: Browser): Promise<string> {
  const periods: string[] = await browser.workspace.api.expect(
    200,
    'GET',
    `/v1/commissions/periods?repId=${browser.repId('rep')}`,
  );
  return periods.find((period) => /^\d{4}-\d{2}$/.test(period)) ?? '2026-10';
}
