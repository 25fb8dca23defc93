import { z } from 'zod';
import { chunk } from '../../../kernel/chunk.js';
import { withAssociated } from '../associated.js';
import { dealUrlOn, idInUrl } from '../deal-url.js';
import { CrmHttp, type CrmRequest, type CrmRules, type CrmTiming, realTiming } from '../http.js';
import { type KeysetRow, nextKeyset, readCursor } from '../keyset.js';
import { onceFetched } from '../once-fetched.js';
import { inHalvesIfOversized, isOversized } from '../oversized.js';
import {
  type CrmAccess,
  type CrmAccount,
  type CrmAccountOptions,
  type CrmAccountSettings,
  type CrmAdapter,
  type CrmCredentials,
  type CrmDeal,
  type CrmDealPage,
  CrmFailure,
  type CrmField,
  type CrmMember,
  type CrmPermission,
  fixedAccess,
  type ListDeals,
  type RegisteredWebhook,
  reportFailure,
  type WrittenBatch,
} from '../port.js';
import { canonicalFields, goneDeal, toInstant, toText } from '../values.js';
import { type DealWrite, type WriteCheck, type WriteTargets } from '../write-back.js';
import { CrmaAssociated } from './associated.js';
import { readPersonValues } from './person-values.js';
import {
  type CrmaAttribute,
  type CrmaReading,
  type CrmaRecord,
  type CrmaStatus,
  crmaAttribute,
  crmaDeal,
  crmaFieldType,
  crmaReading,
  crmaRecord,
  crmaStatus,
} from './values.js';
import { CrmaWriter } from './writes.js';

interface CrmaSettings {
  readonly apiBase: string;
  readonly authBase: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const rules: CrmRules = {
  provider: 'crma',
  classifyError: ({ status, body }) =>
    // While a deal is merged it is briefly absent. Treating it as deleted would reverse its commission.
    status === 404 && codeIn(body) === 'merge_in_progress'
      ? { kind: 'unavailable', message: 'the deal is being merged' }
      : null,
};

export function crmaAdapter(settings: CrmaSettings, timing: CrmTiming = realTiming): CrmAdapter {
  const http = new CrmHttp(rules, timing);
  return {
    provider: 'crma',
    authorizeUrl: ({ state, redirectUri }) => {
      const query = { client_id: settings.clientId, response_type: 'code', redirect_uri: redirectUri, state };
      return `${settings.authBase}/authorize?${new URLSearchParams(query)}`;
    },
    exchangeCode: async ({ code, redirectUri }) => {
      const { clientId, clientSecret } = settings;
      const { body } = await http.request({
        method: 'POST',
        url: `${settings.authBase}/oauth/token`,
        form: {
          grant_type: 'authorization_code',
          client_id: clientId,
          client_secret: clientSecret,
          code,
          redirect_uri: redirectUri,
        },
        schema: z.object({ access_token: z.string() }),
      });
      return identified(http, settings, body.access_token);
    },
    refresh: async () => {
      throw new CrmFailure('unauthorized', 'crma issues no refresh tokens: connect it again');
    },
    verify: ({ accessToken }) => identified(http, settings, accessToken),
    // Keys and grants of crm-a are removed in its settings; its API has no request for it.
    revoke: async () => {},
    accountName: async ({ accessToken }) => (await readSelf(http, settings, accessToken)).workspace_name ?? null,
    account: (access, options = {}) => {
      const { companyFields = [], lines = null } = options;
      const account = new CrmaAccount(http, settings.apiBase, access, options);
      const objectOf = (slug: string) => account.referencedObject(slug);
      const associated = new CrmaAssociated(http, settings.apiBase, access, { companyFields, lines, objectOf });
      return withAssociated(account, { lineItems: false, companyFields, splits: false, lines }, associated);
    },
  };
}

const self = z.object({
  active: z.boolean(),
  workspace_name: z.string().nullish(),
  workspace_id: z.string().nullish(),
  exp: z.number().nullish(),
  scope: z.string().nullish(),
});

/** The CRM answers a revoked token with status 200 and `active: false`. */
async function readSelf(http: CrmHttp, { apiBase }: CrmaSettings, accessToken: string): Promise<z.infer<typeof self>> {
  const access = fixedAccess(onlyToken(accessToken));
  const { body } = await http.request({ method: 'GET', url: `${apiBase}/v2/self`, access, schema: self });
  return body.active ? body : rejectToken();
}

async function identified(http: CrmHttp, settings: CrmaSettings, accessToken: string): Promise<CrmCredentials> {
  const body = await readSelf(http, settings, accessToken);
  const expiresAt = typeof body.exp === 'number' ? toInstant(body.exp * 1000) : null;
  return { ...onlyToken(accessToken), expiresAt, accountId: body.workspace_id ?? null };
}

function onlyToken(accessToken: string): CrmCredentials {
  return { accessToken, refreshToken: null, expiresAt: null, accountId: null, instanceUrl: null };
}

async function rejectToken(): Promise<never> {
  throw new CrmFailure('unauthorized', 'crma rejected the token');
}

/** The scopes that an admin grants, and what they are for. */
const neededScopes = [
  ['record_permission:read', 'deals'],
  ['object_configuration:read', 'fields and stages of deals'],
  ['user_management:read', 'people'],
  ['webhook:read-write', 'changes as they happen'],
] as const;

const dealsPerPage = 500;
const reference = 'record-reference';
const idsPerQuery = 100;
const definitionsPerPage = 100;
const webhooksPerPage = 100;
const watchedEvents = ['record.created', 'record.updated', 'record.deleted', 'record.merged'];
/** Deals from other sources have other ids. One such id makes the CRM reject the whole request. */
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const choices = z.object({ data: z.array(z.object({ title: z.string(), is_archived: z.boolean().nullish() })) });
const records = z.object({ data: z.array(crmaRecord) });
const webhook = z.object({ target_url: z.string(), id: z.object({ webhook_id: z.string() }) });
const members = z.object({
  data: z.array(
    z.object({
      id: z.object({ workspace_member_id: z.string() }),
      first_name: z.string().nullish(),
      last_name: z.string().nullish(),
      avatar_url: z.string().nullish(),
      email_address: z.string().nullish(),
      access_level: z.string().nullish(),
    }),
  ),
});

class CrmaAccount implements CrmAccount {
  readonly maxWrites = 50;
  private readonly writer: CrmaWriter;
  private readonly timeZone: string;
  private readonly writtenFields: ReadonlySet<string>;
  private readonly memberFields: readonly string[];
  private readonly statuses = onceFetched(() => this.readStatuses());
  private readonly allAttributes = onceFetched(() => this.readAttributes());

