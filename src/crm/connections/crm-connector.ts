import { createHash, randomBytes } from 'node:crypto';
import { type Caller } from '../../kernel/caller.js';
import { type Config } from '../../platform/config.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { routeEncryptionContext } from '../../platform/inbox/inbox.js';
import { type Log } from '../../platform/log.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { type CrmCredentials, type CrmProvider, type RegisteredWebhook } from '../adapters/port.js';
import { pollInterval } from '../sync/sync-run-store.js';
import { applyWriteBack } from '../write-back/write-back-store.js';
import {
  accountChanged,
  findPreviousAccount,
  isOtherAccount,
  leavePreviousAccount,
  type PreviousAccount,
  type PreviousDeals,
  saveAccount,
} from './account-change.js';
import { assertPermitted, type ConnectionWarning, findWarnings, writeWarnings } from './connection-warnings.js';
import { type CrmAccounts } from './crm-accounts.js';
import {
  deleteConnection,
  type InboundRoute,
  replaceWebhook,
  rotateRoute,
  saveConnection,
} from './crm-connection-store.js';
import {
  connectedCrm,
  findSealedCredentials,
  findWebhook,
  hasRoute,
  workspaceSettings,
} from './crm-connection-views.js';
import { findSettings } from './crm-settings-views.js';

export interface Connected {
  readonly accountId: string | null;
  /** URL for deliveries, if they must be set up by hand. */
  readonly webhookUrl: string | null;
  /** Deliveries send this bearer secret; it is shown once. */
  readonly webhookSecret: string | null;
  /** What to check although the connection works. */
  readonly warnings: readonly ConnectionWarning[];
}

/** Creates and removes connections, here and in the CRM's account. */
export class CrmConnector {
  constructor(
    private readonly accounts: CrmAccounts,
    private readonly unitOfWork: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  async connect(
    who: Pick<Caller, 'workspaceId' | 'actor'>,
    provider: CrmProvider,
    credentials: CrmCredentials,
    previousDeals: PreviousDeals | null = null,
  ): Promise<Connected> {
    const { workspaceId } = who;
    const { accountId } = credentials;
    const previous = await this.previousAccount(workspaceId, provider, accountId);
    if (previous !== null && previousDeals === null) throw accountChanged(provider, previous);
    const { permissions, warnings, writes } = await this.check(workspaceId, provider, credentials);
    const webhook = await this.register(workspaceId, provider, credentials);
    const own = provider === 'crmc' ? await this.ownSecret(workspaceId) : null;
    await this.unitOfWork.run(who, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const isOther = await isOtherAccount(tx, provider, accountId);
      await saveConnection(tx, who, {
        provider,
        accountId,
        credentials: this.accounts.seal(workspaceId, provider, credentials),
        webhookId: webhook?.webhookId ?? null,
        inbound: own === null ? this.inboundRoute(provider, credentials, webhook) : own.inbound,
        permissions,
        pollSeconds: pollInterval(provider, this.config.CRM_POLL_SECONDS),
      });
      if (isOther) await leavePreviousAccount(tx, who, provider, previous === null ? null : previousDeals);
      await saveAccount(tx, provider, accountId);
      await applyWriteBack(tx, provider, { isOtherAccount: isOther, check: writes });
    });
    return {
      accountId,
      webhookUrl: provider === 'crma' ? null : this.webhookUrl(provider),
      webhookSecret: own?.secret ?? null,
      warnings,
    };
  }

  /** The other account from which stored deals are; null if there is none. */
  previousAccount(
    workspaceId: string,
    provider: CrmProvider,
    accountId: string | null,
  ): Promise<PreviousAccount | null> {
    return this.unitOfWork.read({ workspaceId }, (tx) => findPreviousAccount(tx, provider, accountId));
  }

  /** Checks the connection before it is stored. Rejects one that lacks a required permission. */
  private async check(workspaceId: string, provider: CrmProvider, credentials: CrmCredentials) {
    const { workspace, settings } = await this.unitOfWork.read({ workspaceId }, async (tx) => ({
      workspace: await workspaceSettings(tx),
      settings: await findSettings(tx, provider),
    }));
    const account = this.accounts.openWith(provider, credentials, settings);
    const permissions = await account.permissions();
    assertPermitted(provider, permissions);
    const { writeBack: targets } = settings;
    const writes = targets === null ? null : await account.checkWrites(targets);
    const warnings = findWarnings(workspace, await account.settings(), permissions);
    return { permissions, writes, warnings: [...warnings, ...writeWarnings(writes)] };
  }

