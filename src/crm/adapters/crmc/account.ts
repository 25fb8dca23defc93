import { z } from 'zod';
import { chunk } from '../../../kernel/chunk.js';
import { id18, isOpportunityId } from '../../../kernel/opportunity-id.js';
import { dealUrlOn, idInUrl } from '../deal-url.js';
import { type CrmHttp, type CrmResponse } from '../http.js';
import { onceFetched } from '../once-fetched.js';
import {
  type CrmAccess,
  type CrmAccount,
  type CrmAccountOptions,
  type CrmAccountSettings,
  type CrmDeal,
  type CrmDealPage,
  CrmFailure,
  type CrmField,
  type CrmMember,
  type CrmPermission,
  type ListDeals,
  reportFailure,
  unlessRejected,
  type WrittenBatch,
} from '../port.js';
import { goneDeal, toText, toTimeZone } from '../values.js';
import { type DealWrite, type WriteCheck, type WriteTargets } from '../write-back.js';
import {
  type DealShape,
  type DescribedDeal,
  dealRecord,
  dealShape,
  describedFields,
  describeResponse,
  readDeal,
} from './deals.js';
import { classifyCrmcError, quotaPauseMs } from './errors.js';
import { crmcPermissions, userIdIn } from './permissions.js';
import { soql, soqlTexts } from './soql.js';
import { CrmcWriter } from './writes.js';

const instant = z
  .string()
  .transform((text) => new Date(text))
  .refine((date) => !Number.isNaN(date.getTime()));
const page = <T extends z.ZodType>(record: T) =>
  z.object({ totalSize: z.number(), nextRecordsUrl: z.string().nullish(), records: z.array(record) });
const deals = page(dealRecord);
const named = z.object({ Name: z.string().nullish() });
const users = page(
  z.looseObject({
    Id: z.string(),
    Name: z.string().nullable(),
    Email: z.string().nullable(),
    IsActive: z.boolean(),
    Department: z.string().nullish(),
    UserRole: named.nullish(),
    Profile: named.nullish(),
  }),
);
const userDescription = z.object({ fields: z.array(z.object({ name: z.string().regex(/^\w+$/) })) });

/** The values that are texts or numbers. */
function valuesOf(record: Readonly<Record<string, unknown>>, fields: readonly string[]) {
  const values: Record<string, string | number> = {};
  for (const name of fields) {
    const value = record[name];
    if (typeof value === 'number' || (typeof value === 'string' && value !== '')) values[name] = value;
  }
  return values;
}

const orgs = page(
  z.object({
    Id: z.string(),
    DefaultCurrencyIsoCode: z.string().nullish(),
    TimeZoneSidKey: z.string().nullish(),
    DefaultOpportunityAccess: z.string().nullish(),
  }),
);
type Org = z.infer<typeof orgs>['records'][number];
const anyRows = page(z.object({ Id: z.string() }));
const composite = z.object({
  compositeResponse: z.tuple([z.object({ httpStatusCode: z.number(), body: z.unknown() })]),
});
const rootResponse = z.object({ identity: z.string() });
const updatedResponse = z.object({ latestDateCovered: instant });
const deletedResponse = z.object({ deletedRecords: z.array(z.object({ id: z.string(), deletedDate: instant })) });

/** Longer requests are sent as a body, because proxies truncate long URLs at different lengths. */
const maxPathLength = 2000;
const idsPerQuery = 200;
const nextPagePath = /^\/services\/data\/v\d+\.\d+\/query(All)?\/[\w-]+$/;
/** A listing leaves the newest seconds to the next listing. */
const visibilityDelayMs = 5000;
const minWindowMs = 120_000;
/** No transaction of crm-c takes longer, and the CRM deletes its records of deletions after 15 days. */
const maxWindowMs = 24 * 60 * 60_000;
/** Shorter than the time for which the CRM keeps its records of deletions. */
const deletionsRetentionMs = 14 * 24 * 60 * 60_000;
const maxUsedShare = 0.9;

/** One organisation of crm-c during one unit of work. Its object description is fetched once. */
export class CrmcAccount implements CrmAccount {
  readonly maxWrites = 200;
  private readonly writer: CrmcWriter;
  private readonly readsGroups: boolean;
  private readonly writtenFields: readonly string[];
  private readonly memberFields: readonly string[];
  private shape: DealShape | null = null;
  /** The CRM's clock at the last query of deals by their ids. */
  private crmTime: Date | null = null;
  private readonly currency = onceFetched(() => this.readOrNull('DefaultCurrencyIsoCode'));

