/** The body of an upload, as `fetch` accepts it, and its media type. */
export interface Upload {
  readonly contentType: string;
  readonly data: NonNullable<RequestInit['body']>;
}

export interface CallOptions {
  /** Any text: requests with the same key are executed once, and repeated requests get the first response. */
  readonly idempotencyKey?: string;
  /** Names the request in logs. Calls with the same one are one action in the audit log. */
  readonly requestId?: string;
  readonly signal?: AbortSignal;
}

/** A file that the service returned. */
export interface ServiceFile extends File {
  /** SHA-256 of the content as the service states it, in lower-case hexadecimal; null if it states none. */
  readonly sha256: string | null;
}

export interface ClientOptions {
  readonly baseUrl: string;
  /** Not needed for public operations. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
  /** How often a call is repeated that the service could not take yet: by default four times, and never with 0. */
  readonly retries?: number;
}

/** An error response of the service. Match on `code`. */
export class ApiError extends Error {
  readonly statusCode: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly requestId: string | null;
  /** Seconds after which the service takes the call; null if it names none. */
  readonly retryAfter: number | null;
  /** The address that explains the code; null if a proxy responded. */
  readonly docs: string | null;
}

/** A client of the API for every runtime with `fetch`. It repeats what the service could not take yet. */
export function createClient(options: ClientOptions): Client;

/**
 * The pages of a list, one call each: `for await (const { deals } of pages(client.listDealChanges, { query }))`. Feeds are
 * read by their cursor until nothing is left, `client.listDeals` in the order of ids unless the query has an offset, and
 * other lists by offset.
 */
export function pages<Input extends { readonly query?: object }, Page>(
  list: (input: Input) => Promise<Page>,
  input?: Input,
): AsyncGenerator<Page, void, undefined>;

/** The recalculation, import or sync when it has ended. It throws if the job failed. */
export function waitForJob(
  client: Pick<Client, 'getRecalculationJob'>,
  jobId: string,
  options?: {
    readonly intervalMs?: number;
    readonly timeoutMs?: number;
    readonly onProgress?: (job: GetRecalculationJobResponse) => void;
  },
): Promise<GetRecalculationJobResponse>;
