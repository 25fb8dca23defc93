import { sql } from 'kysely';
import { type ApprovalStep, isConsent, type StoredStep } from '../../access/workspaces/approval-steps.js';
import { addDays, currentDay, type Day, dayInZone } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { inParallel } from '../../kernel/waiting.js';
import { loadRange } from '../../ledger/input/calendar.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { lastDecisionsIn } from '../approval-holds.js';
import { type StatementContent, type StatementHead } from '../statement.js';
import { totalOf } from './content-change.js';
import { listSignatures, loadSteps, type Signature } from './signature-store.js';
import { findSigners, listDelegators, loadPeople, mayApproveFor, type People } from './signers.js';

/** A version of a statement whose chain is read. */
export interface Subject
  extends Pick<StatementContent, 'version' | 'summary' | 'otherCurrencies' | 'currency' | 'generatedAt'> {
  readonly repId: string;
  readonly status: StatementHead['status'];
  readonly contentHash: string;
}

/** What decides the chains of the statements of a period. */
export interface Chains {
  readonly steps: readonly StoredStep[];
  readonly people: People;
  readonly timeZone: string;
  readonly lastDay: Day;
  readonly signatures: ReadonlyMap<string, readonly Signature[]>;
  /** The signers whom an admin has named instead of those of the chain, by rep and step. */
  readonly assigned: ReadonlyMap<string, readonly string[]>;
  /** When the last dispute of the rep about days of the period was decided. Empty where no consent is due. */
  readonly decided: ReadonlyMap<string, Date>;
  /** Whether the state is an earlier one, in which no step waits. */
  readonly isPast: boolean;
}

export interface NextStep {
  readonly step: ApprovalStep;
  /** The people who sign it, without their delegates. Empty for the consent of the rep. */
  readonly signers: readonly string[];
  /** Those of them who have not signed another step. */
  readonly free: readonly string[];
  readonly since: Date;
  readonly due: Day | null;
  readonly isOverdue: boolean;
  /** Whether the signers of `escalateTo` may sign too. */
  readonly isEscalated: boolean;
}

interface StepState {
  readonly name: string;
  readonly signature: Signature | null;
}

export interface ChainState {
  readonly subject: Subject;
  readonly steps: readonly StepState[];
  /** Null for an approved statement, and where every step is signed. */
  readonly next: NextStep | null;
  /** All signatures, also those that count no longer. */
  readonly history: readonly Signature[];
}

/** Null while one person approves. A caller that has already read the steps of the workspace passes them. */
export async function loadChains(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
  now: Date,
  read?: readonly StoredStep[] | null,
): Promise<Chains | null> {
  const steps = read === undefined ? await loadSteps(tx) : read;
  if (steps === null) return null;
  const workspace = await loadWorkspaceTerms(tx);
  const isConsentDue = steps.some((step) => isConsent(step) && step.dueDays !== undefined);
  const [people, signatures, assigned, decided, { to: lastDay }] = await inParallel(
    () => loadPeople(tx, repIds, currentDay(workspace, now)),
    () => listSignatures(tx, period, repIds),
    () => loadAssigned(tx, period, repIds),
    async () => (isConsentDue ? lastDecisionsIn(tx, period, repIds) : new Map<string, Date>()),
    () => loadRange(tx, period),
  );
  const { timeZone } = workspace;
  return { steps, people, timeZone, lastDay, signatures, assigned, decided, isPast: tx.asOf !== null };
}

async function loadAssigned(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ repId: string; step: string; signers: string[] }>`
    select distinct on (rep_id, step) rep_id as "repId", step, signer_ids as signers from step_assignments
    where workspace_id = ${tx.workspaceId} and period = ${period}
      ${repIds === null ? sql`` : sql`and rep_id = any(${repIds}::uuid[])`}
    order by rep_id, step, position desc`.execute(tx.db);
  return new Map(rows.map(({ repId, step, signers }) => [`${repId} ${step}`, signers]));
}

export function readChain(chains: Chains, subject: Subject): ChainState {
  const history = chains.signatures.get(subject.repId) ?? [];
  const counting = history.filter(({ endedAt }) => endedAt === null);
  if (subject.status === 'approved')
    return { subject, history, next: null, steps: counting.map((each) => ({ name: each.step, signature: each })) };
  const needed = chains.steps.filter((step) => isNeeded(step, subject));
  const steps = needed.map(({ name }) => ({ name, signature: counting.find(({ step }) => step === name) ?? null }));
  const position = steps.findIndex(({ signature }) => signature === null);
  const step = needed[position];
  const next = step === undefined || chains.isPast ? null : describeNext(chains, subject, step, steps, position);
  return { subject, steps, next, history };
}

