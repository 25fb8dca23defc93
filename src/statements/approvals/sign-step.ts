import { type ApprovalStep, isConsent } from '../../access/workspaces/approval-steps.js';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { type StatementContent, type StatementKey } from '../statement.js';
import { recordStatementEntry } from '../statement-store.js';
import { findHead } from '../statement-views.js';
import { type Approval } from './approval.js';
import { toApprovalResponse } from './approval-response.js';
import { type ChainState, type Chains, findSigning, loadChains, readChain, type Signing } from './approval-state.js';
import { endSignatures, insertSignature, listCounting, loadSteps, type Signature } from './signature-store.js';
import { findSigners } from './signers.js';

/** Who signs, which of the steps of the workspace they mean, and when. */
interface Signer {
  readonly caller: Caller;
  readonly steps: readonly ApprovalStep[] | null;
  /** Undefined: the step that waits. */
  readonly step: string | undefined;
  readonly at: Date;
}

/** What a signature leads to. */
export interface Signed {
  /** Whether no step waits any more. */
  readonly isLast: boolean;
  readonly approval: Approval;
}

type StoredContent = StatementContent & { readonly contentHash: string };

/** Signs the step that waits, as one of its signers. The caller holds the rep's lane. Null while one person approves. */
export async function signAsApprover(
  tx: Transaction,
  key: StatementKey,
  content: StoredContent,
  signer: Signer,
): Promise<Signed | null> {
  const first = await readState(tx, key, content, signer);
  if (first === null) return null;
  const { chains, state } = await passUnanswered(tx, key, content, first, signer);
  if (state.next === null) return { isLast: true, approval: toApprovalResponse(chains, state, signer.caller) };
  const signing = assertMaySign(chains, state, signer);
  return store(tx, key, content, state, signer, signing);
}

/** Signs as the rep whose pay the statement states. */
export async function signAsRep(
  tx: Transaction,
  key: StatementKey,
  content: StoredContent,
  signer: Signer,
): Promise<Signed> {
  const read = await readState(tx, key, content, signer);
  const next = read?.state.next ?? null;
  if (read === null || next === null || !isConsent(next.step)) throw notNext(read?.state ?? null);
  return store(tx, key, content, read.state, signer, { onBehalfOf: null });
}

/** Records an overdue consent as not answered. Other steps wait for their signers. */
export async function signAsUnanswered(
  tx: Transaction,
  key: StatementKey,
  content: StoredContent,
  signer: Signer,
): Promise<Signed> {
  const first = await readState(tx, key, content, signer);
  if (first === null) throw notNext(null);
  const { chains, state } = await passUnanswered(tx, key, content, first, signer);
  return { isLast: state.next === null, approval: toApprovalResponse(chains, state, signer.caller) };
}

interface Read {
  readonly chains: Chains;
  readonly state: ChainState;
}

async function readState(
  tx: Transaction,
  key: StatementKey,
  content: StoredContent,
  { steps, at }: Signer,
): Promise<Read | null> {
  const chains = await loadChains(tx, key.period, [key.repId], at, steps);
  if (chains === null) return null;
  return { chains, state: readChain(chains, { ...content, repId: key.repId, status: 'draft' }) };
}

/** A consent that is overdue is recorded as not answered, and the chain continues. */
async function passUnanswered(
  tx: Transaction,
  key: StatementKey,
  content: StoredContent,
  read: Read,
  signer: Signer,
): Promise<Read> {
  const { next } = read.state;
  if (next === null || !isConsent(next.step) || !next.isOverdue) return read;
  const { version, contentHash } = content;
  const signature = {
    ...key,
    step: next.step.name,
    version,
    contentHash,
    signerId: null,
    onBehalfOf: null,
    at: signer.at,
  };
  await insertSignature(tx, signature);
  return (await readState(tx, key, content, signer)) ?? read;
}

function assertMaySign(chains: Chains, state: ChainState, { caller, step }: Signer): Signing {
  const { next, subject } = state;
  if (next === null) throw notNext(state);
  const signed = state.steps.find(({ name, signature }) => name === step && signature !== null)?.signature ?? null;
  if (signed !== null) throw takenBy(signed, caller);
  if (step !== undefined && step !== next.step.name) throw notNext(state);
  const signing = caller.repId === null ? null : findSigning(chains, state, caller.repId);
  if (signing === 'already_signed') throw alreadySigned();
  if (signing !== null) return signing;
  const own = state.steps.find(({ signature }) => signature !== null && signature.signerId === caller.repId);
  if (caller.repId !== null && own !== undefined) throw alreadySigned();
  const lost = lastStepOf(chains, state, caller.repId);
  if (lost !== null) throw takenBy(lost, caller);
  throw notYourStep(chains, state, subject.repId);
}