  constructor(
    private readonly http: CrmHttp,
    private readonly apiBase: string,
    private readonly access: CrmAccess,
    { timeZone = 'UTC', writtenFields = [], memberFields = [] }: CrmAccountOptions,
  ) {
    this.timeZone = timeZone;
    this.writtenFields = new Set(writtenFields);
    this.memberFields = memberFields;
    this.writer = new CrmaWriter(http, apiBase, access, (dealId) => idPattern.test(dealId));
  }

  async listMembers(): Promise<CrmMember[]> {
    const { body } = await this.http.request(this.get('/v2/workspace_members', members));
    const personValues = await this.personValues(body.data.flatMap((member) => toText(member.email_address) ?? []));
    return body.data.map((member) => ({
      ...valuesOf(personValues.get(member.email_address?.toLowerCase() ?? '')),
      crmId: member.id.workspace_member_id,
      email: toText(member.email_address),
      name:
        [member.first_name, member.last_name].filter(toText).join(' ') ||
        (toText(member.email_address) ?? member.id.workspace_member_id),
      avatar: toText(member.avatar_url),
      active: member.access_level !== 'suspended',
    }));
  }

  private async personValues(addresses: readonly string[]) {
    const { apiBase, access, memberFields: fields } = this;
    return fields.length === 0 ? new Map() : readPersonValues(this.http, { apiBase, access, fields }, addresses);
  }

  async listFields(): Promise<CrmField[]> {
    const fields: CrmField[] = [];
    const stages = (await this.statuses()).map(({ title }) => title);
    for (const attribute of await this.attributes()) {
      const { api_slug: slug, title: label } = attribute;
      const type = crmaFieldType(attribute.type);
      fields.push({ slug, label, type, native: slug, ...(await this.loadOptions(attribute)) });
    }
    return [...fields, ...canonicalFields(fields, { stages, pipelines: null })];
  }

  /** The CRM states the address of each record; that of one deal shows the form of all. Null without a deal. */
  async dealUrl(): Promise<string | null> {
    const { body } = await this.http.request(this.query({ limit: 1, offset: 0 }));
    const [record] = body.data;
    if (record?.web_url == null) return null;
    return dealUrlOn(/^app\.attio\.com$/, record.web_url.replace(record.id.record_id, idInUrl));
  }

