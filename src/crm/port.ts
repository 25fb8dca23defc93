/** CRMs by their neutral names; which product each one is stands in the wire formats and the default addresses alone. */
export const crmProviders = ['crma', 'crmb', 'crmc'] as const;
export type CrmProvider = (typeof crmProviders)[number];

/** What opens one CRM account. Stored sealed; shown nowhere. */
export interface CrmCredentials {
  readonly accessToken: string;
  /** Null where the CRM gives none: its tokens do not expire, or were pasted. */
  readonly refreshToken: string | null;
  /** ISO instant; null when the CRM does not say. */
  readonly expiresAt: string | null;
  /** The CRM's own id of the account: workspace, portal or organisation. Deliveries are told apart by it. */
  readonly accountId: string | null;
  /** Base address of the account's data, where each account has its own; null where all share one. */
  readonly instanceUrl: string | null;
}

/** What an admin pastes instead of going through the consent page. */
export interface PastedCredentials {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly instanceUrl?: string | undefined;
}

/** One kind of CRM. Keeps no state: everything that must be remembered is in the credentials. */
export interface CrmAdapter {
  readonly provider: CrmProvider;
  /** Where the admin's browser is sent to consent. The challenge is S256; a CRM without PKCE ignores it. */
  authorizeUrl(request: {
    readonly state: string;
    readonly redirectUri: string;
    readonly codeChallenge: string;
  }): string;
  exchangeCode(answer: {
    readonly code: string;
    readonly redirectUri: string;
    readonly codeVerifier: string;
  }): Promise<CrmCredentials>;
  /** New credentials for spent ones. The old refresh token may be dead once this returns: save before use. */
  refresh(credentials: CrmCredentials): Promise<CrmCredentials>;
  /** Asks the CRM whether pasted credentials work, and whose they are. */
  adopt(pasted: PastedCredentials): Promise<CrmCredentials>;
  account(access: CrmAccess, options?: CrmAccountOptions): CrmAccount;
}

export interface CrmAccountOptions {
  /** IANA zone in which an instant becomes the day of `close_date`; UTC when not given. */
  readonly timeZone?: string;
}

/** How an account gets its token. Renewals of one connection are single-flight over all processes, and saved first. */
export interface CrmAccess {
  credentials(): Promise<CrmCredentials>;
  /** Called when the CRM refused these; answers with newer ones or throws CrmFailure `unauthorized`. */
  renewed(refused: CrmCredentials): Promise<CrmCredentials>;
  /** Called when the CRM refuses even what was just renewed: the connection must be made anew. */
  rejected(credentials: CrmCredentials): Promise<void>;
}

/** One account of a CRM, in our words. Every method throws CrmFailure, after its own retries, and nothing else. */
export interface CrmAccount {
  listMembers(): Promise<CrmMember[]>;
  /** Definitions of the deal fields, with the options of choices. */
  listFields(): Promise<CrmField[]>;
  /** All deals, or those changed in the window where the CRM can tell; from the cursor of a page when one is given. */
  listDeals(options?: ListDeals): AsyncIterable<CrmDealPage>;
  /** The deals as they are now, in any order. An id that the CRM no longer has comes back as deleted. */
  getDeals(ids: readonly string[]): Promise<CrmDeal[]>;
  /** Null where the CRM has nothing to register per account. */
  registerWebhook(targetUrl: string): Promise<RegisteredWebhook | null>;
  /** Done as well when the CRM does not know it any more. */
  removeWebhook(webhookId: string): Promise<void>;
}

export interface ListDeals {
  /** Inclusive; a CRM that cannot filter by it yields everything. */
  readonly modifiedFrom?: Date;
  /** Exclusive. */
  readonly modifiedBefore?: Date;
  /** `next` of the last page that was settled. */
  readonly cursor?: string;
}

export interface CrmDealPage {
  readonly deals: readonly CrmDeal[];
  /** Goes on after this page; null on the last. */
  readonly next: string | null;
  /** All deals of the listing, where the CRM says so. */
  readonly total: number | null;
  /** The CRM's clock when it answered; watermarks are set by it, never by ours. */
  readonly serverTime: Date;
  /**
   * On the last page of a CRM that can tell: all that it changed before this was listed, so the next window starts
   * here. Earlier than `modifiedBefore` while changes of then are not yet committed.
   */
  readonly coveredUntil?: Date;
}

export type CrmValue = string | number | boolean | null;

export interface CrmDeal {
  readonly id: string;
  /** Native slugs (crm-c: snake case) and the canonical ones: amount, stage, close_date, owner_id, name, currency. */
  readonly fields: Readonly<Record<string, CrmValue>>;
  /** When the CRM last changed it; null where the CRM cannot tell reliably, and the fetch itself decides the order. */
  readonly modifiedAt: Date | null;
  readonly deleted: boolean;
}

export interface CrmMember {
  readonly crmId: string;
  readonly email: string | null;
  readonly name: string;
  readonly avatar: string | null;
  readonly active: boolean;
}

export type CrmFieldType = 'text' | 'number' | 'currency' | 'date' | 'select' | 'status' | 'checkbox' | 'timestamp';

export interface CrmField {
  readonly slug: string;
  readonly label: string;
  readonly type: CrmFieldType;
  /** The CRM's own name of the field, for queries to it. */
  readonly native: string;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
}

export interface RegisteredWebhook {
  readonly webhookId: string;
  readonly secret: string;
}

/** What a webhook delivery says of one deal: a hint that it changed, told once per `key`. */
export interface CrmHint {
  readonly dealId: string;
  /** The CRM account it is about; null where the delivery is tied to an account by its secret. */
  readonly accountId: string | null;
  /** `deleted` is believed only where no credential is there to look the deal up. */
  readonly change: 'changed' | 'deleted';
  readonly occurredAt: Date | null;
  /** The same for repeated deliveries of the same news. */
  readonly key: string;
  /** Values that came with the news, by slug; applied only where no credential is there. */
  readonly values: Readonly<Record<string, CrmValue>>;
}

/**
 * `unauthorized`: the connection must be made anew. `rate_limited` and `unavailable`: later, at the earliest after
 * `retryAfterMs`. `cursor_expired`: the listing starts over. `refused`: the CRM will not, whenever it is asked.
 */
export type CrmFailureKind = 'unauthorized' | 'rate_limited' | 'unavailable' | 'cursor_expired' | 'refused';

/** Says what the CRM answered in words of ours; never carries a token or a body of the CRM. */
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

/** Credentials that nobody keeps, and so nobody renews: refused once, they are refused for good. */
export function fixedAccess(credentials: CrmCredentials): CrmAccess {
  return {
    credentials: async () => credentials,
    renewed: async () => {
      throw new CrmFailure('unauthorized', 'the CRM does not accept these credentials');
    },
    rejected: async () => {},
  };
}
