import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { checkUrl, type PostLimits, postGuarded } from '#src/platform/outbound/guarded-post.js';
import { isPublicAddress } from '#src/platform/outbound/public-address.js';
import { startTrapServer } from '#test/support/trap-server.js';

const limits: PostLimits = { allowLoopback: true, timeoutMs: 200_000, maxResponseBytes: 65_536 };

describe('posts to addresses that customers enter', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function serve(listener: RequestListener, address = '127.0.0.1', port = 0): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    return `http://${address}:${(server.address() as AddressInfo).port}/hook`;
  }

  const post = (url: string, more: Partial<PostLimits> = {}) =>
    postGuarded(new URL(url), { 'Content-Type': 'application/json' }, '{}', { ...limits, ...more });
  const failureOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => expect.fail('was not rejected'),
      (error: Error) => `${error.name}: ${error.message}`,
    );

  it('return the status and the first 64 KiB of the response', async () => {
    const url = await serve((_request, response) => response.writeHead(202).end('x'.repeat(200_000)));
    const { status, body } = await post(url);
    expect([status, body.length]).to.deep.equal([202, 65_536]);
  });

  it('do not follow redirects', async () => {
    let hits = 0;
    const target = await serve((_request, response) => {
      hits += 1;
      response.end();
    });
    const url = await serve((_request, response) => response.writeHead(307, { Location: target }).end());
    expect((await post(url)).status).to.equal(307);
    expect(hits).to.equal(0);
  });

  it('fail after the time-out if the receiver sends no response or does not complete it', async () => {
    const silent = await serve(() => undefined);
    const slow = await serve((_request, response) => response.writeHead(200).write('a'));
    for (const url of [silent, slow])
      expect(await failureOf(post(url, { timeoutMs: 300 }))).to.equal(
        'PostFailure: no complete response within 0.3 seconds',
      );
  });

  it('fail without details of the network if the receiver is down', async () => {
    expect(await failureOf(post('http://127.0.0.1:9/'))).to.equal('PostFailure: no connection (ECONNREFUSED)');
  });

  it('resolve the host name once and connect to the address that was checked', async () => {
    const checked = await serve((_request, response) => response.end('checked'), '127.0.0.2');
    const { port } = new URL(checked);
    // What the name resolves to for everyone else.
    await serve((_request, response) => response.end('other'), '127.0.0.1', Number(port));
    const url = checked.replace('127.0.0.2', 'localhost');
    const answers = ['127.0.0.2', '10.0.0.1'];
    let lookups = 0;
    const rebinding = { resolveHost: async () => [{ address: answers[lookups++] as string, family: 4 }] };
    expect((await post(url, rebinding)).body).to.equal('checked');
    expect(lookups).to.equal(1);
    expect(await failureOf(post(url, rebinding))).to.include('public addresses only');
  });

  it('do not connect if one of the addresses of a host name is internal', async () => {
    const trap = await startTrapServer();
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::1'], []]) {
      const resolved = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const result = post(`https://rebinding.example:${trap.port}/`, { resolveHost: async () => resolved });
      expect(await failureOf(result)).to.equal('PostFailure: the host name does not resolve to public addresses only');
    }
    await trap.expectNoHits();
  });

  it('require https and a public address without a user name', () => {
    const problems = {
      'http://example.com/': 'must begin with https://',
      'ftp://example.com/': 'must begin with https://',
      'https://user:secret@example.com/': 'must not contain a user name or a password',
      'https://127.0.0.1/': 'must be a public address',
      'https://2130706433/': 'must be a public address',
      'https://0x7f.1/': 'must be a public address',
      'https://[::1]/': 'must be a public address',
      'https://[::ffff:10.0.0.1]/': 'must be a public address',
      'https://[fd00::1]/': 'must be a public address',
      'https://169.254.169.254/latest/meta-data': 'must be a public address',
      'http://localhost/': 'must begin with https://',
      'https://example.com:8443/hook': null,
      'https://[2606:4700::1111]/': null,
    };
    for (const [url, problem] of Object.entries(problems)) expect(checkUrl(new URL(url), false), url).to.equal(problem);
    expect(checkUrl(new URL('http://127.0.0.1:3000/'), true)).to.equal(null);
    expect(checkUrl(new URL('http://10.0.0.1/'), true)).to.equal('must begin with https://');
  });

  it('regard special-purpose networks as internal', () => {
    const internal =
      '0.0.0.0 10.1.2.3 100.64.0.1 127.9.9.9 169.254.1.1 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.5 224.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 3fff::1 5f00::1 fc00::1 fe80::1 fec0::1 ff02::1 localhost';
    for (const address of internal.split(' ')) expect(isPublicAddress(address), address).to.equal(false);
    for (const address of ['8.8.8.8', '172.32.0.1', '192.0.1.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])
      expect(isPublicAddress(address), address).to.equal(true);
  });
});
