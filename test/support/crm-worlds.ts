import { type Delivery } from '#fakes/deliveries.js';
import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { type FakeOAuth } from '#fakes/fake-oauth.js';
import { type FakeServer } from '#fakes/fake-server.js';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { type ApiClient } from './api-client.js';
import { query } from './ledger-checks.js';
import { type Random } from './random.js';
import { until } from './until.js';

/** A deal in the terms that all CRMs share. */
export interface PlainDeal {
  readonly owner: string;
  readonly amount: number | null;
  readonly won: boolean;
  readonly closeDate: string;
}

/** The fields that get commission, by the names of the CRM. */
export interface WriteFields {
  readonly commission: string;
  readonly state: string;
  readonly currency: string;
  readonly attainment: string;
}

const writeFields: WriteFields = {
  commission: 'commission',
  state: 'commission_state',
  currency: 'commission_currency',
  attainment: 'quota_attainment',
};

/** One kind of CRM with its fake, behind an interface that all kinds share. */
export interface CrmWorld {
  readonly provider: CrmProvider;
  readonly server: FakeServer;
  readonly oauth: FakeOAuth;
  /** Base URL of the consent page. */
  readonly consentUrl: string;
  /** The currency of its deals, for plans that pay on them. */
  readonly currency: string;
  /** Settings that point the service to the fake. */
  readonly environment: Readonly<Record<string, string>>;
  /** Matches the requests that list deals, as `METHOD /path`. */
  readonly listing: RegExp;
  addPerson(name: string): string;
  addDeal(deal: PlainDeal): string;
  /** Deals that the fake computes when they are read. They come before those that are added. */
  generateDeals(count: number, dealAt: (position: number) => PlainDeal): void;
  /** A deal that the CRM has stamped and shows after its commit; only for CRMs with such a delay. */
  addLateDeal(deal: PlainDeal): { readonly id: string; commit(): void };
  change(dealId: string, change: Partial<PlainDeal>): void;
  delete(dealId: string): void;
  liveDealIds(): string[];
  /** Connects with a token from the CRM's settings. */
  connect(api: ApiClient, serviceUrl: string): Promise<void>;
  /** Signed deliveries of all changes since the last call. */
  takeDeliveries(): Delivery[];
  /** Creates fields and grants the permission to write them; the names of the fields, for the settings. */
  prepareWrites(): WriteFields;
  /** Grants or withdraws that permission. */
  permitWrites(permits: boolean): void;
  /** What the CRM holds in the fields: numbers as numbers; null where nothing was written. */
  written(dealId: string): Readonly<Record<keyof WriteFields, unknown>>;
  /** The CRM rejects every value of the deal, until it accepts them again. */
  reject(dealId: string, rejects: boolean): void;
  /** Match the requests that write to deals, and those that read single deals. */
  readonly writing: RegExp;
  readonly reading: RegExp;
  stop(): Promise<void>;
}

export const crmWorlds: readonly { readonly provider: CrmProvider; start(): Promise<CrmWorld> }[] = [
  { provider: 'crma', start: crmaWorld },
  { provider: 'crmb', start: crmbWorld },
  { provider: 'crmc', start: crmcWorld },
];

function notHere(): never {
  throw new Error('this CRM shows its deals at once');
}

