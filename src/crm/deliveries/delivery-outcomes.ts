import { sql } from 'kysely';
import { type RunOutcome } from '../../audit/audit-tables.js';
import { pollUntil } from '../../kernel/waiting.js';
import { blockedIn } from '../../ledger/requests/blocked-changes.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type InboxMessage, type Received } from '../../platform/inbox/inbox.js';
import { type DeliveryResponse } from './delivery.js';

interface AcceptedDelivery {
  readonly messages: readonly InboxMessage[];
  readonly received: Received;
  /** Events of types that are not handled. */
  readonly ignored: number;
}

const pauseMs = 50;

/** The response to a delivery: stored, or with `wait` what the engine did. */
export class DeliveryOutcomes {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async respond(
    { wait = 0 }: { readonly wait?: number | undefined },
    delivery: AcceptedDelivery,
  ): Promise<DeliveryResponse> {
    const stored = delivery.messages.filter((message) => delivery.received.has(message.route));
    const response = { accepted: stored.length, ignored: delivery.ignored + delivery.messages.length - stored.length };
    if (wait === 0 || stored.length === 0) return response;
    return { ...response, run: await this.awaitRun(delivery.received, stored, wait) };
  }

  private async awaitRun(
    received: Received,
    stored: readonly InboxMessage[],
    waitSeconds: number,
  ): Promise<DeliveryResponse['run']> {
    const deadline = performance.now() + waitSeconds * 1000;
    const workspaces = [...new Set([...received.values()].flat())];
    const runs: Tally[] = [];
    for (const workspaceId of workspaces) {
      const tally = await pollUntil(
        () => this.unitOfWork.read({ workspaceId }, (tx) => loadTally(tx, stored)),
        (found) => found !== null,
        { maxWaitMs: deadline - performance.now(), pauseMs },
      );
      if (tally === null) return { ...sumTallies(runs), outcome: 'pending' };
      runs.push(tally);
    }
    return sumTallies(runs);
  }
}

interface Tally {
  readonly outcomes: readonly RunOutcome[];
  readonly written: number;
  readonly reversed: number;
  readonly locked: number;
  readonly skipped: number;
  /** These approved periods blocked changes. */
  readonly periods: readonly string[];
}

/** Engine runs on the deals since the delivery arrived; null while work remains. */
async function loadTally(tx: Transaction, messages: readonly InboxMessage[]): Promise<Tally | null> {
  const keys = messages.map((message) => message.key);
  const dealIds = [...new Set(messages.map((message) => message.subject))];
  const { rows } = await sql<Tally & { pending: boolean }>`
    with messages as (
      select processed_at, received_at from inbox
      where workspace_id = ${tx.workspaceId} and source = ${messages[0]?.source} and message_key = any(${keys}::uuid[])
    ), runs as (
      select distinct r.run_id, r.outcome, r.events_written, r.events_reversed, r.statement_locked, r.skipped, r.blocked
      from audit_run_deals d join audit_runs r on r.workspace_id = d.workspace_id and r.run_id = d.run_id
      where d.workspace_id = ${tx.workspaceId} and d.deal_id = any(${dealIds}::text[])
        and r.started_at >= (select min(received_at) from messages) - interval '1 second'
    )
    select exists (select from messages where processed_at is null) or exists (
        select from calculation_requests q
        where q.workspace_id = ${tx.workspaceId} and q.deal_id = any(${dealIds}::text[])) as pending,
      coalesce(array_agg(outcome) filter (where outcome is not null), '{}') as outcomes,
      coalesce(sum(events_written), 0)::int as written, coalesce(sum(events_reversed), 0)::int as reversed,
      coalesce(sum(statement_locked), 0)::int as locked, coalesce(sum(skipped), 0)::int as skipped,
      coalesce((select array_agg(p.period) from runs b, jsonb_array_elements_text(b.blocked->'periods') p(period)), '{}') as periods
    from runs`.execute(tx.db);
  const { pending, ...tally } = rows[0] as Tally & { pending: boolean };
  return pending ? null : tally;
}

/** The most severe outcome describes the whole. */
const bySeverity: readonly RunOutcome[] = ['failed', 'statement_locked', 'written', 'skipped', 'no_change'];

function sumTallies(runs: readonly Tally[]): NonNullable<DeliveryResponse['run']> {
  const total = (count: (run: Tally) => number) => runs.reduce((sum, run) => sum + count(run), 0);
  const outcomes = new Set(runs.flatMap((run) => run.outcomes));
  const locked = total((run) => run.locked);
  return {
    outcome: bySeverity.find((outcome) => outcomes.has(outcome)) ?? 'no_change',
    eventsWritten: total((run) => run.written),
    eventsReversed: total((run) => run.reversed),
    statementLocked: locked > 0,
    skipped: total((run) => run.skipped),
    ...blockedIn(
      runs.flatMap((run) => run.periods),
      locked,
    ),
  };
}
