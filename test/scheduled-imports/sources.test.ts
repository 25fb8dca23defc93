import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { Failure } from '#src/kernel/failure.js';
import { type Credentials } from '#src/scheduled-imports/credentials.js';
import { type SourceAddress } from '#src/scheduled-imports/scheduled-import.js';
import { openSource } from '#src/scheduled-imports/sources/open-source.js';
import { type ListedFile } from '#src/scheduled-imports/sources/source.js';
import { SourceThreads } from '#src/scheduled-imports/sources/source-threads.js';
import { FileServer } from '#test/support/file-server.js';
import { S3Server } from '#test/support/s3-server.js';
import { SftpServer } from '#test/support/sftp-server.js';
import { until } from '#test/support/until.js';

const limits = {
  allowLoopback: true,
  timeoutMs: 60_000,
  stripeBase: 'http://127.0.0.1:1',
  timeZone: 'UTC',
  dealField: undefined,
};
const maxBytes = 1024 * 1024;
const threads = new SourceThreads(2);
const unlimited = { totalMs: 200_000, signal: new AbortController().signal };

/** The keys alone: the servers have more. */
function keysOf({ authorization, accessKeyId, secretAccessKey, password, privateKey }: Credentials): Credentials {
  const all = { authorization, accessKeyId, secretAccessKey, password, privateKey };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

async function readAll(address: SourceAddress, credentials: Credentials = {}): Promise<Record<string, string>> {
  return threads.use('workspace', [address, keysOf(credentials), limits], unlimited, async (source) => {
    const files: Record<string, string> = {};
    for (const file of await source.list()) {
      await source.download(file, maxBytes);
      const { header } = await source.readSample({});
      files[file.name] = (await source.readCsv()).toString('utf8');
      expect(header).to.have.length(files[file.name]?.split('\n')[0]?.split(',').length ?? 0);
    }
    return files;
  });
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (failed: unknown) => failed as Error,
  );
  if (!(error instanceof Failure)) throw error;
  expect(error.code).to.equal('source_unreachable');
  return error.message;
}

