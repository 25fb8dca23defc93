import { groupBy } from '#src/kernel/group-by.js';
import { ApiClient } from '#test/support/api-client.js';
import { EventReceiver } from '#test/support/event-receiver.js';
import { ledgerColumns, query, withoutWholeShare } from '#test/support/ledger-checks.js';
import type {
  FrozenPeriod,
  LedgerRow,
  ReportingLine,
  World,
  WorldDeal,
  WorldPlan,
  WorldPlanVersion,
  WorldRefund,
} from '#test/support/oracle/world.js';
import { EpisodeCrm } from './episode-crm.js';
import { type Fleet } from './fleet.js';
import { type SeededRandom } from './seeded-random.js';

/** A version of a deal. Its sender repeats it until it is acknowledged. */
export interface Delivery {
  readonly dealId: string;
  readonly amount: number;
  readonly closeDate: string | null;
  readonly ownerId: string;
  readonly sourceUpdatedAt: string;
  /** Absent: that of the workspace. */
  readonly currency?: string;
}

export const months = ['2026-01', '2026-02', '2026-03', '2026-04'] as const;
const quarters = ['2026-Q1', '2026-Q2'];
const people = ['top', 'north', 'south', 'ann', 'bob', 'cid'];
const managerOf: Readonly<Record<string, string>> = {
  north: 'top',
  south: 'top',
  ann: 'north',
  bob: 'north',
  cid: 'south',
};
const dealsPerWorkspace = 12;
/** The sales plan converts deals in it. */
export const foreignCurrency = 'EUR';

export interface EpisodeReceiver {
  readonly endpointId: string;
  readonly receiver: EventReceiver;
}

async function startReceiver(api: ApiClient): Promise<EpisodeReceiver> {
  const receiver = await EventReceiver.start();
  const { id } = await api.expect(201, 'POST', '/v1/webhook-endpoints', { url: receiver.url });
  return { endpointId: id, receiver };
}

/** Whether some deals come from a CRM, and whether syncs may repair lost deliveries. */
export type CrmKind = 'none' | 'delivers' | 'delivers and is synced';

/** One workspace of an episode: its reps, its plans and its CRM. */
export class EpisodeWorld {
  /** Deals whose deletion was requested: whether it was executed, null if unknown. */
  readonly deletions = new Map<string, boolean | null>();
  /** Requested adjustments by their reason: the minimum and maximum number of rows. */
  readonly adjustments = new Map<string, { readonly min: number; readonly max: number }>();
  readonly jobIds: string[] = [];
  /** Export jobs that were accepted. */
  readonly exportIds: string[] = [];
  /** Previews of changes of the sales plan that were accepted. */
  readonly previewIds: string[] = [];

  private constructor(
    readonly workspaceId: string,
    readonly apiKey: string,
    readonly repIds: Readonly<Record<string, string>>,
    readonly planIds: { readonly sales: string; readonly managers: string },
    readonly deliveries: Delivery[],
    /** If the workspace has a CRM, some of its deals come from there; deliveries carry the webhook secret. */
    readonly crm: EpisodeCrm | null,
    readonly webhookSecret: string,
    readonly isSynced: boolean,
    /** Receive the outgoing events of the workspace, each all of them. */
    readonly receivers: readonly EpisodeReceiver[],
  ) {}

  /** Creates the workspace and the deals to be sent. With empty deliveries, the test adds them later. */
  static async create(
    fleet: Fleet,
    name: string,
    random: SeededRandom,
    { crm: kind, deliveries = deliveriesOf(random) }: { readonly crm: CrmKind; readonly deliveries?: Delivery[] },
  ): Promise<EpisodeWorld> {
    const crm = kind !== 'none' ? await EpisodeCrm.start(people) : null;
    const { workspaceId, apiKey } = await fleet.createWorkspace(name);
    const api = new ApiClient(random.pick(fleet.apis).url, apiKey);
    const receivers = [await startReceiver(api), await startReceiver(api)];
    const reps = people.map((person) => ({
      email: `${person}@example.com`,
      name: person,
      crmMemberId: crm?.memberIds[person] ?? person,
      ...(managerOf[person] === undefined ? {} : { managerEmail: `${managerOf[person]}@example.com` }),
    }));
    const ids: string[] = await api.saveReps(...reps);
    const repIds = Object.fromEntries(people.map((person, index) => [person, ids[index] as string]));
    const rates = months.map((month) => ({ from: foreignCurrency, to: 'USD', day: `${month}-01`, rate: 1.25 }));
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    const fx = { date: 'close_date' };
    const sales = await api.createPlan({ name: 'Sales', config: salesConfig(random), fx });
    const managers = await api.createPlan({ name: 'Managers', config: managersConfig });
    await api.assign(ids, sales.planId);
    await api.assign(ids.slice(0, 3), managers.planId);
    for (const period of quarters) await api.setQuota(ids, 'Commission', period, 20_000);
    const planIds = { sales: sales.planId as string, managers: managers.planId as string };
    const webhookSecret = crm === null ? '' : await crm.connect(api);
    return new EpisodeWorld(
      workspaceId,
      apiKey,
      repIds,
      planIds,
      deliveries,
      crm,
      webhookSecret,
      kind === 'delivers and is synced',
      receivers,
    );
  }

