import { type Caller } from '../../kernel/caller.js';
import { type DayRange } from '../../kernel/day.js';
import { type Transaction } from '../database/unit-of-work.js';
import { type ErrorBody, toErrorResponse } from '../error-response.js';
import { type Log } from '../log.js';
import { type AnyOperation, PreparedJson, type Subject } from '../operations/operation.js';
import { type OperationDispatcher, parseInput, type RawInput } from '../operations/operation-dispatcher.js';
import { type SentText, textsIn, type UnknownId, unknownId } from './unknown-id.js';

/** The response of a tool, or why it failed. */
type ToolOutcome = { readonly response: unknown } | { readonly failed: ErrorBody };

/** The first text that should be an id and is that of nothing, with one of the error codes; null without one. */
export type IdLookup = (
  tx: Transaction,
  texts: readonly SentText[],
  codes: Readonly<Record<string, number>>,
) => Promise<UnknownId | null>;

/** Runs the operation of a tool for a caller who is not connected any more. */
export class ToolRunner {
  constructor(
    private readonly operations: readonly AnyOperation[],
    /** The dispatcher of these operations, of which some use the runner. */
    private readonly dispatcher: () => OperationDispatcher,
    private readonly log: Log,
  ) {}

  /** Rejects a person who would need a recent proof of identity to make this call. */
  async assertProof(tool: string, input: RawInput, person: Caller): Promise<void> {
    const { operation, dispatcher } = this.findCall(tool);
    await dispatcher.assertProof(operation, parseInput(operation, input), person);
  }

  /** What the call would change. A tool that changes something and does not declare it cannot be approved. */
  async subject(tx: Transaction, tool: string, input: RawInput): Promise<Subject> {
    const { operation } = this.findCall(tool);
    if (operation.subject === undefined) throw new Error(`tool ${tool} has no subject`);
    return operation.subject(tx, parseInput(operation, input));
  }

  /** Rejects a call that would fail as things are: an id that does not exist, or what the operation names. */
  async assertPossible(tx: Transaction, tool: string, input: RawInput, findUnknown: IdLookup): Promise<void> {
    const { operation } = this.findCall(tool);
    const unknown = await findUnknown(tx, textsIn(input), operation.failures);
    if (unknown !== null) throw unknownId(unknown);
    await operation.assertPossible?.(tx, parseInput(operation, input));
  }

  hasPreview(tool: string): boolean {
    return this.findCall(tool).operation.tool?.previewedBy !== undefined;
  }

  /** What the call would do; null if the tool has no preview. */
  async preview(tool: string, input: RawInput, days: DayRange, caller: Caller): Promise<ToolOutcome | null> {
    const previewedBy = this.findCall(tool).operation.tool?.previewedBy;
    const call = previewedBy?.input(input, days) ?? null;
    return previewedBy === undefined || call === null ? null : this.run(previewedBy.tool, call, caller);
  }

  async run(tool: string, input: RawInput, caller: Caller): Promise<ToolOutcome> {
    const { operation, dispatcher } = this.findCall(tool);
    try {
      const { body } = await dispatcher.run(operation, input, caller);
      return { response: body instanceof PreparedJson ? body.value : body };
    } catch (error) {
      return { failed: toErrorResponse(error, operation, caller.requestId, this.log) };
    }
  }

  private findCall(tool: string) {
    const operation = this.operations.find((candidate) => candidate.tool?.name === tool);
    if (operation === undefined) throw new Error(`tool ${tool} cannot be run`);
    return { operation, dispatcher: this.dispatcher() };
  }
}
