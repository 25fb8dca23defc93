import { startBenchService } from './bench-service.js';
import { listenEmpty } from './empty-handler.js';
import { answered } from './load.js';
import { alternating, type Contender, count, ratio, type Table } from './measure.js';
import { recalculate } from './recalculation.js';
import { assertAllPaid, emptyLedger, makeSalesYear, type SalesYear, untilSettled } from './sales-year.js';

const seconds = 2;
const connections = 10;

/** Requests a second of what is asked most, against an Express handler that does nothing. */
export async function http(): Promise<Table[]> {
  const service = await startBenchService();
  const empty = await listenEmpty();
  try {
    const small = await makeSalesYear(service, 10_000);
    const large = await makeSalesYear(service, 100_000);
    const wide = await makeSalesYear(service, 10_000, 2000);
    // Lanes count as settled under deals that came past the service.
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
        { name: 'empty Express handler', run: () => asked(empty.url, {}, 'GET', '/', null) },
        untilCalculated(small, asking(small, 'put a deal', 'PUT', '/v1/deals/N#', deal)),
        asking(small, 'rep dashboard', 'GET', ofRep, null),
        whileChanging(small, asking(small, 'the same, while its data changes', 'GET', ofRep, null)),
        asking(wide, 'team overview, 2,000 reps', 'GET', '/v1/commissions?period=2026-Q1', null),
        asking(large, 'deals, 50 of 100,000', 'GET', '/v1/deals?limit=50', null),
        asking(small, 'statement', 'GET', `/v1/statements?repId=${repId}&period=2026-01`, null),
        asking(small, 'periods', 'GET', '/v1/commissions/periods', null),
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
          'Client, service and PostgreSQL share the cores. Deals are put each under an id of its own, and calculated.',
          'Dashboard, overview, deals and periods are given from memory for as long as what they rest on is unchanged.',
        ],
      },
    ];
  } finally {
    await empty.close();
    await service.stop();
  }
}

/** A contender that tells how many requests were answered in a second. */
interface Asking extends Contender {
  run(): Promise<number>;
}

/** So that nobody else is measured while these are still calculated. */
function untilCalculated({ service, workspace }: SalesYear, { name, run }: Asking): Asking {
  return {
    name,
    run: async () => {
      const perSecond = await run();
      await untilSettled(service, workspace.workspaceId);
      return perSecond;
    },
  };
}

/** All that the service remembers of the workspace is out of date again as soon as it is remembered. */
function whileChanging({ service, workspace }: SalesYear, { name, run }: Asking): Asking {
  const change = 'update answer_revisions set revision = gen_random_uuid() where workspace_id = $1';
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

function asking(
  { workspace, service }: SalesYear,
  name: string,
  method: string,
  path: string,
  body: string | null,
): Asking {
  const headers = {
    Authorization: `Bearer ${workspace.apiKey}`,
    ...(body === null ? {} : { 'Content-Type': 'application/json' }),
  };
  return { name, run: () => asked(service.url, headers, method, path, body) };
}

function asked(
  url: string,
  headers: Readonly<Record<string, string>>,
  method: string,
  path: string,
  body: string | null,
): Promise<number> {
  return answered({ url, headers, method, path, body, connections, seconds });
}
