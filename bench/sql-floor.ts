import { createHash } from 'node:crypto';
import type pg from 'pg';
import { quotaTarget, type Rates, type SalesYear, rates as usualRates } from './sales-year.js';

interface ChangedDeal {
  readonly repId: string;
  readonly dealId: string;
  readonly amount: number;
  readonly days: { readonly from: string; readonly to: string };
}

/** The tables that the floor reads, and those that it only writes. */
const inputs = ['deals', 'quotas'];
const outputs = ['deal_snapshots', 'commission_events', 'commission_event_history', 'rep_months'];

/**
 * The lower bound for PostgreSQL with the same rows: the plan of the sales year as one statement of window
 * functions, which upserts the events with a compact trace and their history, then counters and months. It supports
 * this plan only. It reads and writes its own copies of the tables, so that it changes nothing for the service.
 */
export class SqlFloor {
  private constructor(private readonly year: SalesYear) {}

  /** Creates tables like the service's, with indexes and checks, and copies the deals and quotas of the year. */
  static async create(year: SalesYear): Promise<SqlFloor> {
    const { owner } = year.service;
    for (const table of [...inputs, ...outputs]) {
      await owner.query(`drop table if exists floor_${table}`);
      await owner.query(`create table floor_${table} (like ${table} including all)`);
    }
    await owner.query('alter table floor_commission_events set (fillfactor = 50)');
    for (const table of inputs)
      await owner.query(`insert into floor_${table} select * from ${table} where workspace_id = $1`, [
        year.workspace.workspaceId,
      ]);
    await owner.query(`vacuum analyze floor_deals`);
    return new SqlFloor(year);
  }

  async empty(): Promise<void> {
    const { owner } = this.year.service;
    await owner.query('truncate floor_commission_events, floor_commission_event_history, floor_rep_months');
    await owner.query('update floor_quotas set current_value = 0');
    await owner.query('checkpoint').catch(() => undefined);
  }

  /** Splits the reps into as many parts as backends; each part is one transaction on its own connection. */
  async run(backends: 1 | 2, rates: Rates): Promise<void> {
    const { owner } = this.year.service;
    const own = `workspace_id = $1 and mod(abs(hashtext(rep_id::text)), $2::int) = $3::int`;
    const runPart = (part: number) =>
      owner.transaction(async (client) => {
        await client.query(`set local work_mem = '64MB'`);
        await this.write(client, { deals: own, events: own }, [backends, part], rates);
      });
    await Promise.all(Array.from({ length: backends }, (_, part) => runPart(part)));
  }

  /** Changes the amount of one deal and recalculates the attainment period that consists of the days. */
  async change({ repId, dealId, amount, days }: ChangedDeal): Promise<void> {
    const { workspaceId } = this.year.workspace;
    await this.year.service.owner.transaction(async (client) => {
      await client.query(
        `insert into floor_deal_snapshots (workspace_id, deal_id, taken_at, fields, given)
         select workspace_id, deal_id, snapshot_at, fields, given from floor_deals where workspace_id = $1 and deal_id = $2`,
        [workspaceId, dealId],
      );
      await client.query(
        `update floor_deals set amount = $3, fields = fields || jsonb_build_object('amount', $3::numeric), snapshot_at = now()
         where workspace_id = $1 and deal_id = $2`,
        [workspaceId, dealId, amount],
      );
      const between = (column: string) => `${column} between '${days.from}' and '${days.to}'`;
      const own = (column: string) =>
        `workspace_id = $1 and rep_id = '${repId}' and $2::int > $3::int and ${between(column)}`;
      await this.write(client, { deals: own('close_date'), events: own('earned_on') }, [1, 0], usualRates);
    });
  }

  /** Writes the difference of the selected deals and events. */
  private async write(
    client: pg.PoolClient,
    own: { readonly deals: string; readonly events: string },
    selection: readonly [number, number],
    rates: Rates,
  ): Promise<void> {
    const { workspace, planId } = this.year;
    const ids = ['version', 'Commission', 'Accelerator', 'Flat', 'run'].map(toUuid);
    await client.query(upsertEvents(own.deals), [
      workspace.workspaceId,
      ...selection,
      planId,
      ...ids,
      ...rates.commission,
      ...rates.accelerator,
      rates.flat,
      quotaTarget,
    ]);
    await client.query(
      `update floor_quotas q set current_value = c.credit, updated_at = now()
       from (select rep_id, attainment_key, period, sum(credit) as credit from floor_commission_events
         where ${own.events} group by 1, 2, 3) c
       where q.workspace_id = $1 and q.rep_id = c.rep_id and q.attainment_key = c.attainment_key and q.period = c.period
         and q.current_value <> c.credit`,
      [workspace.workspaceId, ...selection],
    );
    await client.query(
      `insert into floor_rep_months (workspace_id, rep_id, month, currency, commission, bonus, adjustments, deals, periods)
       select workspace_id, rep_id, date_trunc('month', earned_on)::date, currency, sum(amount), 0, 0, count(distinct deal_key), array_agg(distinct period)
       from floor_commission_events where ${own.events} group by 1, 2, 3, 4
       on conflict (workspace_id, rep_id, month, currency) do update set commission = excluded.commission, deals = excluded.deals
       where floor_rep_months.commission <> excluded.commission`,
      [workspace.workspaceId, ...selection],
    );
  }
}