  constructor(
    private readonly http: CrmHttp,
    private readonly access: CrmAccess,
    private readonly instanceUrl: () => Promise<string>,
    private readonly apiVersion: string,
    {
      groups = false,
      writtenFields = [],
      memberFields = [],
    }: Pick<CrmAccountOptions, 'groups' | 'writtenFields' | 'memberFields'> = {},
  ) {
    this.readsGroups = groups;
    this.writtenFields = writtenFields;
    this.memberFields = memberFields;
    this.writer = new CrmcWriter(http, access, {
      described: async () => (await this.description()).body,
      url: (path) => this.url(`${this.path}${path}`),
      quotaFailure,
    });
  }

  async listMembers(): Promise<CrmMember[]> {
    const members: CrmMember[] = [];
    const fields = await this.knownUserFields();
    // Portal guests and automation users do not sell.
    const query = soql({
      // An organisation may hide the groups from the connected user.
      select: [
        'Id',
        'Name',
        'Email',
        'IsActive',
        ...(this.readsGroups ? ['Department', 'UserRole.Name', 'Profile.Name'] : []),
        ...fields.filter((name) => !(this.readsGroups && name === 'Department')),
      ],
      from: 'User',
      where: ["UserType = 'Standard'"],
      orderBy: 'Id',
    });
    for await (const { body } of this.pages(query, users)) {
      for (const record of body.records) {
        const { Id, Name, Email, IsActive, Department, UserRole, Profile } = record;
        members.push({
          crmId: id18(Id),
          email: Email,
          name: Name ?? Email ?? Id,
          // Photos are visible only to browsers with a session in the organisation.
          avatar: null,
          active: IsActive,
          ...(this.readsGroups
            ? { teams: presentTexts(Department), roles: presentTexts(UserRole?.Name, Profile?.Name) }
            : {}),
          ...(fields.length === 0 ? {} : { values: valuesOf(record, fields) }),
        });
      }
    }
    return members;
  }

  /** The requested fields that users have and the connected user may see, as the CRM spells them. */
  private async knownUserFields(): Promise<readonly string[]> {
    if (this.memberFields.length === 0) return [];
    const url = await this.url(`${this.path}/sobjects/User/describe`);
    const request = { method: 'GET', url, access: this.access, schema: userDescription } as const;
    const described = await unlessRejected(() => this.http.request(request), null);
    const requested = new Set(this.memberFields.map((name) => name.toLowerCase()));
    const always = new Set(['id', 'name', 'email', 'isactive']);
    return (described?.body.fields ?? []).flatMap(({ name }) => {
      const key = name.toLowerCase();
      return requested.has(key) && !always.has(key) ? name : [];
    });
  }

  async listFields(): Promise<CrmField[]> {
    const { shape } = await this.describe();
    return describedFields(shape);
  }

  /** The instance leads to the page of the record that an id names. */
  async dealUrl(): Promise<string | null> {
    return dealUrlOn(/\.salesforce\.com$/, `${await this.instanceUrl()}/${idInUrl}`);
  }

  async *listDeals({ modifiedFrom, modifiedBefore, cursor }: ListDeals = {}): AsyncGenerator<CrmDealPage> {
    const described = await this.describe();
    const orgCurrency = await this.orgCurrency(described.shape);
    const isWindow = modifiedFrom !== undefined || modifiedBefore !== undefined;
    if (isWindow) assertQuota(described.response.headers);
    const started = readCursor(cursor);
    const until =
      started?.until ?? modifiedBefore ?? new Date(described.response.serverTime.getTime() - visibilityDelayMs);
    // A full listing has no upper bound: a deal that changes meanwhile must not appear to be gone.
    const query = dealQuery(described.shape, [
      ...(modifiedFrom === undefined ? [] : [`SystemModstamp >= ${modifiedFrom.toISOString()}`]),
      ...(isWindow ? [`SystemModstamp < ${until.toISOString()}`] : []),
    ]);
    const rows = rowsPerPage(described.shape);
    for await (const { body, serverTime, headers } of this.pages(query, deals, { rows, from: started?.path })) {
      const found = body.records.map((record) => readDeal(record, described.shape, orgCurrency));
      const common = { total: body.totalSize, serverTime };
      if (body.nextRecordsUrl == null) {
        const deleted = isWindow ? await this.deletedDeals(modifiedFrom, until, found) : [];
        const coveredUntil = await this.coveredUntil(modifiedFrom, until);
        yield { ...common, deals: [...found, ...deleted], next: null, coveredUntil };
        return;
      }
      yield { ...common, deals: found, next: writeCursor(until, body.nextRecordsUrl) };
      if (isWindow) assertQuota(headers);
    }
  }

