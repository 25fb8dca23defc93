import { type InjectionToken } from 'tsyringe';
import { type z } from 'zod';
import { type Caller, maySee } from '../../kernel/caller.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { readValue } from '../../kernel/invalid-values.js';
import { parseInSlices } from '../long-response.js';
import { type PartContainer } from '../part-container.js';
import {
  type AnyOperation,
  Download,
  type Input,
  needsStepUp,
  Page,
  PreparedJson,
  Redirect,
  Reply,
} from './operation.js';
import { findScope, hasAccess, hasScope, insufficientScope } from './operation-scope.js';

/** Records the calls of people and keys. */
export interface CallRecorder {
  /** Runs the work as the caller whose transactions also record the call. */
  record<T>(operation: AnyOperation, input: Input, caller: Caller, work: (caller: Caller) => Promise<T>): Promise<T>;
  /** Records a call that was rejected because the caller may not make it. */
  recordRejection(operation: AnyOperation, caller: Caller, code: string): Promise<void>;
}

/** Knows when the people of sessions last proved their identity. */
export interface IdentityProofs {
  /** Rejects a session whose last proof is older than its workspace permits. */
  assertRecent(caller: Caller): Promise<void>;
}

/** Decides in which database a call runs, where a service has several. */
export interface CallRouting {
  run(
    operation: AnyOperation,
    raw: RawInput,
    caller: Caller,
    here: () => Promise<OperationResult>,
  ): Promise<OperationResult>;
}

/** The codes of rejections because of the caller's rights. */
const rightsCodes: readonly string[] = ['forbidden', 'insufficient_scope', 'step_up_required'];

/** `execute` of an operation with its parts of the service. */
type Execution = (input: Input, caller: Caller) => unknown;

/** A request before it is parsed. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface OperationResult {
  readonly status: number;
  readonly body: unknown;
  /** Whether the operation has chosen the status itself. */
  readonly isReply?: boolean;
  /** The number of items on all pages, where the body is a {@link Page}. */
  readonly count?: number;
}

/**
 * Runs an operation: checks access, parses the input, executes it, parses the response. The parts that operations
 * use are resolved once, so that a missing dependency fails the start and not a request.
 */
export class OperationDispatcher {
  private readonly executions = new Map<AnyOperation, Execution>();
  private routing: CallRouting | null = null;

  constructor(
    operations: readonly AnyOperation[],
    parts: PartContainer,
    private readonly recorder: CallRecorder | null = null,
    private readonly proofs: IdentityProofs | null = null,
  ) {
    for (const operation of operations) this.executions.set(operation, toExecution(operation, parts));
  }

  /** Rejects a caller as {@link checkAccess} does, and records the rejection. */
  admit(operation: AnyOperation, caller: Caller): Promise<void> {
    return this.recordingRejections(operation, caller, async () => this.checkAccess(operation, caller));
  }