/** The signature of the latest step that the person could have signed. */
function lastStepOf(chains: Chains, { steps, subject }: ChainState, personId: string | null): Signature | null {
  if (personId === null) return null;
  const { people, lastDay } = chains;
  const open = steps.filter(({ name, signature }) => {
    const step = chains.steps.find((each) => each.name === name);
    if (step === undefined || signature === null) return false;
    return findSigners(people, step.by, subject.repId, lastDay).includes(personId);
  });
  return open.at(-1)?.signature ?? null;
}

async function store(
  tx: Transaction,
  key: StatementKey,
  content: StoredContent,
  { next, steps }: ChainState,
  signer: Signer,
  { onBehalfOf }: Signing,
): Promise<Signed> {
  const { caller, at } = signer;
  if (next === null) throw notNext(null);
  const { version, contentHash, summary, currency } = content;
  const step = next.step.name;
  await insertSignature(tx, { ...key, step, version, contentHash, signerId: caller.repId, onBehalfOf, at });
  const done = steps.filter(({ signature }) => signature !== null).length + 1;
  await recordStatementEntry(tx, caller, {
    runId: newId(),
    trigger: 'statement_signed',
    ...key,
    details: { step, version, contentHash, onBehalfOf, netPayout: summary.netPayout },
    at,
  });
  const data = { ...key, version, step, done, of: steps.length, netPayout: Number(summary.netPayout), currency };
  await recordEvent(tx, { type: 'statement.signed', repId: key.repId, data });
  const read = await readState(tx, key, content, signer);
  if (read === null) throw new Error('The chain has ended within a transaction.');
  return { isLast: read.state.next === null, approval: toApprovalResponse(read.chains, read.state, caller) };
}

/** Withdraws the last signature of a draft, which must be the caller's. Nothing if none counts. */
export async function withdrawSignature(tx: Transaction, key: StatementKey, caller: Caller, at: Date): Promise<void> {
  const last = (await listCounting(tx, key.period, key.repId)).at(-1);
  if (last === undefined) return;
  if (last.signerId === null || last.signerId !== caller.repId)
    throw new Failure(
      'forbidden',
      `Only who has signed the last step (${last.step}) withdraws this signature, from their own session.`,
    );
  await endSignatures(tx, [last], 'withdrawn', at);
  await recordStatementEntry(tx, caller, {
    runId: newId(),
    trigger: 'signature_withdrawn',
    ...key,
    details: { step: last.step, version: last.version },
    at,
  });
}

/** A dispute about a statement withdraws the consent of the rep to it. */
export async function withdrawConsent(tx: Transaction, key: StatementKey, at: Date): Promise<void> {
  const steps = await loadSteps(tx);
  const consents = (steps ?? []).filter(isConsent).map(({ name }) => name);
  if (consents.length === 0 || (await findHead(tx, key))?.status !== 'draft') return;
  const counting = await listCounting(tx, key.period, key.repId);
  await endSignatures(
    tx,
    counting.filter(({ step }) => consents.includes(step)),
    'disputed',
    at,
  );
}

/** All signatures of a statement that is opened again are gone. */
export async function endAllSignatures(tx: Transaction, key: StatementKey, at: Date): Promise<void> {
  await endSignatures(tx, await listCounting(tx, key.period, key.repId), 'unlocked', at);
}

/** Who else has signed the last step, if others did so before the caller pressed. */
export async function assertOwnLastSignature(tx: Transaction, key: StatementKey, caller: Caller): Promise<void> {
  const last = (await listCounting(tx, key.period, key.repId)).at(-1);
  if (last !== undefined && last.signerId !== caller.repId) throw takenBy(last, caller);
}

function alreadySigned(): Failure {
  return new Failure(
    'already_signed',
    'You have signed a step of this statement, for yourself or for another person. Someone else must sign this one.',
  );
}

function takenBy({ step, signerId, signer }: Signature, caller: Caller): Failure {
  if (signerId !== null && signerId === caller.repId) return alreadySigned();
  return new Failure('already_signed_by', `The step ${step} is signed already by ${signer ?? 'no one in time'}.`, {
    step,
    name: signer,
  });
}

export function notNext(state: ChainState | null): Failure {
  const next = state?.next ?? null;
  return new Failure(
    'step_not_next',
    next === null
      ? 'No step of this statement waits for this signature.'
      : `The step that waits is ${next.step.name}. Steps are signed in their order.`,
    next === null ? {} : { step: next.step.name },
  );
}

function notYourStep({ people }: Chains, { next }: ChainState, repId: string): Failure {
  const names = (next?.free ?? []).map((id) => people.approvers.get(id)?.name ?? id);
  const step = next?.step.name ?? '';
  const who =
    next !== null && isConsent(next.step)
      ? 'It waits for the rep.'
      : names.length === 0
        ? 'No one may sign it: an admin must name others for it.'
        : `It waits for ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' and others' : ''}, each from their own session.`;
  return new Failure('not_your_step', `You may not sign the step ${step}. ${who}`, { step, repId });
}
