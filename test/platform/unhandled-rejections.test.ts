import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { type Caller } from '#src/kernel/caller.js';
import { createApp } from '#src/platform/http/app.js';
import { type Listening, listen } from '#src/platform/http/listen.js';
import { reportUnhandledRejections } from '#src/platform/http/request-context.js';
import { createLog } from '#src/platform/log.js';
import { metrics } from '#src/platform/metrics.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type OperationDispatcher } from '#src/platform/operations/operation-dispatcher.js';

const operation: AnyOperation = {
  id: 'listThings',
  method: 'get',
  path: '/v1/things',
  summary: '',
  access: 'rep',
  response: z.unknown(),
  failures: {},
  example: {},
  execute: () => null,
};
const caller: Caller = { workspaceId: 'w', accessLevel: 'admin', repId: null, actor: 'api-key', requestId: 'r' };

describe('rejected promises that no code handles', () => {
  const logged: Record<string, unknown>[] = [];
  let listening: Listening;
  let ofMocha: NodeJS.UnhandledRejectionListener[];
  let run: () => Promise<{ status: number; body: unknown }>;

  before(async () => {
    ofMocha = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const log = createLog('error', { write: (line) => logged.push(JSON.parse(line)) });
    reportUnhandledRejections(log);
    const dispatcher = {
      admit: async () => undefined,
      recordingRejections: (_operation: unknown, _caller: unknown, work: () => Promise<unknown>) => work(),
      run: () => run(),
    } as unknown as OperationDispatcher;
    const authenticate = async () => ({ caller, counted: null, cacheVersions: null });
    listening = await listen(createApp({ operations: [operation], dispatcher, authenticate, log }), {
      host: '127.0.0.1',
      port: 0,
      setting: 'PORT',
    });
  });
  after(async () => {
    await listening.close();
    process.removeAllListeners('unhandledRejection');
    for (const listener of ofMocha) process.on('unhandledRejection', listener);
  });
  beforeEach(() => logged.splice(0));

  const rejectLater = async () => {
    await nextTurn();
    throw new Error('rejected later');
  };
  const count = async () => (await metrics.unhandledRejections.get()).values[0]?.value ?? 0;
  const request = (requestId: string) =>
    fetch(`${listening.url}/v1/things`, { headers: { 'X-Request-Id': requestId, Authorization: 'Bearer x' } });

  it('are logged with the id of their request and counted when it has another error', async () => {
    run = async () => {
      void rejectLater();
      throw new RangeError('thrown at once');
    };
    const before = await count();
    const response = await request('req_other_error');
    expect(response.status).to.equal(500);
    while (logged.length < 2) await nextTurn();
    expect(logged.map(({ msg, requestId, err }) => [msg, requestId, (err as Error).message])).to.deep.equal([
      ['request failed with an unexpected error', 'req_other_error', 'thrown at once'],
      ['no code handled a rejected promise', 'req_other_error', 'rejected later'],
    ]);
    expect((await count()) - before).to.equal(1);
  });

  it('answer their request with 500 when nothing else does', async () => {
    run = async () => {
      void rejectLater();
      return new Promise(() => undefined);
    };
    const response = await request('req_no_answer');
    expect(response.status).to.equal(500);
    expect(await response.json()).to.deep.include({ code: 'internal_error', details: { requestId: 'req_no_answer' } });
  });

  it('leave a response alone that was sent', async () => {
    run = async () => {
      void rejectLater();
      return { status: 200, body: { things: 1 } };
    };
    const response = await request('req_answered');
    expect([response.status, await response.json()]).to.deep.equal([200, { things: 1 }]);
    while (logged.length < 1) await nextTurn();
    expect(logged[0]).to.include({ requestId: 'req_answered' });
  });

  it('are logged without a request where none is concerned', async () => {
    const handled = once(process, 'unhandledRejection');
    void rejectLater();
    await handled;
    expect(logged[0]).to.include({ msg: 'no code handled a rejected promise' }).and.not.have.property('requestId');
  });
});
