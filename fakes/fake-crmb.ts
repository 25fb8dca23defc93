import { createHash, createHmac, randomInt, randomUUID } from 'node:crypto';
import { type Request, type RequestHandler, type Response } from 'express';
import { type Day } from '#src/kernel/day.js';
import { Deliveries, type Delivery } from './deliveries.js';
import { FakeOAuth } from './fake-oauth.js';
import { FakeServer, type FakeServerOptions, rateLimit } from './fake-server.js';

/** Properties of a deal by name; all values are text. */
export type FakeCrmbValues = Readonly<Record<string, string | null>>;

export interface FakeProperty {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly fieldType: string;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
  readonly hidden?: boolean;
  readonly externalOptions?: boolean;
  readonly showCurrencySymbol?: boolean;
}

interface StoredDeal {
  readonly id: string;
  readonly createdAt: string;
  properties: FakeCrmbValues;
  updatedAt: string;
  archived: boolean;
}

interface Owner {
  readonly id: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly type: 'PERSON' | 'QUEUE';
  archived: boolean;
}

export type FakeCrmbEvent = Readonly<Record<string, unknown>>;

interface Filter {
  readonly propertyName: string;
  readonly operator: string;
  readonly value: string;
}

const stages = [
  { id: 'appointmentscheduled', label: 'Appointment Scheduled', probability: '0.2' },
  { id: 'contractsent', label: 'Contract Sent', probability: '0.9' },
  { id: 'closedwon', label: 'Closed Won', probability: '1.0' },
  { id: 'closedlost', label: 'Closed Lost', probability: '0.0' },
];

const dealProperties: readonly FakeProperty[] = [
  { name: 'dealname', label: 'Deal Name', type: 'string', fieldType: 'text' },
  { name: 'amount', label: 'Amount', type: 'number', fieldType: 'number', showCurrencySymbol: true },
  {
    name: 'dealstage',
    label: 'Deal Stage',
    type: 'enumeration',
    fieldType: 'radio',
    options: stages.map(({ id, label }) => ({ label, value: id })),
  },
  {
    name: 'pipeline',
    label: 'Pipeline',
    type: 'enumeration',
    fieldType: 'select',
    options: [{ label: 'Sales Pipeline', value: 'default' }],
  },
  { name: 'closedate', label: 'Close Date', type: 'datetime', fieldType: 'date' },
  { name: 'createdate', label: 'Create Date', type: 'datetime', fieldType: 'date' },
  {
    name: 'hubspot_owner_id',
    label: 'Deal owner',
    type: 'enumeration',
    fieldType: 'select',
    externalOptions: true,
  },
  {
    name: 'deal_currency_code',
    label: 'Currency',
    type: 'enumeration',
    fieldType: 'select',
    options: [
      { label: 'US Dollar', value: 'USD' },
      { label: 'Euro', value: 'EUR' },
    ],
  },
  { name: 'hs_lastmodifieddate', label: 'Last Modified Date', type: 'datetime', fieldType: 'date' },
  { name: 'hs_is_closed_won', label: 'Is Closed Won', type: 'bool', fieldType: 'booleancheckbox', hidden: true },
  { name: 'hs_arr', label: 'Annual recurring revenue', type: 'number', fieldType: 'number', showCurrencySymbol: true },
  {
    name: 'products',
    label: 'Products',
    type: 'enumeration',
    fieldType: 'checkbox',
    options: [
      { label: 'Core', value: 'core' },
      { label: 'Analytics', value: 'analytics' },
    ],
  },
  { name: 'signed_on', label: 'Signed on', type: 'date', fieldType: 'date' },
  { name: 'is_renewal', label: 'Renewal', type: 'enumeration', fieldType: 'booleancheckbox', options: [] },
];

const maxSearchResults = 10_000;
const maxSearchCharacters = 3000;
const tenSecondsMs = 10_000;

/** A CRM with the wire format of crm-b: one portal, and the app that its webhooks belong to. */
export class FakeCrmb {
  readonly portalId = randomInt(10_000_000, 99_999_999);
  readonly appId = randomInt(100_000, 999_999);
  readonly server: FakeServer;
  readonly oauth: FakeOAuth;
  readonly properties: FakeProperty[] = [...dealProperties];
  /** Target of the app's webhooks; without it none are sent. */
  webhookUrl: string | null = null;
  /** Properties whose changes are sent to the app. */
  readonly watched = new Set(['dealstage', 'amount', 'closedate', 'hubspot_owner_id']);
  eventsPerDelivery = 100;
  readonly deliveries: Deliveries<FakeCrmbEvent>;
  /** Request limit per ten seconds, and search limit per second. */
  callsPerTenSeconds = 110;
  searchesPerSecond = 5;
  /** A search finds a change only after this delay. */
  indexLagMs = 0;
  private readonly deals = new Map<string, StoredDeal>();
  /** Merged deal id to surviving deal id. */
  private readonly survivors = new Map<string, string>();
  private readonly owners = new Map<string, Owner>();
  private lastId = 100_000_000;

