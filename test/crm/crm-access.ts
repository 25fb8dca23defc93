import { expect } from 'chai';
import {
  type CrmAccess,
  type CrmAccount,
  type CrmAdapter,
  type CrmCredentials,
  type CrmDeal,
  CrmFailure,
  type CrmFailureKind,
  type ListDeals,
} from '#src/crm/adapters/port.js';

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

/** The failure of the requests, which must fail. */
export async function failureOf(work: Promise<unknown>): Promise<CrmFailure> {
  return work.then(
    () => expect.fail('did not fail'),
    (error: unknown) => (error instanceof CrmFailure ? error : expect.fail(String(error))),
  );
}

export async function kindOf(work: Promise<unknown>): Promise<CrmFailureKind> {
  return (await failureOf(work)).kind;
}

/** The deals of all pages. */
export async function listed(account: CrmAccount, options?: ListDeals): Promise<CrmDeal[]> {
  return (await collected(account.listDeals(options))).flatMap(({ deals }) => deals);
}

export async function collected<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}
