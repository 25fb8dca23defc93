import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type AccessLevel, type Caller, type KeyScope } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { changePreview, changePreviewExample } from './change-preview.js';

export const changeRequestStatuses = ['pending', 'running', 'done', 'failed', 'rejected', 'expired'] as const;
export type ChangeRequestStatus = (typeof changeRequestStatuses)[number];

/** A workspace may have at most this many pending requests. */
export const maxPending = 200;

/** Who requested the change, with the rights that they had. */
export interface StoredCaller {
  readonly accessLevel: AccessLevel;
  readonly repId: string | null;
  readonly keyCreatorId?: string;
  readonly scopes?: readonly KeyScope[];
  readonly team?: readonly string[];
  readonly actor: string;
}

export function toStoredCaller({ accessLevel, repId, keyCreatorId, scopes, team, actor }: Caller): StoredCaller {
  return {
    accessLevel,
    repId,
    ...(keyCreatorId === undefined ? {} : { keyCreatorId }),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    ...(team === undefined ? {} : { team: [...team] }),
    actor,
  };
}

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
    status: z
      .enum(changeRequestStatuses)
      .describe(
        'pending: a person has to decide; running: approved, in progress; done or failed: approved, see outcome; rejected; expired after seven days',
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

export function alreadyDecided({ status }: ChangeRequest): Failure {
  return new Failure('already_decided', `The change request is ${status}.`, { status });
}

export const changeRequestExample: ChangeRequest = {
  id: '70819203-be0c-4d4f-8063-7e8f90011223',
  repId: sampleIds.managerId,
  requestedBy: `mcp:rep:${sampleIds.managerId} via Claude`,
  tool: 'set_plan_status',
  title: 'Set plan status',
  arguments: { planRef: sampleIds.planId, status: 'active' },
  preview: changePreviewExample,
  status: 'pending',
  decidedBy: null,
  decidedAt: null,
  reason: null,
  outcome: null,
  createdAt: '2026-02-11T08:30:00.000Z',
  expiresAt: '2026-02-18T08:30:00.000Z',
};
