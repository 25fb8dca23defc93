import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { mapInParallel } from '#src/kernel/waiting.js';
import { freePort } from './free-port.js';
import { type RedisServer, runRedis, startRedis } from './redis-server.js';
import { type Settings } from './running-service.js';

const run = promisify(execFile);

const password = 'p@ss/word';

/** Several Redis servers with TLS and a password. */
export interface RedisGroup {
  /** The settings of a service that uses the group. */
  readonly settings: Settings;
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

/** A Redis Cluster of three masters. Returns null if Redis is not installed; with CI set that is an error. */
export async function startRedisCluster(): Promise<RedisGroup | null> {
  const folder = await Folder.create();
  const servers = await folder.startServers(3, (node) => [
    ...['--cluster-enabled', 'yes', '--cluster-config-file', folder.file(`nodes-${node}.conf`), '--tls-cluster', 'yes'],
  ]);
  if (servers === null) return null;
  const nodes = servers.map(({ port }) => `127.0.0.1:${port}`);
  await folder.redisCli('--cluster', 'create', ...nodes, '--cluster-yes');
  return folder.group(servers, { REDIS_MODE: 'cluster', REDIS_URL: folder.url(servers) });
}

/** A master, its replica, and a sentinel that replaces a lost master after a second. */
export async function startRedisSentinel(): Promise<RedisGroup | null> {
  const folder = await Folder.create();
  const masters = await folder.startServers(1, () => ['--tls-replication', 'yes']);
  if (masters === null) return null;
  const [master] = masters as [RedisServer];
  const follow = [
    '--tls-replication',
    'yes',
    '--replicaof',
    '127.0.0.1',
    String(master.port),
    '--masterauth',
    password,
  ];
  const replicas = (await folder.startServers(1, () => follow)) as RedisServer[];
  const sentinel = await folder.startSentinel(master.port);
  return folder.group([master, ...replicas, sentinel], {
    REDIS_MODE: 'sentinel',
    REDIS_URL: folder.url([sentinel]),
    REDIS_SENTINEL_PASSWORD: password,
  });
}

/** Certificates and data of a group. */
class Folder {
  private constructor(private readonly path: string) {}

  static async create(): Promise<Folder> {
    const folder = new Folder(await mkdtemp(path.join(tmpdir(), 'commissions-redis-')));
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ...['-keyout', folder.file('key.pem'), '-out', folder.certificate],
    ]);
    return folder;
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  private get certificate(): string {
    return this.file('certificate.pem');
  }

  private tlsOf(port: number): string[] {
    const files = ['--tls-cert-file', this.certificate, '--tls-key-file', this.file('key.pem')];
    return [
      '--port',
      '0',
      '--tls-port',
      String(port),
      ...files,
      '--tls-ca-cert-file',
      this.certificate,
      '--tls-auth-clients',
      'no',
    ];
  }

  async startServers(count: number, extra: (node: number) => readonly string[]): Promise<RedisServer[] | null> {
    const started = await mapInParallel(Array.from({ length: count }).keys(), async (node) => {
      const port = await freePort();
      const dir = await mkdtemp(this.file('data-'));
      const durable = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--dir', dir];
      return startRedis(port, [...this.tlsOf(port), '--requirepass', password, ...durable, ...extra(node)]);
    });
    return started.every((server) => server !== null) ? started : null;
  }

  async startSentinel(masterPort: number): Promise<RedisServer> {
    const port = await freePort();
    const config = this.file('sentinel.conf');
    await writeFile(
      config,
      `sentinel monitor mymaster 127.0.0.1 ${masterPort} 1
sentinel auth-pass mymaster ${password}
sentinel down-after-milliseconds mymaster 1000
sentinel failover-timeout mymaster 2000
requirepass ${password}
tls-replication yes
`,
    );
    return (await runRedis(port, [config, '--sentinel', ...this.tlsOf(port)])) as RedisServer;
  }

  redisCli(...command: readonly string[]) {
    return run('redis-cli', ['--tls', '--cacert', this.certificate, '--no-auth-warning', '-a', password, ...command]);
  }

  url(servers: readonly RedisServer[]): string {
    return servers.map(({ port }) => `rediss://:${encodeURIComponent(password)}@127.0.0.1:${port}`).join(',');
  }

  group(servers: readonly RedisServer[], settings: Settings): RedisGroup {
    return {
      servers,
      settings: { ...settings, NODE_EXTRA_CA_CERTS: this.certificate },
      stop: async () => {
        await mapInParallel(servers, (server) => server.stop());
        await rm(this.path, { recursive: true, force: true });
      },
    };
  }
}
