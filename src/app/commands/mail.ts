import { migrations } from '#migrations/index.js';
import { migrateToLatest } from '../../platform/database/migrate.js';
import { listRecentMails, type RecentMail } from '../../platform/mail/recent-mails.js';
import { openSecrets } from '../../platform/secrets/master-key.js';
import { withServer } from './database-access.js';

export async function showMails({ json = false }: { readonly json?: boolean }): Promise<void> {
  await withServer(async (server, config) => {
    await migrateToLatest(server.ownerUrl, migrations);
    const production = config.NODE_ENV === 'production';
    if (production)
      process.stderr.write('In production the text of mails is not shown: it may contain sign-in codes.\n');
    const secrets = production ? null : openSecrets(config);
    const mails = await listRecentMails(server.ownerUrl, secrets, 10);
    process.stdout.write(json ? `${JSON.stringify(mails)}\n` : mails.map(mailLines).join('\n'));
  });
}

function mailLines({ createdAt, to, subject, sentAt, attempts, lastError, text }: RecentMail): string {
  const state =
    sentAt === null ? `not sent, attempts: ${attempts}${lastError === null ? '' : `, ${lastError}`}` : `sent ${sentAt}`;
  const head = `${createdAt}  ${to}  ${subject}  (${state})\n`;
  return text === undefined ? head : `${head}\n${text.replace(/^(?=.)/gm, '    ')}`;
}
