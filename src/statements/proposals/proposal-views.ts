import { type SqlBool, sql } from 'kysely';
import { type Caller, seesTeam } from '../../kernel/caller.js';
import { currentDay } from '../../kernel/day.js';
import { isUuid } from '../../kernel/ids.js';
import { type Period } from '../../kernel/period.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { findSigners, loadPeople } from '../approvals/signers.js';
import { sharesDaysWith } from '../shared-days.js';
import { type Proposal } from './proposal.js';

interface ProposalFilter {
  readonly adjustmentId?: string | undefined;
  readonly status?: Proposal['status'] | undefined;
  readonly period?: Period | undefined;
  /** Null for everyone. */
  readonly repIds: readonly string[] | null;
}

/** A proposal with everyone who may decide it now. */
export interface StoredProposal extends Omit<Proposal, 'deciders' | 'mayDecide' | 'dealId'> {
  readonly dealId: string | null;
  readonly deciders: NonNullable<Proposal['deciders']>;
  readonly proposerIds: readonly string[];
}

/** The proposals that match, the latest first. */
export async function findProposals(tx: Transaction, filter: ProposalFilter, now: Date): Promise<StoredProposal[]> {
  if (filter.adjustmentId !== undefined && !isUuid(filter.adjustmentId)) return [];
  const rows = await selectProposals(tx, filter).execute();
  if (rows.length === 0) return [];
  const people = await loadPeople(
    tx,
    rows.map(({ repId }) => repId),
    currentDay(await loadWorkspaceTerms(tx), now),
  );
  const calendar = await loadCalendar(tx);
  const decidersOf = ({ repId, period, deciders, proposerIds }: (typeof rows)[number]) =>
    findSigners(people, deciders, repId, calendar.range(period).to)
      .filter((id) => !proposerIds.includes(id))
      .map((id) => ({ repId: id, name: people.approvers.get(id)?.name ?? '' }));
  return rows.map((row): StoredProposal => {
    const { deciders: _, amount, proposedAt, decidedAt, proposerId, proposer, deciderId, decider, ...same } = row;
    const { decisionReason, eventId, ...rest } = same;
    return {
      ...rest,
      amount: Number(amount),
      proposedAt: proposedAt.toISOString(),
      ...(proposerId === null ? {} : { proposedBy: { repId: proposerId, name: proposer ?? '' } }),
      ...(decidedAt === null ? {} : { decidedAt: decidedAt.toISOString() }),
      ...(deciderId === null ? {} : { decidedBy: { repId: deciderId, name: decider ?? '' } }),
      ...(decisionReason === null ? {} : { decisionReason }),
      ...(eventId === null ? {} : { eventId }),
      deciders: row.status === 'proposed' ? decidersOf(row) : [],
    };
  });
}

function selectProposals(tx: Transaction, { adjustmentId, status, period, repIds }: ProposalFilter) {
  let query = tx.db
    .selectFrom('adjustment_proposals as p')
    .innerJoin('reps as r', (join) =>
      join.onRef('r.workspace_id', '=', 'p.workspace_id').onRef('r.rep_id', '=', 'p.rep_id'),
    )
    .leftJoin('reps as a', (join) =>
      join.onRef('a.workspace_id', '=', 'p.workspace_id').on(sql<SqlBool>`a.rep_id = p.proposer_ids[1]`),
    )
    .leftJoin('reps as d', (join) =>
      join.onRef('d.workspace_id', '=', 'p.workspace_id').onRef('d.rep_id', '=', 'p.decided_by'),
    )
    .select(['p.adjustment_id as adjustmentId', 'p.rep_id as repId', 'r.name as repName', 'p.period', 'p.kind'])
    .select(['p.amount', 'p.currency', 'p.deal_id as dealId', 'p.reason', 'p.status', 'p.proposed_at as proposedAt'])
    .select(['p.proposer_ids as proposerIds', 'a.rep_id as proposerId', 'a.name as proposer', 'p.event_id as eventId'])
    .select(['p.decided_at as decidedAt', 'd.rep_id as deciderId', 'd.name as decider', 'p.deciders'])
    .select('p.decision_reason as decisionReason')
    .where('p.workspace_id', '=', tx.workspaceId)
    .orderBy('p.proposed_at', 'desc')
    .orderBy('p.adjustment_id');
  if (adjustmentId !== undefined) query = query.where('p.adjustment_id', '=', adjustmentId);
  if (status !== undefined) query = query.where('p.status', '=', status);
  if (period !== undefined) query = query.where('p.period', '=', period);
  if (repIds !== null) query = query.where(sql<SqlBool>`p.rep_id = any(${repIds}::uuid[])`);
  return query;
}

/** Reps see no other person. */
export function presentProposals(proposals: readonly StoredProposal[], caller: Caller): Proposal[] {
  return proposals.map(({ deciders, proposerIds: _, proposedBy, decidedBy, ...rest }) => ({
    ...rest,
    ...(seesTeam(caller)
      ? {
          ...(proposedBy === undefined ? {} : { proposedBy }),
          ...(decidedBy === undefined ? {} : { decidedBy }),
          ...(rest.status === 'proposed' ? { deciders } : {}),
        }
      : {}),
    ...(deciders.some(({ repId }) => repId === caller.repId) ? { mayDecide: true as const } : {}),
  }));
}

/** The ids of the proposals that wait and whose period has days of this one, the earliest first. */
export async function listPending(tx: Transaction, period: Period, repId: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('adjustment_proposals')
    .select(['adjustment_id', 'period'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('status', '=', 'proposed')
    .orderBy('proposed_at')
    .execute();
  if (rows.length === 0) return [];
  const sharesDays = await sharesDaysWith(tx, period);
  return rows.filter((row) => sharesDays(row.period)).map((row) => row.adjustment_id);
}

/** The adjustments that wait, on the statement that they will change; nothing without any. */
export async function presentPending(
  tx: Transaction,
  { repId, period }: { readonly repId: string; readonly period: Period },
  caller: Caller,
  now: Date,
): Promise<{ readonly proposedAdjustments?: Proposal[] }> {
  if (tx.asOf !== null) return {};
  const waiting = await findProposals(tx, { status: 'proposed', repIds: [repId] }, now);
  if (waiting.length === 0) return {};
  const sharesDays = await sharesDaysWith(tx, period);
  const pending = waiting.filter((proposal) => sharesDays(proposal.period));
  return pending.length === 0 ? {} : { proposedAdjustments: presentProposals(pending, caller) };
}
