import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { withPresentRights } from '../../people/reps/present-rights.js';
import { type Transaction, withTransactionHooks } from '../../platform/database/unit-of-work.js';
import { type PresentBasis, readBasis } from './basis.js';
import { showSameFigures } from './change-preview.js';
import { type ShownPart, type StoredCaller } from './change-request.js';
import {
  decide,
  findPending,
  hasWritten,
  type RequestedChange,
  type RequestRef,
  type Run,
  recordWritten,
  returnToPending,
  storeOutcome,
  storeShown,
} from './change-request-store.js';
import { readChangeRequest } from './change-request-views.js';
import { computeFingerprint } from './fingerprint.js';
import { notPreviewed, type Previewed, type PreviewParts, previewChange } from './preview-change.js';

/** A person approves a request that they have read. */
interface Approval {
  readonly approver: Caller;
  readonly ref: RequestRef;
  /** Identifies what the person has read; undefined accepts what is stored. */
  readonly fingerprint: string | undefined;
  readonly reason: string | null;
}

/**
 * Runs a pending change if it is what was shown and does not pay the approver. It runs once, also if two people approve it
 * at the same time. Returns false if it was decided, has ended or is not visible to the person.
 */
export async function approveChange(parts: PreviewParts, approval: Approval): Promise<boolean> {
  const { unitOfWork, runner } = parts;
  const { approver, ref, reason } = approval;
  const { workspaceId } = approver;
  const request = await unitOfWork.read(approver, (tx) => findPending(tx, ref));
  if (request === null) return false;
  // An approval needs the proof of identity that the change itself would need.
  await runner.assertProof(request.tool, request.input, approver);
  const basis = await assertAsShown(parts, approval, request);
  const attempt = { workspaceId, requestId: request.requestId, runId: newId() };
  const decision = { status: 'running', reason, runId: attempt.runId } as const;
  if (!(await unitOfWork.write(approver, (tx) => decide(tx, approver, ref, decision)))) return false;
  if (await run(parts, approver, { attempt, request, basis })) return true;
  await unitOfWork.write(approver, (tx) => returnToPending(tx, attempt));
  await assertAsShown(parts, approval, request);
  throw new Failure('request_in_progress', 'Something else changed at the same time. Approve the change again.');
}

/** Rejects the approval if it would pay the approver, or if what was shown has changed. Returns the present basis. */
async function assertAsShown(parts: PreviewParts, approval: Approval, request: RequestedChange): Promise<PresentBasis> {
  const { unitOfWork, runner } = parts;
  const { approver, ref, fingerprint } = approval;
  const present = await unitOfWork.read(approver, (tx) => readBasis(tx, runner, request));
  if (pays(approver, [...present.paid, ...request.moves]))
    throw new Failure('forbidden', 'This change concerns your own pay or its terms. Another person must approve it.');
  const previewed = isCurrent(present, request) ? request : await repeatPreview(parts, approver, request);
  const changed = changesSince(request, present, previewed);
  if (changed.length > 0) await storePresent(parts, approver, request, { changed, present, previewed });
  else if (fingerprint === undefined || fingerprint === computeFingerprint(request)) return present;
  const { preview, fingerprint: stored } = await unitOfWork.read(approver, (tx) => readChangeRequest(tx, ref));
  throw new Failure('preview_outdated', describeChanges(changed), { changed, preview, fingerprint: stored });
}

function pays(approver: Caller, paid: readonly string[]): boolean {
  return peopleBehind(approver).some((repId) => paid.includes(repId));
}

/**
 * Whether the preview was calculated with the present configuration and commission. Commission may have changed since a
 * preview that a person has just read: in a busy workspace it changes within seconds, and nothing could be approved.
 */
function isCurrent({ basis: present }: PresentBasis, { basis, isFresh }: RequestedChange): boolean {
  if (basis.state !== present.state || basis.configuration !== present.configuration) return false;
  return isFresh || basis.commission === present.commission;
}

function changesSince(request: RequestedChange, { basis }: PresentBasis, { preview }: Previewed): ShownPart[] {
  return [
    ...(basis.state === request.basis.state ? [] : (['subject'] as const)),
    ...(showSameFigures(preview, request.preview) ? [] : (['commission'] as const)),
  ];
}

