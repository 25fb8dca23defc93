import { startBenchService } from './bench-service.js';
import { measureCpuTime } from './cpu-time.js';
import { alternating, count, duration, ratio, type Table } from './measure.js';
import { recalculate } from './recalculation.js';
import {
  emptyLedger,
  makeSalesYear,
  planConfig,
  rates,
  rulesPerDeal,
  type SalesYear,
  untilCalculated,
} from './sales-year.js';
import { type Size } from './size.js';
import { eventsWritten } from './year-effects.js';

const sizes: Readonly<Record<Size, { readonly deals: number; readonly rounds: number }>> = {
  quick: { deals: 1000, rounds: 1 },
  small: { deals: 10_000, rounds: 5 },
  usual: { deals: 100_000, rounds: 5 },
  large: { deals: 100_000, rounds: 9 },
};

const linesPerDeal = 5;
/** Products × regions: the rows of the table. */
const products = 1000;
const regions = 5;

/** What lines of deals and a rate table cost in a full recalculation, against the same deals as a whole. */
export async function* lines(size: Size): AsyncGenerator<Table> {
  const { deals, rounds } = sizes[size];
  await using service = await startBenchService();
  const whole = await makeSalesYear(service, deals);
  const one = await makeSalesYear(service, deals);
  const all = await makeSalesYear(service, deals);
  await addLines(one, ['Commission']);
  await addLines(all, ['Commission', 'Accelerator', 'Flat']);
  const full = (name: string, year: SalesYear) => ({
    name,
    effects: eventsWritten(year, deals * rulesPerDeal),
    prepare: () => emptyLedger(year),
    run: () => measureCpuTime(service.owner, () => recalculate(year, {})),
  });
  const contenders = [
    full('deals as a whole', whole),
    full('one of three rules pays lines', one),
    full('every rule pays lines', all),
  ];
  const measured = await alternating(contenders, rounds);
  const [first] = measured;
  yield {
    title: `Full recalculation, ${count(deals)} deals with ${linesPerDeal} lines, a table of ${count(products * regions)} rows`,
    columns: ['', 'CPU time', 'ratio'],
    rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / (first?.median ?? median))]),
    notes: ['CPU time of the service and of PostgreSQL, median of the runs.'],
  };
}

/** Gives every deal lines, and lets the named rules pay them by a table. */
async function addLines({ service, workspace, planId }: SalesYear, rules: readonly string[]): Promise<void> {
  await service.owner.query(
    `insert into deal_lines (workspace_id, deal_id, source, position, content)
     select workspace_id, deal_id, 'api', n, jsonb_build_object('lineId', n::text, 'name', 'Product ' || n,
       'productCode', 'P' || (abs(hashtext(deal_id)) + n * 131) % $3, 'amount', round(amount / $2, 2)::text,
       'fields', jsonb_build_object('region', 'R' || n % $4))
     from deals cross join generate_series(1, $2::int) n where workspace_id = $1`,
    [workspace.workspaceId, linesPerDeal, products, regions],
  );
  await service.owner.query('vacuum analyze deal_lines');
  const rows = Array.from({ length: products * regions }, (_, index) => ({
    keys: { product: `P${Math.floor(index / regions)}`, region: `R${index % regions}` },
    // Written with three decimals, as people write rates.
    values: { low: (50 + (index % 50)) / 1000, high: (100 + (index % 50)) / 1000 },
  }));
  await workspace.call('PUT', '/v1/rate-tables/Products', {
    keys: [
      { name: 'product', field: 'line.product_code', match: 'exact' },
      { name: 'region', field: 'line.region', match: 'exact' },
    ],
    columns: [{ name: 'low' }, { name: 'high' }],
    rows,
  });
  const config = planConfig(rates);
  await workspace.call('PATCH', `/v1/plans/${planId}`, {
    config: {
      ...config,
      rules: config.rules.map((rule) => (rules.includes(rule.name) ? { ...rule, ...byLines(rule.tiers) } : rule)),
    },
  });
  await untilCalculated(service, workspace.workspaceId);
}

function byLines(tiers: ReturnType<typeof planConfig>['rules'][number]['tiers']) {
  return {
    measure: 'line.amount',
    lines: {},
    tiers: tiers.map(({ rate: _, ...tier }) => ({
      ...tier,
      table: 'Products',
      column: tier.tierIndex === 0 ? 'low' : 'high',
    })),
  };
}
