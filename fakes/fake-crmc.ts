import { randomBytes } from 'node:crypto';
import { type Express, type Request, type RequestHandler, type Response } from 'express';
import { DealStore } from './deal-store.js';
import { Deliveries } from './deliveries.js';
import { type DescribedField, isUpdateable, opportunityFields, stages } from './fake-crmc-fields.js';
import { crmcCatalog, splitTypes, userFields } from './fake-crmc-objects.js';
import { FakeOAuth } from './fake-oauth.js';
import { FakeServer, type FakeServerOptions } from './fake-server.js';
import { type FakeRow, type QueryResult, runSoql } from './fake-soql.js';
import { SoqlError } from './fake-soql-reader.js';

interface FakeCrmcOptions extends FakeServerOptions {
  /** Each deal has its own currency. */
  readonly multiCurrency?: boolean;
  /** Currency of all deals in a single-currency organisation. */
  readonly currency?: string;
  readonly orgId?: string;
}

interface FakeCrmcUser {
  readonly Id: string;
  readonly Name: string;
  readonly Email: string;
  readonly IsActive: boolean;
  readonly UserType: string;
  readonly Department?: string;
  readonly Division?: string;
  readonly UserRoleId?: string;
  readonly ProfileId?: string;
}

const version = 'v67.0';
const dataPath = `/services/data/${version}`;
const adminId = '005RO000000admnYAA';
/** Older versions are retired. */
const oldestVersion = 31;
const minuteMs = 60_000;
const dayMs = 86_400_000;
const maxUriLength = 16_384;
const maxRows = 2000;
/** When the first generated deal was changed last. The others follow at intervals of a second. */
const epochMs = Date.parse('2016-01-01T00:00:00.000Z');
/** The ids of the other deals have `0` in place of the `9`. */
const generatedPrefix = '006RO9';

/** A part of a deal in percent, with the label of its type. */
export interface FakeCrmcSplit {
  readonly ownerId: string;
  readonly percent: number;
  readonly type: (typeof splitTypes)[number]['MasterLabel'];
}

function splitRow(
  split: FakeCrmcSplit & { readonly dealId: string; readonly Id: string; readonly stamp: string },
): FakeRow {
  const type = splitTypes.find(({ MasterLabel }) => MasterLabel === split.type);
  return {
    Id: split.Id,
    OpportunityId: split.dealId,
    SplitOwnerId: split.ownerId,
    SplitPercentage: split.percent,
    SplitAmount: null,
    SplitTypeId: type?.Id ?? null,
    SystemModstamp: split.stamp,
    IsDeleted: false,
  };
}

/** Simulates one organisation of crm-c, with a login host apart from the host of its data. */
export class FakeCrmc {
  readonly server: FakeServer;
  /** Production and sandboxes have different login hosts. */
  readonly login: FakeServer;
  readonly oauth: FakeOAuth;
  readonly orgId: string;
  readonly users: FakeCrmcUser[] = [];
  /** Rows of further objects, such as `Account`, `RecordType`, `Product2` and `OpportunityLineItem`. */
  readonly rows = new Map<string, FakeRow[]>();
  /** Deals that sharing hides from the connected user. */
  readonly hiddenDeals = new Set<string>();
  /** What users see of each other's deals: nothing, or everything. */
  dealAccess: 'None' | 'Edit' = 'None';
  /** The connected user has the permission View All on deals. */
  viewsAllDeals = true;
  /** Objects that the connected user may not read. */
  readonly unreadable = new Set<string>();
  /** The connected user has read access to deals. */
  readsDeals = true;
  /** The connected user may change deals. */
  editsDeals = true;
  /** Deals that a validation rule does not let anyone save. */
  readonly invalidDeals = new Set<string>();
  timeZone = 'UTC';
  /** Pages may have fewer rows than requested. */
  maxRowsPerPage = 2000;
  /** The app may use the client credentials flow. */
  allowsClientCredentials = false;
  /** The user has the permission to list updated and deleted rows. */
  allowsReplication = true;
  requestsUsed = 0;
  requestsPerDay = 100_000;
  private readonly deals = new DealStore<FakeRow>((row) => String(row['Id']));
  /** Transactions that have stamped their rows but are not committed: their rows are invisible. */
  private readonly open = new Set<{ readonly stamp: string }>();
  private readonly purged: { readonly id: string; readonly deletedDate: string }[] = [];
  private readonly flows: Deliveries<string>[] = [];
  private readonly locators = new Map<string, QueryResult>();
  private fields: DescribedField[];
  private numbered = 0;
  private readonly currency: string;

