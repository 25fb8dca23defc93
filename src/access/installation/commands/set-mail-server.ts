import { sql } from 'kysely';
import { z } from 'zod';
import { invalid } from '../../../kernel/failure.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { findMailServer, MailServer } from '../../../platform/mail/mail-server.js';
import {
  type MailSettings,
  mailPasswordEncryptionContext,
  mailSettings,
} from '../../../platform/mail/mail-settings.js';
import { operation } from '../../../platform/operations/operation.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { mailServer, mailServerExample } from '../installation.js';
import { describeMailServer } from '../installation-views.js';
import { assertOperator, setByEnvironment } from '../operator.js';

const body = z
  .strictObject({
    ...mailSettings.shape,
    password: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('Password at the mail server; without it the stored one stays, if server and user name stay'),
  })
  .refine(({ username, password }) => password === undefined || username !== null, {
    path: ['username'],
    message: 'is needed with a password',
  })
  .refine(({ username, security }) => username === null || security !== 'none', {
    path: ['security'],
    message: 'must be tls or starttls with a user name, so that the password is not sent in plain text',
  });

export const setMailServer = operation({
  id: 'setMailServer',
  summary: 'Set the mail server of the installation; the next mail is sent through it',
  method: 'put',
  path: '/v1/installation/mail-server',
  access: 'admin',
  stepUp: 'always',
  scope: null,
  body,
  response: mailServer,
  failures: { not_operator: 409, set_by_environment: 409 },
  example: {
    body: {
      host: 'smtp.acme.com',
      port: 587,
      security: 'starttls',
      username: 'pay@acme.com',
      from: 'Acme Pay <pay@acme.com>',
      password: '…',
    },
    response: mailServerExample,
  },
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, server: MailServer },
  async execute({ body: { password, ...settings } }, caller, { unitOfWork, secrets, server }) {
    return unitOfWork.write(caller, async (tx) => {
      await assertOperator(tx, caller);
      if (server.isOfEnvironment) throw setByEnvironment('the mail server', 'SMTP_URL and MAIL_FROM');
      const sealed =
        password === undefined
          ? await keepPassword(tx, settings)
          : secrets.seal(mailPasswordEncryptionContext, password);
      await sql`select save_mail_server(${JSON.stringify(settings)}::jsonb, ${sealed})`.execute(tx.db);
      return (await describeMailServer(tx, server)) as z.output<typeof mailServer>;
    });
  },
});

/** The stored password, which is never sent to another server or for another user. */
async function keepPassword(tx: Transaction, { host, port, username }: MailSettings): Promise<Buffer | null> {
  if (username === null) return null;
  const stored = await findMailServer(tx);
  const isSame =
    stored?.settings.host === host && stored.settings.port === port && stored.settings.username === username;
  if (isSame && stored.password !== null) return stored.password;
  throw invalid({ path: 'password', message: 'is needed for this server and user name' });
}
