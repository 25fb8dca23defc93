import { setTimeout as sleep } from 'node:timers/promises';
import { timeLimit } from '../../kernel/time-limit.js';
import { pollUntil } from '../../kernel/waiting.js';
import { listPersonFields } from '../../people/reps/person-field-views.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Leases } from '../../platform/jobs/leases.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { type Associations } from '../adapters/associated.js';
import {
  type CrmAccess,
  type CrmAccount,
  type CrmAdapter,
  type CrmCredentials,
  CrmFailure,
  type CrmPermission,
  type CrmProvider,
  fixedAccess,
} from '../adapters/port.js';
import { applySettings } from './configured-account.js';
import { markBroken, replaceCredentials } from './crm-connection-store.js';
import { findSealedCredentials, workspaceSettings } from './crm-connection-views.js';
import { type CrmSettings, defaultSettings } from './crm-settings.js';
import { findSettings, linkedMembers } from './crm-settings-views.js';
import { toLineMapping } from './line-mapping.js';

export type CrmAdapters = Readonly<Record<CrmProvider, CrmAdapter>>;

/** Tokens that expire sooner are renewed before use. */
const soonMs = 30_000;
const pauseMs = 100;
const maxWaitMs = timeLimit(60_000);
const maxSaves = 5;

/** Opens the CRM accounts of workspaces with their stored credentials, and renews these. */
export class CrmAccounts {
  constructor(
    readonly adapters: CrmAdapters,
    private readonly unitOfWork: UnitOfWork,
    private readonly leases: Leases,
    private readonly secrets: Secrets,
  ) {}

  /** Null if the workspace has no credentials for the CRM. */
  async open(workspaceId: string, provider: CrmProvider): Promise<CrmAccount | null> {
    const { sealed, timeZone, settings, linked, memberFields } = await this.unitOfWork.write(
      { workspaceId },
      async (tx) => {
        const settings = await findSettings(tx, provider);
        return {
          sealed: await findSealedCredentials(tx, provider),
          timeZone: (await workspaceSettings(tx)).timeZone,
          settings,
          memberFields: (await listPersonFields(tx)).flatMap(({ crmField }) => crmField ?? []),
          linked: settings.people === null ? new Set<string>() : await linkedMembers(tx, provider),
        };
      },
    );
    if (sealed === null) return null;
    const writtenFields = Object.values(settings.writeBack ?? {}).filter((name) => name !== null);
    const groups = settings.people !== null;
    const options = { ...associationsOf(settings), timeZone, groups, writtenFields, memberFields };
    const account = this.adapters[provider].account(this.access(workspaceId, provider, sealed), options);
    return applySettings(account, settings, linked);
  }

  seal(workspaceId: string, provider: CrmProvider, credentials: CrmCredentials): Buffer {
    return this.secrets.seal(credentialsEncryptionContext(workspaceId, provider), JSON.stringify(credentials));
  }

  /** Used for an account without a stored connection, whose renewed credentials could not be saved. */
  openWith(provider: CrmProvider, credentials: CrmCredentials, settings: CrmSettings = defaultSettings): CrmAccount {
    return this.adapters[provider].account(fixedAccess(credentials), associationsOf(settings));
  }

  /** What the connection needs with these settings; null if the workspace has no credentials for the CRM. */
  async permissions(
    workspaceId: string,
    provider: CrmProvider,
    settings: CrmSettings,
  ): Promise<CrmPermission[] | null> {
    const sealed = await this.load(workspaceId, provider);
    if (sealed === null) return null;
    const access = this.access(workspaceId, provider, sealed);
    return this.adapters[provider].account(access, associationsOf(settings)).permissions();
  }

  unseal(workspaceId: string, provider: CrmProvider, sealed: Buffer): CrmCredentials {
    return JSON.parse(this.secrets.open(credentialsEncryptionContext(workspaceId, provider), sealed)) as CrmCredentials;
  }

