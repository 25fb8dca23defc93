import { type DealWrite, type WriteCheck, type WriteResult, type WriteTargets } from './write-back.js';

/** Neutral names of the CRMs. Only the wire formats and the default URLs show which product each one is. */
export const crmProviders = ['crma', 'crmb', 'crmc'] as const;
export type CrmProvider = (typeof crmProviders)[number];

/** Credentials of one CRM account. Stored encrypted and never shown. */
export interface CrmCredentials {
  readonly accessToken: string;
  /** Null if the CRM issues none: its tokens do not expire, or were pasted. */
  readonly refreshToken: string | null;
  /** ISO instant; null if the CRM does not report it. */
  readonly expiresAt: string | null;
  /** The CRM's id of the account (workspace, portal or organisation). Deliveries are assigned by it. */
  readonly accountId: string | null;
  /** Base URL of the account's data if each account has its own; otherwise null. */
  readonly instanceUrl: string | null;
  /** Base URL that renews the tokens, if it differs from the one of the data. */
  readonly loginUrl?: string;
}

/** Credentials that an admin enters instead of using the consent page. */
export interface PastedCredentials {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly instanceUrl?: string | undefined;
}

/** One kind of CRM. Stateless: all state is in the credentials. */
export interface CrmAdapter {
  readonly provider: CrmProvider;
  /** URL of the consent page. The challenge is S256; a CRM without PKCE ignores it. */
  authorizeUrl(request: {
    readonly state: string;
    readonly redirectUri: string;
    readonly codeChallenge: string;
    /** Base URL of the consent page, for a CRM that has several; null for the default. */
    readonly loginUrl?: string | null;
    /** Whether the connection writes to deals. A CRM that asks for scopes on its page adds the one for it. */
    readonly writes?: boolean;
  }): string;
  exchangeCode(redirect: {
    readonly code: string;
    readonly redirectUri: string;
    readonly codeVerifier: string;
    /** The base URL that the consent page had. */
    readonly loginUrl?: string | null;
  }): Promise<CrmCredentials>;
  /**
   * Returns new credentials. The old refresh token may be invalid once this returns, so save the new ones before
   * using them.
   */
  refresh(credentials: CrmCredentials): Promise<CrmCredentials>;
  /** Checks pasted credentials with the CRM and returns them with the account id. */
  verify(pasted: PastedCredentials): Promise<CrmCredentials>;
  /** Invalidates the credentials at the CRM, if it can. */
  revoke(credentials: CrmCredentials): Promise<void>;
  /** Name of the account, for the person who confirms the connection; null if the CRM does not report one. */
  accountName(credentials: CrmCredentials): Promise<string | null>;
  account(access: CrmAccess, options?: CrmAccountOptions): CrmAccount;
}

export interface CrmAccountOptions {
  /** IANA time zone that converts instants to days if the account has none. Default UTC. */
  readonly timeZone?: string;
  /** Whether deals get the number, the sum and the products of their line items. Ignored by a CRM without them. */
  readonly lineItems?: boolean;
  /** The CRM's names of fields of the associated company; deals get them as `company_…`. */
  readonly companyFields?: readonly string[];
  /** Whether members have their teams and roles, which some CRMs may hide. */
  readonly groups?: boolean;
  /** The CRM's names of fields whose values members have. */
  readonly memberFields?: readonly string[];
  /** Whether deals get the parts that the CRM gives to its members. Ignored by a CRM without them. */
  readonly splits?: boolean;
  /** How line items become the products of deals; null or absent for none. Ignored by a CRM without them. */
  readonly lines?: LineMapping | null;
  /**
   * The CRM's names of fields that this service writes. Deals have neither these fields nor those that the CRM changes
   * with every write, so that a write does not change a deal here.
   */
  readonly writtenFields?: readonly string[];
}

/** The CRM's names of the fields that give the values of products. */
export interface LineMapping {
  /** In place of the usual fields, by the name of the value. */
  readonly standard: Readonly<Record<string, string>>;
  /** Further values, by their slugs. */
  readonly own: Readonly<Record<string, string>>;
  /** Of a CRM without line items: the attribute of deals that refers to their products. */
  readonly reference?: string;
}

/** Supplies an account's token. Only one process at a time renews a connection, and it saves the result first. */
export interface CrmAccess {
  credentials(): Promise<CrmCredentials>;
  /** Called when the CRM rejected these credentials. Returns newer ones or throws CrmFailure `unauthorized`. */
  renewed(rejected: CrmCredentials): Promise<CrmCredentials>;
  /** Called when the CRM rejects freshly renewed credentials: an admin must connect again. */
  rejected(credentials: CrmCredentials): Promise<void>;
}

