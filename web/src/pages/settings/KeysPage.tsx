import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type PeopleById, usePeopleById } from '../../api/people-by-id.js';
import { type Person } from '../../api/person-list-queries.js';
import {
  type IntegrationKey,
  keysQuery,
  type WidgetToken,
  widgetTokensQuery,
  workspaceKeyQuery,
} from '../../api/settings-queries.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { useTogether } from '../../components/together.js';
import { formatDay, formatInstant } from '../../shared/format/dates.js';
import { KeyDialog, type KeyDialogName, scopeWords } from './KeyDialog.js';
import { SecretDialog } from './SecretText.js';

/** Keys of other systems, the key of the workspace, and tokens of CRM widgets. Secrets are shown once. */
export function KeysPage() {
  const keys = useQuery(keysQuery);
  const workspaceKey = useQuery(workspaceKeyQuery);
  const widgets = useQuery(widgetTokensQuery);
  const creators = usePeopleById((keys.data?.keys ?? []).map(({ createdBy }) => createdBy));
  const [open, setOpen] = usePersistedChoice<KeyDialogName>('new-key');
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
      <Loaded query={useTogether({ keys, creators, workspaceKey, widgets })} height={360}>
        {({ keys: { keys: all }, creators: people, workspaceKey: { masked }, widgets: { tokens } }) => (
          <>
            {all.length === 0 ? (
              <p className="dim">No other system has a key.</p>
            ) : (
              <DataTable
                caption="Keys"
                columns={buildColumns(people)}
                rows={all}
                rowKey={({ id }) => id}
                rowHeight={45}
              />
            )}
            <Card title="Key of the workspace" note="full access, for scripts of the command line">
              <div className={blocks.saveLine}>
                <code>{masked ?? 'none'}</code>
                <Button onClick={() => setOpen('workspace')}>Replace</Button>
              </div>
            </Card>
            <Widgets tokens={tokens} onNew={() => setOpen('widget')} />
          </>
        )}
      </Loaded>
      {open === null ? null : <KeyDialog name={open} onClose={() => setOpen(null)} onDone={done} />}
      <SecretDialog label="It is shown only once." secret={secret} onClose={() => setSecret(null)} />
    </Page>
  );
}

const buildColumns = (people: PeopleById): readonly Column<IntegrationKey>[] => [
  { key: 'name', header: 'Name', phone: 'title', cell: ({ name }) => <span className="strong">{name}</span> },
  {
    key: 'scopes',
    header: 'May',
    phone: 'detail',
    cell: ({ scopes, agent }) => (
      <>
        {scopes.map((scope) => scopeWords[scope]).join('; ')}
        {agent ? <span className="second">as an agent: changes only by tools</span> : null}
      </>
    ),
  },
  {
    key: 'creator',
    header: 'Created by',
    phone: 'detail',
    cell: ({ createdBy }) => <Creator person={people.get(createdBy ?? '') ?? null} />,
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
    cell: ({ id, name }) => <Revoke name={name} send={() => api.revokeIntegrationKey({ params: { id } })} />,
  },
];

/** A key stays valid when its creator is no longer an admin. */
function Creator({ person }: { readonly person: Person | null }) {
  if (person === null) return <span className="dim">the command line</span>;
  if (person.active && person.role === 'admin') return person.name;
  return (
    <>
      {person.name}
      <span className="second">{person.active ? 'no longer an admin' : 'can no longer sign in'}</span>
    </>
  );
}

function Revoke({ name, send }: { readonly name: string; readonly send: () => Promise<unknown> }) {
  return (
    <ConfirmButton confirm="Yes, revoke" send={send}>
      Revoke<span className="unseen"> {name}</span>
    </ConfirmButton>
  );
}

function Widgets({ tokens, onNew }: { readonly tokens: readonly WidgetToken[]; readonly onNew: () => void }) {
  return (
    <Card title="CRM widgets" action={<Button onClick={onNew}>New token</Button>}>
      {tokens.length === 0 ? (
        <p className="dim">No widget is embedded in a CRM.</p>
      ) : (
        <div className={blocks.lines}>
          {tokens.map(({ id, label, lastUsedAt }) => (
            <div key={id}>
              <span>
                {label ?? 'Without a name'}
                <span className="second">
                  {lastUsedAt === null ? 'never used' : `used ${formatInstant(lastUsedAt)}`}
                </span>
              </span>
              <Revoke name={label ?? 'token'} send={() => api.deleteConnectionToken({ params: { id } })} />
            </div>
          ))}
        </div>
      )}
    </Card>
  );
}
