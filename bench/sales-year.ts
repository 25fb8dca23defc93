import { chunk } from '#src/kernel/chunk.js';
import { type BenchService, type BenchWorkspace, untilDone } from './bench-service.js';

export const dealsPerRep = 500;
export const rulesPerDeal = 3;

/** A year of won deals: 500 per rep, each paid by three rules. */
export interface SalesYear {
  readonly service: BenchService;
  readonly workspace: BenchWorkspace;
  readonly repIds: readonly string[];
  readonly deals: number;
  readonly planId: string;
}

export interface Rates {
  readonly commission: readonly [number, number, number];
  readonly accelerator: readonly [number, number, number];
  readonly flat: number;
}

export const rates: Rates = { commission: [0.08, 0.12, 0.15], accelerator: [0.01, 0.02, 0.03], flat: 0.005 };
/** Every event changes when these rates replace the first ones. */
export const otherRates: Rates = { commission: [0.07, 0.11, 0.14], accelerator: [0.02, 0.03, 0.04], flat: 0.006 };

const thresholds = { commission: [0, 1, 1.25], accelerator: [0, 0.5, 1] } as const;
export const quotaTarget = 600_000;

export function planConfig({ commission, accelerator, flat }: Rates) {
  const tiers = (tierRates: readonly number[], from: readonly number[]) =>
    tierRates.map((rate, tierIndex) => ({ tierIndex, minThreshold: from[tierIndex], rate, name: `Tier ${tierIndex}` }));
  return {
    dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }],
    rules: [
      { name: 'Commission', measure: 'amount', tiers: tiers(commission, thresholds.commission) },
      {
        name: 'Accelerator',
        measure: 'amount',
        tierMode: 'marginal',
        tiers: tiers(accelerator, thresholds.accelerator),
      },
      {
        name: 'Flat',
        measure: 'amount',
        conditions: [{ field: 'segment', fieldType: 'text', operator: 'in', value: ['smb', 'mid', 'enterprise'] }],
        tiers: tiers([flat], [0]),
      },
    ],
  };
}

/** Adds the given number of deals of the reps `rep0@acme.test`, … to the workspace. */
type BringDeals = (service: BenchService, workspace: BenchWorkspace, deals: number, reps: number) => Promise<void>;

export async function makeSalesYear(
  service: BenchService,
  deals: number,
  reps = Math.max(1, Math.round(deals / dealsPerRep)),
  bringDeals: BringDeals = insertDeals,
): Promise<SalesYear> {
  const workspace = await service.newWorkspace();
  const repIds = await saveReps(workspace, reps);
  const plan = await workspace.call<{ planId: string }>('POST', '/v1/plans', {
    name: 'Sales',
    config: planConfig(rates),
  });
  for (const ids of chunk(repIds, 500)) {
    for (const quarter of [1, 2, 3, 4]) {
      for (const measure of ['Commission', 'Accelerator'])
        await workspace.call('POST', '/v1/quotas', {
          repIds: ids,
          planId: plan.planId,
          measure,
          period: `2026-Q${quarter}`,
          target: quotaTarget,
        });
    }
    await workspace.call('POST', '/v1/assignments', { repIds: ids, planId: plan.planId });
  }
  await bringDeals(service, workspace, deals, repIds.length);
  // Later the requests would be calculated during a run.
  if (service.isWorker) await untilCalculated(service, workspace.workspaceId);
  else await service.owner.query('truncate calculation_requests');
  await service.owner.query('vacuum analyze deals');
  return { service, workspace, repIds, deals, planId: plan.planId };
}

async function saveReps(workspace: BenchWorkspace, count: number): Promise<string[]> {
  const people = Array.from({ length: count }, (_, index) => ({
    email: `rep${index}@acme.test`,
    name: `Rep ${index}`,
    crmMemberId: `member-${index}`,
  }));
  const ids: string[] = [];
  for (const part of chunk(people, 500)) {
    const saved = await workspace.call<{ reps: { id: string }[] }>('PUT', '/v1/reps', { reps: part });
    ids.push(...saved.reps.map((rep) => rep.id));
  }
  return [...new Set(ids)];
}

