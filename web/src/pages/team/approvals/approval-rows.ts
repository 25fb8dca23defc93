import {
  type Exceptions,
  isPaidElsewhere,
  type TeamOverview,
  type TeamStatement,
  type TeamStatements,
} from '../../../api/team-queries.js';
import { type Attainment } from '../../../features/plans/attainment.js';
import { difference } from '../../../shared/format/exact.js';
import { formatMoney, formatNumber } from '../../../shared/format/numbers.js';
import { mainAttainment } from '../attainment.js';
import { isSeen, type SeenStatement } from './seen-statements.js';

/**
 * Why a draft is not part of "select all". `review`: it can be selected after the manager has checked the version.
 * `blocked`: it cannot be approved now. `question`: it can be selected alone, because a workspace may allow that.
 */
type Hold =
  | { readonly kind: 'review'; readonly reason: 'changed'; readonly seen: SeenStatement }
  | { readonly kind: 'review'; readonly reason: 'unusual'; readonly deviations: number }
  | { readonly kind: 'review'; readonly reason: 'own_changes'; readonly changes: TeamStatement['ownChanges'] }
  | { readonly kind: 'question'; readonly disputes: TeamStatement['openDisputes'] }
  | { readonly kind: 'blocked'; readonly reason: 'covered'; readonly periods: readonly string[] }
  | {
      readonly kind: 'blocked';
      readonly reason: 'stale' | 'calculating' | 'no_draft' | 'quota_missing' | 'own' | 'step';
    };

export interface ApprovalRow {
  readonly repId: string;
  readonly statement: TeamStatement;
  readonly attainment: Attainment | null;
  /** The change of the net payout since the period before; null if there is none in the same currency. */
  readonly change: string | null;
  readonly hold: Hold | null;
  /** What is worth a look at the figures, in words. */
  readonly remarks: readonly string[];
}

interface ApprovalData {
  readonly period: string;
  readonly ownRepId: string;
  readonly statements: TeamStatements;
  readonly overview: TeamOverview | null;
  readonly previous: TeamStatements | null;
  /** Those of the people of the statements, by their ids. */
  readonly exceptions: Exceptions | undefined;
  readonly seenOf: (repId: string) => SeenStatement | undefined;
}

/** More than this is worth a look. */
const usualDeviations = 3;

/** First what needs a review, then what can be approved, then what is blocked; each by name. */
export function approvalRows(data: ApprovalData): ApprovalRow[] {
  const missing = repsWithoutQuota(data.exceptions);
  const attainments = new Map(data.overview?.reps.map((rep) => [rep.repId, rep.attainment]));
  const withoutId = new Set(data.statements.missingPayrollIds.map(({ repId }) => repId));
  const before = new Map(data.previous?.statements.map((statement) => [statement.repId, statement]));
  const rows = data.statements.statements.map((statement): ApprovalRow => {
    const { repId } = statement;
    return {
      repId,
      statement,
      attainment: mainAttainment(attainments.get(repId) ?? [], data.period),
      change: changeSince(before.get(repId), statement),
      hold: findHold(statement, data, missing.has(repId)),
      remarks: listRemarks(statement, before.get(repId), withoutId.has(repId)),
    };
  });
  return rows.sort((a, b) => rank(a) - rank(b));
}

function findHold(statement: TeamStatement, { ownRepId, seenOf }: ApprovalData, lacksQuota: boolean): Hold | null {
  const { repId, status, version, checks, coveredBy, openDisputes } = statement;
  if (status === 'approved') return null;
  if (coveredBy.length > 0) return { kind: 'blocked', reason: 'covered', periods: coveredBy };
  if (lacksQuota) return { kind: 'blocked', reason: 'quota_missing' };
  if (status === 'none') return { kind: 'blocked', reason: 'no_draft' };
  if (statement.pending === true) return { kind: 'blocked', reason: 'calculating' };
  if (repId === ownRepId) return { kind: 'blocked', reason: 'own' };
  if (statement.stale === true) return { kind: 'blocked', reason: 'stale' };
  if (statement.approval !== undefined && statement.approval.next?.waitsForMe !== true)
    return { kind: 'blocked', reason: 'step' };
  const isChecked = checks.some((check) => check.version === version);
  const review = isChecked ? null : findReview(statement, seenOf(repId));
  return review ?? (openDisputes.length > 0 ? { kind: 'question', disputes: openDisputes } : null);
}

