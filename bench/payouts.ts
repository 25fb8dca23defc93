import { startBenchService } from './bench-service.js';
import { measureCpuTime } from './cpu-time.js';
import { readValue } from './effects.js';
import { alternating, type Contender, count, duration, ratio, type Table } from './measure.js';
import { makeSalesYear, planConfig, rates, rulesPerDeal, type SalesYear, untilCalculated } from './sales-year.js';
import { type Size } from './size.js';
import { expectRowsOfYear } from './year-effects.js';

const sizes: Readonly<Record<Size, { readonly deals: number; readonly reps: number; readonly rounds: number }>> = {
  quick: { deals: 400, reps: 20, rounds: 1 },
  small: { deals: 3400, reps: 200, rounds: 5 },
  usual: { deals: 34_000, reps: 2000, rounds: 5 },
  large: { deals: 34_000, reps: 2000, rounds: 9 },
};

const period = '2026-Q1';

/** What it adds to the generation of statements that commission is paid as the customer pays, in three parts. */
export async function* payouts(size: Size): AsyncGenerator<Table> {
  const { deals, reps, rounds } = sizes[size];
  await using service = await startBenchService();
  const earning = await makeQuarter(await makeSalesYear(service, deals, reps));
  const paying = await makeQuarter(await makeSalesYear(service, deals, reps));
  await payInParts(paying);
  await service.owner.query('vacuum analyze');
  const measured = await alternating(
    [generating('what is earned', earning, reps), generating('paid in three parts', paying, reps)],
    rounds,
  );
  const [without] = measured;
  yield {
    title: `Statements of ${count(reps)} people with ${count(deals * rulesPerDeal)} events`,
    columns: ['', 'CPU time', 'ratio'],
    rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / (without?.median ?? median))]),
    notes: [
      'CPU time of the service and of PostgreSQL, median of the runs. Two of the three payments are in the period.',
    ],
  };
}

/** Every deal is closed within one quarter, by rules that pay as the customer pays. */
async function makeQuarter(year: SalesYear): Promise<SalesYear> {
  const { service, workspace, planId } = year;
  const { rules, ...config } = planConfig(rates);
  const payout = { schedule: [{ on: 'paid', percent: 100 }] };
  const asPaid = rules.map((rule) => ({ ...rule, payout }));
  await workspace.call('PATCH', `/v1/plans/${planId}`, { config: { ...config, rules: asPaid } });
  await service.owner.query(
    "update deals set close_date = date '2026-01-01' + (substr(deal_id, 2)::int % 90) where workspace_id = $1",
    [workspace.workspaceId],
  );
  await workspace.call('POST', '/v1/commissions/recalculate', { async: true });
  await untilCalculated(service, workspace.workspaceId);
  return year;
}

/** An invoice for every deal, of which the customer pays three parts. */
async function payInParts({ service, workspace }: SalesYear): Promise<void> {
  const { workspaceId } = workspace;
  await workspace.call('PATCH', '/v1/workspaces', {
    payouts: { enabled: true, from: '2026-01-01', period: 'quarterly' },
  });
  await service.owner.query(
    `insert into invoices (workspace_id, deal_id, invoice_id, amount, issued_on, status)
     select workspace_id, deal_id, 'INV-1', amount, close_date, 'open' from deals where workspace_id = $1`,
    [workspaceId],
  );
  await service.owner.query(
    `insert into customer_payments (workspace_id, deal_id, invoice_id, payment_id, amount, paid_on)
     select workspace_id, deal_id, 'INV-1', 'P' || part, trunc(amount / 3, 2), date '2026-02-20' + 30 * part
     from deals cross join generate_series(0, 2) part where workspace_id = $1`,
    [workspaceId],
  );
}

/** Everyone has a new version, in the paying workspace with a line for each event. */
function generating(name: string, year: SalesYear, reps: number): Contender {
  const { service, workspace } = year;
  return {
    name,
    effects: [expectRowsOfYear(year, 'statements', reps)],
    run: async () => {
      const time = await measureCpuTime(service.owner, () =>
        workspace.call('POST', '/v1/statements/generate', { period }),
      );
      const payable = await readValue<number>(
        service.owner,
        'select count(*)::int as value from statements where workspace_id = $1 and payable is not null',
        [workspace.workspaceId],
      );
      if (payable > 0 !== (name === 'paid in three parts')) throw new Error(`${payable} statements of ${name} pay`);
      return time;
    },
  };
}