  private access(workspaceId: string, provider: CrmProvider, first: Buffer): CrmAccess {
    let known = this.unseal(workspaceId, provider, first);
    const renew = async (rejected: CrmCredentials) => {
      known = await this.renew(workspaceId, provider, rejected);
      return known;
    };
    return {
      credentials: async () => {
        const { expiresAt, refreshToken } = known;
        const ends = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
        return ends - Date.now() < soonMs && refreshToken !== null ? renew(known) : known;
      },
      renewed: renew,
      rejected: (credentials) => this.reject(workspaceId, provider, credentials),
    };
  }

  /**
   * Only one process at a time renews: a CRM may invalidate the old refresh token, so a second renewal would end the
   * connection. Other processes wait for the saved result.
   */
  private async renew(workspaceId: string, provider: CrmProvider, rejected: CrmCredentials): Promise<CrmCredentials> {
    const renewed = await pollUntil(
      () => this.leases.hold(workspaceId, `renew ${provider}`, () => this.renewAlone(workspaceId, provider, rejected)),
      (credentials) => credentials !== null,
      { maxWaitMs, pauseMs },
    );
    if (renewed === null) throw new CrmFailure('unavailable', 'the credentials are being renewed');
    return renewed;
  }

  private async renewAlone(
    workspaceId: string,
    provider: CrmProvider,
    rejected: CrmCredentials,
  ): Promise<CrmCredentials> {
    const sealed = await this.load(workspaceId, provider);
    if (sealed === null) throw new CrmFailure('unauthorized', 'the CRM is no longer connected');
    const current = this.unseal(workspaceId, provider, sealed);
    if (current.accessToken !== rejected.accessToken) return current;
    try {
      const renewed = await this.adapters[provider].refresh(current);
      if (await this.save(workspaceId, provider, sealed, renewed)) return renewed;
      // The CRM was connected again meanwhile; the new credentials apply.
      return this.renewAlone(workspaceId, provider, rejected);
    } catch (error) {
      if (error instanceof CrmFailure && error.kind === 'unauthorized')
        await this.unitOfWork.write({ workspaceId }, (tx) => markBroken(tx, provider, sealed, error.message));
      throw error;
    }
  }

  /** Does nothing if the CRM was connected again meanwhile. */
  private async reject(workspaceId: string, provider: CrmProvider, rejected: CrmCredentials): Promise<void> {
    const sealed = await this.load(workspaceId, provider);
    if (sealed === null || this.unseal(workspaceId, provider, sealed).accessToken !== rejected.accessToken) return;
    const reason = 'the CRM rejects credentials that it has just renewed';
    await this.unitOfWork.write({ workspaceId }, (tx) => markBroken(tx, provider, sealed, reason));
  }

  /**
   * Saved before first use. The old credentials may be invalid by now, so the save is retried while the database is
   * unreachable.
   */
  private async save(
    workspaceId: string,
    provider: CrmProvider,
    from: Buffer,
    renewed: CrmCredentials,
  ): Promise<boolean> {
    const to = this.seal(workspaceId, provider, renewed);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.unitOfWork.write({ workspaceId }, (tx) => replaceCredentials(tx, provider, { from, to }));
      } catch (error) {
        if (attempt >= maxSaves) throw error;
        await sleep(attempt * 500);
      }
    }
  }

  private load(workspaceId: string, provider: CrmProvider): Promise<Buffer | null> {
    return this.unitOfWork.read({ workspaceId }, (tx) => findSealedCredentials(tx, provider));
  }
}

/** Which records are read beside the deals. */
export function associationsOf({ lineItems, companyFields, credits, lines }: CrmSettings): Associations {
  return {
    lineItems,
    companyFields,
    splits: credits !== null,
    lines: lines === null ? null : toLineMapping(lines),
  };
}

export function credentialsEncryptionContext(workspaceId: string, provider: string): string {
  return `crm_connections ${workspaceId} ${provider}`;
}
