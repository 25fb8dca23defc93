import { IconMailOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { workspaceQuery } from '../api/settings-queries.js';
import { Note } from './Note.js';

/** States that mails do not leave the service, and what depends on it. Nothing while they do, and in a demo. */
export function MailNote() {
  const { data } = useQuery(workspaceQuery);
  if (data === undefined || data.isDemo || data.mail === 'working') return null;
  const toSettings = <Link to="/installation">Mail and sign-in</Link>;
  if (data.mail === 'failing')
    return (
      <Note tone="warning" icon={IconMailOff} title="The last mail could not be sent" actions={toSettings}>
        <p>
          The service tries again several times within two hours. Until the mail server accepts it, people get no codes
          for signing in and no invitations. The reason and a test mail are on the page Mail and sign-in.
        </p>
      </Note>
    );
  return (
    <Note
      tone="warning"
      icon={IconMailOff}
      title="Mail is not set up: people cannot sign in again"
      actions={toSettings}
    >
      <p>
        Codes for signing in and invitations are not sent. Set up a mail server, or sign-in with Google or Microsoft.
        Until then, the service prints a link that signs in an admin each time it starts on its own database.
      </p>
    </Note>
  );
}
