import { insertWorkspaceKey } from '../../access/workspaces/workspace-store.js';
import { copyToSandbox, resetSandbox } from '../sandboxes.js';
import { countWorkspace, type MovedRows, MoveRefused } from '../workspace-move.js';
import { withOwner, withServer, withUnitOfWork } from './database-access.js';
import { assertWorkspaceId, UsageError } from './usage-error.js';

/** Copies a workspace to a new sandbox, and prints a key of it. */
export async function copyWorkspaceToSandbox(
  workspaceId: string,
  { name, json = false }: { readonly name?: string; readonly json?: boolean },
): Promise<void> {
  assertWorkspaceId(workspaceId);
  if (name !== undefined && (name.trim() === '' || name.length > 200))
    throw new UsageError('the name must have 1 to 200 characters');
  const copied = await reportRefusals(
    withServer((server) => withOwner(server, (owner) => copyToSandbox(owner, workspaceId, name?.trim()))),
  );
  const apiKey = await withUnitOfWork((unitOfWork) =>
    unitOfWork.write({ workspaceId: copied.workspaceId }, (tx) => insertWorkspaceKey(tx, null)),
  );
  if (json) process.stdout.write(`${JSON.stringify({ ...copied, apiKey })}\n`);
  else process.stdout.write(`sandbox ${copied.workspaceId}\nAPI key ${apiKey}\n`);
}

/** Empties a sandbox; without `yes`, only prints how many rows it has. */
export async function resetWorkspace(
  workspaceId: string,
  { yes = false, json = false }: { readonly yes?: boolean; readonly json?: boolean },
): Promise<void> {
  assertWorkspaceId(workspaceId);
  const rows: MovedRows = await reportRefusals(
    withServer((server) =>
      withOwner(server, (owner) => (yes ? resetSandbox(owner, workspaceId) : countWorkspace(owner, workspaceId))),
    ),
  );
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  if (json) process.stdout.write(`${JSON.stringify({ workspaceId, reset: yes, rows })}\n`);
  else process.stdout.write(`${total} rows\n`);
  process.stderr.write(yes ? 'The sandbox was emptied.\n' : 'Nothing was deleted; add --yes to empty the sandbox.\n');
}

function reportRefusals<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof MoveRefused ? new UsageError(error.message) : error;
  });
}
