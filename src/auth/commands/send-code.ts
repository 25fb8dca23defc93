import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { AttemptLimits } from '../../platform/limits/attempt-limits.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { type Input, operation } from '../../platform/operation.js';
import { uuid } from '../../platform/schemas.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { typedEmail } from '../sign-in.js';
import { codeHmac, codeMail, emailHash, networkHash, newCode, newSalt, nonceOf } from '../sign-in-code.js';
import { issueCode } from '../sign-in-code-store.js';

const body = z.strictObject({
  email: typedEmail.describe('E-mail address of the person, in any case'),
  workspaceId: uuid.optional().describe('Workspace (UUID) to sign in to; needed if the address belongs to several'),
});

const maxPerHour = 30;

@injectable()
export class SendCode {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(Secrets) private readonly secrets: Secrets,
    @inject(Outbox) private readonly outbox: Outbox,
    @inject(AttemptLimits) private readonly limits: AttemptLimits,
  ) {}

  /** Neither the response nor the time it takes shows whether the address exists or has reached its limit. */
  async execute(
    { body: { email, workspaceId } }: Input<unknown, unknown, SendBody>,
    caller: Caller,
  ): Promise<{ sent: true; nonce: string }> {
    await this.limits.count('code', caller.address ?? '', maxPerHour, 3600);
    const code = newCode();
    const codeId = newId();
    const salt = newSalt();
    const mail = codeMail(email, code);
    const sealed = this.outbox.seal(mail);
    await this.unitOfWork.withoutWorkspace((trx) =>
      issueCode(trx, {
        email,
        emailHash: emailHash(this.secrets, email),
        networkHash: networkHash(this.secrets, caller.address ?? ''),
        workspaceId: workspaceId ?? null,
        codeId,
        salt,
        hmac: codeHmac(this.secrets, email, codeId, salt, code),
        mail: { ...sealed, subject: mail.subject },
      }),
    );
    await this.outbox.wake([sealed.mailId]);
    return { sent: true, nonce: nonceOf(this.secrets, email, codeId) };
  }
}
type SendBody = z.infer<typeof body>;

export const sendCode = operation({
  id: 'sendCode',
  summary: 'Send a sign-in code to the e-mail address; the response is the same for unknown addresses',
  method: 'post',
  path: '/auth/otp/send',
  access: 'public',
  body,
  response: z.object({
    sent: z.literal(true).describe('Always true, so that the response does not reveal whether the address exists'),
    nonce: z
      .string()
      .describe('Send it with the code: attempts of others then cannot prevent the sign-in. Keep it in the client'),
  }),
  failures: {},
  example: { body: { email: 'ben@acme.test' }, answer: { sent: true, nonce: 'f9c71d35-….bm9uY2U' } },
  handler: SendCode,
});