function findReview(statement: TeamStatement, seen: SeenStatement | undefined): Hold | null {
  const { deviations, ownChanges } = statement;
  if (seen !== undefined && !isSeen(seen, statement)) return { kind: 'review', reason: 'changed', seen };
  if (ownChanges.length > 0) return { kind: 'review', reason: 'own_changes', changes: ownChanges };
  return deviations !== undefined && Math.abs(deviations) > usualDeviations
    ? { kind: 'review', reason: 'unusual', deviations }
    : null;
}

function repsWithoutQuota(exceptions: Exceptions | undefined): ReadonlySet<string> {
  const groups = exceptions?.exceptions.filter(
    ({ reason }) => reason === 'quota_missing' || reason === 'variable_target_missing',
  );
  return new Set(groups?.flatMap(({ repIds = [] }) => repIds));
}

/** The change of what is earned, in the currency of the person. */
function changeSince(before: TeamStatement | undefined, now: TeamStatement): string | null {
  if (before === undefined || before.currency !== now.currency) return null;
  return difference(now.summary.netPayout, before.summary.netPayout);
}

/** A change by more than this factor is worth a look, also without a year of history. */
const usualFactor = 3;

/** Amounts below this are too small for a factor to say anything. */
const smallAmount = 1000;

/** What is unusual about the figures, such as "20 × last month" or "pays 0, owes $5,899.54". */
function listRemarks(now: TeamStatement, before: TeamStatement | undefined, lacksId: boolean): readonly string[] {
  const earned = now.summary.netPayout;
  const then = before?.currency === now.currency ? before.summary.netPayout : undefined;
  return [
    ...(earned < 0 ? ['negative'] : []),
    ...changeRemarks(earned, then),
    ...payRemarks(now),
    ...(lacksId && now.payslip !== undefined ? ['no payroll ID'] : []),
  ];
}

function changeRemarks(earned: number, then: number | undefined): readonly string[] {
  if (then === undefined || Math.max(earned, then) < smallAmount) return [];
  if (then <= 0) return earned > 0 ? ['first amount since a period without one'] : [];
  if (earned > then * usualFactor) return [`${formatNumber(Math.round(earned / then))} × the period before`];
  return earned >= 0 && earned * usualFactor < then ? ['less than a third of the period before'] : [];
}

function payRemarks({ payslip, summary }: TeamStatement): readonly string[] {
  if (payslip === undefined) return [];
  const [owed] = payslip.owed;
  const pays = payslip.pays.some(({ amount }) => amount !== 0);
  if (payslip.pays.some(({ amount }) => amount === null)) return ['exchange rate missing'];
  if (owed !== undefined) return [`${pays ? '' : 'pays 0, '}owes ${formatMoney(owed.amount, owed.currency)}`];
  return !pays && summary.netPayout > 0 ? ['pays 0: waiting or held'] : [];
}

function rank({ hold }: ApprovalRow): number {
  if (hold === null) return 1;
  if (hold.kind !== 'blocked') return 0;
  return hold.reason === 'stale' ? 2 : 3;
}

/** Whether the statement can still be approved. Days that another approved statement covers are paid already. */
export const isToReview = ({ statement }: ApprovalRow) =>
  statement.status !== 'approved' && !isPaidElsewhere(statement);

export const isApproved = ({ statement }: ApprovalRow) => statement.status === 'approved';

/** Whether the amounts count in the period, and not in another approved period with the same days. */
export const isCounted = ({ statement }: ApprovalRow) => !isPaidElsewhere(statement);

/** Whether the row can be selected by itself. */
export const isSelectable = (row: ApprovalRow) =>
  isToReview(row) && (row.hold === null || row.hold.kind === 'question');

/** Whether "select all" includes the row. */
export const isClear = (row: ApprovalRow) => isToReview(row) && row.hold === null;

export const isBlockedBy =
  (...causes: readonly Extract<Hold, { kind: 'blocked' }>['reason'][]) =>
  ({ hold }: ApprovalRow) =>
    hold?.kind === 'blocked' && causes.includes(hold.reason);

/** How many of the statements have every signature with that of the person: without a chain, theirs is the only one. */
export function countApproved(statements: readonly Pick<TeamStatement, 'approval'>[]): number {
  return statements.filter(({ approval }) => approval === undefined || approval.done + 1 >= approval.of).length;
}

/** What the person does to the statements: a signature of a chain approves only with the last step. */
export function approvalVerb(statements: readonly Pick<TeamStatement, 'approval'>[]): 'Approve' | 'Sign' {
  return statements.some(({ approval }) => approval !== undefined) ? 'Sign' : 'Approve';
}

/** Whether the statement does not have the amounts to review yet. */
export const isUnready = isBlockedBy('quota_missing', 'no_draft', 'calculating');
