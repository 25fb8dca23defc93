import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import {
  type Delivery,
  deliveriesQuery,
  deliveryBodiesQuery,
  type Endpoint,
  endpointsQuery,
} from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button, LinkButton, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { type Tab, Tabs } from '../../components/Tabs.js';
import { formatInstant } from '../../shared/format/dates.js';
import { EndpointDialog } from './EndpointDialog.js';
import { SecretDialog } from './SecretText.js';

const route = getRouteApi('/_shell/endpoints');

/** Addresses of other systems that receive events, with what was sent to each. */
export function WebhooksPage() {
  const { endpoint: opened } = route.useSearch();
  const navigate = useNavigate({ from: '/endpoints' });
  const endpoints = useQuery(endpointsQuery);
  const [edited, setEdited] = usePersistedChoice<string>('endpoint');
  const [secret, setSecret] = useState<string | null>(null);
  const current = endpoints.data?.endpoints.find(({ id }) => id === opened);
  return (
    <Page
      title="Webhooks"
      crumbs={[{ label: 'Webhooks' }]}
      facts={['Other systems learn of changes within seconds']}
      actions={
        <Button kind="primary" onClick={() => setEdited('new')}>
          New endpoint
        </Button>
      }
    >
      <Loaded query={endpoints} height={200}>
        {({ endpoints: all }) =>
          all.length === 0 ? (
            <EmptyState title="No system receives events">
              An endpoint is an address that gets a signed message for every change.
            </EmptyState>
          ) : (
            <DataTable
              caption="Endpoints"
              columns={endpointColumns((id) => navigate({ search: { endpoint: id } }), setEdited)}
              rows={all}
              rowKey={({ id }) => id}
              markedKey={opened ?? null}
              rowHeight={50}
            />
          )
        }
      </Loaded>
      {current === undefined ? null : <Deliveries endpoint={current} onSecret={setSecret} />}
      {edited === null || endpoints.data === undefined ? null : (
        <EndpointDialog
          key={edited}
          endpoint={endpoints.data.endpoints.find(({ id }) => id === edited) ?? null}
          onClose={() => setEdited(null)}
          onSecret={setSecret}
        />
      )}
      <SecretDialog
        label="The key that signs deliveries, shown only once"
        secret={secret}
        onClose={() => setSecret(null)}
      />
    </Page>
  );
}

function endpointColumns(onOpen: (id: string) => void, onEdit: (id: string) => void): readonly Column<Endpoint>[] {
  return [
    {
      key: 'url',
      header: 'Endpoint',
      phone: 'title',
      cell: ({ id, url, description }) => (
        <>
          <RowButton onClick={() => onOpen(id)} {...rowAction}>
            {description ?? url}
          </RowButton>
          {description === null ? null : <span className="second">{url}</span>}
        </>
      ),
    },
    {
      key: 'events',
      header: 'Events',
      phone: 'detail',
      cell: ({ eventTypes }) => (eventTypes === null ? 'all' : String(eventTypes.length)),
    },
    {
      key: 'pending',
      header: 'Waiting',
      align: 'right',
      cell: ({ pending }) => <span className="num">{pending}</span>,
    },
    {
      key: 'last',
      header: 'Last sent',
      phone: 'detail',
      cell: ({ lastAttemptAt }) => (
        <span className="dim">{lastAttemptAt === null ? 'never' : formatInstant(lastAttemptAt)}</span>
      ),
    },
    {
      key: 'state',
      header: 'State',
      phone: 'note',
      cell: ({ enabled, disabledReason }) =>
        enabled ? (
          <Badge tone="good">On</Badge>
        ) : (
          <Badge tone={disabledReason === null ? 'neutral' : 'negative'}>
            {disabledReason === null ? 'Off' : 'Stopped'}
          </Badge>
        ),
    },
    {
      key: 'edit',
      header: <span className="unseen">Change</span>,
      align: 'right',
      phone: 'amount',
      cell: ({ id, url }) => (
        <LinkButton className="strong" onClick={() => onEdit(id)}>
          Change<span className="unseen"> {url}</span>
        </LinkButton>
      ),
    },
  ];
}

type DeliveryTab = 'all' | Delivery['status'];

const deliveryTabs: readonly Tab<DeliveryTab>[] = [
  { key: 'all', label: 'All' },
  { key: 'pending', label: 'Waiting' },
  { key: 'failed', label: 'Failed' },
  { key: 'delivered', label: 'Delivered' },
];

interface DeliveriesProps {
  readonly endpoint: Endpoint;
  readonly onSecret: (secret: string) => void;
}

