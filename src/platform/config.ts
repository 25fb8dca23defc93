import { existsSync, readFileSync } from 'node:fs';
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
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(12)
    .meta({ description: 'Most connections of one process to PostgreSQL', example: '12' }),
  REDIS_URL: url(['redis', 'rediss'])
    .optional()
    .meta({ description: 'Queue on Redis instead of PostgreSQL', example: 'redis://redis:6379' }),
  WORKER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .meta({ description: 'Jobs that one process works at a time', example: '2' }),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .meta({ description: 'Least level that is logged', example: 'info' }),
  DRAIN_MS: z.coerce.number().int().min(0).max(60_000).default(0).meta({
    description: 'How long a stopping process still answers before it closes, for load balancers',
    example: '5000',
  }),
  NO_DEMO: flag
    .default(false)
    .meta({ description: '1 leaves the demo workspace out of the first start', example: '1' }),
});

export type Config = z.infer<typeof settings>;

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
  if (parsed.success && problems.length === 0) return parsed.data;
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    const example = settingsTable().find((setting) => setting.name === name)?.example ?? '';
    problems.push(`${name} | ${issue.message} | for example ${example}`);
  }
  throw new ConfigError(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
}

function readSecret(name: string, file: string, problems: string[]): string | undefined {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  problems.push(`${name}_FILE | there is no file ${file} | `);
  return undefined;
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