/** Inserts the rows that the service would have written, since the import is not measured here. */
export const insertDeals: BringDeals = async ({ owner }, { workspaceId }, deals, reps) => {
  await owner.query(
    `with ranked as (select rep_id, row_number() over (order by rep_id) - 1 as place from reps where workspace_id = $1),
     made as (
       select n, rep_id, round((500 + (n::bigint * 7919 % 1000003)::numeric * 7 / 1000), 2) as amount,
         date '2026-01-01' + (n * 31 % 365)::int as day
       from generate_series(1, $2::int) n join ranked on place = n % $3
     )
     insert into deals (workspace_id, deal_id, rep_id, name, amount, currency, stage, close_date, is_closed, is_won, fields,
       given, content_hash)
     select $1, 'D' || n, rep_id, 'Deal ' || n, amount, 'USD', 'Won', day, true, true,
       jsonb_build_object('amount', amount, 'stage', 'Won', 'close_date', day, 'name', 'Deal ' || n,
         'segment', (array['smb', 'mid', 'enterprise'])[1 + n % 3], 'region', 'r' || n % 7, 'source', 'inbound',
         'discount', (n % 20)::numeric / 100),
       '{}', md5(n::text)::uuid
     from made
     on conflict do nothing`,
    [workspaceId, deals, reps],
  );
};

/** Resolves when no calculation request is left. */
export async function untilCalculated({ owner }: BenchService, workspaceId: string, pauseMs = 4): Promise<void> {
  const query = 'select not exists (select from calculation_requests where workspace_id = $1) as done';
  await untilDone(owner, query, [workspaceId], pauseMs);
}

/** Empties the ledger, in tables without dead rows. */
export async function emptyLedger({ service, workspace }: SalesYear): Promise<void> {
  await service.owner.query('truncate commission_events, commission_event_history, rep_months');
  await service.owner.query('update quotas set current_value = 0 where workspace_id = $1', [workspace.workspaceId]);
  await service.owner.query(
    'update lanes set fresh_revision = null, fresh_until = null, fresh_through = null, fresh_code = null, fresh_deals = null, fresh_skipped = null',
  );
  await service.owner.query('checkpoint').catch(() => undefined);
}

/** The first deal of a day. A change of its amount changes every deal of its rep to the end of the quarter. */
export interface DatedDeal {
  readonly dealId: string;
  readonly repId: string;
  readonly day: string;
  /** The number of those deals, with itself. */
  readonly dealsToQuarterEnd: number;
}

export async function firstDealOn({ service, workspace }: SalesYear, day: string): Promise<DatedDeal> {
  const { rows } = await service.owner.query<DatedDeal>(
    `select d.deal_id as "dealId", d.rep_id as "repId", d.close_date::text as day, (
        select count(*)::int from deals later
        where later.workspace_id = d.workspace_id and later.rep_id = d.rep_id and later.close_date >= d.close_date
          and date_trunc('quarter', later.close_date) = date_trunc('quarter', d.close_date)
      ) as "dealsToQuarterEnd"
    from deals d where d.workspace_id = $1 and d.close_date = $2 order by d.deal_id collate "C" limit 1`,
    [workspace.workspaceId, day],
  );
  const [deal] = rows;
  if (deal === undefined) throw new Error(`the sales year has no deal on ${day}`);
  return deal;
}

/** Puts the deal with another amount, and resolves when no calculation request is left. */
export async function changeAmount(
  { service, workspace }: SalesYear,
  { dealId, repId, day }: DatedDeal,
  amount: number,
): Promise<void> {
  await workspace.call('PUT', `/v1/deals/${dealId}`, {
    repId,
    closeDate: day,
    fields: { amount, stage: 'Won', segment: 'smb' },
  });
  await untilCalculated(service, workspace.workspaceId, 1);
}

/** Calls the run with another amount each time, so that no run finds the amount of the one before. */
export function withNewAmounts(run: (amount: number) => Promise<void>): () => Promise<void> {
  let amount = 1000;
  return () => {
    amount += 1;
    return run(amount);
  };
}
