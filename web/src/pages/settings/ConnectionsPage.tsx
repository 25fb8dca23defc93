import { IconCircleCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { api } from '../../api/client.js';
import { jobsQuery } from '../../api/job-queries.js';
import { type Integration, integrationsQuery, type Provider, productNames } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Check } from '../../components/Field.js';
import { JobLine } from '../../components/JobProgress.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { describeError } from '../../components/States.js';
import { formatCount } from '../../format/numbers.js';
import { ConnectDialog } from './ConnectDialog.js';
import { CrmSettingsDialog } from './CrmSettingsDialog.js';
import { ConnectionBadge, connectionWords } from './connection-state.js';
import styles from './Settings.module.css';
import { SyncHistory } from './SyncHistory.js';
import { WriteBackCard } from './WriteBackCard.js';

/** The CRMs from which deals and people come, with their state, and the syncs of the last hours. */
export function ConnectionsPage() {
  const integrations = useQuery(integrationsQuery);
  const jobs = useQuery(jobsQuery);
  const [connecting, setConnecting] = useState<Provider | null>(null);
  const [isSyncing, setSyncing] = useState(false);
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
      <Loaded query={integrations} height={240}>
        {({ integrations: all }) => (
          <div className={styles.lines}>
            {all.map((one) => (
              <Connection key={one.provider} integration={one} onConnect={() => setConnecting(one.provider)} />
            ))}
          </div>
        )}
      </Loaded>
      <Card title="Fields" action={<Link to="/fields">Field mapping</Link>}>
        <p className="dim">Which field of the CRM holds the amount, the stage, the close date and the owner.</p>
      </Card>
      {running === undefined ? null : (
        <Card>
          <JobLine job={running} />
        </Card>
      )}
      {(integrations.data?.integrations ?? [])
        .filter(({ connected }) => connected)
        .map(({ provider }) => (
          <Fragment key={provider}>
            <WriteBackCard provider={provider} />
            <SyncHistory provider={provider} />
          </Fragment>
        ))}
      {connecting === null ? null : <ConnectDialog provider={connecting} onClose={() => setConnecting(null)} />}
      {isSyncing ? <SyncDialog onClose={() => setSyncing(false)} /> : null}
    </Page>
  );
}

function Connection({ integration, onConnect }: { readonly integration: Integration; readonly onConnect: () => void }) {
  const { provider, connected, broken } = integration;
  const [isAsked, setAsked] = useState(false);
  const [isSetting, setSetting] = useState(false);
  return (
    <div>
      <span>
        <span className="strong">{productNames[provider]}</span>
        <span className={styles.second}>{connectionWords(integration)}</span>
      </span>
      <span className={styles.actions}>
        <ConnectionBadge {...integration} />
        {connected ? <Button onClick={() => setSetting(true)}>Settings</Button> : null}
        {connected ? <Button onClick={() => setAsked(true)}>Disconnect</Button> : null}
        {connected && !broken ? null : (
          <Button kind={broken ? 'primary' : 'default'} onClick={onConnect}>
            {broken ? 'Reconnect' : 'Connect'}
            <span className="unseen"> {productNames[provider]}</span>
          </Button>
        )}
      </span>
      {isSetting ? <CrmSettingsDialog integration={integration} onClose={() => setSetting(false)} /> : null}
      {isAsked ? <DisconnectDialog provider={provider} onClose={() => setAsked(false)} /> : null}
    </div>
  );
}

const disconnect = { crma: api.disconnectCrma, crmb: api.disconnectCrmb, crmc: api.disconnectCrmc } as const;

function DisconnectDialog({ provider, onClose }: { readonly provider: Provider; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => disconnect[provider](),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Disconnect ${productNames[provider]}`}
      onClose={onClose}
      onSubmit={() => mutate()}
      action={{ kind: 'danger', isBusy: isPending, children: 'Disconnect' }}
      problem={error === null ? null : describeError(error).message}
    >
      <p>Its credentials are deleted. Deals and people stay, and no further changes arrive.</p>
    </Dialog>
  );
}

function ImportPeople() {
  const queryClient = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.syncReps(),
    onSuccess: async ({ count }) => {
      await queryClient.invalidateQueries();
      showMessage(`${formatCount(count, 'person', 'people')} are here now.`);
    },
  });
  return (
    <Button isBusy={isPending} onClick={() => mutate()}>
      Import people
    </Button>
  );
}

function SyncDialog({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [reconcile, setReconcile] = useState(false);
  const [recalculate, setRecalculate] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.syncCommissions({ body: { async: true, reconcile, recalculate } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title="Sync now"
      onClose={onClose}
      onSubmit={() => mutate()}
      action={{ icon: IconCircleCheck, isBusy: isPending, children: 'Start' }}
      problem={error === null ? null : describeError(error).message}
    >
      <p>People, fields and deals of every connected CRM are read again.</p>
      <div className={styles.checks}>
        <span>
          <Check
            label="Delete deals that the CRM no longer has"
            checked={reconcile}
            onChange={() => setReconcile(!reconcile)}
          />
          Delete deals that the CRM no longer has
        </span>
        <span>
          <Check label="Calculate everyone again" checked={recalculate} onChange={() => setRecalculate(!recalculate)} />
          Calculate everyone again, not only those with changed deals
        </span>
      </div>
    </Dialog>
  );
}
