import { type Caller } from '../kernel/caller.js';
import { newId } from '../kernel/ids.js';
import { saveFreshnessMarks } from '../ledger/lanes/lane-freshness.js';
import { freezeDealAmounts } from '../ledger/output/frozen-deal-amounts.js';
import { requestChecks } from '../ledger/requests/period-checks.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { listCounting } from './approvals/signature-store.js';
import { identifyApprover } from './approvers.js';
import { type Approver, type StatementContent, type StatementKey } from './statement.js';
import { approveHead, recordStatementEntry } from './statement-store.js';

/** Who has signed the last step; the consent of the rep approves nothing. Null while one person approves. */
async function findLastSigner(tx: Transaction, { repId, period }: StatementKey): Promise<Approver | null> {
  const others = (await listCounting(tx, period, repId)).filter(({ signerId }) => signerId !== repId);
  const last = others.findLast(({ signerId }) => signerId !== null);
  return last?.signerId == null ? null : { repId: last.signerId, name: last.signer ?? '' };
}

/** Approves the version, after which no calculation writes to the period. */
export async function freezeStatement(
  tx: Transaction,
  key: StatementKey,
  approved: StatementContent,
  generatedBefore: number,
  caller: Caller,
  at: Date,
): Promise<void> {
  const approver = (await findLastSigner(tx, key)) ?? (await identifyApprover(tx, caller));
  await approveHead(tx, key, approved, { at, actor: caller.actor, approver });
  await freezeDealAmounts(tx, key);
  // The period of a manager may owe differences of approved periods below already.
  requestChecks(tx, [{ ...key, causes: [{ kind: 'statement_approved', dealId: null }] }]);
  saveFreshnessMarks(tx, [{ repId: key.repId, mark: null }]);
  await recordStatementEntry(tx, caller, {
    runId: newId(),
    trigger: 'statement_approved',
    repId: key.repId,
    period: key.period,
    details: { version: approved.version, generatedBefore, netPayout: approved.summary.netPayout },
    at,
  });
}
