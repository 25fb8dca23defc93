import { sql } from 'kysely';
import { migrations } from '#migrations/index.js';
import { listPendingMigrations } from '../../platform/database/migrate.js';
import { type Database } from '../../platform/database/pool.js';
import { serviceVersion } from '../../platform/version.js';
import { diagnose } from '../doctor.js';
import { withOwner, withServer } from './database-access.js';

const signs = { ok: '✓', warning: '!', failed: '✗' };

export async function checkInstallation({ json = false }: { readonly json?: boolean }): Promise<void> {
  const findings = await diagnose(process.env, migrations);
  const lines = findings.map(({ state, check, message }) => `${signs[state]} ${check}: ${message}\n`);
  process.stdout.write(json ? `${JSON.stringify(findings)}\n` : lines.join(''));
  process.exitCode = findings.some(({ state }) => state === 'failed') ? 1 : 0;
}

export async function showStatus({ json = false }: { readonly json?: boolean }): Promise<void> {
  const status = await withServer((server) => withOwner(server, readStatus));
  const lines = Object.entries(status).map(([name, value]) => `${name.padEnd(22)} ${value}\n`);
  process.stdout.write(json ? `${JSON.stringify(status)}\n` : lines.join(''));
}

async function readStatus(database: Database) {
  const pending = await listPendingMigrations(database, migrations, 'owner');
  if (pending.length > 0) return { pendingMigrations: pending.length };
  const { rows } = await sql<{ workspaces: string; jobs: string; requests: string; age: number; parked: string }>`
    select (select count(*) from workspaces) as workspaces, (select count(*) from jobs where status = 'running') as jobs,
      b.requests, b.oldest_seconds as age, b.parked from calculation_backlog() b`.execute(database);
  const [row] = rows;
  return {
    version: serviceVersion,
    pendingMigrations: 0,
    workspaces: Number(row?.workspaces),
    runningJobs: Number(row?.jobs),
    calculationRequests: Number(row?.requests),
    oldestRequestSeconds: Math.round(row?.age ?? 0),
    parkedReps: Number(row?.parked),
  };
}
