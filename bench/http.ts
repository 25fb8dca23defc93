import { listenEmpty, startBenchService } from './bench-service.js';
import { growth, readValue, rowsWritten } from './effects.js';
import { type Load, type LoadContender, loadContender } from './load.js';
import { alternating, count, ratio, type Table } from './measure.js';
import { calculateFirst } from './recalculation.js';
import { makeSalesYear, rulesPerDeal, type SalesYear, untilCalculated } from './sales-year.js';
import { type Size } from './size.js';
import { expectRowsOfYear } from './year-effects.js';

const connections = 10;

interface Parameters {
  readonly seconds: number;
  readonly rounds: number;
  /** The deals of the workspaces with few and with many, and the reps of that with many reps. */
  readonly small: number;
  readonly large: number;
  readonly wide: number;
}

const usual: Parameters = { seconds: 2, rounds: 5, small: 10_000, large: 100_000, wide: 2000 };
const parameters: Readonly<Record<Size, Parameters>> = {
  quick: { seconds: 0.3, rounds: 1, small: 1000, large: 2000, wide: 100 },
  small: { ...usual, rounds: 2, large: 10_000 },
  usual,
  large: usual,
};

/** Requests per second of the most frequent operations, against an empty Express handler. */
export async function* http(size: Size): AsyncGenerator<Table> {
  await using service = await startBenchService();
  await using empty = await listenEmpty();
  const { seconds, rounds, ...deals } = parameters[size];
  const small = await makeSalesYear(service, deals.small);
  const large = await makeSalesYear(service, deals.large);
  const wide = await makeSalesYear(service, deals.small, deals.wide);
  await calculateFirst([small, wide]);
  await service.owner.query('vacuum analyze');
  const repId = small.repIds[0] as string;
  const ofRep = { path: `/v1/commissions?repId=${repId}&period=2026-Q1`, part: repId };
  await small.workspace.call('POST', `/v1/statements/${repId}/generate`, { period: '2026-01' });
  const emptyLoad = { url: empty.url, headers: {}, method: 'GET', path: '/', body: null, connections, seconds };
  const measured = await alternating(
    [
      loadContender(
        'empty Express handler',
        () => emptyLoad,
        ({ responses }) => [growth('handled requests', empty.handled, responses)],
      ),
      puts(small, seconds),
      gets(small, seconds, 'rep dashboard', ofRep),
      whileChanging(small, gets(small, seconds, 'the same, while its data changes', ofRep)),
      gets(wide, seconds, `team overview, ${count(deals.wide)} reps`, {
        path: '/v1/commissions?period=2026-Q1',
        part: wide.repIds.at(-1) as string,
      }),
      gets(large, seconds, `deals, 50 of ${count(deals.large)}`, { path: '/v1/deals?limit=50', part: '"D' }),
      gets(small, seconds, 'statement', {
        path: `/v1/statements?repId=${repId}&period=2026-01`,
        part: '"Commission"',
      }),
      gets(small, seconds, 'periods', { path: '/v1/commissions/periods', part: '2026' }),
    ],
    rounds,
  );
  const floor = measured[0]?.median ?? Number.NaN;
  yield {
    title: `HTTP, one process, ${connections} connections`,
    columns: ['', 'requests a second', 'of the empty handler'],
    rows: measured.map(({ name, median }) => [name, count(median), ratio(median / floor)]),
    notes: [
      'Client, service and PostgreSQL share the cores. Each deal has a new id and is calculated.',
      'Dashboard, overview, deals and periods are cached until their cache scope changes.',
    ],
  };
}

/** Puts new deals, and waits for their calculations, so that they do not slow the next contender. */
function puts(year: SalesYear, seconds: number): LoadContender {
  const { service, workspace } = year;
  const deal = { repId: year.repIds[0], closeDate: '2026-12-30', fields: { amount: 1, stage: 'Won', segment: 'smb' } };
  // The ids ascend from run to run: a new deal changes those of its day that come after it.
  const path = (run: number) => `/v1/deals/N${String(run).padStart(3, '0')}-#`;
  const contender = loadContender(
    'put a deal',
    (run) => ({ ...createLoad(year, seconds), method: 'PUT', path: path(run), body: JSON.stringify(deal) }),
    ({ responses }) => [
      expectRowsOfYear(year, 'deals', responses),
      rowsWritten(
        service.owner,
        "commission_events where workspace_id = $1 and deal_key like 'N%'",
        [workspace.workspaceId],
        () => responses() * rulesPerDeal,
      ),
    ],
  );
  return {
    ...contender,
    run: async () => {
      const perSecond = await contender.run();
      await untilCalculated(service, workspace.workspaceId);
      return perSecond;
    },
  };
}

interface Read {
  readonly path: string;
  /** Every right response contains this text. */
  readonly part: string;
}

/** Every response must be as long as one with the part. */
function gets(year: SalesYear, seconds: number, name: string, { path, part }: Read): LoadContender {
  const load = { ...createLoad(year, seconds), method: 'GET', path, body: null };
  let expectedBytes = 1;
  const contender = loadContender(
    name,
    () => load,
    ({ responses, bytes }) => [growth('bytes in responses', bytes, () => responses() * expectedBytes)],
  );
  return {
    ...contender,
    prepare: async () => {
      await contender.prepare();
      const text = await (await fetch(`${load.url}${path}`, { headers: load.headers })).text();
      if (!text.includes(part)) throw new Error(`${path} returned no ${part}: ${text.slice(0, 300)}`);
      expectedBytes = Buffer.byteLength(text);
    },
  };
}

function createLoad({ service, workspace }: SalesYear, seconds: number): Omit<Load, 'method' | 'path' | 'body'> {
  const headers = { Authorization: `Bearer ${workspace.apiKey}`, 'Content-Type': 'application/json' };
  return { url: service.url, headers, connections, seconds };
}

/** Bumps the cache versions all the time, so that every cached response is outdated at once. */
function whileChanging(year: SalesYear, contender: LoadContender): LoadContender {
  const { service, workspace } = year;
  const change = 'update cache_versions set version = gen_random_uuid() where workspace_id = $1';
  const scopes = () =>
    readValue<number>(service.owner, 'select count(*)::int as value from cache_versions where workspace_id = $1', [
      workspace.workspaceId,
    ]);
  return {
    ...contender,
    effects: [...contender.effects, expectRowsOfYear(year, 'cache_versions', scopes)],
    run: async () => {
      let changing = true;
      const changes = (async () => {
        while (changing) {
          await service.owner.query(change, [workspace.workspaceId]);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      })();
      try {
        return await contender.run();
      } finally {
        changing = false;
        await changes;
      }
    },
  };
}
