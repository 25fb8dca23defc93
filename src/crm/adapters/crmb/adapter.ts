import { z } from 'zod';
import { chunk } from '../../../kernel/chunk.js';
import { withAssociated } from '../associated.js';
import { dealUrlOn, idInUrl } from '../deal-url.js';
import {
  type CrmErrorResponse,
  CrmHttp,
  type CrmRequest,
  type CrmResponse,
  type CrmRules,
  type CrmTiming,
  type ErrorClassification,
  realTiming,
} from '../http.js';
import { readCursor } from '../keyset.js';
import { onceFetched } from '../once-fetched.js';
import { inHalvesIfOversized } from '../oversized.js';
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
  reportFailure,
  type WrittenBatch,
} from '../port.js';
import { canonicalFields, goneDeal, toInstant, toText, toTimeZone } from '../values.js';
import { type DealWrite, type WriteCheck, type WriteTargets } from '../write-back.js';
import { CrmbAssociated } from './associated.js';
import { type CrmbResource, crmbUrl } from './paths.js';
import { probeScopes } from './scopes.js';
import { searchChanged } from './search.js';
import { readUserValues, type UserValues } from './user-values.js';
import {
  type CrmbPipeline,
  type CrmbProperties,
  type CrmbProperty,
  type CrmbReading,
  changedByWrites,
  crmbDeal,
  crmbDealRecord,
  crmbField,
  crmbPipeline,
  crmbProperty,
  crmbStages,
  readProperties,
} from './values.js';
import { CrmbWriter } from './writes.js';

interface CrmbSettings {
  readonly apiBase: string;
  readonly authBase: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `2026-09`, or `v3` for paths from before versions were dates. */
  readonly apiVersion: string;
  readonly oauthVersion: string;
}

const scopes = 'oauth crm.objects.deals.read crm.schemas.deals.read crm.objects.owners.read';
/** Requested if the settings of the connection name fields to write. */
const writeScope = 'crm.objects.deals.write';
/** Some settings of a connection need these scopes. The CRM grants those that the app and the account have. */
const optionalScopes =
  'crm.objects.line_items.read crm.objects.companies.read crm.schemas.companies.read crm.dealsplits.read_write crm.objects.users.read';

const rules: CrmRules = { provider: 'crmb', temporary: [423, 477, 521, 523, 524], classifyError: classifyError };

const limits = z.object({ policyName: z.string().nullish(), message: z.string().nullish() });
const denial = z.object({
  category: z.literal('MISSING_SCOPES'),
  errors: z.array(
    z.object({
      context: z.object({ requiredGranularScopes: z.array(z.string().regex(/^[\w.-]{1,100}$/)).nullish() }).nullish(),
    }),
  ),
});
const hourMs = 3_600_000;

/** The CRM sends no Retry-After with most rate limits. Its own client waits this long, and longer with each attempt. */
function classifyError({ status, body, attempt }: CrmErrorResponse): ErrorClassification | null {
  if (status === 423) return { kind: 'unavailable', retryAfterMs: 2000 };
  if (status === 403) return deniedScope(body);
  if (status !== 429) return null;
  const { policyName, message } = limits.safeParse(body).data ?? {};
  // The daily limit resets at midnight in the account's time zone, which is unknown. Trying once per hour costs
  // little.
  if (policyName === 'DAILY')
    return { kind: 'rate_limited', retryAfterMs: hourMs, message: 'the daily request limit is used up' };
  if (policyName === 'TEN_SECONDLY_ROLLING') return { kind: 'rate_limited', retryAfterMs: 10_000 * attempt };
  if (policyName === 'SECONDLY' || /secondly limit/i.test(message ?? ''))
    return { kind: 'rate_limited', retryAfterMs: 1000 * attempt };
  return null;
}

/** The CRM names the scope that is missing. */
function deniedScope(body: unknown): ErrorClassification | null {
  const scopes = denial.safeParse(body).data?.errors.flatMap(({ context }) => context?.requiredGranularScopes ?? []);
  if (scopes === undefined || scopes.length === 0) return null;
  return { kind: 'rejected', message: `the app lacks a scope: grant ${scopes.join(' or ')} and connect again` };
}

