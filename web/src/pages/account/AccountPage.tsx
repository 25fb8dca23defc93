import { IconLogout } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { roleNames } from '../../app/navigation.js';
import { signOut, useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Facing } from '../../components/Facing.js';
import { Card, Page } from '../../components/Page.js';
import { PersonalData } from '../../features/people/PersonalData.js';

const signOutButton = (
  <Button icon={IconLogout} onClick={signOut}>
    Sign out
  </Button>
);

/** Who is signed in, and the way out. */
export function AccountPage() {
  const { repId, name, email, role, workspace } = useSession();
  return (
    <Page title="Your account" crumbs={[{ label: 'Your account' }]}>
      <Card title={name} action={signOutButton}>
        <Facing
          rows={[
            ['E-mail', email ?? '–'],
            ['Role', roleNames[role]],
            ['Workspace', workspace.name],
            ['Currency', workspace.currency],
            ['Time zone', workspace.timezone],
            ['Your data', <PersonalData key="data" repId={repId} />],
            [
              'Mails',
              <Link key="mail" to="/me/mail">
                Choose which mails you receive
              </Link>,
            ],
            [
              'Agents',
              <Link key="agents" to="/account/agents">
                See which programs act for you
              </Link>,
            ],
            [
              'Their changes',
              <Link key="changes" to="/agent-changes">
                Decide about changes that they request
              </Link>,
            ],
          ]}
        />
      </Card>
    </Page>
  );
}
