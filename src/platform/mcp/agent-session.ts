import { type Caller, mayActAs, readsEveryone } from '../../kernel/caller.js';
import { dayInZone } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { type ErrorBody, toErrorResponse, withDocs } from '../error-response.js';
import { type Log } from '../log.js';
import { type AnyOperation, type AnyTool, PreparedJson } from '../operations/operation.js';
import { type OperationDispatcher, type RawInput } from '../operations/operation-dispatcher.js';
import { mayCall } from '../operations/operation-scope.js';
import { type AgentWrites } from './agent-writes.js';
import { followUp, type Progress } from './follow-up.js';
import { type Completion, type Guidance, type OperationResource, type Prompt } from './guidance.js';
import { removeHidden } from './hidden-characters.js';
import { ProtocolError, rpcCodes } from './protocol-error.js';
import { formatResource, matchTemplate } from './resources.js';
import { readArguments } from './tool-arguments.js';
import { type OfferedTool, type ToolDefinition } from './tool-definition.js';
import { buildToolResult, maxResultBytes, type ToolResult, toResult } from './tool-result.js';
import { toUnknownIdFailure } from './unknown-id.js';

/** The parts that all sessions share; they hold no data of a workspace. */
export interface AgentParts {
  readonly dispatcher: OperationDispatcher;
  readonly tools: readonly OfferedTool[];
  readonly guidance: Guidance;
  readonly writes: AgentWrites;
  readonly log: Log;
}

export interface OpenCall {
  /** Set when the client requests progress notifications. */
  readonly progress?: Progress;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** What the completed argument belongs to. */
type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

const maxCompletions = 100;

/** A dry run changes nothing, so it needs no decision. */
function isDryRun({ query }: RawInput): boolean {
  return (query as Readonly<Record<string, unknown>>)['dryRun'] === 'true';
}

/** Whether the scopes of a connected agent include what the tool does. */
export function permitsEffect({ agent }: Caller, { hints }: AnyTool): boolean {
  return hints.readOnlyHint || agent === undefined || agent.scopes.includes('write');
}

/** The first request of a client, by the version of the protocol. */
const beginnings: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

/**
 * One caller's view of the service during one request: the tools and resources that the caller may use. Every call
 * runs through the same dispatcher as REST. A session serves one request only, so that no response can reach another
 * caller.
 */
export class AgentSession {
  constructor(
    private readonly parts: AgentParts,
    private readonly caller: Caller,
  ) {}

  /** For a request that begins a conversation also who calls, and the day: a model has neither. */
  async instructionsFor(body: unknown): Promise<string> {
    const { instructions, introduction } = this.parts.guidance;
    const begins = [body].flat().some((message) => beginnings.has((message as { method?: unknown })?.method));
    if (!begins || !mayCall(this.caller, introduction.operation)) return instructions;
    const introduced = introduction.text(await this.read(introduction.operation, {}), (timeZone) =>
      dayInZone(new Date(), timeZone),
    );
    return `${instructions}\n${String(removeHidden(introduced))}`;
  }

  tools(): ToolDefinition[] {
    return this.parts.tools
      .filter(({ operation, tool }) => mayCall(this.caller, operation) && permitsEffect(this.caller, tool))
      .map(({ definition }) => definition);
  }

