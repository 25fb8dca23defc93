import { until } from './until.js';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: responses of any shape
  readonly body: any;
}

/** A person to save by name, or by name and other fields. */
type Person = string | { readonly name: string; readonly email?: string; readonly [field: string]: unknown };

/** An HTTP client with one token, with the requests that most tests need to set up a workspace. */
export class ApiClient {
  constructor(
    private readonly url: string,
    private readonly token: string | null,
    private readonly signal?: AbortSignal,
  ) {}

  get(path: string): Promise<ApiResponse> {
    return this.send('GET', path);
  }

  post(path: string, body?: unknown): Promise<ApiResponse> {
    return this.send('POST', path, body);
  }

  put(path: string, body?: unknown): Promise<ApiResponse> {
    return this.send('PUT', path, body);
  }

  patch(path: string, body?: unknown): Promise<ApiResponse> {
    return this.send('PATCH', path, body);
  }

  delete(path: string): Promise<ApiResponse> {
    return this.send('DELETE', path);
  }

  /** Sends a message to the MCP endpoint. */
  mcp(method: string, params: object = {}): Promise<ApiResponse> {
    const message = { jsonrpc: '2.0', id: 1, method, params };
    return this.send('POST', '/v1/mcp', message, { Accept: 'application/json, text/event-stream' });
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${this.url}${path}`, {
      method,
      ...(this.signal === undefined ? {} : { signal: this.signal }),
      headers: {
        ...(this.token === null ? {} : { Authorization: `Bearer ${this.token}` }),
        ...(body === undefined || raw ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  }

  /** Returns the body if the status is the expected one; otherwise throws the response. */
  async expect(status: number, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const response = await this.send(method, path, body, headers);
    if (response.status !== status)
      throw new Error(
        `${method} ${path} returned status ${response.status}: ${JSON.stringify(response.body).slice(0, 1000)}`,
      );
    return response.body;
  }

  /**
   * Creates or changes people and returns their ids in the same order. Without an address, Ann has the address
   * `ann@x.io` and the CRM member id `ann`.
   */
  async saveReps<People extends readonly Person[]>(
    ...people: People
  ): Promise<{ -readonly [At in keyof People]: string }> {
    const reps = people.map((person) => {
      const rep = typeof person === 'string' ? { name: person } : person;
      const id = rep.name.toLowerCase();
      return 'email' in rep ? rep : { email: `${id}@x.io`, crmMemberId: id, ...rep };
    });
    const saved = await this.expect(200, 'PUT', '/v1/reps', { reps });
    return saved.reps.map(({ id }: { id: string }) => id);
  }

  /** Creates the plan and assigns it to the reps. */
  async createPlan(body: object, repIds: readonly string[] = []) {
    const plan = await this.expect(201, 'POST', '/v1/plans', body);
    if (repIds.length > 0) await this.assign(repIds, plan.planId);
    return plan;
  }

  assign(repIds: readonly (string | undefined)[], planId: string) {
    return this.expect(201, 'POST', '/v1/assignments', { repIds, planId });
  }

  setQuota(repIds: readonly (string | undefined)[], measure: string, period: string, target: number) {
    return this.expect(201, 'POST', '/v1/quotas', { repIds, measure, period, target });
  }

  /** Creates or changes the deal. */
  async putDeal(dealId: string, deal: object) {
    const { status, body } = await this.put(`/v1/deals/${dealId}`, deal);
    if (status > 201) throw new Error(`the deal was rejected with status ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  adjust(repId: string, period: string, amount: number, reason: string) {
    return this.expect(200, 'POST', `/v1/statements/${repId}/adjust`, { period, amount, reason });
  }

  job(jobId: string) {
    return this.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
  }

  /** The job, when it has ended. */
  finishedJob(jobId: string) {
    return until(async () => {
      const job = await this.job(jobId);
      return job.status === 'running' ? null : job;
    });
  }

  generate(repId: string | undefined, period: string) {
    return this.expect(200, 'POST', `/v1/statements/${repId}/generate`, { period });
  }

  approve(repId: string | undefined, period: string) {
    return this.expect(200, 'POST', `/v1/statements/${repId}/approve`, { period, status: 'approved' });
  }

  unlock(repId: string | undefined, period: string) {
    return this.expect(200, 'POST', `/v1/statements/${repId}/approve`, { period, status: 'draft' });
  }
}