  /** The CRM cannot filter by modification time, so the time window of the options has no effect. */
  async *listDeals({ cursor }: ListDeals = {}): AsyncGenerator<CrmDealPage> {
    const reading = await this.reading();
    let position = readCursor(cursor);
    let limit = dealsPerPage;
    for (let isLast = false; !isLast; ) {
      const from = position;
      const { response, size } = await this.largestPage(limit, (rows) => ({
        ...(from === null ? {} : { filter: { created_at: { $gte: from.from } } }),
        sorts: [{ attribute: 'created_at', direction: 'asc' }],
        limit: rows,
        offset: from?.offset ?? 0,
      }));
      const { body, serverTime } = response;
      limit = size;
      const seen = new Set(position?.seen);
      const deals = body.data
        .filter((record) => !seen.has(record.id.record_id))
        .map((record) => crmaDeal(record, reading));
      isLast = body.data.length < limit;
      position = nextKeyset(position, body.data.map(keysetRow));
      yield { deals, next: isLast ? null : JSON.stringify(position), total: null, serverTime };
    }
  }

  async getDeals(ids: readonly string[]): Promise<CrmDeal[]> {
    const found = new Map<string, CrmDeal>();
    const reading = await this.reading();
    const keep = (record: CrmaRecord) => found.set(record.id.record_id, crmaDeal(record, reading));
    for (const batch of chunk(
      ids.filter((id) => idPattern.test(id)),
      idsPerQuery,
    )) {
      for (const record of await this.loadRecords(batch)) keep(record);
      for (const id of batch) if (!found.has(id)) await this.find(id).then((record) => record && keep(record));
    }
    return [...found.values(), ...[...new Set(ids)].filter((id) => !found.has(id)).map(goneDeal)];
  }

  /** The object to whose records an attribute of deals refers. */
  async referencedObject(slug: string): Promise<string> {
    const attribute = (await this.attributes()).find(({ api_slug, type }) => api_slug === slug && type === reference);
    const [object, another] = attribute?.config?.record_reference?.allowed_object_ids ?? [];
    if (object !== undefined && another === undefined) return object;
    throw new CrmFailure('rejected', `crma: deals have no attribute ${slug} that refers to records of one object`);
  }

  async settings(): Promise<CrmAccountSettings> {
    return { currency: (await this.reading()).defaultCurrency, timeZone: null };
  }

  async checkWrites(targets: WriteTargets): Promise<WriteCheck> {
    return this.writer.check(targets, await this.allAttributes(), await this.heldScopes());
  }

  async writeDeals(targets: WriteTargets, writes: readonly DealWrite[]): Promise<WrittenBatch> {
    return reportFailure(async () => this.writer.write(targets, await this.allAttributes(), writes));
  }

  async permissions(): Promise<CrmPermission[]> {
    const held = await this.heldScopes();
    return neededScopes.map(([name, purpose]) => ({
      name,
      purpose,
      granted: held === null ? null : held.includes(name) || held.includes(`${name}-write`),
      required: true,
    }));
  }

  /** A webhook's secret cannot be read again, so a webhook of ours that exists already is replaced. */
  async registerWebhook(targetUrl: string): Promise<RegisteredWebhook> {
    const objectId = await this.dealsObjectId();
    for (const webhookId of await this.webhooksTo(targetUrl)) await this.removeWebhook(webhookId);
    const filter = { $and: [{ field: 'id.object_id', operator: 'equals', value: objectId }] };
    const { body } = await this.http.request({
      method: 'POST',
      url: `${this.apiBase}/v2/webhooks`,
      access: this.access,
      json: {
        data: { target_url: targetUrl, subscriptions: watchedEvents.map((event_type) => ({ event_type, filter })) },
      },
      schema: z.object({ data: z.object({ id: z.object({ webhook_id: z.string() }), secret: z.string() }) }),
      isUnrepeatable: true,
    });
    return { webhookId: body.data.id.webhook_id, secret: body.data.secret };
  }

  async isWebhookActive(webhookId: string): Promise<boolean> {
    const path = `/v2/webhooks/${encodeURIComponent(webhookId)}`;
    const response = await this.http.getOrNull(this.get(path, z.object({ data: z.object({ status: z.string() }) })));
    return response?.body.data.status === 'active';
  }

  async removeWebhook(webhookId: string): Promise<void> {
    const url = `${this.apiBase}/v2/webhooks/${encodeURIComponent(webhookId)}`;
    await this.http.getOrNull({ method: 'DELETE', url, access: this.access, schema: z.unknown() });
  }

  private async heldScopes(): Promise<readonly string[] | null> {
    const { body } = await this.http.request(this.get('/v2/self', self));
    return body.scope?.split(/[ ,]+/) ?? null;
  }

  private async reading(): Promise<CrmaReading> {
    const written = this.writtenFields;
    return { ...crmaReading(await this.attributes(), await this.statuses(), this.timeZone), written };
  }