export function crmbAdapter(settings: CrmbSettings, timing: CrmTiming = realTiming): CrmAdapter {
  const http = new CrmHttp(rules, timing);
  return {
    provider: 'crmb',
    authorizeUrl: ({ state, redirectUri, codeChallenge, writes = false }) => {
      const query = {
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        scope: scopes,
        optional_scope: writes ? `${optionalScopes} ${writeScope}` : optionalScopes,
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
      };
      return `${settings.authBase}/oauth/authorize?${new URLSearchParams(query)}`;
    },
    exchangeCode: ({ code, redirectUri, codeVerifier }) =>
      newTokens(http, settings, timing, null, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      }),
    refresh: async (spent) => {
      if (spent.refreshToken === null)
        throw new CrmFailure('unauthorized', 'crmb: the token expired and there is no refresh token');
      return newTokens(http, settings, timing, spent, {
        grant_type: 'refresh_token',
        refresh_token: spent.refreshToken,
      });
    },
    verify: async ({ accessToken, refreshToken = null }) => {
      const pasted = { accessToken, refreshToken, expiresAt: null, accountId: null, instanceUrl: null };
      return { ...pasted, accountId: await fetchAccountId(http, settings, pasted) };
    },
    revoke: async ({ accessToken, refreshToken }) => {
      const { apiBase, oauthVersion, clientId, clientSecret } = settings;
      // A token that was created in the CRM's settings can only be revoked there.
      if (refreshToken === null) return;
      const client = { client_id: clientId, client_secret: clientSecret };
      for (const [token, hint] of [
        [refreshToken, 'refresh_token'],
        [accessToken, 'access_token'],
      ] as const)
        await http.getOrNull({
          method: 'POST',
          url: `${apiBase}/oauth/${oauthVersion}/token/revoke`,
          form: { ...client, token, token_type_hint: hint },
          schema: z.unknown(),
        });
    },
    // The id is what the CRM shows to its users; its API has no name of the account.
    accountName: async () => null,
    account: (access, options = {}) => {
      const { lineItems = false, companyFields = [], splits = false, lines = null } = options;
      const associations = { lineItems, companyFields, splits, lines };
      const account = new CrmbAccount(http, settings, access, options);
      return withAssociated(account, associations, new CrmbAssociated(http, settings, access, associations));
    },
  };
}

/** Responses use snake case; the vendor's own description uses camel case. */
const tokens = z.preprocess(
  (body) => {
    if (typeof body !== 'object' || body === null) return body;
    return Object.fromEntries(
      Object.entries(body).map(([key, value]) => [
        key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ]),
    );
  },
  z.object({
    access_token: z.string(),
    refresh_token: z.string().nullish(),
    expires_in: z.number().nullish(),
    hub_id: z.union([z.number(), z.string()]).nullish(),
  }),
);

async function newTokens(
  http: CrmHttp,
  { apiBase, oauthVersion, clientId, clientSecret }: CrmbSettings,
  timing: CrmTiming,
  spent: CrmCredentials | null,
  grant: Readonly<Record<string, string>>,
): Promise<CrmCredentials> {
  const { body } = await http.request({
    method: 'POST',
    url: `${apiBase}/oauth/${oauthVersion}/token`,
    form: { ...grant, client_id: clientId, client_secret: clientSecret },
    schema: tokens,
    classifyError: classifyGrantError,
  });
  const { expires_in: lifetimeS } = body;
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token ?? spent?.refreshToken ?? null,
    expiresAt: typeof lifetimeS === 'number' ? new Date(timing.now() + lifetimeS * 1000).toISOString() : null,
    accountId: body.hub_id === null || body.hub_id === undefined ? (spent?.accountId ?? null) : String(body.hub_id),
    instanceUrl: null,
  };
}

const grantError = z.object({ error: z.string().nullish(), status: z.string().nullish() });

/** A rejected grant ends one connection. A rejected client is our configuration and must end none. */
function classifyGrantError({ status, body }: CrmErrorResponse): ErrorClassification | null {
  if (status !== 400 && status !== 401) return null;
  const { error, status: code } = grantError.safeParse(body).data ?? {};
  if (error === 'invalid_client' || code === 'BAD_CLIENT_ID' || code === 'BAD_CLIENT_SECRET')
    return {
      kind: 'misconfigured',
      message: 'the client id or secret is wrong: the operator must correct CRMB_CLIENT_ID and CRMB_CLIENT_SECRET',
    };
  return { kind: 'unauthorized', message: 'the grant was rejected' };
}

/** Deliveries are assigned to a connection by the account id alone, so a connection without one is rejected. */
async function fetchAccountId(http: CrmHttp, settings: CrmbSettings, pasted: CrmCredentials): Promise<string> {
  const { body } = await http.request(accountInfo(settings, fixedAccess(pasted)));
  return String(body.portalId);
}

