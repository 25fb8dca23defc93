import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type Issue } from '../kernel/failure.js';
import { readValue } from '../kernel/invalid-values.js';
import { configuredShards } from './database/shard-settings.js';
import { configuredClients } from './mcp/agent-client.js';
import { baseUrl, flag, parsedUrl, port, url, urls, whole } from './setting-schemas.js';

/** Settings of the parts that every process has. Slices have groups of their own; src/app/config.ts lists them. */
const shape = {
  PORT: port.default(3000).describe('Port of the API; 0 chooses a free port'),
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .meta({ description: 'Address that the API listens on', example: '0.0.0.0' }),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .meta({ description: 'Data folder of the embedded PostgreSQL', example: '/var/lib/commissions' }),
  DATABASE_URL: url(['postgres', 'postgresql']).optional().meta({
    description:
      'PostgreSQL (15 or newer) to use instead of the embedded one, with the login of the service, which owns nothing. It may name [several hosts](growing.md#failover)',
    example: 'postgres://commissions_app:secret@db:5432/commissions',
  }),
  DATABASE_OWNER_URL: url(['postgres', 'postgresql']).optional().meta({
    description:
      'Connection of the role that owns the tables, for migrations and for commands that read all workspaces; not needed by processes with MIGRATE_AT_START=0',
    example: 'postgres://owner:secret@db:5432/commissions',
  }),
  MIGRATE_AT_START: flag.default(true).meta({
    description:
      '0: migrate only with `npx commissions migrate`; a process then does not start while a migration is pending',
    example: '0',
  }),
  DATABASE_READ_URL: url(['postgres', 'postgresql']).optional().meta({
    description: 'Read replica for lists and dashboards, which may then lag by seconds; never used for calculations',
    example: 'postgres://app:secret@replica:5432/commissions',
  }),
  DATABASE_READ_MAX_LAG_SECONDS: whole(1, 3600)
    .default(10)
    .describe('How far the read replica may be behind; beyond it the primary serves lists and dashboards'),
  QUEUE_DATABASE_URL: url(['postgres', 'postgresql']).optional().meta({
    description: 'Direct connection for the queue, which uses LISTEN; needed when DATABASE_URL points to a pooler',
    example: 'postgres://app:secret@db:5432/commissions',
  }),
  DATABASE_SHARDS: z
    .string()
    .default('[]')
    .refine(isJson, 'must be a JSON list')
    .transform((value) => JSON.parse(value) as unknown)
    .pipe(configuredShards)
    .meta({
      description:
        'Further databases that hold workspaces, as a JSON list of name, url and optionally ownerUrl, readUrl and queueUrl, which mean the same as the four settings above; DATABASE_URL is the first, `main`, and has the directory. See [growing](growing.md#several-databases)',
      example: '[{"name":"eu","url":"postgres://commissions_app:secret@db-eu:5432/commissions"}]',
    }),
  DATABASE_POOL_SIZE: whole(2, 200)
    .default(12)
    .describe('Max number of PostgreSQL connections of one process to each database'),
  REDIS_URL: urls(['redis', 'rediss']).optional().meta({
    description:
      'Redis for the queue, the rate limit and polls of the status of jobs, instead of PostgreSQL; several nodes of a cluster, or sentinels, are separated by commas, and the credentials of the first apply to all',
    example: 'redis://redis:6379',
  }),
  REDIS_MODE: z.enum(['single', 'cluster', 'sentinel']).default('single').meta({
    description: 'What REDIS_URL names: one server, nodes of a Redis Cluster, or sentinels',
    example: 'cluster',
  }),
  REDIS_SENTINEL_NAME: z
    .string()
    .min(1)
    .default('mymaster')
    .describe('Name of the master that the sentinels watch, with REDIS_MODE=sentinel'),
  REDIS_SENTINEL_PASSWORD: z.string().min(1).optional().meta({
    description: 'Password of the sentinels, if they have one; REDIS_URL has that of the master',
    example: 'secret',
  }),
  WORKER_CONCURRENCY: whole(1, 64).default(2).describe('Max number of jobs that one process runs at the same time'),
  RATE_LIMIT_PER_MINUTE: whole(1, 1_000_000).default(600).describe('Max number of requests per token and minute'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('Min level of log lines'),
  DRAIN_MS: whole(0, 60_000).default(0).meta({
    description: 'Time for which a stopping process still accepts requests, so that load balancers notice the shutdown',
    example: '5000',
  }),
  METRICS_TOKEN: z.string().min(16).optional().meta({
    description: 'Bearer token for `/metrics` on the port of the API; without it that port has no `/metrics`',
    example: 'the output of: openssl rand -hex 16',
  }),
  METRICS_PORT: port.optional().meta({
    description: 'Separate port for `/metrics` and the health checks, without a token; also in a worker',
    example: '9464',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https']).optional().meta({
    description: 'Endpoint that receives traces as OTLP over HTTP; without it tracing is off',
    example: 'http://otel-collector:4318',
  }),
  NO_DEMO: flag.default(false).meta({ description: '1: the first start creates no demo workspace', example: '1' }),
  NODE_ENV: z.string().optional().meta({
    description:
      '`production` rejects settings that are only for trials: generated keys, codes in the log, an issuer over HTTP',
    example: 'production',
  }),
  MASTER_KEY: z.string().refine(isMasterKey, 'must be 32 bytes in base64').optional().meta({
    description:
      'Key that encrypts secrets in the database, 32 bytes in base64, the same for every process; default: generated once in DATA_DIR. Required in production with DATABASE_URL',
    example: 'the output of: openssl rand -base64 32',
  }),
  MASTER_KEY_PREVIOUS: z
    .string()
    .transform((value) => value.split(','))
    .refine((keys) => keys.every(isMasterKey), 'must be a comma-separated list of keys of 32 bytes in base64')
    .default([])
    .meta({
      description:
        'Other master keys that decrypt, comma-separated, while the master key is replaced; see [operations](operations.md#key-rotation)',
      example: 'the output of: openssl rand -base64 32',
    }),
  PUBLIC_URL: baseUrl
    .optional()
    .meta({ description: 'Public address of the service, for links and redirects', example: 'https://pay.acme.com' }),
  MCP_HOSTS: z
    .string()
    .regex(/^[^\s/@]*$/, 'must be a comma-separated list of host names without ports')
    .transform((value) => value.split(',').filter((host) => host !== ''))
    .default([])
    .meta({
      description: 'Additional host names that `/v1/mcp` accepts besides PUBLIC_URL, HOST and localhost',
      example: 'pay.internal,10.0.0.5',
    }),
  MCP_OAUTH: flag.optional().meta({
    description:
      '1: people connect agents by signing in; 0: agents need a key. Default: 1 if PUBLIC_URL begins with https://',
    example: '0',
  }),
  MCP_CLIENTS: z
    .string()
    .default('[]')
    .refine(isJson, 'must be a JSON list')
    .transform((value) => JSON.parse(value) as unknown)
    .pipe(configuredClients)
    .meta({
      description: 'Clients of agents that need not register, as a JSON list; see docs/agents.md',
      example: '[{"client_id":"erp","client_name":"ERP","redirect_uris":["https://erp.acme.com/callback"]}]',
    }),
  SMTP_URL: parsedUrl(['smtp', 'smtps']).optional().meta({
    description:
      'Mail server, instead of the one that is set up in the app; without any, mail is stored and `npx commissions mail` prints it',
    example: 'smtps://user:password@mail.acme.com',
  }),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]{3,320}$/, 'must be one line')
    .optional()
    .meta({ description: 'Sender of mail; required with SMTP_URL', example: 'Acme Pay <pay@acme.com>' }),
  OIDC_ISSUER: parsedUrl(['http', 'https']).optional().meta({
    description:
      'OpenID Connect provider for sign-in, besides those that are set up in the app; requires the next two settings and PUBLIC_URL',
    example: 'https://login.acme.com',
  }),
  OIDC_CLIENT_ID: z
    .string()
    .optional()
    .meta({ description: 'Client id at the OpenID Connect provider', example: 'commissions' }),
  OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .meta({ description: 'Client secret at the OpenID Connect provider', example: 'as the provider gave it' }),
  OIDC_TRUSTED_DOMAINS: z
    .string()
    .regex(/^[^\s/@]*$/, 'must be a comma-separated list of domains')
    .transform((value) =>
      value
        .toLowerCase()
        .split(',')
        .filter((domain) => domain !== ''),
    )
    .default([])
    .meta({
      description:
        'Domains of the directory at OIDC_ISSUER: only their addresses sign in with it, also where it does not state `email_verified`, as some tenants of Entra ID. Name only domains whose addresses the directory gives to their owners only',
      example: 'acme.com,acme.de',
    }),
  OIDC_ALLOW_HTTP: flag
    .default(false)
    .meta({ description: '1: allow an issuer without TLS, for tests; rejected in production', example: '1' }),
  TRUST_PROXY_HOPS: whole(0, 10).default(0).meta({
    description: 'Number of trusted proxies in front of the service: that many X-Forwarded-For entries are used',
    example: '1',
  }),
  FAILED_SIGN_INS_PER_MINUTE: whole(1, 1_000_000)
    .default(60)
    .describe(
      'Max number of wrong tokens per address and minute, as many wrong codes beside them, and a tenth of the max number of webhook deliveries without a valid signature; further attempts return 429',
    ),
  SIMULATION_SECONDS: whole(1, 60)
    .default(10)
    .describe('Max duration of a simulation, or of the explanation of a deal of a large rep, which is then rejected'),
  SIMULATION_MEMORY_MB: whole(64, 4096)
    .default(192)
    .describe('Max memory of a simulation or explanation in MiB, which is then rejected'),
  SIMULATION_THREADS: whole(1, 16)
    .default(2)
    .describe(
      'Max number of simulations and explanations that one process runs at the same time, at most one for each workspace',
    ),
  SLOW_CLIENT_SECONDS: whole(1, 600)
    .default(20)
    .describe('Time in which a client must receive 64 KiB of a response; otherwise it is disconnected'),
  PUBLIC_REQUESTS_PER_MINUTE: whole(1, 1_000_000)
    .default(120)
    .describe(
      'Max number of requests without a token, such as sign-in codes, and of sign-in pages, per address, minute and process',
    ),
  CHROMIUM_PATH: z.string().min(1).optional().meta({
    description:
      'Browser that prints PDFs; default: the bundled one (Linux on x64), else an installed chromium or chrome',
    example: '/usr/bin/chromium',
  }),
};

