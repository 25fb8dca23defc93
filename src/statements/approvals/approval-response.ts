import { type ApprovalStep, isConsent } from '../../access/workspaces/approval-steps.js';
import { type Caller, seesTeam } from '../../kernel/caller.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type StatementContent, type StatementHead } from '../statement.js';
import { type Approval } from './approval.js';
import { type ChainState, type Chains, findSigning, listSubjects, loadChains, readChain } from './approval-state.js';
import { type Signature } from './signature-store.js';

/** Reps see no other person, and so none of the signers. */
export function toApprovalResponse(chains: Chains, state: ChainState, caller: Caller): Approval {
  const { steps, next, subject } = state;
  const withNames = seesTeam(caller);
  return {
    done: steps.filter(({ signature }) => signature !== null).length,
    of: steps.length,
    contentHash: subject.contentHash,
    ...(next === null ? {} : { next: toNext(chains, state, caller) }),
    steps: steps.map(({ name, signature }) => ({
      name,
      status: statusOf(signature, next?.step.name === name),
      ...(signature === null ? {} : toSignature(signature, withNames)),
      ...(signature?.carriedAmount == null ? {} : { carried: Number(signature.carriedAmount) }),
    })),
  };
}

/** {@link toApprovalResponse} with the signatures that count no longer. */
function withHistory(response: Approval, { history }: ChainState, caller: Caller): Approval {
  const ended = history.flatMap((signature) =>
    signature.endedAt === null || signature.endedBy === null
      ? []
      : [
          {
            name: signature.step,
            ...toSignature(signature, seesTeam(caller)),
            endedAt: signature.endedAt.toISOString(),
            endedBy: signature.endedBy,
          },
        ],
  );
  return { ...response, history: ended };
}

function statusOf(signature: Signature | null, isNext: boolean): Approval['steps'][number]['status'] {
  if (signature !== null) return signature.signerId === null ? 'no_answer' : 'signed';
  return isNext ? 'next' : 'waiting';
}

function toSignature({ signerId, signer, onBehalfOf, signedAt, version }: Signature, withNames: boolean) {
  const named = withNames && signerId !== null;
  return {
    ...(named ? { signedBy: { repId: signerId, name: signer ?? '' } } : {}),
    ...(named && onBehalfOf !== null ? { onBehalfOf } : {}),
    signedAt: signedAt.toISOString(),
    version,
  };
}

function toNext(chains: Chains, state: ChainState, caller: Caller): NonNullable<Approval['next']> {
  const { next } = state;
  if (next === null) throw new Error('No step waits.');
  const { step, free, since, due, isOverdue } = next;
  const consent = isConsent(step);
  const names = free.map((repId) => ({ repId, name: chains.people.approvers.get(repId)?.name ?? '' }));
  return {
    name: step.name,
    ...(seesTeam(caller) && !consent ? { by: names } : {}),
    ...(consent ? { consent } : {}),
    since: since.toISOString(),
    due,
    ...(isOverdue ? { overdue: true } : {}),
    ...(free.length === 0 && !consent ? { blockedBy: 'no_signer' } : {}),
    ...(waitsFor(chains, state, caller.repId) ? { waitsForMe: true } : {}),
  };
}

/** Whether the person may sign the next step now. */
export function waitsFor(chains: Chains, state: ChainState, personId: string | null): boolean {
  if (personId === null || state.next === null) return false;
  if (isConsent(state.next.step)) return personId === state.subject.repId;
  const signing = findSigning(chains, state, personId);
  return signing !== null && signing !== 'already_signed';
}

interface Presented {
  readonly repId: string;
  readonly head: StatementHead | null;
  readonly content: StatementContent;
  /** The steps of the workspace, if the caller has read them. */
  readonly steps?: readonly ApprovalStep[] | null;
}

/** The chain of the latest version of a statement; nothing while one person approves, and before the first version. */
export async function presentApproval(
  tx: Transaction,
  { repId, head, content, steps }: Presented,
  caller: Caller,
  now: Date,
): Promise<{ readonly approval?: Approval }> {
  const { contentHash } = content;
  if (head === null || contentHash === undefined) return {};
  const chains = await loadChains(tx, head.period, [repId], now, steps);
  if (chains === null) return {};
  const state = readChain(chains, { ...content, contentHash, repId, status: head.status });
  return { approval: withHistory(toApprovalResponse(chains, state, caller), state, caller) };
}

/** The chains of the latest versions of the period, by rep; empty while one person approves. */
export async function presentApprovals(
  tx: Transaction,
  scope: { readonly period: string; readonly repIds: readonly string[] | null },
  caller: Caller,
  now: Date,
): Promise<ReadonlyMap<string, Approval>> {
  const chains = await loadChains(tx, scope.period, scope.repIds, now);
  if (chains === null) return new Map();
  const subjects = await listSubjects(tx, scope);
  return new Map(
    subjects.map((subject) => [subject.repId, toApprovalResponse(chains, readChain(chains, subject), caller)]),
  );
}
