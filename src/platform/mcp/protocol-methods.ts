import { z } from 'zod';
import { readValue } from '../../kernel/invalid-values.js';
import { type AgentSession, type OpenCall } from './agent-session.js';
import { ProtocolError, rpcCodes } from './protocol-error.js';

/** A method of the protocol. It is the same in every version; the adapters of the SDKs differ. */
interface ProtocolMethod {
  readonly name: string;
  /** Throws a {@link ProtocolError} for invalid parameters. */
  respond(session: AgentSession, params: unknown, open: OpenCall): Promise<object>;
}

/** A notification of progress, as both SDKs send it. */
interface ProgressNotification {
  readonly method: 'notifications/progress';
  readonly params: { readonly progressToken: string | number; readonly progress: number; readonly total: number };
}

/** How the SDK serves the request: `notify` is null where the response is no stream. */
interface Exchange {
  readonly signal: AbortSignal;
  readonly notify: ((notification: ProgressNotification) => Promise<void>) | null;
}

/** Answers a request. The SDKs send the message of every thrown error, so each is converted to one without internals. */
export async function respondToMethod(
  { respond }: ProtocolMethod,
  session: AgentSession,
  params: unknown,
  { signal, notify }: Exchange,
): Promise<Record<string, unknown>> {
  const progressToken = readProgressToken({ params });
  const progress =
    notify === null || progressToken === undefined
      ? {}
      : {
          progress: (done: number, total: number) =>
            notify({ method: 'notifications/progress', params: { progressToken, progress: done, total } }),
        };
  try {
    return { ...(await respond(session, params, { signal, ...progress })) };
  } catch (error) {
    throw session.toProtocolError(error);
  }
}

/** Parameters are parsed here and not by the SDK's schemas, whose errors have none of the codes that clients expect. */
function method<Params>(
  name: string,
  schema: z.ZodType<Params>,
  respond: (session: AgentSession, params: Params, open: OpenCall) => object | Promise<object>,
): ProtocolMethod {
  return {
    name,
    respond: async (session, params, open) => respond(session, readParams(schema, params), open),
  };
}

function readParams<Params>(schema: z.ZodType<Params>, params: unknown): Params {
  const read = readValue(schema, params);
  if ('value' in read) return read.value;
  const [{ path, message }] = read.issues;
  throw new ProtocolError(rpcCodes.invalidParams, `params.${path}: ${message}`);
}

const texts = z.record(z.string(), z.string());
const callParams = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });
const completionParams = z.object({
  ref: z.discriminatedUnion('type', [
    z.object({ type: z.literal('ref/prompt'), name: z.string() }),
    z.object({ type: z.literal('ref/resource'), uri: z.string() }),
  ]),
  argument: z.object({ name: z.string(), value: z.string() }),
});

export const protocolMethods: readonly ProtocolMethod[] = [
  method('tools/list', z.unknown(), (session) => ({ tools: session.tools() })),
  method('tools/call', callParams, (session, { name, arguments: sentArguments = {} }, open) =>
    session.callTool(name, sentArguments, open),
  ),
  method('resources/list', z.unknown(), (session) => ({ resources: session.documents() })),
  method('resources/templates/list', z.unknown(), (session) => ({ resourceTemplates: session.resourceTemplates() })),
  method('resources/read', z.object({ uri: z.string() }), async (session, { uri }) => ({
    contents: [await session.readResource(uri)],
  })),
  method('prompts/list', z.unknown(), (session) => ({ prompts: session.prompts() })),
  method(
    'prompts/get',
    z.object({ name: z.string(), arguments: texts.optional() }),
    (session, { name, arguments: sentArguments = {} }) => {
      const { description, text } = session.prompt(name, sentArguments);
      return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  ),
  method('completion/complete', completionParams, async (session, { ref, argument }) => {
    const { values, total } = await session.complete(ref, argument.name, argument.value);
    return { completion: { values, total, hasMore: total > values.length } };
  }),
];

const withToken = z.object({
  params: z.object({ _meta: z.object({ progressToken: z.union([z.string(), z.number()]) }) }),
});

export function readProgressToken(message: unknown): string | number | undefined {
  return withToken.safeParse(message).data?.params._meta.progressToken;
}

/** The service sends no forms. The SDKs would create a validator for them with every request, in 4 ms. */
export const noForms = {
  getValidator: () => {
    throw new Error('forms are not supported');
  },
};
