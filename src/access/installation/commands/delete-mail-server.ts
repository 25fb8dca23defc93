import { sql } from 'kysely';
import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { MailServer } from '../../../platform/mail/mail-server.js';
import { operation } from '../../../platform/operations/operation.js';
import { assertOperator, setByEnvironment } from '../operator.js';

export const deleteMailServer = operation({
  id: 'deleteMailServer',
  summary: 'Remove the mail server of the installation; no mail is sent any more',
  method: 'delete',
  path: '/v1/installation/mail-server',
  access: 'admin',
  stepUp: 'always',
  scope: null,
  response: z.object({ deleted: z.literal(true).describe('Always true') }),
  failures: { not_operator: 409, set_by_environment: 409 },
  example: { response: { deleted: true } },
  uses: { unitOfWork: UnitOfWork, server: MailServer },
  async execute(_input, caller, { unitOfWork, server }): Promise<{ deleted: true }> {
    return unitOfWork.write(caller, async (tx) => {
      await assertOperator(tx, caller);
      if (server.isOfEnvironment) throw setByEnvironment('the mail server', 'SMTP_URL and MAIL_FROM');
      await sql`select save_mail_server(null, null)`.execute(tx.db);
      return { deleted: true };
    });
  },
});
