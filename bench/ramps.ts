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
import { listFirstCalculationEffects } from './year-effects.js';

const sizes: Readonly<Record<Size, { readonly deals: number; readonly reps: number; readonly rounds: number }>> = {
  quick: { deals: 1000, reps: 40, rounds: 1 },
  small: { deals: 20_000, reps: 2000, rounds: 5 },
  usual: { deals: 50_000, reps: 2000, rounds: 9 },
  large: { deals: 200_000, reps: 2000, rounds: 9 },
};

/** What quotas that are prorated, with a ramp for everyone, add to a full recalculation. */
export async function* ramps(size: Size): AsyncGenerator<Table> {
  const { deals, reps, rounds } = sizes[size];
  await using service = await startBenchService();
  const plain = await makeSalesYear(service, deals, reps);
  const ramped = await makeSalesYear(service, deals, reps);
  await addRamps(ramped);
  const full = (name: string, year: SalesYear) => ({
    name,
    effects: listFirstCalculationEffects(year),
    prepare: () => emptyLedger(year),
    run: () => measureCpuTime(service.owner, () => recalculate(year, {})),
  });
  const measured = await alternating([full('without ramps', plain), full('with ramps', ramped)], rounds);
  const [without] = measured;
  yield {
    title: `Full recalculation, ${count(deals)} deals, ${count(reps)} people, ${count(deals * rulesPerDeal)} events`,
    columns: ['', 'CPU time', 'ratio'],
    rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / (without?.median ?? median))]),
    notes: ['CPU time of the service and of PostgreSQL, median of the runs.'],
  };
}

/** Gives everyone a ramp of a year, and prorates the quotas. */
async function addRamps({ service, workspace, planId }: SalesYear): Promise<void> {
  const { rules, ...config } = planConfig(rates);
  const prorated = rules.map((rule) => ({ ...rule, quotaProration: 'calendar_days' }));
  await workspace.call('PATCH', `/v1/plans/${planId}`, { config: { ...config, rules: prorated } });
  const steps = [25, 50, 75, 90].map((quotaPercent, index) => ({ months: 3, quotaPercent, ratePercent: 100 + index }));
  const { rampId } = await workspace.call<{ rampId: string }>('POST', '/v1/ramps', { name: 'A year', steps });
  await service.owner.query(`update assignments set ramp_id = $2, ramp_from = '2026-01-01' where workspace_id = $1`, [
    workspace.workspaceId,
    rampId,
  ]);
  await untilCalculated(service, workspace.workspaceId);
}
