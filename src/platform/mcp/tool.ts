import { type Caller } from '../../kernel/caller.js';
import { type JsonSchema } from '../json-schema.js';
import { type AnyOperation } from '../operation.js';

/** All four, always: what is left out counts as the worst to a client. */
export interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const closedWorld = { openWorldHint: false } as const;

/** What a tool does to the world. Replacing what stood counts as destructive, though nothing is deleted. */
export const effects = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, ...closedWorld },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, ...closedWorld },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, ...closedWorld },
  sets: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, ...closedWorld },
} satisfies Readonly<Record<string, Hints>>;

/**
 * The template of every description: a model that knows nothing else must be able to choose and to call. The example
 * of a good call is that of the operation.
 */
export interface Description {
  readonly purpose: string;
  readonly useWhen: string;
  /** Names the tool to use instead. */
  readonly notFor: string;
  readonly formats?: string;
  readonly changes: string;
}

/** The description of an argument; its schema is the operation's unless another is given. */
export interface DescribedArgument {
  readonly description: string;
  readonly schema?: () => JsonSchema;
  /** Required of agents though the operation can do without. */
  readonly required?: true;
  /** Words that stand for a value that a schema without unions cannot name: `always` for null. */
  readonly words?: Readonly<Record<string, unknown>>;
}

/** The schemas of tools have no null, so an open end is a word. */
export function firstDay(text: string): DescribedArgument {
  return { description: `${text}, YYYY-MM-DD, or "always" for no earliest day`, words: { always: null } };
}

export function lastDay(text: string): DescribedArgument {
  return { description: `${text}, YYYY-MM-DD, or "never" for no end`, words: { never: null } };
}

export type Argument =
  | string
  | DescribedArgument
  /** Not asked of the model: it is always this. */
  | { readonly always: unknown };

/** Answers that may be large come short or whole: the short form lacks these parts, `reps.rules` being those of every rep. */
export interface Detail {
  readonly unlessAsked: 'summary' | 'full';
  readonly summaryOmits: readonly string[];
}

/** Work that goes on after the answer: where it is read on, for as long as the call is open. */
export interface Follow {
  readonly operation: AnyOperation;
  params(answer: unknown): Readonly<Record<string, string>>;
  progress(answer: unknown): { readonly done: number; readonly total: number; readonly isOver: boolean };
}

/**
 * How agents see an operation. The arguments are those of its path, query and body side by side, each by its name;
 * `limit` and `offset` belong to every list and are described once for all.
 */
export interface Tool<Names extends string = string, Answer = unknown> {
  /** verb_noun. It is part of the API: once published it stays. */
  readonly name: string;
  readonly title: string;
  readonly hints: Hints;
  readonly description: Description;
  readonly arguments: { readonly [Name in Exclude<Names, 'limit' | 'offset'>]: Argument };
  /** The answer is a list under this name, and comes in pages: `total` and `nextOffset` stand beside it. */
  readonly list?: string;
  /** The answer is more than a list, which has figures of its own: `page` tells of the first of these that it has. */
  readonly listsWithin?: readonly string[];
  readonly detail?: Detail;
  /** Listed before all others, which otherwise come in the order of the operations. */
  readonly listedFirst?: true;
  /** The call must say `confirm: true`: what it does cannot be undone. */
  readonly confirmed?: true;
  readonly follow?: Follow;
  /**
   * One line of the answer for the reader, from our own words, figures and ids only: what people wrote into deals
   * and names must not stand where a model looks for instructions.
   */
  summary(answer: Answer, caller: Caller): string;
}
