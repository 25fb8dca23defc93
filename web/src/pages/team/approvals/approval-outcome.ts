import { type ApprovalJob, type TeamStatement } from '../../../api/team-queries.js';
import { formatCount } from '../../../shared/format/numbers.js';
import { plainMessage } from '../../../shared/format/plain-message.js';

/** `signed`: statements of which further steps of a chain wait. */
export function approvedWords(approved: number, rejected: number, signed = 0): string {
  const approvals = `${formatCount(approved, 'statement')} approved`;
  const done = signed === 0 ? approvals : `${formatCount(signed, 'statement')} signed, ${approved} approved`;
  return rejected === 0 ? `${done}.` : `${done}, ${rejected} not. The list says why.`;
}

/**
 * Why statements were not approved, by rep: of the latest approval, as long as the version that it rejected waits for an
 * approval.
 */
export function rejections(
  latest: Pick<ApprovalJob, 'rejected'> | undefined,
  statements: readonly Pick<TeamStatement, 'repId' | 'status' | 'version'>[],
): ReadonlyMap<string, string> {
  const waiting = new Map(
    statements.filter(({ status }) => status === 'draft').map(({ repId, version }) => [repId, version]),
  );
  const rejected = (latest?.rejected ?? []).filter(({ repId, version }) => waiting.get(repId) === version);
  return new Map(rejected.map(({ repId, message }) => [repId, plainMessage(message)]));
}
