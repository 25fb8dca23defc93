import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type TokenKind } from '#src/platform/secrets/token.js';
import { type ApiClient, type ApiResponse } from './api-client.js';
import { type ExpectedError, expectError } from './errors.js';
import { query } from './ledger-checks.js';
import { rowContents } from './row-contents.js';
import { Service } from './service.js';

export const invalid = '400 VALIDATION_FAILED';

/** What is wrong with each request: method and path, the body, and the name of the token, the workspace key by default. */
export type Requests = Readonly<Record<string, readonly [request: string, body?: unknown, as?: string]>>;

/** One request with several bodies, by what is wrong with the body. */
export function bodies(request: string, cases: Readonly<Record<string, unknown>>): Requests {
  return Object.fromEntries(
    Object.entries(cases).map(([what, body]) => [`${request} with ${what}`, [request, body] as const]),
  );
}

export const tier = { tierIndex: 0, minThreshold: 0, rate: 0.08 };
export const rule = { name: 'Rejected rule', measure: 'amount', tiers: [tier] };
export const manyRules = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...rule, name: `R${index}` }));

/**
 * A workspace with one of everything, to which wrong requests are sent. `<ada>` and the like in paths and bodies stand
 * for the ids that {@link RejectionWorld.ids} holds.
 */
export class RejectionWorld {
  readonly ids = new Map<string, string>();
  private readonly tokens = new Map<string, string>();
  private snapshotQuery = '';

  private constructor(
    readonly service: Service,
    readonly workspaceId: string,
    readonly api: ApiClient,
  ) {}

  static async create(): Promise<RejectionWorld> {
    const service = await Service.start();
    const { workspaceId, apiKey, api } = await service.workspace({ name: 'Rejections' });
    const world = new RejectionWorld(service, workspaceId, api);
    world.tokens.set('admin key', apiKey);
    await world.fill();
    world.snapshotQuery = await snapshotQuery(service.database.ownerUrl);
    return world;
  }

  private async fill(): Promise<void> {
    const { api, ids } = this;
    const people = { Amy: 'admin', Max: 'manager', Ada: 'rep', Bob: 'rep' };
    await this.addReps(
      api,
      Object.entries(people).map(([name, role]) => ({ name, role, email: `${name}@x.io` })),
    );
    for (const [name, who] of Object.entries({ admin: 'amy', manager: 'max', rep: 'ada' }))
      this.tokens.set(name, await this.addToken('sess', ids.get(who)));
    this.tokens.set('connection', await this.addToken('conn'));
    const tiers = [tier, { tierIndex: 1, minThreshold: 1, rate: 0.1 }];
    const config = { rules: [{ ...rule, name: 'New business', attainmentPeriod: 'monthly', tiers }] };
    const plan = (name: string) => api.createPlan({ name, config });
    const first = await plan('AE');
    const ae = await api.expect(200, 'PATCH', `/v1/plans/${first.planId}`, {
      config: { ...config, quotaPeriod: 'monthly' },
    });
    const [se, spare, gone] = [await plan('SE'), await plan('Spare'), await plan('Gone')];
    await api.expect(200, 'DELETE', `/v1/plans/${gone.planId}`);
    const [ada, bob] = [ids.get('ada'), ids.get('bob')];
    const assign = (repIds: (string | undefined)[], planId: string) => api.assign(repIds, planId);
    const [assignment] = await assign([ada, bob], ae.planId);
    await assign([ada], se.planId);
    const target = { repIds: [ada], planRuleId: ae.rules[0].id, period: '2026-03', target: 1000 };
    const [quota] = await api.expect(201, 'POST', '/v1/quotas', target);
    const deal = { amount: 1000, closeDate: '2026-03-10', repId: ada, stage: 'won' };
    await api.expect(201, 'PUT', '/v1/deals/won-1', deal);
    for (const [name, id] of Object.entries({
      ae: ae.planId,
      aeVersion: ae.planVersionId,
      aeRule: ae.rules[0].id,
      spare: spare.planId,
      gone: gone.planId,
      assignment: assignment.assignmentId,
      quota: quota.quotaId,
      unknown: randomUUID(),
    }))
      ids.set(name, id);
    await this.service.waitForCalculations(this.workspaceId);
  }

  private async addReps(api: ApiClient, reps: readonly object[]): Promise<void> {
    const saved = await api.expect(200, 'PUT', '/v1/reps', { reps });
    for (const { id, name } of saved.reps) this.ids.set(name.toLowerCase(), id);
  }

  addToken(kind: TokenKind, repId?: string): Promise<string> {
    return this.service.token(this.workspaceId, kind, repId);
  }

  token(name: string): string {
    return this.tokens.get(name) ?? expect.fail(`no token for ${name}`);
  }

  sql(text: string, ...values: unknown[]) {
    return this.service.sql(text, ...values);
  }

  filled(text: string): string {
    return text.replace(
      /<([a-zA-Z]+)>/g,
      (_, name: string) => this.ids.get(name) ?? expect.fail(`nothing is called ${name}`),
    );
  }

  send(request: string, body?: unknown, as = 'admin key', headers: Record<string, string> = {}): Promise<ApiResponse> {
    const [method, path] = this.filled(request).split(' ') as [string, string];
    const raw = typeof body === 'string' || body === undefined || body instanceof Uint8Array;
    const text = raw ? body : this.filled(JSON.stringify(body));
    const client = this.service.client(as === 'nobody' ? null : this.token(as));
    const type: Record<string, string> = text === undefined ? {} : { 'Content-Type': 'application/json' };
    return client.send(method, path, text, { ...type, ...headers });
  }

  /** A hash of every table, apart from counters that each request may change. */
  contents(): Promise<unknown[]> {
    return this.sql(this.snapshotQuery);
  }

  /** Expects that the request is rejected and that no table changes. */
  async expectError(expected: ExpectedError, request: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const before = await this.contents();
    const response = await request();
    await expectError(expected, response);
    expect(await this.contents(), 'every table is unchanged').to.deep.equal(before);
    return response;
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}

/** Selects a hash of every table, apart from counters that each request may change, and leases, which say who works. */
export async function snapshotQuery(ownerUrl: string): Promise<string> {
  const tables = await query<{ name: string }>(
    ownerUrl,
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
      and tablename not in ('rate_windows', 'attempt_counters', 'audit_entries', 'rejected_calls', 'work_leases') order by 1`,
  );
  const selects = tables.map(({ name }) => {
    // Any request may change when a token was last used.
    const content = name === 'tokens' ? 't.token_hash::text' : rowContents(name);
    return `select '${name}' as name, count(*)::int as rows, md5(string_agg(${content}, chr(10) order by ${content})) as content from ${name} t`;
  });
  // The server may read the tables in parallel, in any order.
  return `${selects.join(' union all ')} order by name`;
}

/** Declares a test for every request, and one that checks that all of them together changed no table. */
export function rejects(world: () => RejectionWorld, expected: ExpectedError, requests: Requests): void {
  describe(`returns ${expected} for`, () => {
    let contents: unknown[];

    before(async () => {
      contents = await world().contents();
    });

    for (const [what, [request, body, as]] of Object.entries(requests))
      it(what.length > 150 ? `${what.slice(0, 150)}…` : what, async () => {
        await expectError(expected, world().send(request, body, as));
      });

    it('these requests and changes no table', async () => {
      expect(await world().contents()).to.deep.equal(contents);
    });
  });
}
