import { type Readable } from 'node:stream';
import { type InjectionToken } from 'tsyringe';
import { type z } from 'zod';
import { type AccessLevel, type Caller, mayActAs } from '../kernel/caller.js';
import { type Tool } from './mcp/tool.js';

/** What a handler gets: the request after its schemas, defaults filled in. */
export interface Input<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** A body that is read as it comes, for operations that take files. */
export interface StreamedBody {
  readonly contentType: string;
  readonly stream: Readable;
}

/** A body as its bytes, with what was sent along: a signature covers them as they came. */
export interface RawBody {
  readonly bytes: Buffer;
  /** Path and query, as asked. */
  readonly url: string;
  header(name: string): string | undefined;
}

export interface Handler<I extends Input<unknown, unknown, unknown>, Answer> {
  execute(input: I, caller: Caller): Promise<Answer | Reply<Answer> | Download | Redirect>;
}

/** An answer with another status than the operation's usual one. */
export class Reply<Answer> {
  constructor(
    readonly status: number,
    readonly answer: Answer,
  ) {}
}

/** An answer that is a file and not JSON: sent as it is. */
export class Download {
  constructor(
    readonly contentType: string,
    /** Letters, digits, dots and dashes. */
    readonly filename: string,
    readonly body: string | Buffer | Readable,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** An answer that sends the browser elsewhere. */
export class Redirect {
  constructor(readonly location: string) {}
}

/** Media types that an operation takes as a stream, and the most bytes of one. */
export interface UploadTerms {
  readonly types: readonly string[];
  readonly limitBytes: number;
}

type Schema = z.ZodType;
/** Answers are only read on their way out, so a handler may give what it does not own. */
type ReadOnly<T> = T extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadOnly<T[Key]> }
    : T;
type Parsed<S> = S extends z.ZodType<infer T> ? T : Record<string, never>;
type NamesIn<S> = S extends z.ZodObject<infer Shape> ? keyof Shape & string : never;

/**
 * One operation of the API, stated once: routes, the OpenAPI document, the MCP tools, the client and the
 * authorization tests are all read from here.
 */
export interface Operation<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Answer extends Schema = Schema,
  Id extends string = string,
  Upload extends UploadTerms | undefined = UploadTerms | undefined,
  Files extends readonly string[] | undefined = readonly string[] | undefined,
> {
  /** camelCase, unique: the client's method. */
  readonly id: Id;
  readonly summary: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Express notation: `/v1/plans/:planId`. */
  readonly path: string;
  /** The least standing a caller needs. Nothing is public by omission. */
  readonly access: AccessLevel;
  /** The role payroll may call it as well. */
  readonly payroll?: true;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Set for bodies that are streamed instead of parsed: the media types taken and the most bytes. */
  readonly upload?: Upload;
  /** Set for bodies that are given as a {@link RawBody}, whatever their media type: the most bytes. */
  readonly raw?: { readonly limitBytes: number };
  readonly response: Answer;
  /** Media types of the files that the operation may answer with instead. */
  readonly files?: Files;
  /** 200 unless stated. */
  readonly status?: number;
  /** Another good one that a {@link Reply} may give. */
  readonly otherStatus?: number;
  /** The answer holds a secret that is told once: it is never stored, not even for a caller who asks again. */
  readonly secret?: true;
  /** Every code that the operation may fail with beside the common ones, and its status here. */
  readonly failures: Readonly<Record<string, number>>;
  /**
   * Set where the answer may be remembered: the rep whose data alone it is read from, null when it is the workspace's.
   * Such a handler depends on nothing but its input, the caller's standing and rep, the day, and that data.
   */
  readonly cacheScope?: (input: Input<Parsed<Params>, Parsed<Query>, Parsed<Body>>, caller: Caller) => string | null;
  /** Set where agents may do this too, over MCP. */
  readonly tool?: Tool<NamesIn<Params> | NamesIn<Query> | NamesIn<Body>, z.output<Answer>>;
  readonly handler: InjectionToken<
    Handler<Input<Parsed<Params>, Parsed<Query>, Parsed<Body>>, ReadOnly<z.input<Answer>>>
  >;
}

/** States an operation, with its handler checked against its schemas. */
export function operation<
  const Params extends Schema | undefined = undefined,
  const Query extends Schema | undefined = undefined,
  const Body extends Schema | undefined = undefined,
  const Answer extends Schema = Schema,
  const Id extends string = string,
  const Upload extends UploadTerms | undefined = undefined,
  const Files extends readonly string[] | undefined = undefined,
>(
  declared: Operation<Params, Query, Body, Answer, Id, Upload, Files>,
): Operation<Params, Query, Body, Answer, Id, Upload, Files> {
  return declared;
}

/** What the dispatcher needs to know of an operation, whatever its schemas. */
// biome-ignore lint/suspicious/noExplicitAny: a list of operations holds every combination of schemas
export type AnyOperation = Operation<any, any, any, any, string, any, any>;

/** Whether the caller may call the operation at all; what of it they may see is the handler's to decide. */
export function mayCall(caller: Caller, { access, payroll }: AnyOperation): boolean {
  return mayActAs(caller, access) || (caller.accessLevel === 'payroll' && payroll === true);
}

export function isPublic({ access }: AnyOperation): boolean {
  return access === 'public';
}

/**
 * Whether the operation minds an Idempotency-Key. Not for those who have yet to sign in: without a workspace they
 * would share their keys with everyone.
 */
export function acceptsIdempotencyKey(operation: AnyOperation): boolean {
  return operation.method === 'post' && !isPublic(operation) && operation.files === undefined;
}

/** Codes that any operation may answer with. */
export const commonFailures: Readonly<Record<string, number>> = {
  VALIDATION_FAILED: 400,
  invalid_json: 400,
  unauthorized: 401,
  forbidden: 403,
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
  queue_unavailable: 503,
};
