import { withDatabase } from '../../platform/database/pool.js';
import {
  cancelMove,
  copyWorkspace,
  countWorkspace,
  deleteWorkspace as deleteRows,
  finishMove,
  type MovedRows,
  MoveRefused,
} from '../workspace-move.js';
import { withOwner, withServer } from './database-access.js';
import { assertWorkspaceId, UsageError } from './usage-error.js';

interface MoveOptions {
  readonly finish?: boolean;
  readonly cancel?: boolean;
  readonly json?: boolean;
}

export async function moveWorkspace(
  workspaceId: string,
  { finish = false, cancel = false, json = false }: MoveOptions,
): Promise<void> {
  assertWorkspaceId(workspaceId);
  if (finish && cancel) throw new UsageError('--finish and --cancel exclude each other');
  const url = process.env['TARGET_DATABASE_OWNER_URL'];
  if (url === undefined) throw new UsageError('set TARGET_DATABASE_OWNER_URL to the owner of the other database');
  const rows = await withServer((server) =>
    withOwner(server, (from) =>
      withDatabase({ url, asOwner: true }, async (to) => {
        if (finish) return finishMove({ from, to }, workspaceId);
        if (!cancel) return copyWorkspace({ from, to }, workspaceId);
        await cancelMove({ from, to }, workspaceId);
        return null;
      }),
    ),
  ).catch((error: unknown) => {
    throw error instanceof MoveRefused ? new UsageError(error.message) : error;
  });
  process.stdout.write(json ? `${JSON.stringify({ workspaceId, rows })}\n` : describe(rows ?? {}));
  process.stderr.write(`${nextStep(finish, cancel)}\n`);
}

/** Deletes a workspace; without `yes`, only prints what would be deleted. */
export async function deleteWorkspace(
  workspaceId: string,
  { yes = false, json = false }: { readonly yes?: boolean; readonly json?: boolean },
): Promise<void> {
  assertWorkspaceId(workspaceId);
  const rows = await withServer((server) =>
    withOwner(server, (owner) => (yes ? deleteRows(owner, workspaceId) : countWorkspace(owner, workspaceId))),
  ).catch((error: unknown) => {
    throw error instanceof MoveRefused ? new UsageError(error.message) : error;
  });
  process.stdout.write(json ? `${JSON.stringify({ workspaceId, deleted: yes, rows })}\n` : describe(rows));
  process.stderr.write(yes ? 'The workspace was deleted.\n' : 'Nothing was deleted; add --yes to delete these rows.\n');
}

function describe(rows: MovedRows): string {
  const moved = Object.entries(rows).filter(([, count]) => count > 0);
  return moved.map(([table, count]) => `${table.padEnd(28)} ${count}\n`).join('');
}

function nextStep(finish: boolean, cancel: boolean): string {
  if (finish) return 'The workspace was deleted here.';
  if (cancel) return 'The workspace can be changed here again.';
  return (
    'Every row was copied and compared. Here the workspace is read-only now. ' +
    'Direct its requests to the other database, then run the command again with --finish.'
  );
}
