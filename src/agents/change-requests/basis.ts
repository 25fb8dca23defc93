import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type ToolRunner } from '../../platform/mcp/tool-runner.js';
import { type RawInput } from '../../platform/operations/operation-dispatcher.js';

/** What a request and its preview depend on. If it differs at the approval, the approver has seen something else. */
export interface Basis {
  /** Hash of what the change would change. */
  readonly state: string;
  /** The versions of the configuration and of the commission of the workspace. */
  readonly configuration: string;
  readonly commission: string;
  /** Whether the preview was calculated for a person who decides, and not with the request of the agent. */
  readonly isForPerson: boolean;
}

/** The present basis of a change, and whose pay the change concerns. */
export interface PresentBasis {
  readonly basis: Omit<Basis, 'isForPerson'>;
  readonly paid: readonly string[];
}

export interface ToolCall {
  readonly tool: string;
  readonly input: RawInput;
}

export async function readBasis(tx: Transaction, runner: ToolRunner, { tool, input }: ToolCall): Promise<PresentBasis> {
  const { paid, state } = await runner.subject(tx, tool, input);
  const { rows } = await sql<{ configuration: string; commission: string }>`
    select configuration_revision as configuration, cache_versions_of(workspace_id) as commission
    from workspaces where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  const { configuration, commission } = rows[0] as (typeof rows)[number];
  return { paid, basis: { state: hashJson(state), configuration, commission: hashJson(commission) } };
}

export function hashJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