const accountDetails = z.object({
  portalId: z.number(),
  companyCurrency: z.string().nullish(),
  timeZone: z.string().nullish(),
  uiDomain: z.string().nullish(),
});

function accountInfo(
  { apiBase, apiVersion }: CrmbSettings,
  access: CrmAccess,
): CrmRequest<z.infer<typeof accountDetails>> {
  return { method: 'GET', url: `${apiBase}/account-info/${apiVersion}/details`, access, schema: accountDetails };
}

const dealsPerPage = 100;
const ownersPerPage = 100;
/** Deals from other sources have other ids. */
const idPattern = /^\d{1,20}$/;

const paging = z.object({ next: z.object({ after: z.string() }).nullish() }).nullish();
const idPage = z.object({
  results: z.array(z.object({ id: z.string(), archivedAt: z.string().nullish(), updatedAt: z.string().nullish() })),
  paging,
});
type IdPage = z.infer<typeof idPage>;
const dealBatch = z.object({ results: z.array(crmbDealRecord) });
const owners = z.object({
  results: z.array(
    z.object({
      id: z.string(),
      email: z.string().nullish(),
      firstName: z.string().nullish(),
      lastName: z.string().nullish(),
      type: z.string().nullish(),
      userId: z.number().nullish(),
      teams: z.array(z.object({ name: z.string() })).nullish(),
    }),
  ),
  paging,
});
type Owner = z.infer<typeof owners>['results'][number];

class CrmbAccount implements CrmAccount {
  readonly maxWrites = dealsPerPage;
  private readonly writer: CrmbWriter;
  private readonly omitted: ReadonlySet<string>;
  private readonly timeZone: string;
  private readonly memberFields: readonly string[];
  private readonly pipelines = onceFetched(() => this.readPipelines());
  /** Includes hidden and archived properties. */
  private readonly allProperties = onceFetched(() => this.readDefinitions());
  private readonly details = onceFetched(() => this.readDetails());

  constructor(
    private readonly http: CrmHttp,
    private readonly crmbSettings: CrmbSettings,
    private readonly access: CrmAccess,
    { timeZone = 'UTC', writtenFields = [], memberFields = [] }: CrmAccountOptions,
  ) {
    this.timeZone = timeZone;
    this.memberFields = memberFields;
    this.omitted = new Set(writtenFields.length === 0 ? [] : [...writtenFields, ...changedByWrites]);
    const url = this.path('objects', '/deals/batch/update');
    this.writer = new CrmbWriter(http, url, access, (dealId) => idPattern.test(dealId), {
      properties: () => this.allProperties(),
      currency: async () => (await this.settings()).currency,
    });
  }

  /** Includes owners who left: their deals remain theirs. */
  async listMembers(): Promise<CrmMember[]> {
    const members = new Map<string, CrmMember>();
    const userValues = await this.userValues();
    // A queue can own deals and is not a person. The second list replaces owners of the first, so active ones win.
    for (const archived of [true, false])
      for (const owner of await this.owners(archived))
        if (owner.type !== 'QUEUE') members.set(owner.id, toMember(owner, !archived, userValues));
    return [...members.values()];
  }

  private async userValues(): Promise<ReadonlyMap<string, UserValues>> {
    const { crmbSettings: settings, access, memberFields: fields } = this;
    return fields.length === 0 ? new Map() : readUserValues(this.http, { settings, access, fields });
  }

  async listFields(): Promise<CrmField[]> {
    const properties = await this.properties();
    const pipelines = await this.pipelines();
    const included = [...properties.values()].filter(({ name }) => !this.omitted.has(name));
    const native = included.map((property) => crmbField(property, pipelines));
    const stages = pipelines.flatMap((pipeline) => pipeline.stages.map(({ label }) => label));
    return [...native, ...canonicalFields(native, { stages, pipelines: pipelines.map(({ label }) => label) })];
  }

  /** The CRM has a domain of its web app for each region. */
  async dealUrl(): Promise<string | null> {
    const { uiDomain, portalId } = await this.details();
    const url = `https://${uiDomain ?? 'app.hubspot.com'}/contacts/${portalId}/record/0-3/${idInUrl}`;
    return dealUrlOn(/^app(-[a-z0-9]+)?\.hubspot\.com$/, url);
  }