function Deliveries({ endpoint, onSecret }: DeliveriesProps) {
  const [tab, setTab] = useState<DeliveryTab>('all');
  const deliveries = useQuery(deliveriesQuery(endpoint.id, tab === 'all' ? undefined : tab));
  const params = { endpointId: endpoint.id };
  const test = useAction({ send: () => api.testWebhookEndpoint({ params }), reloads: { queryKey: ['deliveries'] } });
  const rotate = useAction({
    send: () => api.rotateWebhookSecret({ params, body: { overlapHours: 24 } }),
    onDone: ({ secret }) => onSecret(secret),
  });
  return (
    <Card
      title="Deliveries"
      note={endpoint.disabledReason ?? 'of the last 30 days'}
      action={
        <span className={blocks.actions}>
          <Button isBusy={rotate.isBusy} onClick={() => rotate.send()}>
            New secret
          </Button>
          <Button disabled={!endpoint.enabled} isBusy={test.isBusy} onClick={() => test.send()}>
            Send a test
          </Button>
        </span>
      }
    >
      <Tabs<DeliveryTab> label="Deliveries by state" current={tab} onChange={setTab} tabs={deliveryTabs} />
      <Loaded query={deliveries} height={160}>
        {({ deliveries: all }) =>
          all.length === 0 ? (
            <p className="dim">No deliveries.</p>
          ) : (
            <DataTable
              caption="Deliveries"
              columns={deliveryColumns(endpoint.id)}
              rows={all}
              rowKey={({ id }) => id}
              rowHeight={50}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function deliveryColumns(endpointId: string): readonly Column<Delivery>[] {
  return [
    {
      key: 'type',
      header: 'Event',
      phone: 'title',
      cell: ({ id, type, createdAt }) => (
        <>
          {type}
          <span className="second">{formatInstant(createdAt)}</span>
          <Sent endpointId={endpointId} deliveryId={id} type={type} />
        </>
      ),
    },
    {
      key: 'response',
      header: 'Response',
      phone: 'detail',
      cell: (delivery) => <Response delivery={delivery} />,
    },
    {
      key: 'attempts',
      header: 'Attempts',
      align: 'right',
      cell: ({ attempts }) => <span className="num">{attempts}</span>,
    },
    {
      key: 'state',
      header: 'State',
      phone: 'note',
      cell: ({ status }) => {
        if (status === 'delivered') return <Badge tone="good">Delivered</Badge>;
        return status === 'failed' ? <Badge tone="negative">Failed</Badge> : <Badge tone="info">Waiting</Badge>;
      },
    },
    {
      key: 'replay',
      header: <span className="unseen">Send again</span>,
      align: 'right',
      phone: 'amount',
      cell: ({ id }) => <Replay endpointId={endpointId} deliveryId={id} />,
    },
  ];
}

interface SentProps {
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly type: string;
}

/** The text that is sent, which is read when a person opens it. */
function Sent({ endpointId, deliveryId, type }: SentProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary aria-label={`What is sent: ${type}`}>What is sent</summary>
      {isOpen ? <SentText endpointId={endpointId} deliveryId={deliveryId} /> : null}
    </details>
  );
}

function SentText({ endpointId, deliveryId }: Omit<SentProps, 'type'>) {
  const bodies = useQuery(deliveryBodiesQuery(endpointId));
  return (
    <Loaded query={bodies} height={40}>
      {({ deliveries }) => {
        const body = deliveries.find(({ id }) => id === deliveryId)?.body;
        return body === undefined ? (
          <p className="dim">It is no longer among the latest deliveries.</p>
        ) : (
          <pre className={blocks.code}>{JSON.stringify(JSON.parse(body), null, 2)}</pre>
        );
      }}
    </Loaded>
  );
}

function Response({ delivery: { responseStatus, responseBody, error, durationMs } }: { readonly delivery: Delivery }) {
  const words =
    responseStatus === null
      ? (error ?? 'not sent yet')
      : `${responseStatus}${durationMs === null ? '' : ` in ${durationMs} ms`}`;
  if (responseBody === null || responseBody === '') return <span className="dim">{words}</span>;
  return (
    <details>
      <summary>{words}</summary>
      <pre className={blocks.code}>{responseBody}</pre>
    </details>
  );
}

function Replay({ endpointId, deliveryId }: { readonly endpointId: string; readonly deliveryId: string }) {
  const { send, isBusy } = useAction({
    send: () => api.replayWebhookDelivery({ params: { endpointId, deliveryId } }),
    reloads: { queryKey: ['deliveries'] },
    onDone: () => showMessage('The event is sent again.'),
  });
  return (
    <LinkButton className="strong" isBusy={isBusy} onClick={() => send()}>
      Send again
    </LinkButton>
  );
}
