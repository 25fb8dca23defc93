import { sql } from 'kysely';
import { createWorkspace as create } from '../../access/workspaces/create-workspace.js';
import { rotateWorkspaceKey } from '../../access/workspaces/workspace-store.js';
import { type Tier } from '../../access/workspaces/workspace-tables.js';
import { isCurrency } from '../../kernel/currency.js';
import { InvalidRequest } from '../../kernel/failure.js';
import { isTimeZone } from '../../kernel/time-zone.js';
import { email } from '../../people/reps/rep.js';
import { type DatabaseServer } from '../../platform/database/server.js';
import { setOperator } from '../installation-operator.js';
import {
  assertWorkspace,
  collectFromEach,
  databaseColumn,
  noWorkspace,
  withOwner,
  withServer,
  withUnitOfWork,
} from './database-access.js';
import { assertWorkspaceId, readWholeNumber, UsageError } from './usage-error.js';

interface WorkspaceOptions {
  readonly tier: Tier;
  readonly currency: string;
  readonly timezone: string;
  readonly adminEmail?: string;
  readonly sandbox?: boolean;
  readonly json?: boolean;
}

export async function createWorkspace(name: string, options: WorkspaceOptions): Promise<void> {
  assertWorkspaceOptions(name, options);
  const adminEmail = options.adminEmail === undefined ? undefined : parseEmail(options.adminEmail);
  const created = await withUnitOfWork((unitOfWork) =>
    create(unitOfWork, { name: name.trim(), ...options, adminEmail }),
  ).catch(rethrowInvalid);
  if (options.json === true) process.stdout.write(`${JSON.stringify(created)}\n`);
  else process.stdout.write(`workspace ${created.workspaceId}\nAPI key   ${created.apiKey}\n`);
}

function assertWorkspaceOptions(name: string, { currency, timezone }: WorkspaceOptions): void {
  if (name.trim().length === 0 || name.length > 200) throw new UsageError('the name must have 1 to 200 characters');
  if (!isCurrency(currency)) throw new UsageError(`${currency} is not an ISO 4217 currency`);
  if (!isTimeZone(timezone)) throw new UsageError(`${timezone} is not an IANA time zone`);
}

/** What only the database can reject, such as a time zone that it does not know. */
function rethrowInvalid(error: unknown): never {
  throw error instanceof InvalidRequest
    ? new UsageError(error.issues.map(({ path, message }) => `${path} ${message}`).join('; '))
    : error;
}

function parseEmail(text: string): string {
  const parsed = email.safeParse(text);
  if (!parsed.success) throw new UsageError(`${text} is not an e-mail address`);
  return parsed.data;
}

export async function listWorkspaces({ json = false }: { readonly json?: boolean }): Promise<void> {
  const rows = await collectFromEach(readWorkspaces);
  const lines = rows.map(
    (row) =>
      `${databaseColumn(row)}${row.workspaceId}  ${row.name}  ${row.tier}  ${row.currency}${row.isSandbox ? '  sandbox' : ''}\n`,
  );
  process.stdout.write(json ? `${JSON.stringify(rows)}\n` : lines.join(''));
}

export async function readWorkspaces(server: DatabaseServer) {
  return withOwner(server, async (database) => {
    const { rows } = await sql<{
      workspaceId: string;
      name: string;
      tier: string;
      currency: string;
      isSandbox: boolean;
    }>`
      select workspace_id as "workspaceId", name, tier, currency, is_sandbox as "isSandbox" from workspaces order by created_at`.execute(
      database,
    );
    return rows;
  });
}

/** `none` takes the right from the workspace that has it. */
export async function nameOperator(workspaceId: string): Promise<void> {
  if (workspaceId !== 'none') assertWorkspaceId(workspaceId);
  await withServer(async (server) => {
    const isKnown = (await readWorkspaces(server)).some((workspace) => workspace.workspaceId === workspaceId);
    if (workspaceId !== 'none' && !isKnown) throw noWorkspace(workspaceId);
    await withOwner(server, (owner) => setOperator(owner, workspaceId === 'none' ? null : workspaceId));
  });
}

export async function rotateApiKey(
  workspaceId: string,
  { graceMinutes, json = false }: { readonly graceMinutes: string; readonly json?: boolean },
): Promise<void> {
  assertWorkspaceId(workspaceId);
  const minutes = readWholeNumber('--grace-minutes', graceMinutes, 0, 1440);
  const caller = { workspaceId, actor: 'command-line', personId: null };
  const { apiKey } = await withUnitOfWork(async (unitOfWork) => {
    await assertWorkspace(unitOfWork, workspaceId);
    return unitOfWork.write({ workspaceId }, (tx) => rotateWorkspaceKey(tx, caller, minutes, new Date()));
  });
  process.stdout.write(json ? `${JSON.stringify({ workspaceId, apiKey })}\n` : `API key ${apiKey}\n`);
}