  async getDeals(ids: readonly string[]): Promise<CrmDeal[]> {
    // One id of another object makes the CRM reject the whole query.
    const requested = [...new Set(ids.map((id) => (isOpportunityId(id) ? id18(id) : id)))];
    const found = new Map<string, CrmDeal>();
    const valid = requested.filter(isOpportunityId);
    for (const batch of chunk(valid, idsPerQuery))
      for (const deal of await this.loadDeals(batch)) found.set(deal.id, deal);
    const missing = requested.filter((id) => !found.has(id));
    const deleted = missing.some(isOpportunityId) ? await this.recentlyDeleted() : new Set<string>();
    // Sharing may hide a deal that exists, and hiding it must not reverse commission.
    return [...found.values(), ...missing.filter((id) => !isOpportunityId(id) || deleted.has(id)).map(goneDeal)];
  }

  async settings(): Promise<CrmAccountSettings> {
    return { currency: await this.currency(), timeZone: toTimeZone(await this.readOrNull('TimeZoneSidKey')) };
  }

  permissions(): Promise<CrmPermission[]> {
    return crmcPermissions({
      countRows: async (query) => (await this.query('query', query, anyRows)).body.records.length,
      sharingDefault: () => this.readOrNull('DefaultOpportunityAccess'),
      userId: async () => {
        const url = await this.url(this.path);
        const { body } = await this.http.request({ method: 'GET', url, access: this.access, schema: rootResponse });
        return userIdIn(body.identity);
      },
    });
  }

  checkWrites(targets: WriteTargets): Promise<WriteCheck> {
    return this.writer.check(targets);
  }

  writeDeals(targets: WriteTargets, writes: readonly DealWrite[]): Promise<WrittenBatch> {
    return reportFailure(() => this.writer.write(targets, writes));
  }

  async registerWebhook(): Promise<null> {
    return null;
  }

  async isWebhookActive(): Promise<boolean> {
    return true;
  }

  async removeWebhook(): Promise<void> {}

  /** The rows of all pages of a query. */
  async rows<T>(query: string, row: z.ZodType<T>): Promise<T[]> {
    const rows: T[] = [];
    for await (const { body } of this.pages(query, page(row))) rows.push(...body.records);
    return rows;
  }

  async organisation(): Promise<string> {
    const { body } = await this.query('query', soql({ select: ['Id'], from: 'Organization' }), orgs);
    const [org] = body.records;
    if (org === undefined) throw new CrmFailure('rejected', 'crmc: the user may not read the organisation');
    return id18(org.Id);
  }

  private async loadDeals(ids: readonly string[]): Promise<CrmDeal[]> {
    const cached = this.shape;
    const shape = cached ?? (await this.describe()).shape;
    try {
      return await this.dealsIn(ids, shape);
    } catch (error) {
      // A field was removed meanwhile: read the description again, once.
      if (cached === null || !(error instanceof CrmFailure) || error.kind !== 'rejected') throw error;
      return await this.dealsIn(ids, (await this.describe()).shape);
    }
  }

  private async dealsIn(ids: readonly string[], shape: DealShape): Promise<CrmDeal[]> {
    const orgCurrency = await this.orgCurrency(shape);
    const found: CrmDeal[] = [];
    const rows = rowsPerPage(shape);
    for await (const { body, serverTime } of this.pages(dealQuery(shape, [`Id IN ${soqlTexts(ids)}`]), deals, {
      rows,
    })) {
      found.push(...body.records.map((record) => readDeal(record, shape, orgCurrency)));
      this.crmTime = serverTime;
    }
    return found;
  }

