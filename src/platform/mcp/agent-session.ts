import { type Caller, mayActAs } from '../../kernel/caller.js';
import { type ErrorBody, toErrorResponse } from '../error-response.js';
import { type Log } from '../log.js';
import { type AnyOperation, mayCall } from '../operation.js';
import { type OperationDispatcher } from '../operation-dispatcher.js';
import { type Completion, type Guidance, type OperationResource, type Prompt } from './guidance.js';
import { plain } from './plain-text.js';
import { ProtocolRefusal, rpcCodes } from './protocol-refusal.js';
import { matchTemplate } from './resource-address.js';
import { resourceText } from './resource-text.js';
import { readArguments } from './tool-arguments.js';
import { type OfferedTool, type ToolDefinition } from './tool-definition.js';
import { maxResultBytes, resultOf, type ToolResult, toolResult } from './tool-result.js';
import { unknownIdFailure } from './unknown-id.js';
import { followUp, type Progress } from './work-in-progress.js';

/** What all sessions share; nothing in it belongs to anybody. */
export interface AgentParts {
  readonly dispatcher: OperationDispatcher;
  readonly tools: readonly OfferedTool[];
  readonly guidance: Guidance;
  readonly log: Log;
}

export interface OpenCall {
  /** Set when the client wants to hear how it goes. */
  readonly progress?: Progress;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

const mostCompletions = 100;

/**
 * One caller's view of the service during one request: what they may see, and every act through the same dispatcher as
 * over REST. It is made for the request and dies with it, so that no answer can reach anybody else.
 */
export class AgentSession {
  constructor(
    private readonly parts: AgentParts,
    private readonly caller: Caller,
  ) {}

  get instructions(): string {
    return this.parts.guidance.instructions;
  }

  tools(): ToolDefinition[] {
    return this.parts.tools
      .filter(({ operation }) => mayCall(this.caller, operation))
      .map(({ definition }) => definition);
  }

  /** A refusal is a result that the model can read and act on; only a name that no tool has is an error of the protocol. */
  async callTool(name: string, given: Readonly<Record<string, unknown>>, open: OpenCall): Promise<ToolResult> {
    const offered = this.parts.tools.find(({ tool }) => tool.name === name);
    if (offered === undefined)
      throw new ProtocolRefusal(rpcCodes.invalidParams, 'There is no tool of that name. tools/list lists them.');
    const startedAt = performance.now();
    const told = (outcome: string) => {
      const ms = Math.round(performance.now() - startedAt);
      this.parts.log.info(
        { requestId: this.caller.requestId, tool: name, outcome, ms, actor: this.caller.actor },
        'tool',
      );
    };
    try {
      const result = await this.run(offered, given, open);
      told('ok');
      return result;
    } catch (error) {
      const refused = this.tellRefusal(error, given, offered.operation);
      told(refused.code);
      return this.refusal(refused);
    }
  }

  documents() {
    return this.parts.guidance.documents.map(({ text: _, ...listed }) => listed);
  }

  resourceTemplates() {
    return this.resources().map(({ uriTemplate, name, title, description }) => ({
      uriTemplate,
      name,
      title,
      description,
      mimeType: 'application/json',
    }));
  }

  async readResource(uri: string): Promise<{ readonly uri: string; readonly mimeType: string; readonly text: string }> {
    const document = this.parts.guidance.documents.find((one) => one.uri === uri);
    if (document !== undefined) return { uri, mimeType: document.mimeType, text: document.text() };
    for (const resource of this.parts.guidance.resources) {
      const variables = matchTemplate(resource.uriTemplate, uri);
      if (variables === null) continue;
      const { params = {}, query = {} } = resource.parts(variables);
      const answer = await this.ask(resource.operation, { params, query }).catch((error: unknown) => {
        throw this.protocolRefusal(error, resource.operation);
      });
      return { uri, mimeType: 'application/json', text: resourceText(answer, resource.list) };
    }
    throw new ProtocolRefusal(rpcCodes.resourceNotFound, 'There is no resource at this address.');
  }

  prompts(): Omit<Prompt, 'access' | 'text'>[] {
    return this.parts.guidance.prompts
      .filter(({ access }) => mayActAs(this.caller, access))
      .map(({ access: _access, text: _text, ...listed }) => listed);
  }

