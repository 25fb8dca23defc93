import { type CrmAccess, type CrmAdapter, type CrmCredentials } from '#src/crm/port.js';

/** Holds the credentials of one connection as the service does, without a database. */
export class StoredAccess implements CrmAccess {
  renewals = 0;

  constructor(
    private readonly adapter: Pick<CrmAdapter, 'refresh'>,
    public current: CrmCredentials,
  ) {}

  async credentials(): Promise<CrmCredentials> {
    return this.current;
  }

  async renewed(rejected: CrmCredentials): Promise<CrmCredentials> {
    this.renewals++;
    if (rejected.accessToken === this.current.accessToken) this.current = await this.adapter.refresh(this.current);
    return this.current;
  }

  async rejected(): Promise<void> {}
}

export function tokenOnly(accessToken: string): CrmCredentials {
  return { accessToken, refreshToken: null, expiresAt: null, accountId: null, instanceUrl: null };
}

export async function collected<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}
