import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import {
  type IdentityProvider,
  type Installation,
  installationQuery,
  type MailServer,
} from '../../api/installation-query.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { Badge } from '../../components/StatusBadge.js';
import { type Kind, productOf } from '../../features/installation/provider-form.js';
import { formatInstant } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { MailServerDialog } from './MailServerDialog.js';
import { ProviderDialog } from './ProviderDialog.js';

/** How the installation sends mail and signs people in, for the admins who operate it. */
export function InstallationPage() {
  const installation = useQuery(installationQuery);
  return (
    <Page
      title="Mail and sign-in"
      crumbs={[{ label: 'Mail and sign-in' }]}
      facts={['For everyone who uses this installation']}
    >
      <Loaded query={installation} height={420}>
        {({ isOperator, mailServer, mails, publicUrl, identityProviders }) =>
          isOperator && identityProviders !== null ? (
            <>
              <MailCard server={mailServer} mails={mails} />
              <SignInCard providers={identityProviders} publicUrl={publicUrl} />
            </>
          ) : (
            <Card title="Set up by the operator">
              <p>
                Mail and sign-in belong to the whole installation, so only the admins of one workspace change them. The
                person who runs the service names that workspace with <code>npx commissions workspace operator</code>.
              </p>
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

function MailCard({ server, mails }: { readonly server: MailServer | null; readonly mails: Installation['mails'] }) {
  const [isOpen, setOpen] = usePersistedDialog('mail-server');
  const test = useAction({
    send: () => api.sendTestMail(),
    onDone: ({ sentTo }) => showMessage(`The mail server accepted a test mail to ${sentTo}.`),
  });
  return (
    <Card title="Mail" action={<MailBadge server={server} mails={mails} />}>
      <div className={blocks.stack}>
        <p>{describeServer(server)}</p>
        {mails === null || server === null ? null : <p className="dim">{describeMails(mails)}</p>}
        <div className={blocks.actions}>
          {server?.source === 'environment' ? null : (
            <Button kind={server === null ? 'primary' : 'default'} onClick={() => setOpen(true)}>
              {server === null ? 'Set up mail' : 'Change'}
            </Button>
          )}
          {server === null ? null : (
            <Button isBusy={test.isBusy} onClick={() => test.send()}>
              Send a test mail
            </Button>
          )}
          {server?.source === 'app' ? (
            <ConfirmButton confirm="Yes, send no mail any more" send={() => api.deleteMailServer()}>
              Remove
            </ConfirmButton>
          ) : null}
        </div>
      </div>
      {isOpen ? <MailServerDialog stored={server} onClose={() => setOpen(false)} /> : null}
    </Card>
  );
}

function MailBadge({ server, mails }: { readonly server: MailServer | null; readonly mails: Installation['mails'] }) {
  if (server === null) return <Badge tone="warning">Not set up</Badge>;
  return mails?.lastError == null ? <Badge tone="good">Set up</Badge> : <Badge tone="negative">Failing</Badge>;
}

function describeServer(server: MailServer | null): React.ReactNode {
  if (server === null) return 'No mail server is set up: codes for signing in and invitations are not sent.';
  if (server.settings === null)
    return (
      <>
        The mail server is set in the environment of the service (<code>SMTP_URL</code>), which has precedence. It is
        changed there.
      </>
    );
  const { host, port, from, username } = server.settings;
  return `Mail is sent through ${host}, port ${port}, ${username === null ? 'without a login' : `as ${username}`}, from ${from}.`;
}

function describeMails({ lastSentAt, lastError, waiting, notSent }: NonNullable<Installation['mails']>): string {
  return [
    lastSentAt === null
      ? 'No code and no invitation was sent in the last seven days'
      : `The last code or invitation was sent ${formatInstant(lastSentAt)}`,
    ...(lastError === null ? [] : [`the server returned ${lastError} for the latest one`]),
    ...(waiting === 0 ? [] : [`${formatCount(waiting, 'mail')} waiting`]),
    ...(notSent === 0 ? [] : [`${formatCount(notSent, 'mail')} not sent in the last seven days`]),
  ].join(', ');
}

interface SignInProps {
  readonly providers: readonly IdentityProvider[];
  readonly publicUrl: string | null;
}

interface OpenProvider {
  readonly kind: Kind;
  readonly stored: IdentityProvider | null;
}

/** Everyone can sign in by mail; these are the other buttons of the sign-in page. */
function SignInCard({ providers, publicUrl }: SignInProps) {
  const [open, setOpen] = useState<OpenProvider | null>(null);
  return (
    <Card title="Sign-in" note="besides the code by mail">
      <div className={blocks.stack}>
        {providers.length === 0 ? (
          <p className="dim">People sign in with a code by mail only.</p>
        ) : (
          <ul className={blocks.rows} aria-label="Sign-in">
            {providers.map((provider) => (
              <li key={provider.id ?? 'environment'}>
                <Provider provider={provider} onChange={() => setOpen({ kind: provider.kind, stored: provider })} />
              </li>
            ))}
          </ul>
        )}
        <div className={blocks.actions}>
          {(['google', 'microsoft', 'other'] as const).map((kind) => (
            <Button key={kind} onClick={() => setOpen({ kind, stored: null })}>
              Add {productOf[kind]}
            </Button>
          ))}
        </div>
      </div>
      {open === null ? null : <ProviderDialog {...open} publicUrl={publicUrl} onClose={() => setOpen(null)} />}
    </Card>
  );
}

function Provider({ provider, onChange }: { readonly provider: IdentityProvider; readonly onChange: () => void }) {
  const { id, name, issuer, domains } = provider;
  return (
    <>
      <span>
        <span className="strong">{name}</span>
        <span className="second">
          {id === null
            ? `${issuer}, set in the environment of the service (OIDC_ISSUER) and changed there`
            : `${issuer}, ${domains.length === 0 ? 'every verified address' : new Intl.ListFormat('en').format(domains)}`}
        </span>
      </span>
      {id === null ? null : (
        <span className={blocks.actions}>
          <Button onClick={onChange}>
            Change<span className="unseen"> {name}</span>
          </Button>
          <ConfirmButton confirm="Yes, remove" send={() => api.deleteIdentityProvider({ params: { id } })}>
            Remove<span className="unseen"> {name}</span>
          </ConfirmButton>
        </span>
      )}
    </>
  );
}
