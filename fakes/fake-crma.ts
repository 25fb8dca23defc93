import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type Day } from '#src/kernel/day.js';
import { DealStore } from './deal-store.js';
import { Deliveries, type Delivery } from './deliveries.js';
import { compileFilter, FilterError } from './fake-crma-filter.js';
import { FakeOAuth } from './fake-oauth.js';
import { FakeServer, type FakeServerOptions, rateLimit } from './fake-server.js';

interface FakeAttribute {
  readonly slug: string;
  readonly title: string;
  readonly type: string;
  readonly isMulti?: boolean;
  readonly isArchived?: boolean;
  /** A select or a status has these titles. */
  readonly options?: readonly string[];
  readonly currency?: string;
  /** The vendor defines the attribute. */
  readonly isSystem?: boolean;
  /** The vendor computes the values. */
  readonly isReadOnly?: boolean;
  /** A record reference refers to records of this object; companies by default. */
  readonly object?: string;
}

/** An amount in another currency than the attribute's default. */
interface FakeMoney {
  readonly amount: number;
  readonly currency: string | null;
}

type Plain = string | number | boolean | null | FakeMoney | readonly string[];
/** Plain values of a deal by slug. */
type FakeCrmaValues = Readonly<Record<string, Plain>>;

interface StoredDeal {
  readonly id: string;
  readonly createdAt: string;
  values: FakeCrmaValues;
  /** The previous values; responses still contain them, marked as ended. */
  ended: FakeCrmaValues;
  endedAt: string;
}

interface WebhookEvent {
  readonly key: string;
  readonly json: Readonly<Record<string, unknown>>;
}

interface Subscription {
  readonly event_type: string;
  readonly filter: { readonly $and?: readonly { readonly field: string; readonly value: string }[] } | null;
}

interface Webhook {
  readonly id: string;
  readonly targetUrl: string;
  readonly subscriptions: readonly Subscription[];
  readonly secret: string;
  readonly createdAt: string;
  status: 'active' | 'degraded' | 'inactive';
  readonly deliveries: Deliveries<WebhookEvent>;
}

const dealAttributes: readonly FakeAttribute[] = [
  { slug: 'name', title: 'Deal name', type: 'text', isSystem: true },
  {
    slug: 'stage',
    title: 'Deal stage',
    type: 'status',
    isSystem: true,
    options: ['Lead', 'In Progress', 'Won 🎉', 'Lost'],
  },
  { slug: 'owner', title: 'Deal owner', type: 'actor-reference', isSystem: true },
  { slug: 'value', title: 'Deal value', type: 'currency', isSystem: true },
  { slug: 'close_date', title: 'Close date', type: 'date' },
  { slug: 'segment', title: 'Segment', type: 'select', options: ['SMB', 'Mid-market', 'Enterprise'] },
  { slug: 'products', title: 'Products', type: 'select', isMulti: true, options: ['Core', 'Analytics', 'Support'] },
  { slug: 'seats', title: 'Seats', type: 'number' },
  { slug: 'renewal', title: 'Renewal', type: 'checkbox' },
];

const maxRecords = 500;
const createdWithWorkspace = '2022-11-21T13:22:49.061281000Z';
/** When the first generated deal was created. The others follow at intervals of a millisecond. */
const epochMs = Date.parse('2020-01-01T00:00:00.000Z');
const generatedPrefix = '00000000-0000-4000-8000-';
const grantedScopes = [
  'record_permission:read',
  'object_configuration:read',
  'user_management:read',
  'webhook:read-write',
];
/** Types of attributes that every record has. */
const systemTypes = [
  ['record_id', 'text'],
  ['created_at', 'timestamp'],
] as const;

