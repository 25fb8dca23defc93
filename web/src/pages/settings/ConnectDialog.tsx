import { useState } from 'react';
import { ApiError, productNames } from '#src/client.js';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Provider } from '../../api/settings-queries.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { InfoDialog } from '../../components/InfoDialog.js';
import { Segments } from '../../components/Segments.js';
import { Steps } from '../../components/Steps.js';
import { SecretText } from './SecretText.js';

interface ConnectDialogProps {
  readonly provider: Provider;
  /** Whether the service has an OAuth client at the CRM. */
  readonly canSignIn: boolean;
  readonly onClose: () => void;
}

function begin(provider: Provider, loginUrl: string) {
  if (provider === 'crma') return api.beginCrmaConnect();
  if (provider === 'crmb') return api.beginCrmbConnect();
  return api.beginCrmcConnect({ query: loginUrl === '' ? {} : { loginUrl } });
}

type PreviousDeals = 'keep' | 'remove';
type Way = 'consent' | 'token';
type Connected = Awaited<ReturnType<typeof api.connectCrma>>;

/** Two ways to connect: consent at the CRM, or a token that was created there. The token is checked before it is stored. */
export function ConnectDialog({ provider, canSignIn, onClose }: ConnectDialogProps) {
  const form = usePersistedForm(`connect ${provider}`, {
    way: 'consent' as Way,
    loginUrl: '',
    instanceUrl: '',
    previousDeals: 'keep' as PreviousDeals,
  });
  const { loginUrl, instanceUrl, previousDeals } = form.values;
  const way = canSignIn ? form.values.way : 'token';
  // The storage of the browser must not contain tokens.
  const [token, setToken] = useState<Token>({ accessToken: '', refreshToken: '' });
  const product = productNames[provider];
  const consent = useChange({
    send: () => begin(provider, loginUrl.trim()),
    reloads: { predicate: () => false },
    onDone: ({ authorizeUrl }) => {
      form.clear();
      window.location.assign(authorizeUrl);
    },
  });
  const [isOtherAccount, setOtherAccount] = useState(false);
  const [connected, setConnected] = useState<Connected | null>(null);
  const paste = useChange({
    send: () => connect(provider, { ...token, instanceUrl }, isOtherAccount ? previousDeals : null),
    onDone: (connection) => {
      form.clear();
      setConnected(connection);
    },
    onFailed: (error) => setOtherAccount(error instanceof ApiError && error.code === 'account_changed'),
  });
  if (connected !== null) return <Checked product={product} connected={connected} onClose={onClose} />;
  return (
    <Dialog
      title={`Connect ${product}`}
      onClose={onClose}
      onSubmit={() => (way === 'consent' ? consent.send() : paste.send())}
      change={way === 'consent' ? consent : paste}
      form={{ ...form, isChanged: form.isChanged || token.accessToken !== '' }}
      canSendUnchanged={way === 'consent'}
      action={{
        disabled: way === 'token' && token.accessToken.trim() === '',
        children: way === 'consent' ? `Continue to ${product}` : 'Check and connect',
      }}
    >
      {canSignIn ? (
        <Segments<Way>
          label="How to connect"
          current={way}
          onChange={(chosen) => form.change({ way: chosen })}
          choices={[
            ['consent', `Sign in at ${product}`],
            ['token', 'Paste a token'],
          ]}
        />
      ) : null}
      {way === 'consent' ? (
        <Consent provider={provider} loginUrl={form.field('loginUrl')} />
      ) : (
        <TokenFields provider={provider} token={token} onToken={setToken} instanceUrl={form.field('instanceUrl')} />
      )}
      {isOtherAccount ? (
        <Choice
          label="Deals of the previous account"
          choices={[
            ['keep', 'stay with their commission'],
            ['remove', 'are removed after the next import'],
          ]}
          {...form.field('previousDeals')}
        />
      ) : null}
    </Dialog>
  );
}

type Field = ReturnType<PersistedForm<{ text: string }>['field']>;