function describeChanges(changed: readonly ShownPart[]): string {
  const reason = changed.includes('subject')
    ? 'What this request changes has been changed since it was shown.'
    : 'The effect of this request is not the one that was shown.';
  return `${reason} Nothing has run. Read the request again, then approve or reject it.`;
}

interface Found {
  readonly changed: ShownPart[];
  readonly present: PresentBasis;
  readonly previewed: Previewed;
}

/** The next approval refers to what is stored here. It runs without the hooks of the call: this is no decision for the audit log. */
async function storePresent(
  { unitOfWork, clock }: PreviewParts,
  { workspaceId }: Caller,
  { requestId, preview: earlier }: RequestedChange,
  { changed, present, previewed: { preview, moves } }: Found,
): Promise<void> {
  const before = earlier === null ? null : { currency: earlier.currency, delta: earlier.delta };
  const outdated = { at: clock.now().toISOString(), changed, before };
  const stored = { preview, moves, basis: { ...present.basis, isForPerson: true }, outdated };
  await unitOfWork.write({ workspaceId }, (tx) => storeShown(tx, requestId, stored));
}

/** The preview as it is now. A change that would fail has none; its run returns the error. */
async function repeatPreview(parts: PreviewParts, approver: Caller, request: RequestedChange): Promise<Previewed> {
  if (!parts.runner.hasPreview(request.tool)) return request;
  const requester = await parts.unitOfWork.read(approver, (tx) => findRequester(tx, approver, request.caller));
  if (requester === null) return request;
  return previewChange(parts, requester, request).catch((error: unknown) => {
    if (error instanceof Failure && error.code !== 'rate_limited') return notPreviewed;
    throw error;
  });
}

/** The caller as whom the change runs, with the present team; null if the person has another role or is not active. */
async function findRequester(
  tx: Transaction,
  { requestId, actor: approvedBy, repId: approverId }: Caller,
  { scopes, actor, ...stored }: StoredCaller,
): Promise<Caller | null> {
  return withPresentRights(tx, {
    ...stored,
    workspaceId: tx.workspaceId,
    requestId,
    actor: `${actor}, approved by ${approvedBy}`,
    ...(approverId === null ? {} : { approvedBy: approverId }),
    ...(scopes === undefined ? {} : { scopes: new Set(scopes) }),
  });
}

interface Running {
  readonly attempt: Run;
  readonly request: RequestedChange;
  readonly basis: PresentBasis;
}

/**
 * Runs the change and stores its outcome. An expected failure, such as a plan that no longer exists, is an outcome. If the
 * process ends before, a sweep returns a change that was not stored to those that wait for a decision. Returns false if
 * something else has changed what the change would change, in which case it has not run.
 */
async function run(
  { unitOfWork, runner }: PreviewParts,
  approver: Caller,
  { attempt, request, basis: { basis } }: Running,
): Promise<boolean> {
  const caller = await unitOfWork.read(approver, (tx) => findRequester(tx, approver, request.caller));
  let isAsShown = true;
  const assertSame = async (tx: Transaction) => {
    if (await hasWritten(tx, attempt)) return;
    const present = await readBasis(tx, runner, request);
    isAsShown = present.basis.state === basis.state && !pays(approver, present.paid);
    if (!isAsShown) throw new Failure('request_in_progress', 'What the change would change has been changed.');
  };
  const outcome =
    caller === null
      ? { failed: { statusCode: 403, code: 'forbidden', message: 'Who requested the change has another role now.' } }
      : await runner.run(
          request.tool,
          request.input,
          withTransactionHooks(caller, {
            afterBegin: assertSame,
            beforeCommit: (tx) => recordWritten(tx, attempt),
          }),
        );
  if (!isAsShown) return false;
  await unitOfWork.write(approver, (tx) =>
    'failed' in outcome
      ? storeOutcome(tx, attempt, 'failed', outcome.failed)
      : storeOutcome(tx, attempt, 'done', outcome.response),
  );
  return true;
}
