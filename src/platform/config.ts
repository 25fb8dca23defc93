import { readFileSync } from 'node:fs';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65535);
const flag = z.enum(['0', '1', 'true', 'false', '']).transform((value) => value === '1' || value === 'true');
const url = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (value) => protocols.some((protocol) => value.startsWith(`${protocol}://`)),
      `must start with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    );

const text = z.string().min(1).optional();
/** Where somebody else's API is: HTTPS, or this machine where that is allowed. */
const base = (fallback: string) =>
  url(['http', 'https'])
    .refine((value) => URL.canParse(value), 'must be an address')
    .transform((value) => value.replace(/\/+$/, ''))
    .default(fallback);

/** Every setting of the service, read from the environment. The README's table is made from the descriptions here. */
const settings = z.object({
  PORT: port.default(3000).meta({ description: 'Port of the API; 0 takes a free one', example: '3000' }),
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .meta({ description: 'Address that the API listens on', example: '0.0.0.0' }),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .meta({ description: 'Where the embedded PostgreSQL keeps its data', example: '/var/lib/commissions' }),
  DATABASE_URL: url(['postgres', 'postgresql']).optional().meta({
    description: 'Your PostgreSQL (15 or newer) instead of the embedded one',
    example: 'postgres://app:secret@db:5432/commissions',
  }),
  DATABASE_OWNER_URL: url(['postgres', 'postgresql']).optional().meta({
    description: 'Role that migrates and owns the tables; default DATABASE_URL',
    example: 'postgres://owner:secret@db:5432/commissions',
  }),
  MIGRATE_AT_START: flag.default(true).meta({
    description: '0 leaves migrations to `npx commissions migrate`; then a process refuses a database that lacks one',
    example: '0',
  }),
  DATABASE_READ_URL: url(['postgres', 'postgresql']).optional().meta({
    description:
      'Replica that answers lists and dashboards, which may then be seconds behind; never what decides money',
    example: 'postgres://app:secret@replica:5432/commissions',
  }),
  QUEUE_DATABASE_URL: url(['postgres', 'postgresql']).optional().meta({
    description: 'Straight way to the database for the queue, when DATABASE_URL leads through a pooler: it listens',
    example: 'postgres://app:secret@db:5432/commissions',
  }),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(12)
    .meta({ description: 'Most connections of one process to PostgreSQL', example: '12' }),
  REDIS_URL: url(['redis', 'rediss'])
    .optional()
    .meta({ description: 'Queue and rate limit on Redis instead of PostgreSQL', example: 'redis://redis:6379' }),
  WORKER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .meta({ description: 'Jobs that one process works at a time', example: '2' }),
  RATE_LIMIT_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(600)
    .meta({ description: 'Requests that one token may make a minute', example: '600' }),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .meta({ description: 'Least level that is logged', example: 'info' }),
  DRAIN_MS: z.coerce.number().int().min(0).max(60_000).default(0).meta({
    description: 'How long a stopping process still answers before it closes, for load balancers',
    example: '5000',
  }),
  METRICS_TOKEN: z.string().min(16).optional().meta({
    description: 'Opens `/metrics` on the port of the API to whoever shows it as a bearer token',
    example: 'the output of: openssl rand -hex 16',
  }),
  METRICS_PORT: port.optional().meta({
    description: 'Serves `/metrics` and the health checks on a port of its own, without a token; also in a worker',
    example: '9464',
  }),
  QUEUE_BOARD_TOKEN: z.string().min(24).optional().meta({
    description: "The operator's key to the queue board at `/admin/queues`; without it there is no board",
    example: 'the output of: openssl rand -hex 16',
  }),
  BULL_BOARD_WRITE: flag
    .default(false)
    .meta({ description: '1 lets the queue board retry, remove and pause; else it only shows', example: '1' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https']).optional().meta({
    description: 'Where traces go as OTLP over HTTP; without it nothing is traced',
    example: 'http://otel-collector:4318',
  }),
  NO_DEMO: flag
    .default(false)
    .meta({ description: '1 leaves the demo workspace out of the first start', example: '1' }),
  NODE_ENV: z.string().optional().meta({
    description: '`production` refuses what only suits a trial: generated keys, codes in the log, HTTP to an issuer',
    example: 'production',
  }),
  MASTER_KEY: z.string().refine(isMasterKey, 'must be 32 bytes in base64').optional().meta({
    description:
      'Key that seals secrets in the database, 32 bytes in base64, the same for every process; else made once in DATA_DIR. Production with DATABASE_URL needs it',
    example: 'the output of: openssl rand -base64 32',
  }),
  PUBLIC_URL: url(['http', 'https'])
    .refine((value) => URL.canParse(value), 'must be an address')
    .optional()
    .meta({ description: 'Where people reach the service, for links and redirects', example: 'https://pay.acme.com' }),
  MCP_HOSTS: z
    .string()
    .regex(/^[^\s/@]*$/, 'must be host names without port, with commas between them')
    .transform((value) => value.split(',').filter((host) => host !== ''))
    .default([])
    .meta({
      description: 'Host names under which agents reach `/v1/mcp`, beside those of PUBLIC_URL, HOST and this machine',
      example: 'pay.internal,10.0.0.5',
    }),
  SMTP_URL: url(['smtp', 'smtps'])
    .refine((value) => URL.canParse(value), 'must be an address')
    .optional()
    .meta({
      description: 'Server that sends mail; without it mail is kept and shown by `npx commissions mail`',
      example: 'smtps://user:password@mail.acme.com',
    }),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]{3,320}$/, 'must be one line')
    .optional()
    .meta({ description: 'Sender of mail; needed with SMTP_URL', example: 'Acme Pay <pay@acme.com>' }),
  OIDC_ISSUER: url(['http', 'https'])
    .refine((value) => URL.canParse(value), 'must be an address')
    .optional()
    .meta({
      description: 'OpenID Connect provider that people may sign in with; needs the next two and PUBLIC_URL',
      example: 'https://login.acme.com',
    }),
  OIDC_CLIENT_ID: z.string().optional().meta({ description: 'Client id at the provider', example: 'commissions' }),
  OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .meta({ description: 'Client secret at the provider', example: 'as the provider gave it' }),
  OIDC_ALLOW_HTTP: flag
    .default(false)
    .meta({ description: '1 allows an issuer without TLS, for tests; never in production', example: '1' }),
  TRUST_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0).meta({
    description: 'How many proxies before the service are ours: that many X-Forwarded-For entries are believed',
    example: '1',
  }),
  FAILED_SIGN_INS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(60).meta({
    description: 'Wrong tokens and codes from one address in a minute, before it gets 429',
    example: '60',
  }),
  CRMA_CLIENT_ID: text.meta({ description: 'OAuth client at crm-a; without it tokens are pasted', example: 'c0ffee' }),
  CRMA_CLIENT_SECRET: text.meta({ description: 'Its secret', example: 'as crm-a gave it' }),
  CRMA_API_BASE: base('https://api.attio.com').meta({
    description: 'Where the API of crm-a is',
    example: 'https://api.attio.com',
  }),
  CRMA_AUTH_BASE: base('https://app.attio.com').meta({
    description: 'Where people consent for crm-a',
    example: 'https://app.attio.com',
  }),
  CRMB_CLIENT_ID: text.meta({ description: 'OAuth client at crm-b; without it tokens are pasted', example: 'c0ffee' }),
  CRMB_CLIENT_SECRET: text.meta({
    description: 'Its secret; the webhooks of crm-b are signed with it, so they need it',
    example: 'as crm-b gave it',
  }),
  CRMB_API_BASE: base('https://api.hubapi.com').meta({
    description: 'Where the API of crm-b is',
    example: 'https://api.hubapi.com',
  }),
  CRMB_AUTH_BASE: base('https://app.hubspot.com').meta({
    description: 'Where people consent for crm-b',
    example: 'https://app.hubspot.com',
  }),
  CRMB_API_VERSION: z
    .string()
    .regex(/^[\w-]{1,20}$/)
    .default('2026-09')
    .meta({ description: 'Version of the API of crm-b', example: '2026-09' }),
  CRMB_OAUTH_VERSION: z
    .string()
    .regex(/^[\w-]{1,20}$/)
    .default('2026-03')
    .meta({ description: 'Version of the OAuth addresses of crm-b', example: '2026-03' }),
  CRMB_ALLOW_SIGNATURE_V1: flag
    .default(false)
    .meta({ description: '1 takes webhooks of crm-b with the old signature, which does not end', example: '1' }),
  CRMC_CLIENT_ID: text.meta({ description: 'OAuth client at crm-c; without it tokens are pasted', example: 'c0ffee' }),
  CRMC_CLIENT_SECRET: text.meta({ description: 'Its secret', example: 'as crm-c gave it' }),
  CRMC_LOGIN_BASE: base('https://login.salesforce.com').meta({
    description: 'Where people consent for crm-c: production, sandbox or an own domain',
    example: 'https://test.salesforce.com',
  }),
  CRMC_API_VERSION: z
    .string()
    .regex(/^v\d{2,3}\.0$/)
    .default('v67.0')
    .meta({ description: 'Version of the API of crm-c', example: 'v67.0' }),
  CRM_ALLOW_LOOPBACK: flag.default(false).meta({
    description: '1 lets CRMs and billing be on this machine, for tests and the demo; never in production',
    example: '1',
  }),
  CRM_POLL_SECONDS: z.coerce.number().int().min(1).max(86_400).default(300).meta({
    description: 'How often crm-c is asked for what has changed',
    example: '300',
  }),
  WEBHOOKS_PER_SECOND: z.coerce.number().int().min(1).max(100_000).default(50).meta({
    description: 'Deliveries a second that one account may send for long, four times as many at once',
    example: '50',
  }),
  BILLING_WEBHOOK_SECRET: text.meta({
    description: 'What the billing provider signs its events with; without it they are refused. Needs BILLING_API_KEY',
    example: 'whsec_as-the-provider-gave-it',
  }),
  BILLING_API_KEY: text.meta({
    description: 'Key that reads subscriptions, customers and events at the billing provider',
    example: 'rk_live_as-the-provider-gave-it',
  }),
  BILLING_API_BASE: base('https://api.stripe.com').meta({
    description: 'Where the API of the billing provider is',
    example: 'https://api.stripe.com',
  }),
  BILLING_PRICE_TIERS: z
    .string()
    .regex(/^[\w-]+:(free|pro|enterprise)(,[\w-]+:(free|pro|enterprise))*$/, 'must be price:tier pairs with commas')
    .optional()
    .meta({
      description: 'Tiers of prices that carry neither metadata nor a lookup key which tells their tier',
      example: 'price_1Pro:pro,price_1Big:enterprise',
    }),
  BILLING_GRACE_DAYS: z.coerce.number().int().min(0).max(90).default(7).meta({
    description: 'How long a workspace keeps its tier while a payment is missing',
    example: '7',
  }),
  CHROMIUM_PATH: z.string().min(1).optional().meta({
    description:
      'Browser that makes PDFs; default the one that comes along (Linux on x64), else an installed chromium or chrome',
    example: '/usr/bin/chromium',
  }),
});

export type Config = z.infer<typeof settings>;

function isMasterKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

/** Told on standard error, one line a problem; the process ends with 78 (bad configuration). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings, all problems at once. A secret may stand in a file: NAME_FILE names it, as container
 * platforms mount them.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const raw: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of Object.keys(settings.shape)) {
    const file = environment[`${name}_FILE`];
    const value = environment[name] ?? (file === undefined ? undefined : readSecret(name, file, problems));
    if (value !== undefined && value !== '') raw[name] = value;
  }
  const parsed = settings.safeParse(raw);
  if (parsed.success) problems.push(...contradictions(parsed.data));
  if (parsed.success && problems.length === 0) return parsed.data;
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    const example = settingsTable().find((setting) => setting.name === name)?.example ?? '';
    problems.push(`${name} | ${issue.message} | for example ${example}`);
  }
  throw new ConfigError(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
}

const foreignAddresses = [
  'CRMA_API_BASE',
  'CRMA_AUTH_BASE',
  'CRMB_API_BASE',
  'CRMB_AUTH_BASE',
  'CRMC_LOGIN_BASE',
  'BILLING_API_BASE',
] as const;

/** What is right by itself but not together. */
function contradictions(config: Config): string[] {
  const found: string[] = [];
  const production = config.NODE_ENV === 'production';
  if (production && config.DATABASE_URL !== undefined && config.MASTER_KEY === undefined)
    found.push('MASTER_KEY | is needed in production | for example the output of: openssl rand -base64 32');
  if (config.SMTP_URL !== undefined && config.MAIL_FROM === undefined)
    found.push('MAIL_FROM | is needed with SMTP_URL | for example Acme Pay <pay@acme.com>');
  if (production && config.OIDC_ALLOW_HTTP)
    found.push('OIDC_ALLOW_HTTP | is not possible in production | leave it out');
  if (production && config.CRM_ALLOW_LOOPBACK)
    found.push('CRM_ALLOW_LOOPBACK | is not possible in production | leave it out');
  for (const name of foreignAddresses)
    if (!config[name].startsWith('https://') && !config.CRM_ALLOW_LOOPBACK)
      found.push(`${name} | must start with https:// | leave it out`);
  for (const crm of ['CRMA', 'CRMB', 'CRMC'] as const)
    if (config[`${crm}_CLIENT_ID`] !== undefined && config[`${crm}_CLIENT_SECRET`] === undefined)
      found.push(`${crm}_CLIENT_SECRET | is needed with ${crm}_CLIENT_ID | see the README`);
  if ((config.BILLING_API_KEY === undefined) !== (config.BILLING_WEBHOOK_SECRET === undefined))
    found.push('BILLING_API_KEY | goes with BILLING_WEBHOOK_SECRET | set both or neither');
  if (config.OIDC_ISSUER === undefined) return found;
  if (!config.OIDC_ISSUER.startsWith('https://') && !config.OIDC_ALLOW_HTTP)
    found.push('OIDC_ISSUER | must start with https:// | for example https://login.acme.com');
  for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'] as const)
    if (config[name] === undefined) found.push(`${name} | is needed with OIDC_ISSUER | see the README`);
  return found;
}

function readSecret(name: string, file: string, problems: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    problems.push(
      `${name}_FILE | ${code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read (${code})`} | `,
    );
    return undefined;
  }
}

/** Name, default, meaning and example of every setting, for the README and the doctor. */
export function settingsTable(): { name: string; description: string; example: string; fallback: string }[] {
  return Object.entries(settings.shape).map(([name, schema]) => {
    const { description = '', example = '' } = (schema as z.ZodType).meta() as {
      description?: string;
      example?: string;
    };
    const fallback = schema.safeParse(undefined);
    return {
      name,
      description,
      example,
      fallback: fallback.success && fallback.data !== undefined ? String(fallback.data) : '',
    };
  });
}
