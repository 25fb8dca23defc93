import { createHash, randomBytes } from 'node:crypto';
import { inject, injectable } from 'tsyringe';
import { type CrmCredentials, type CrmProvider, type RegisteredWebhook } from '../crm/port.js';
import { type Caller } from '../kernel/caller.js';
import { type Config } from '../platform/config.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { placeOfRoute } from '../platform/inbox/inbox.js';
import { CONFIG, LOG } from '../platform/injection-tokens.js';
import { type Log } from '../platform/log.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { CrmAccounts } from './crm-accounts.js';
import { deleteConnection, type InboundRoute, saveConnection } from './crm-connection-store.js';
import { findSealedCredentials, findWebhook, hasRoute } from './crm-connection-views.js';

export interface Connected {
  readonly accountId: string | null;
  /** URL for deliveries, if they must be set up by hand. */
  readonly webhookUrl: string | null;
  /** Bearer secret of deliveries; shown once. */
  readonly webhookSecret: string | null;
}

/** Creates and removes connections, here and in the CRM's account. */
@injectable()
export class CrmConnector {
  constructor(
    @inject(CrmAccounts) private readonly accounts: CrmAccounts,
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(Secrets) private readonly secrets: Secrets,
    @inject(CONFIG) private readonly config: Config,
    @inject(LOG) private readonly log: Log,
  ) {}

  async connect(
    who: Pick<Caller, 'workspaceId' | 'actor'>,
    provider: CrmProvider,
    credentials: CrmCredentials,
  ): Promise<Connected> {
    const { workspaceId } = who;
    const webhook = await this.register(workspaceId, provider, credentials);
    const own = provider === 'crmc' ? await this.ownSecret(workspaceId) : null;
    await this.unitOfWork.run(who, { lock: 'none', access: 'write' }, (trx) =>
      saveConnection(trx, who, {
        provider,
        accountId: credentials.accountId,
        credentials: this.accounts.seal(workspaceId, provider, credentials),
        webhookId: webhook?.webhookId ?? null,
        inbound: own === null ? this.inboundOf(provider, credentials, webhook) : own.inbound,
      }),
    );
    return {
      accountId: credentials.accountId,
      webhookUrl: provider === 'crma' ? null : this.webhookUrl(provider),
      webhookSecret: own?.secret ?? null,
    };
  }

  /** Deletes the connection immediately, and then the registration in the CRM's account if the CRM permits it. */
  async disconnect(who: Pick<Caller, 'workspaceId' | 'actor'>, provider: CrmProvider): Promise<boolean> {
    const { workspaceId } = who;
    const { disconnected, sealed, webhookId } = await this.unitOfWork.run(
      who,
      { lock: 'none', access: 'write' },
      async (trx) => ({
        sealed: await findSealedCredentials(trx, workspaceId, provider),
        webhookId: await findWebhook(trx, workspaceId, provider),
        disconnected: await deleteConnection(trx, who, provider),
      }),
    );
    if (sealed !== null && webhookId !== null) {
      const account = this.accounts.openWith(provider, this.accounts.unseal(workspaceId, provider, sealed));
      await account.removeWebhook(webhookId).catch((error: unknown) => {
        this.log.warn({ err: error, workspaceId, provider }, 'removing a webhook failed; its deliveries are rejected');
      });
    }
    return disconnected;
  }

  private async register(
    workspaceId: string,
    provider: CrmProvider,
    credentials: CrmCredentials,
  ): Promise<RegisteredWebhook | null> {
    const address = this.webhookUrl(provider);
    if (address === null) return null;
    // Two workspaces may connect one account; each has its own URL there, so neither replaces the other's webhook.
    const ofWorkspace = this.secrets.mac('webhook address', provider, workspaceId).toString('hex').slice(0, 16);
    return this.accounts.openWith(provider, credentials).registerWebhook(`${address}?for=${ofWorkspace}`);
  }

  private inboundOf(
    provider: CrmProvider,
    { accountId }: CrmCredentials,
    webhook: RegisteredWebhook | null,
  ): InboundRoute | null {
    if (webhook !== null) {
      const { webhookId: route, secret } = webhook;
      return { route, secret: this.secrets.seal(placeOfRoute(provider, route), secret) };
    }
    // Deliveries of crm-b are signed for our app and contain the account id.
    return provider === 'crmb' && accountId !== null ? { route: accountId, secret: null } : null;
  }

  /** We generate the secret of crm-c's deliveries. It stays the same when the CRM is connected again. */
  private async ownSecret(workspaceId: string): Promise<{ secret: string | null; inbound: InboundRoute | null }> {
    if (
      await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'read' }, (trx) =>
        hasRoute(trx, workspaceId, 'crmc'),
      )
    )
      return { secret: null, inbound: null };
    const secret = randomBytes(32).toString('base64url');
    return { secret, inbound: { route: routeOfSecret(secret), secret: null } };
  }

  private webhookUrl(provider: CrmProvider): string | null {
    const { PUBLIC_URL } = this.config;
    return PUBLIC_URL === undefined ? null : `${PUBLIC_URL.replace(/\/+$/, '')}/webhooks/${provider}`;
  }
}

/** The hash of a random 256-bit secret identifies its account: no comparison is needed and the secret is not stored. */
export function routeOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