  private constructor(options: FakeCrmcOptions) {
    this.server = new FakeServer(options);
    this.login = new FakeServer({ now: this.server.now });
    this.orgId = options.orgId ?? '00DRO0000001234AAA';
    this.currency = options.currency ?? 'EUR';
    this.fields = opportunityFields(options.multiCurrency ?? false);
    this.oauth = new FakeOAuth({
      clientId: 'crmc-client',
      clientSecret: 'crmc-secret',
      tokenPrefix: `${this.orgId.slice(0, 15)}!`,
      accessTokenMs: 2 * 60 * minuteMs,
      refreshTokens: 'rotated',
      scopes: ['api', 'refresh_token'],
      now: this.server.now,
    });
    // The host of the data also issues tokens of its organisation.
    for (const { app } of [this.login, this.server]) this.mountOAuth(app);
    this.mountData();
  }

  static async start(options: FakeCrmcOptions = {}): Promise<FakeCrmc> {
    const crm = new FakeCrmc(options);
    await Promise.all([crm.server.start(), crm.login.start()]);
    return crm;
  }

  async stop(): Promise<void> {
    await Promise.all([this.server.stop(), this.login.stop()]);
  }

  get settings() {
    const { clientId, clientSecret } = this.oauth.options;
    return { loginUrl: this.loginUrl, apiVersion: version, clientId, clientSecret, allowLoopback: true };
  }

  get environment() {
    const { clientId, clientSecret } = this.oauth.options;
    return { CRMC_LOGIN_BASE: this.loginUrl, CRMC_CLIENT_ID: clientId, CRMC_CLIENT_SECRET: clientSecret };
  }

  get url(): string {
    return this.server.url;
  }

  get loginUrl(): string {
    return this.login.url;
  }

  addUser(user: Partial<FakeCrmcUser> = {}): string {
    const Id = this.newId('005');
    this.users.push({ Id, Name: 'Ada', Email: 'ada@acme.test', IsActive: true, UserType: 'Standard', ...user });
    return Id;
  }

  addField(field: Partial<DescribedField> & Pick<DescribedField, 'name' | 'type'>): void {
    this.fields.push({ label: field.name, length: 0, picklistValues: null, ...field });
  }

  removeField(name: string): void {
    this.fields = this.fields.filter((field) => field.name !== name);
  }

  /** Adds a deal that is visible immediately. */
  addDeal(values: FakeRow = {}): string {
    return this.addLateDeal(values).commit();
  }

  /** Adds a deal that is stamped now and becomes visible when its transaction commits. */
  addLateDeal(values: FakeRow = {}): { readonly id: string; commit(): string } {
    const id = this.newId('006');
    const stamp = this.stamp();
    const row = { ...defaults(stamp), ...values, Id: id, SystemModstamp: stamp, IsDeleted: false };
    const transaction = { stamp };
    this.open.add(transaction);
    return {
      id,
      commit: () => {
        this.open.delete(transaction);
        this.deals.set(id, derived(row));
        return id;
      },
    };
  }

  /** Deals of the fake's epoch that are computed when they are read. */
  generateDeals(count: number, valuesAt: (position: number) => FakeRow): void {
    this.deals.generate({
      count,
      at: (position) => {
        const stamp = vendorTime(epochMs + position * 1000);
        const id = `${generatedPrefix}${String(position).padStart(9, '0')}YAA`;
        return derived({ ...defaults(stamp), ...valuesAt(position), Id: id, SystemModstamp: stamp, IsDeleted: false });
      },
      positionOf: (id) => (id.startsWith(generatedPrefix) ? Number(id.slice(generatedPrefix.length, 15)) : null),
    });
  }