  private async describe(): Promise<{ shape: DealShape; response: CrmResponse<unknown> }> {
    const response = await this.description();
    const shape = dealShape(response.body, this.writtenFields);
    this.shape = shape;
    return { shape, response };
  }

  private async description(): Promise<CrmResponse<DescribedDeal>> {
    return this.http.request({
      method: 'GET',
      url: await this.url(`${this.path}/sobjects/Opportunity/describe`),
      access: this.access,
      schema: describeResponse,
      needs: 'read access to Opportunity',
      classifyError: ({ status }) =>
        status === 404 ? { kind: 'rejected', message: 'the user needs read access to Opportunity' } : null,
    });
  }

  /** The organisation's currency; null if the user may not read it, or if each deal has its own. */
  private async orgCurrency({ hasCurrency }: DealShape): Promise<string | null> {
    return hasCurrency ? null : this.currency();
  }

  /** A setting of the organisation; null if the user may not read it. */
  private async readOrNull(setting: keyof Omit<Org, 'Id'>): Promise<string | null> {
    const query = soql({ select: ['Id', setting], from: 'Organization' });
    const response = await unlessRejected(() => this.query('query', query, orgs), null);
    return response?.body.records[0]?.[setting] ?? null;
  }

  /**
   * The instant up to which the listing is complete. The CRM holds its clock back while a transaction runs whose
   * rows are stamped but not visible yet.
   */
  private async coveredUntil(from: Date | undefined, until: Date): Promise<Date> {
    const covered = await this.window('updated', from, until, updatedResponse);
    return covered !== null && covered.latestDateCovered < until ? covered.latestDateCovered : until;
  }

  /**
   * Deletions that the listing may have missed, because the CRM does not promise that deleting updates the
   * timestamp.
   */
  private async deletedDeals(from: Date | undefined, until: Date, found: readonly CrmDeal[]): Promise<CrmDeal[]> {
    const response = await this.window('deleted', from, until, deletedResponse);
    const listed = new Set(found.map((deal) => deal.id));
    return (response?.deletedRecords ?? [])
      .map(({ id, deletedDate }) => ({ id: id18(id), fields: {}, modifiedAt: deletedDate, deleted: true }))
      .filter(({ id }) => !listed.has(id));
  }

  private async window<T>(what: 'updated' | 'deleted', from: Date | undefined, until: Date, schema: z.ZodType<T>) {
    const earliest = until.getTime() - maxWindowMs;
    const latest = until.getTime() - minWindowMs;
    const start = new Date(Math.min(latest, Math.max(earliest, from?.getTime() ?? latest)));
    return this.replicated(what, start, until, schema);
  }

  /** Deletions that are too old to be found by a query. */
  private async recentlyDeleted(): Promise<ReadonlySet<string>> {
    const until = this.crmTime ?? new Date();
    const response = await this.replicated(
      'deleted',
      new Date(until.getTime() - deletionsRetentionMs),
      new Date(until.getTime() + minWindowMs),
      deletedResponse,
    );
    return new Set((response?.deletedRecords ?? []).map(({ id }) => id18(id)));
  }

  /** Null if the user lacks the permission. */
  private async replicated<T>(what: 'updated' | 'deleted', start: Date, until: Date, schema: z.ZodType<T>) {
    const query = new URLSearchParams({ start: start.toISOString(), end: until.toISOString() });
    const url = await this.url(`${this.path}/sobjects/Opportunity/${what}/?${query}`);
    const request = { method: 'GET', url, access: this.access, schema } as const;
    return (await unlessRejected(() => this.http.getOrNull(request), null))?.body ?? null;
  }

  /** The pages of a query that includes deleted rows, starting at the path of a later page if given. */
  private async *pages<T extends { nextRecordsUrl?: string | null | undefined }>(
    query: string,
    schema: z.ZodType<T>,
    { rows, from }: { readonly rows?: number; readonly from?: string | undefined } = {},
  ): AsyncGenerator<CrmResponse<T>> {
    let response =
      from === undefined ? await this.query('queryAll', query, schema, rows) : await this.next(from, schema, rows);
    for (;;) {
      const next = response.body.nextRecordsUrl;
      yield response;
      if (next == null) return;
      response = await this.next(next, schema, rows);
    }
  }

