import { chunk } from '#src/kernel/chunk.js';
import { startBenchService } from './bench-service.js';
import { measureCpuTime } from './cpu-time.js';
import { alternating, count, duration, ratio, type Table } from './measure.js';
import { recalculate } from './recalculation.js';
import { emptyLedger, makeSalesYear, rulesPerDeal, type SalesYear, untilCalculated } from './sales-year.js';
import { type Size } from './size.js';
import { eventsWritten } from './year-effects.js';

const sizes: Readonly<Record<Size, { readonly deals: number; readonly rounds: number }>> = {
  quick: { deals: 2000, rounds: 1 },
  small: { deals: 20_000, rounds: 5 },
  usual: { deals: 100_000, rounds: 5 },
  large: { deals: 200_000, rounds: 5 },
};

/** Every fifth deal is shared. */
const sharedEvery = 5;
const percents = [50, 30, 20] as const;
/** An import has at most 10,000 rows. */
const dealsPerImport = 3000;

/** What deals that several people share cost in a full recalculation, against deals of one owner. */
export async function* splits(size: Size): AsyncGenerator<Table> {
  const { deals, rounds } = sizes[size];
  await using service = await startBenchService();
  const plain = await makeSalesYear(service, deals);
  const shared = await makeSalesYear(service, deals);
  const sharedDeals = await shareDeals(shared);
  const full = (name: string, year: SalesYear, events: number) => ({
    name,
    events,
    effects: eventsWritten(year, events),
    prepare: () => emptyLedger(year),
    run: () => measureCpuTime(service.owner, () => recalculate(year, {})),
  });
  const contenders = [
    full('one owner each', plain, deals * rulesPerDeal),
    full('20 % with three lines', shared, (deals + sharedDeals * (percents.length - 1)) * rulesPerDeal),
  ];
  const measured = await alternating(contenders, rounds);
  const rows = measured.map(({ name, median }, index) => ({ name, median, events: contenders[index]?.events ?? 0 }));
  const [first] = rows;
  const perEvent = first === undefined ? Number.NaN : first.median / first.events;
  yield {
    title: `Full recalculation, ${count(deals)} deals, ${count(plain.repIds.length)} people`,
    columns: ['', 'events', 'CPU time', 'µs an event', 'ratio an event'],
    rows: rows.map(({ name, median, events }) => [
      name,
      count(events),
      duration(median),
      ((median / events) * 1000).toFixed(1),
      ratio(median / events / perEvent),
    ]),
    notes: ['CPU time of the service and of PostgreSQL, median of the runs.'],
  };
}

/** Gives every fifth deal lines of its owner and of two other people, and returns how many these are. */
async function shareDeals({ service, workspace, repIds }: SalesYear): Promise<number> {
  const { rows } = await service.owner.query<{ dealId: string; repId: string }>(
    `select deal_id as "dealId", rep_id as "repId" from deals where workspace_id = $1 order by deal_id collate "C"`,
    [workspace.workspaceId],
  );
  const shared = rows.filter((_, index) => index % sharedEvery === 0);
  const places = new Map(repIds.map((repId, place) => [repId, place]));
  for (const part of chunk(shared, dealsPerImport)) {
    const lines = part.flatMap(({ dealId, repId }) =>
      percents.map((percent, index) => {
        const person = repIds[((places.get(repId) ?? 0) + index) % repIds.length];
        return `${dealId},${person},${percent}`;
      }),
    );
    const csv = ['deal,rep,percent', ...lines].join('\n');
    const { accepted } = await workspace.call<{ accepted: number }>('POST', '/v1/deals/credits/import', csv);
    if (accepted !== lines.length) throw new Error(`the import accepted ${accepted} of ${lines.length} lines`);
  }
  await untilCalculated(service, workspace.workspaceId);
  for (const table of ['deals', 'deal_credits', 'deal_participations'])
    await service.owner.query(`vacuum analyze ${table}`);
  return shared.length;
}