  changeDeal(id: string, values: FakeRow): void {
    const stamp = this.stamp();
    const changed = { ...this.deals.forChange(id), ...values, LastModifiedDate: stamp, SystemModstamp: stamp };
    this.deals.set(id, derived(changed));
  }

  /** Moves the deal to the recycle bin. */
  deleteDeal(id: string): void {
    this.changeDeal(id, { IsDeleted: true });
  }

  /** Removes the deal from the recycle bin; queries no longer see it. */
  purgeDeal(id: string): void {
    this.deals.delete(id);
    this.purged.push({ id, deletedDate: this.stamp() });
  }

  valueOf(id: string, name: string): unknown {
    return this.deals.get(id)?.[name] ?? null;
  }

  /** The live deals, as the CRM returns them. */
  liveDeals(): FakeRow[] {
    return [...this.deals.values()].filter((row) => row['IsDeleted'] !== true);
  }

  /** Adds a line item to a deal, whose time stays. */
  addLineItem(dealId: string, values: FakeRow): string {
    const item = { Id: this.newId('00k'), OpportunityId: dealId, IsDeleted: false, ...values };
    const items = this.rows.get('OpportunityLineItem') ?? [];
    items.push({ ...item, SystemModstamp: this.stamp() });
    this.rows.set('OpportunityLineItem', items);
    return item.Id;
  }

  /** Changes values of a line item; with IsDeleted it is removed. The time of its deal stays. */
  changeLineItem(id: string, values: FakeRow): void {
    const items = this.rows.get('OpportunityLineItem') ?? [];
    const index = items.findIndex((item) => item['Id'] === id);
    if (index < 0) throw new Error(`the fake CRM has no line item ${id}`);
    items[index] = { ...items[index], ...values, SystemModstamp: this.stamp() };
  }

  /** Replaces the splits of a deal. The time of the deal stays; removed splits stay as deleted rows with the time. */
  setSplits(dealId: string, splits: readonly FakeCrmcSplit[]): void {
    const stamp = this.stamp();
    const rows = this.rows.get('OpportunitySplit') ?? [];
    for (const [index, row] of rows.entries())
      if (row['OpportunityId'] === dealId && row['IsDeleted'] !== true)
        rows[index] = { ...row, IsDeleted: true, SystemModstamp: stamp };
    rows.push(...splits.map((split) => splitRow({ ...split, dealId, Id: this.newId('1Lc'), stamp })));
    this.rows.set('OpportunitySplit', rows);
  }

  /** Deletes the cursors of running listings. */
  expireLocators(): void {
    this.locators.clear();
  }

  /**
   * Calls of the admin's Flow, one per saved deal: the platform has no webhooks. Tests add the deals that they change;
   * deals that are changed through the API are added here.
   */
  flow(target: { readonly targetUrl: string; readonly secret: string }): Deliveries<string> {
    const flow = new Deliveries<string>((ids) => ({
      targetUrl: target.targetUrl,
      headers: { Authorization: `Bearer ${target.secret}` },
      body: JSON.stringify(
        ids.length === 1
          ? { opportunityId: ids[0], organizationId: this.orgId, event: 'updated' }
          : ids.map((opportunityId) => ({ opportunityId })),
      ),
    }));
    this.flows.push(flow);
    return flow;
  }

  private mountOAuth(app: Express): void {
    app.get('/services/oauth2/authorize', (request, response, next) => {
      const query = new URL(request.url, this.url).searchParams;
      if (query.get('response_type') !== 'code' || query.get('code_challenge_method') !== 'S256')
        return void response.status(400).send('invalid_request: PKCE with S256 is required');
      this.oauth.authorize(request, response, next);
    });
    app.post('/services/oauth2/token', (request, response) => this.token(request, response));
    app.post('/services/oauth2/revoke', (request, response) => {
      // Revoking a refresh token also ends its access tokens.
      const token = readForm(request)['token'] ?? '';
      if (!this.oauth.isKnown(token)) return tokenError(response, 'unsupported_token_type', 'this token is not known');
      this.oauth.revokeGrant(token);
      response.status(200).end();
    });
  }