  async stop(): Promise<void> {
    await this.crm?.stop();
    await Promise.all(this.receivers.map(({ receiver }) => receiver.stop()));
  }

  /** The owner id in deals: the CRM member id if there is a CRM. */
  memberId(person: string): string {
    return this.crm?.memberIds[person] ?? person;
  }

  /** The newest version of each deal. */
  latest(): Delivery[] {
    const byDeal = new Map<string, Delivery>();
    for (const delivery of this.deliveries) {
      const latest = byDeal.get(delivery.dealId);
      if (latest === undefined || latest.sourceUpdatedAt < delivery.sourceUpdatedAt)
        byDeal.set(delivery.dealId, delivery);
    }
    return [...byDeal.values()];
  }

  /**
   * The inputs of the calculation. Plans, quotas and reps are read from the database, since the order of concurrent
   * changes is unknown. Deals are as they were sent or as the CRM has them, without the deleted ones.
   */
  async picture(ownerUrl: string): Promise<Omit<World, 'storedRows'>> {
    const rows = <Row extends object>(text: string) =>
      query<Row & Record<string, unknown>>(ownerUrl, text, [this.workspaceId]);
    const lines = await rows<ReportingLine & { repId: string }>(
      'select rep_id as "repId", manager_id as "managerId", from_day as "from", to_day as "to" from reporting_lines where workspace_id = $1',
    );
    const versions = await rows<WorldPlanVersion & { planId: string }>(
      `select plan_id as "planId", plan_version_id as "planVersionId", version, supersedes, status, has_been_active as "hasBeenActive", effective_start as "effectiveStart",
        effective_end as "effectiveEnd", currency, fx, field_mapping as "fieldMapping", config from plan_versions where workspace_id = $1`,
    );
    const assignments = await rows<World['assignments'][number]>(
      `select rep_id as "repId", plan_id as "planId", effective_start as "effectiveStart", effective_end as "effectiveEnd"
      from assignments where workspace_id = $1 and deleted_at is null`,
    );
    const quotas = await rows<World['quotas'][number]>(
      `select rep_id as "repId", plan_id as "planId", attainment_key as key, period, target, variable_target as "variableTarget"
      from quotas where workspace_id = $1`,
    );
    const identities = await rows<Pick<WorldPlan, 'planId' | 'status'>>(
      'select plan_id as "planId", status from plans where workspace_id = $1',
    );
    const fxRates = await rows<NonNullable<World['fxRates']>[number]>(
      `select rate_table as "table", from_currency as "from", to_currency as "to", day::text as day, rate::text as rate
      from fx_rates where workspace_id = $1`,
    );
    const [settings] = await rows<{ fxMaxAgeDays: number | null }>(
      'select fx_max_age_days as "fxMaxAgeDays" from workspaces where workspace_id = $1',
    );
    const refunds = await this.refunds(ownerUrl);
    const frozen = await this.frozenPeriods(ownerUrl);
    const deletedRows = await rows<{ dealId: string }>(
      'select deal_id as "dealId" from deals where workspace_id = $1 and deleted_at is not null',
    );
    const deleted = new Set(deletedRows.map(({ dealId }) => dealId));
    const plans = Object.values(this.planIds).map(
      (planId): WorldPlan => ({
        planId,
        status: identities.find((plan) => plan.planId === planId)?.status ?? 'active',
        versions: versions
          .filter((version) => version.planId === planId)
          .map((version) => ({ ...version, overrides: [] })),
      }),
    );
    return {
      asOf: new Date().toISOString().slice(0, 10),
      workspace: { currency: 'USD', timeZone: 'UTC', standard: {}, measures: {}, ...settings },
      fxRates,
      reps: Object.values(this.repIds).map((repId) => ({ repId, lines: lines.filter((line) => line.repId === repId) })),
      plans,
      assignments,
      quotas,
      deals: [...this.latest(), ...(this.crm?.live ?? [])]
        .filter(({ dealId }) => !deleted.has(dealId))
        .map((delivery) => this.dealOf(delivery))
        .map((deal) =>
          refunds.has(deal.dealId) ? { ...deal, refunds: refunds.get(deal.dealId) as WorldRefund[] } : deal,
        ),
      frozen,
    };
  }

