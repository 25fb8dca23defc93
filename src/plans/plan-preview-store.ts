import { sql } from 'kysely';
import { newId } from '../kernel/ids.js';
import { violates } from '../platform/database/database-errors.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { planNotFound } from './plan.js';
import { type MovedDeal, type PreviewFigures, type PreviewRequest } from './preview-result.js';

/** A preview that one worker calculates. */
export interface LeasedPreview {
  readonly workspaceId: string;
  readonly previewId: string;
  readonly attempts: number;
  readonly request: PreviewRequest;
}

/** Max number of previews of a workspace that have not finished. */
const maxUnfinished = 5;
const leaseEnd = sql<Date>`now() + interval '10 seconds'`;
export const previewLeaseRenewalMs = 3000;

/** Null if too many previews of the workspace have not finished. */
export async function insertPreview(
  trx: Work,
  workspaceId: string,
  planId: string,
  request: PreviewRequest,
): Promise<string | null> {
  // The lock serializes requests of a workspace, so that concurrent requests count each other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`previews:${workspaceId}`}, 0))`.execute(trx);
  const { unfinished } = await trx
    .selectFrom('plan_previews')
    .select(({ fn }) => fn.countAll<string>().as('unfinished'))
    .where('workspace_id', '=', workspaceId)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(unfinished) >= maxUnfinished) return null;
  const previewId = newId();
  await trx
    .insertInto('plan_previews')
    .values({ workspace_id: workspaceId, preview_id: previewId, plan_id: planId, request: JSON.stringify(request) })
    .execute()
    .catch((error: unknown) => {
      throw violates(error, 'plan_previews_workspace_id_plan_id_fkey') ? planNotFound() : error;
    });
  return previewId;
}

/** Null if the preview is finished or leased by another worker. */
export async function leasePreview(trx: Work, workspaceId: string, previewId: string): Promise<LeasedPreview | null> {
  const row = await trx
    .updateTable('plan_previews')
    .set((set) => ({ leased_until: leaseEnd, attempts: set('attempts', '+', 1) }))
    .where('workspace_id', '=', workspaceId)
    .where('preview_id', '=', previewId)
    .where('finished_at', 'is', null)
    .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<', sql<Date>`now()`)]))
    .returning(['request', 'attempts'])
    .executeTakeFirst();
  return row === undefined ? null : { workspaceId, previewId, ...row };
}

export async function renewPreviewLease(trx: Work, { workspaceId, previewId }: LeasedPreview): Promise<void> {
  await trx
    .updateTable('plan_previews')
    .set({ leased_until: leaseEnd })
    .where('workspace_id', '=', workspaceId)
    .where('preview_id', '=', previewId)
    .where('finished_at', 'is', null)
    .execute();
}

/** Stores the result. A preview that two workers calculated has the result of the first. */
export async function completePreview(
  trx: Work,
  { workspaceId, previewId }: LeasedPreview,
  figures: PreviewFigures,
  deals: readonly MovedDeal[],
): Promise<void> {
  await trx
    .updateTable('plan_previews')
    .set({
      status: 'completed',
      result: JSON.stringify(figures),
      deals: JSON.stringify(deals),
      finished_at: sql<Date>`now()`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('preview_id', '=', previewId)
    .where('finished_at', 'is', null)
    .execute();
}

export async function failPreview(
  trx: Work,
  { workspaceId, previewId }: LeasedPreview,
  code: string | null,
  message: string,
): Promise<void> {
  await trx
    .updateTable('plan_previews')
    .set({ status: 'failed', error_code: code, error: message, finished_at: sql<Date>`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('preview_id', '=', previewId)
    .where('finished_at', 'is', null)
    .execute();
}

/** Lets any worker take the preview again. An outage does not count as an attempt. */
export async function releasePreview(
  trx: Work,
  { workspaceId, previewId }: LeasedPreview,
  attempts: number,
): Promise<void> {
  await trx
    .updateTable('plan_previews')
    .set({ leased_until: null, attempts })
    .where('workspace_id', '=', workspaceId)
    .where('preview_id', '=', previewId)
    .where('finished_at', 'is', null)
    .execute();
}