  private token(request: Request, response: Response): void {
    const form = readForm(request);
    const problem = this.oauth.clientProblem(form);
    if (problem === 'id') return tokenError(response, 'invalid_client_id', 'client identifier invalid');
    if (problem === 'secret') return tokenError(response, 'invalid_client', 'invalid client credentials');
    const issued = form['grant_type'] === 'client_credentials' ? this.ownToken() : this.oauth.grant(form);
    if (issued === null) return tokenError(response, 'invalid_grant', 'expired access/refresh token');
    const { accessToken, refreshToken } = issued;
    response.json({
      access_token: accessToken,
      ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
      signature: randomBytes(32).toString('base64'),
      scope: [...this.oauth.scopes].join(' '),
      instance_url: this.url,
      id: `${this.loginUrl}/id/${this.orgId}/${adminId}`,
      token_type: 'Bearer',
      issued_at: String(this.server.now()),
    });
  }

  private ownToken() {
    if (!this.allowsClientCredentials) return null;
    const { accessToken, refreshToken } = this.oauth.issue();
    if (refreshToken !== null) this.oauth.revoke(refreshToken);
    return { accessToken, refreshToken: null };
  }

  private mountData(): void {
    const { app } = this.server;
    app.get(
      '/services/data',
      (_request, response) => void response.json([{ label: 'Winter', url: dataPath, version: version.slice(1) }]),
    );
    app.use('/services/data/:version', this.versioned);
    app.use(dataPath, this.guard);
    const get = (path: string, respond: (request: Request) => Reply) =>
      app.get(`${dataPath}${path}`, (request, response) => this.reply(response, respond(request)));
    get('', () => {
      const identity = `${this.loginUrl}/id/${this.orgId}/${adminId}`;
      return ok({ identity, query: `${dataPath}/query`, queryAll: `${dataPath}/queryAll` });
    });
    get('/limits', () => {
      const { requestsPerDay: Max, requestsUsed } = this;
      return ok({ DailyApiRequests: { Max, Remaining: Max - requestsUsed } });
    });
    const deals = '/sobjects/Opportunity';
    get(`${deals}/describe`, () => {
      const fields = this.fields.map((field) => ({ ...field, updateable: isUpdateable(field), calculated: false }));
      const name = 'Opportunity';
      return this.readsDeals ? ok({ name, label: name, updateable: this.editsDeals, fields }) : notFound();
    });
    get('/sobjects/User/describe', () => {
      const fields = userFields.map((name) => ({ name, label: name, type: 'string' }));
      return ok({ name: 'User', label: 'User', fields });
    });
    for (const resource of ['query', 'queryAll'] as const)
      get(`/${resource}`, ({ originalUrl, headers }) => this.firstPage(resource, originalUrl, pageSize(headers)));
    get('/query/:locator', ({ params, headers }) => this.laterPage(String(params['locator']), pageSize(headers)));
    app.patch(`${dataPath}/composite/sobjects`, (request, response) =>
      this.reply(response, this.updates(request.body ?? {})),
    );
    app.post(`${dataPath}/composite`, (request, response) => this.composite(request, response));
    get(`${deals}/updated`, (request) => this.replicated(request, 30, (window) => this.updated(window)));
    get(`${deals}/deleted`, (request) => this.replicated(request, 15, (window) => this.deleted(window)));
    get(`${deals}/:id`, ({ params, query }) => this.retrieved(String(params['id']), String(query['fields'] ?? '')));
    app.use((_request, response) => this.reply(response, notFound()));
  }

