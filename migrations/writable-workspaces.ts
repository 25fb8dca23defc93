import { type RawBuilder, sql } from 'kysely';

/**
 * Whether the workspace of a row may be written, also if it has none. One that is moved or deleted rejects it, and its row
 * would make a statement about all workspaces fail.
 */
export function ofWritable(workspaceId: string): RawBuilder<unknown> {
  return sql.raw(
    `coalesce(${workspaceId} <> all (array(select of_move.workspace_id from read_only_workspaces() of_move)), true)`,
  );
}
