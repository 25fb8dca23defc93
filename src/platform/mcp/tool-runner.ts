import { type Caller } from '../../kernel/caller.js';
import { type ErrorBody, toErrorResponse } from '../error-response.js';
import { type Log } from '../log.js';
import { type AnyOperation, PreparedJson } from '../operation.js';
import { type OperationDispatcher, type RawInput } from '../operation-dispatcher.js';

export type ToolOutcome = { readonly answer: unknown } | { readonly failed: ErrorBody };

/**
 * Runs the operation of a tool for a caller who is not connected any more. It gets the dispatcher after its
 * construction, because the dispatcher constructs the operation that uses it.
 */
export class ToolRunner {
  private dispatcher: OperationDispatcher | null = null;

  constructor(
    private readonly operations: readonly AnyOperation[],
    private readonly log: Log,
  ) {}

  attach(dispatcher: OperationDispatcher): void {
    this.dispatcher = dispatcher;
  }

  async run(tool: string, input: RawInput, caller: Caller): Promise<ToolOutcome> {
    const operation = this.operations.find((one) => one.tool?.name === tool);
    if (operation === undefined || this.dispatcher === null) throw new Error(`tool ${tool} cannot be run`);
    try {
      const { body } = await this.dispatcher.run(operation, input, caller);
      return { answer: body instanceof PreparedJson ? body.value : body };
    } catch (error) {
      return { failed: toErrorResponse(error, operation, caller.requestId, this.log) };
    }
  }
}
