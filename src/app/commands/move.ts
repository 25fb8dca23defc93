import { withDatabase } from '../../platform/database/pool.js';
import { readConfig } from '../config.js';
import { ShardMove, withShardOwners } from '../shards/shard-move.js';
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
  /** The database of DATABASE_SHARDS; by default that of TARGET_DATABASE_OWNER_URL, which another group serves. */
  readonly to?: string;
  readonly json?: boolean;
}

export async function moveWorkspace(
  workspaceId: string,
  { finish = false, cancel = false, to, json = false }: MoveOptions,
): Promise<void> {
  assertWorkspaceId(workspaceId);
  if (finish && cancel) throw new UsageError('--finish and --cancel exclude each other');
  const step = finish ? 'finish' : cancel ? 'cancel' : 'copy';
  const moving = to === undefined ? moveToOtherGroup(workspaceId, step) : moveToShard(workspaceId, to, step);
  const rows = await moving.catch((error: unknown) => {
    throw error instanceof MoveRefused ? new UsageError(error.message) : error;
  });
  process.stdout.write(json ? `${JSON.stringify({ workspaceId, rows })}\n` : describe(rows ?? {}));
  process.stderr.write(`${to === undefined ? nextStep[step] : nextStepOfShards[step]}\n`);
}

type Step = 'copy' | 'finish' | 'cancel';

async function moveToShard(workspaceId: string, to: string, step: Step): Promise<MovedRows | null> {
  const config = readConfig(process.env);
  return withShardOwners(config, (owners) => {
    const move = new ShardMove(owners, workspaceId, to);
    if (step === 'finish') return move.finish();
    return step === 'cancel' ? move.cancel() : move.run();
  });
}

async function moveToOtherGroup(workspaceId: string, step: Step): Promise<MovedRows | null> {
  const url = process.env['TARGET_DATABASE_OWNER_URL'];
  if (url === undefined) throw new UsageError('set TARGET_DATABASE_OWNER_URL to the owner of the other database');
  return withServer((server) =>
    withOwner(server, (from) =>
      withDatabase({ url, asOwner: true }, async (to) => {
        if (step === 'finish') return finishMove({ from, to }, workspaceId);
        if (step === 'copy') return copyWorkspace({ from, to }, workspaceId);
        await cancelMove({ from, to }, workspaceId);
        return null;
      }),
    ),
  );
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

const nextStep: Readonly<Record<Step, string>> = {
  copy:
    'Every row was copied and compared. Here the workspace is read-only now. ' +
    'Direct its requests to the other database, then run the command again with --finish.',
  finish: 'The workspace was deleted here.',
  cancel: 'The workspace can be changed here again.',
};

const nextStepOfShards: Readonly<Record<Step, string>> = {
  copy:
    'Every row was copied and compared, and the workspace is used in the other database now. ' +
    'Run the command again with --finish to delete it where it was.',
  finish: 'The workspace was deleted where it was.',
  cancel: nextStep.cancel,
};