  async *listDeals(options: ListDeals = {}): AsyncGenerator<CrmDealPage> {
    const { cursor, modifiedFrom, deletedFrom } = options;
    if (modifiedFrom === undefined) return yield* this.listAll(cursor);
    const position = readDeletionsCursor(cursor);
    if (position === null) yield* this.search(modifiedFrom, options);
    if (deletedFrom !== undefined) yield* this.listDeletions(deletedFrom, position ?? '');
  }

  async getDeals(ids: readonly string[]): Promise<CrmDeal[]> {
    const requested = [...new Set(ids)];
    const found = new Map<string, CrmDeal>();
    for (const batch of chunk(
      requested.filter((id) => idPattern.test(id)),
      dealsPerPage,
    )) {
      for (const deal of await this.readBatch(batch)) found.set(deal.id, deal);
      const survivors = await this.findSurvivors(batch.filter((id) => !found.has(id)));
      for (const deal of await this.readBatch(survivors)) found.set(deal.id, deal);
    }
    return [...found.values(), ...requested.filter((id) => !found.has(id)).map(goneDeal)];
  }

  /** Webhooks belong to the app, not to the account. */
  async registerWebhook(): Promise<null> {
    return null;
  }

  async isWebhookActive(): Promise<boolean> {
    return true;
  }

  async removeWebhook(): Promise<void> {}

  permissions(): Promise<CrmPermission[]> {
    return probeScopes(this.http, this.access, [
      ['crm.objects.deals.read', 'deals', this.path('objects', '/deals?limit=1&archived=false')],
      ['crm.schemas.deals.read', 'fields and stages of deals', this.path('properties', '/deals')],
      ['crm.objects.owners.read', 'people', this.path('owners', '?limit=1')],
    ]);
  }

  async settings(): Promise<CrmAccountSettings> {
    const { companyCurrency, timeZone } = await this.details();
    return { currency: toText(companyCurrency), timeZone: toTimeZone(timeZone) };
  }

  checkWrites(targets: WriteTargets): Promise<WriteCheck> {
    return this.writer.check(targets);
  }

  writeDeals(targets: WriteTargets, writes: readonly DealWrite[]): Promise<WrittenBatch> {
    return reportFailure(() => this.writer.write(targets, writes));
  }

  private async readDetails(): Promise<z.infer<typeof accountDetails>> {
    return (await this.http.request(accountInfo(this.crmbSettings, this.access))).body;
  }

  private async *listAll(cursor: string | undefined): AsyncGenerator<CrmDealPage> {
    let next: string | null = cursor ?? null;
    do {
      const { body, serverTime } = await this.fetchPageOfIds(false, next ?? '');
      next = body.paging?.next?.after ?? null;
      // The names of all properties do not fit into a URL: the page returns ids, and a batch request the deals.
      const deals = await this.readBatch(body.results.map(({ id }) => id));
      yield { deals, next, total: null, serverTime };
    } while (next !== null);
  }

  private async *search(
    modifiedFrom: Date,
    { modifiedBefore, deletedFrom, cursor }: ListDeals,
  ): AsyncGenerator<CrmDealPage> {
    const search = { http: this.http, url: this.path('objects', '/deals/search'), access: this.access };
    let isFirst = cursor === undefined;
    for await (const page of searchChanged(search, { modifiedFrom, modifiedBefore }, readCursor(cursor))) {
      const { ids, total, next, serverTime } = page;
      yield {
        deals: await this.readBatches(ids),
        next: next !== null ? JSON.stringify(next) : deletedFrom === undefined ? null : deletionsCursor(''),
        total: isFirst ? total : null,
        serverTime,
      };
      isFirst = false;
    }
  }

  /** A search finds no archived deal. The listing of them has no filter by time. */
  private async *listDeletions(from: Date, position: string): AsyncGenerator<CrmDealPage> {
    for (let after: string | null = position; after !== null; ) {
      const { body, serverTime } = await this.fetchPageOfIds(true, after);
      const deals = body.results.flatMap(({ id, archivedAt, updatedAt }) => {
        const at = toInstant(archivedAt) ?? toInstant(updatedAt);
        return at !== null && new Date(at) >= from ? [{ ...goneDeal(id), modifiedAt: new Date(at) }] : [];
      });
      after = body.paging?.next?.after ?? null;
      yield { deals, next: after === null ? null : deletionsCursor(after), total: null, serverTime };
    }
  }

  /** A page of the ids of deals. An empty `after` is the start of the list. */
  private fetchPageOfIds(archived: boolean, after: string): Promise<CrmResponse<IdPage>> {
    const cursorParameter = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const tail = `/deals?limit=${dealsPerPage}&archived=${archived}&properties=hs_object_id${cursorParameter}`;
    return this.http.request({
      ...this.get(this.path('objects', tail), idPage),
      classifyError: ({ status }) => (status === 400 && cursorParameter !== '' ? { kind: 'cursor_expired' } : null),
    });
  }

