import { newId } from '../../kernel/ids.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { acceptTimeZone } from './accepted-zone.js';
import { insertWorkspaceKey } from './workspace-store.js';
import { type Tier } from './workspace-tables.js';

export interface NewWorkspace {
  readonly name: string;
  readonly tier: Tier;
  readonly currency: string;
  readonly timezone: string;
  readonly adminEmail?: string | undefined;
  /** Defaults to the address. */
  readonly adminName?: string | undefined;
  readonly isDemo?: boolean;
  /** A workspace for trials: it sends no mails and has a test clock. This cannot be changed later. */
  readonly sandbox?: boolean;
}

/** Creates a workspace and its API key. The key is returned only here: the database has its hash. */
export async function createWorkspace(
  unitOfWork: UnitOfWork,
  workspace: NewWorkspace,
): Promise<{ workspaceId: string; apiKey: string }> {
  const workspaceId = newId();
  const apiKey = await unitOfWork.write({ workspaceId }, async (tx) => {
    await tx.db
      .insertInto('workspaces')
      .values({
        workspace_id: workspaceId,
        name: workspace.name,
        currency: workspace.currency,
        timezone: await acceptTimeZone(tx, workspace.timezone),
        tier: workspace.tier,
        is_demo: workspace.isDemo ?? false,
        is_sandbox: workspace.sandbox ?? false,
      })
      .execute();
    if (workspace.adminEmail !== undefined) {
      const key = { workspace_id: workspaceId, rep_id: newId() };
      const email = workspace.adminEmail.toLowerCase();
      await tx.db
        .insertInto('reps')
        .values({ ...key, email, name: workspace.adminName ?? email, role: 'admin' })
        .execute();
      await tx.db.insertInto('lanes').values(key).execute();
    }
    return insertWorkspaceKey(tx, null);
  });
  return { workspaceId, apiKey };
}
