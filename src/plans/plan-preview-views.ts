import { type SqlBool, sql } from 'kysely';
import { findDealNames } from '../deals/deal-views.js';
import { inParallel } from '../kernel/waiting.js';
import { findRepNames } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type MovedDeal, type PreviewFigures } from './preview-result.js';

/** A stored preview with one page of its deals, and the names that the response needs. */
export interface StoredPreview {
  readonly previewId: string;
  readonly status: 'running' | 'completed' | 'failed';
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly figures: PreviewFigures | null;
  readonly page: readonly MovedDeal[];
  readonly count: number;
  readonly repNames: ReadonlyMap<string, string>;
  readonly dealNames: ReadonlyMap<string, string | null>;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The preview of that id and plan; undefined if there is none or if it finished more than an hour ago. */
export async function findPreview(
  tx: Transaction,
  { planId, previewId }: { readonly planId: string; readonly previewId: string },
  { limit, offset }: Page,
): Promise<StoredPreview | undefined> {
  const row = await tx.db
    .selectFrom('plan_previews')
    .select(['status', 'started_at', 'finished_at', 'error_code', 'error', 'result'])
    .select([
      sql<readonly MovedDeal[] | null>`jsonb_path_query_array(deals, '$[$from to $to]',
        jsonb_build_object('from', ${offset}::bigint, 'to', ${offset + limit - 1}::bigint), true)`.as('page'),
      sql<number>`coalesce(jsonb_array_length(deals), 0)`.as('count'),
    ])
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_id', '=', planId)
    .where('preview_id', '=', previewId)
    .where(sql<SqlBool>`(finished_at is null or finished_at > now() - interval '1 hour')`)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const figures = row.result;
  const page = row.page ?? [];
  const repIds = [...page, ...(figures?.byRep ?? []), ...(figures?.refunds ?? []), ...(figures?.locked ?? [])].map(
    ({ repId }) => repId,
  );
  const [repNames, dealNames] = await inParallel(
    () => findRepNames(tx, repIds),
    () =>
      findDealNames(
        tx,
        page.flatMap(({ dealId }) => dealId ?? []),
      ),
  );
  return {
    previewId,
    status: row.status,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    errorCode: row.error_code,
    error: row.error,
    figures,
    page,
    count: row.count,
    repNames,
    dealNames,
  };
}
