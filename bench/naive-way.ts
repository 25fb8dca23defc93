import type pg from 'pg';
import { quotaTarget, rates, type SalesYear } from './sales-year.js';

/**
 * The first implementation that many would write: one transaction per deal, which sums the quarter, pays three rules
 * and writes each event with its history. It runs on a part of the deals, since all of them would take minutes.
 */
export async function naiveWay(year: SalesYear, deals: number): Promise<void> {
  const { owner } = year.service;
  const { rows } = await owner.query<{ deal_id: string }>(
    'select deal_id from deals where workspace_id = $1 order by close_date, deal_id limit $2',
    [year.workspace.workspaceId, deals],
  );
  for (const { deal_id: dealId } of rows) await owner.transaction((client) => payDeal(client, year, dealId));
}

async function payDeal(client: pg.PoolClient, year: SalesYear, dealId: string): Promise<void> {
  const { workspaceId } = year.workspace;
  const {
    rows: [deal],
  } = await client.query(
    `select rep_id, close_date::text as day, amount, fields,
       extract(year from close_date) || '-Q' || extract(quarter from close_date) as period
     from deals where workspace_id = $1 and deal_id = $2`,
    [workspaceId, dealId],
  );
  await client.query('select config from plan_versions where workspace_id = $1 and plan_id = $2', [
    workspaceId,
    year.planId,
  ]);
  for (const rule of ['Commission', 'Accelerator', 'Flat']) {
    const {
      rows: [before],
    } = await client.query(
      `select coalesce(sum(credit), 0) as credit from floor_commission_events
       where workspace_id = $1 and rep_id = $2 and rule_name = $3 and period = $4 and earned_on <= $5`,
      [workspaceId, deal.rep_id, rule, deal.period, deal.day],
    );
    const after = Number(before.credit) + Number(deal.amount);
    const amount = (Number(deal.amount) * (after >= quotaTarget ? rates.commission[1] : rates.commission[0])).toFixed(
      2,
    );
    await client.query(
      `insert into floor_commission_events as e (workspace_id, rep_id, event_id, kind, status, deal_key, plan_id, rule_name,
         phase, category, amount, base, credit, attainment_key, currency, period, earned_on, idempotency_key, trace)
       values ($1, $2, md5($2::uuid::text || $3::text || $4::text)::uuid, 'commission_earned', 'earned', $3, $5, $4, 'per_deal', 'commission', $6, $7,
         $7, $4, 'USD', $8, $9, md5($3::text || $4::text)::uuid, $10)
       on conflict (workspace_id, rep_id, event_id) do update set amount = excluded.amount, revision = e.revision + 1`,
      [workspaceId, deal.rep_id, dealId, rule, year.planId, amount, deal.amount, deal.period, deal.day, `[${after}]`],
    );
    await client.query(
      `insert into floor_commission_event_history (workspace_id, rep_id, event_id, revision, change, kind, status, deal_key, plan_id,
         rule_name, phase, category, amount, base, credit, attainment_key, currency, period, earned_on, idempotency_key, trace)
       select workspace_id, rep_id, event_id, revision, 'inserted', kind, status, deal_key, plan_id, rule_name, phase, category,
         amount, base, credit, attainment_key, currency, period, earned_on, idempotency_key, trace
       from floor_commission_events where workspace_id = $1 and rep_id = $2 and event_id = md5($2::uuid::text || $3::text || $4::text)::uuid`,
      [workspaceId, deal.rep_id, dealId, rule],
    );
    await client.query(
      `update floor_quotas set current_value = current_value + $5
       where workspace_id = $1 and rep_id = $2 and attainment_key = $3 and period = $4`,
      [workspaceId, deal.rep_id, rule, deal.period, deal.amount],
    );
  }
}
