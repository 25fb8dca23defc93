import { expect } from 'chai';
import { type ApiClient } from './api-client.js';
import { type Service } from './service.js';

interface Work {
  readonly api: ApiClient;
  readonly workspaceId: string;
  readonly ben: string;
  readonly mia: string;
}

/**
 * Everything that says what is earned or paid in January and February 2026, as the service sends it, with the rows of
 * the ledger. Ben has the deal D.
 */
export async function readPaidResponses(
  service: Service,
  { api, workspaceId, ben, mia }: Work,
): Promise<Record<string, string>> {
  const { events } = await api.expect(200, 'GET', '/v1/commissions?dealId=D');
  const paths = [
    `/v1/statements?repId=${ben}&period=2026-01`,
    `/v1/statements?repId=${ben}&period=2026-02`,
    `/v1/statements?repId=${mia}&period=2026-01`,
    '/v1/statements?period=2026-01',
    `/v1/statements/${ben}/list`,
    '/v1/statements/export.csv?period=2026-01',
    '/v1/statements/export.csv?period=2026-01&layout=long',
    `/v1/statements/${ben}/export?period=2026-01&format=csv`,
    `/v1/commissions?repId=${ben}&period=2026-01`,
    '/v1/commissions?period=2026-01',
    '/v1/commissions?dealId=D',
    '/v1/commission-events?format=ndjson',
    `/v1/commissions/events/${events[0].eventId}`,
    '/v1/payables',
  ];
  await service.waitForFeeds(workspaceId);
  const sent: Record<string, string> = {};
  for (const path of paths) {
    const { status, body } = await api.get(path);
    expect(status, path).to.equal(200);
    sent[path] = typeof body === 'string' ? body : JSON.stringify(body);
  }
  const rows = await service.sql(
    `select e::text as row from commission_events e where workspace_id = $1
    union all select content_hash::text from statements where workspace_id = $1 order by 1`,
    workspaceId,
  );
  return { ...sent, rows: JSON.stringify(rows) };
}