/** One CRM account in canonical terms. Methods throw only CrmFailure, after their own retries. */
export interface CrmAccount {
  listMembers(): Promise<CrmMember[]>;
  /** Definitions of the deal fields, with options. */
  listFields(): Promise<CrmField[]>;
  /**
   * The https address of a deal's page in the CRM, with `{id}` in place of its id; null if it is not known. Its host is
   * the CRM's.
   */
  dealUrl(): Promise<string | null>;
  /** All deals, or those changed in the time window if the CRM supports it, starting at the cursor if given. */
  listDeals(options?: ListDeals): AsyncIterable<CrmDealPage>;
  /**
   * Present state of the deals, in any order. A deal that the CRM has deleted is returned as deleted. A deal that the
   * CRM does not return, and does not report as deleted, is left out: sharing may hide it.
   */
  getDeals(ids: readonly string[]): Promise<CrmDeal[]>;
  /** Null if the CRM has no webhooks per account. */
  registerWebhook(targetUrl: string): Promise<RegisteredWebhook | null>;
  /** Whether the CRM delivers to the webhook: false if it has removed or disabled it, or its deliveries fail. */
  isWebhookActive(webhookId: string): Promise<boolean>;
  /** Succeeds if the webhook is already gone. */
  removeWebhook(webhookId: string): Promise<void>;
  /** Currency and time zone of the account; null where the CRM reports none. */
  settings(): Promise<CrmAccountSettings>;
  /** The scopes and permissions that the connection needs, and whether the account has granted them. */
  permissions(): Promise<CrmPermission[]>;
  /** Largest number of deals for {@link writeDeals}. */
  readonly maxWrites: number;
  /** Whether the fields exist and the connection may write them. */
  checkWrites(targets: WriteTargets): Promise<WriteCheck>;
  /** Writes the values to the fields. Repeating it is harmless. Throws nothing that {@link WrittenBatch} reports. */
  writeDeals(targets: WriteTargets, writes: readonly DealWrite[]): Promise<WrittenBatch>;
}

export interface CrmAccountSettings {
  /** Currency of deals that name none, ISO 4217 code. */
  readonly currency: string | null;
  /** IANA time zone that converts instants to days. */
  readonly timeZone: string | null;
}

export interface CrmPermission {
  /** The scope, or the permission of the connected user, as the CRM calls it. */
  readonly name: string;
  readonly purpose: string;
  /** Null if the CRM does not report it. */
  readonly granted: boolean | null;
  /** Without a required permission the connection does not work. */
  readonly required: boolean;
}

export interface ListDeals {
  /** Inclusive. A CRM that cannot filter by time returns everything. */
  readonly modifiedFrom?: Date;
  /** Exclusive. */
  readonly modifiedBefore?: Date;
  /** Inclusive. Deletions are listed apart only if this is given; other CRMs list them with the changes. */
  readonly deletedFrom?: Date;
  /** `next` of the last page that was recorded. */
  readonly cursor?: string;
}

export interface CrmDealPage {
  readonly deals: readonly CrmDeal[];
  /** Continues after this page; null on the last page. */
  readonly next: string | null;
  /** Total number of deals, if the CRM reports it. */
  readonly total: number | null;
  /** The CRM's clock at the time of the response. Watermarks use this clock, never ours. */
  readonly serverTime: Date;
  /**
   * On the last page, if the CRM supports it: every change before this instant was listed, so the next window starts
   * here. Earlier than `modifiedBefore` while older changes are not yet committed in the CRM.
   */
  readonly coveredUntil?: Date;
}

/** The type of the splits of a CRM that has only one. */
export const dealSplits = 'Deal splits';

/** A split as a credit line. */
export interface CrmLine extends Omit<CrmSplit, 'type'> {
  readonly kind: 'split' | 'overlay';
  readonly role: string | null;
}

/** A list holds texts, such as the products of a deal. */
export type CrmValue = string | number | boolean | null | readonly string[];

export interface CrmDeal {
  readonly id: string;
  /**
   * Native slugs (crm-c: snake case) and canonical ones: amount, stage, close_date, owner_id, name, currency, is_won,
   * is_closed, stage_label, pipeline, pipeline_label.
   */
  readonly fields: Readonly<Record<string, CrmValue>>;
  /** Time of the last change in the CRM; null if unreliable, and then the order of fetching decides. */
  readonly modifiedAt: Date | null;
  readonly deleted: boolean;
  /** Absent if they are not read. */
  readonly splits?: readonly CrmSplit[];
  /** The products of the deal; absent if they are not read. */
  readonly products?: readonly CrmProduct[];
  /** The credit lines that the settings of the connection make of the splits; absent if these are unknown. */
  readonly lines?: readonly CrmLine[];
}