/** A CRM with the wire format of crm-a: one workspace with deals, members and webhooks. */
export class FakeCrma {
  readonly workspaceId = randomUUID();
  readonly objectId = randomUUID();
  readonly server: FakeServer;
  readonly oauth: FakeOAuth;
  readonly attributes: FakeAttribute[] = [...dealAttributes];
  /** Whether the workspace has enabled the deals object. */
  hasDeals = true;
  /** Where the web app shows deals. */
  webUrl = 'https://app.attio.com/acme/deals';
  defaultCurrency = 'USD';
  /** Reads per second that the vendor allows; tests set less. */
  readsPerSecond = 100;
  /** Writes per second that the vendor allows. */
  writesPerSecond = 25;
  /** Deals of which the vendor rejects every value. */
  readonly rejectedDeals = new Set<string>();
  /** Number of events per body; the vendor guarantees nothing. */
  eventsPerDelivery = 1;
  private readonly deals = new DealStore<StoredDeal>(({ id }) => id);
  /** Records of other objects than deals and people, by object and id. */
  private readonly records = new Map<string, Map<string, object>>();
  /** By address. */
  private readonly people = new Map<string, object>();
  private readonly members = new Map<string, Readonly<Record<string, unknown>>>();
  private readonly webhooks = new Map<string, Webhook>();
  /** UUIDs of attributes, options and the like, by name. */
  private readonly ids = new Map<string, string>();
  private ticks = 0;

  private constructor(options: FakeServerOptions) {
    this.server = new FakeServer(options);
    this.oauth = new FakeOAuth({
      clientId: 'fake-crma-client',
      clientSecret: 'fake-crma-secret',
      tokenPrefix: 'attio_',
      accessTokenMs: null,
      refreshTokens: 'none',
      scopes: grantedScopes,
      now: this.server.now,
    });
    this.server.app.get('/authorize', this.oauth.authorize);
    this.server.app.post('/oauth/token', (request, response) => this.respondToken(request, response));
    this.server.app.get('/v2/self', (request, response) => this.respondSelf(request, response));
    const authorized = this.oauth.authorized((response) => sendError(response, 401, 'unauthorized', 'auth_error'));
    this.server.app.use('/v2', this.limited(), authorized, this.scoped(), this.routes());
    this.server.app.use((_request, response) => sendError(response, 404, 'not_found'));
  }

