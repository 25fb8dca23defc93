import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Integration = Answer<'listIntegrations'>['integrations'][number];
export type Provider = Integration['provider'];
export type Workspace = Answer<'getWorkspace'>;
export type IntegrationKey = Answer<'listIntegrationKeys'>['keys'][number];
export type WidgetToken = Answer<'listConnectionTokens'>['tokens'][number];
export type Endpoint = Answer<'listWebhookEndpoints'>['endpoints'][number];
export type Delivery = Answer<'listWebhookDeliveries'>['deliveries'][number];
export type AuditEntry = Answer<'listAuditEntries'>['entries'][number];

export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: ({ signal }) => api.listIntegrations({}, { signal }),
});

export const workspaceQuery = queryOptions({
  queryKey: ['workspace'],
  queryFn: ({ signal }) => api.getWorkspace({ query: { assigned: '0' } }, { signal }),
});

export const keysQuery = queryOptions({
  queryKey: ['integration-keys'],
  queryFn: ({ signal }) => api.listIntegrationKeys({}, { signal }),
});

export const widgetTokensQuery = queryOptions({
  queryKey: ['connection-tokens'],
  queryFn: ({ signal }) => api.listConnectionTokens({}, { signal }),
});

export const workspaceKeyQuery = queryOptions({
  queryKey: ['workspace-key'],
  queryFn: ({ signal }) => api.getWorkspaceKey({}, { signal }),
});

export const endpointsQuery = queryOptions({
  queryKey: ['webhook-endpoints'],
  queryFn: ({ signal }) => api.listWebhookEndpoints({}, { signal }),
});

/** Deliveries change with every attempt, which no revision shows. */
export const deliveriesQuery = (endpointId: string, status: Delivery['status'] | undefined) =>
  queryOptions({
    queryKey: ['deliveries', endpointId, status],
    queryFn: ({ signal }) =>
      api.listWebhookDeliveries(
        { params: { endpointId }, query: { limit: '50', ...(status === undefined ? {} : { status }) } },
        { signal },
      ),
    refetchInterval: 5000,
  });

/** The latest deliveries with the text that is sent. */
export const deliveryBodiesQuery = (endpointId: string) =>
  queryOptions({
    queryKey: ['deliveries', endpointId, 'bodies'],
    queryFn: ({ signal }) =>
      api.listWebhookDeliveries({ params: { endpointId }, query: { limit: '50', bodies: 'true' } }, { signal }),
  });

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly resource?: string;
  readonly from?: string;
  readonly to?: string;
}

export const auditQuery = ({ from, to, ...filter }: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', from, to, filter],
    queryFn: ({ pageParam, signal }) =>
      api.listAuditEntries(
        {
          query: {
            ...filter,
            ...(from === undefined ? {} : { from: `${from}T00:00:00Z` }),
            ...(to === undefined ? {} : { to: `${to}T23:59:59Z` }),
            limit: '50',
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export type ExportJob = Answer<'listExportJobs'>['jobs'][number];

/** The packets of evidence of the last hour. */
export const evidenceQuery = queryOptions({
  queryKey: ['evidence'],
  queryFn: ({ signal }) => api.listExportJobs({}, { signal }),
  select: ({ jobs }) => jobs.filter(({ kind }) => kind === 'evidence.zip'),
  refetchInterval: ({ state: { data } }) => (data?.jobs.some(({ status }) => status === 'running') ? 1000 : 30_000),
});