  prompt(
    name: string,
    given: Readonly<Record<string, string>>,
  ): { readonly description: string; readonly text: string } {
    const prompt = this.parts.guidance.prompts.find((one) => one.name === name);
    if (prompt === undefined)
      throw new ProtocolRefusal(rpcCodes.invalidParams, 'There is no prompt of that name. prompts/list lists them.');
    const missing = prompt.arguments.find((one) => one.required && (given[one.name] ?? '').trim() === '');
    if (missing !== undefined)
      throw new ProtocolRefusal(rpcCodes.invalidParams, `${missing.name}: is needed for this prompt`);
    return { description: prompt.description, text: String(plain(prompt.text(given))) };
  }

  /** Values that the typed text begins, or that are called so; none where the caller may not look. */
  async complete(name: string, typed: string): Promise<{ readonly values: string[]; readonly total: number }> {
    const completion = this.parts.guidance.completions[name];
    if (completion === undefined || !mayCall(this.caller, completion.operation)) return { values: [], total: 0 };
    const values = await this.matching(completion, typed.toLowerCase());
    return { values: values.slice(0, mostCompletions), total: values.length };
  }

  /** What is told of an error outside of a tool: the envelope travels beside a message without secrets. */
  protocolRefusal(error: unknown, operation?: AnyOperation): ProtocolRefusal {
    if (error instanceof ProtocolRefusal) return error;
    const told = this.tell(error, operation);
    const code = told.statusCode === 404 ? rpcCodes.resourceNotFound : rpcCodes.refused;
    return new ProtocolRefusal(told.statusCode === 500 ? rpcCodes.internalError : code, told.message, told);
  }

  private async run(offered: OfferedTool, given: Readonly<Record<string, unknown>>, open: OpenCall) {
    const { dispatcher } = this.parts;
    const { operation, tool } = offered;
    dispatcher.checkAccess(operation, this.caller);
    const { raw, reading } = readArguments(operation, tool, given);
    const { body: answer } = await dispatcher.run(operation, raw, this.caller);
    if (tool.follow === undefined) return toolResult(offered, answer, reading, this.caller);
    const followed = await followUp(tool.follow, answer, open, (one, parts) => this.ask(one, parts));
    return toolResult(offered, followed, reading, this.caller);
  }

  private async ask(
    operation: AnyOperation,
    { params = {}, query = {} }: ReturnType<OperationResource['parts']>,
  ): Promise<unknown> {
    const { body: answer } = await this.parts.dispatcher.run(
      operation,
      { params, query, body: undefined },
      this.caller,
    );
    return answer;
  }

  private async matching({ operation, candidates }: Completion, typed: string): Promise<string[]> {
    const found = candidates(await this.ask(operation, {}));
    const begins = (text: string | undefined) => text?.toLowerCase().startsWith(typed) === true;
    return found.filter(({ value, label }) => begins(value) || begins(label)).map(({ value }) => value);
  }

  private resources(): OperationResource[] {
    return this.parts.guidance.resources.filter(
      ({ operation, access = operation.access }) =>
        mayCall(this.caller, operation) && (this.caller.accessLevel === 'payroll' || mayActAs(this.caller, access)),
    );
  }

  private tell(error: unknown, operation: AnyOperation | undefined): ErrorBody {
    return toErrorResponse(error, operation, this.caller.requestId, this.parts.log);
  }

  private tellRefusal(error: unknown, given: Readonly<Record<string, unknown>>, operation: AnyOperation): ErrorBody {
    const unknown = unknownIdFailure(error, given, this.parts.guidance.unknownIds);
    if (unknown === null) return this.tell(error, operation);
    return { statusCode: 404, code: unknown.code, message: unknown.message };
  }

  private refusal(told: ErrorBody): ToolResult {
    const issues = (told.details?.['issues'] ?? []) as readonly { path: string; message: string }[];
    const listed = issues.length > 1 ? issues.slice(0, 10).map(({ path, message }) => `- ${path}: ${message}`) : [];
    const hint = this.parts.guidance.hints[told.code];
    const requestId = told.statusCode === 500 ? ` Request id ${this.caller.requestId}.` : '';
    const lines = [`${told.code}: ${told.message}${requestId}`, ...listed, ...(hint === undefined ? [] : [hint])];
    const { details: _, ...short } = told;
    const isShort = Buffer.byteLength(JSON.stringify(told)) <= maxResultBytes / 2;
    return { ...resultOf(lines, isShort ? { ...told } : short), isError: true };
  }
}
