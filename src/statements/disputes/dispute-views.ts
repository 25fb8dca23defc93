import { type InferResult, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, maySee, visibleReps } from '../../kernel/caller.js';
import { isUuid } from '../../kernel/ids.js';
import { type Period } from '../../kernel/period.js';
import { inParallel } from '../../kernel/waiting.js';
import { toAuthor } from '../../people/reps/author.js';
import { notYours } from '../../people/reps/rep.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listNewestComments } from '../comments/comment-views.js';
import {
  type Dispute,
  type DisputeDetail,
  type DisputeStatus,
  type DisputeStep,
  disputeNotFound,
  type Evidence,
  maxThreadComments,
  type StoredDispute,
} from './dispute.js';

interface DisputeFilter {
  readonly status?: DisputeStatus | undefined;
  readonly period?: Period | undefined;
  /** Null for the disputes of all reps. */
  readonly repIds: readonly string[] | null;
}

/** The page of disputes that match, latest first, and the number of all that match. */
export async function listDisputes(
  tx: Transaction,
  caller: Caller,
  filter: DisputeFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ disputes: Dispute[]; count: number }> {
  const matching = selectMatching(tx, caller, filter);
  const [rows, counted] = await inParallel(
    () =>
      selectColumns(matching)
        .orderBy('d.opened_at', 'desc')
        .orderBy('d.dispute_id')
        .limit(page.limit)
        .offset(page.offset)
        .execute(),
    () => matching.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
  );
  return { disputes: rows.map(toDispute), count: Number(counted.count) };
}

/** The dispute with the person who opened it; null if there is none. */
export async function findDispute(tx: Transaction, caller: Caller, disputeId: string): Promise<StoredDispute | null> {
  if (!isUuid(disputeId)) return null;
  const row = await selectColumns(selectMatching(tx, caller, { repIds: null }))
    .where('d.dispute_id', '=', disputeId)
    .executeTakeFirst();
  return row === undefined ? null : toDispute(row);
}

/** The other undecided disputes about the same deal or event of a period, latest first. */
export async function listOpenAboutTheSame(tx: Transaction, disputeId: string): Promise<string[]> {
  const { rows } = await sql<{ disputeId: string }>`
    select o.dispute_id as "disputeId"
    from disputes d join disputes o on o.workspace_id = d.workspace_id and o.rep_id = d.rep_id and o.period = d.period
      and o.deal_id is not distinct from d.deal_id and o.event_id is not distinct from d.event_id
    where d.workspace_id = ${tx.workspaceId} and d.dispute_id = ${disputeId} and o.dispute_id <> d.dispute_id
      and o.status in ('open', 'in_review')
    order by o.opened_at desc, o.dispute_id limit 10`.execute(tx.db);
  return rows.map((row) => row.disputeId);
}

/** Rejects an unknown dispute, and one of a rep that the caller may not see. */
export async function findVisibleDispute(tx: Transaction, caller: Caller, disputeId: string): Promise<StoredDispute> {
  const dispute = await findDispute(tx, caller, disputeId);
  if (dispute === null) throw disputeNotFound();
  if (!maySee(caller, dispute.repId)) throw notYours();
  return dispute;
}

/** Adds the evidence, the history and the thread to a dispute. */
export async function readDisputeDetail(tx: Transaction, caller: Caller, dispute: Dispute): Promise<DisputeDetail> {
  const { repId, period, dealId } = dispute;
  const { evidence } = await tx.db
    .selectFrom('disputes')
    .select('evidence')
    .where('workspace_id', '=', tx.workspaceId)
    .where('dispute_id', '=', dispute.disputeId)
    .executeTakeFirstOrThrow();
  return {
    ...dispute,
    evidence: visibleEvidence(caller, evidence as Evidence),
    history: await listSteps(tx, dispute.disputeId),
    comments: await listNewestComments(tx, { repId, period }, { dealId, limit: maxThreadComments }),
  };
}

/**
 * A caller who sees only some reps does not learn whether a deal of others exists. Disputes that are older than this part
 * of the evidence have no late amounts.
 */
