import { type AccessLevel } from '../../kernel/caller.js';
import { type AnyOperation } from '../operations/operation.js';

/** What agents can use besides the tools. The platform serves it; the slices define its content. */
export interface Guidance {
  readonly instructions: string;
  /** Says who the agent acts for, and which day it is, from the response of the operation. */
  readonly introduction: {
    readonly operation: AnyOperation;
    text(response: unknown, todayIn: (timeZone: string) => string): string;
  };
  readonly documents: readonly GuideDocument[];
  readonly resources: readonly OperationResource[];
  readonly prompts: readonly Prompt[];
  /** A hint for each error code: which tool helps. */
  readonly hints: Readonly<Record<string, string>>;
  /** The error code for an id that does not exist, by the name of its argument. */
  readonly unknownIds: Readonly<Record<string, string>>;
  /** Completions by the name of a placeholder or an argument. */
  readonly completions: Readonly<Record<string, Completion>>;
}

/** A text that is the same for every caller. */
export interface GuideDocument {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  text(): string;
}

export interface ResourceParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** The result of an operation as a resource: `commission://plans/{planId}`. */
export interface OperationResource {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operation: AnyOperation;
  /** Min access level, where it is higher than the operation's. */
  readonly access?: AccessLevel;
  /** The list that is truncated when the whole result is too large. */
  readonly list?: string;
  parts(variables: Readonly<Record<string, string>>): ResourceParts;
}

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** A prompt template. Its text comes from the code and the arguments, never from stored data. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly access: AccessLevel;
  readonly arguments: readonly PromptArgument[];
  text(sentArguments: Readonly<Record<string, string | undefined>>): string;
}

/** Values that an operation returns, each with a label by which it is found too. */
export interface Completion {
  readonly operation: AnyOperation;
  candidates(response: unknown): readonly { readonly value: string; readonly label?: string }[];
}