  private async next<T>(path: string, schema: z.ZodType<T>, rows?: number): Promise<CrmResponse<T>> {
    // Appended to the organisation's URL, any other text could send the token elsewhere.
    if (!nextPagePath.test(path)) throw new CrmFailure('rejected', 'crmc: the next page has an unexpected URL');
    const response = await this.http.getOrNull({
      method: 'GET',
      url: await this.url(path),
      access: this.access,
      headers: pageOptions(rows),
      schema,
    });
    if (response === null) throw new CrmFailure('cursor_expired', 'crmc: the CRM no longer has the next page');
    return response;
  }

  private async query<T>(
    resource: 'query' | 'queryAll',
    text: string,
    schema: z.ZodType<T>,
    rows?: number,
  ): Promise<CrmResponse<T>> {
    const path = `${this.path}/${resource}?q=${encodeURIComponent(text)}`;
    if (path.length > maxPathLength) return this.longQuery(path, schema, rows);
    const url = await this.url(path);
    return this.http.request({ method: 'GET', url, access: this.access, headers: pageOptions(rows), schema });
  }

  private async longQuery<T>(path: string, schema: z.ZodType<T>, rows?: number): Promise<CrmResponse<T>> {
    const { body, ...rest } = await this.http.request({
      method: 'POST',
      url: await this.url(`${this.path}/composite`),
      json: {
        compositeRequest: [{ method: 'GET', url: path, referenceId: 'deals', httpHeaders: pageOptions(rows) }],
      },
      access: this.access,
      schema: composite,
    });
    const [inner] = body.compositeResponse;
    const parsed = inner.httpStatusCode === 200 ? schema.safeParse(inner.body) : null;
    if (parsed?.success) return { body: parsed.data, ...rest };
    if (parsed !== null) throw new CrmFailure('rejected', 'crmc: the response to a query has an unexpected shape');
    const verdict = classifyCrmcError({ status: inner.httpStatusCode, body: inner.body });
    throw new CrmFailure(
      verdict === null || verdict.kind === 'absent' ? 'rejected' : verdict.kind,
      `crmc POST ${this.path}/composite: ${verdict?.message ?? `answered ${inner.httpStatusCode}`}`,
      verdict?.retryAfterMs ?? null,
    );
  }

  private get path(): string {
    return `/services/data/${this.apiVersion}`;
  }

  private async url(path: string): Promise<string> {
    return `${await this.instanceUrl()}${path}`;
  }
}

function presentTexts(...values: readonly unknown[]): string[] {
  return values.flatMap((value) => toText(value) ?? []);
}

function dealQuery({ selected }: DealShape, where: readonly string[]): string {
  return soql({ select: selected, from: 'Opportunity', where, orderBy: 'SystemModstamp ASC, Id ASC' });
}

/**
 * Every row repeats the field names, so pages with many fields have fewer rows, which keeps responses at a few
 * megabytes.
 */
function rowsPerPage({ selected }: DealShape): number {
  return Math.max(200, Math.min(2000, Math.floor(100_000 / selected.length)));
}

function pageOptions(rows: number | undefined): Record<string, string> {
  return rows === undefined ? {} : { 'Sforce-Query-Options': `batchSize=${rows}` };
}

/**
 * The last tenth of the organisation's request limit is left to its people. Polling waits; webhooks and syncs
 * continue.
 */
function quotaFailure(headers: Headers): CrmFailure | null {
  const [, used, limit] = /api-usage=(\d+)\/(\d+)/.exec(headers.get('sforce-limit-info') ?? '') ?? [];
  if (used === undefined || Number(used) <= Number(limit) * maxUsedShare) return null;
  const message = `crmc: ${used} of the ${limit} requests of a day are used; polling waits`;
  return new CrmFailure('rate_limited', message, quotaPauseMs);
}

function assertQuota(headers: Headers): void {
  const failure = quotaFailure(headers);
  if (failure !== null) throw failure;
}

function writeCursor(until: Date, path: string): string {
  return `${until.toISOString()} ${path}`;
}

function readCursor(cursor: string | undefined): { readonly until: Date; readonly path: string } | null {
  if (cursor === undefined) return null;
  const [until = '', path = ''] = cursor.split(' ');
  const parsed = instant.safeParse(until);
  if (!parsed.success || !nextPagePath.test(path)) throw new CrmFailure('cursor_expired', 'crmc: an unknown cursor');
  return { until: parsed.data, path };
}
