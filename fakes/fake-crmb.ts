import { createHash, createHmac, randomInt, randomUUID } from 'node:crypto';
import { type Request, type RequestHandler, type Response } from 'express';
import { type Day } from '#src/kernel/day.js';
import { getOrInsert } from '#src/kernel/get-or-insert.js';
import { DealStore } from './deal-store.js';
import { Deliveries, type Delivery } from './deliveries.js';
import { readPage, SearchError, searchDeals } from './fake-crmb-search.js';
import { FakeOAuth } from './fake-oauth.js';
import { FakeServer, type FakeServerOptions, rateLimit } from './fake-server.js';

/** Properties of a deal by name; all values are text. */
export type FakeCrmbValues = Readonly<Record<string, string | null>>;

interface FakeProperty {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly fieldType: string;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
  readonly hidden?: boolean;
  readonly externalOptions?: boolean;
  readonly showCurrencySymbol?: boolean;
  readonly hubspotDefined?: boolean;
  readonly currencyPropertyName?: string;
  readonly numberDisplayHint?: string;
  /** Values cannot be written. */
  readonly readOnlyValue?: boolean;
}

interface StoredDeal {
  readonly id: string;
  readonly createdAt: string;
  properties: FakeCrmbValues;
  updatedAt: string;
  archived: boolean;
  archivedAt: string | null;
}

interface FakeStage {
  readonly id: string;
  readonly label: string;
  readonly probability: string;
  readonly archived?: boolean;
}

interface FakePipeline {
  readonly id: string;
  readonly label: string;
  readonly stages: readonly FakeStage[];
}

/** A line item or a company of a deal. */
interface RelatedRecord {
  readonly id: string;
  readonly dealId: string;
  readonly properties: FakeCrmbValues;
}

/** The line items or the companies, also by their deals: a deal is found without a look at all of them. */
class RelatedRecords {
  private readonly byId = new Map<string, RelatedRecord>();
  private readonly byDeal = new Map<string, Map<string, RelatedRecord>>();

  get(id: string): RelatedRecord | undefined {
    return this.byId.get(id);
  }

  set(record: RelatedRecord): void {
    this.byId.set(record.id, record);
    getOrInsert(this.byDeal, record.dealId, () => new Map<string, RelatedRecord>()).set(record.id, record);
  }

  delete({ id, dealId }: RelatedRecord): void {
    this.byId.delete(id);
    this.byDeal.get(dealId)?.delete(id);
  }

  values(): RelatedRecord[] {
    return [...this.byId.values()];
  }

  ofDeal(dealId: string): RelatedRecord[] {
    return [...(this.byDeal.get(dealId)?.values() ?? [])];
  }
}

interface Owner {
  readonly id: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly type: 'PERSON' | 'QUEUE';
  readonly teams?: readonly { readonly id: string; readonly name: string; readonly primary: boolean }[];
  /** Properties of the user. */
  readonly user?: Readonly<Record<string, string>>;
  archived: boolean;
}

type FakeCrmbEvent = Readonly<Record<string, unknown>>;

const stages: readonly FakeStage[] = [
  { id: 'appointmentscheduled', label: 'Appointment Scheduled', probability: '0.2' },
  { id: 'contractsent', label: 'Contract Sent', probability: '0.9' },
  { id: 'closedwon', label: 'Closed Won', probability: '1.0' },
  { id: 'closedlost', label: 'Closed Lost', probability: '0.0' },
];

function property(
  name: string,
  label: string,
  type: string,
  fieldType: string,
  details: Partial<FakeProperty> = {},
): FakeProperty {
  return { name, label, type, fieldType, ...details };
}

const choice = (value: string, label: string) => ({ label, value });

const dealProperties: readonly FakeProperty[] = [
  property('dealname', 'Deal Name', 'string', 'text'),
  property('amount', 'Amount', 'number', 'number', { showCurrencySymbol: true }),
  property('dealstage', 'Deal Stage', 'enumeration', 'radio', {
    options: stages.map(({ id, label }) => choice(id, label)),
  }),
  property('pipeline', 'Pipeline', 'enumeration', 'select', { options: [choice('default', 'Sales Pipeline')] }),
  property('closedate', 'Close Date', 'datetime', 'date'),
  property('createdate', 'Create Date', 'datetime', 'date'),
  property('hubspot_owner_id', 'Deal owner', 'enumeration', 'select', { externalOptions: true }),
  property('deal_currency_code', 'Currency', 'enumeration', 'select', {
    options: [choice('USD', 'US Dollar'), choice('EUR', 'Euro')],
  }),
  property('hs_lastmodifieddate', 'Last Modified Date', 'datetime', 'date'),
  property('hs_is_closed', 'Is Closed', 'bool', 'booleancheckbox', { hidden: true }),
  property('hs_is_closed_won', 'Is Closed Won', 'bool', 'booleancheckbox', { hidden: true }),
  property('hs_arr', 'Annual recurring revenue', 'number', 'number', { showCurrencySymbol: true }),
  property('products', 'Products', 'enumeration', 'checkbox', {
    options: [choice('core', 'Core'), choice('analytics', 'Analytics')],
  }),
  property('signed_on', 'Signed on', 'date', 'date'),
  property('amount_in_home_currency', 'Amount in company currency', 'number', 'number'),
  property('description', 'Deal Description', 'string', 'textarea'),
  property('is_renewal', 'Renewal', 'enumeration', 'booleancheckbox', { options: [] }),
];