  /** The refunds by deal. Their amounts are numbers in the world. */
  private async refunds(ownerUrl: string): Promise<Map<string, WorldRefund[]>> {
    const rows = await query<
      Omit<WorldRefund, 'amount' | 'waivers'> & {
        dealId: string;
        amount: string | null;
        waivers: { repId: string | null; percent: string }[];
      }
    >(
      ownerUrl,
      `select deal_id as "dealId", refund_id as "refundId", day::text as day, cause, amount::text as amount, waivers
      from deal_refunds where workspace_id = $1`,
      [this.workspaceId],
    );
    const byDeal = groupBy(rows, ({ dealId }) => dealId);
    return new Map(
      [...byDeal].map(([dealId, ofDeal]) => [
        dealId,
        ofDeal.map(({ refundId, day, cause, amount, waivers }) => ({
          refundId,
          day,
          cause,
          ...(amount === null ? {} : { amount: Number(amount) }),
          waivers: waivers.map(({ repId, percent }) => ({ repId, percent: Number(percent) })),
        })),
      ]),
    );
  }

  private async frozenPeriods(ownerUrl: string): Promise<FrozenPeriod[]> {
    const periods = await query<{ repId: string; period: string; truedUp: boolean }>(
      ownerUrl,
      `select rep_id as "repId", period, trued_up as "truedUp" from statement_periods
      where workspace_id = $1 and status = 'approved'`,
      [this.workspaceId],
    );
    const rows = await query<LedgerRow & { frozenPeriod: string }>(
      ownerUrl,
      `select frozen_period as "frozenPeriod", ${ledgerColumns} from trued_up_rows where workspace_id = $1`,
      [this.workspaceId],
    );
    return periods.map(({ repId, period, truedUp }) => {
      const own = rows.filter((row) => row.repId === repId && row.frozenPeriod === period).map(withoutWholeShare);
      return { repId, period, truedUp: truedUp ? own : null };
    });
  }

  private dealOf({ dealId, amount, closeDate, ownerId, currency }: Omit<Delivery, 'sourceUpdatedAt'>): WorldDeal {
    const given = {
      dealAmount: amount,
      ownerId: this.memberId(ownerId),
      ...(currency === undefined ? {} : { currency }),
    };
    return { dealId, repId: this.repIds[ownerId] as string, fields: {}, closeDate, given };
  }
}

/** Tiers by attainment make each deal depend on the deals before it; each deal also pays a bonus. */
export function salesConfig(random: SeededRandom): Record<string, unknown> {
  const rates = [0.05, 0.1, 0.15].map((rate) => rate + random.between(0, 4) / 100);
  const commission = {
    name: 'Commission',
    measure: 'amount',
    attainmentPeriod: 'quarterly',
    tierMode: random.pick(['marginal', 'full_rate', 'retroactive']),
    tiers: [0, 0.5, 1].map((minThreshold, tierIndex) => ({ tierIndex, minThreshold, rate: rates[tierIndex] })),
  };
  const kicker = {
    name: 'Kicker',
    measure: 'amount',
    attainmentPeriod: 'monthly',
    tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: random.between(10, 90) }],
  };
  return { rules: [commission, kicker], clawback: { window: { days: random.between(30, 90) }, declining: true } };
}

/** Managers earn on the commission of their reports, and on what their managers earn from it. */
const managersConfig = {
  rules: [
    {
      name: 'Override',
      measure: 'amount',
      executionPhase: 'cascade',
      tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }],
    },
    {
      name: 'Second',
      measure: 'amount',
      executionPhase: 'cascade',
      dependsOn: 'Override',
      tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.5 }],
    },
  ],
};

/** One to four versions of every deal with different amounts, days and owners. */
function deliveriesOf(random: SeededRandom): Delivery[] {
  return Array.from({ length: dealsPerWorkspace }, (_, deal) => versionsOf(deal, random)).flat();
}

function versionsOf(deal: number, random: SeededRandom): Delivery[] {
  let ownerId = random.pick(people.slice(1));
  let closeDate: string | null = someDay(random);
  const money = random.chance(0.3) ? { currency: foreignCurrency } : {};
  return Array.from({ length: random.between(1, 4) }, (_, version) => {
    if (version > 0 && random.chance(0.4)) ownerId = random.pick(people.slice(1));
    if (version > 0 && random.chance(0.4)) closeDate = random.chance(0.1) ? null : movedDay(random);
    return {
      dealId: `deal-${deal}`,
      amount: random.between(10_000, 900_000) / 100,
      closeDate,
      ownerId,
      sourceUpdatedAt: new Date(Date.UTC(2026, 4, 1, 0, version, deal)).toISOString(),
      ...money,
    };
  });
}

export function someDay(random: SeededRandom): string {
  return `${random.pick(months)}-${String(random.between(1, 28)).padStart(2, '0')}`;
}

/** Often a day in the other quarter, which is another calculation window. */
function movedDay(random: SeededRandom): string {
  return random.chance(0.4) ? `${months[3]}-${String(random.between(1, 28)).padStart(2, '0')}` : someDay(random);
}