/** A product of a deal. Numbers are exact decimal texts; money is in the currency of the product. */
export interface CrmProduct {
  /** Id of the record. */
  readonly lineId: string;
  readonly productCode?: string;
  readonly name?: string;
  readonly family?: string;
  readonly quantity?: string;
  readonly unitPrice?: string;
  readonly listPrice?: string;
  readonly cost?: string;
  /** A fraction: 0.25 is 25 %. */
  readonly discount?: string;
  /** After discount and for the whole quantity; null if the CRM has none. */
  readonly amount: string | null;
  /** ISO 4217 code; absent: that of the deal. */
  readonly currency?: string;
  /** Calendar day. */
  readonly startDate?: string;
  readonly months?: string;
  readonly recurring?: string;
  /** Further values by slug. */
  readonly fields?: Readonly<Record<string, CrmValue>>;
}

/** The part of a deal that the CRM gives to one of its members. */
export interface CrmSplit {
  /** Id of the member. */
  readonly ownerId: string;
  /** Name of the type of splits; a CRM without types has one. */
  readonly type: string;
  /** Percentage of the deal, as exact decimal text. */
  readonly percent: string;
}

export interface CrmMember {
  readonly crmId: string;
  readonly email: string | null;
  readonly name: string;
  readonly avatar: string | null;
  readonly active: boolean;
  /** Names of the teams and roles of the person; absent in a CRM without them. */
  readonly teams?: readonly string[];
  readonly roles?: readonly string[];
  /** Values of the requested fields, by the CRM's name of the field. */
  readonly values?: Readonly<Record<string, string | number>>;
}

export type CrmFieldType = 'text' | 'number' | 'currency' | 'date' | 'select' | 'status' | 'checkbox' | 'timestamp';

export interface CrmField {
  readonly slug: string;
  readonly label: string;
  readonly type: CrmFieldType;
  /** The CRM's own field name, for requests to it. */
  readonly native: string;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
}

export interface RegisteredWebhook {
  readonly webhookId: string;
  readonly secret: string;
}

/** What a delivery reports about one deal: a hint that it changed, counted once per `key`. */
export interface CrmHint {
  readonly dealId: string;
  /** The CRM account; null if the secret of the delivery identifies the account. */
  readonly accountId: string | null;
  /** `deleted` is trusted only if there are no credentials to read the deal with. */
  readonly change: 'changed' | 'deleted';
  readonly occurredAt: Date | null;
  /** Equal for repetitions of the same delivery. */
  readonly key: string;
  /** Values in the delivery, by slug; `close_date` is a day or an instant. Used only if there are no credentials. */
  readonly values: Readonly<Record<string, CrmValue>>;
  /** The CRM's name or id of the field, if the delivery reports the change of one. */
  readonly property?: string;
}

/**
 * `unauthorized`: an admin must connect again. `rate_limited` and `unavailable`: retry later, not before
 * `retryAfterMs`. `misconfigured`: the settings of this service are wrong, so retry when the operator has corrected
 * them. `cursor_expired`: the listing starts over. `oversized`: request less. `rejected`: retrying does not help.
 */
export type CrmFailureKind =
  | 'unauthorized'
  | 'rate_limited'
  | 'unavailable'
  | 'misconfigured'
  | 'cursor_expired'
  | 'oversized'
  | 'rejected';

/** Describes the CRM's error in our words. Contains neither a token nor a body from the CRM. */
export class CrmFailure extends Error {
  constructor(
    readonly kind: CrmFailureKind,
    message: string,
    readonly retryAfterMs: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'CrmFailure';
  }
}

/** The result of the requests; `otherwise` if the CRM rejects one of them. */
export async function unlessRejected<T, U>(request: () => Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof CrmFailure && error.kind === 'rejected') return otherwise;
    throw error;
  }
}

/** The results of the deals that were sent. A failure that concerns no single deal ends the batch. */
export interface WrittenBatch {
  readonly results: readonly WriteResult[];
  /** Deals without a result are to be written again. */
  readonly failure: CrmFailure | null;
}

/** Runs a batch of writes; a failure before the first of them ends it without results. */
export async function reportFailure(write: () => Promise<WrittenBatch>): Promise<WrittenBatch> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof CrmFailure) return { results: [], failure: error };
    throw error;
  }
}

/** Credentials that are not stored and therefore never renewed: once rejected, always rejected. */
export function fixedAccess(credentials: CrmCredentials): CrmAccess {
  return {
    credentials: async () => credentials,
    renewed: async () => {
      throw new CrmFailure('unauthorized', 'the CRM rejected these credentials');
    },
    rejected: async () => {},
  };
}
