import { z } from 'zod';
import { personBehind } from '../../../kernel/caller.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { keyMask } from '../workspace.js';
import { rotateWorkspaceKey as rotate } from '../workspace-store.js';

const body = z.strictObject({
  graceMinutes: z.int().min(0).max(1440).default(0).describe('Minutes for which the old key stays valid, 0 to 1440'),
});

const response = z.object({
  apiKey: z.string().describe('The new API key; returned only once'),
  masked: z.string().describe('The key with all but its prefix hidden'),
  oldKeyExpiresAt: z
    .string()
    .nullable()
    .describe('When the old key becomes invalid, instant in ISO 8601; null without a grace period'),
});

export const rotateWorkspaceKey = operation({
  id: 'rotateWorkspaceKey',
  summary: 'Replace the API key; the old one stops at once or after the grace time',
  method: 'post',
  path: '/v1/workspaces/keys/rotate',
  access: 'admin',
  stepUp: 'always',
  body,
  response,
  secret: true,
  failures: {},
  example: {
    body: { graceMinutes: 60 },
    response: { apiKey: 'ws_…', masked: keyMask, oldKeyExpiresAt: '2026-02-11T09:30:00.000Z' },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  /**
   * The response is the only place where the key is shown. The lock prevents two rotations from leaving two valid
   * keys.
   */
  async execute({ body: { graceMinutes } }, caller, { unitOfWork, clock }) {
    const { apiKey, oldKeyExpiresAt } = await unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, (tx) =>
      rotate(tx, { ...caller, personId: personBehind(caller) }, graceMinutes, clock.now()),
    );
    return { apiKey, masked: keyMask, oldKeyExpiresAt: oldKeyExpiresAt?.toISOString() ?? null };
  },
});
