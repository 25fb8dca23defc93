import { demoCorrection } from '#demo/corrections.js';
import { dayInZone } from '#src/kernel/day.js';
import { previousPeriod, toPeriod } from '#src/kernel/period.js';
import { type Browser } from '#test/support/browser.js';
import { until } from '#test/support/until.js';

/** What the pages of a manager display, made from the demo's data. */
export interface TeamSituation {
  /** The month that ended last. */
  readonly month: string;
  readonly disputeId: string;
  readonly discrepancyId: string;
}

/** Drafts of the last month and a question of the seller. The demo has a deal that changed in an approved quarter. */
export async function createTeamSituation(browser: Browser): Promise<TeamSituation> {
  const today = dayInZone(new Date(), 'UTC');
  const month = previousPeriod(toPeriod(today, 'monthly'));
  await browser.workspace.api.expect(200, 'POST', '/v1/statements/generate', { period: month });
  const rep = await browser.as('rep');
  const { disputeId } = await rep.expect(201, 'POST', '/v1/disputes', {
    period: month,
    type: 'wrong_amount',
    expectedAmount: 1250,
    description: 'The second year of Harbour Media is missing. <script>document.title = "open"</script>',
  });
  await createExceptions(browser, month);
  return { month, disputeId, discrepancyId: await discrepancyOf(browser) };
}

/** Two deals that pay nothing: in a currency without a plan, and without an owner. */
async function createExceptions(browser: Browser, month: string): Promise<void> {
  const { deal } = demoCorrection(`${month}-15`);
  const closed = { ...deal, closeDate: `${month}-15`, createdDate: `${month}-01` };
  for (const [dealId, more] of [
    ['X-1', { name: 'Delta Freight', currency: 'SEK', amount: 98_000 }],
    ['X-2', { name: 'Vale Textiles', ownerId: 'left@demo.example', amount: 12_500 }],
  ] as const)
    await browser.workspace.api.expect(201, 'PUT', `/v1/deals/${dealId}`, { ...closed, ...more });
}

/** The list is updated seconds after the change. */
async function discrepancyOf(browser: Browser): Promise<string> {
  return until(
    async () => {
      const { discrepancies } = await browser.workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
      return discrepancies[0]?.discrepancyId as string | undefined;
    },
    { what: 'a discrepancy' },
  );
}

/** The pages of a manager, by the name of their picture. */
export function teamPages({ month, disputeId, discrepancyId }: TeamSituation): Readonly<Record<string, string>> {
  return {
    team: `/team?period=${month}`,
    'team-empty': '/team?period=2035-01',
    approvals: `/approvals?period=${month}`,
    exceptions: `/exceptions?period=${month}`,
    'quota-progress': `/quota-progress?period=${month}`,
    'team-questions': '/questions',
    'team-question': `/questions/${disputeId}`,
    discrepancies: '/discrepancies',
    discrepancy: `/discrepancies?open=${discrepancyId}`,
  };
}
