import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CONFIG } from '../../../platform/injection-tokens.js';
import { Outbox } from '../../../platform/mail/outbox.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation, payingNoOne } from '../../../platform/operations/operation.js';
import { inviteFailures, inviteReps } from '../invite-reps.js';

// An id that is not a UUID is reported as failed, like an unknown id, so that one mistake does not block the other
// invitations.
const body = z.strictObject({
  repIds: z.array(z.string().min(1).max(200)).min(1).max(500).describe('Ids of the reps (UUID) to invite'),
});

const response = z.object({
  invited: z.array(z.string()).describe('Ids of the reps (UUID) who were invited'),
  failed: z
    .array(
      z
        .object({
          repId: fields.repId,
          reason: z.enum(inviteFailures).describe('Why the rep was not invited, as a code'),
        })
        .describe('A rep who was not invited'),
    )
    .describe('Reps who were not invited'),
  inviteCount: z.int().describe('Number of invited reps'),
});

export const bulkInviteReps = operation({
  id: 'bulkInviteReps',
  summary:
    'Invite several reps by e-mail; the response lists who could not be invited, and why. Who was invited within the last hour gets no second mail; 5 mails a day to one address, 1,000 a day of a workspace',
  method: 'post',
  path: '/v1/reps/bulk-invite',
  access: 'admin',
  stepUp: 'always',
  body,
  response,
  failures: {},
  tool: {
    name: 'invite_people',
    title: 'Invite people',
    hints: effects.adds,
    description: {
      purpose: 'Send people an invitation by e-mail, which also activates them.',
      useWhen: 'people who were added shall sign in.',
      notFor: 'adding them (set_people).',
      changes: 'sends mails.',
    },
    arguments: { repIds: 'Ids of list_reps' },
    summary: ({ inviteCount, failed }) => `Invited: ${inviteCount}. Not invited: ${failed.length}.`,
  },
  subject: payingNoOne,
  example: {
    body: { repIds: [sampleIds.repId, sampleIds.managerId] },
    response: {
      invited: [sampleIds.repId],
      failed: [{ repId: sampleIds.managerId, reason: 'rep_limit_reached' }],
      inviteCount: 1,
    },
  },
  uses: { unitOfWork: UnitOfWork, outbox: Outbox, config: CONFIG },
  async execute({ body: { repIds } }, caller, { unitOfWork, outbox, config }) {
    const { invited, failed, mailIds } = await unitOfWork.write(caller, (tx) =>
      inviteReps(tx, outbox, repIds, config.PUBLIC_URL),
    );
    await outbox.wake(mailIds);
    return { invited: invited.map((rep) => rep.repId), failed, inviteCount: invited.length };
  },
});