const grantedScopes = [
  'oauth',
  'crm.objects.deals.read',
  'crm.schemas.deals.read',
  'crm.objects.owners.read',
  'crm.objects.line_items.read',
  'crm.objects.companies.read',
  'crm.schemas.companies.read',
  'crm.dealsplits.read_write',
  'crm.objects.users.read',
];

const companyProperties: readonly FakeProperty[] = [
  property('name', 'Company name', 'string', 'text'),
  property('industry', 'Industry', 'string', 'text'),
  property('numberofemployees', 'Number of Employees', 'number', 'number'),
];
const tenSecondsMs = 10_000;
/** When the first generated deal was created. The others follow at intervals of a millisecond. */
const epochMs = Date.parse('2020-01-01T00:00:00.000Z');

/** A part of a deal; `share` is a part of 1, as text. */
export interface FakeCrmbSplit {
  readonly ownerId: string;
  readonly share: string;
}

/** A CRM with the wire format of crm-b: one portal, and the app that its webhooks belong to. */
export class FakeCrmb {
  readonly portalId = randomInt(10_000_000, 99_999_999);
  readonly appId = randomInt(100_000, 999_999);
  readonly server: FakeServer;
  readonly oauth: FakeOAuth;
  readonly properties: FakeProperty[] = [...dealProperties];
  readonly pipelines: FakePipeline[] = [{ id: 'default', label: 'Sales Pipeline', stages }];
  companyCurrency = 'USD';
  timeZone = 'UTC';
  /** The domain of the web app. */
  uiDomain = 'app-eu1.hubspot.com';
  /** Value of one unit of a currency in the company currency. */
  readonly exchangeRates = new Map<string, number>();
  /** Target of the app's webhooks; without it none are sent. */
  webhookUrl: string | null = null;
  /** Properties whose changes are sent to the app. */
  readonly watched = new Set(['dealstage', 'amount', 'closedate', 'hubspot_owner_id']);
  eventsPerDelivery = 100;
  readonly deliveries: Deliveries<FakeCrmbEvent>;
  /** Request limit per ten seconds, and search limit per second. */
  callsPerTenSeconds = 110;
  searchesPerSecond = 5;
  /** Deals of which the vendor rejects every value. */
  readonly rejectedDeals = new Set<string>();
  /** A search finds a change only after this delay. */
  indexLagMs = 0;
  private readonly deals = new DealStore<StoredDeal>(({ id }) => id);
  private firstGeneratedId = 0;
  /** Merged deal id to surviving deal id. */
  private readonly survivors = new Map<string, string>();
  private readonly owners = new Map<string, Owner>();
  private readonly lineItems = new RelatedRecords();
  private readonly companies = new RelatedRecords();
  private readonly splits = new Map<string, readonly FakeCrmbSplit[]>();
  /** The splits of generated deals, by the id of the deal. */
  generatedSplits: (dealId: string) => readonly FakeCrmbSplit[] = () => [];
  private lastId = 100_000_000;

  private constructor(options: FakeServerOptions) {
    this.server = new FakeServer(options);
    this.oauth = new FakeOAuth({
      clientId: 'fake-crmb-client',
      clientSecret: 'fake-crmb-secret',
      tokenPrefix: 'CrmB-',
      accessTokenMs: 1_800_000,
      refreshTokens: 'reusable',
      scopes: grantedScopes,
      now: this.server.now,
    });
    this.deliveries = new Deliveries(
      (events) => this.signed(events),
      () => this.eventsPerDelivery,
    );
    this.addRoutes();
  }