describe('sources of scheduled imports', () => {
  after(() => threads.close());

  describe('a URL', () => {
    let server: FileServer;
    before(async () => {
      server = await FileServer.start();
    });
    after(() => server.stop());
    beforeEach(() => {
      server.requests.length = 0;
      server.redirects.clear();
      server.status = 200;
      server.content = 'id,amount\nd1,5\n';
    });

    it('returns the file under the last part of its path, with the header of the credentials', async () => {
      const files = await readAll({ kind: 'url', url: server.url }, { authorization: 'Bearer abc' });
      expect(files).to.deep.equal({ 'bookings.csv': 'id,amount\nd1,5\n' });
      expect(server.requests[0]?.headers.authorization).to.equal('Bearer abc');
    });

    it('may redirect, but not to an address that the first one may not have, nor with the credentials to another host', async () => {
      const other = await FileServer.start();
      other.content = 'id\nother\n';
      server.redirects.set('/bookings.csv', `${other.origin}/elsewhere.csv`);
      const files = await readAll({ kind: 'url', url: server.url }, { authorization: 'Bearer abc' });
      await other.stop();
      expect(Object.values(files)).to.deep.equal(['id\nother\n']);
      expect(other.requests[0]?.headers.authorization).to.equal(undefined);
      for (const target of [
        'http://169.254.169.254/latest',
        'https://10.0.0.1/',
        'http://example.com/x.csv',
        'ftp://x',
      ]) {
        server.redirects.set('/bookings.csv', target);
        expect(await reasonOf(readAll({ kind: 'url', url: server.url })), target).to.match(/the URL must/);
      }
      server.redirects.set('/bookings.csv', '/bookings.csv');
      expect(await reasonOf(readAll({ kind: 'url', url: server.url }))).to.match(/more than 5 redirects/);
    });

    it('fails with a reason for an error, a page, a file that is too large and an internal address', async () => {
      const address = { kind: 'url', url: server.url } as const;
      server.status = 403;
      expect(await reasonOf(readAll(address))).to.match(/status 403/);
      server.status = 200;
      server.content = '<!DOCTYPE html><title>Sign in</title>';
      expect(await reasonOf(readAll(address))).to.match(/a page and no CSV file/);
      server.content = 'x'.repeat(maxBytes + 1);
      expect(await reasonOf(readAll(address))).to.match(/larger than 1 MiB/);
      const outside = { ...limits, allowLoopback: false };
      const source = await openSource(address, {}, outside);
      expect(await reasonOf(source.read((await source.list())[0] as ListedFile, maxBytes))).to.match(/https/);
    });
  });

  describe('an S3-compatible store', () => {
    let store: S3Server;
    before(async () => {
      store = await S3Server.start();
    });
    after(() => store.stop());
    const address = (folder: string) => {
      const { endpoint, region, bucket } = store;
      return { kind: 's3', endpoint, region, bucket, folder } as const;
    };

    it('returns the CSV files of the folder, whatever characters their names have', async () => {
      await store.write('out/b 1&2.csv', 'id\nb\n');
      await store.write('out/a.csv', 'id\na\n');
      await store.write('out/readme.md', 'no');
      await store.write('out/deeper/c.csv', 'id\nc\n');
      await store.write('other/d.csv', 'id\nd\n');
      expect(await readAll(address('/out/'), store)).to.deep.equal({
        'out/b 1&2.csv': 'id\nb\n',
        'out/a.csv': 'id\na\n',
      });
      const source = await openSource(address('out'), store, limits);
      const [first] = await source.list();
      await store.write('out/b 1&2.csv', 'id\nb2\n');
      const again = (await source.list()).find(({ name }) => name === 'out/b 1&2.csv');
      expect(again?.version)
        .to.match(/^\w{32}$/)
        .and.not.equal(first?.version);
    });

    it('follows the pages of the list, and names what the store rejects', async () => {
      const server = await FileServer.start();
      const object = (key: string) =>
        `<Contents><Key>${key}</Key><LastModified>2026-02-01T00:00:00.000Z</LastModified><ETag>"e"</ETag><Size>3</Size></Contents>`;
      const list = (inner: string) => `<?xml version="1.0"?><ListBucketResult>${inner}</ListBucketResult>`;
      const path = '/bookings?list-type=2&delimiter=%2F&prefix=';
      const next = '/bookings?continuation-token=a%2Fb%2B&delimiter=%2F&list-type=2&prefix=';
      const sorted = (url: string) => `/bookings?${[...new URL(url, server.origin).searchParams].sort().join('&')}`;
      const address = { kind: 's3', endpoint: server.origin, region: 'eu-1', bucket: 'bookings', folder: '' } as const;
      server.content = list(object('4.csv'));
      const more = '<NextContinuationToken>a/b+</NextContinuationToken>';
      server.contents.set(path, list(object('1.csv') + object('2&amp;3.csv') + more));
      const source = await openSource(address, store, limits);
      expect((await source.list()).map(({ name }) => name)).to.deep.equal(['1.csv', '2&3.csv', '4.csv']);
      expect(server.requests.map(({ url = '' }) => sorted(url))).to.deep.equal([sorted(path), sorted(next)]);
      expect(server.requests[0]?.headers.authorization).to.match(
        /^AWS4-HMAC-SHA256 Credential=S3RVER\/\d{8}\/eu-1\/s3\/aws4_request, SignedHeaders=host;x-amz/,
      );
      server.contents.clear();
      server.status = 403;
      server.content = '<Error><Code>SignatureDoesNotMatch</Code></Error>';
      expect(await reasonOf(source.list())).to.match(/403 \(SignatureDoesNotMatch\)/);
      server.status = 200;
      expect(await reasonOf(source.list())).to.match(/not the list of a bucket/);
      await server.stop();
    });

    it('says that the bucket is wrong', async () => {
      expect(await reasonOf(readAll({ ...address('out'), bucket: 'none' }, store))).to.match(/404 \(NoSuchBucket\)/);
    });
  });

  describe('an SFTP server', () => {
    let server: SftpServer;
    before(async function () {
      const started = await SftpServer.start();
      if (started === null) {
        process.stderr.write('SKIPPED: SFTP, because sshd is not installed\n');
        return this.skip();
      }
      server = started;
    });
    after(() => server?.stop());
    const address = (more: object = {}) => {
      const { port, user, folder } = server;
      return { kind: 'sftp' as const, host: '127.0.0.1', port, user, folder, ...more };
    };

    it('returns the CSV files of the folder and the key of the server', async () => {
      await server.write('b.csv', 'id\nb\n');
      await server.write('.hidden.csv', 'id\n');
      await server.write('b.csv.part', 'id\n');
      expect(await readAll(address(), server)).to.deep.equal({ 'b.csv': 'id\nb\n' });
      const found = await threads.use(
        'workspace',
        [address({ folder: `${server.folder}/` }), keysOf(server), limits],
        unlimited,
        async ({ hostKey }) => hostKey,
      );
      expect(found).to.equal(server.hostKey);
    });

    it('is not read if its key is another one than before', async () => {
      expect(await readAll(address({ hostKey: server.hostKey }), server)).to.have.property('b.csv');
      const other = `SHA256:${'A'.repeat(43)}`;
      expect(await reasonOf(readAll(address({ hostKey: other }), server))).to.match(
        new RegExp(`key of the server is ${server.hostKey.replace(/[+/]/g, '\\$&')} and not the known one`),
      );
    });

    it('says that the credentials, the folder or the address are wrong', async () => {
      expect(await reasonOf(readAll(address(), { password: 'x' }))).to.match(/rejected the user or the credentials/);
      expect(await reasonOf(readAll(address({ folder: '/nowhere' }), server))).to.match(/No such file/);
      expect(await reasonOf(readAll(address({ host: '10.0.0.1' }), server))).to.match(/public addresses only/);
      expect(await reasonOf(readAll(address(), { privateKey: 'nonsense' }))).to.match(/privateKey/i);
    });
  });

  it('leaves no connection open where the SFTP client rejects the private key', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const address = { kind: 'sftp', host: '127.0.0.1', port, user: 'u', folder: '/' } as const;
    expect(await reasonOf(readAll(address, { privateKey: 'nonsense' }))).to.match(/privateKey/i);
    const [socket] = await connected;
    socket.resume();
    await until(() => socket.closed, { what: 'the end of the connection' });
    server.close();
  });
});