  private async readBatches(ids: readonly string[]): Promise<CrmDeal[]> {
    const deals: CrmDeal[] = [];
    for (const batch of chunk(ids, dealsPerPage)) deals.push(...(await this.readBatch(batch)));
    return deals;
  }

  /** Archived and unknown deals are missing from the response. */
  private async readBatch(ids: readonly string[]): Promise<CrmDeal[]> {
    if (ids.length === 0) return [];
    const reading = await this.reading();
    return inHalvesIfOversized(ids, async (part) => {
      const json = { properties: [...reading.properties.keys()], inputs: part.map((id) => ({ id })) };
      const { body } = await this.http.request(this.post('/deals/batch/read?archived=false', json, dealBatch));
      return body.results.map((record) => crmbDeal(record, reading));
    });
  }

  /** Reads each missing deal by its id before it counts as deleted. A merged deal is returned as the deal it became. */
  private async findSurvivors(ids: readonly string[]): Promise<string[]> {
    const survivors: string[] = [];
    for (const id of ids) {
      const path = this.path('objects', `/deals/${id}?archived=false&properties=hs_object_id`);
      const response = await this.http.getOrNull(this.get(path, z.object({ id: z.string() })));
      if (response !== null) survivors.push(response.body.id);
    }
    return survivors;
  }

  private async owners(archived: boolean): Promise<Owner[]> {
    const found: Owner[] = [];
    let after: string | null = null;
    do {
      const page: string = after === null ? '' : `&after=${encodeURIComponent(after)}`;
      const path = this.path('owners', `?limit=${ownersPerPage}&archived=${archived}${page}`);
      const { body } = await this.http.request(this.get(path, owners));
      found.push(...body.results);
      after = body.paging?.next?.after ?? null;
    } while (after !== null);
    return found;
  }

  private async reading(): Promise<CrmbReading> {
    const { currency, timeZone } = await this.settings();
    return {
      properties: await this.properties(),
      omitted: this.omitted,
      stages: crmbStages(await this.pipelines()),
      timeZone: timeZone ?? this.timeZone,
      currency,
    };
  }

  private async readPipelines(): Promise<readonly CrmbPipeline[]> {
    const schema = z.object({ results: z.array(crmbPipeline) });
    const { body } = await this.http.request(this.get(this.path('pipelines', '/deals'), schema));
    return body.results;
  }

  private async properties(): Promise<CrmbProperties> {
    return readProperties(await this.allProperties());
  }

  private async readDefinitions(): Promise<readonly CrmbProperty[]> {
    const schema = z.object({ results: z.array(crmbProperty) });
    const { body } = await this.http.request(this.get(this.path('properties', '/deals'), schema));
    return body.results;
  }

  private path(kind: CrmbResource, tail: string): string {
    return crmbUrl(this.crmbSettings, kind, tail);
  }

  private get<T>(url: string, schema: z.ZodType<T>): CrmRequest<T> {
    return { method: 'GET', url, access: this.access, schema };
  }

  private post<T>(tail: string, json: unknown, schema: z.ZodType<T>): CrmRequest<T> {
    return { method: 'POST', url: this.path('objects', tail), json, access: this.access, schema };
  }
}

const deletionsPrefix = 'deletions ';

/** The cursor of the listing of deletions. An empty `after` is its start. */
function deletionsCursor(after: string): string {
  return `${deletionsPrefix}${after}`;
}

/** The `after` of the listing of deletions; null for a cursor of the search for changed deals. */
function readDeletionsCursor(cursor: string | undefined): string | null {
  return cursor?.startsWith(deletionsPrefix) === true ? cursor.slice(deletionsPrefix.length) : null;
}

function toMember(owner: Owner, active: boolean, userValues: ReadonlyMap<string, UserValues>): CrmMember {
  const { id, email, firstName, lastName, teams, userId } = owner;
  const name = [firstName, lastName].filter(toText).join(' ') || (toText(email) ?? id);
  const values = userValues.get(String(userId)) ?? userValues.get(email?.toLowerCase() ?? '');
  return {
    crmId: id,
    email: toText(email),
    name,
    avatar: null,
    active,
    ...(teams == null ? {} : { teams: teams.map((team) => team.name) }),
    ...(values === undefined ? {} : { values }),
  };
}