  private async readStatuses(): Promise<readonly CrmaStatus[]> {
    const stage = (await this.attributes()).find(({ api_slug }) => api_slug === 'stage');
    if (stage?.type !== 'status') return [];
    const schema = z.object({ data: z.array(crmaStatus) });
    const response = await this.http.getOrNull(this.get('/v2/objects/deals/attributes/stage/statuses', schema));
    return response?.body.data ?? [];
  }

  /** The attributes that deals have here. */
  private async attributes(): Promise<CrmaAttribute[]> {
    return (await this.allAttributes()).filter((attribute) => !this.writtenFields.has(attribute.api_slug));
  }

  private async readAttributes(): Promise<CrmaAttribute[]> {
    const attributes = await this.pages('/v2/objects/deals/attributes', definitionsPerPage, crmaAttribute);
    if (attributes === null) throw dealsAreOff();
    return attributes.filter((attribute) => attribute.is_archived !== true);
  }

  private async loadOptions({ type, api_slug: slug }: CrmaAttribute): Promise<Pick<CrmField, 'options'>> {
    if (type !== 'select' && type !== 'status') return {};
    const list = type === 'select' ? 'options' : 'statuses';
    const { body } = await this.http.request(
      this.get(`/v2/objects/deals/attributes/${encodeURIComponent(slug)}/${list}`, choices),
    );
    const live = body.data.filter((choice) => choice.is_archived !== true);
    return { options: live.map(({ title }) => ({ label: title, value: title })) };
  }

  /** A page of at most `limit` records, or of as many as the response limit permits. */
  private async largestPage(limit: number, query: (rows: number) => unknown) {
    for (let size = limit; ; size = Math.ceil(size / 2)) {
      try {
        return { response: await this.http.request(this.query(query(size))), size };
      } catch (error) {
        if (!isOversized(error) || size === 1) throw error;
      }
    }
  }

  private loadRecords(ids: readonly string[]): Promise<CrmaRecord[]> {
    return inHalvesIfOversized(ids, async (part) => {
      const json = { filter: { record_id: { $in: part } }, limit: part.length, offset: 0 };
      return (await this.http.request(this.query(json))).body.data;
    });
  }

  private async find(id: string): Promise<CrmaRecord | null> {
    const response = await this.http.getOrNull(
      this.get(`/v2/objects/deals/records/${id}`, z.object({ data: crmaRecord })),
    );
    return response?.body.data ?? null;
  }

  private async dealsObjectId(): Promise<string> {
    const response = await this.http.getOrNull(
      this.get('/v2/objects/deals', z.object({ data: z.object({ id: z.object({ object_id: z.string() }) }) })),
    );
    if (response === null) throw dealsAreOff();
    return response.body.data.id.object_id;
  }

  private async webhooksTo(targetUrl: string): Promise<string[]> {
    const all = (await this.pages('/v2/webhooks', webhooksPerPage, webhook)) ?? [];
    return all
      .filter((registered) => registered.target_url === targetUrl)
      .map((registered) => registered.id.webhook_id);
  }

  /** All pages of a list that is paged by offset; null if the CRM does not have the list. */
  private async pages<T>(path: string, size: number, row: z.ZodType<T>): Promise<T[] | null> {
    const rows: T[] = [];
    for (;;) {
      const page = z.object({ data: z.array(row) });
      const response = await this.http.getOrNull(this.get(`${path}?limit=${size}&offset=${rows.length}`, page));
      if (response === null) return null;
      rows.push(...response.body.data);
      if (response.body.data.length < size) return rows;
    }
  }

  private get<T>(path: string, schema: z.ZodType<T>): CrmRequest<T> {
    return { method: 'GET', url: `${this.apiBase}${path}`, access: this.access, schema, needs: requiredScope(path) };
  }

  private query(json: unknown): CrmRequest<z.infer<typeof records>> {
    const url = `${this.apiBase}/v2/objects/deals/records/query`;
    return { method: 'POST', url, json, access: this.access, schema: records, needs: requiredScope('/records') };
  }
}

function valuesOf(values: CrmMember['values']): Pick<CrmMember, 'values'> {
  return values === undefined ? {} : { values };
}

/** The scope that the CRM requires for a path. */
function requiredScope(path: string): string {
  if (path.includes('/records')) return 'record_permission:read';
  if (path.startsWith('/v2/workspace_members')) return 'user_management:read';
  return path.startsWith('/v2/webhooks') ? 'webhook:read-write' : 'object_configuration:read';
}

function keysetRow(record: CrmaRecord): KeysetRow {
  return { id: record.id.record_id, at: record.created_at };
}

function codeIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
}

function dealsAreOff(): CrmFailure {
  return new CrmFailure('rejected', 'crma has no deals object: an admin of the account must enable it');
}
