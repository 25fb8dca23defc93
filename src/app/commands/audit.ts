import { addDays, isDay } from '../../kernel/day.js';
import { type Database } from '../../platform/database/pool.js';
import { type ChainReport, type DeletedEntries, deleteAuditEntries, verifyChain } from '../audit-chain.js';
import { collectFromEach, databaseColumn, noWorkspace, type OfDatabase, withOwner } from './database-access.js';
import { assertWorkspaceId, UsageError } from './usage-error.js';
import { readWorkspaces } from './workspace.js';

export async function verifyAudit(
  workspaceId: string | undefined,
  { expect, json = false }: { readonly expect?: string; readonly json?: boolean },
): Promise<void> {
  if (workspaceId !== undefined) assertWorkspaceId(workspaceId);
  if (expect !== undefined && workspaceId === undefined) throw new UsageError('--expect needs a workspace id');
  const reports = await inEachDatabase(workspaceId, (database, chosen) =>
    verifyChains(database, chosen, expect ?? null),
  );
  process.stdout.write(json ? `${JSON.stringify(reports)}\n` : reports.map(chainLine).join(''));
  process.exitCode = reports.some(({ problem }) => problem !== null) ? 1 : 0;
}

const minAuditDays = 365;

export async function deleteAudit(
  workspaceId: string | undefined,
  { before, yes = false, json = false }: { readonly before: string; readonly yes?: boolean; readonly json?: boolean },
): Promise<void> {
  if (workspaceId !== undefined) assertWorkspaceId(workspaceId);
  const latest = addDays(new Date().toISOString().slice(0, 10), -minAuditDays);
  if (!isDay(before) || before > latest) throw new UsageError(`--before must be a day YYYY-MM-DD up to ${latest}`);
  const results = await inEachDatabase(workspaceId, (database, chosen) =>
    deleteVerified(database, chosen, before, !yes),
  );
  process.stdout.write(json ? `${JSON.stringify(results)}\n` : results.map(deletedLine).join(''));
  if (!yes) process.stderr.write('Nothing was deleted. Add --yes to delete; export the entries first.\n');
}

/** Works on the workspaces of each database, or on the one with the id where it is. */
async function inEachDatabase<Row extends object>(
  workspaceId: string | undefined,
  work: (database: Database, workspaceIds: readonly string[]) => Promise<Row[]>,
): Promise<OfDatabase<Row>[]> {
  const wanted = workspaceId?.toLowerCase();
  const rows = await collectFromEach(async (server) => {
    const ids = (await readWorkspaces(server)).map((workspace) => workspace.workspaceId);
    const chosen = wanted === undefined ? ids : ids.filter((id) => id === wanted);
    return withOwner(server, (database) => work(database, chosen));
  });
  if (wanted !== undefined && rows.length === 0) throw noWorkspace(wanted);
  return rows;
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

function deletedLine(result: OfDatabase<DeletedEntries>): string {
  const { workspaceId, deleted, through } = result;
  return `${databaseColumn(result)}${workspaceId}  ${deleted} entries${through === null ? '' : ` through ${through}`}\n`;
}

function chainLine(report: OfDatabase<ChainReport>): string {
  const { workspaceId, entries, head, unsealed, problem } = report;
  const waiting = unsealed === 0 ? '' : `, ${unsealed} not sealed yet`;
  const result = problem === null ? `head ${head ?? 'none'}` : `WRONG: ${problem}`;
  return `${databaseColumn(report)}${workspaceId}  ${entries} entries${waiting}  ${result}\n`;
}