  static async start(options: FakeServerOptions = {}): Promise<FakeCrma> {
    const crm = new FakeCrma(options);
    await crm.server.start();
    return crm;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  get environment() {
    const { clientId, clientSecret } = this.oauth.options;
    return {
      CRMA_API_BASE: this.server.url,
      CRMA_AUTH_BASE: this.server.url,
      CRMA_CLIENT_ID: clientId,
      CRMA_CLIENT_SECRET: clientSecret,
    };
  }

  get settings() {
    const { clientId, clientSecret } = this.oauth.options;
    return { apiBase: this.server.url, authBase: this.server.url, clientId, clientSecret };
  }

  addMember(person: { readonly firstName: string; readonly lastName: string; readonly email: string }): string {
    const id = randomUUID();
    this.members.set(id, {
      id: { workspace_id: this.workspaceId, workspace_member_id: id },
      first_name: person.firstName,
      last_name: person.lastName,
      email_address: person.email,
      avatar_url: `https://avatars.example.com/${id}.png`,
      access_level: 'member',
      created_at: this.instant(),
    });
    return id;
  }

  /** Members are never deleted. */
  suspendMember(id: string): void {
    this.members.set(id, { ...this.members.get(id), access_level: 'suspended' });
  }

  /** Adds a person with texts. */
  addPerson(address: string, values: Readonly<Record<string, string>>): void {
    this.people.set(address, {
      id: { workspace_id: this.workspaceId, object_id: this.assignId('people'), record_id: randomUUID() },
      created_at: this.instant(),
      values: {
        ...this.texts(values),
        email_addresses: [{ ...this.live('email-address'), email_address: address }],
      },
    });
  }

  private live(type: string) {
    const by = { type: 'system', id: null };
    return { active_from: this.instant(), active_until: null, created_by_actor: by, attribute_type: type };
  }

  private texts(values: Readonly<Record<string, string>>) {
    return Object.fromEntries(Object.entries(values).map(([slug, value]) => [slug, [{ ...this.live('text'), value }]]));
  }

  /** Adds a company with texts. */
  addCompany(values: Readonly<Record<string, string>>): string {
    return this.addRecord('companies', values);
  }

  /** Adds a record with texts and amounts to an object. */
  addRecord(object: string, values: Readonly<Record<string, string | FakeMoney>>): string {
    const id = randomUUID();
    this.setRecord(object, id, values);
    return id;
  }

  setRecord(object: string, id: string, values: Readonly<Record<string, string | FakeMoney>>): void {
    const money = Object.entries(values).flatMap(([slug, value]) =>
      isMoney(value)
        ? [[slug, [{ ...this.live('currency'), currency_value: value.amount, currency_code: value.currency }]] as const]
        : [],
    );
    const texts = Object.entries(values).flatMap(([slug, value]) => (isMoney(value) ? [] : [[slug, value] as const]));
    const records = this.records.get(object) ?? new Map<string, object>();
    this.records.set(object, records);
    records.set(id, {
      id: { workspace_id: this.workspaceId, object_id: this.assignId(object), record_id: id },
      created_at: this.instant(),
      web_url: `${this.server.url}/${object}/${id}`,
      values: { ...this.texts(Object.fromEntries(texts)), ...Object.fromEntries(money) },
    });
  }

  /** Deals imported together may have the same creation time. */
  addDeal(values: FakeCrmaValues, createdAt = this.instant()): string {
    this.assertValues(values);
    const id = randomUUID();
    this.deals.set(id, { id, createdAt, values, ended: {}, endedAt: createdAt });
    this.notify('record.created', id);
    return id;
  }

  /** Deals that are as old as the fake's epoch and computed when they are read. */
  generateDeals(count: number, valuesAt: (position: number) => FakeCrmaValues): void {
    if (count > 0) this.assertValues(valuesAt(0));
    this.deals.generate({
      count,
      at: (position) => {
        const createdAt = `${new Date(epochMs + position).toISOString().slice(0, -1)}000000Z`;
        const id = `${generatedPrefix}${position.toString(16).padStart(12, '0')}`;
        return { id, createdAt, values: valuesAt(position), ended: {}, endedAt: createdAt };
      },
      positionOf: (id) =>
        id.startsWith(generatedPrefix) ? Number.parseInt(id.slice(generatedPrefix.length), 16) : null,
    });
  }

  /** One event per changed attribute, as the vendor sends them. */
  change(id: string, values: FakeCrmaValues): void {
    this.assertValues(values);
    const deal = this.deals.forChange(id);
    const changed = Object.keys(values).filter((slug) => deal.values[slug] !== values[slug]);
    deal.ended = Object.fromEntries(changed.map((slug) => [slug, deal.values[slug] ?? null]));
    deal.endedAt = this.instant();
    deal.values = { ...deal.values, ...values };
    for (const slug of changed) this.notify('record.updated', id, {}, slug);
  }

  closeDeal(id: string, day: Day): void {
    this.change(id, { stage: 'Won 🎉', close_date: day });
  }

  delete(id: string): void {
    this.deals.delete(this.deals.forChange(id).id);
    this.notify('record.deleted', id);
  }

  /** Merges the duplicate into the surviving deal. */
  merge(survivingId: string, duplicateId: string): void {
    const surviving = this.deals.forChange(survivingId);
    surviving.values = { ...this.deals.forChange(duplicateId).values, ...surviving.values };
    this.deals.delete(duplicateId);
    this.notifyMerge(survivingId, duplicateId);
  }

  /** Merges both into a new deal, with one event for each. */
  mergeIntoNew(firstId: string, secondId: string): string {
    const id = randomUUID();
    const values = { ...this.deals.forChange(secondId).values, ...this.deals.forChange(firstId).values };
    const createdAt = this.instant();
    this.deals.set(id, { id, createdAt, values, ended: {}, endedAt: createdAt });
    for (const original of [firstId, secondId]) {
      this.deals.delete(original);
      this.notifyMerge(id, original);
    }
    return id;
  }

  valueOf(id: string, slug: string): unknown {
    return this.deals.forChange(id).values[slug] ?? null;
  }

  get dealIds(): string[] {
    return [...this.deals.ids()];
  }

  get webhookIds(): string[] {
    return [...this.webhooks.keys()];
  }

  /** What the vendor does to a webhook whose deliveries fail. */
  setWebhookStatus(id: string, status: Webhook['status']): void {
    const webhook = this.webhooks.get(id);
    if (webhook === undefined) throw new Error(`the fake CRM has no webhook ${id}`);
    webhook.status = status;
  }

  /** An admin removes it in the settings of the vendor. */
  removeWebhook(id: string): void {
    this.webhooks.delete(id);
  }

  /** Signs and returns all pending deliveries; nothing is pending afterwards. */
  takeDeliveries(): Delivery[] {
    return [...this.webhooks.values()].flatMap(({ deliveries }) => deliveries.take());
  }

  async flush(): Promise<number[]> {
    const statuses: number[] = [];
    for (const { deliveries } of this.webhooks.values()) statuses.push(...(await deliveries.flush()));
    return statuses;
  }

  private routes(): Router {
    const routes = Router();
    routes.use('/objects/deals', (_request, response, next) => {
      if (this.hasDeals) next();
      else sendError(response, 404, 'not_found');
    });
    routes.get('/objects/deals', (_request, response) => {
      response.json({
        data: {
          id: { workspace_id: this.workspaceId, object_id: this.objectId },
          api_slug: 'deals',
          singular_noun: 'Deal',
          plural_noun: 'Deals',
          created_at: createdWithWorkspace,
        },
      });
    });
    routes.get('/objects/deals/attributes', (request, response) => {
      response.json({ data: page(this.attributes, request, 100).map((attribute) => this.attributeJson(attribute)) });
    });
    for (const [list, type] of [
      ['options', 'select'],
      ['statuses', 'status'],
    ] as const)
      routes.get(`/objects/deals/attributes/:slug/${list}`, (request, response) => {
        const attribute = this.attributes.find(({ slug }) => slug === request.params['slug']);
        if (attribute?.type !== type) return sendError(response, 404, 'not_found');
        response.json({ data: (attribute.options ?? []).map((title) => this.choiceJson(attribute, title)) });
      });
    routes.post('/objects/deals/records/query', (request, response) => this.respondQuery(request, response));
    routes.post('/objects/people/records/query', (request, response) => {
      const addresses: { email_addresses: string }[] | undefined = request.body?.filter?.$or;
      if (addresses === undefined) return sendError(response, 400, 'filter_error');
      response.json({ data: addresses.flatMap(({ email_addresses: address }) => this.people.get(address) ?? []) });
    });
    routes.post('/objects/:object/records/query', (request, response) => {
      const ids: unknown = request.body?.filter?.record_id?.$in;
      if (!Array.isArray(ids)) return sendError(response, 400, 'filter_error');
      const isNamed = (object: string) => [object, this.assignId(object)].includes(request.params['object'] ?? '');
      const records = [...this.records].find(([object]) => isNamed(object))?.[1];
      response.json({ data: ids.flatMap((id) => records?.get(id) ?? []) });
    });
    routes.get('/objects/deals/records/:id', (request, response) => {
      const deal = this.deals.get(request.params['id'] ?? '');
      if (deal === undefined) return sendError(response, 404, 'not_found');
      response.json({ data: this.dealJson(deal) });
    });
    routes.patch('/objects/deals/records/:id', (request, response) => this.respondUpdate(request, response));
    routes.get('/workspace_members', (_request, response) => void response.json({ data: [...this.members.values()] }));
    return routes.use(this.webhookRoutes());
  }

  private webhookRoutes(): Router {
    const routes = Router();
    routes.get('/webhooks', (request, response) => {
      response.json({
        data: page([...this.webhooks.values()], request, 10).map((webhook) => this.webhookJson(webhook)),
      });
    });
    routes.post('/webhooks', (request, response) => {
      const webhook = this.newWebhook(request.body.data);
      response.json({ data: { ...this.webhookJson(webhook), secret: webhook.secret } });
    });
    routes.get('/webhooks/:id', (request, response) => {
      const webhook = this.webhooks.get(request.params['id'] ?? '');
      if (webhook === undefined) return sendError(response, 404, 'not_found');
      response.json({ data: this.webhookJson(webhook) });
    });
    routes.delete('/webhooks/:id', (request, response) => {
      if (this.webhooks.delete(request.params['id'] ?? '')) response.json({});
      else sendError(response, 404, 'not_found');
    });
    return routes;
  }

  private respondToken(request: Request, response: Response): void {
    const tokens = this.oauth.grant(request.body ?? {});
    if (tokens === null) sendError(response, 400, 'invalid_grant');
    else response.json({ access_token: tokens.accessToken, token_type: 'Bearer' });
  }

  private respondSelf(request: Request, response: Response): void {
    if (!this.oauth.isAuthorized(request)) {
      response.json({ active: false });
      return;
    }
    response.json({
      active: true,
      scope: [...this.oauth.scopes].join(' '),
      client_id: this.oauth.options.clientId,
      token_type: 'Bearer',
      exp: null,
      iat: Math.floor(this.server.now() / 1000),
      sub: this.workspaceId,
      aud: this.oauth.options.clientId,
      iss: 'attio.com',
      authorized_by_workspace_member_id: this.assignId('the admin'),
      workspace_id: this.workspaceId,
      workspace_name: 'Fake workspace',
      workspace_slug: 'fake',
      workspace_logo_url: null,
    });
  }

  private respondQuery(request: Request, response: Response): void {
    const { filter = {}, sorts = [], limit = maxRecords, offset = 0 } = request.body ?? {};
    if (!(limit > 0 && limit <= maxRecords)) return sendError(response, 400, 'validation_type');
    const types = new Map([...systemTypes, ...this.attributes.map(({ slug, type }) => [slug, type] as const)]);
    try {
      const matches = compileFilter(filter, types);
      const isDescending = sorts[0]?.direction === 'desc';
      const found: StoredDeal[] = [];
      // The deals are in the order of creation, which is the only order that clients request.
      for (const deal of this.deals.values(firstPosition(filter))) {
        if (matches((slug) => this.comparable(deal, slug))) found.push(deal);
        if (!isDescending && found.length === offset + limit) break;
      }
      if (isDescending) found.reverse();
      response.json({ data: found.slice(offset, offset + limit).map((deal) => this.dealJson(deal)) });
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      sendError(response, 400, 'filter_error');
    }
  }

  /** Changes one deal. The vendor has no request for several. */
  private respondUpdate(request: Request, response: Response): void {
    const id = String(request.params['id']);
    const values: unknown = request.body?.data?.values;
    const deal = this.deals.get(id);
    if (deal === undefined) return sendError(response, 404, 'not_found');
    if (typeof values !== 'object' || values === null) return sendError(response, 400, 'validation_type');
    for (const slug of Object.keys(values)) {
      const attribute = this.attributes.find((candidate) => candidate.slug === slug);
      if (attribute === undefined || attribute.isArchived === true) return sendError(response, 400, 'value_not_found');
      if (attribute.isReadOnly === true) return sendError(response, 400, 'immutable_value');
    }
    if (this.rejectedDeals.has(id)) return sendError(response, 400, 'value_not_unique');
    try {
      this.change(id, values as FakeCrmaValues);
    } catch {
      return sendError(response, 400, 'validation_type');
    }
    response.json({ data: this.dealJson(this.deals.forChange(id)) });
  }

  private comparable({ id, createdAt, values }: StoredDeal, slug: string): readonly (string | number | boolean)[] {
    if (slug === 'record_id') return [id];
    if (slug === 'created_at') return [createdAt];
    const value = values[slug] ?? null;
    if (value === null) return [];
    if (isMoney(value)) return [value.amount];
    return typeof value === 'object' ? value : [value];
  }

  /** Each route needs its scopes, and is otherwise rejected. */
  private scoped(): RequestHandler {
    const needed: readonly [RegExp, string][] = [
      [/^PATCH \/objects\/[^/]+\/records/, 'record_permission:read-write'],
      [/^(GET|POST) \/objects\/[^/]+\/records/, 'record_permission:read'],
      [/^\w+ \/objects/, 'object_configuration:read'],
      [/^\w+ \/workspace_members/, 'user_management:read'],
      [/^\w+ \/webhooks/, 'webhook:read-write'],
    ];
    return (request, response, next) => {
      const { scopes } = this.oauth;
      const isHeld = ([, scope]: readonly [RegExp, string]) => scopes.has(scope) || scopes.has(`${scope}-write`);
      if (needed.filter(([line]) => line.test(`${request.method} ${request.path}`)).every(isHeld)) next();
      else sendError(response, 403, 'unauthorized', 'auth_error');
    };
  }

  private limited(): RequestHandler {
    const limiter = (max: () => number) =>
      rateLimit(this.server, { windowMs: 1000, max }, (response, opensAt) => {
        response.setHeader('Retry-After', opensAt.toUTCString());
        sendError(response, 429, 'rate_limit_exceeded', 'rate_limit_error');
      });
    const [reads, writes] = [limiter(() => this.readsPerSecond), limiter(() => this.writesPerSecond)];
    return (request, response, next) => (request.method === 'PATCH' ? writes : reads)(request, response, next);
  }

  private newWebhook({ target_url, subscriptions }: { target_url: string; subscriptions: Subscription[] }): Webhook {
    const id = randomUUID();
    const secret = randomBytes(32).toString('hex');
    const webhook: Webhook = {
      id,
      targetUrl: target_url,
      subscriptions,
      secret,
      createdAt: this.instant(),
      status: 'active',
      deliveries: new Deliveries(
        (events) => this.signed(webhook, events),
        () => this.eventsPerDelivery,
      ),
    };
    this.webhooks.set(id, webhook);
    return webhook;
  }

  private signed({ id, targetUrl, secret }: Webhook, events: readonly WebhookEvent[]): Delivery {
    const body = JSON.stringify({ webhook_id: id, events: events.map(({ json }) => json) });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = {
      'Attio-Signature': signature,
      'X-Attio-Signature': signature,
      // Unchanged when the delivery is retried.
      'Idempotency-Key': events[0]?.key ?? '',
    };
    return { targetUrl, headers, body };
  }

  private notify(
    eventType: string,
    recordId: string,
    details: Readonly<Record<string, unknown>> = {},
    slug?: string,
  ): void {
    const json = {
      event_type: eventType,
      id: {
        workspace_id: this.workspaceId,
        object_id: this.objectId,
        record_id: recordId,
        ...(slug === undefined ? {} : { attribute_id: this.assignId(`attribute ${slug}`) }),
      },
      ...details,
      actor: { type: 'workspace-member', id: randomUUID() },
    };
    for (const webhook of this.webhooks.values())
      if (webhook.subscriptions.some((subscription) => this.concerns(subscription, eventType)))
        webhook.deliveries.add({ key: randomUUID(), json });
  }

  private notifyMerge(survivingId: string, duplicateId: string): void {
    this.notify('record.merged', survivingId, { duplicate_object_id: this.objectId, duplicate_record_id: duplicateId });
  }

  private concerns({ event_type, filter }: Subscription, eventType: string): boolean {
    return event_type === eventType && (filter?.$and ?? []).every(({ value }) => value === this.objectId);
  }

  private webhookJson({ id, targetUrl, subscriptions, createdAt, status }: Webhook) {
    return {
      target_url: targetUrl,
      subscriptions,
      id: { workspace_id: this.workspaceId, webhook_id: id },
      status,
      created_at: createdAt,
    };
  }

  private attributeJson(attribute: FakeAttribute) {
    const { slug, title, type, isMulti = false, isArchived = false, isSystem = false, currency } = attribute;
    const isMoneyType = type === 'currency';
    return {
      id: this.attributeId(slug),
      title,
      description: null,
      api_slug: slug,
      type,
      is_system_attribute: isSystem,
      is_writable: attribute.isReadOnly !== true,
      is_required: false,
      is_unique: false,
      is_multiselect: isMulti,
      is_default_value_enabled: false,
      is_archived: isArchived,
      default_value: null,
      relationship: null,
      created_at: createdWithWorkspace,
      config: {
        currency: {
          default_currency_code: isMoneyType ? (currency ?? this.defaultCurrency) : null,
          display_type: isMoneyType ? 'symbol' : null,
        },
        record_reference: {
          allowed_object_ids: attribute.object === undefined ? null : [this.assignId(attribute.object)],
        },
      },
    };
  }

  private attributeId(slug: string) {
    return {
      workspace_id: this.workspaceId,
      object_id: this.objectId,
      attribute_id: this.assignId(`attribute ${slug}`),
    };
  }

  /** A choice of a select, or a status. */
  private choiceJson({ slug, type }: Pick<FakeAttribute, 'slug' | 'type'>, title: string) {
    const choiceId = this.assignId(`choice ${slug} ${title}`);
    if (type === 'select') return { id: { ...this.attributeId(slug), option_id: choiceId }, title, is_archived: false };
    return {
      id: { ...this.attributeId(slug), status_id: choiceId },
      title,
      is_archived: false,
      celebration_enabled: false,
      target_time_in_status: null,
    };
  }

  /** The vendor rejects unknown attributes, choices and actors, and values of another type. */
  private assertValues(values: FakeCrmaValues): void {
    for (const [slug, value] of Object.entries(values)) {
      const attribute = this.attributes.find((candidate) => candidate.slug === slug);
      if (attribute === undefined) throw new Error(`Cannot find attribute with slug "${slug}"`);
      if (value === null) continue;
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (items.length > 1 && attribute.isMulti !== true) throw new Error(`${slug} holds one value`);
      for (const item of items)
        if (!this.isValid(item, attribute)) throw new Error(`${JSON.stringify(item)} is not a value of ${slug}`);
    }
  }

  private isValid(value: unknown, { type, options }: FakeAttribute): boolean {
    switch (type) {
      case 'status':
      case 'select':
        return options?.includes(String(value)) === true;
      case 'actor-reference':
        return this.members.has(String(value));
      case 'record-reference':
        return /^[0-9a-f-]{36}$/.test(String(value));
      case 'currency':
        return typeof (isMoney(value) ? value.amount : value) === 'number';
      case 'number':
      case 'rating':
        return typeof value === 'number';
      case 'checkbox':
        return typeof value === 'boolean';
      case 'date':
        return /^\d{4}-\d\d-\d\d$/.test(String(value));
      default:
        return typeof value === 'string';
    }
  }

  private assignId(name: string): string {
    const id = this.ids.get(name) ?? randomUUID();
    this.ids.set(name, id);
    return id;
  }

  private dealJson(deal: StoredDeal) {
    const values = this.attributes.map((attribute) => {
      const { slug } = attribute;
      const live = this.wireValues(deal.values[slug] ?? null, attribute, deal.createdAt, null);
      const ended = this.wireValues(deal.ended[slug] ?? null, attribute, deal.createdAt, deal.endedAt);
      return [slug, [...ended, ...live]];
    });
    return {
      id: { workspace_id: this.workspaceId, object_id: this.objectId, record_id: deal.id },
      created_at: deal.createdAt,
      web_url: `${this.webUrl}/record/${deal.id}/overview`,
      values: Object.fromEntries(values),
    };
  }

  private wireValues(plain: Plain, attribute: FakeAttribute, activeFrom: string, activeUntil: string | null) {
    if (plain === null) return [];
    return (Array.isArray(plain) ? plain : [plain]).map((value: unknown) => ({
      active_from: activeFrom,
      active_until: activeUntil,
      created_by_actor: { type: 'system', id: null },
      ...this.typedValue(value, attribute),
      attribute_type: attribute.type,
    }));
  }

  private typedValue(value: unknown, attribute: FakeAttribute): Readonly<Record<string, unknown>> {
    switch (attribute.type) {
      case 'currency':
        return isMoney(value)
          ? { currency_value: value.amount, currency_code: value.currency }
          : { currency_value: value, currency_code: attribute.currency ?? this.defaultCurrency };
      case 'status':
        return { status: this.choiceJson(attribute, String(value)) };
      case 'select':
        return { option: this.choiceJson(attribute, String(value)) };
      case 'actor-reference':
        return { referenced_actor_type: 'workspace-member', referenced_actor_id: value };
      case 'record-reference':
        return { target_object: attribute.object ?? 'companies', target_record_id: value };
      default:
        return { value };
    }
  }

  /** Strictly increasing nanoseconds, in the vendor's format. */
  private instant(): string {
    this.ticks = (this.ticks + 1) % 1_000_000;
    const milliseconds = new Date(this.server.now()).toISOString().slice(0, -1);
    return `${milliseconds}${String(this.ticks).padStart(6, '0')}Z`;
  }
}

/** Where the generated deals begin that the filter may match. */
function firstPosition(filter: { readonly created_at?: { readonly $gte?: string } }): number {
  const from = Date.parse(filter.created_at?.$gte ?? '');
  return Number.isNaN(from) ? 0 : Math.max(0, from - epochMs);
}

function isMoney(value: unknown): value is FakeMoney {
  return typeof value === 'object' && value !== null && 'amount' in value;
}

function page<T>(rows: readonly T[], request: Request, size: number): T[] {
  const offset = Number(request.query['offset'] ?? 0);
  return rows.slice(offset, offset + Number(request.query['limit'] ?? size));
}

function sendError(response: Response, status: number, code: string, type = 'invalid_request_error'): void {
  response.status(status).json({ status_code: status, type, code, message: `the fake CRM says ${code}` });
}
