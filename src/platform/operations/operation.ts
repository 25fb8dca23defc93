import { type Readable } from 'node:stream';
import { type InjectionToken } from 'tsyringe';
import { type z } from 'zod';
import { type AccessLevel, type Caller, type KeyScope } from '../../kernel/caller.js';
import { type Transaction } from '../database/unit-of-work.js';
import { type Tool } from '../mcp/tool.js';

/** The input of an operation: the parsed request with defaults filled in. */
export interface Input<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** What a call changes, for the person who approves it on behalf of an agent. */
export interface Subject {
  /** The reps whose pay or terms of pay the call changes: none of them approves it. */
  readonly paid: readonly string[];
  /** The present state of what the call changes, as JSON. If it differs from the state that was shown, the approval fails. */
  readonly state: unknown;
}

/** The subject of calls that pay no one and change nothing that exists. */
export const payingNoOne = async (): Promise<Subject> => ({ paid: [], state: null });

/** What an integration key needs for an operation: a scope, any scope, or null where no integration key suffices. */
export type OperationScope = KeyScope | 'any' | null;

/** A body that is read as a stream, for operations that take files. */
export interface StreamedBody {
  readonly contentType: string;
  readonly stream: Readable;
}

/** A body as received, with URL and headers: a webhook signature covers these bytes. */
export interface RawBody {
  readonly bytes: Buffer;
  /** Consists of the path and query as requested. */
  readonly url: string;
  header(name: string): string | undefined;
}

type Execute<I extends Input, Output, Uses> = (
  input: I,
  caller: Caller,
  parts: Uses,
) => Result<Output> | Promise<Result<Output>>;

type Tokens = Readonly<Record<string, InjectionToken>>;
/** The parts of the service that stand behind the tokens. */
type Parts<Uses extends Tokens> = {
  readonly [Name in keyof Uses]: Uses[Name] extends InjectionToken<infer Part> ? Part : never;
};

/** A response with another status than the operation's usual one. */
export class Reply<Answer> {
  constructor(
    readonly status: number,
    readonly body: Answer,
  ) {}
}

/** A page of a list whose response does not contain the number of items on all pages: agents receive it beside the page. */
export class Page<Answer> {
  constructor(
    readonly body: Answer,
    readonly count: number,
  ) {}
}

/** A response that is a file and not JSON. */
export class Download {
  constructor(
    readonly contentType: string,
    /** Consists of letters, digits, dots and dashes. */
    readonly filename: string,
    readonly body: string | Buffer | Readable,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** Max size of a response that a worker thread prepares. */
export const maxResponseBytes = 8 * 1024 * 1024;

/** A response that is JSON already: a worker thread made it, so that its size does not block the event loop. */
export class PreparedJson {
  constructor(readonly bytes: Buffer) {}

  get value(): unknown {
    return JSON.parse(this.bytes.toString());
  }
}

/** A response that redirects the browser. */
export class Redirect {
  constructor(readonly location: string) {}
}

type Result<Answer> = Answer | Reply<Answer> | Page<Answer> | Download | PreparedJson | Redirect;

/** Media types that an operation takes as a stream, and the max number of bytes. */
export interface UploadTerms {
  readonly types: readonly string[];
  readonly limitBytes: number;
}

/** One call of an operation, as the OpenAPI document and the tool descriptions show it. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Uploads by media type, for operations that take files. */
  readonly uploads?: Readonly<Record<string, unknown>>;
  readonly response?: unknown;
}

/** How the sender of a delivery names an account: with its id there, or with that of the workspace. */
export interface InboundRoute {
  readonly source: string;
  readonly route: string;
}
export type Destination = InboundRoute | { readonly workspaceId: string };

/** The max number of bytes of a {@link RawBody}, and whom it is for. */
interface RawTerms {
  readonly limitBytes: number;
  /**
   * The accounts that a delivery names, before its signature is checked. A service with several databases runs the
   * operation in those of these accounts.
   */
  readonly destinations: (body: RawBody) => readonly Destination[];
}

type Schema = z.ZodType;
/** Responses are only read when they are serialized, so an operation may return readonly data. */
type ReadOnly<T> = T extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadOnly<T[Key]> }
    : T;
type Parsed<S> = S extends z.ZodType<infer T> ? T : Record<string, never>;
type BodyOf<Body, Upload, Raw> = Upload extends UploadTerms
  ? StreamedBody
  : Raw extends RawTerms
    ? RawBody
    : Parsed<Body>;
type NamesIn<S> = S extends z.ZodObject<infer Shape> ? keyof Shape & string : never;

/**
 * The declaration of one API operation: routes, the OpenAPI document, the MCP tools, the client and the
 * authorization tests are derived from it.
 */
export interface Operation<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Answer extends Schema = Schema,
  Id extends string = string,
  Upload extends UploadTerms | undefined = UploadTerms | undefined,
  Files extends readonly string[] | undefined = readonly string[] | undefined,
  Uses extends Tokens = Tokens,
  Raw extends RawTerms | undefined = RawTerms | undefined,
