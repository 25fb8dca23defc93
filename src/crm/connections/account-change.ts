import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { revokeLease } from '../../platform/jobs/leases.js';
import { type CrmProvider } from '../adapters/port.js';
import { restartSyncs, startSync } from '../sync/crm-sync.js';
import { stopPolls } from '../sync/stop-sync-runs.js';

/** What happens to the deals of the account that was connected before. */
export const previousDealsChoices = ['keep', 'remove'] as const;
export type PreviousDeals = (typeof previousDealsChoices)[number];

/** The account from which the stored deals of a CRM are. */
export interface PreviousAccount {
  readonly accountId: string;
  /** Number of its deals that are stored. */
  readonly deals: number;
}

/** Null if the stored deals are from this account, or if there are none. */
export async function findPreviousAccount(
  tx: Transaction,
  provider: CrmProvider,
  accountId: string | null,
): Promise<PreviousAccount | null> {
  const { rows } = await sql<PreviousAccount>`
    select a.account_id as "accountId", (select count(*)::int from deals d
      where d.workspace_id = a.workspace_id and d.provider = a.provider and d.deleted_at is null) as deals
    from crm_accounts a
    where a.workspace_id = ${tx.workspaceId} and a.provider = ${provider} and a.account_id <> ${accountId}`.execute(
    tx.db,
  );
  const [previous] = rows;
  return previous === undefined || previous.deals === 0 ? null : previous;
}

/** Whether another account was connected last, with or without deals. */
export async function isOtherAccount(
  tx: Transaction,
  provider: CrmProvider,
  accountId: string | null,
): Promise<boolean> {
  const row = await tx.db
    .selectFrom('crm_accounts')
    .select('account_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return row !== undefined && accountId !== null && row.account_id !== accountId;
}

export async function saveAccount(tx: Transaction, provider: CrmProvider, accountId: string | null): Promise<void> {
  if (accountId === null) return;
  await tx.db
    .insertInto('crm_accounts')
    .values({ workspace_id: tx.workspaceId, provider, account_id: accountId })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'provider']).doUpdateSet({ account_id: accountId }))
    .execute();
}

/** The admin has not decided what happens to the deals of the other account. */
export function accountChanged(provider: CrmProvider, { accountId, deals }: PreviousAccount): Failure {
  return new Failure(
    'account_changed',
    `${deals} deals are from another account of ${provider}, ${accountId}. Repeat the request with previousDeals: keep them, or remove them when the deals of this account are imported.`,
    { previousAccountId: accountId, deals },
  );
}

/**
 * Separates the data of two accounts: running syncs begin again with the new account, messages of the old one are
 * ignored. Kept deals no longer belong to the CRM, so that a reconciliation does not delete them. Deals to remove are
 * removed by a sync, after it has imported those of the new account.
 */
export async function leavePreviousAccount(
  tx: Transaction,
  who: { readonly actor: string },
  provider: CrmProvider,
  previousDeals: PreviousDeals | null,
): Promise<void> {
  await stopPolls(tx, provider);
  await revokeLease(tx, `inbox ${provider}`);
  await sql`
    update inbox set processed_at = now(), outcome = 'ignored'
    where workspace_id = ${tx.workspaceId} and source = ${provider} and processed_at is null`.execute(tx.db);
  await restartSyncs(tx, provider);
  if (previousDeals === 'keep')
    await sql`
      update deals set provider = null
      where workspace_id = ${tx.workspaceId} and provider = ${provider} and deleted_at is null`.execute(tx.db);
  if (previousDeals === 'remove')
    await startSync(tx, who, provider, { reconcile: true, recalculate: false, replaces: true });
}
