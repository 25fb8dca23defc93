import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CrmAccess,
  type CrmAccount,
  type CrmAdapter,
  type CrmCredentials,
  CrmFailure,
  type CrmProvider,
  fixedAccess,
} from '../crm/port.js';
import { type UnitOfWork } from '../platform/database/unit-of-work.js';
import { type Leases } from '../platform/jobs/leases.js';
import { type Secrets } from '../platform/secrets/secrets.js';
import { markBroken, replaceCredentials } from './crm-connection-store.js';
import { findSealedCredentials, workspaceTimeZone } from './crm-connection-views.js';

export type CrmAdapters = Readonly<Record<CrmProvider, CrmAdapter>>;

/** Tokens that end sooner are renewed before they are used. */
const soonMs = 30_000;
const lookAgainMs = 100;
const longestWaitMs = 60_000;
const mostSaves = 5;

/** Opens the CRM accounts of workspaces with what they were connected with, and keeps that fresh. */
export class CrmAccounts {
  constructor(
    readonly adapters: CrmAdapters,
    private readonly unitOfWork: UnitOfWork,
    private readonly leases: Leases,
    private readonly secrets: Secrets,
  ) {}

  /** Null when the workspace has no credentials for the CRM. */
  async open(workspaceId: string, provider: CrmProvider): Promise<CrmAccount | null> {
    const { sealed, timeZone } = await this.unitOfWork.run({ workspaceId }, 'reads', async (trx) => ({
      sealed: await findSealedCredentials(trx, workspaceId, provider),
      timeZone: await workspaceTimeZone(trx, workspaceId),
    }));
    if (sealed === null) return null;
    return this.adapters[provider].account(this.access(workspaceId, provider, sealed), { timeZone });
  }

  seal(workspaceId: string, provider: CrmProvider, credentials: CrmCredentials): Buffer {
    return this.secrets.seal(placeOf(workspaceId, provider), JSON.stringify(credentials));
  }

  /** For an account that is not, or no longer, a connection: nobody could keep what would be renewed. */
  openWith(provider: CrmProvider, credentials: CrmCredentials): CrmAccount {
    return this.adapters[provider].account(fixedAccess(credentials));
  }

  unseal(workspaceId: string, provider: CrmProvider, sealed: Buffer): CrmCredentials {
    return JSON.parse(this.secrets.open(placeOf(workspaceId, provider), sealed)) as CrmCredentials;
  }

  private access(workspaceId: string, provider: CrmProvider, first: Buffer): CrmAccess {
    let known = this.unseal(workspaceId, provider, first);
    const renew = async (refused: CrmCredentials) => {
      known = await this.renew(workspaceId, provider, refused);
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
   * One renewal at a time over all processes: a CRM may kill the old refresh token with the new one, so a second
   * renewal with the old would end the connection. Who finds another at it waits for what that one saves.
   */
  private async renew(workspaceId: string, provider: CrmProvider, refused: CrmCredentials): Promise<CrmCredentials> {
    const deadline = performance.now() + longestWaitMs;
    for (;;) {
      const renewed = await this.leases.hold(workspaceId, `renew ${provider}`, () =>
        this.renewAlone(workspaceId, provider, refused),
      );
      if (renewed !== null) return renewed;
      if (performance.now() > deadline) throw new CrmFailure('unavailable', 'the credentials are being renewed');
      await sleep(lookAgainMs);
    }
  }

  private async renewAlone(
    workspaceId: string,
    provider: CrmProvider,
    refused: CrmCredentials,
  ): Promise<CrmCredentials> {
    const sealed = await this.load(workspaceId, provider);
    if (sealed === null) throw new CrmFailure('unauthorized', 'the CRM is not connected any more');
    const current = this.unseal(workspaceId, provider, sealed);
    if (current.accessToken !== refused.accessToken) return current;
    try {
      const renewed = await this.adapters[provider].refresh(current);
      if (await this.save(workspaceId, provider, sealed, renewed)) return renewed;
      // Somebody has connected anew meanwhile: theirs count.
      return this.renewAlone(workspaceId, provider, refused);
    } catch (error) {
      if (error instanceof CrmFailure && error.kind === 'unauthorized')
        await this.unitOfWork.run({ workspaceId }, 'reads', (trx) =>
          markBroken(trx, workspaceId, provider, sealed, error.message),
        );
      throw error;
    }
  }

  /** Whoever has connected anew meanwhile is not blamed for what was refused before. */
  private async reject(workspaceId: string, provider: CrmProvider, refused: CrmCredentials): Promise<void> {
    const sealed = await this.load(workspaceId, provider);
    if (sealed === null || this.unseal(workspaceId, provider, sealed).accessToken !== refused.accessToken) return;
    await this.unitOfWork.run({ workspaceId }, 'reads', (trx) =>
      markBroken(trx, workspaceId, provider, sealed, 'the CRM refuses the credentials that it has just renewed'),
    );
  }

  /** Before anybody uses them. The old ones may be dead by now, so a database that is away is asked again. */
  private async save(
    workspaceId: string,
    provider: CrmProvider,
    from: Buffer,
    renewed: CrmCredentials,
  ): Promise<boolean> {
    const to = this.seal(workspaceId, provider, renewed);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.unitOfWork.run({ workspaceId }, 'reads', (trx) =>
          replaceCredentials(trx, workspaceId, provider, { from, to }),
        );
      } catch (error) {
        if (attempt >= mostSaves) throw error;
        await sleep(attempt * 500);
      }
    }
  }

  private load(workspaceId: string, provider: CrmProvider): Promise<Buffer | null> {
    return this.unitOfWork.run({ workspaceId }, 'reads', (trx) => findSealedCredentials(trx, workspaceId, provider));
  }
}

function placeOf(workspaceId: string, provider: CrmProvider): string {
  return `crm_connections ${workspaceId} ${provider}`;
}