async function crmaWorld(): Promise<CrmWorld> {
  const crm = await FakeCrma.start();
  crm.readsPerSecond = 1_000_000;
  const toValues = ({ owner, amount, won, closeDate }: Partial<PlainDeal>) => ({
    ...(owner === undefined ? {} : { owner }),
    ...(amount === undefined ? {} : { value: amount }),
    ...(won === undefined ? {} : { stage: won ? 'Won 🎉' : 'In Progress' }),
    ...(closeDate === undefined ? {} : { close_date: closeDate }),
  });
  return {
    provider: 'crma',
    consentUrl: crm.server.url,
    currency: 'USD',
    server: crm.server,
    oauth: crm.oauth,
    environment: crm.environment,
    listing: /POST .*\/deals\/records\/query \{.*"sorts"/,
    addPerson: (name) => crm.addMember({ firstName: name, lastName: 'Test', email: `${name.toLowerCase()}@x.io` }),
    addDeal: (deal) => crm.addDeal({ name: 'Deal', ...toValues(deal) }),
    generateDeals: (count, dealAt) =>
      crm.generateDeals(count, (position) => ({ name: 'Deal', ...toValues(dealAt(position)) })),
    addLateDeal: notHere,
    change: (dealId, change) => crm.change(dealId, toValues(change)),
    delete: (dealId) => crm.delete(dealId),
    liveDealIds: () => crm.dealIds,
    connect: async (api) => {
      const { accessToken } = crm.oauth.issue();
      await api.expect(200, 'POST', '/auth/workspace/connect-crma', { accessToken });
    },
    takeDeliveries: () => crm.takeDeliveries(),
    permitWrites: (permits) => {
      const [read, write] = ['record_permission:read', 'record_permission:read-write'];
      crm.oauth.scopes.delete(permits ? read : write);
      crm.oauth.scopes.add(permits ? write : read);
    },
    prepareWrites: () => {
      crm.oauth.scopes.add('record_permission:read-write');
      crm.writesPerSecond = 1_000_000;
      for (const [value, slug] of Object.entries(writeFields))
        crm.attributes.push({ slug, title: slug, type: isText(value) ? 'text' : 'number' });
      return writeFields;
    },
    written: (dealId) => valuesBy((name) => crm.valueOf(dealId, name), writeFields),
    reject: (dealId, rejects) => void (rejects ? crm.rejectedDeals.add(dealId) : crm.rejectedDeals.delete(dealId)),
    writing: /PATCH .*records/,
    reading: /records\/(query|[0-9a-f-]{36}$)/,
    stop: () => crm.stop(),
  };
}

function isText(value: string): boolean {
  return value === 'state' || value === 'currency';
}

function valuesBy(read: (name: string) => unknown, fields: WriteFields): Record<keyof WriteFields, unknown> {
  const values = Object.entries(fields).map(([value, name]) => [value, read(name)]);
  return Object.fromEntries(values) as Record<keyof WriteFields, unknown>;
}

export async function crmbWorld(): Promise<CrmWorld> {
  const crm = await FakeCrmb.start();
  crm.callsPerTenSeconds = 1_000_000;
  crm.searchesPerSecond = 1_000_000;
  crm.eventsPerDelivery = 1;
  const gone = new Set<string>();
  const toValues = ({ owner, amount, won, closeDate }: Partial<PlainDeal>) => ({
    ...(owner === undefined ? {} : { hubspot_owner_id: owner }),
    ...(amount === undefined ? {} : { amount: amount === null ? null : String(amount) }),
    ...(won === undefined ? {} : { dealstage: won ? 'closedwon' : 'contractsent' }),
    ...(closeDate === undefined ? {} : { closedate: `${closeDate}T12:00:00.000Z` }),
  });
  return {
    provider: 'crmb',
    consentUrl: crm.server.url,
    currency: 'USD',
    server: crm.server,
    oauth: crm.oauth,
    environment: crm.environment,
    listing: /GET \/crm\/objects\/[^/]+\/deals$/,
    addPerson: (name) => crm.addOwner({ firstName: name, lastName: 'Test', email: `${name.toLowerCase()}@x.io` }),
    addDeal: (deal) => crm.addDeal({ dealname: 'Deal', ...toValues(deal) }),
    generateDeals: (count, dealAt) =>
      crm.generateDeals(count, (position) => ({ dealname: 'Deal', ...toValues(dealAt(position)) })),
    addLateDeal: notHere,
    change: (dealId, change) => crm.change(dealId, toValues(change)),
    delete: (dealId) => {
      crm.delete(dealId);
      gone.add(dealId);
    },
    liveDealIds: () => crm.dealIds.filter((dealId) => !gone.has(dealId)),
    connect: async (api, serviceUrl) => {
      crm.webhookUrl = `${serviceUrl}/webhooks/crmb`;
      await api.expect(200, 'POST', '/auth/workspace/connect-crmb', { ...crm.oauth.issue() });
    },
    takeDeliveries: () => crm.deliveries.take(),
    permitWrites: (permits) => {
      if (permits) crm.oauth.scopes.add('crm.objects.deals.write');
      else crm.oauth.scopes.delete('crm.objects.deals.write');
    },
    prepareWrites: () => {
      crm.oauth.scopes.add('crm.objects.deals.write');
      crm.eventsPerDelivery = 100;
      for (const [value, name] of Object.entries(writeFields)) {
        const type = isText(value) ? { type: 'string', fieldType: 'text' } : { type: 'number', fieldType: 'number' };
        crm.properties.push({ name, label: name, ...type, hubspotDefined: false });
        // An admin may subscribe the app to them as well.
        crm.watched.add(name);
      }
      return writeFields;
    },
    written: (dealId) => {
      const { commission, attainment, ...texts } = valuesBy((name) => crm.valueOf(dealId, name), writeFields);
      const number = (text: unknown) => (text === null || text === '' ? null : Number(text));
      return { ...texts, commission: number(commission), attainment: number(attainment) };
    },
    reject: (dealId, rejects) => void (rejects ? crm.rejectedDeals.add(dealId) : crm.rejectedDeals.delete(dealId)),
    writing: /deals\/batch\/update/,
    reading: /deals\/(batch\/read|\d+$)/,
    stop: () => crm.stop(),
  };
}

const crmcFields: WriteFields = {
  commission: 'Commission__c',
  state: 'Commission_State__c',
  currency: 'Commission_Currency__c',
  attainment: 'Quota_Attainment__c',
};

async function crmcWorld(): Promise<CrmWorld> {
  const crm = await FakeCrmc.start();
  let flow: ReturnType<FakeCrmc['flow']> | null = null;
  const toValues = ({ owner, amount, won, closeDate }: Partial<PlainDeal>) => ({
    ...(owner === undefined ? {} : { OwnerId: owner }),
    ...(amount === undefined ? {} : { Amount: amount }),
    ...(won === undefined ? {} : { StageName: won ? 'Closed Won' : 'Prospecting' }),
    ...(closeDate === undefined ? {} : { CloseDate: closeDate }),
  });
  return {
    provider: 'crmc',
    consentUrl: crm.loginUrl,
    currency: 'EUR',
    server: crm.server,
    oauth: crm.oauth,
    environment: crm.environment,
    // Users are listed by the same kind of request before.
    listing: /GET .*\/(queryAll\?.*FROM Opportunity|query\/)/,
    addPerson: (name) => crm.addUser({ Name: name, Email: `${name.toLowerCase()}@x.io` }),
    addDeal: (deal) => {
      const dealId = crm.addDeal({ Name: 'Deal', ...toValues(deal) });
      flow?.add(dealId);
      return dealId;
    },
    generateDeals: (count, dealAt) =>
      crm.generateDeals(count, (position) => ({ Name: 'Deal', ...toValues(dealAt(position)) })),
    addLateDeal: (deal) => crm.addLateDeal({ Name: 'Deal', ...toValues(deal) }),
    change: (dealId, change) => {
      crm.changeDeal(dealId, toValues(change));
      flow?.add(dealId);
    },
    delete: (dealId) => {
      crm.deleteDeal(dealId);
      flow?.add(dealId);
    },
    liveDealIds: () => crm.liveDeals().map((deal) => String(deal['Id'])),
    connect: async (api) => {
      const body = { ...crm.oauth.issue(), instanceUrl: crm.url };
      const { webhookUrl, webhookSecret } = await api.expect(200, 'POST', '/auth/workspace/connect-crmc', body);
      if (webhookSecret !== null) flow = crm.flow({ targetUrl: webhookUrl, secret: webhookSecret });
    },
    takeDeliveries: () => flow?.take() ?? [],
    permitWrites: (permits) => {
      crm.editsDeals = permits;
    },
    prepareWrites: () => {
      for (const [value, name] of Object.entries(crmcFields))
        crm.addField({
          name,
          type: isText(value) ? 'string' : value === 'attainment' ? 'percent' : 'currency',
          length: 40,
        });
      return crmcFields;
    },
    written: (dealId) => valuesBy((name) => crm.valueOf(dealId, name), crmcFields),
    reject: (dealId, rejects) => void (rejects ? crm.invalidDeals.add(dealId) : crm.invalidDeals.delete(dealId)),
    writing: /PATCH .*composite\/sobjects/,
    reading: /query/,
    stop: () => crm.stop(),
  };
}

/** A plan that pays on won deals by quarters, with a tier that depends on the order of deals, assigned to every rep. */
export async function payEveryone(api: ApiClient): Promise<void> {
  const { reps } = await api.expect(200, 'GET', '/v1/reps');
  const won = { field: 'stage', fieldType: 'status', operator: 'contains', value: 'won' };
  const rule = {
    name: 'Won',
    measure: 'amount',
    attainmentPeriod: 'quarterly',
    tierMode: 'marginal',
    tiers: [
      { tierIndex: 0, minThreshold: 0, rate: 0.08 },
      { tierIndex: 1, minThreshold: 0.5, rate: 0.12 },
    ],
  };
  const plan = await api.createPlan({
    name: 'AE',
    config: { dealConditions: [won], rules: [rule] },
  });
  const repIds = reps.map((rep: { id: string }) => rep.id);
  await api.assign(repIds, plan.planId);
  for (const period of ['2026-Q1', '2026-Q2'])
    await api.expect(201, 'POST', '/v1/quotas', { repIds, planRuleId: plan.rules[0].id, period, target: 500_000 });
}

/** Resolves when every webhook message is processed. */
export async function untilInboxEmpty(ownerUrl: string): Promise<void> {
  const waiting = 'select 1 from inbox where processed_at is null limit 1';
  await until(async () => (await query(ownerUrl, waiting)).length === 0, { what: 'the inbox is empty' });
}

export function randomDeal(random: Random, people: readonly string[]): PlainDeal {
  return {
    owner: random.of(people),
    amount: random.below(20) === 0 ? null : random.below(5_000_000) / 100,
    won: random.below(3) > 0,
    closeDate: random.of(['2026-01-15', '2026-02-10', '2026-03-31', '2026-04-01', '2026-05-20']),
  };
}