  static async start(options: FakeServerOptions = {}): Promise<FakeCrmb> {
    const crm = new FakeCrmb(options);
    await crm.server.start();
    return crm;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  get environment() {
    const { clientId, clientSecret } = this.oauth.options;
    return {
      CRMB_API_BASE: this.server.url,
      CRMB_AUTH_BASE: this.server.url,
      CRMB_CLIENT_ID: clientId,
      CRMB_CLIENT_SECRET: clientSecret,
    };
  }

  get settings() {
    const { clientId, clientSecret } = this.oauth.options;
    const { url } = this.server;
    return { apiBase: url, authBase: url, clientId, clientSecret, apiVersion: '2026-09', oauthVersion: '2026-03' };
  }

  addOwner(person: {
    readonly firstName: string;
    readonly lastName: string;
    readonly email: string;
    readonly type?: 'PERSON' | 'QUEUE';
    readonly team?: string;
    /** Properties of the user. */
    readonly user?: Readonly<Record<string, string>>;
  }): string {
    const id = this.newId();
    const { team, ...named } = person;
    const teams = team === undefined ? {} : { teams: [{ id: `team ${team}`, name: team, primary: true }] };
    this.owners.set(id, { type: 'PERSON', ...named, ...teams, id, archived: false });
    return id;
  }

  archiveOwner(id: string): void {
    const owner = this.owners.get(id);
    if (owner === undefined) throw new Error(`the fake CRM has no owner ${id}`);
    owner.archived = true;
  }

  /** Adds a pipeline whose id and stage ids are numbers, as the vendor's settings do; returns the stage ids. */
  addPipeline(label: string, added: readonly Omit<FakeStage, 'id'>[]): { id: string; stageIds: string[] } {
    const pipeline = { id: this.newId(), label, stages: added.map((stage) => ({ ...stage, id: this.newId() })) };
    this.pipelines.push(pipeline);
    return { id: pipeline.id, stageIds: pipeline.stages.map(({ id }) => id) };
  }

  /** Adds a line item to a deal. */
  addLineItem(dealId: string, properties: FakeCrmbValues): string {
    const id = this.newId();
    this.setLineItem(id, this.deals.forChange(dealId).id, properties);
    return id;
  }

  /** Changes values of a line item. The time of its deal stays. */
  changeLineItem(id: string, properties: FakeCrmbValues): void {
    const item = this.lineItems.get(id);
    if (item === undefined) throw new Error(`the fake CRM has no line item ${id}`);
    this.setLineItem(id, item.dealId, { ...item.properties, ...properties });
  }

  /** Removes a line item, which changes the time of its deal. */
  removeLineItem(id: string): void {
    const item = this.lineItems.get(id);
    if (item === undefined) throw new Error(`the fake CRM has no line item ${id}`);
    this.lineItems.delete(item);
    this.deals.forChange(item.dealId).updatedAt = this.instant();
  }

  private setLineItem(id: string, dealId: string, properties: FakeCrmbValues): void {
    this.lineItems.set({ id, dealId, properties: { ...properties, hs_lastmodifieddate: this.instant() } });
  }

  /** Replaces the splits of a deal, which total 1 and contain its owner; none remove them. It changes the deal's time. */
  setSplits(dealId: string, splits: readonly FakeCrmbSplit[]): void {
    const deal = this.deals.forChange(dealId);
    deal.updatedAt = this.instant();
    this.splits.set(dealId, splits);
    this.notify('deal.propertyChange', dealId, { propertyName: 'hs_all_deal_split_owner_ids', propertyValue: '' });
  }

  /** Adds a company and associates it with a deal as its primary one. */
  addCompany(dealId: string, properties: FakeCrmbValues): string {
    const id = this.newId();
    this.companies.set({ id, dealId: this.deals.forChange(dealId).id, properties });
    return id;
  }

  addDeal(values: FakeCrmbValues): string {
    this.assertProperties(values);
    const id = this.newId();
    const createdAt = this.instant();
    const properties = { pipeline: 'default', createdate: createdAt, ...values };
    this.deals.set(id, { id, createdAt, properties, updatedAt: createdAt, archived: false, archivedAt: null });
    this.notify('deal.creation', id, { changeFlag: 'NEW' });
    return id;
  }

  /** Deals of the fake's epoch that are computed when they are read. They come before all others. */
  generateDeals(count: number, valuesAt: (position: number) => FakeCrmbValues): void {
    const firstId = this.lastId + 1;
    this.firstGeneratedId = firstId;
    this.lastId += count;
    if (count > 0) this.assertProperties(valuesAt(0));
    this.deals.generate({
      count,
      at: (position) => {
        const createdAt = new Date(epochMs + position).toISOString();
        const properties = { pipeline: 'default', createdate: createdAt, ...valuesAt(position) };
        const id = String(firstId + position);
        return { id, createdAt, properties, updatedAt: createdAt, archived: false, archivedAt: null };
      },
      positionOf: (id) => Number(id) - firstId,
    });
  }

  /** Changing a property updates the timestamp; saving an equal value does not. */
  change(id: string, values: FakeCrmbValues, source: FakeCrmbEvent = {}): void {
    this.assertProperties(values);
    const deal = this.deals.forChange(id);
    const changed = Object.entries(values).filter(([name, value]) => deal.properties[name] !== value);
    if (changed.length === 0) return;
    deal.properties = { ...deal.properties, ...values };
    deal.updatedAt = this.instant();
    for (const [propertyName, propertyValue] of changed)
      if (this.watched.has(propertyName))
        this.notify('deal.propertyChange', id, { propertyName, propertyValue: propertyValue ?? '', ...source });
  }

  closeDeal(id: string, day: Day): void {
    this.change(id, { dealstage: 'closedwon', closedate: `${day}T12:00:00.000Z` });
  }

  /** Archives the deal; it can be restored. */
  delete(id: string): void {
    this.archive(id, true);
    this.notify('deal.deletion', id, { changeFlag: 'DELETED' });
  }

  restore(id: string): void {
    this.archive(id, false);
    this.notify('deal.restore', id);
  }

  /** Merges the duplicate into the primary deal, which is then returned under both ids. */
  merge(primaryId: string, duplicateId: string): void {
    const primary = this.deals.forChange(primaryId);
    primary.properties = { ...this.deals.forChange(duplicateId).properties, ...primary.properties };
    primary.updatedAt = this.instant();
    this.deals.delete(duplicateId);
    this.survivors.set(duplicateId, primaryId);
    this.notify('deal.merge', primaryId, {
      primaryObjectId: Number(primaryId),
      mergedObjectIds: [Number(duplicateId)],
    });
  }

  /** Merges both into a third deal, which is returned under all three ids. */
  mergeIntoNew(firstId: string, secondId: string): string {
    const [first, second] = [this.deals.forChange(firstId), this.deals.forChange(secondId)];
    const newId = this.newId();
    const now = this.instant();
    const properties = { ...second.properties, ...first.properties };
    this.deals.set(newId, { ...first, id: newId, createdAt: now, updatedAt: now, properties });
    for (const id of [firstId, secondId]) {
      this.deals.delete(id);
      this.survivors.set(id, newId);
    }
    this.notify('deal.merge', firstId, {
      primaryObjectId: Number(firstId),
      mergedObjectIds: [Number(secondId)],
      newObjectId: Number(newId),
    });
    return newId;
  }

  valueOf(id: string, name: string): string | null {
    return this.deals.forChange(id).properties[name] ?? null;
  }

  get dealIds(): string[] {
    return [...this.deals.ids()];
  }

  private account() {
    return {
      portalId: this.portalId,
      uiDomain: this.uiDomain,
      accountType: 'STANDARD',
      timeZone: this.timeZone,
      companyCurrency: this.companyCurrency,
      additionalCurrencies: [...this.exchangeRates.keys()],
    };
  }

  private addRoutes(): void {
    const { app } = this.server;
    app.get('/oauth/authorize', this.oauth.authorize);
    app.post('/oauth/:version/token', (request, response) => this.respondToken(request, response));
    app.post('/oauth/:version/token/revoke', (request, response) => {
      if (this.rejectClient(request, response)) return;
      this.oauth.revokeGrant(request.body?.token ?? '');
      response.status(204).end();
    });
    app.use(
      this.oauth.authorized((response) =>
        sendError(response, 401, 'INVALID_AUTHENTICATION', 'the access token is expired or revoked'),
      ),
    );
    this.requireScopes();
    this.addSplitsRoute();
    this.addUsersRoute();
    app.post(paths('objects', '/deals/search'), this.searchLimited(), (request, response) =>
      this.respondSearch(request, response),
    );
    app.use(this.limited());
    app.get('/account-info/:version/details', (_request, response) => {
      response.json(this.account());
    });
    app.get(paths('objects', '/deals'), (request, response) => this.respondList(request, response));
    app.post(paths('objects', '/deals/batch/read'), (request, response) => this.respondBatch(request, response));
    app.post(paths('objects', '/deals/batch/update'), (request, response) => this.respondUpdates(request, response));
    app.get(paths('objects', '/deals/:id'), (request, response) => this.respondDeal(request, response));
    app.get(paths('properties', '/deals'), (_request, response) => {
      response.json({ results: this.properties.map((definition) => this.propertyJson(definition)) });
    });
    app.get(paths('properties', '/deals/:name'), (request, response) => {
      const property = this.properties.find(({ name }) => name === request.params['name']);
      if (property === undefined) return sendError(response, 404, 'OBJECT_NOT_FOUND', 'property does not exist');
      response.json(this.propertyJson(property));
    });
    app.get(paths('pipelines', '/deals'), (_request, response) => {
      response.json({ results: this.pipelines.map(pipelineJson) });
    });
    app.get(paths('owners', ''), (request, response) => this.respondOwners(request, response));
    app.get(paths('owners', '/:id'), (request, response) => {
      const owner = this.owners.get(String(request.params['id']));
      if (owner?.archived !== isArchivedIn(request))
        return sendError(response, 404, 'OBJECT_NOT_FOUND', 'resource not found');
      response.json(this.ownerJson(owner));
    });
    for (const [object, records, typeId] of [
      ['line_items', this.lineItems, 19],
      ['companies', this.companies, 5],
    ] as const) {
      app.get(paths('objects', `/${object}`), (request, response) => {
        const limit = Number(request.query['limit'] ?? 10);
        this.respondPage(request, response, records.values(), limit, ({ id }) => recordJson(id, records, []));
      });
      app.post(paths('objects', `/${object}/batch/read`), (request, response) =>
        this.respondRecords(request, response, records),
      );
      app.post(
        [`/crm/v4/associations/deals/${object}/batch/read`, `/crm/associations/:version/deals/${object}/batch/read`],
        (request, response) => this.respondAssociations(request, response, records, typeId),
      );
    }
    this.addLineItemRoutes();
    app.get(paths('properties', '/companies'), (_request, response) => {
      response.json({ results: companyProperties.map((definition) => this.propertyJson(definition)) });
    });
    app.use((_request, response) => sendError(response, 404, 'OBJECT_NOT_FOUND', 'resource not found'));
  }

  /** Each route needs one scope, and is otherwise rejected. */
  private requireScopes(): void {
    const needed: readonly [RegExp, string][] = [
      [/^(?:\/crm\/v3\/objects\/deals\/splits|\/deal-splits)\//, 'crm.dealsplits.read_write'],
      [/^\/crm\/(?:v3\/objects|objects\/[^/]+)\/deals\/batch\/update/, 'crm.objects.deals.write'],
      [/^\/crm\/(?:v3\/objects|objects\/[^/]+)\/deals/, 'crm.objects.deals.read'],
      [/^\/crm\/(?:v3\/objects|objects\/[^/]+)\/line_items/, 'crm.objects.line_items.read'],
      [/^\/crm\/(?:v3\/(?:properties|pipelines)|(?:properties|pipelines)\/[^/]+)\/deals/, 'crm.schemas.deals.read'],
      [/^\/crm\/(?:v3\/objects|objects\/[^/]+)\/companies/, 'crm.objects.companies.read'],
      [/^\/crm\/(?:v3\/properties|properties\/[^/]+)\/companies/, 'crm.schemas.companies.read'],
      [/^\/crm\/(?:v3\/owners|owners\/)/, 'crm.objects.owners.read'],
      [/^\/crm\/(?:v3\/objects|objects\/[^/]+)\/users/, 'crm.objects.users.read'],
      [/^\/crm\/(?:v4\/associations|associations\/)/, 'crm.objects.deals.read'],
    ];
    this.server.app.use((request, response, next) => {
      const scope = needed.find(([path]) => path.test(request.path))?.[1];
      if (scope === undefined || this.oauth.scopes.has(scope)) return next();
      response.status(403).json({
        status: 'error',
        message: "This app hasn't been granted all required scopes to make this call.",
        correlationId: randomUUID(),
        errors: [
          {
            message: 'One or more of the following scopes are required.',
            context: { requiredGranularScopes: [scope] },
          },
        ],
        category: 'MISSING_SCOPES',
      });
    });
  }

  /** Whether the client of the form was rejected: the answer names what is wrong. */
  private rejectClient(request: Request, response: Response): boolean {
    const problem = this.oauth.clientProblem(request.body ?? {});
    if (problem === null) return false;
    const message = problem === 'id' ? 'missing or unknown client id' : 'missing or unknown client secret';
    const status = problem === 'id' ? 'BAD_CLIENT_ID' : 'BAD_CLIENT_SECRET';
    response.status(400).json({ error: 'invalid_client', error_description: message, status, message });
    return true;
  }

  private respondToken(request: Request, response: Response): void {
    if (this.rejectClient(request, response)) return;
    const tokens = this.oauth.grant(request.body ?? {});
    if (tokens === null) {
      response.status(400).json({
        error: 'invalid_grant',
        error_description: 'refresh token is invalid, expired or revoked',
        status: 'BAD_REFRESH_TOKEN',
        message: 'missing or invalid refresh token',
      });
      return;
    }
    response.json({
      token_type: 'bearer',
      refresh_token: tokens.refreshToken,
      hub_id: this.portalId,
      scopes: [...this.oauth.scopes],
      access_token: tokens.accessToken,
      expires_in: (this.oauth.options.accessTokenMs ?? 0) / 1000,
    });
  }

  private respondList(request: Request, response: Response): void {
    const limit = Number(request.query['limit'] ?? 10);
    if (limit > 100) return sendError(response, 400, 'VALIDATION_ERROR', 'limit must be 100 or less');
    const after = String(request.query['after'] ?? '0');
    if (!/^\d+$/.test(after)) return sendError(response, 400, 'VALIDATION_ERROR', 'after is not a cursor');
    const archived = isArchivedIn(request);
    const rows: StoredDeal[] = [];
    for (const deal of this.deals.values(Math.max(0, Number(after) - this.firstGeneratedId))) {
      if (deal.archived === archived && Number(deal.id) > Number(after)) rows.push(deal);
      if (rows.length > limit) break;
    }
    this.respondPage(request, response, rows, limit, (deal) => this.dealJson(deal, namesIn(request)));
  }

  private respondSearch(request: Request, response: Response): void {
    const indexed = this.server.now() - this.indexLagMs;
    const live = [...this.deals.values()].filter(
      ({ archived, updatedAt }) => !archived && Date.parse(updatedAt) <= indexed,
    );
    const search = request.body ?? {};
    try {
      const { start, limit } = readPage(search);
      const found = searchDeals(live, search, (deal, name) => this.readProperty(deal, name), this.propertyNames);
      const results = found.slice(start, start + limit).map((deal) => this.dealJson(deal, search.properties ?? []));
      const end = start + results.length;
      const paging = end < found.length ? { paging: { next: { after: String(end) } } } : {};
      response.json({ total: found.length, results, ...paging });
    } catch (error) {
      if (!(error instanceof SearchError)) throw error;
      sendError(response, 400, 'VALIDATION_ERROR', error.message);
    }
  }

  /** The changed line items, and the deals to which line items belong. */
  private addLineItemRoutes(): void {
    const { app } = this.server;
    app.post(paths('objects', '/line_items/search'), this.searchLimited(), (request, response) =>
      this.respondItemSearch(request, response),
    );
    app.post(
      ['/crm/v4/associations/line_items/deals/batch/read', '/crm/associations/:version/line_items/deals/batch/read'],
      (request, response) => {
        const inputs: readonly { id: string }[] = request.body?.inputs ?? [];
        const results = inputs.flatMap(({ id }) => {
          const item = this.lineItems.get(id);
          const associationTypes = [{ category: 'HUBSPOT_DEFINED', typeId: 20, label: null }];
          return item === undefined
            ? []
            : [{ from: { id }, to: [{ toObjectId: Number(item.dealId), associationTypes }] }];
        });
        this.respondComplete(response, results);
      },
    );
  }

  private respondItemSearch(request: Request, response: Response): void {
    const search = request.body ?? {};
    const { start, limit } = readPage(search);
    const read = ({ id, properties }: RelatedRecord, name: string) =>
      name === 'hs_object_id' ? id : (properties[name] ?? null);
    const found = searchDeals(this.lineItems.values(), search, read, new Set(['hs_lastmodifieddate']));
    const results = found
      .slice(start, start + limit)
      .map(({ id }) => recordJson(id, this.lineItems, search.properties ?? []));
    response.json({ total: found.length, results });
  }

  /** Pairs of deals and their records. Deals without any are reported as errors. */
  private respondAssociations(request: Request, response: Response, records: RelatedRecords, typeId: number): void {
    const { inputs = [] } = request.body ?? {};
    if (inputs.length > 1000) return sendError(response, 400, 'VALIDATION_ERROR', 'too many inputs');
    const ids = (inputs as { id: string }[]).map(({ id }) => id);
    const found = ids.filter((id) => records.ofDeal(id).length > 0);
    const errors = ids
      .filter((id) => records.ofDeal(id).length === 0)
      .map((id) => ({
        status: 'error',
        category: 'OBJECT_NOT_FOUND',
        subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
        message: `Nothing is associated with deal ${id}.`,
        context: { fromObjectId: [id] },
      }));
    const results = found.map((id) => ({
      from: { id },
      to: records.ofDeal(id).map((item) => ({
        toObjectId: Number(item.id),
        associationTypes: [{ category: 'HUBSPOT_DEFINED', typeId, label: null }],
      })),
    }));
    this.respondComplete(response, results, errors);
  }

  /** The users of the owners, with the requested properties that they have. */
  private addUsersRoute(): void {
    this.server.app.get(paths('objects', '/users'), (request, response) => {
      const names = String(request.query['properties']).split(',');
      const after = Number(request.query['after'] ?? 0);
      const rows = [...this.owners.values()].filter(({ id, archived }) => !archived && Number(id) > after);
      this.respondPage(request, response, rows, Number(request.query['limit'] ?? 10), ({ id, email, user = {} }) => {
        const own: Record<string, string> = { ...user, hs_internal_user_id: id, hs_email: email };
        return { id, properties: Object.fromEntries(names.map((name) => [name, own[name] ?? null])) };
      });
    });
  }

  private addSplitsRoute(): void {
    this.server.app.post(
      ['/crm/v3/objects/deals/splits/batch/read', '/deal-splits/:version/batch/read'],
      (request: Request, response: Response) => this.respondSplits(request, response),
    );
  }

  /** Deals without splits are in the response with none. */
  private respondSplits(request: Request, response: Response): void {
    const { inputs = [] } = request.body ?? {};
    if (inputs.length > 100) return sendError(response, 400, 'VALIDATION_ERROR', 'too many inputs');
    const at = this.instant();
    const ids = (inputs as { id: string }[]).map(({ id }) => id).filter((id) => this.deals.get(id) !== undefined);
    const results = ids.map((id) => ({
      id,
      splits: (this.splits.get(id) ?? this.generatedSplits(id)).map(({ ownerId, share }, index) => ({
        id: `${id}${index}`,
        properties: { hs_deal_split_percentage: share, hubspot_owner_id: ownerId },
        createdAt: at,
        updatedAt: at,
        archived: false,
      })),
    }));
    this.respondComplete(response, results);
  }

  /** The answer to a batch; with errors, its status is 207. */
  private respondComplete(response: Response, results: readonly unknown[], errors: readonly unknown[] = []): void {
    const body = { status: 'COMPLETE', results, startedAt: this.instant(), completedAt: this.instant() };
    if (errors.length === 0) response.json(body);
    else response.status(207).json({ ...body, numErrors: errors.length, errors });
  }

  private respondRecords(request: Request, response: Response, records: RelatedRecords): void {
    const { inputs = [], properties = [] } = request.body ?? {};
    if (inputs.length > 100) return sendError(response, 400, 'VALIDATION_ERROR', 'too many inputs');
    const results = (inputs as { id: string }[])
      .filter(({ id }) => records.get(id) !== undefined)
      .map(({ id }) => recordJson(id, records, properties as string[]));
    this.respondComplete(response, results);
  }

  /** Responds with 207 if some ids are missing; a merged id returns the surviving deal. */
  private respondBatch(request: Request, response: Response): void {
    const { inputs = [], properties = [] } = request.body ?? {};
    if (inputs.length > 100) return sendError(response, 400, 'VALIDATION_ERROR', 'too many inputs');
    const archived = isArchivedIn(request);
    const ids = (inputs as { id: string }[]).map(({ id }) => id);
    const found = ids.map((id) => this.found(id, archived)).filter((deal) => deal !== undefined);
    const missing = ids.filter((id) => this.found(id, archived) === undefined);
    const results = [...new Set(found)].map((deal) => this.dealJson(deal, properties));
    this.respondComplete(response, results, notFound(missing));
  }

  /** Changes up to 100 deals. One invalid value rejects all of them; deals that do not exist are reported with 207. */
  private respondUpdates(request: Request, response: Response): void {
    const inputs: readonly { id: string; properties: FakeCrmbValues }[] = request.body?.inputs ?? [];
    const ids = inputs.map(({ id }) => id);
    const problem = this.findProblem(
      ids,
      inputs.map(({ properties }) => properties),
    );
    if (problem !== null) return sendError(response, 400, 'VALIDATION_ERROR', problem);
    const results: unknown[] = [];
    const missing: string[] = [];
    for (const { id, properties } of inputs) {
      const deal = this.found(id, false);
      if (deal === undefined) missing.push(id);
      else {
        this.change(deal.id, properties, { changeSource: 'INTEGRATION', sourceId: String(this.appId) });
        results.push(this.dealJson(deal, Object.keys(properties)));
      }
    }
    this.respondComplete(response, results, notFound(missing));
  }

  private findProblem(ids: readonly string[], values: readonly FakeCrmbValues[]): string | null {
    if (ids.length === 0) return 'inputs must not be empty';
    if (ids.length > 100) return 'inputs must have at most 100 entries';
    if (new Set(ids).size < ids.length) return 'Duplicate IDs found in batch input';
    if (ids.some((id) => this.rejectedDeals.has(id))) return 'Property values were not valid: INVALID_DATE';
    for (const name of values.flatMap((update) => Object.keys(update))) {
      const property = this.properties.find((candidate) => candidate.name === name);
      if (property === undefined) return `Property values were not valid: "${name}" PROPERTY_DOESNT_EXIST`;
      if (property.readOnlyValue === true) return `Property values were not valid: "${name}" READ_ONLY_VALUE`;
    }
    try {
      for (const update of values) this.assertProperties(update);
      return null;
    } catch {
      return 'Property values were not valid: INVALID_NUMBER';
    }
  }

  private respondDeal(request: Request, response: Response): void {
    const deal = this.found(String(request.params['id']), isArchivedIn(request));
    if (deal === undefined) return sendError(response, 404, 'OBJECT_NOT_FOUND', 'resource not found');
    response.json(this.dealJson(deal, namesIn(request)));
  }

  private respondOwners(request: Request, response: Response): void {
    const limit = Number(request.query['limit'] ?? 100);
    const after = Number(request.query['after'] ?? 0);
    const archived = isArchivedIn(request);
    const rows = [...this.owners.values()].filter((owner) => owner.archived === archived && Number(owner.id) > after);
    this.respondPage(request, response, rows, limit, (owner) => this.ownerJson(owner));
  }

  private respondPage<T extends { readonly id: string }>(
    request: Request,
    response: Response,
    rows: readonly T[],
    limit: number,
    json: (row: T) => unknown,
  ): void {
    const shown = rows.slice(0, limit);
    const after = shown.at(-1)?.id ?? '';
    const link = `${this.server.url}${request.path}?after=${after}`;
    const paging = rows.length > limit ? { paging: { next: { after, link } } } : {};
    response.json({ results: shown.map(json), ...paging });
  }

  /** Searches have a separate limit, and their responses no headers about it. */
  private limited(): RequestHandler {
    const limit = { windowMs: tenSecondsMs, max: () => this.callsPerTenSeconds };
    return rateLimit(
      this.server,
      limit,
      (response) =>
        this.rejectCall(response, 'TEN_SECONDLY_ROLLING', 'You have reached your ten_secondly_rolling limit.'),
      (response, remaining) => {
        response.setHeader('X-HubSpot-RateLimit-Max', this.callsPerTenSeconds);
        response.setHeader('X-HubSpot-RateLimit-Remaining', remaining);
        response.setHeader('X-HubSpot-RateLimit-Interval-Milliseconds', tenSecondsMs);
      },
    );
  }

  private searchLimited(): RequestHandler {
    const limit = { windowMs: 1000, max: () => this.searchesPerSecond };
    return rateLimit(this.server, limit, (response) =>
      this.rejectCall(response, 'SECONDLY', 'You have reached your secondly limit.'),
    );
  }

  /** Sends no Retry-After. A client must know the policies. */
  private rejectCall(response: Response, policyName: string, message: string): void {
    const correlationId = randomUUID();
    response.status(429).json({ status: 'error', message, errorType: 'RATE_LIMIT', policyName, correlationId });
  }

  private notify(subscriptionType: string, id: string, details: FakeCrmbEvent = {}): void {
    if (this.webhookUrl === null) return;
    this.deliveries.add({
      // Not unique, as the vendor documents.
      eventId: randomInt(100),
      subscriptionId: randomInt(1000),
      portalId: this.portalId,
      appId: this.appId,
      occurredAt: this.server.now(),
      subscriptionType,
      attemptNumber: 0,
      objectId: Number(id),
      changeSource: 'CRM_UI',
      ...details,
    });
  }

  private signed(events: readonly FakeCrmbEvent[]): Delivery {
    const targetUrl = this.webhookUrl ?? '';
    const { clientSecret } = this.oauth.options;
    const body = JSON.stringify(events);
    const timestamp = String(this.server.now());
    const headers = {
      'X-HubSpot-Signature-v3': createHmac('sha256', clientSecret)
        .update(`POST${targetUrl}${body}${timestamp}`)
        .digest('base64'),
      'X-HubSpot-Request-Timestamp': timestamp,
      'X-HubSpot-Signature': createHash('sha256').update(`${clientSecret}${body}`).digest('hex'),
      'X-HubSpot-Signature-Version': 'v1',
    };
    return { targetUrl, headers, body };
  }

  private dealJson(deal: StoredDeal, names: readonly string[]) {
    const shown = [...new Set([...names, 'createdate', 'hs_lastmodifieddate', 'hs_object_id'])];
    const known = this.propertyNames;
    return {
      id: deal.id,
      properties: Object.fromEntries(
        shown.filter((name) => known.has(name)).map((name) => [name, this.readProperty(deal, name)]),
      ),
      createdAt: deal.createdAt,
      updatedAt: deal.updatedAt,
      archived: deal.archived,
      ...(deal.archivedAt === null ? {} : { archivedAt: deal.archivedAt }),
    };
  }

  private readProperty(deal: StoredDeal, name: string): string | null {
    if (name === 'hs_object_id') return deal.id;
    if (name === 'hs_lastmodifieddate') return deal.updatedAt;
    if (name === 'amount_in_home_currency') return this.computeHomeAmount(deal);
    const stage = this.findStage(deal);
    if (name === 'hs_is_closed') return String(stage !== undefined && isClosed(stage));
    if (name === 'hs_is_closed_won') return String(stage?.probability === '1.0');
    return deal.properties[name] ?? null;
  }

  private findStage({ properties }: StoredDeal): FakeStage | undefined {
    const pipeline = this.pipelines.find(({ id }) => id === properties['pipeline']);
    return pipeline?.stages.find(({ id }) => id === properties['dealstage']);
  }

  private computeHomeAmount({ properties }: StoredDeal): string | null {
    const { amount = null, deal_currency_code: code = null } = properties;
    if (amount === null || amount === '') return null;
    const rate = code === null || code === this.companyCurrency ? 1 : (this.exchangeRates.get(code) ?? 1);
    return String(Number(amount) * rate);
  }

  private get propertyNames(): ReadonlySet<string> {
    return new Set(['hs_object_id', ...this.properties.map(({ name }) => name)]);
  }

  /** The vendor rejects values of properties that it does not have, and that are not of their type. */
  private assertProperties(values: FakeCrmbValues): void {
    for (const [name, value] of Object.entries(values)) {
      const property = this.properties.find((candidate) => candidate.name === name);
      if (property === undefined) throw new Error(`Property "${name}" does not exist`);
      if (property.type === 'number' && value !== null && value !== '' && Number.isNaN(Number(value)))
        throw new Error(`${value} was not a valid number`);
    }
  }

  private propertyJson({ options = [], readOnlyValue = false, ...property }: FakeProperty) {
    return {
      modificationMetadata: { archivable: true, readOnlyDefinition: false, readOnlyValue },
      groupName: 'dealinformation',
      description: '',
      archived: false,
      calculated: false,
      hubspotDefined: true,
      hidden: false,
      ...property,
      options: options.map((option, displayOrder) => ({ ...option, displayOrder, hidden: false })),
    };
  }

  private ownerJson(owner: Owner) {
    const { user: _, ...shown } = owner;
    const userId = Number(owner.id);
    const user = owner.archived ? { userIdIncludingInactive: userId } : { userId };
    return { ...shown, ...user, createdAt: this.instant(), updatedAt: this.instant() };
  }

  private found(id: string, archived: boolean): StoredDeal | undefined {
    const deal = this.deals.get(this.survivors.get(id) ?? id);
    return deal?.archived === archived ? deal : undefined;
  }

  private archive(id: string, archived: boolean): void {
    const deal = this.deals.forChange(id);
    deal.archived = archived;
    deal.updatedAt = this.instant();
    deal.archivedAt = archived ? deal.updatedAt : null;
  }

  private newId(): string {
    return String(++this.lastId);
  }

  private instant(): string {
    return new Date(this.server.now()).toISOString();
  }
}

/** One error names all deals of a batch that do not exist. */
function notFound(ids: readonly string[]) {
  const message = 'Could not get some deal objects, they may be deleted or not exist.';
  return ids.length === 0 ? [] : [{ status: 'error', category: 'OBJECT_NOT_FOUND', message, context: { ids } }];
}

function recordJson(id: string, records: RelatedRecords, names: readonly string[]) {
  const own = records.get(id)?.properties ?? {};
  const named = names.map((name) => [name, own[name] ?? null]);
  return { id, properties: { ...Object.fromEntries(named), hs_object_id: id }, archived: false };
}

function pipelineJson({ id, label, stages }: FakePipeline, displayOrder: number) {
  return {
    id,
    label,
    displayOrder,
    archived: false,
    stages: stages.map((stage, order) => ({
      id: stage.id,
      label: stage.label,
      displayOrder: order,
      archived: stage.archived === true,
      metadata: { isClosed: String(isClosed(stage)), probability: stage.probability },
    })),
  };
}

function isClosed({ probability }: FakeStage): boolean {
  return probability === '1.0' || probability === '0.0';
}

/** Both notations of the version in a path. */
function paths(kind: string, tail: string): string[] {
  return [`/crm/v3/${kind}${tail}`, `/crm/${kind}/:version${tail}`];
}

function isArchivedIn(request: Request): boolean {
  return request.query['archived'] === 'true';
}

/** `properties=a,b` as well as `properties=a&properties=b`. */
function namesIn(request: Request): string[] {
  return [request.query['properties'] ?? []].flat().flatMap((names) => String(names).split(','));
}

function sendError(response: Response, status: number, category: string, message: string): void {
  response.status(status).json({ status: 'error', message, correlationId: randomUUID(), category });
}
