import { type Work } from '../platform/database/unit-of-work.js';

/** The plan of that id, or the one that has a version of that id; undefined when the workspace has neither. */
export async function findPlanId(trx: Work, workspaceId: string, planRef: string): Promise<string | undefined> {
  const version = await trx
    .selectFrom('plan_versions')
    .select('plan_id')
    .where('workspace_id', '=', workspaceId)
    .where((where) => where.or([where('plan_id', '=', planRef), where('plan_version_id', '=', planRef)]))
    .limit(1)
    .executeTakeFirst();
  return version?.plan_id;
}
