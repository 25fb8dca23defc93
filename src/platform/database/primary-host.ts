import { Socket } from 'node:net';
import pg from 'pg';
import { timeLimit } from '../../kernel/time-limit.js';

/** A URL such as `postgres://login@db1:5432,db2/name` names several hosts. The first one follows the login. */
const authority = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/;
const defaultPort = 5432;

/** For how long new connections go to the host that accepted writes before all are tried again. */
const knownMs = 1000;
const probeMs = timeLimit(2000);

type OnSocket = (socket: Socket) => void;

/** Which server node-postgres connects to: that of the URL, or of several that one which accepts writes. */
export function connectionTo(
  url: string,
  onSocket: OnSocket = () => undefined,
): { readonly connectionString: string; readonly stream: () => Socket } {
  const urls = urlPerHost(url);
  const [only] = urls as [string];
  if (urls.length === 1) return { connectionString: only, stream: () => prepared(new Socket(), onSocket) };
  const primary = new PrimaryHost(urls);
  return { connectionString: only, stream: () => prepared(new PrimarySocket(primary), onSocket) };
}

function prepared(socket: Socket, onSocket: OnSocket): Socket {
  onSocket(socket);
  return socket;
}

/** The same URL for each of its hosts. */
export function urlPerHost(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = authority.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
}

/** The host of several that accepts writes. */
class PrimaryHost {
  private known: { readonly url: URL; readonly until: number } | null = null;
  private search: Promise<URL> | null = null;

  constructor(private readonly urls: readonly string[]) {}

  async find(): Promise<URL> {
    if (this.known !== null && performance.now() < this.known.until) return this.known.url;
    this.search ??= this.probeAll().finally(() => {
      this.search = null;
    });
    return this.search;
  }

  discard(): void {
    this.known = null;
  }

  /** Throws the error of the first host if none accepts writes. */
  private async probeAll(): Promise<URL> {
    const probes = this.urls.map(async (url) => {
      await assertAcceptsWrites(url);
      return new URL(url);
    });
    const url = await Promise.any(probes).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
    this.known = { url, until: performance.now() + knownMs };
    return url;
  }
}

async function assertAcceptsWrites(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: probeMs, query_timeout: probeMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    if (rows[0]?.standby !== false) throw notPrimary();
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Has the code of a server that accepts no connection, so that callers treat the database as unavailable. */
function notPrimary(): Error {
  return Object.assign(new Error('the server is a standby, which accepts no writes'), { code: 'ECONNREFUSED' });
}

/** Connects to the primary in place of the host that node-postgres names. */
class PrimarySocket extends Socket {
  constructor(private readonly primary: PrimaryHost) {
    super();
    this.once('error', () => primary.discard());
  }

  override connect(): this {
    this.primary.find().then(
      ({ hostname, port }) => {
        if (!this.destroyed) super.connect({ host: hostname, port: Number(port) || defaultPort });
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }
}