function toUuid(text: string): string {
  const digest = createHash('md5').update(text).digest('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function upsertEvents(own: string): string {
  return `
    with walk as (
      select rep_id, deal_id, close_date, amount, period, segment, sum(amount) over w as after,
        sum(amount) over w - amount as before
      from (
        select rep_id, deal_id, close_date, (fields->>'amount')::numeric as amount, fields->>'segment' as segment,
          extract(year from close_date) || '-Q' || extract(quarter from close_date) as period
        from floor_deals
        where ${own} and deleted_at is null and lower(btrim(fields->>'stage')) = 'won'
      ) d
      window w as (partition by rep_id, period order by close_date, deal_id collate "C" rows unbounded preceding)
    ),
    paid as (
      select w.*, r.rule, r.rule_id, r.tier, round(r.raw, 2) as pay, r.raw, r.rate
      from walk w cross join lateral (values
        ('Commission', $6::uuid,
          case when w.after >= 1.25 * $17::numeric then 2 when w.after >= $17::numeric then 1 else 0 end,
          w.amount * case when w.after >= 1.25 * $17::numeric then $12::numeric when w.after >= $17::numeric then $11::numeric else $10::numeric end,
          case when w.after >= 1.25 * $17::numeric then $12::numeric when w.after >= $17::numeric then $11::numeric else $10::numeric end),
        ('Accelerator', $7::uuid,
          case when w.after >= $17::numeric then 2 when w.after >= 0.5 * $17::numeric then 1 else 0 end,
          $13::numeric * greatest(least(w.after, 0.5 * $17::numeric) - w.before, 0)
            + $14::numeric * greatest(least(w.after, $17::numeric) - greatest(w.before, 0.5 * $17::numeric), 0)
            + $15::numeric * greatest(w.after - greatest(w.before, $17::numeric), 0), $13::numeric),
        ('Flat', $8::uuid, 0, w.amount * $16::numeric, $16::numeric)
      ) r (rule, rule_id, tier, raw, rate)
      where r.rule <> 'Flat' or lower(btrim(w.segment)) in ('smb', 'mid', 'enterprise')
    ),
    written as (
      insert into floor_commission_events (workspace_id, rep_id, event_id, kind, status, deal_key, plan_id, plan_version_id,
        rule_id, rule_name, phase, category, amount, base, credit, tier_name, attainment_key, currency, period, earned_on,
        idempotency_key, trace, run_id)
      select $1::uuid, rep_id, md5(rep_id || '|' || $4::text || '|' || rule || '|' || deal_id)::uuid, 'commission_earned', 'earned',
        deal_id, $4::uuid, $5::uuid, rule_id, rule, 'per_deal', 'commission', pay, amount, amount, 'Tier ' || tier, rule, 'USD',
        period, close_date,
        md5(pay || '|' || amount || '|' || tier || '|' || rule_id || '|' || period || '|' || before || '|' || raw)::uuid,
        concat('[', amount, ',', amount, ',', before, ',', after, ',', $17::numeric, ',', amount, ',', raw, ',', tier, ',[[', tier,
          ',', rate, ',', amount, ']],[],["Won","', segment, '"]]'), $9::uuid
      from paid
      on conflict (workspace_id, rep_id, event_id) do update set amount = excluded.amount, base = excluded.base,
        credit = excluded.credit, tier_name = excluded.tier_name, period = excluded.period, earned_on = excluded.earned_on,
        idempotency_key = excluded.idempotency_key, trace = excluded.trace, run_id = excluded.run_id,
        revision = floor_commission_events.revision + 1, updated_at = now()
      where floor_commission_events.idempotency_key <> excluded.idempotency_key
      returning *
    )
    insert into floor_commission_event_history (workspace_id, rep_id, event_id, revision, change, run_id, kind, status, deal_key,
      plan_id, plan_version_id, rule_id, rule_name, phase, category, amount, base, credit, tier_name, attainment_key,
      currency, period, earned_on, idempotency_key, trace)
    select workspace_id, rep_id, event_id, revision, case revision when 1 then 'inserted' else 'changed' end, run_id, kind, status,
      deal_key, plan_id, plan_version_id, rule_id, rule_name, phase, category, amount, base, credit, tier_name, attainment_key,
      currency, period, earned_on, idempotency_key, trace
    from written`;
}
