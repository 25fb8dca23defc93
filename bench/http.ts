import { listenEmpty, startBenchService } from './bench-service.js';
import { requestsPerSecond } from './load.js';
import { alternating, type Contender, count, ratio, type Table } from './measure.js';
import { recalculate } from './recalculation.js';
import { assertAllPaid, emptyLedger, makeSalesYear, type SalesYear, untilCalculated } from './sales-year.js';

const seconds = 2;
const connections = 10;

/** Requests per second of the most frequent operations, against an empty Express handler. */
export async function http(): Promise<Table[]> {
  await using service = await startBenchService();
  await using empty = await listenEmpty();
  const small = await makeSalesYear(service, 10_000);
  const large = await makeSalesYear(service, 100_000);
  const wide = await makeSalesYear(service, 10_000, 2000);
  // The deals were inserted directly, so freshness marks would skip their lanes.
  await emptyLedger(small);
  for (const year of [small, wide]) {
    await recalculate(year, {});
    await assertAllPaid(year);
  }
  await service.owner.query('vacuum analyze');
  const repId = small.repIds[0] as string;
  const deal = JSON.stringify({
    repId,
    closeDate: '2026-12-30',
    fields: { amount: 1, stage: 'Won', segment: 'smb' },
  });
  const ofRep = `/v1/commissions?repId=${repId}&period=2026-Q1`;
  const statement = { period: '2026-01' };
  await small.workspace.call('POST', `/v1/statements/${repId}/generate`, statement);
  const measured = await alternating(
    [
      { name: 'empty Express handler', run: () => measureRequests(empty.url, {}, 'GET', '/', null) },
      afterCalculation(small, requests(small, 'put a deal', 'PUT', '/v1/deals/N#', deal)),
      requests(small, 'rep dashboard', 'GET', ofRep, null),
      whileChanging(small, requests(small, 'the same, while its data changes', 'GET', ofRep, null)),
      requests(wide, 'team overview, 2,000 reps', 'GET', '/v1/commissions?period=2026-Q1', null),
      requests(large, 'deals, 50 of 100,000', 'GET', '/v1/deals?limit=50', null),
      requests(small, 'statement', 'GET', `/v1/statements?repId=${repId}&period=2026-01`, null),
      requests(small, 'periods', 'GET', '/v1/commissions/periods', null),
    ],
    5,
  );
  const floor = measured[0]?.median ?? Number.NaN;
  return [
    {
      title: `HTTP, one process, ${connections} connections`,
      columns: ['', 'requests a second', 'of the empty handler'],
      rows: measured.map(({ name, median }) => [name, count(median), ratio(median / floor)]),
      notes: [
        'Client, service and PostgreSQL share the cores. Each deal has a new id and is calculated.',
        'Dashboard, overview, deals and periods are cached until their cache scope changes.',
      ],
    },
  ];
}

/** A contender whose figure is requests per second. */
interface Requests extends Contender {
  run(): Promise<number>;
}

/** Waits for the calculations, so that they do not slow the next contender. */
function afterCalculation({ service, workspace }: SalesYear, { name, run }: Requests): Requests {
  return {
    name,
    run: async () => {
      const perSecond = await run();
      await untilCalculated(service, workspace.workspaceId);
      return perSecond;
    },
  };
}

/** Bumps the cache versions all the time, so that every cached response is outdated at once. */
function whileChanging({ service, workspace }: SalesYear, { name, run }: Requests): Requests {
  const change = 'update cache_versions set version = gen_random_uuid() where workspace_id = $1';
  return {
    name,
    run: async () => {
      let changing = true;
      const changes = (async () => {
        while (changing) {
          await service.owner.query(change, [workspace.workspaceId]);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      })();
      try {
        return await run();
      } finally {
        changing = false;
        await changes;
      }
    },
  };
}

function requests(
  { workspace, service }: SalesYear,
  name: string,
  method: string,
  path: string,
  body: string | null,
): Requests {
  const headers = {
    Authorization: `Bearer ${workspace.apiKey}`,
    ...(body === null ? {} : { 'Content-Type': 'application/json' }),
  };
  return { name, run: () => measureRequests(service.url, headers, method, path, body) };
}

function measureRequests(
  url: string,
  headers: Readonly<Record<string, string>>,
  method: string,
  path: string,
  body: string | null,
): Promise<number> {
  return requestsPerSecond({ url, headers, method, path, body, connections, seconds });
}
