import { type RawBuilder, sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';

const maxEvents = 1000;

interface ChangedEvent {
  readonly eventId: string;
  readonly kind: string;
  readonly dealId: string | null;
  readonly planId: string | null;
  readonly ruleName: string | null;
  readonly status: 'earned' | 'reversed' | 'deleted';
  readonly amount: string;
  readonly currency: string;
  readonly period: string;
  readonly earnedOn: string;
  readonly previousAmount: string;
  readonly previousCurrency: string | null;
  readonly previousPeriod: string | null;
}

/** What a row pays: nothing if it is reversed or deleted. */
function paid(row: string): RawBuilder<string> {
  const { status, change, amount } = { status: `${row}.status`, change: `${row}.change`, amount: `${row}.amount` };
  return sql`case when ${sql.ref(status)} = 'earned' and ${sql.ref(change)} <> 'deleted' then ${sql.ref(amount)} else 0 end`;
}

/** The data of `commission.changed`: the events whose amount, currency or period the run changed, from the history. */
export async function readChangedCommission(
  tx: Transaction,
  repId: string,
  runId: string,
  eventIds: readonly string[] | null,
): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await sql<ChangedEvent>`
    select h.event_id as "eventId", h.kind, case when h.phase is distinct from 'periodic' then h.deal_key end as "dealId",
      h.plan_id as "planId", h.rule_name as "ruleName",
      case when h.change = 'deleted' then 'deleted' else h.status end as status,
      ${paid('h')}::text as amount, h.currency, h.period, h.earned_on as "earnedOn",
      coalesce(${paid('p')}, 0)::text as "previousAmount", p.currency as "previousCurrency", p.period as "previousPeriod"
    from commission_event_history h
    left join lateral (
      select * from commission_event_history p
      where p.workspace_id = h.workspace_id and p.rep_id = h.rep_id and p.event_id = h.event_id
        and p.revision = h.revision - 1
      offset 0
    ) p on true
    where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${repId} and h.run_id = ${runId}
      ${eventIds === null ? sql`` : sql`and h.event_id = any(${eventIds}::uuid[])`}
      and (${paid('h')} <> coalesce(${paid('p')}, 0) or (${paid('h')} <> 0 and
        (h.currency, h.period, h.earned_on) is distinct from (p.currency, p.period, p.earned_on)))
    order by h.earned_on, h.rule_name, h.event_id
    limit ${maxEvents + 1}`.execute(tx.db);
  return {
    repId,
    runId,
    events: rows.slice(0, maxEvents).map(({ amount, previousAmount, previousCurrency, previousPeriod, ...event }) => ({
      ...event,
      amount: Number(amount),
      previousAmount: Number(previousAmount),
      ...(previousCurrency === null ? {} : { previousCurrency }),
      ...(previousPeriod === null ? {} : { previousPeriod }),
    })),
    moreEvents: rows.length > maxEvents,
  };
}
