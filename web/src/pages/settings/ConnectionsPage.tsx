import { IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { productNames } from '#src/client.js';
import { useAction, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { jobsQuery } from '../../api/job-queries.js';
import { type Integration, integrationsQuery, type Provider } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedChoice, usePersistedDialog, usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { CheckField } from '../../components/Field.js';
import { JobLine } from '../../components/JobProgress.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { Skeleton } from '../../components/States.js';
import { formatCount } from '../../shared/format/numbers.js';
import { ConnectDialog } from './ConnectDialog.js';
import { CrmSettingsDialog } from './CrmSettingsDialog.js';
import { ConnectionBadge, connectionWords } from './connection-state.js';
import { SecretDialog } from './SecretText.js';
import { SyncHistory } from './SyncHistory.js';
import { WriteBackCard, writeBackQuery } from './WriteBackCard.js';

/** The CRMs from which deals and people come, with their state, and the syncs of the last hours. */
export function ConnectionsPage() {
  const integrations = useQuery(integrationsQuery);
  const jobs = useQuery(jobsQuery);
  const [connecting, setConnecting] = usePersistedChoice<Provider>('connect');
  const [isSyncing, setSyncing] = usePersistedDialog('sync');
  const running = jobs.data?.jobs.find(({ kind, status }) => kind === 'sync' && status === 'running');
  const hasOne = integrations.data?.integrations.some(({ connected }) => connected) ?? false;
  return (
    <Page
      title="Connections"
      crumbs={[{ label: 'Connections' }]}
      facts={['Deals and people arrive by themselves from a connected CRM']}
      actions={
        hasOne ? (
          <>
            <ImportPeople />
            <Button kind="primary" onClick={() => setSyncing(true)}>
              Sync now
            </Button>
          </>
        ) : undefined
      }
    >
      <Loaded query={integrations} height={480}>
        {({ integrations: all }) => (
          <>
            <div className={blocks.lines}>
              {all.map((item) => (
                <Connection key={item.provider} integration={item} onConnect={() => setConnecting(item.provider)} />
              ))}
            </div>
            <Card title="Fields" action={<Link to="/fields">Field mapping</Link>}>
              <p className="dim">Which field of the CRM holds the amount, the stage, the close date and the owner.</p>
            </Card>
            {running === undefined ? null : (
              <Card>
                <JobLine job={running} />
              </Card>
            )}
            {all
              .filter(({ connected }) => connected && !jobs.isPending)
              .map(({ provider }) => (
                <CrmCards key={provider} provider={provider} />
              ))}
          </>
        )}
      </Loaded>
      {connecting === null || integrations.data === undefined ? null : (
        <ConnectDialog
          provider={connecting}
          canSignIn={integrations.data.integrations.some(
            ({ provider, canSignIn }) => provider === connecting && canSignIn,
          )}
          onClose={() => setConnecting(null)}
        />
      )}
      {isSyncing ? <SyncDialog onClose={() => setSyncing(false)} /> : null}
    </Page>
  );
}

/** The state of what is written to the CRM, and below it the syncs, whose place depends on it. */
function CrmCards({ provider }: { readonly provider: Provider }) {
  const writeBack = useQuery(writeBackQuery(provider));
  if (writeBack.isPending) return <Skeleton height={320} />;
  return (
    <>
      <WriteBackCard provider={provider} />
      <SyncHistory provider={provider} />
    </>
  );
}

function Connection({ integration, onConnect }: { readonly integration: Integration; readonly onConnect: () => void }) {
  const { provider, connected, broken } = integration;
  const [isDisconnecting, setDisconnecting] = useState(false);
  const whose = <span className="unseen"> {productNames[provider]}</span>;
  const [isSetting, setSetting] = usePersistedDialog(`crm-settings ${provider}`);
  return (
    <div>
      <span>
        <span className="strong">{productNames[provider]}</span>
        <span className="second">{connectionWords(integration)}</span>
      </span>
      <span className={blocks.actions}>
        <ConnectionBadge {...integration} />
        {connected ? (
          <>
            <Button onClick={() => setSetting(true)}>Settings{whose}</Button>
            {provider === 'crmc' ? <NewSecret /> : null}
            <Button onClick={() => setDisconnecting(true)}>Disconnect{whose}</Button>
          </>
        ) : null}
        {connected && !broken ? null : (
          <Button kind={broken ? 'primary' : 'default'} onClick={onConnect}>
            {broken ? 'Reconnect' : 'Connect'}
            {whose}
          </Button>
        )}
      </span>
      {isSetting ? <CrmSettingsDialog integration={integration} onClose={() => setSetting(false)} /> : null}
      {isDisconnecting ? <DisconnectDialog provider={provider} onClose={() => setDisconnecting(false)} /> : null}
    </div>
  );
}

/** Replaces the secret of the Flow's deliveries, which the service cannot show again. */
function NewSecret() {
  const [isAsking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useChange({
    send: () => api.rotateCrmcSecret(),
    onDone: ({ webhookSecret }) => {
      setAsking(false);
      setSecret(webhookSecret);
    },
  });
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        New secret<span className="unseen"> of {productNames.crmc}</span>
      </Button>
      {isAsking ? (
        <Dialog
          title="New secret"
          onClose={() => setAsking(false)}
          onSubmit={() => rotate.send()}
          change={rotate}
          action={{ kind: 'danger', children: 'Replace the secret' }}
        >
          <p>
            Deliveries of the Flow are rejected until it sends the new secret. Regular polls read the changes meanwhile.
          </p>
        </Dialog>
      ) : null}
      <SecretDialog label="Secret of the deliveries, shown only once" secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

const disconnect = { crma: api.disconnectCrma, crmb: api.disconnectCrmb, crmc: api.disconnectCrmc } as const;

function DisconnectDialog({ provider, onClose }: { readonly provider: Provider; readonly onClose: () => void }) {
  const change = useChange({ send: () => disconnect[provider](), onDone: onClose });
  return (
    <Dialog
      title={`Disconnect ${productNames[provider]}`}
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      action={{ kind: 'danger', children: 'Disconnect' }}
    >
      <p>Its credentials are deleted. Deals and people stay, and no further changes arrive.</p>
    </Dialog>
  );
}

function ImportPeople() {
  const { send, isBusy } = useAction({
    send: () => api.syncReps(),
    onDone: ({ count }) => showMessage(`The import is done: ${formatCount(count, 'person', 'people')}.`),
  });
  return (
    <Button isBusy={isBusy} onClick={() => send()}>
      Import people
    </Button>
  );
}

function SyncDialog({ onClose }: { readonly onClose: () => void }) {
  const form = usePersistedForm('sync', { reconcile: false, recalculate: false });
  const { reconcile, recalculate } = form.values;
  const start = useChange({
    send: () => api.syncCommissions({ body: { async: true, reconcile, recalculate } }),
    onDone: () => {
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title="Sync now"
      onClose={onClose}
      onSubmit={() => start.send()}
      change={start}
      form={form}
      canSendUnchanged
      action={{ icon: IconCircleCheck, children: 'Start' }}
    >
      <p>People, fields and deals of every connected CRM are read again.</p>
      <div>
        <CheckField
          label="Delete deals that the CRM no longer has"
          checked={reconcile}
          onChange={() => form.change({ reconcile: !reconcile })}
        />
        <CheckField
          label="Calculate everyone again, not only those with changed deals"
          checked={recalculate}
          onChange={() => form.change({ recalculate: !recalculate })}
        />
      </div>
    </Dialog>
  );
}