  private readonly versioned: RequestHandler = (request, response, next) => {
    const requested = String(request.params['version']);
    if (requested === version) return next();
    const isRetired = Number(/^v(\d+)\.0$/.exec(requested)?.[1] ?? 'NaN') < oldestVersion;
    this.reply(
      response,
      isRetired ? errorReply(410, 'UNSUPPORTED_API_VERSION', 'This API version is retired') : notFound(),
    );
  };

  private readonly guard: RequestHandler = (request, response, next) => {
    if (request.originalUrl.length > maxUriLength) return void response.status(414).end();
    if (!this.oauth.isAuthorized(request))
      return this.reply(response, errorReply(401, 'INVALID_SESSION_ID', 'Session expired or invalid'));
    if (!this.oauth.scopes.has('api'))
      return this.reply(
        response,
        errorReply(403, 'INVALID_SESSION_ID', 'This session is not valid for use with the REST API'),
      );
    this.requestsUsed++;
    response.setHeader('Sforce-Limit-Info', `api-usage=${this.requestsUsed}/${this.requestsPerDay}`);
    if (this.requestsUsed > this.requestsPerDay)
      return this.reply(response, errorReply(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'));
    next();
  };

  private reply(response: Response, { status, body }: Reply): void {
    response.status(status).json(body);
  }

  private firstPage(resource: 'query' | 'queryAll', url: string, size: number): Reply {
    const text = new URL(url, this.url).searchParams.get('q') ?? '';
    try {
      const result = runSoql(text, crmcCatalog(this.sources()), resource === 'queryAll');
      const id = `01gRO${String(this.locators.size).padStart(13, '0')}`;
      this.locators.set(id, result);
      return this.page(id, 0, size);
    } catch (error) {
      if (error instanceof SoqlError) return errorReply(400, error.errorCode, error.message);
      throw error;
    }
  }

  private laterPage(name: string, size: number): Reply {
    const [, id = '', start = ''] = /^(\w+)-(\d+)$/.exec(name) ?? [];
    return this.locators.has(id)
      ? this.page(id, Number(start), size)
      : errorReply(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
  }

  private page(id: string, start: number, size: number): Reply {
    const { rows, type, totalSize, record } = this.locators.get(id) as QueryResult;
    const end = Math.min(start + Math.min(size, this.maxRowsPerPage), rows.length);
    const done = end === rows.length;
    const isAggregate = type === 'AggregateResult';
    const records = rows.slice(start, end).map((row) => ({
      attributes: { type, ...(isAggregate ? {} : { url: `${dataPath}/sobjects/${type}/${row['Id']}` }) },
      ...record(row),
    }));
    // The path says query even if the rows come from queryAll.
    const next = done ? {} : { nextRecordsUrl: `${dataPath}/query/${id}-${end}` };
    return ok({ totalSize, done, ...next, records });
  }

  private retrieved(id: string, fields: string): Reply {
    const row = this.deals.get(id);
    if (row === undefined || this.hiddenDeals.has(id) || !this.readsDeals) return notFound();
    if (row['IsDeleted'] === true) return errorReply(404, 'ENTITY_IS_DELETED', 'entity is deleted');
    const names = fields === '' ? this.fields.map(({ name }) => name) : fields.split(',');
    const unknown = names.find((name) => !this.fields.some((field) => field.name === name));
    if (unknown !== undefined) return errorReply(400, 'INVALID_FIELD', `No such column '${unknown}'`);
    const attributes = { type: 'Opportunity', url: `${dataPath}/sobjects/Opportunity/${id}` };
    return ok({ attributes, ...Object.fromEntries(names.map((name) => [name, row[name] ?? null])) });
  }

  /** Changes up to 200 records. Each succeeds or fails by itself, unless a field does not exist. */
  private updates({ records = [], allOrNone }: { records?: readonly FakeRow[]; allOrNone?: unknown }): Reply {
    if (records.length === 0 || records.length > 200)
      return errorReply(400, 'INVALID_BATCH_SIZE', 'between 1 and 200 records are required');
    if (allOrNone !== false) return errorReply(400, 'JSON_PARSER_ERROR', 'the fake supports allOrNone false');
    for (const { attributes, id: _, ...values } of records) {
      if ((attributes as { type?: unknown } | undefined)?.type !== 'Opportunity')
        return errorReply(400, 'INVALID_TYPE', 'each record needs its type');
      for (const [name, value] of Object.entries(values)) {
        const field = this.fields.find((candidate) => candidate.name === name);
        if (field === undefined)
          return errorReply(400, 'INVALID_FIELD', `No such column '${name}' on sobject of type Opportunity`);
        if (!isValue(field, value)) return errorReply(400, 'JSON_PARSER_ERROR', `not a value of ${name}`);
      }
    }
    return ok(records.map((record) => this.update(record)));
  }

  private update({ attributes: _, id, ...values }: FakeRow): object {
    const fail = (statusCode: string, fields: readonly string[] = []) => ({
      success: false,
      errors: [{ statusCode, message: `the fake CRM says ${statusCode}`, fields }],
    });
    const dealId = String(id);
    const row = this.deals.get(dealId);
    if (row === undefined) return fail('INVALID_CROSS_REFERENCE_KEY', ['Id']);
    if (row['IsDeleted'] === true) return fail('ENTITY_IS_DELETED');
    if (!this.editsDeals || this.hiddenDeals.has(dealId)) return fail('INSUFFICIENT_ACCESS_OR_READONLY');
    const denied = this.fields.filter((field) => field.name in values && !isUpdateable(field)).map(({ name }) => name);
    if (denied.length > 0) return fail('INVALID_FIELD_FOR_INSERT_UPDATE', denied);
    if (this.invalidDeals.has(dealId)) return fail('FIELD_CUSTOM_VALIDATION_EXCEPTION', Object.keys(values));
    this.changeDeal(dealId, values);
    for (const flow of this.flows) flow.add(dealId);
    return { id: dealId, success: true, errors: [] };
  }

  /** A composite request, of which only queries are supported. */
  private composite(request: Request, response: Response): void {
    const { compositeRequest } = request.body as {
      compositeRequest: readonly {
        readonly url: string;
        readonly referenceId: string;
        readonly httpHeaders?: Record<string, string>;
      }[];
    };
    const responses = compositeRequest.map(({ url, referenceId, httpHeaders = {} }) => {
      const resource = /^\/services\/data\/v67\.0\/(query|queryAll)\?/.exec(url)?.[1] as
        | 'query'
        | 'queryAll'
        | undefined;
      const headers = Object.fromEntries(
        Object.entries(httpHeaders).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const { status, body } = resource === undefined ? notFound() : this.firstPage(resource, url, pageSize(headers));
      return { body, httpHeaders: {}, httpStatusCode: status, referenceId };
    });
    response.json({ compositeResponse: responses });
  }

  private replicated(
    request: Request,
    days: number,
    respond: (window: { start: number; end: number }) => object,
  ): Reply {
    if (!this.allowsReplication) return errorReply(403, 'INSUFFICIENT_ACCESS', 'no access to replication');
    const query = new URL(request.originalUrl, this.url).searchParams;
    // Seconds are truncated.
    const [start, end] = ['start', 'end'].map(
      (name) => Math.floor(Date.parse(query.get(name) ?? '') / minuteMs) * minuteMs,
    ) as [number, number];
    if (!(end - start >= minuteMs) || start < this.server.now() - days * dayMs)
      return errorReply(400, 'INVALID_REPLICATION_DATE', 'the dates are not those of a window');
    return ok(respond({ start, end }));
  }

  private isVisible(row: FakeRow): boolean {
    return !this.hiddenDeals.has(String(row['Id']));
  }

  private updated({ start, end }: { start: number; end: number }) {
    const ids = [...this.deals.values()].filter((row) => {
      const stamp = Date.parse(String(row['SystemModstamp']));
      return stamp >= start && stamp < end && row['IsDeleted'] !== true && this.isVisible(row);
    });
    const begun = [...this.open].map(({ stamp }) => Date.parse(stamp));
    return { ids: ids.map((row) => row['Id']), latestDateCovered: vendorTime(Math.min(end, ...begun)) };
  }

  private deleted({ start, end }: { start: number; end: number }) {
    const binned = [...this.deals.values()]
      .filter((row) => row['IsDeleted'] === true)
      .map((row) => ({ id: String(row['Id']), deletedDate: String(row['SystemModstamp']) }));
    return {
      deletedRecords: [...binned, ...this.purged].filter(({ deletedDate }) => {
        const instant = Date.parse(deletedDate);
        return instant >= start && instant < end + minuteMs;
      }),
      earliestDateAvailable: vendorTime(this.server.now() - 15 * dayMs),
      latestDateCovered: vendorTime(end),
    };
  }

  /** What queries read, as the connected user sees it. */
  private sources() {
    return {
      fields: this.fields,
      readsDeals: this.readsDeals,
      deals: () => [...this.deals.values()].filter((row) => this.isVisible(row)),
      users: () => this.users.map((user) => ({ ...user, SystemModstamp: this.stamp() })),
      organization: {
        Id: this.orgId,
        Name: 'Acme',
        DefaultCurrencyIsoCode: this.currency,
        TimeZoneSidKey: this.timeZone,
        DefaultOpportunityAccess: this.dealAccess,
        IsSandbox: false,
      },
      permissions: { userId: adminId, viewsAllDeals: this.viewsAllDeals },
      others: this.rows,
      unreadable: this.unreadable,
    };
  }

  private stamp(): string {
    return vendorTime(this.server.now());
  }

  /** A 15-character id whose only letters are RO in upper case; the three check characters encode that. */
  private newId(prefix: '005' | '006' | '00k' | '1Lc'): string {
    this.numbered++;
    return `${prefix}RO${String(this.numbered).padStart(10, '0')}YAA`;
  }
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** The platform accepts no numbers in texts, and no texts in numbers. */
function isValue({ type, length }: DescribedField, value: unknown): boolean {
  if (value === null) return true;
  if (['double', 'currency', 'percent', 'int'].includes(type)) return typeof value === 'number';
  if (type === 'boolean') return typeof value === 'boolean';
  return typeof value === 'string' && (length === 0 || value.length <= length);
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

function errorReply(status: number, errorCode: string, message: string): Reply {
  return { status, body: [{ message, errorCode }] };
}

function notFound(): Reply {
  return errorReply(404, 'NOT_FOUND', 'The requested resource does not exist');
}

function tokenError(response: Response, error: string, description: string): void {
  response.status(400).json({ error, error_description: description });
}

function readForm(request: Request): Readonly<Record<string, string | undefined>> {
  return (request.body ?? {}) as Record<string, string | undefined>;
}

function pageSize(headers: Readonly<Record<string, unknown>>): number {
  const requested = /batchSize=(\d+)/.exec(String(headers['sforce-query-options'] ?? ''))?.[1];
  return requested === undefined ? maxRows : Math.max(200, Math.min(maxRows, Number(requested)));
}

/** Second precision, in the vendor's format. */
function vendorTime(instantMs: number): string {
  return `${new Date(instantMs).toISOString().slice(0, 19)}.000+0000`;
}

function defaults(stamp: string): FakeRow {
  return {
    Name: 'Acme renewal',
    StageName: 'Prospecting',
    Amount: 1000,
    CloseDate: '2026-11-30',
    OwnerId: '005RO000000wxyzYAA',
    CreatedDate: stamp,
    LastModifiedDate: stamp,
    LastViewedDate: stamp,
  };
}

/** Values that the CRM derives from the stage. */
function derived(row: FakeRow): FakeRow {
  const stage = stages.find((candidate) => candidate.ApiName === row['StageName']);
  return { ...row, IsClosed: stage?.IsClosed ?? false, IsWon: stage?.IsWon ?? false };
}