function visibleEvidence(caller: Caller, stored: Evidence): Evidence {
  const evidence = { ...stored, corrections: stored.corrections ?? [], openDifferences: stored.openDifferences ?? [] };
  const isHidden = evidence.deal === 'unknown' && visibleReps(caller) !== null;
  return isHidden ? { ...evidence, deal: 'not_owned' } : evidence;
}

async function listSteps(tx: Transaction, disputeId: string): Promise<DisputeStep[]> {
  const rows = await tx.db
    .selectFrom('dispute_steps as s')
    .leftJoin('reps as a', (join) =>
      join.onRef('a.workspace_id', '=', 's.workspace_id').onRef('a.rep_id', '=', 's.author_id'),
    )
    .select(['s.status', 's.note', 's.at', 's.author_id as authorId', 'a.name as author'])
    .where('s.workspace_id', '=', tx.workspaceId)
    .where('s.dispute_id', '=', disputeId)
    .orderBy('s.step')
    .execute();
  return rows.map(({ status, note, at, authorId, author }) => ({
    status,
    by: toAuthor(authorId, author),
    note,
    at: at.toISOString(),
  }));
}

function selectMatching(tx: Transaction, caller: Caller, { status, period, repIds }: DisputeFilter) {
  let query = tx.db
    .selectFrom('disputes as d')
    .innerJoin('reps as r', (join) =>
      join.onRef('r.workspace_id', '=', 'd.workspace_id').onRef('r.rep_id', '=', 'd.rep_id'),
    )
    .leftJoin('reps as o', (join) =>
      join.onRef('o.workspace_id', '=', 'd.workspace_id').onRef('o.rep_id', '=', 'd.opened_by'),
    )
    // A rep sees the names of deals that are theirs or their team's now.
    .leftJoin('deals as l', (join) =>
      join
        .onRef('l.workspace_id', '=', 'd.workspace_id')
        .onRef('l.deal_id', '=', 'd.deal_id')
        .on(sql<SqlBool>`d.evidence ->> 'deal' in ('owned', 'team')`)
        .on(namesDeal(caller)),
    )
    .where('d.workspace_id', '=', tx.workspaceId);
  if (status !== undefined) query = query.where('d.status', '=', status);
  if (period !== undefined) query = query.where('d.period', '=', period);
  if (repIds !== null) query = query.where(sql<SqlBool>`d.rep_id = any(${repIds}::uuid[])`);
  return query;
}

/** Whether the caller may read the present name of the deal `l` of the dispute `d`. */
function namesDeal(caller: Caller): RawBuilder<SqlBool> {
  const repIds = visibleReps(caller);
  if (repIds === null) return sql<SqlBool>`true`;
  return sql<SqlBool>`(l.rep_id = any(${repIds}::uuid[]) or (d.evidence ->> 'deal' = 'team'
    and l.rep_id = any(people_below(d.workspace_id, d.rep_id))))`;
}

function selectColumns(query: ReturnType<typeof selectMatching>) {
  return query
    .select(['d.dispute_id as disputeId', 'd.rep_id as repId', 'r.name as repName', 'd.period', 'd.deal_id as dealId'])
    .select([
      'l.name as dealName',
      'd.event_id as eventId',
      'd.type',
      'd.status',
      'd.expected_amount as expectedAmount',
    ])
    .select(['d.currency', 'd.description', 'd.opened_by as openedById', 'o.name as openedByName'])
    .select('d.approved_by as approvedById')
    .select(['d.opened_at as openedAt', 'd.updated_at as updatedAt', 'd.adjustment_event_id as adjustmentId']);
}

type DisputeRow = InferResult<ReturnType<typeof selectColumns>>[number];

function toDispute(row: DisputeRow): StoredDispute {
  const { openedById, openedByName, openedAt, updatedAt, expectedAmount, ...same } = row;
  return {
    ...same,
    expectedAmount: expectedAmount === null ? null : Number(expectedAmount),
    openedBy: toAuthor(openedById, openedByName),
    openedAt: openedAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