  /** A failed call is a result that the model can read; only an unknown tool name is an error of the protocol. */
  async callTool(name: string, sentArguments: Readonly<Record<string, unknown>>, open: OpenCall): Promise<ToolResult> {
    const offered = this.parts.tools.find(({ tool }) => tool.name === name);
    if (offered === undefined)
      throw new ProtocolError(rpcCodes.invalidParams, 'Unknown tool. tools/list lists the tools.');
    const startedAt = performance.now();
    const logOutcome = (outcome: string) => {
      const ms = Math.round(performance.now() - startedAt);
      this.parts.log.info(
        { requestId: this.caller.requestId, tool: name, outcome, ms, actor: this.caller.actor },
        'tool',
      );
    };
    try {
      const result = await this.run(offered, sentArguments, open);
      logOutcome('ok');
      return result;
    } catch (error) {
      const body = this.toolErrorBody(error, sentArguments, offered.operation);
      logOutcome(body.code);
      return this.errorResult(body);
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
    const document = this.parts.guidance.documents.find((candidate) => candidate.uri === uri);
    if (document !== undefined) return { uri, mimeType: document.mimeType, text: document.text() };
    for (const resource of this.parts.guidance.resources) {
      const variables = matchTemplate(resource.uriTemplate, uri);
      if (variables === null) continue;
      const { params = {}, query = {} } = resource.parts(variables);
      const response = await this.read(resource.operation, { params, query }).catch((error: unknown) => {
        throw this.toProtocolError(error, resource.operation, { uri });
      });
      return { uri, mimeType: 'application/json', text: formatResource(response, resource.list) };
    }
    throw new ProtocolError(
      rpcCodes.resourceNotFound,
      'No resource has this URI. resources/list and resources/templates/list list the resources.',
      { uri },
    );
  }

  prompts(): Omit<Prompt, 'access' | 'text'>[] {
    return this.parts.guidance.prompts
      .filter(({ access }) => mayActAs(this.caller, access))
      .map(({ access: _access, text: _text, ...listed }) => listed);
  }

  prompt(
    name: string,
    sentArguments: Readonly<Record<string, string>>,
  ): { readonly description: string; readonly text: string } {
    const prompt = this.parts.guidance.prompts.find((candidate) => candidate.name === name);
    if (prompt === undefined)
      throw new ProtocolError(rpcCodes.invalidParams, 'Unknown prompt. prompts/list lists the prompts.');
    const missing = prompt.arguments.find(
      (argument) => argument.required && (sentArguments[argument.name] ?? '').trim() === '',
    );
    if (missing !== undefined)
      throw new ProtocolError(rpcCodes.invalidParams, `${missing.name}: required argument of this prompt`);
    return { description: prompt.description, text: String(removeHidden(prompt.text(sentArguments))) };
  }

  /** Values that begin with the typed text, or whose label does; none where the caller may not list them. */
  async complete(
    ref: CompletionReference,
    name: string,
    typed: string,
  ): Promise<{ readonly values: string[]; readonly total: number }> {
    if (!this.isKnown(ref))
      throw new ProtocolError(
        rpcCodes.invalidParams,
        'Unknown reference: no prompt or resource template is called so.',
      );
    const completion = this.parts.guidance.completions[name];
    if (completion === undefined || !mayCall(this.caller, completion.operation)) return { values: [], total: 0 };
    const values = await this.matching(completion, typed.toLowerCase());
    return { values: values.slice(0, maxCompletions), total: values.length };
  }

  private isKnown(ref: CompletionReference): boolean {
    if (ref.type === 'ref/prompt') return this.prompts().some(({ name }) => name === ref.name);
    return this.resourceTemplates().some(({ uriTemplate }) => uriTemplate === ref.uri);
  }

  /** The protocol error for an error outside of a tool call: a message without secrets, and the error body as data. */
  toProtocolError(error: unknown, operation?: AnyOperation, data: object = {}): ProtocolError {
    if (error instanceof ProtocolError) return error;
    const body = this.errorBody(error, operation);
    const code = body.statusCode === 404 ? rpcCodes.resourceNotFound : rpcCodes.rejected;
    return new ProtocolError(body.statusCode === 500 ? rpcCodes.internalError : code, body.message, {
      ...body,
      ...data,
    });
  }

  private async run(offered: OfferedTool, sentArguments: Readonly<Record<string, unknown>>, open: OpenCall) {
    const { dispatcher } = this.parts;
    const { operation, tool } = offered;
    await dispatcher.admit(operation, this.caller);
    const { raw, reading } = readArguments(offered, sentArguments);
    const waiting = tool.hints.readOnlyHint || isDryRun(raw) ? null : await this.waitingFor(offered, raw);
    if (waiting !== null) return waiting;
    const { body, count } = await dispatcher.run(operation, raw, this.caller);
    const response = body instanceof PreparedJson ? body.value : body;
    if (tool.follow === undefined) return buildToolResult(offered, { response, count }, reading, this.caller);
    const followed = await followUp(tool.follow, response, open, (polled, parts) => this.read(polled, parts));
    return buildToolResult(offered, { response: followed }, reading, this.caller);
  }

  /** The result of a change that a person decides about; null for one that runs. Invalid input is rejected at once. */
  private async waitingFor({ operation, tool }: OfferedTool, input: RawInput): Promise<ToolResult | null> {
    const { dispatcher, writes } = this.parts;
    const mode = await writes.modeFor(this.caller);
    if (mode === 'allow' || (mode === 'confirm' && tool.needsNoApproval === true)) return null;
    dispatcher.parse(operation, input, this.caller);
    if (mode === 'deny') throw new Failure('forbidden', 'This workspace permits agents to read only.');
    const details = await writes.request(this.caller, { tool: tool.name, title: tool.title, input });
    const message =
      'Nothing has changed yet: a person has to approve this change at approveUrl. list_change_requests shows the outcome.';
    const code = 'approval_required';
    return toResult([`${code}: ${message}`], { statusCode: 202, code, message, details: { ...details } });
  }

  private async read(
    operation: AnyOperation,
    { params = {}, query = {} }: ReturnType<OperationResource['parts']>,
  ): Promise<unknown> {
    const { body: response } = await this.parts.dispatcher.run(
      operation,
      { params, query, body: undefined },
      this.caller,
    );
    return response;
  }

  private async matching({ operation, candidates }: Completion, typed: string): Promise<string[]> {
    const found = candidates(await this.read(operation, {}));
    const begins = (text: string | undefined) => text?.toLowerCase().startsWith(typed) === true;
    return found.filter(({ value, label }) => begins(value) || begins(label)).map(({ value }) => value);
  }

  private resources(): OperationResource[] {
    return this.parts.guidance.resources.filter(
      ({ operation, access = operation.access }) =>
        mayCall(this.caller, operation) && (readsEveryone(this.caller.accessLevel) || mayActAs(this.caller, access)),
    );
  }

  private errorBody(error: unknown, operation: AnyOperation | undefined): ErrorBody {
    return toErrorResponse(error, operation, this.caller.requestId, this.parts.log);
  }

  private toolErrorBody(
    error: unknown,
    sentArguments: Readonly<Record<string, unknown>>,
    operation: AnyOperation,
  ): ErrorBody {
    const unknown = toUnknownIdFailure(error, sentArguments, this.parts.guidance.unknownIds);
    if (unknown === null) return this.errorBody(error, operation);
    return { statusCode: 404, code: unknown.code, message: unknown.message };
  }

  private errorResult(error: ErrorBody): ToolResult {
    const body = withDocs(error);
    const issues = (body.details?.['issues'] ?? []) as readonly { path: string; message: string }[];
    const listed = issues.length > 1 ? issues.slice(0, 10).map(({ path, message }) => `- ${path}: ${message}`) : [];
    const hint = this.parts.guidance.hints[body.code];
    const requestId = body.statusCode === 500 ? ` Request id ${this.caller.requestId}.` : '';
    const lines = [`${body.code}: ${body.message}${requestId}`, ...listed, ...(hint === undefined ? [] : [hint])];
    const { details: _, ...short } = body;
    const isShort = Buffer.byteLength(JSON.stringify(body)) <= maxResultBytes / 2;
    return { ...toResult(lines, isShort ? { ...body } : short), isError: true };
  }
}
