import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type IntegrationKey, keysQuery, widgetTokensQuery, workspaceKeyQuery } from '../../api/settings-queries.js';
import { Button } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Dialog } from '../../components/Dialog.js';
import { Check, TextField } from '../../components/Field.js';
import { InfoDialog } from '../../components/InfoDialog.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { describeError } from '../../components/States.js';
import { formatDay, formatInstant } from '../../format/dates.js';
import { SecretText } from './SecretText.js';
import styles from './Settings.module.css';

type Scope = IntegrationKey['scopes'][number];

const scopeWords: Readonly<Record<Scope, string>> = {
  read: 'Read everything except files',
  deals: 'Deals and calculations',
  plans: 'Plans, fields, assignments and quotas',
  payroll: 'Statements, their files and hand-overs',
};

type Open = 'key' | 'widget' | 'rotate' | null;

/** Keys of other systems, the key of the workspace, and tokens of CRM widgets. Secrets are shown once. */
export function KeysPage() {
  const keys = useQuery(keysQuery);
  const [open, setOpen] = useState<Open>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const done = (text: string) => {
    setOpen(null);
    setSecret(text);
  };
  return (
    <Page
      title="API keys"
      crumbs={[{ label: 'API keys' }]}
      facts={['A key acts as an admin within its scopes']}
      actions={
        <Button kind="primary" onClick={() => setOpen('key')}>
          New key
        </Button>
      }
    >
      <Loaded query={keys} height={200}>
        {({ keys: all }) =>
          all.length === 0 ? (
            <p className="dim">No other system has a key.</p>
          ) : (
            <DataTable caption="Keys" columns={keyColumns} rows={all} rowKey={({ id }) => id} rowHeight={45} />
          )
        }
      </Loaded>
      <WorkspaceKey onRotate={() => setOpen('rotate')} />
      <Widgets onNew={() => setOpen('widget')} />
      {open === 'key' ? <NewKey onClose={() => setOpen(null)} onDone={done} /> : null}
      {open === 'widget' ? <NewWidget onClose={() => setOpen(null)} onDone={done} /> : null}
      {open === 'rotate' ? <Rotate onClose={() => setOpen(null)} onDone={done} /> : null}
      {secret === null ? null : (
        <InfoDialog title="Copy it now" size={560} onClose={() => setSecret(null)}>
          <div className={styles.stack}>
            <SecretText label="It is shown only this once." text={secret} />
            <Button kind="primary" onClick={() => setSecret(null)}>
              Done
            </Button>
          </div>
        </InfoDialog>
      )}
    </Page>
  );
}

const keyColumns: readonly Column<IntegrationKey>[] = [
  { key: 'name', header: 'Name', phone: 'title', cell: ({ name }) => <span className="strong">{name}</span> },
  {
    key: 'scopes',
    header: 'May',
    phone: 'detail',
    cell: ({ scopes }) => scopes.map((scope) => scopeWords[scope]).join('; '),
  },
  {
    key: 'used',
    header: 'Last used',
    cell: ({ lastUsedAt }) => <span className="dim">{lastUsedAt === null ? 'never' : formatInstant(lastUsedAt)}</span>,
  },
  {
    key: 'expires',
    header: 'Valid until',
    phone: 'detail',
    cell: ({ expiresAt }) => <span className="dim">{formatDay(expiresAt.slice(0, 10), 'year')}</span>,
  },
  {
    key: 'revoke',
    header: <span className="unseen">Revoke</span>,
    align: 'right',
    phone: 'note',
    cell: (key) => <Revoke name={key.name} revoke={() => api.revokeIntegrationKey({ params: { id: key.id } })} />,
  },
];

function Revoke({ name, revoke }: { readonly name: string; readonly revoke: () => Promise<unknown> }) {
  const queryClient = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const { mutate, isPending } = useMutation({ mutationFn: revoke, onSuccess: () => queryClient.invalidateQueries() });
  return (
    <Button kind="danger" isBusy={isPending} onClick={() => (isAsked ? mutate() : setAsked(true))}>
      {isAsked ? 'Yes, revoke' : 'Revoke'}
      <span className="unseen"> {name}</span>
    </Button>
  );
}

interface NewProps {
  readonly onClose: () => void;
  readonly onDone: (secret: string) => void;
}

