import { addDays, isDay } from '../../kernel/day.js';
import { type Database } from '../../platform/database/pool.js';
import { type DatabaseServer } from '../../platform/database/server.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type ChainReport, type DeletedEntries, deleteAuditEntries, verifyChain } from '../audit-chain.js';
import { assertWorkspace, withOwner, withServer } from './database-access.js';
import { assertWorkspaceId, UsageError } from './usage-error.js';
import { readWorkspaces } from './workspace.js';

export async function verifyAudit(
  workspaceId: string | undefined,
  { expect, json = false }: { readonly expect?: string; readonly json?: boolean },
): Promise<void> {
  if (workspaceId !== undefined) assertWorkspaceId(workspaceId);
  if (expect !== undefined && workspaceId === undefined) throw new UsageError('--expect needs a workspace id');
  await withServer(async (server) => {
    const chosen = await resolveWorkspaces(server, workspaceId);
    const reports = await withOwner(server, (database) => verifyChains(database, chosen, expect ?? null));
    process.stdout.write(json ? `${JSON.stringify(reports)}\n` : reports.map(chainLine).join(''));
    process.exitCode = reports.some(({ problem }) => problem !== null) ? 1 : 0;
  });
}

const minAuditDays = 365;

export async function deleteAudit(
  workspaceId: string | undefined,
  { before, yes = false, json = false }: { readonly before: string; readonly yes?: boolean; readonly json?: boolean },
): Promise<void> {
  if (workspaceId !== undefined) assertWorkspaceId(workspaceId);
  const latest = addDays(new Date().toISOString().slice(0, 10), -minAuditDays);
  if (!isDay(before) || before > latest) throw new UsageError(`--before must be a day YYYY-MM-DD up to ${latest}`);
  await withServer(async (server) => {
    const chosen = await resolveWorkspaces(server, workspaceId);
    const results = await withOwner(server, (database) => deleteVerified(database, chosen, before, !yes));
    const line = ({ workspaceId: id, deleted, through }: DeletedEntries) =>
      `${id}  ${deleted} entries${through === null ? '' : ` through ${through}`}\n`;
    process.stdout.write(json ? `${JSON.stringify(results)}\n` : results.map(line).join(''));
    if (!yes) process.stderr.write('Nothing was deleted. Add --yes to delete; export the entries first.\n');
  });
}

async function resolveWorkspaces(server: DatabaseServer, workspaceId: string | undefined): Promise<string[]> {
  if (workspaceId === undefined) return (await readWorkspaces(server)).map((workspace) => workspace.workspaceId);
  const id = workspaceId.toLowerCase();
  await withOwner(server, (database) => assertWorkspace(new UnitOfWork(database), id));
  return [id];
}

/** A chain that is not correct stays as it is, because its entries may be evidence. */
async function deleteVerified(
  database: Database,
  workspaceIds: readonly string[],
  before: string,
  isDryRun: boolean,
): Promise<DeletedEntries[]> {
  const results: DeletedEntries[] = [];
  for (const { workspaceId, problem } of await verifyChains(database, workspaceIds, null)) {
    if (problem !== null) throw new Error(`Nothing of workspace ${workspaceId} was deleted: ${problem}.`);
    results.push(await deleteAuditEntries(database, workspaceId, before, isDryRun));
  }
  return results;
}

async function verifyChains(database: Database, workspaceIds: readonly string[], expected: string | null) {
  const reports: ChainReport[] = [];
  for (const workspaceId of workspaceIds) reports.push(await verifyChain(database, workspaceId, expected));
  return reports;
}

function chainLine({ workspaceId, entries, head, unsealed, problem }: ChainReport): string {
  const waiting = unsealed === 0 ? '' : `, ${unsealed} not sealed yet`;
  const result = problem === null ? `head ${head ?? 'none'}` : `WRONG: ${problem}`;
  return `${workspaceId}  ${entries} entries${waiting}  ${result}\n`;
}
