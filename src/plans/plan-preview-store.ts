import { sql, type UpdateObject } from 'kysely';
import { newId } from '../kernel/ids.js';
import { violates } from '../platform/database/database-errors.js';
import { type Tables } from '../platform/database/tables.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { planNotFound } from './plan.js';
import { type MovedDeal, type PreviewFigures, type PreviewRequest } from './preview-result.js';

/** A preview that a worker calculates while it holds the lease. */
export interface ClaimedPreview {
  readonly workspaceId: string;
  readonly previewId: string;
  readonly attempts: number;
  readonly request: PreviewRequest;
}

/** Max number of previews of a workspace that have not finished. */
const maxUnfinished = 5;

/** Null if too many previews of the workspace have not finished. */
export async function insertPreview(tx: Transaction, planId: string, request: PreviewRequest): Promise<string | null> {
  // The lock serializes requests of a workspace, so that concurrent requests count each other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`previews:${tx.workspaceId}`}, 0))`.execute(tx.db);
  const { unfinished } = await tx.db
    .selectFrom('plan_previews')
    .select(({ fn }) => fn.countAll<string>().as('unfinished'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(unfinished) >= maxUnfinished) return null;
  const previewId = newId();
  await tx.db
    .insertInto('plan_previews')
    .values({ workspace_id: tx.workspaceId, preview_id: previewId, plan_id: planId, request: JSON.stringify(request) })
    .execute()
    .catch((error: unknown) => {
      throw violates(error, 'plan_previews_workspace_id_plan_id_fkey') ? planNotFound() : error;
    });
  return previewId;
}

/** Starts an attempt. Null if the preview is finished. */
export async function claimPreview(tx: Transaction, previewId: string): Promise<ClaimedPreview | null> {
  const row = await tx.db
    .updateTable('plan_previews')
    .set((set) => ({ attempts: set('attempts', '+', 1) }))
    .where('workspace_id', '=', tx.workspaceId)
    .where('preview_id', '=', previewId)
    .where('finished_at', 'is', null)
    .returning(['request', 'attempts'])
    .executeTakeFirst();
  return row === undefined ? null : { workspaceId: tx.workspaceId, previewId, ...row };
}

export function completePreview(
  tx: Transaction,
  preview: ClaimedPreview,
  figures: PreviewFigures,
  deals: readonly MovedDeal[],
): Promise<void> {
  const stored = { result: JSON.stringify(figures), deals: JSON.stringify(deals) };
  return updatePreview(tx, preview, { status: 'completed', ...stored, finished_at: sql<Date>`now()` });
}

export function failPreview(
  tx: Transaction,
  preview: ClaimedPreview,
  code: string | null,
  message: string,
): Promise<void> {
  const reason = { error_code: code, error: message };
  return updatePreview(tx, preview, { status: 'failed', ...reason, finished_at: sql<Date>`now()` });
}

/** Lets any worker calculate the preview again. */
export function retryPreview(tx: Transaction, preview: ClaimedPreview, attempts: number): Promise<void> {
  return updatePreview(tx, preview, { attempts });
}

async function updatePreview(
  tx: Transaction,
  { previewId }: ClaimedPreview,
  values: UpdateObject<Tables, 'plan_previews'>,
): Promise<void> {
  await tx.db
    .updateTable('plan_previews')
    .set(values)
    .where('workspace_id', '=', tx.workspaceId)
    .where('preview_id', '=', previewId)
    .execute();
}