  /** Runs the work; a rejection because of the caller's rights is recorded before it is thrown. */
  async recordingRejections<T>(operation: AnyOperation, caller: Caller, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure && rightsCodes.includes(error.code))
        await this.recorder?.recordRejection(operation, caller, error.code);
      throw error;
    }
  }

  /** Rejects a caller whose access level or scopes do not suffice, before the request is parsed. */
  checkAccess(operation: AnyOperation, caller: Caller): void {
    if (!hasAccess(caller, operation))
      throw new Failure(
        'forbidden',
        `This operation needs the role ${operation.access}; your token has the role ${caller.accessLevel}.`,
      );
    if (!hasScope(caller, operation)) throw insufficientScope(caller, findScope(operation));
  }

  attach(routing: CallRouting): void {
    this.routing = routing;
  }

  /** `around` calls its argument, which parses the request and may take long for a large one. */
  async run(
    operation: AnyOperation,
    raw: RawInput,
    caller: Caller,
    around: (parse: () => Input) => Input = (parse) => parse(),
  ): Promise<OperationResult> {
    const here = () => this.runHere(operation, raw, caller, around);
    return this.routing === null ? here() : this.routing.run(operation, raw, caller, here);
  }

  /** Runs the operation in the database of this dispatcher. */
  async runHere(
    operation: AnyOperation,
    raw: RawInput,
    caller: Caller,
    around: (parse: () => Input) => Input = (parse) => parse(),
  ): Promise<OperationResult> {
    return this.recordingRejections(operation, caller, async () => {
      const input = around(() => this.parse(operation, raw, caller));
      return this.execute(operation, input, caller);
    });
  }

  /** The request, parsed by the operation's schemas. */
  parse(operation: AnyOperation, raw: RawInput, caller: Caller): Input {
    this.checkAccess(operation, caller);
    const input = parseInput(operation, raw);
    assertOwnTeam(caller, [input.params, input.query, isStreamedBody(operation) ? null : input.body]);
    return input;
  }

  /** Rejects a session whose person proved their identity too long ago for the call. */
  async assertProof(operation: AnyOperation, input: Input, caller: Caller): Promise<void> {
    if (needsStepUp(operation, input, caller)) await this.proofs?.assertRecent(caller);
  }

  async execute(operation: AnyOperation, input: Input, caller: Caller): Promise<OperationResult> {
    const execution = this.executions.get(operation);
    if (execution === undefined) throw new Error(`operation ${operation.id} is not in the list of the dispatcher`);
    await this.assertProof(operation, input, caller);
    const work = async (as: Caller) => execution(input, as);
    const result = await (this.recorder === null ? work(caller) : this.recorder.record(operation, input, caller, work));
    if (result instanceof PreparedJson) return { status: operation.status ?? 200, body: result };
    if (result instanceof Download) return { status: 200, body: result };
    if (result instanceof Redirect) return { status: 302, body: result };
    if (result instanceof Page)
      return { status: 200, body: await parseInSlices(operation.response, result.body), count: result.count };
    const status = result instanceof Reply ? result.status : (operation.status ?? 200);
    const body = result instanceof Reply ? result.body : result;
    return { status, body: await parseInSlices(operation.response, body), isReply: result instanceof Reply };
  }
}

/** The request, parsed by the operation's schemas, without a check of the caller. */
export function parseInput(operation: AnyOperation, raw: RawInput): Input {
  return {
    params: parsePart(operation.params, raw.params),
    query: parsePart(operation.query, raw.query),
    body: isStreamedBody(operation) ? raw.body : parseBody(operation, raw.body),
  };
}

function isStreamedBody({ upload, raw }: AnyOperation): boolean {
  return upload !== undefined || raw !== undefined;
}

function toExecution({ execute, uses = {} }: AnyOperation, parts: PartContainer): Execution {
  const used = Object.fromEntries(
    Object.entries<InjectionToken>(uses).map(([name, token]) => [name, parts.resolve(token)]),
  );
  return (input, caller) => execute(input, caller, used);
}

/**
 * A manager who is restricted to the people below them may name no other rep in any part of any operation: every
 * value called `repId` or `repIds` is checked here. Operations restrict lists that name no rep.
 */
function assertOwnTeam(caller: Caller, parts: readonly unknown[]): void {
  if (caller.team === undefined) return;
  for (const repId of parts.flatMap(namedReps)) {
    if (!maySee(caller, repId.toLowerCase()))
      throw new Failure('forbidden', 'Managers of this workspace may see and manage only the people below them.');
  }
}

function namedReps(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(namedReps);
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]): string[] => {
    if (name === 'repId' || name === 'repIds') return [value].flat().filter((id) => typeof id === 'string');
    return namedReps(value);
  });
}

function parseBody(operation: AnyOperation, body: unknown): unknown {
  if (operation.body === undefined) {
    const empty = body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0);
    if (!empty) throw invalid({ path: '', message: 'this operation takes no body' });
    return {};
  }
  return parsePart(operation.body, body === undefined ? {} : body);
}

/** Parses the part; on failure the error names every invalid field. */
export function parsePart(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) {
    const [unknownKey] = Object.keys((value ?? {}) as object);
    if (unknownKey !== undefined) throw invalid({ path: unknownKey, message: 'unknown field' });
    return {};
  }
  const read = readValue(schema, value);
  if ('value' in read) return read.value;
  throw invalid(...read.issues);
}