type PlatformConfig = z.infer<z.ZodObject<typeof shape>>;

/** The values of all settings. A slice with a group of settings adds it to this type. */
export interface Config extends PlatformConfig {}

/** Settings, read from the environment. The table of docs/configuration.md has their descriptions. */
export interface SettingsGroup {
  readonly shape: z.ZodRawShape;
  /** What is wrong with settings that are valid alone but not together: name, problem and example. */
  contradictions(config: Config): string[];
}

export const platformSettings: SettingsGroup = {
  shape,
  contradictions: (config) => [
    ...productionProblems(config),
    ...shardProblems(config),
    ...redisProblems(config),
    ...mailProblems(config),
    ...signOnProblems(config),
    ...agentProblems(config),
  ],
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isMasterKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

/** Written to standard error, one line for each problem. The process exits with 78 (bad configuration). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings and reports every problem at once. A secret may be in a file: NAME_FILE is its path, and
 * SETTINGS_DIR is a folder whose files have the names of settings, as container platforms mount secrets.
 */
export function readSettings(groups: readonly SettingsGroup[], environment: NodeJS.ProcessEnv): Config {
  const schema = toSchema(groups);
  const problems: string[] = [];
  const raw = readRaw(Object.keys(schema.shape), environment, problems);
  const read = readValue(schema, raw);
  if ('value' in read) {
    const config = read.value as unknown as Config;
    problems.push(...groups.flatMap((group) => group.contradictions(config)));
    if (problems.length === 0) return config;
  } else problems.push(...read.issues.map((issue) => formatProblem(issue, schema)));
  throw new ConfigError(`The configuration is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
}

/** The texts of the settings that are present. */
function readRaw(names: readonly string[], environment: NodeJS.ProcessEnv, problems: string[]): Record<string, string> {
  const raw: Record<string, string> = {};
  const folder = environment['SETTINGS_DIR'] ?? '';
  const mounted = folder === '' ? [] : listFolder(folder, problems);
  for (const name of names) {
    const file = environment[`${name}_FILE`] ?? (mounted.includes(name) ? path.join(folder, name) : undefined);
    const value = environment[name] ?? (file === undefined ? undefined : readSecret(name, file, problems));
    if (value !== undefined && value !== '') raw[name] = value;
  }
  return raw;
}

function toSchema(groups: readonly SettingsGroup[]): z.ZodObject {
  return z.object(Object.assign({}, ...groups.map((group) => group.shape)) as z.ZodRawShape);
}

function formatProblem({ path, message }: Issue, schema: z.ZodObject): string {
  const field = schema.shape[path];
  const example = field === undefined ? '' : describeSetting(path, field as z.ZodType).example;
  return `${path} | ${message} | for example ${example}`;
}

function productionProblems(config: Config): string[] {
  if (config.NODE_ENV !== 'production') return [];
  const found: string[] = [];
  if (config.DATABASE_URL !== undefined && config.MASTER_KEY === undefined)
    found.push('MASTER_KEY | is required in production | for example the output of: openssl rand -base64 32');
  if (config.OIDC_ALLOW_HTTP) found.push('OIDC_ALLOW_HTTP | is not allowed in production | remove it');
  return found;
}

function shardProblems({ DATABASE_SHARDS, DATABASE_URL }: Config): string[] {
  return DATABASE_SHARDS.length > 0 && DATABASE_URL === undefined
    ? [
        'DATABASE_URL | is required with DATABASE_SHARDS | for example postgres://commissions_app:secret@db:5432/commissions',
      ]
    : [];
}

function redisProblems({ REDIS_URL, REDIS_MODE }: Config): string[] {
  if (REDIS_MODE === 'single')
    return REDIS_URL?.includes(',') === true
      ? ['REDIS_MODE | is required with several servers in REDIS_URL | for example cluster']
      : [];
  return REDIS_URL === undefined
    ? [`REDIS_URL | is required with REDIS_MODE=${REDIS_MODE} | for example redis://redis-1:6379,redis://redis-2:6379`]
    : [];
}

function mailProblems({ SMTP_URL, MAIL_FROM }: Config): string[] {
  return SMTP_URL !== undefined && MAIL_FROM === undefined
    ? ['MAIL_FROM | is required with SMTP_URL | for example Acme Pay <pay@acme.com>']
    : [];
}

function signOnProblems(config: Config): string[] {
  if (config.OIDC_ISSUER === undefined) return [];
  const found: string[] = [];
  if (!config.OIDC_ISSUER.startsWith('https://') && !config.OIDC_ALLOW_HTTP)
    found.push('OIDC_ISSUER | must start with https:// | for example https://login.acme.com');
  for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'] as const)
    if (config[name] === undefined) found.push(`${name} | is required with OIDC_ISSUER | see docs/configuration.md`);
  return found;
}

/** Codes and tokens must not pass a network without TLS. */
function agentProblems({ MCP_OAUTH, PUBLIC_URL = '' }: Config): string[] {
  const isSafe = /^(https:|http:\/\/(localhost|127\.0\.0\.1)[:/]?)/.test(PUBLIC_URL);
  return MCP_OAUTH === true && !isSafe
    ? ['PUBLIC_URL | must begin with https:// with MCP_OAUTH | for example https://pay.acme.com']
    : [];
}

function readSecret(name: string, file: string, problems: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    problems.push(`${name}_FILE | ${describeUnreadable('file', file, error)} | `);
    return undefined;
  }
}

function listFolder(folder: string, problems: string[]): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    problems.push(`SETTINGS_DIR | ${describeUnreadable('folder', folder, error)} | `);
    return [];
  }
}

function describeUnreadable(what: string, place: string, error: unknown): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? `${what} ${place} does not exist` : `${place} cannot be read (${code})`;
}

/** A setting as the documentation lists it. */
interface DescribedSetting {
  readonly name: string;
  readonly description: string;
  /** The default where the setting has no other example. */
  readonly example: string;
  readonly fallback: string;
}

export function describeSettings(groups: readonly SettingsGroup[]): DescribedSetting[] {
  return Object.entries(toSchema(groups).shape).map(([name, schema]) => describeSetting(name, schema as z.ZodType));
}

function describeSetting(name: string, schema: z.ZodType): DescribedSetting {
  const { data = '' } = schema.safeParse(undefined);
  const fallback = String(data);
  const { description = '', example = fallback } = schema.meta() as { description?: string; example?: string };
  return { name, description, example, fallback };
}