interface ConsentProps {
  readonly provider: Provider;
  readonly loginUrl: Field;
}

/** Production and sandboxes of Salesforce have different addresses for signing in. */
function Consent({ provider, loginUrl }: ConsentProps) {
  return (
    <>
      <p>
        You sign in at {productNames[provider]} and confirm the name of the account. Nothing is stored before that. The
        link is valid for ten minutes.
      </p>
      {provider === 'crmc' ? (
        <TextField
          label="Address for signing in"
          hint="Empty: production. https://test.salesforce.com for a sandbox, or your own domain."
          type="url"
          {...loginUrl}
        />
      ) : null}
    </>
  );
}

interface Token {
  readonly accessToken: string;
  readonly refreshToken: string;
}

interface TokenProps {
  readonly provider: Provider;
  readonly token: Token;
  readonly onToken: (token: Token) => void;
  readonly instanceUrl: Field;
}

/** Where an admin of the CRM creates a token. */
const placesOfTokens: Readonly<Record<Provider, string>> = {
  crma: 'In Attio: Workspace settings, Developers, New access token, with read access to records, objects and members, and both rights for webhooks.',
  crmb: 'In HubSpot: Settings, Integrations, Private apps, Create a private app, with read scopes for deals, owners and their schemas.',
  crmc: 'From a connected app of Salesforce with access to the API.',
};

/** Only Salesforce has refresh tokens and an address for each organisation. */
function TokenFields({ provider, token, onToken, instanceUrl }: TokenProps) {
  return (
    <>
      <TextField
        label="Access token"
        hint={`${placesOfTokens[provider]} It is checked before it is stored.`}
        type="password"
        autoComplete="off"
        value={token.accessToken}
        onChange={({ currentTarget }) => onToken({ ...token, accessToken: currentTarget.value })}
      />
      {provider === 'crmc' ? (
        <>
          <TextField
            label="Refresh token"
            hint="Optional: without it the connection ends with the access token."
            type="password"
            autoComplete="off"
            value={token.refreshToken}
            onChange={({ currentTarget }) => onToken({ ...token, refreshToken: currentTarget.value })}
          />
          <TextField label="Address of your organisation" type="url" {...instanceUrl} />
        </>
      ) : null}
    </>
  );
}

function connect(
  provider: Provider,
  { accessToken, refreshToken, instanceUrl }: Token & { readonly instanceUrl: string },
  previousDeals: PreviousDeals | null,
): Promise<Connected> {
  const body = {
    accessToken,
    ...(refreshToken === '' ? {} : { refreshToken }),
    ...(previousDeals === null ? {} : { previousDeals }),
  };
  if (provider === 'crma') return api.connectCrma({ body });
  return provider === 'crmb' ? api.connectCrmb({ body }) : api.connectCrmc({ body: { ...body, instanceUrl } });
}

/** What was checked, and what must still be set up at the CRM. */
function Checked({
  product,
  connected,
  onClose,
}: {
  readonly product: string;
  readonly connected: Connected;
  readonly onClose: () => void;
}) {
  const { accountId, webhookUrl, webhookSecret } = connected;
  return (
    <InfoDialog title={`${product} is connected`} size={560} onClose={onClose}>
      <div className={blocks.stack}>
        <Steps
          label="Checks"
          steps={[
            { title: 'Token', detail: 'accepted', isDone: true },
            { title: 'Account', detail: accountId ?? 'known', isDone: true },
            {
              title: 'Webhooks',
              detail: webhookUrl === null ? 'registered' : 'set them up below',
              isDone: webhookUrl === null,
            },
          ]}
        />
        {webhookUrl === null ? null : <SecretText label={`Address for webhooks of ${product}`} text={webhookUrl} />}
        {webhookSecret === null ? null : (
          <SecretText label="Secret of the deliveries, shown only once" text={webhookSecret} />
        )}
        <p className="dim">Next: check the field mapping, then sync.</p>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </InfoDialog>
  );
}
