import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type AccessLevel, type Caller, type KeyScope } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { changePreview, changePreviewExample } from './change-preview.js';

export const changeRequestStatuses = ['pending', 'running', 'done', 'failed', 'rejected', 'expired', 'ended'] as const;
export type ChangeRequestStatus = (typeof changeRequestStatuses)[number];

/** Why a request ended before it was decided. */
const ends = ['agent_disconnected', 'key_invalid', 'person_deactivated', 'role_changed'] as const;
export type End = (typeof ends)[number];

/** What may have changed since a request was shown. */
const shownParts = ['subject', 'commission'] as const;
export type ShownPart = (typeof shownParts)[number];

/** A workspace may have at most this many pending requests, and each person and each key this many of them. */
export const maxPending = 200;
export const maxPendingPerRequester = 20;

/** Who requested the change, with the rights that they had. The team of a manager is read again when the change runs. */
export interface StoredCaller {
  readonly accessLevel: AccessLevel;
  readonly repId: string | null;
  readonly keyCreatorId?: string;
  readonly scopes?: readonly KeyScope[];
  readonly actor: string;
}

export function toStoredCaller({ accessLevel, repId, keyCreatorId, scopes, actor }: Caller): StoredCaller {
  return {
    accessLevel,
    repId,
    ...(keyCreatorId === undefined ? {} : { keyCreatorId }),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    actor,
  };
}

const shownPart = z
  .enum(shownParts)
  .describe('subject: what the change would change, such as the versions of the plan; commission: the figures');

/** What an approval found to have changed since the preview that was shown. */
const outdated = z
  .object({
    at: z.string().describe('When it was found, instant in ISO 8601'),
    changed: z.array(shownPart).describe('What had changed'),
    before: z
      .object({
        currency: z.string().describe('Currency of the amount, ISO 4217 code'),
        delta: z.number().describe('What the earlier preview moved'),
      })
      .nullable()
      .describe('The earlier preview; null if there was none'),
  })
  .describe('What an approval found to have changed. `preview` is calculated since');
export type Outdated = z.input<typeof outdated>;

/** A change that an agent has requested and a person decides about. */
export const changeRequest = z
  .object({
    id: z.string().describe('Id of the change request (UUID)'),
    repId: z.string().nullable().describe('The person for whom the agent acts (UUID); null for a key'),
    requestedBy: z.string().describe('Who requested the change, as the audit log names them'),
    tool: z.string().describe('The tool that the agent called'),
    title: z.string().describe('Title of the tool'),
    arguments: z.record(z.string(), z.unknown()).describe('The arguments of the call, by name'),
    preview: changePreview
      .nullable()
      .describe('What the change would do to commission, as last calculated; null for a change that moves no amounts'),
    fingerprint: z
      .string()
      .describe('Identifies what is shown: send it with the approval, so that nothing else runs than what was read'),
    outdated: outdated.nullable().describe('Why the last approval did not run the change; null if none was too late'),
    status: z
      .enum(changeRequestStatuses)
      .describe(
        'pending: a person has to decide; running: approved, in progress; done or failed: approved, see outcome; rejected; expired after seven days; ended with the agent, key or person, see endedBecause',
      ),
    endedBecause: z
      .enum(ends)
      .nullable()
      .describe(
        'agent_disconnected; key_invalid: revoked, rotated or expired; person_deactivated; role_changed: of the person for whom the agent acts. Null unless status is ended',
      ),
    decidedBy: z.string().nullable().describe('Who decided, as the audit log names them; null before'),
    decidedAt: z.string().nullable().describe('When it was decided, instant in ISO 8601; null before'),
    reason: z.string().nullable().describe('Why it was rejected; null for none'),
    outcome: z
      .unknown()
      .describe(
        'Response of the change, or the error if it failed; null before, for a response of more than 64 KiB, and if the process ended before the response',
      ),
    createdAt: fields.createdAt,
    expiresAt: z.string().describe('Until when it can be decided, instant in ISO 8601'),
  })
  .describe('A change that an agent has requested and a person decides about');
export type ChangeRequest = z.input<typeof changeRequest>;

export function changeRequestNotFound(): Failure {
  return new Failure('not_found', 'There is no such change request, or it belongs to another person.');
}

export function alreadyDecided({ status, endedBecause }: ChangeRequest): Failure {
  return new Failure('already_decided', `The change request is ${status}.`, { status, endedBecause });
}

export const changeRequestExample: ChangeRequest = {
  id: '70819203-be0c-4d4f-8063-7e8f90011223',
  repId: sampleIds.managerId,
  requestedBy: `mcp:rep:${sampleIds.managerId} via Claude`,
  tool: 'set_plan_status',
  title: 'Set plan status',
  arguments: { planRef: sampleIds.planId, status: 'active' },
  preview: changePreviewExample,
  fingerprint: 'Zk1gR9wL4xQh0aB7cD2eFg',
  outdated: null,
  status: 'pending',
  endedBecause: null,
  decidedBy: null,
  decidedAt: null,
  reason: null,
  outcome: null,
  createdAt: '2026-02-11T08:30:00.000Z',
  expiresAt: '2026-02-18T08:30:00.000Z',
};