/** Amounts in other currencies cannot be compared with the limit, so that a statement with one needs the step. */
function isNeeded({ minPayable }: ApprovalStep, { summary, otherCurrencies }: Subject): boolean {
  if (minPayable === undefined) return true;
  if (otherCurrencies.some((other) => !totalOf(other.summary).isZero())) return true;
  return !totalOf(summary).isLessThan(Decimal.of(minPayable));
}

function describeNext(
  chains: Chains,
  { repId, generatedAt }: Subject,
  step: StoredStep,
  steps: readonly StepState[],
  position: number,
): NextStep {
  const previous = steps[position - 1]?.signature?.signedAt ?? generatedAt ?? new Date(0);
  const changed = step.since === undefined ? [] : [new Date(step.since)];
  const ended = (chains.signatures.get(repId) ?? [])
    .filter((signature) => signature.step === step.name && signature.endedAt !== null)
    .map(({ endedAt }) => endedAt as Date);
  const decided = isConsent(step) ? (chains.decided.get(repId) ?? []) : [];
  const since = [previous, ...changed, ...ended].concat(decided).reduce((latest, at) => (at > latest ? at : latest));
  const { people, timeZone, lastDay } = chains;
  const first = dayInZone(since, timeZone);
  const dueAfter = (times: number) => (step.dueDays === undefined ? null : addDays(first, step.dueDays * times));
  const isAfter = (day: Day | null) => day !== null && people.today > day;
  const signersOf = (by: Parameters<typeof findSigners>[1]) => findSigners(people, by, repId, lastDay);
  const named = chains.assigned.get(`${repId} ${step.name}`);
  const escalated = isAfter(dueAfter(2)) && step.escalateTo !== undefined ? signersOf(step.escalateTo) : [];
  const due = dueAfter(1);
  const used = listUsed(steps);
  const signers = [...new Set([...signersOf(named === undefined ? step.by : { repIds: [...named] }), ...escalated])];
  return {
    step,
    signers,
    free: signers.filter((id) => !used.has(id)),
    since,
    due,
    isOverdue: isAfter(due),
    isEscalated: escalated.length > 0,
  };
}

/** How the person signs the next step: for themself or as the delegate of another. */
export interface Signing {
  readonly onBehalfOf: string | null;
}

/** Null if the person does not sign the step. No one signs twice, also not as a delegate or through one. */
export function findSigning(
  { people }: Chains,
  { subject, next, steps }: ChainState,
  personId: string,
): Signing | 'already_signed' | null {
  if (next === null || isConsent(next.step)) return null;
  const ways = [
    ...(next.signers.includes(personId) ? [{ onBehalfOf: null }] : []),
    ...delegatorsAmong(people, next.signers, personId, subject.repId).map((onBehalfOf) => ({ onBehalfOf })),
  ];
  if (ways.length === 0) return null;
  const used = listUsed(steps);
  if (used.has(personId)) return 'already_signed';
  return ways.find(({ onBehalfOf }) => !used.has(onBehalfOf ?? personId)) ?? 'already_signed';
}

/** Everyone who has signed a step, or in whose place another has. */
function listUsed(steps: readonly StepState[]): ReadonlySet<string> {
  return new Set(
    steps.flatMap(({ signature }) =>
      [signature?.signerId ?? null, signature?.onBehalfOf?.repId ?? null].filter((id) => id !== null),
    ),
  );
}

function delegatorsAmong(people: People, signers: readonly string[], delegateId: string, repId: string): string[] {
  if (!mayApproveFor(people, delegateId, repId)) return [];
  return listDelegators(people, delegateId).filter((id) => signers.includes(id));
}

/** The latest versions of statements, of one period or of all, that are drafts or have the period. */
export async function listSubjects(
  tx: Transaction,
  { period, repIds }: { readonly period: Period | null; readonly repIds: readonly string[] | null },
): Promise<readonly (Subject & { readonly period: Period; readonly repName: string })[]> {
  const { rows } = await sql<Subject & { period: Period; repName: string }>`
    select h.period, h.rep_id as "repId", r.name as "repName", h.status, s.version, s.currency, s.summary,
      s.other_currencies as "otherCurrencies", s.generated_at as "generatedAt", s.content_hash as "contentHash"
    from statement_periods h
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.current_version
    join reps r on r.workspace_id = h.workspace_id and r.rep_id = h.rep_id
    where h.workspace_id = ${tx.workspaceId}
      ${period === null ? sql`and h.status = 'draft'` : sql`and h.period = ${period}`}
      ${repIds === null ? sql`` : sql`and h.rep_id = any(${repIds}::uuid[])`}
    order by h.to_day, h.from_day, lower(r.name), h.rep_id`.execute(tx.db);
  return rows;
}
