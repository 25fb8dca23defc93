import { expect } from 'chai';
import { ApiError } from '#src/client.js';
import { api, basePath, confirmWith, onSessionEnd, ReadableError, reload } from '#web/api/client.js';
import { describeError } from '#web/api/describe-error.js';
import { queryClient } from '#web/app/query-client.js';

interface Sent {
  readonly method: string;
  readonly header: string | null;
  readonly credentials: RequestCredentials | undefined;
}

const json = (status: number, body: object) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'R1' },
  });
const profile = () => json(200, { repId: 'ana' });
const stepUp = () => json(403, { message: 'Confirm', code: 'step_up_required', statusCode: 403 });

describe('requests of the web app', () => {
  const original = globalThis.fetch;
  let sent: Sent[];
  let questions: number;

  function respond(...responses: readonly (() => Response)[]): void {
    sent = [];
    questions = 0;
    globalThis.fetch = async (_input, init) => {
      const header = new Headers(init?.headers).get('X-Requested-By');
      sent.push({ method: init?.method ?? 'GET', header, credentials: init?.credentials });
      const next = responses[Math.min(sent.length, responses.length) - 1];
      if (next === undefined) throw new TypeError('fetch failed');
      return next();
    };
  }

  const confirming = (isConfirmed: boolean) =>
    confirmWith(async () => {
      questions += 1;
      return isConfirmed;
    });
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(() => null).catch((error: unknown) => error);

  after(() => {
    globalThis.fetch = original;
    confirmWith(async () => false);
  });

  it('have the header that the session cookie requires', async () => {
    respond(profile);
    await api.getProfile({});
    expect(sent).to.deep.equal([{ method: 'GET', header: 'web', credentials: 'same-origin' }]);
    expect(basePath).to.equal('');
  });

  it('are sent again once the person has confirmed that it is them', async () => {
    respond(stepUp, profile);
    confirming(true);
    expect(await api.getProfile({})).to.deep.include({ repId: 'ana' });
    expect([sent.length, questions]).to.deep.equal([2, 1]);
  });

  it('ask once, also if the confirmation did not suffice', async () => {
    respond(stepUp);
    confirming(true);
    expect(await failure(api.getProfile({}))).to.be.instanceOf(ApiError);
    expect([sent.length, questions]).to.deep.equal([2, 1]);
  });

  it('fail if the person does not confirm', async () => {
    respond(stepUp);
    confirming(false);
    expect(await failure(api.getProfile({}))).to.have.property('code', 'step_up_required');
    expect([sent.length, questions]).to.deep.equal([1, 1]);
  });

  it('that load displayed data again ask for nothing', async () => {
    respond(stepUp);
    confirming(true);
    let request: Promise<unknown> = Promise.resolve();
    reload(() => {
      request = failure(api.getProfile({}));
    });
    expect(await request).to.have.property('code', 'step_up_required');
    expect([sent.length, questions]).to.deep.equal([1, 0]);
  });

  it('ask for nothing when another failure or a proxy responds', async () => {
    confirming(true);
    for (const response of [
      () => json(403, { message: 'Not yours', code: 'forbidden', statusCode: 403 }),
      () => new Response('<html>', { status: 403, headers: { 'content-type': 'text/html' } }),
    ]) {
      respond(response);
      expect(await failure(api.getProfile({}))).to.be.instanceOf(Error);
      expect([sent.length, questions]).to.deep.equal([1, 0]);
    }
  });

  it('report that the session has ended', async () => {
    let ends = 0;
    const remove = onSessionEnd(() => {
      ends += 1;
    });
    respond(() => json(401, { message: 'Sign in', code: 'unauthorized', statusCode: 401 }));
    await failure(api.getProfile({}));
    expect(ends).to.equal(1);
    remove();
    await failure(api.getProfile({}));
    expect(ends).to.equal(1);
  });

  it('say that the service cannot be reached, and pass other failures on', async () => {
    respond();
    const unreachable = await failure(api.getProfile({}));
    expect(unreachable).to.be.instanceOf(ReadableError);
    expect(describeError(unreachable)).to.deep.equal({
      message: 'The service cannot be reached. Check the connection.',
      reference: null,
    });
    globalThis.fetch = async () => {
      throw new DOMException('stopped', 'AbortError');
    };
    expect(await failure(api.getProfile({}))).to.have.property('name', 'AbortError');
  });
});

describe('an error in words', () => {
  const apiError = async (status: number, body: object): Promise<unknown> => {
    const original = globalThis.fetch;
    globalThis.fetch = async () => json(status, body);
    try {
      return await api.getProfile({}).catch((error: unknown) => error);
    } finally {
      globalThis.fetch = original;
    }
  };

  it('has the message of the service, and a reference for what a person cannot correct', async () => {
    const body = { message: 'There is no such plan.', code: 'plan_not_found', statusCode: 404 };
    expect(describeError(await apiError(404, body))).to.deep.equal({
      message: 'There is no such plan.',
      reference: null,
    });
    const outage = { message: 'The queue is full.', code: 'queue_unavailable', statusCode: 503 };
    expect(describeError(await apiError(503, outage))).to.deep.equal({
      message: 'The queue is full.',
      reference: 'R1',
    });
  });

  it('says in words that the session has ended', async () => {
    const body = { message: 'Send a valid token in the header Authorization.', code: 'unauthorized', statusCode: 401 };
    expect(describeError(await apiError(401, body))).to.deep.equal({
      message: 'Your session has ended. Sign in again; what you entered is kept.',
      reference: null,
    });
  });

  it('does not repeat the words of the service for a confirmation', async () => {
    expect(
      describeError(await apiError(403, { message: 'x', code: 'step_up_required', statusCode: 403 })).message,
    ).to.equal('This needs a confirmation that it is you.');
  });

  it('shows nothing of an error of the page', () => {
    expect(describeError(new TypeError('x is undefined'))).to.deep.equal({
      message: 'The page has an error. Load it again.',
      reference: null,
    });

    it('says that the service does not respond if the code of a page does not arrive', () => {
      for (const words of [
        'Failed to fetch dynamically imported module: http://localhost:3000/assets/DealsPage.js',
        'error loading dynamically imported module: http://localhost:3000/assets/DealsPage.js',
        'Importing a module script failed.',
      ])
        expect(describeError(new TypeError(words)).message, words).to.match(/^The service does not respond/);
    });
  });

  it('is worth another attempt only if that could change it', async () => {
    const retry = queryClient.getDefaultOptions().queries?.retry as (failures: number, error: unknown) => boolean;
    const body = (statusCode: number) => ({ message: 'x', code: 'x', statusCode });
    expect(retry(0, await apiError(404, body(404)))).to.equal(false);
    expect(retry(0, await apiError(429, body(429)))).to.equal(true);
    expect(retry(0, await apiError(500, body(500)))).to.equal(true);
    expect(retry(1, new ReadableError('x'))).to.equal(true);
    expect(retry(2, new ReadableError('x'))).to.equal(false);
  });
});
