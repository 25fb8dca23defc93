import { z } from 'zod';
import { newId } from '../../../kernel/ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CONFIG } from '../../../platform/injection-tokens.js';
import { AttemptLimits } from '../../../platform/limits/attempt-limits.js';
import { MailServer } from '../../../platform/mail/mail-server.js';
import { Outbox } from '../../../platform/mail/outbox.js';
import { operation } from '../../../platform/operations/operation.js';
import { uuid } from '../../../platform/operations/schemas.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { typedEmail } from '../sign-in.js';
import { codeHmac, codeMail, createNonce, emailHash, networkHash, newCode, newSalt } from '../sign-in-code.js';
import { issueCode } from '../sign-in-code-store.js';
import { SignIns } from '../sign-ins.js';

const body = z.strictObject({
  email: typedEmail.describe('E-mail address of the person, in any case'),
  workspaceId: uuid.optional().describe('Workspace (UUID) to sign in to; needed if the address belongs to several'),
});

const maxPerHour = 30;

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
    isMailSetUp: z
      .boolean()
      .describe('Whether the service has a mail server. Without one no code is sent; the operator can read it'),
  }),
  failures: {},
  example: {
    body: { email: 'ben@acme.test' },
    response: { sent: true, nonce: 'f9c71d35-….bm9uY2U', isMailSetUp: true },
  },
  uses: {
    unitOfWork: UnitOfWork,
    secrets: Secrets,
    outbox: Outbox,
    limits: AttemptLimits,
    mailServer: MailServer,
    people: SignIns,
    config: CONFIG,
  },
  /** Neither the response nor the time it takes shows whether the address exists or has reached its limit. */
  async execute(
    { body: { email, workspaceId } },
    caller,
    { unitOfWork, secrets, outbox, limits, people, mailServer, config },
  ): Promise<{ sent: true; nonce: string; isMailSetUp: boolean }> {
    await limits.count('code', caller.address ?? '', maxPerHour, 3600);
    const code = newCode();
    const codeId = newId();
    const salt = newSalt();
    const mail = codeMail(email, code, config.PUBLIC_URL);
    const sealed = outbox.seal(mail);
    const boundTo = await people.bindable(workspaceId ?? null);
    const isMailSetUp = await unitOfWork.withoutWorkspace(async (tx) => {
      await issueCode(tx, {
        email,
        emailHash: emailHash(secrets, email),
        networkHash: networkHash(secrets, caller.address ?? ''),
        workspaceId: boundTo,
        codeId,
        salt,
        hmac: codeHmac(secrets, email, codeId, salt, code),
        mail: { ...sealed, subject: mail.subject },
      });
      return mailServer.isSetUp(tx);
    });
    await outbox.wake([sealed.mailId]);
    return { sent: true, nonce: createNonce(secrets, email, codeId), isMailSetUp };
  },
});