function NewKey({ onClose, onDone }: NewProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [days, setDays] = useState('365');
  const create = useMutation({
    mutationFn: () =>
      api.createIntegrationKey({ body: { name: name.trim(), scopes: [...scopes], expiresInDays: Number(days) } }),
    onSuccess: async ({ key }) => {
      await queryClient.invalidateQueries();
      onDone(key);
    },
  });
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      onSubmit={() => create.mutate()}
      action={{ isBusy: create.isPending, disabled: name.trim() === '' || scopes.length === 0, children: 'Create key' }}
      problem={create.error === null ? null : describeError(create.error).message}
    >
      <TextField
        label="Name"
        hint="Such as the system that uses it."
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <fieldset className={styles.checks} aria-label="What the key permits">
        {(Object.keys(scopeWords) as Scope[]).map((scope) => (
          <span key={scope}>
            <Check
              label={scopeWords[scope]}
              checked={scopes.includes(scope)}
              onChange={() =>
                setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope])
              }
            />
            {scopeWords[scope]}
          </span>
        ))}
      </fieldset>
      <TextField
        label="Valid for days"
        type="number"
        min={1}
        max={730}
        value={days}
        onChange={({ currentTarget }) => setDays(currentTarget.value)}
      />
    </Dialog>
  );
}

function WorkspaceKey({ onRotate }: { readonly onRotate: () => void }) {
  const { data } = useQuery(workspaceKeyQuery);
  return (
    <Card title="Key of the workspace" note="full access, for scripts of the command line">
      <div className={styles.saveLine}>
        <code>{data?.masked ?? 'none'}</code>
        <Button onClick={onRotate}>Replace</Button>
      </div>
    </Card>
  );
}

function Rotate({ onClose, onDone }: NewProps) {
  const queryClient = useQueryClient();
  const [minutes, setMinutes] = useState('60');
  const rotate = useMutation({
    mutationFn: () => api.rotateWorkspaceKey({ body: { graceMinutes: Number(minutes) } }),
    onSuccess: async ({ apiKey }) => {
      await queryClient.invalidateQueries();
      onDone(apiKey);
    },
  });
  return (
    <Dialog
      title="Replace the key of the workspace"
      onClose={onClose}
      onSubmit={() => rotate.mutate()}
      action={{ kind: 'danger', isBusy: rotate.isPending, children: 'Replace key' }}
      problem={rotate.error === null ? null : describeError(rotate.error).message}
    >
      <TextField
        label="Minutes for which the old key stays valid"
        type="number"
        min={0}
        max={1440}
        value={minutes}
        onChange={({ currentTarget }) => setMinutes(currentTarget.value)}
      />
    </Dialog>
  );
}

function Widgets({ onNew }: { readonly onNew: () => void }) {
  const { data } = useQuery(widgetTokensQuery);
  return (
    <Card title="CRM widgets" action={<Button onClick={onNew}>New token</Button>}>
      {data === undefined || data.tokens.length === 0 ? (
        <p className="dim">No widget is embedded in a CRM.</p>
      ) : (
        <div className={styles.lines}>
          {data.tokens.map(({ id, label, lastUsedAt }) => (
            <div key={id}>
              <span>
                {label ?? 'Without a name'}
                <span className={styles.second}>
                  {lastUsedAt === null ? 'never used' : `used ${formatInstant(lastUsedAt)}`}
                </span>
              </span>
              <Revoke name={label ?? 'token'} revoke={() => api.deleteConnectionToken({ params: { id } })} />
            </div>
          ))}
        </div>
      )}
    </Card>
  );
}

function NewWidget({ onClose, onDone }: NewProps) {
  const queryClient = useQueryClient();
  const [label, setLabel] = useState('');
  const create = useMutation({
    mutationFn: () => api.createConnectionToken({ body: { label: label.trim() || null } }),
    onSuccess: async ({ token }) => {
      await queryClient.invalidateQueries();
      onDone(token);
    },
  });
  return (
    <Dialog
      title="Token for a CRM widget"
      onClose={onClose}
      onSubmit={() => create.mutate()}
      action={{ isBusy: create.isPending, children: 'Create token' }}
      problem={create.error === null ? null : describeError(create.error).message}
    >
      <TextField label="Name" value={label} onChange={({ currentTarget }) => setLabel(currentTarget.value)} />
    </Dialog>
  );
}