  /**
   * Deletes the connection immediately and stops its syncs. Then removes the registration in the CRM's account and
   * revokes the tokens, if the CRM permits it.
   */
  async disconnect(who: Pick<Caller, 'workspaceId' | 'actor'>, provider: CrmProvider): Promise<boolean> {
    const { workspaceId } = who;
    const { disconnected, sealed, webhookId } = await this.unitOfWork.run(
      who,
      { lock: 'exclusive', access: 'write' },
      async (tx) => {
        const sealed = await findSealedCredentials(tx, provider);
        const webhookId = await findWebhook(tx, provider);
        const disconnected = await deleteConnection(tx, who, provider);
        await applyWriteBack(tx, provider);
        return { sealed, webhookId, disconnected };
      },
    );
    if (sealed === null) return disconnected;
    const credentials = this.accounts.unseal(workspaceId, provider, sealed);
    if (webhookId !== null) {
      const account = this.accounts.openWith(provider, credentials);
      await account.removeWebhook(webhookId).catch((error: unknown) => {
        this.log.warn({ err: error, workspaceId, provider }, 'removing a webhook failed; its deliveries are rejected');
      });
    }
    await this.accounts.adapters[provider].revoke(credentials).catch((error: unknown) => {
      this.log.warn({ err: error, workspaceId, provider }, 'revoking a token failed; it stays valid at the CRM');
    });
    return disconnected;
  }

  /** Registers the webhook of the connection again if the CRM does not deliver to it any more. */
  async repairWebhook(workspaceId: string, provider: CrmProvider): Promise<void> {
    const webhookId = await this.unitOfWork.read({ workspaceId }, (tx) => findWebhook(tx, provider));
    const account = webhookId === null ? null : await this.accounts.open(workspaceId, provider);
    if (webhookId === null || account === null || (await account.isWebhookActive(webhookId))) return;
    const url = this.workspaceWebhookUrl(workspaceId, provider);
    const webhook = url === null ? null : await account.registerWebhook(url);
    if (webhook === null) return;
    const isReplaced = await this.unitOfWork.write({ workspaceId }, (tx) =>
      replaceWebhook(tx, provider, { from: webhookId, ...this.sealRoute(provider, webhook) }),
    );
    if (isReplaced) this.log.warn({ workspaceId, provider }, 'webhook no longer active; registered again');
    else await account.removeWebhook(webhook.webhookId);
  }

  /** Replaces the secret of crm-c's deliveries. Deliveries with the previous one are rejected from now on. */
  async rotateSecret(who: Pick<Caller, 'workspaceId' | 'actor'>) {
    const { secret, inbound } = newRouteSecret();
    await this.unitOfWork.run(who, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await connectedCrm(tx, 'crmc');
      await rotateRoute(tx, who, 'crmc', inbound);
    });
    return { webhookUrl: this.webhookUrl('crmc'), webhookSecret: secret };
  }

  private async register(
    workspaceId: string,
    provider: CrmProvider,
    credentials: CrmCredentials,
  ): Promise<RegisteredWebhook | null> {
    const url = this.workspaceWebhookUrl(workspaceId, provider);
    return url === null ? null : this.accounts.openWith(provider, credentials).registerWebhook(url);
  }

  /** Two workspaces may connect one account; each has its own URL there, so neither replaces the other's webhook. */
  private workspaceWebhookUrl(workspaceId: string, provider: CrmProvider): string | null {
    const url = this.webhookUrl(provider);
    const ofWorkspace = this.secrets.mac('webhook address', provider, workspaceId).toString('hex').slice(0, 16);
    return url === null ? null : `${url}?for=${ofWorkspace}`;
  }

  private sealRoute(provider: CrmProvider, { webhookId: route, secret }: RegisteredWebhook) {
    return { route, secret: this.secrets.seal(routeEncryptionContext(provider, route), secret) };
  }

  private inboundRoute(
    provider: CrmProvider,
    { accountId }: CrmCredentials,
    webhook: RegisteredWebhook | null,
  ): InboundRoute | null {
    if (webhook !== null) return this.sealRoute(provider, webhook);
    // Deliveries of crm-b are signed for our app and contain the account id.
    return provider === 'crmb' && accountId !== null ? { route: accountId, secret: null } : null;
  }

  /** We generate the secret of crm-c's deliveries. It stays the same when the CRM is connected again. */
  private async ownSecret(workspaceId: string): Promise<{ secret: string | null; inbound: InboundRoute | null }> {
    const isRouted = await this.unitOfWork.read({ workspaceId }, (tx) => hasRoute(tx, 'crmc'));
    return isRouted ? { secret: null, inbound: null } : newRouteSecret();
  }

  private webhookUrl(provider: CrmProvider): string | null {
    const { PUBLIC_URL } = this.config;
    return PUBLIC_URL === undefined ? null : `${PUBLIC_URL}/webhooks/${provider}`;
  }
}

function newRouteSecret() {
  const secret = randomBytes(32).toString('base64url');
  return { secret, inbound: { route: hashRouteSecret(secret), secret: null } };
}

/** The hash of a random 256-bit secret identifies its account: no comparison is needed and the secret is not stored. */
export function hashRouteSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
