import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '#src/client.js';
import { api } from '../../api/client.js';
import { type Provider, productNames } from '../../api/settings-queries.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { InfoDialog } from '../../components/InfoDialog.js';
import { Segments } from '../../components/Segments.js';
import { describeError } from '../../components/States.js';
import { Steps } from '../../components/Steps.js';
import { SecretText } from './SecretText.js';
import styles from './Settings.module.css';

interface ConnectDialogProps {
  readonly provider: Provider;
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
export function ConnectDialog({ provider, onClose }: ConnectDialogProps) {
  const queryClient = useQueryClient();
  const [way, setWay] = useState<Way>('consent');
  const [token, setToken] = useState<Token>({ accessToken: '', refreshToken: '', instanceUrl: '' });
  const [loginUrl, setLoginUrl] = useState('');
  const [previousDeals, setPreviousDeals] = useState<PreviousDeals>('keep');
  const product = productNames[provider];
  const consent = useMutation({
    mutationFn: () => begin(provider, loginUrl.trim()),
    onSuccess: ({ authorizeUrl }) => window.location.assign(authorizeUrl),
  });
  const [isOtherAccount, setOtherAccount] = useState(false);
  const paste = useMutation({
    mutationFn: () => connect(provider, token, isOtherAccount ? previousDeals : null),
    onSuccess: () => queryClient.invalidateQueries(),
    onError: (error) => setOtherAccount(error instanceof ApiError && error.code === 'account_changed'),
  });
  if (paste.data !== undefined) return <Checked product={product} connected={paste.data} onClose={onClose} />;
  const error = consent.error ?? paste.error;
  return (
    <Dialog
      title={`Connect ${product}`}
      onClose={onClose}
      onSubmit={() => (way === 'consent' ? consent.mutate() : paste.mutate())}
      action={{
        isBusy: consent.isPending || paste.isPending,
        disabled: way === 'token' && token.accessToken.trim() === '',
        children: way === 'consent' ? `Continue to ${product}` : 'Check and connect',
      }}
      problem={error === null ? null : describeError(error).message}
    >
      <Segments<Way>
        label="How to connect"
        current={way}
        onChange={setWay}
        choices={[
          ['consent', `Sign in at ${product}`],
          ['token', 'Paste a token'],
        ]}
      />
      {way === 'consent' ? (
        <Consent provider={provider} loginUrl={loginUrl} onLoginUrl={setLoginUrl} />
      ) : (
        <TokenFields provider={provider} token={token} onChange={setToken} />
      )}
      {isOtherAccount ? (
        <Choice
          label="Deals of the previous account"
          value={previousDeals}
          choices={[
            ['keep', 'stay with their commission'],
            ['remove', 'are removed after the next import'],
          ]}
          onChange={({ currentTarget }) => setPreviousDeals(currentTarget.value as PreviousDeals)}
        />
      ) : null}
    </Dialog>
  );
}

interface ConsentProps {
  readonly provider: Provider;
  readonly loginUrl: string;
  readonly onLoginUrl: (url: string) => void;
}

/** Production and sandboxes of Salesforce have different addresses for signing in. */
function Consent({ provider, loginUrl, onLoginUrl }: ConsentProps) {
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
          value={loginUrl}
          onChange={({ currentTarget }) => onLoginUrl(currentTarget.value)}
        />
      ) : null}
    </>
  );
}

interface TokenProps {
  readonly provider: Provider;
  readonly token: Token;
  readonly onChange: (token: Token) => void;
}

function TokenFields({ provider, token, onChange }: TokenProps) {
  const fields =
    provider === 'crmc' ? (['accessToken', 'refreshToken', 'instanceUrl'] as const) : (['accessToken'] as const);
  return fields.map((name) => (
    <TextField
      key={name}
      label={labels[name]}
      hint={name === 'refreshToken' ? 'Optional: without it the connection ends with the access token.' : undefined}
      type={name === 'instanceUrl' ? 'url' : 'password'}
      autoComplete="off"
      value={token[name]}
      onChange={({ currentTarget }) => onChange({ ...token, [name]: currentTarget.value })}
    />
  ));
}

const labels = {
  accessToken: 'Access token',
  refreshToken: 'Refresh token',
  instanceUrl: 'Address of your organisation',
} as const;
type Token = Readonly<Record<keyof typeof labels, string>>;

function connect(
  provider: Provider,
  { accessToken, refreshToken, instanceUrl }: Token,
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
      <div className={styles.stack}>
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
          <SecretText label="Secret of the deliveries, shown only now" text={webhookSecret} />
        )}
        <p className="dim">Next: check the field mapping, then sync.</p>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </InfoDialog>
  );
}