> {
  /** It is unique and in camelCase, because it names the client's method. */
  readonly id: Id;
  readonly summary: string;
  /** Set where another operation does the same; the summary names it. */
  readonly deprecated?: true;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Express notation: `/v1/plans/:planId`. */
  readonly path: string;
  /** The min access level of the caller. An operation is public only when it is declared so. */
  readonly access: AccessLevel;
  /** The role payroll may call it too; of a GET, also the role finance. */
  readonly payroll?: true;
  /** The roles finance and auditor may call it too, although it is no GET. */
  readonly finance?: true;
  /**
   * Set where a session needs a recent proof of identity, in workspaces that require it: for every call, or for the
   * calls that the function selects.
   */
  readonly stepUp?: 'always' | ((input: Input<Parsed<Params>, Parsed<Query>, Parsed<Body>>, caller: Caller) => boolean);
  /** What an integration key needs, where it differs from what method and path imply; see `findScope`. */
  readonly scope?: OperationScope;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Set for bodies that are streamed instead of parsed: the accepted media types and the max number of bytes. */
  readonly upload?: Upload;
  /** Set for bodies that are passed as a {@link RawBody} with any media type: the max number of bytes. */
  readonly raw?: Raw;
  /** Max number of keys in a JSON body, where the limits of its lists do not state it; see `maxKeysOf`. */
  readonly maxKeys?: number;
  readonly response: Answer;
  /** Media types of the files that the operation may return instead of JSON. */
  readonly files?: Files;
  /** It defaults to 200. */
  readonly status?: number;
  /** A second success status that a {@link Reply} may have. */
  readonly otherStatus?: number;
  /** Set for a POST that changes nothing and whose scope is not `read`. The role auditor may call it. */
  readonly reads?: true;
  /**
   * Set for a GET that starts work, such as making a file: a browser may send it for a page of this service or because
   * its user has entered the address, and not because another site links to it.
   */
  readonly startsWork?: true;
  /** The response contains a secret that is returned only once: it is never stored, also not for a repeated request. */
  readonly secret?: true;
  /**
   * Set for the two halves of a sign-in at another site, which must run in one browser: `begin` sets a cookie, and
   * `end` receives it as the caller's `browserKey`. In a browser, `end` then starts a session. `code`: a page of this
   * service that signs in gets the cookie of the session too.
   */
  readonly browserSignIn?: 'begin' | 'end' | 'code';
  /** Every error code of the operation besides the common ones, with its status. */
  readonly failures: Readonly<Record<string, number>>;
  /**
   * Set where the response may be cached: the only rep whose data the response depends on, or null for the data of
   * the whole workspace. Such an operation depends on nothing but its input, the caller's access level and rep, the
   * day, and that data.
   */
  readonly cacheScope?: (input: Input<Parsed<Params>, Parsed<Query>, Parsed<Body>>, caller: Caller) => string | null;
  /** Set where the operation is also an MCP tool. */
  readonly tool?: Tool<NamesIn<Params> | NamesIn<Query> | NamesIn<Body>, z.output<Answer>, AnyOperation>;
  /** What a call changes. Every operation whose tool changes something declares it. */
  readonly subject?: (tx: Transaction, input: Input<Parsed<Params>, Parsed<Query>, Parsed<Body>>) => Promise<Subject>;
  /**
   * Rejects a request of an agent that would fail as things are, so that it waits for no approval. Absent where
   * the preview of the tool does so.
   */
  readonly assertPossible?: (
    tx: Transaction,
    input: Input<Parsed<Params>, Parsed<Query>, Parsed<Body>>,
  ) => Promise<void>;
  readonly example: Example;
  /** The parts of the service that `execute` receives after the caller, by name. */
  readonly uses?: Uses;
  /** Runs the operation with the parsed request. */
  readonly execute: Execute<
    Input<Parsed<Params>, Parsed<Query>, BodyOf<Body, Upload, Raw>>,
    ReadOnly<z.input<Answer>>,
    Parts<Uses>
  >;
}

/** Declares an operation; the compiler checks `execute` against the schemas and the used parts. */
export function operation<
  const Params extends Schema | undefined = undefined,
  const Query extends Schema | undefined = undefined,
  const Body extends Schema | undefined = undefined,
  const Output extends Schema = Schema,
  const Id extends string = string,
  const Upload extends UploadTerms | undefined = undefined,
  const Files extends readonly string[] | undefined = undefined,
  const Uses extends Tokens = Readonly<Record<never, never>>,
  const Raw extends RawTerms | undefined = undefined,
>(
  declared: Operation<Params, Query, Body, Output, Id, Upload, Files, Uses, Raw>,
): Operation<Params, Query, Body, Output, Id, Upload, Files, Uses, Raw> {
  return declared;
}

/** An operation with any schemas. */
// biome-ignore lint/suspicious/noExplicitAny: a list of operations holds every combination of schemas
export type AnyOperation = Operation<any, any, any, any, string, any, any, any, any>;

export type AnyTool = Tool<string, unknown, AnyOperation>;

/** Whether the call needs a recent proof of identity. Keys need none: they belong to systems, which have no mailbox. */
export function needsStepUp({ stepUp }: AnyOperation, input: Input, caller: Caller): boolean {
  if (stepUp === undefined || caller.tokenKind !== 'sess') return false;
  return stepUp === 'always' || stepUp(input, caller);
}

export function isPublic({ access }: AnyOperation): boolean {
  return access === 'public';
}

/** Error codes that any operation may return. */
export const commonFailures: Readonly<Record<string, number>> = {
  VALIDATION_FAILED: 400,
  invalid_json: 400,
  unauthorized: 401,
  forbidden: 403,
  insufficient_scope: 403,
  step_up_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  duplicate_idempotency_key: 409,
  request_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  headers_too_large: 431,
  rate_limited: 429,
  internal_error: 500,
  database_unavailable: 503,
  workspace_busy: 503,
  queue_unavailable: 503,
};
