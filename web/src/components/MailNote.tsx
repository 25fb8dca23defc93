import { IconMailOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { workspaceQuery } from '../api/settings-queries.js';
import { Note } from './Note.js';

/** States that mails do not leave the service, and what depends on it. Nothing while they do, and in a demo. */
export function MailNote() {
  const { data } = useQuery(workspaceQuery);
  if (data === undefined || data.isDemo || data.mail === 'working') return null;
  if (data.mail === 'failing')
    return (
      <Note tone="warning" icon={IconMailOff} title="The last mail could not be sent">
        <p>
          The service tries again several times within two hours. Until the mail server accepts it, people get no codes
          for signing in and no invitations. The operator finds the reason with <code>npx commissions mail</code>.
        </p>
      </Note>
    );
  return (
    <Note tone="warning" icon={IconMailOff} title="Mail is not set up: people cannot sign in again">
      <p>
        Codes for signing in and invitations are not sent. The operator sets <code>SMTP_URL</code> and{' '}
        <code>MAIL_FROM</code>, or single sign-on. Until then, the service prints a link that signs in an admin each
        time it starts on its own database, and <code>npx commissions mail</code> shows the codes.
      </p>
    </Note>
  );
}
