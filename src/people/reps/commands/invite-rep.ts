import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { Failure } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CONFIG } from '../../../platform/injection-tokens.js';
import { Outbox } from '../../../platform/mail/outbox.js';
import { operation } from '../../../platform/operations/operation.js';
import { type InviteFailure, inviteReps } from '../invite-reps.js';
import { repNotFound } from '../rep.js';

const params = z.strictObject({ repId: pathIds.repId });

export const inviteRep = operation({
  id: 'inviteRep',
  summary:
    'Invite a rep by e-mail, which also activates the rep. Who was invited within the last hour gets no second mail; 5 mails a day to one address',
  method: 'post',
  path: '/v1/reps/:repId/invite',
  access: 'admin',
  stepUp: 'always',
  params,
  response: z.object({
    invited: z.literal(true).describe('Always true'),
    email: z.string().describe('Address to which the invitation was sent'),
  }),
  failures: { rep_not_found: 400, rep_limit_reached: 403 },
  example: { params: { repId: sampleIds.repId }, response: { invited: true, email: 'ben@acme.test' } },
  uses: { unitOfWork: UnitOfWork, outbox: Outbox, config: CONFIG },
  async execute(
    { params: { repId } },
    caller,
    { unitOfWork, outbox, config },
  ): Promise<{ invited: true; email: string }> {
    const { invited, failed, mailIds } = await unitOfWork.write(caller, (tx) =>
      inviteReps(tx, outbox, [repId], config.PUBLIC_URL),
    );
    const [rep] = invited;
    if (rep === undefined) throw toFailure(failed[0]?.reason);
    await outbox.wake(mailIds);
    return { invited: true, email: rep.email };
  },
});

function toFailure(reason: InviteFailure | undefined): Failure {
  switch (reason) {
    case 'rep_limit_reached':
      return new Failure('rep_limit_reached', 'Every seat of the tier is taken. Deactivate another rep first.');
    case 'invited_too_often':
      return new Failure('rate_limited', 'This address has got 5 invitations within a day. Try again tomorrow.');
    case 'daily_limit_reached':
      return new Failure('rate_limited', 'The workspace has sent 1,000 invitations within a day. Try again tomorrow.');
    default:
      return repNotFound();
  }
}
