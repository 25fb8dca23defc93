import { sql } from 'kysely';
import { earliestDay, latestDay } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { addStatements, type Read } from './evidence-files.js';
import { listAcceptances, listStatementKeys } from './evidence-rows.js';
import { type Packet } from './packet.js';

/** Stores everything that belongs to the person. `print` makes the PDF of their statement of a period. */
export async function addPersonalData(
  packet: Packet,
  read: Read,
  repId: string,
  asOf: Date,
  print: (period: string) => Promise<Buffer>,
): Promise<void> {
  await packet.addJson('person.json', await read((tx) => readPerson(tx, repId)));
  const scope = { from: earliestDay, to: latestDay, begin: new Date(0), asOf, repId };
  const keys = await read((tx) => listStatementKeys(tx, scope));
  await addStatements(packet, read, keys, asOf);
  for (const { period } of keys) await packet.add(`statements/${period}.pdf`, await print(period));
  await packet.addRows('plans/acceptances', await read((tx) => listAcceptances(tx, asOf, repId)));
  await packet.addRows('statements/signed-by-you', await read((tx) => listGivenSignatures(tx, repId)));
  await packet.addRows('questions/disputes', await read((tx) => listDisputes(tx, repId)));
  await packet.addRows('questions/comments', await read((tx) => listComments(tx, repId)));
  await packet.addRows('access-log', await read((tx) => listAccess(tx, repId)));
}

/** The person as they are stored, with their manager, plans, quotas and the days of their values. */
async function readPerson(tx: Transaction, repId: string): Promise<unknown> {
  const rowsOf = (table: string, key: string) => sql`(
    select coalesce(jsonb_agg(to_jsonb(x) - 'workspace_id' order by ${sql.ref(`x.${key}`)}), '[]') from ${sql.table(table)} x
    where x.workspace_id = r.workspace_id and x.rep_id = r.rep_id)`;
  const { rows } = await sql<{ person: unknown }>`
    select to_jsonb(r) - 'workspace_id' - 'payroll_key' || jsonb_build_object(
      'reporting_lines', ${rowsOf('reporting_lines', 'from_day')},
      'assignments', ${rowsOf('assignments', 'assignment_id')},
      'quotas', ${rowsOf('quotas', 'quota_id')},
      'draws', ${rowsOf('draws', 'draw_id')},
      'absences', ${rowsOf('absences', 'absence_id')},
      'dated_fields', ${rowsOf('person_values', 'slug')},
      'visits', ${rowsOf('visits', 'visited_at')},
      'weekly_mails', ${rowsOf('rep_digests', 'week')}) as person
    from reps r where r.workspace_id = ${tx.workspaceId} and r.rep_id = ${repId}`.execute(tx.db);
  return rows[0]?.person ?? null;
}

/** The signatures that the person gave on statements of others, or that others gave in their place. */
async function listGivenSignatures(tx: Transaction, repId: string): Promise<unknown[]> {
  const { rows } = await sql`
    select signature_id as "signatureId", period, step, version, content_hash as "contentHash", signed_at as "signedAt",
      signer_id = ${repId} as "signedByYou"
    from statement_signatures
    where workspace_id = ${tx.workspaceId} and (signer_id = ${repId} or on_behalf_of = ${repId}) and rep_id <> ${repId}
    order by position`.execute(tx.db);
  return rows;
}

async function listDisputes(tx: Transaction, repId: string): Promise<unknown[]> {
  const { rows } = await sql`
    select d.dispute_id as "disputeId", d.period, d.deal_id as "dealId", d.type, d.status, d.description, d.evidence,
      trim_scale(d.expected_amount)::text as "expectedAmount", d.currency, d.opened_at as "openedAt",
      (select jsonb_agg(jsonb_build_object('at', s.at, 'status', s.status, 'note', s.note) order by s.step)
        from dispute_steps s where s.workspace_id = d.workspace_id and s.dispute_id = d.dispute_id) as steps
    from disputes d where d.workspace_id = ${tx.workspaceId} and d.rep_id = ${repId}
    order by d.opened_at, d.dispute_id`.execute(tx.db);
  return rows;
}

async function listComments(tx: Transaction, repId: string): Promise<unknown[]> {
  const { rows } = await sql`
    select comment_id as "commentId", period, deal_id as "dealId", body, created_at as "createdAt",
      coalesce(author_id = ${repId}, false) as "writtenByYou"
    from statement_comments
    where workspace_id = ${tx.workspaceId} and (rep_id = ${repId} or author_id = ${repId})
    order by created_at, comment_id`.execute(tx.db);
  return rows;
}

/** The calls that named the person or changed their rows. Reps see no other person, so that it names no caller. */
async function listAccess(tx: Transaction, repId: string): Promise<unknown[]> {
  const { rows } = await sql`
    select position::float8 as position, at, c.content ->> 'operation' as operation, c.content ->> 'outcome' as outcome,
      coalesce(c.content ->> 'personId' = ${repId}, false) as "byYou"
    from audit_entries e
    cross join lateral (select e.content::jsonb as content offset 0) c
    where e.workspace_id = ${tx.workspaceId} and e.position is not null and strpos(e.content, ${repId}::text) > 0
    order by e.position`.execute(tx.db);
  return rows;
}