  private constructor(options: FakeServerOptions) {
    this.server = new FakeServer(options);
    this.oauth = new FakeOAuth({
      clientId: 'fake-crmb-client',
      clientSecret: 'fake-crmb-secret',
      tokenPrefix: 'CrmB-',
      accessTokenMs: 1_800_000,
      refreshTokens: 'reusable',
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

  /** Settings for our adapter. */
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
  }): string {
    const id = this.newId();
    this.owners.set(id, { type: 'PERSON', ...person, id, archived: false });
    return id;
  }

  archiveOwner(id: string): void {
    const owner = this.owners.get(id);
    if (owner === undefined) throw new Error(`the fake CRM has no owner ${id}`);
    owner.archived = true;
  }

  addDeal(values: FakeCrmbValues): string {
    const id = this.newId();
    const createdAt = this.instant();
    const properties = { pipeline: 'default', createdate: createdAt, ...values };
    this.deals.set(id, { id, createdAt, properties, updatedAt: createdAt, archived: false });
    this.notify('deal.creation', id, { changeFlag: 'NEW' });
    return id;
  }

  /** Changing a property updates the timestamp; saving an equal value does not. */
  change(id: string, values: FakeCrmbValues): void {
    const deal = this.dealOf(id);
    const changed = Object.entries(values).filter(([name, value]) => deal.properties[name] !== value);
    if (changed.length === 0) return;
    deal.properties = { ...deal.properties, ...values };
    deal.updatedAt = this.instant();
    for (const [propertyName, propertyValue] of changed)
      if (this.watched.has(propertyName))
        this.notify('deal.propertyChange', id, { propertyName, propertyValue: propertyValue ?? '' });
  }

  closeDeal(id: string, day: Day): void {
    this.change(id, { dealstage: 'closedwon', closedate: `${day}T12:00:00.000Z`, hs_is_closed_won: 'true' });
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
    const primary = this.dealOf(primaryId);
    primary.properties = { ...this.dealOf(duplicateId).properties, ...primary.properties };
    primary.updatedAt = this.instant();
    this.deals.delete(duplicateId);
    this.survivors.set(duplicateId, primaryId);
    this.notify('deal.merge', primaryId, {
      primaryObjectId: Number(primaryId),
      mergedObjectIds: [Number(duplicateId)],
    });
  }

  get dealIds(): string[] {
    return [...this.deals.keys()];
  }

  private addRoutes(): void {
    const { app } = this.server;
    app.get('/oauth/authorize', this.oauth.authorize);
    app.post('/oauth/:version/token', (request, response) => this.answerToken(request, response));
    app.post('/oauth/:version/token/introspect', (request, response) => this.answerIntrospect(request, response));
    app.post('/oauth/:version/token/revoke', (request, response) => {
      this.oauth.revoke(request.body?.token ?? '');
      response.status(204).end();
    });
    app.use(this.authorized());
    app.post(paths('objects', '/deals/search'), this.searchLimited(), (request, response) =>
      this.answerSearch(request, response),
    );
    app.use(this.limited());
    app.get('/account-info/:version/details', (_request, response) => {
      response.json({
        portalId: this.portalId,
        accountType: 'STANDARD',
        timeZone: 'US/Eastern',
        companyCurrency: 'USD',
      });
    });
    app.get(paths('objects', '/deals'), (request, response) => this.answerList(request, response));
    app.post(paths('objects', '/deals/batch/read'), (request, response) => this.answerBatch(request, response));
    app.get(paths('objects', '/deals/:id'), (request, response) => this.answerDeal(request, response));
    app.get(paths('properties', '/deals'), (_request, response) => {
      response.json({ results: this.properties.map((one) => this.propertyJson(one)) });
    });
    app.get(paths('pipelines', '/deals'), (_request, response) => void response.json({ results: [pipeline] }));
    app.get(paths('owners', ''), (request, response) => this.answerOwners(request, response));
    app.use((_request, response) => sendError(response, 404, 'OBJECT_NOT_FOUND', 'resource not found'));
  }

  private answerToken(request: Request, response: Response): void {
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
      scopes: ['oauth', 'crm.objects.deals.read'],
      access_token: tokens.accessToken,
      expires_in: (this.oauth.options.accessTokenMs ?? 0) / 1000,
    });
  }

  private answerIntrospect(request: Request, response: Response): void {
    const active = this.oauth.isAlive(request.body?.token ?? '');
    response.json({ active, hub_id: this.portalId, app_id: this.appId, token_type: 'bearer' });
  }

  private answerList(request: Request, response: Response): void {
    const limit = Number(request.query['limit'] ?? 10);
    if (limit > 100) return sendError(response, 400, 'VALIDATION_ERROR', 'limit must be 100 or less');
    const after = String(request.query['after'] ?? '0');
    if (!/^\d+$/.test(after)) return sendError(response, 400, 'VALIDATION_ERROR', 'after is not a cursor');
    const archived = request.query['archived'] === 'true';
    const rows = [...this.deals.values()].filter(
      (deal) => deal.archived === archived && Number(deal.id) > Number(after),
    );
    this.answerPage(request, response, rows, limit, (deal) => this.dealJson(deal, namesIn(request)));
  }

  private answerSearch(request: Request, response: Response): void {
    const { filterGroups = [], sorts = [], properties = [], limit = 10, after = '0' } = request.body ?? {};
    const start = Number(after);
    if (JSON.stringify(request.body).length > maxSearchCharacters || limit > 200 || start + limit > maxSearchResults)
      return sendError(response, 400, 'VALIDATION_ERROR', 'the search requests too much');
    const indexed = this.server.now() - this.indexLagMs;
    const found = [...this.deals.values()]
      .filter(({ archived, updatedAt }) => !archived && Date.parse(updatedAt) <= indexed)
      .filter((deal) => this.matches(deal, filterGroups));
    const [sort] = sorts;
    if (sort !== undefined) found.sort((a, b) => this.compare(a, b, sort.propertyName));
    if (sort?.direction === 'DESCENDING') found.reverse();
    const results = found.slice(start, start + limit).map((deal) => this.dealJson(deal, properties));
    const end = start + results.length;
    const paging = end < found.length ? { paging: { next: { after: String(end) } } } : {};
    response.json({ total: found.length, results, ...paging });
  }

  private matches(deal: StoredDeal, groups: readonly { readonly filters: readonly Filter[] }[]): boolean {
    if (groups.length === 0) return true;
    return groups.some(({ filters }) => filters.every((filter) => this.holds(deal, filter)));
  }

  private holds(deal: StoredDeal, { propertyName, operator, value }: Filter): boolean {
    const difference = comparable(this.propertyOf(deal, propertyName)) - comparable(value);
    if (operator === 'GTE') return difference >= 0;
    if (operator === 'GT') return difference > 0;
    if (operator === 'LTE') return difference <= 0;
    if (operator === 'LT') return difference < 0;
    return this.propertyOf(deal, propertyName) === value;
  }

  private compare(a: StoredDeal, b: StoredDeal, name: string): number {
    return comparable(this.propertyOf(a, name)) - comparable(this.propertyOf(b, name)) || Number(a.id) - Number(b.id);
  }

  /** Responds with 207 if some ids are missing; a merged id returns the surviving deal. */
  private answerBatch(request: Request, response: Response): void {
    const { inputs = [], properties = [] } = request.body ?? {};
    if (inputs.length > 100) return sendError(response, 400, 'VALIDATION_ERROR', 'too many inputs');
    const archived = request.query['archived'] === 'true';
    const ids = (inputs as { id: string }[]).map(({ id }) => id);
    const found = ids.map((id) => this.found(id, archived)).filter((deal) => deal !== undefined);
    const missing = ids.filter((id) => this.found(id, archived) === undefined);
    const results = [...new Set(found)].map((deal) => this.dealJson(deal, properties));
    const times = { startedAt: this.instant(), completedAt: this.instant() };
    if (missing.length === 0) {
      response.json({ status: 'COMPLETE', results, ...times });
      return;
    }
    response.status(207).json({
      status: 'COMPLETE',
      results,
      ...times,
      numErrors: 1,
      errors: [
        {
          status: 'error',
          category: 'OBJECT_NOT_FOUND',
          message: 'Could not get some deal objects, they may be deleted or not exist.',
          context: { ids: missing },
        },
      ],
    });
  }

  private answerDeal(request: Request, response: Response): void {
    const deal = this.found(String(request.params['id']), request.query['archived'] === 'true');
    if (deal === undefined) return sendError(response, 404, 'OBJECT_NOT_FOUND', 'resource not found');
    response.json(this.dealJson(deal, namesIn(request)));
  }

  private answerOwners(request: Request, response: Response): void {
    const limit = Number(request.query['limit'] ?? 100);
    const after = Number(request.query['after'] ?? 0);
    const archived = request.query['archived'] === 'true';
    const rows = [...this.owners.values()].filter((owner) => owner.archived === archived && Number(owner.id) > after);
    this.answerPage(request, response, rows, limit, (owner) => this.ownerJson(owner));
  }

  private answerPage<T extends { readonly id: string }>(
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

  private authorized(): RequestHandler {
    return (request, response, next) => {
      if (this.oauth.isAuthorized(request)) next();
      else sendError(response, 401, 'INVALID_AUTHENTICATION', 'the access token is expired or revoked');
    };
  }

  private limited(): RequestHandler {
    const limit = { windowMs: tenSecondsMs, most: () => this.callsPerTenSeconds };
    return rateLimit(this.server, limit, (response) =>
      this.rejectCall(response, 'TEN_SECONDLY_ROLLING', 'You have reached your ten_secondly_rolling limit.'),
    );
  }

  private searchLimited(): RequestHandler {
    const limit = { windowMs: 1000, most: () => this.searchesPerSecond };
    return rateLimit(this.server, limit, (response) =>
      this.rejectCall(response, 'SECONDLY', 'You have reached your secondly limit.'),
    );
  }

  /** Sends no Retry-After. A client must know the policies. */
  private rejectCall(response: Response, policyName: string, message: string): void {
    const correlationId = randomUUID();
    response.status(429).json({ status: 'error', message, errorType: 'RATE_LIMIT', policyName, correlationId });
  }

  private notify(subscriptionType: string, id: string, more: FakeCrmbEvent = {}): void {
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
      ...more,
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
    const known = new Set(['hs_object_id', ...this.properties.map(({ name }) => name)]);
    return {
      id: deal.id,
      properties: Object.fromEntries(
        shown.filter((name) => known.has(name)).map((name) => [name, this.propertyOf(deal, name)]),
      ),
      createdAt: deal.createdAt,
      updatedAt: deal.updatedAt,
      archived: deal.archived,
    };
  }

  private propertyOf(deal: StoredDeal, name: string): string | null {
    if (name === 'hs_object_id') return deal.id;
    if (name === 'hs_lastmodifieddate') return deal.updatedAt;
    return deal.properties[name] ?? null;
  }

  private propertyJson({ options = [], ...property }: FakeProperty) {
    return {
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
    const { archived, id } = owner;
    const user = archived ? { userIdIncludingInactive: Number(id) } : { userId: Number(id) };
    return { ...owner, ...user, createdAt: this.instant(), updatedAt: this.instant() };
  }

  private found(id: string, archived: boolean): StoredDeal | undefined {
    const deal = this.deals.get(this.survivors.get(id) ?? id);
    return deal?.archived === archived ? deal : undefined;
  }

  private archive(id: string, archived: boolean): void {
    const deal = this.dealOf(id);
    deal.archived = archived;
    deal.updatedAt = this.instant();
  }

  private dealOf(id: string): StoredDeal {
    const deal = this.deals.get(id);
    if (deal === undefined) throw new Error(`the fake CRM has no deal ${id}`);
    return deal;
  }

  private newId(): string {
    return String(++this.lastId);
  }

  private instant(): string {
    return new Date(this.server.now()).toISOString();
  }
}

const pipeline = {
  id: 'default',
  label: 'Sales Pipeline',
  displayOrder: 0,
  archived: false,
  stages: stages.map(({ id, label, probability }, displayOrder) => ({
    id,
    label,
    displayOrder,
    archived: false,
    metadata: { isClosed: String(id.startsWith('closed')), probability },
  })),
};

/** Both notations of the version in a path. */
function paths(kind: string, tail: string): string[] {
  return [`/crm/v3/${kind}${tail}`, `/crm/${kind}/:version${tail}`];
}

/** `properties=a,b` as well as `properties=a&properties=b`. */
function namesIn(request: Request): string[] {
  return [request.query['properties'] ?? []].flat().flatMap((names) => String(names).split(','));
}

/** Numbers, milliseconds and ISO instants in one order. */
function comparable(value: string | null): number {
  const number = Number(value ?? Number.NaN);
  return Number.isNaN(number) ? Date.parse(value ?? '') : number;
}

function sendError(response: Response, status: number, category: string, message: string): void {
  response.status(status).json({ status: 'error', message, correlationId: randomUUID(), category });
}
