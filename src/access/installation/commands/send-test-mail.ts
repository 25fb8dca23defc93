import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { newId } from '../../../kernel/ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { AttemptLimits } from '../../../platform/limits/attempt-limits.js';
import { buildBody } from '../../../platform/mail/mail.js';
import { MailServer } from '../../../platform/mail/mail-server.js';
import { mailFailureCode } from '../../../platform/mail/transport.js';
import { operation } from '../../../platform/operations/operation.js';
import { findIdentity } from '../../auth/identity-views.js';
import { assertOperator } from '../operator.js';

const maxPerHour = 20;

export const sendTestMail = operation({
  id: 'sendTestMail',
  summary: 'Send a mail to your own address through the mail server, and say whether the server has accepted it',
  method: 'post',
  path: '/v1/installation/mail-server/test',
  access: 'admin',
  scope: null,
  response: z.object({ sentTo: z.string().describe('Address to which the mail was sent') }),
  failures: { not_operator: 409, mail_not_set_up: 409, mail_not_sent: 409 },
  example: { response: { sentTo: 'mia@acme.test' } },
  uses: { unitOfWork: UnitOfWork, server: MailServer, limits: AttemptLimits },
  async execute(_input, caller, { unitOfWork, server, limits }): Promise<{ sentTo: string }> {
    const { email } = await unitOfWork.read(caller, async (tx) => {
      await assertOperator(tx, caller);
      return findIdentity(tx, caller);
    });
    const transport = await server.transport();
    if (transport === null || email === null)
      throw new Failure('mail_not_set_up', 'There is no mail server yet. Set it up first.');
    await limits.count('test mail', caller.address ?? '', maxPerHour, 3600);
    try {
      await transport.send(newId(), {
        to: email,
        subject: 'A test of your mail server',
        ...buildBody([
          'This mail was sent to test the mail server of your commission service. It has arrived, so codes for signing in and invitations arrive too.',
        ]),
      });
    } catch (error) {
      throw new Failure('mail_not_sent', describeMailFailure(error));
    }
    return { sentTo: email };
  },
});

/** What to check, by what the mail server or the connection reported. */
function describeMailFailure(error: unknown): string {
  const code = mailFailureCode(error);
  const [name = ''] = code.split(' ');
  return `${causes[name] ?? 'The mail server did not accept the mail.'} (${code})`;
}

const unreachable = 'The mail server cannot be reached. Check server, port and encryption.';

const causes: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server rejects the user name or the password.',
  ECONNECTION: unreachable,
  ECONNREFUSED: unreachable,
  ESOCKET: unreachable,
  ETIMEDOUT: unreachable,
  EDNS: 'There is no server with this name. Check the name of the mail server.',
  ENOTFOUND: 'There is no server with this name. Check the name of the mail server.',
  ETLS: 'The mail server does not encrypt the connection in this way. Choose another encryption.',
  EENVELOPE: 'The mail server rejects the sender or your address. Check the sender.',
  EMESSAGE: 'The mail server rejects the mail.',
};
