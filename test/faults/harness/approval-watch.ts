import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '#test/support/ledger-checks.js';
import { Violation } from './episode-log.js';
import { type Fleet } from './fleet.js';

interface Approved {
  readonly key: string;
  readonly total: string;
  readonly sum: string;
  readonly content: string | null;
}

const text = `
  select concat_ws('/', p.rep_id, p.period, p.approved_at) as key, p.approved_total::text as total, s.sum::text, s.content
  from statement_periods p
  cross join lateral (select coalesce(sum(amount), 0)::numeric(20, 4) as sum,
      md5(string_agg(e::text, '' order by event_id) filter (where kind <> 'true_up')) as content
    from commission_events e where e.workspace_id = p.workspace_id and e.rep_id = p.rep_id and e.status = 'earned'
      and e.currency = p.currency and e.earned_on between p.from_day and p.to_day) s
  where p.workspace_id = any($1) and p.status = 'approved'`;

/**
 * I4, checked continuously: at every check the approved total is the sum of its events, and no column of an approved
 * event has changed. Only true-ups may be added.
 */
export async function watchApprovals(
  fleet: Fleet,
  workspaceIds: readonly string[],
  isOver: () => boolean,
): Promise<number> {
  const seen = new Map<string, string | null>();
  let checks = 0;
  while (!isOver()) {
    const approved = await query<Approved & Record<string, unknown>>(fleet.postgres.ownerUrl, text, [
      workspaceIds,
    ]).catch(
      // The server may be down at this moment.
      () => [],
    );
    for (const { key, total, sum, content } of approved) {
      if (total !== sum) throw new Violation('I4', `${key} is approved with ${total}, but its events add up to ${sum}`);
      if (seen.has(key) && seen.get(key) !== content)
        throw new Violation('I4', `events of ${key} changed while the period was approved`);
      seen.set(key, content);
    }
    checks += approved.length;
    await sleep(60);
  }
  return checks;
}
