import { expect } from 'chai';
import { readResult, waitForJobs } from '#packages/cli/src/jobs-of-calls.js';
import { createClient, pages, waitForJob } from '#packages/client/src/index.js';
import { retrying } from '#packages/client/src/retry.js';
import { operations } from '#src/operations.js';
import { readersOfJobs } from '#test/support/jobs-of-operations.js';
import { Service } from '#test/support/service.js';

/** A `fetch` that returns these outcomes one after the other; an error stands for a lost connection. */
function sender(...outcomes: readonly (Response | Error)[]) {
  const calls: string[] = [];
  const send = async (_input: unknown, init?: RequestInit) => {
    const outcome = outcomes[calls.length] as Response | Error;
    calls.push(init?.method ?? 'GET');
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { calls, send: send as typeof fetch };
}

const busy = (status: number, headers: Record<string, string> = { 'Retry-After': '0' }) =>
  new Response('', { status, headers });
const failed = (code: string) =>
  new Response(JSON.stringify({ code }), { status: 503, headers: { 'Retry-After': '0' } });
const good = () => new Response('{}', { status: 200 });

describe('the client package', () => {
  describe('repeats', () => {
    it('what the service has not executed, after the pause that it names', async () => {
      for (const again of [() => busy(429), () => failed('workspace_busy')]) {
        const { calls, send } = sender(again(), again(), good());
        expect((await retrying(send, {})('http://x', { method: 'POST' })).status).to.equal(200);
        expect(calls).to.have.length(3);
      }
    });

    it('what may have been executed only if that is harmless', async () => {
      const lost = new Error('connection lost');
      const withKey = { method: 'POST', headers: { 'Idempotency-Key': 'k' } };
      for (const init of [{ method: 'GET' }, { method: 'PUT' }, withKey]) {
        const { calls, send } = sender(lost, busy(502), failed('database_unavailable'), busy(503), good());
        expect((await retrying(send, {})('http://x', init)).status).to.equal(200);
        expect(calls).to.have.length(5);
      }
      for (const outcome of [lost, busy(504), failed('database_unavailable'), busy(503)]) {
        const { calls, send } = sender(outcome, good());
        const response = await retrying(send, {})('http://x', { method: 'POST' }).catch((error: unknown) => error);
        expect(response).to.equal(outcome);
        expect(calls).to.have.length(1);
        if (outcome instanceof Response) expect(outcome.bodyUsed).to.equal(false);
      }
    });

    it('nothing else, nothing with retries: 0, and nothing whose pause is longer than a minute', async () => {
      for (const [first, retries] of [
        [busy(400), 4],
        [busy(500), 4],
        [busy(503), 0],
        [busy(429, { 'Retry-After': '61' }), 4],
      ] as const) {
        const { calls, send } = sender(first, good());
        expect(await retrying(send, { retries })('http://x')).to.equal(first);
        expect(calls).to.have.length(1);
      }
    });

    it('until the signal ends the call', async () => {
      const { calls, send } = sender(busy(429, { 'Retry-After': '30' }), good());
      const stop = new AbortController();
      const call = retrying(send, {})('http://x', { signal: stop.signal }).catch((error: unknown) => error);
      setImmediate(() => stop.abort(new Error('stopped')));
      expect(await call).to.have.property('message', 'stopped');
      expect(calls).to.have.length(1);
    });
  });

  it('reads feeds by cursor and lists by offset, with the other values of the query', async () => {
    const collect = async (list: (input: { query?: object }) => Promise<object>) => {
      const queries: unknown[] = [];
      const read = async (input: { query?: object }) => {
        queries.push(input.query);
        return list(input);
      };
      let count = 0;
      for await (const _page of pages(read, { query: { limit: 2 } })) count += 1;
      return { count, queries };
    };
    const feed = await collect(async ({ query }) => ({
      nextCursor: 'cursor' in (query ?? {}) ? 'b' : 'a',
      more: !('cursor' in (query ?? {})),
    }));
    expect(feed).to.deep.equal({ count: 2, queries: [{ limit: 2 }, { limit: 2, cursor: 'a' }] });
    const list = await collect(async ({ query = {} }) => ({
      count: 5,
      limit: 2,
      offset: Number((query as { offset?: string }).offset ?? 0),
    }));
    expect(list.queries).to.deep.equal([{ limit: 2 }, { limit: 2, offset: '2' }, { limit: 2, offset: '4' }]);
  });

  describe('on a running service', () => {
    const service = Service.duringSuite();

    it('reads every deal once, also one that changes before its page', async () => {
      const { apiKey } = await service.workspace();
      const client = createClient({ baseUrl: service.url, token: apiKey });
      const ids = Array.from({ length: 7 }, (_, at) => `d${at}`);
      const put = (dealId: string, amount: number) => client.putDeal({ params: { dealId }, body: { amount } });
      for (const dealId of ids) await put(dealId, 1);
      const seen: string[] = [];
      for await (const { deals } of pages(client.listDeals, { query: { limit: '3' } })) {
        seen.push(...deals.map(({ deal_id }) => deal_id));
        if (seen.length === 3) for (const dealId of ids.filter((id) => !seen.includes(id))) await put(dealId, 2);
      }
      expect(seen.toSorted()).to.deep.equal(ids);
    });

    it('waits for exports and for calculations after a call', async () => {
      const { apiKey } = await service.workspace();
      const client = createClient({ baseUrl: service.url, token: apiKey });
      const calls = client as unknown as Parameters<typeof waitForJobs>[0];
      const callAndWait = async (operation: string, input: object) => {
        const answer = await calls[operation]?.(input);
        return { answer, jobs: await waitForJobs(calls, { operation, input }, answer) };
      };
      const exported = await callAndWait('exportStatementsPdf', { query: { async: 'true' } });
      const { jobId } = exported.answer as { jobId: string };
      expect(exported.jobs).to.deep.equal([await client.getExportJob({ params: { jobId } })]);
      expect(exported.jobs[0]?.status).to.equal('completed');
      const calculated = await callAndWait('recalculateCommissions', { body: { async: true } });
      expect(calculated.jobs).to.have.length(1);
      expect((await callAndWait('listReps', {})).jobs).to.deep.equal([]);
    });
  });

  describe('after a call whose response has a job', () => {
    const params = { planRef: 'p', month: '2026-03' };
    const pathOf = (id: string) => operations.find((each) => each.id === id)?.path ?? '';

    for (const [operation, reader] of readersOfJobs())
      it(`of ${operation} waits with ${reader}`, async () => {
        const calls: (readonly [string, object])[] = [];
        const answers = (name: string, answer: object) => async (input: object) => {
          calls.push([name, input]);
          return answer;
        };
        const input = { params };
        const isMadeAgain = reader === operation;
        const client = { [reader]: answers(reader, isMadeAgain ? { deals: 3 } : { status: 'completed' }) };
        const answer = isMadeAgain ? { job: { jobId: 'j', status: 'running' } } : { jobId: 'j' };
        const result = await readResult(client, { operation, input }, answer);
        expect(result).to.deep.equal(isMadeAgain ? { deals: 3 } : answer);
        const jobs = await waitForJobs(client, { operation, input }, result);
        expect(jobs).to.deep.equal(isMadeAgain ? [] : [{ status: 'completed' }]);
        expect(calls).to.deep.equal([[reader, isMadeAgain ? input : { params: { ...params, jobId: 'j' } }]]);
        const needed = [...pathOf(reader).matchAll(/:(\w+)/g)].map(([, name = '']) => name);
        for (const name of needed.filter((each) => each !== 'jobId'))
          expect(pathOf(operation), `${reader} needs ${name}`).to.include(`:${name}`);
      });

    it('fails if a job failed, also one of several', async () => {
      const client = {
        getRecalculationJob: async (input: object) =>
          JSON.stringify(input).includes('k') ? { status: 'failed', error: 'boom' } : { status: 'completed' },
      };
      const made = { operation: 'syncCommissions', input: {} };
      const answer = { jobId: 'j', results: { crma: { jobId: 'j' }, crmb: { jobId: 'k' } } };
      const failure = await waitForJobs(client, made, answer).catch((error: Error) => error.message);
      expect(failure).to.equal('Job k failed: boom');
    });
  });

  it('waits for a job, and throws if it fails or takes too long', async () => {
    const job = (statuses: readonly string[]) => {
      let call = 0;
      // biome-ignore lint/suspicious/noExplicitAny: a part of a job
      return { getRecalculationJob: async () => ({ jobId: 'j', status: statuses[call++], error: 'boom' }) as any };
    };
    const seen: string[] = [];
    const done = await waitForJob(job(['running', 'completed']), 'j', {
      intervalMs: 0,
      onProgress: ({ status }) => seen.push(status),
    });
    expect([done.status, seen]).to.deep.equal(['completed', ['running', 'completed']]);
    const fails = (statuses: readonly string[], options: object) =>
      waitForJob(job(statuses), 'j', options).catch((error: Error) => error.message);
    expect(await fails(['failed'], {})).to.equal('Job j failed: boom');
    expect(await fails(['running'], { timeoutMs: 0 })).to.equal('Job j still runs after 0 seconds.');
  });
});
